// Other ways to write the digits of one atom, for ShortestForm to choose from.
#ifndef HLO_INDEXING_SIMPLIFIER_REBASING_H_
#define HLO_INDEXING_SIMPLIFIER_REBASING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/linear_form.h"

namespace hlo_indexing::simplifier {

/// Candidate ways to write the digits of one atom by quotients and remainders at their boundaries.
///
/// With boundaries P_0 < P_1 < ... and coefficient k_j of the digit between P_j and P_j+1, and with
/// X_P = x floordiv P, Y_P = x mod P, the digit is X_Pj - (P_j+1 / P_j) * X_Pj+1 and also
/// (Y_Pj+1 - Y_Pj) / P_j. A split writes the digits below it by remainders, those above by
/// quotients.
class Rebasing {
 public:
  Rebasing(ShortestForm& writer, llvm::ArrayRef<Term> digits);

  size_t NumSplits() const { return valid_ ? coefficients_.size() + 1 : 0; }

  /// Nullopt if a coefficient would not be an integer.
  std::optional<LinearForm> Write(size_t split);

  /// By quotients, whether the boundaries divide each other or not: the digit between P and P * Q
  /// is X_P - Q * X_PQ. So a * (x mod 4) + b * (x floordiv 4) + c * (x floordiv 6) has two
  /// operations. Then Q * X_PQ is X_P - X_P mod Q where that is shorter. Nullopt on overflow.
  std::optional<LinearForm> WriteByQuotients();

 private:
  bool AppendRemainder(std::optional<int64_t> coefficient, int64_t divisor, LinearForm& form);
  bool AppendQuotient(std::optional<int64_t> coefficient, int64_t divisor, LinearForm& form);

  ShortestForm& writer_;
  llvm::ArrayRef<Term> digits_;
  const Atom* atom_;
  llvm::SmallVector<int64_t, 8> boundaries_;
  llvm::SmallVector<int64_t, 8> coefficients_;
  bool unbounded_ = false;
  bool valid_ = true;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_REBASING_H_
