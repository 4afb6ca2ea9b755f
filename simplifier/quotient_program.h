// Sums at points, as fast as a compiler would do it: for inner loops.
#ifndef HLO_INDEXING_SIMPLIFIER_QUOTIENT_PROGRAM_H_
#define HLO_INDEXING_SIMPLIFIER_QUOTIENT_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_sum.h"

namespace hlo_indexing::simplifier {

/// Sums as weighted sums of quotients,
///
///     a * ((x floordiv b) mod c)  =  a * (x floordiv b) - a * c * (x floordiv (b * c)),
///
/// so that digits that share a boundary share a division; and divisions by constants are
/// multiplications with the reciprocal. Reads nothing but the point, allocates nothing for up to 32
/// variables and quotient variables, may be used by several threads. PointEvaluator
/// (point_evaluator.h) takes any sum, and tells overflow.
class QuotientProgram {
 public:
  QuotientProgram() = default;

  /// A program for the values of the sums where variable i is `point[i]`. Nullopt if a sum holds an
  /// operation that is not affine, a value that has no bound, a variable whose box does not begin
  /// at 0, or one from number `num_variables` on.
  static std::optional<QuotientProgram> Create(llvm::ArrayRef<Sum> sums, size_t num_variables);

  /// The value of sum i becomes `values[i]`. The point must lie in the boxes of the variables, and
  /// the values must fit in 64 bits; what comes before them wraps around.
  void Evaluate(llvm::ArrayRef<int64_t> point, llvm::MutableArrayRef<int64_t> values) const;

  /// The value of the first sum.
  /// Example: 4 * (d0 floordiv 2) + d0 mod 2, {3} -> 5
  int64_t Evaluate(llvm::ArrayRef<int64_t> point) const;

 private:
  // weight * (value floordiv divisor), the value being that of a variable or a quotient variable.
  struct Quotient {
    uint64_t weight = 0;
    // The upper half of reciprocal * value is the quotient; 0 if that is not exact.
    uint64_t reciprocal = 0;
    uint64_t divisor = 1;
    size_t source = 0;
  };
  struct Row {
    uint64_t constant = 0;
    uint32_t first = 0;
    // Of these, the first ones have the divisor 1.
    uint32_t first_divided = 0;
    uint32_t last = 0;
  };

  class Builder;

  uint64_t ValueOf(const Row& row, const int64_t* values) const;

  std::vector<Quotient> quotients_;
  // Quotient variables in an order in which each needs only those before it.
  llvm::SmallVector<Row, 2> quotient_variables_;
  llvm::SmallVector<Row, 6> sums_;
  size_t num_variables_ = 0;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_QUOTIENT_PROGRAM_H_
