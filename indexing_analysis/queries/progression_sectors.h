// Different sectors in closed form, of accesses that go over a progression. Private to the folder.
//
// Example: a loop over f32[1000] by 8 blocks of 128 threads accesses bl_x * 128 + th_x up to 999:
// 1,000 neighbouring floats, 125 sectors of 32 bytes.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_PROGRESSION_SECTORS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_PROGRESSION_SECTORS_H_

#include <cstdint>
#include <optional>

#include "indexing_analysis/queries/coalescing.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace hlo_indexing::indexing_analysis {

/// Different sectors of an access whose threads and loops go over all elements of a progression, up
/// to a bound: as loops do that a grid is rounded up for. nullopt for others.
std::optional<llvm::DynamicAPInt> SectorsOfProgression(const MemoryAccess& access,
                                                       int64_t sector_bits);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_PROGRESSION_SECTORS_H_
