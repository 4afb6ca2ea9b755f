#include "indexing_analysis/rules/json_scan.h"

#include <vector>

#include "llvm/ADT/StringSet.h"

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

std::optional<size_t> JsonKeyTwiceAt(llvm::StringRef text) {
  // The keys of the objects around a place; of arrays there are none.
  std::vector<llvm::StringSet<>> keys;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{') {
      keys.emplace_back();
    } else if (c == ']' || c == '}') {
      keys.pop_back();
    } else if (c == '"') {
      const size_t begin = i;
      for (++i; text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      const bool is_key = text.drop_front(i + 1).ltrim().starts_with(":");
      if (is_key && !keys.back().insert(text.slice(begin, i)).second) return begin;
    }
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::indexing_analysis
