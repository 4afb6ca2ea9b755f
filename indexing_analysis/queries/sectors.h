// The sectors that one warp instruction touches. Private to the folder.
//
// Memory moves in sectors of 32 bytes. 32 lanes that read neighbouring floats touch 4 sectors if
// the first float begins a sector, and 5 if it does not; 32 lanes that read floats 128 bytes apart
// touch 32.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SECTORS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SECTORS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// What one request touches.
struct RequestSectors {
  /// Different sectors.
  int64_t sectors = 0;
  /// As many as the different bits would fill if they lay side by side.
  int64_t ideal_sectors = 0;
};

/// Of a request whose active lanes access `width` bits each, from these offsets in bits; sorts
/// them. All are multiples of the width of an element, which divides 8 or is a multiple of 8.
/// Example: offsets 0, 32, ..., 31 * 32 of width 32 and sectors of 256 -> 4 sectors, ideally 4
RequestSectors SectorsOf(llvm::MutableArrayRef<int64_t> offsets, int64_t width,
                         int64_t sector_bits);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SECTORS_H_
