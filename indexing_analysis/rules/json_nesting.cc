#include "indexing_analysis/rules/json_nesting.h"

namespace hlo_indexing::indexing_analysis {

std::optional<size_t> JsonTooDeepAt(llvm::StringRef text) {
  constexpr int kMaxNesting = 100;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::indexing_analysis
