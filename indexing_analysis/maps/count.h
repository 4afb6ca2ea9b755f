// Counting with parameters: how many elements maps reach, as a function of some of their variables.
//
// Example: how many elements of its operand each element of a padded convolution reads,
//
//   Count((d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 7], s0 in [0, 2], d0 + s0 in [1, 8])
//     =  (d0) -> (2), domain: d0 in [0, 0];  (d0) -> (3), domain: d0 in [1, 6];
//        (d0) -> (2), domain: d0 in [7, 7]
//
// as barvinok counts for isl's relations.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_COUNT_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_COUNT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

/// What is counted, for each value of what.
struct Counting {
  enum class Of : uint8_t {
    kResults,  // different results that the set of maps reaches
    kPoints,   // values of the other dimensions and of the ranges, of each map by itself
  };
  Of of = Of::kResults;
  /// Dimensions, by number and in the order that they have in the answer. Runtime variables are
  /// parameters always.
  llvm::ArrayRef<size_t> parameters;
};

/// The numbers, as maps from the parameters to one result, with no point in common; where none of
/// them has a point, the number is 0. A polynomial in digits of the parameters, exact. Errors as
/// for Project; Unimplemented if a map is unknown, if a runtime variable depends on what is
/// counted, or with the reason why there is no such form; ResourceExhausted if that has more than
/// 1,024 maps, or a number that overflows 64 bits.
absl::StatusOr<std::vector<IndexingMap>> Count(llvm::ArrayRef<IndexingMap> maps,
                                               const Counting& counting);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_COUNT_H_
