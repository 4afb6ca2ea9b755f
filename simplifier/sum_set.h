// Sets of sums: { a + b + ... : a in A, b in B, ... } of arithmetic progressions.
#ifndef HLO_INDEXING_SIMPLIFIER_SUM_SET_H_
#define HLO_INDEXING_SIMPLIFIER_SUM_SET_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// { offset + stride * i : 0 <= i < size }, size at least 1. The stride is positive, and 1 if the
/// size is 1.
struct Progression {
  int64_t offset = 0;
  int64_t size = 1;
  int64_t stride = 1;

  friend bool operator==(const Progression&, const Progression&) = default;
};

/// `step * i` for 0 <= i < count, with any step.
struct Steps {
  int64_t step = 0;
  int64_t count = 1;
};

/// What is known of a set of integers.
struct SumSet {
  /// The number of elements.
  llvm::DynamicAPInt size;
  /// The smallest and the largest element.
  Interval bounds;
  /// The set, if it is a progression.
  std::optional<Progression> progression;
  /// How far two neighbouring elements are apart at most, if that is known; 0 of a single element.
  std::optional<int64_t> largest_gap;
};

/// The set { base + sum of steps }: base one of `bases`, sorted and without repetition, and each
/// step taken independently. In closed form if steps nest, as strides of tensors do; elsewhere by a
/// bit for every number between the smallest and the largest element, or by adding up. Nullopt if
/// that is too much, or if a number does not fit 64 bits.
/// Example: bases {0}, steps 1 x 4 and 4 x 3 -> the progression 0, 1, ..., 11
std::optional<SumSet> SumsOf(llvm::ArrayRef<int64_t> bases, llvm::ArrayRef<Steps> steps);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_SUM_SET_H_
