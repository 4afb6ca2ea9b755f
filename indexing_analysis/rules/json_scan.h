// What LLVM's parser of JSON says nothing of. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_SCAN_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_SCAN_H_

#include <cstddef>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// Where brackets nest deeper than LLVM's parser, which recurses, may follow them: 100 levels;
/// nullopt if nowhere.
std::optional<size_t> JsonTooDeepAt(llvm::StringRef text);

/// Where an object of a text that is JSON has a key again, of which the parser takes the last;
/// nullopt if nowhere. Keys are compared as they are written.
std::optional<size_t> JsonKeyTwiceAt(llvm::StringRef text);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_JSON_SCAN_H_
