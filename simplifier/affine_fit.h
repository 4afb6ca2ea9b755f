// The affine function through given points.
#ifndef HLO_INDEXING_SIMPLIFIER_AFFINE_FIT_H_
#define HLO_INDEXING_SIMPLIFIER_AFFINE_FIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::simplifier {

/// Takes points and values one by one, and says whether an affine function has these values there.
class AffineFit {
 public:
  explicit AffineFit(size_t num_variables) : num_variables_(num_variables) {}

  /// False if no affine function with rational coefficients has all the values so far, or its
  /// computation overflows.
  bool Add(llvm::ArrayRef<int64_t> point, int64_t value);

  /// constant + sum of coefficient * variable.
  struct Function {
    int64_t constant = 0;
    llvm::SmallVector<int64_t, 4> coefficients;
  };

  /// A function with integer coefficients through all points added; nullopt if the one that was
  /// found has others, or there is no point. A variable that the points do not determine has
  /// coefficient 0.
  /// Example: f(2) = 5, f(3) = 7 -> 2 * x + 1
  std::optional<Function> Solve() const;

 private:
  // An equation between the coefficients: sum of factor * coefficient = value; its first factor
  // that is not 0 belongs to `pivot`.
  struct Row {
    llvm::SmallVector<int64_t, 4> factors;
    int64_t value = 0;
    size_t pivot = 0;
  };

  size_t num_variables_;
  bool has_origin_ = false;
  llvm::SmallVector<int64_t, 4> origin_;
  int64_t origin_value_ = 0;
  std::vector<Row> rows_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_AFFINE_FIT_H_
