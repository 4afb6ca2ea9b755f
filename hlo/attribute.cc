#include "hlo/attribute.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace hlo_indexing::hlo {
namespace {

struct AttributeRow {
  llvm::StringRef text;
  AttributeKind kind;
};

constexpr AttributeRow kRows[] = {
#define HLO_ATTRIBUTE(enumerator, text, kind) {text, AttributeKind::kind},
#include "hlo/attributes.inc"
#undef HLO_ATTRIBUTE
    {"", AttributeKind::kText},
};

}  // namespace

int64_t ConvolutionDimensions::Find(llvm::StringRef labels, char label) {
  const size_t position = labels.find(label);
  return position == llvm::StringRef::npos ? -1 : static_cast<int64_t>(position);
}

int64_t ConvolutionDimensions::num_spatial() const { return llvm::count_if(output, llvm::isDigit); }

std::string QuotedString::Unescape() const {
  std::string result;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\' || i + 1 == escaped.size()) {
      result += escaped[i];
      continue;
    }
    const char c = escaped[++i];
    result += c == 'n' ? '\n' : (c == 't' ? '\t' : (c == 'r' ? '\r' : c));
  }
  return result;
}

llvm::StringRef AttributeText(AttributeName name) { return kRows[static_cast<size_t>(name)].text; }

AttributeName ParseAttributeName(llvm::StringRef text) {
  static const llvm::StringMap<AttributeName>* const names = [] {
    auto* map = new llvm::StringMap<AttributeName>();
    for (size_t i = 0; i < static_cast<size_t>(AttributeName::kOther); ++i) {
      (*map)[kRows[i].text] = static_cast<AttributeName>(i);
    }
    return map;
  }();
  const auto found = names->find(text);
  return found == names->end() ? AttributeName::kOther : found->second;
}

AttributeKind KindOf(AttributeName name) { return kRows[static_cast<size_t>(name)].kind; }

bool IsAnnotation(AttributeName name) {
  switch (name) {
    case AttributeName::kBackendConfig:
    case AttributeName::kControlPredecessors:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kMetadata:
    case AttributeName::kOrigin:
    case AttributeName::kResultAccuracy:
    case AttributeName::kSharding:
    case AttributeName::kStatistics:
      return true;
    default:
      return false;
  }
}

}  // namespace hlo_indexing::hlo
