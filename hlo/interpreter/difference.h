// How far two arrays of the same shape are apart: results of two back ends, say.
#ifndef HLO_INDEXING_HLO_INTERPRETER_DIFFERENCE_H_
#define HLO_INDEXING_HLO_INTERPRETER_DIFFERENCE_H_

#include <cstdint>
#include <string>

#include "hlo/interpreter/value.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::hlo {

struct Difference {
  /// Elements with other values: two nans are equal, 0 and -0 are equal, too.
  int64_t num_different = 0;
  /// The largest distance, and the largest distance divided by the magnitude of the expected value;
  /// infinity where one of the two is a nan, or infinite, and the other one is not. Complex numbers
  /// as points of the plane; integers exactly up to 2^53.
  double max_absolute = 0;
  double max_relative = 0;
  /// The largest magnitude of a finite expected element: sums in another order are off by a part of
  /// that, however small the sum is.
  double magnitude = 0;
  /// The first elements that are so far apart; empty indices if none differs, and of scalars.
  llvm::SmallVector<int64_t, 6> absolute_index;
  llvm::SmallVector<int64_t, 6> relative_index;
  /// Of these, as in a literal.
  std::string expected;
  std::string actual;

  bool is_equal() const { return num_different == 0; }
};

/// The arrays must have the same element type and sizes.
/// Example: f32[2] {1, 2}, {1, 2.5} -> 1 different, absolute 0.5 and relative 0.25 at [1]
Difference DifferenceOf(const ArrayValue& expected, const ArrayValue& actual);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_DIFFERENCE_H_
