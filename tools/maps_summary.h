// `maps --summary`: how many maps there are, how exact, and why they are not.
#ifndef HLO_INDEXING_TOOLS_MAPS_SUMMARY_H_
#define HLO_INDEXING_TOOLS_MAPS_SUMMARY_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "llvm/Support/raw_ostream.h"
#include "tools/maps_renderer.h"

namespace hlo_indexing::tools {

/// Counts for each file and opcode, and the reasons for what is not exact, as a table whose lines
/// are cut to `columns`.
std::unique_ptr<MapsRenderer> MakeTextSummary(std::optional<size_t> columns,
                                              llvm::raw_ostream& out);
/// The same as an object for each opcode and each reason.
std::unique_ptr<MapsRenderer> MakeJsonSummary(llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAPS_SUMMARY_H_
