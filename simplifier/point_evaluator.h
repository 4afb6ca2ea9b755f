// Sums at many points, one after the other.
#ifndef HLO_INDEXING_SIMPLIFIER_POINT_EVALUATOR_H_
#define HLO_INDEXING_SIMPLIFIER_POINT_EVALUATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_sum.h"

namespace hlo_indexing::simplifier {

/// The number of points in the box of the leaves; nullopt if it is above `max`.
std::optional<int64_t> CountPoints(llvm::ArrayRef<const Atom*> leaves, int64_t max);

/// The point where every leaf has its smallest value.
llvm::SmallVector<int64_t, 4> FirstPoint(llvm::ArrayRef<const Atom*> leaves);

/// Moves to the next point of the box, the first leaf fastest; from the last point to the first.
void MoveToNext(llvm::ArrayRef<const Atom*> leaves, llvm::MutableArrayRef<int64_t> point);

/// Evaluates some sums together, like Evaluate in arithmetic.h, with all that does not depend on
/// the point done once.
class PointEvaluator {
 public:
  /// The sums have no value anywhere if they depend on a variable or function atom that is not
  /// among `leaves`.
  PointEvaluator(llvm::ArrayRef<const Atom*> leaves, llvm::ArrayRef<Sum> sums);

  /// The values of the sums where leaf i has the value `point[i]`, `lower` of its atom included.
  /// False if one of them overflows or divides by 0.
  bool Evaluate(llvm::ArrayRef<int64_t> point, llvm::MutableArrayRef<int64_t> values);

  /// The digits that are evaluated at each point: what a point costs.
  int64_t num_digits() const { return static_cast<int64_t>(digits_.size()); }

 private:
  // A digit of an atom that has a number here.
  struct Digit {
    int64_t coefficient;
    int64_t lo;
    // 0 if the mod does nothing.
    int64_t modulus;
    size_t atom;
  };
  struct Row {
    int64_t constant = 0;
    size_t first_digit = 0;
    size_t last_digit = 0;
  };
  // An atom that is computed: a quotient variable's row, or an operation on two rows.
  struct Computed {
    const Atom* atom = nullptr;
    Row rows[2];
  };

  size_t NumberOf(const Atom& atom);
  Row MakeRow(const Sum& sum);
  bool ValueOf(const Row& row, int64_t& value) const;
  bool Compute(const Computed& computed, int64_t& value) const;

  size_t num_leaves_;
  bool has_all_leaves_ = true;
  llvm::SmallDenseMap<const Atom*, size_t, 8> numbers_;
  std::vector<int64_t> lowers_;
  std::vector<Digit> digits_;
  // In an order in which each needs only those before it; their numbers follow those of the leaves.
  std::vector<Computed> computed_;
  std::vector<Row> sums_;
  // Of all atoms, without `lower`.
  std::vector<int64_t> atom_values_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_POINT_EVALUATOR_H_
