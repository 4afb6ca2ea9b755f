// Indexing maps as JSON; the format is documented in docs/command_line.md.
#ifndef HLO_INDEXING_TOOLS_MAP_JSON_H_
#define HLO_INDEXING_TOOLS_MAP_JSON_H_

#include <string>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// Writes a map as an object: text, dims, ranges, runtime, results, constraints. Null for the
/// unknown map. If `replica_map` is not null, it is a field of the object: which device's array is
/// meant.
void WriteMap(const indexing_analysis::IndexingMap& map, llvm::json::OStream& json,
              const indexing_analysis::IndexingMap* replica_map = nullptr);

/// The text as a JSON string, quotes included; malformed UTF-8 is replaced.
std::string JsonString(llvm::StringRef text);

/// The first line of every output: `{"kind":"header",...}`.
void WriteHeader(llvm::StringRef file, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAP_JSON_H_
