// How deep JSON nests. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_NESTING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_NESTING_H_

#include <cstddef>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// Where brackets nest deeper than LLVM's parser, which recurses, may follow them: 100 levels;
/// nullopt if nowhere.
std::optional<size_t> JsonTooDeepAt(llvm::StringRef text);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_NESTING_H_
