// Intersection and difference of relations. A map relates each point of its dimensions to its
// results, for all values of its ranges; union.h has the union.
//
// Example: what a slice of rows 2 to 5 reads beyond one of rows 4 to 9,
//
//   Subtract((d0) -> (d0), d0 in [2, 5];  (d0) -> (d0), d0 in [4, 9])  =  (d0) -> (d0), d0 in [2,
//   3]
//
// as Presburger's relations of isl or FPL, but for sets of maps in shortest form.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_ALGEBRA_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_ALGEBRA_H_

#include <vector>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

/// The pairs of dimensions and results that both maps relate, for equal values of the runtime
/// variables, which must be the same in order. InvalidArgument if the numbers of dimensions or
/// results differ, or the runtime variables do; OutOfRange if an expression overflows 64 bits. The
/// unknown map if one of them is.
/// Example: (d0) -> (d0), d0 in [0, 9] and (d0)[s0] -> (s0 * 2), d0 in [0, 9], s0 in [0, 2] -> (d0)
/// -> (d0), d0 in [0, 4], d0 mod 2 in [0, 0]
absl::StatusOr<IndexingMap> Intersect(const IndexingMap& a, const IndexingMap& b);

/// The pairs that `a` relates and `b` does not, as maps that have none in common. Errors as for
/// Intersect; Unimplemented if a map is unknown, or if whether `b` relates a pair depends on
/// whether there is a value of a range that EliminateRanges (projection.h) leaves;
/// ResourceExhausted beyond 1,024 maps or 4,096 simplifications of domains.
/// Example: (d0) -> (d0), d0 in [0, 9] without (d0) -> (d0), d0 in [3, 4] -> d0 in [0, 2] and d0 in
/// [5, 9]
absl::StatusOr<std::vector<IndexingMap>> Subtract(const IndexingMap& a, const IndexingMap& b);

/// Those that a map relates, as domains: maps without ranges and results whose dimensions are those
/// of `map`, then its results. Errors as for Subtract.
/// Example: (d0)[s0] -> (d0 + s0), d0 in [0, 9], s0 in [0, 2]
///          -> (d0, d1) -> (), d0 in [0, 9], d1 in [0, 11], d0 - d1 in [-2, 0]
absl::StatusOr<std::vector<IndexingMap>> PairsOf(const IndexingMap& map);

/// The same of what sets of maps relate together, each set as one relation. In the order of the
/// maps of `a`; up to 64 maps are joined by Union. ResourceExhausted as above.
absl::StatusOr<std::vector<IndexingMap>> Intersect(llvm::ArrayRef<IndexingMap> a,
                                                   llvm::ArrayRef<IndexingMap> b);
absl::StatusOr<std::vector<IndexingMap>> Subtract(llvm::ArrayRef<IndexingMap> a,
                                                  llvm::ArrayRef<IndexingMap> b);
absl::StatusOr<std::vector<IndexingMap>> Unite(llvm::ArrayRef<IndexingMap> a,
                                               llvm::ArrayRef<IndexingMap> b);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_ALGEBRA_H_
