// The image of a map: which values its results take, and how often.
#ifndef HLO_INDEXING_SIMPLIFIER_IMAGE_H_
#define HLO_INDEXING_SIMPLIFIER_IMAGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/quasi_affine_map.h"
#include "simplifier/sum_set.h"
#include "support/answer.h"
#include "support/printing.h"

namespace hlo_indexing::simplifier {

using support::Answer;

/// { f(x) : x in the domain } for a map f to m results, and the size of the domain.
struct Image {
  /// The number of different results, and of points of the domain; at least `lower`, at most
  /// `upper`, which are equal if the number is known exactly.
  struct Count {
    llvm::DynamicAPInt lower;
    llvm::DynamicAPInt upper;
    bool IsExact() const { return lower == upper; }
  };
  Count size;
  Count points;
  /// The smallest and largest value of each result; they may be wider if there are more points than
  /// can be tried, and are infinite where 64 bits do not hold the value.
  llvm::SmallVector<Interval, 4> bounds;
  /// One progression for each result, if the image is known to be their product.
  std::optional<llvm::SmallVector<Progression, 4>> box;
  /// Of one result, how far two neighbouring values are apart at most, if that is known.
  std::optional<int64_t> largest_gap;
  /// Whether different points have different results.
  Answer injective = Answer::kUnknown;
  /// Why `size` or `points` is not exact; empty if both are.
  std::string reason;

  /// Example: "values: 5, points: 5, injective: yes, box: (0, 2, ..., 8)"
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// Points that are tried at most for each group of variables that hang together.
inline constexpr int64_t kMaxImagePoints = int64_t{1} << 20;

/// The image of a simplified map whose variables all have bounds. Results that share no variable
/// are counted apart. If digits are independent, the results of a group are one sum, by strides
/// that keep them apart, and its values are counted as sums of progressions (sum_set.h); variables
/// in constraints and in quotients of sums are tried one by one, up to `max_points` for each group,
/// and fewer of expressions with more than 64 digits. Beyond that the answer is a range and says
/// why. Function atoms count as variables. Example: (d0, d1) -> (d0 * 4 + d1), d0 in [0, 9], d1 in
/// [0, 5] -> 42 values in [0, 41], not injective
Image ImageOf(DigitContext& context, const QuasiAffineMap& f, int64_t max_points = kMaxImagePoints);

/// Whether f takes every value of the box, and no other: `bounds` has an interval for each result.
Answer IsOnto(const Image& image, llvm::ArrayRef<Interval> bounds);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_IMAGE_H_
