// The inverse of a map, as a map.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INVERSE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INVERSE_H_

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"

namespace hlo_indexing::indexing_analysis {

/// The inverse of the relation that `map` states between its dimensions and its results: dimension
/// j of the inverse is result j of `map`, result i the dimension i. If several points have the same
/// results, or `map` has range variables, the inverse has range variables. Its domain has exactly
/// the results that `map` reaches. Runtime variables stay, in the same order. The inverse of the
/// unknown map is unknown. An error if an expression of it overflows 64 bits or is so long that
/// nobody could read it.
/// Example: (d0)[s0] -> (d0 * 2 + s0), d0 in [0, 4], s0 in [0, 2] gives
///  (d0)[s0] -> ((d0 - s0) floordiv 2), d0 in [0, 10], s0 in [0, 2], d0 - s0 in [0, 9],
///  (d0 - s0) mod 2 in [0, 0]
absl::StatusOr<IndexingMap> Inverse(const IndexingMap& map);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_INVERSE_H_
