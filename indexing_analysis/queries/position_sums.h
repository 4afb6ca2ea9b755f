// The positions that a map reaches in an array, as sums of independent progressions. Private to the
// folder.
//
// The position is a sum in coordinates (coordinates.h). Those on which it depends linearly are
// steps of their own; only coordinates in quotients and constraints are tried, apart for each group
// of them that hang together, and of each group all but one that appears linearly. Example:
//
//   (d0, d1) -> (d0 * 8 + d1), d0 in [0, 9], d1 in [0, 7], d1 * 3 in [4, 14]
//
// has the step 8 of 10 numbers and the group 2, 3, 4.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_POSITION_SUMS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_POSITION_SUMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/quasi_affine_map.h"
#include "simplifier/sum_set.h"

namespace hlo_indexing::indexing_analysis {

/// All sums of a constant, a number of each group, and a multiple of each step.
struct PositionSums {
  int64_t constant = 0;
  /// Each not empty, by their first numbers.
  std::vector<std::vector<simplifier::Progression>> groups;
  llvm::SmallVector<simplifier::Steps, 8> steps;
  /// Of the domain. If there are none, the other members mean nothing.
  llvm::DynamicAPInt num_points = llvm::DynamicAPInt(1);
};

/// The values of `position`, a sum in the variables of a simplified map, on its domain; nullopt if
/// an expression is not affine, or if more than `max_points` were to be tried; fewer of expressions
/// with more than 64 terms, each of which takes longer.
std::optional<PositionSums> PositionsOf(const simplifier::QuasiAffineMap& map,
                                        const simplifier::Sum& position, int64_t max_points);

/// Numbers in ascending order as progressions. Example: 0, 5, 6, 7 -> 0 | 5, 6, 7
std::vector<simplifier::Progression> ProgressionsOf(llvm::ArrayRef<int64_t> numbers);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_POSITION_SUMS_H_
