// The quotient of an affine function of one variable through given points.
#ifndef HLO_INDEXING_SIMPLIFIER_QUOTIENT_FIT_H_
#define HLO_INDEXING_SIMPLIFIER_QUOTIENT_FIT_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::simplifier {

/// Takes values of a function of one variable, point by point, and looks for the plainest
/// scale * ((factor * x + constant) floordiv divisor) + offset that has them: the digital lines of
/// geometry.
class QuotientFit {
 public:
  /// The most values of the variable that are taken.
  static constexpr size_t kMaxPoints = 64;

  /// False if the variable has another value there already, there are too many values of it, or a
  /// number is large. They may come in any order, and again.
  bool Add(int64_t x, int64_t value);

  /// scale * ((factor * x + constant) floordiv divisor) + offset.
  struct Function {
    int64_t factor = 0;
    int64_t constant = 0;
    int64_t divisor = 1;
    int64_t scale = 1;
    int64_t offset = 0;
  };

  /// The function with the fewest operations, and of these with the smallest divisor, which is at
  /// most 64; nullopt if there is none, or the values are all the same.
  /// Example: f(2) = 0, f(3) = 1, f(4) = 1 -> x floordiv 3
  std::optional<Function> Solve() const;

 private:
  // A variable and a value, by the variable.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> points_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_QUOTIENT_FIT_H_
