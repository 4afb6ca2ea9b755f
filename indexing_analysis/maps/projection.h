// Projection of relations: what they say of some of their dimensions and results.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_PROJECTION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_PROJECTION_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

/// Which dimensions and results of a map are kept, by number and in this order.
struct Projection {
  llvm::ArrayRef<size_t> dimensions;
  llvm::ArrayRef<size_t> results;
};

/// OutOfRange if the map, which must be known, has no dimension or result of one of these numbers,
/// InvalidArgument if a number is named twice.
absl::Status CheckProjection(const IndexingMap& map, const Projection& kept);

/// The pairs of the kept dimensions and results for which the map relates some pair that has them,
/// as few maps as are found; none if there are none. A dimension that goes becomes a range, and
/// ranges that no result mentions go where EliminateRanges finds how. OutOfRange if a number is, or
/// an expression overflows or is too long. The unknown map stays.
/// Example: (d0, d1) -> (d0 + d1), d0 in [0, 9], d1 in [0, 2] to no dimension and result 0
///          -> ()[s0, s1] -> (s0 + s1), s0 in [0, 9], s1 in [0, 2];  to d0 and no result -> (d0) ->
///          (), d0 in [0, 9]
absl::StatusOr<std::vector<IndexingMap>> Project(const IndexingMap& map, const Projection& kept);

/// The same of what a set of maps relates together. InvalidArgument if their numbers of dimensions,
/// results or runtime variables differ; ResourceExhausted beyond 1,024 maps.
absl::StatusOr<std::vector<IndexingMap>> Project(llvm::ArrayRef<IndexingMap> maps,
                                                 const Projection& kept);

/// Maps that relate together the same pairs, without the ranges that neither a result nor the index
/// of a runtime variable mentions, as far as they can be eliminated (simplifier/elimination.h) in
/// at most 64 maps. The map must not be unknown. OutOfRange as for Project.
/// Example: (d0)[s0] -> (d0), d0 in [0, 9], s0 in [0, 2], d0 - s0 * 3 in [0, 1]
///          -> (d0) -> (d0), d0 in [0, 7], d0 mod 3 in [0, 1]
absl::StatusOr<std::vector<IndexingMap>> EliminateRanges(const IndexingMap& map);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_PROJECTION_H_
