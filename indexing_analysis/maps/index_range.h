// The indices of a dimension.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEX_RANGE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEX_RANGE_H_

#include <cstdint>

#include "hlo/shape.h"
#include "simplifier/interval.h"

namespace hlo_indexing::indexing_analysis {

/// The indices of a dimension of this size, without an upper end if the size is not known.
/// Example: 4 -> [0, 3]; hlo::kUnboundedSize -> [0, inf]
inline simplifier::Interval IndexRange(int64_t size) {
  return {0, size == hlo::kUnboundedSize ? simplifier::Interval::kPlusInfinity : size - 1};
}

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INDEX_RANGE_H_
