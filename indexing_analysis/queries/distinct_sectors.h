// Different sectors that an access touches in all. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_DISTINCT_SECTORS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_DISTINCT_SECTORS_H_

#include <cstdint>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/queries/coalescing.h"

namespace hlo_indexing::indexing_analysis {

/// The sectors in which elements begin that the access reaches, each counted once, for all values
/// of its variables, those known at run time included. The position must be known.
/// Example: f32[1000] read by 8 blocks of 128 threads -> 125 sectors of 256 bits
Image::Count DistinctSectorsOf(const MemoryAccess& access, int64_t sector_bits);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_DISTINCT_SECTORS_H_
