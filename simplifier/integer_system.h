// Exact answers if normal forms give none: systems of constraints on integers.
#ifndef HLO_INDEXING_SIMPLIFIER_INTEGER_SYSTEM_H_
#define HLO_INDEXING_SIMPLIFIER_INTEGER_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "simplifier/digit_sum.h"
#include "simplifier/interval.h"
#include "support/answer.h"

namespace hlo_indexing::simplifier {

using support::Answer;

/// Whether a system of constraints has a solution; kUnknown if that is too hard to tell.
struct Solution {
  Answer answer = Answer::kUnknown;
  /// The values of the variables, in their order, if the answer is kYes.
  std::vector<int64_t> point;
};

/// Variables in finite boxes and constraints on sums over them, as a Presburger formula: every
/// quotient is a variable of its own, and so is a function or what is not affine, with the values
/// of its range; with such ones a solution is not known to be one, and the answer is kUnknown.
/// Solved by MLIR's integer programming, within a budget of variables so that it ends soon.
class IntegerSystem {
 public:
  /// How large a system may be, in variables and quotients times the bits of their coefficients:
  /// as large as is solved in a few milliseconds, or in some tens of them.
  enum class Effort : uint8_t { kQuick, kThorough };

  /// Variable i has the bounds `boxes[i]`.
  IntegerSystem(llvm::ArrayRef<Interval> boxes, Effort effort);
  IntegerSystem(const IntegerSystem&);
  IntegerSystem& operator=(const IntegerSystem&) = delete;
  ~IntegerSystem();

  /// Requires `bounds.lower <= sum <= bounds.upper`.
  void Add(const Sum& sum, Interval bounds);

  /// A solution, none, or that the system is too hard: it has too many quotients, an unbounded
  /// variable, or an operation that is not affine.
  Solution Solve() const;

 private:
  class Formula;
  std::unique_ptr<Formula> formula_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_INTEGER_SYSTEM_H_
