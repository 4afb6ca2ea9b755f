// Sums of digits on their way back to expressions: the shortest way to write them.
//
// The normal form is for deciding, people want the shortest expression, and the two differ by
// reversible steps:
//   Re-basing     a * (x mod m) + b * (x floordiv m) has two operations,
//                 a * x + (b - a * m) * (x floordiv m) has one.
//   Lifting       with 0 <= r < g: S floordiv c = (g * S + r) floordiv (c * g), and
//                 g * (S mod c) + r = (g * S + r) mod (c * g). So with S = d1 + d2 floordiv 4 and
//                 r = d2 mod 4, S floordiv 2 is (4 * d1 + d2) floordiv 8.
//   Signs         -(S floordiv c) is (c - 1 - S) floordiv c.
// The result is a function of the sum alone.
#ifndef HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_
#define HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_

#include <cstdint>
#include <deque>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {

struct Factor;

/// constant + sum of coefficient * factor; parts in the order of printing.
struct LinearForm {
  llvm::SmallVector<std::pair<int64_t, const Factor*>, 4> parts;
  int64_t constant = 0;
  /// Divisions and remainders in all parts, written out as a tree; stops counting at
  /// kManyOperations.
  int operations = 0;
};

/// Where the count of operations stops, so that it cannot overflow. As a limit it is none.
inline constexpr int kManyOperations = 1 << 20;

enum class FactorKind : uint8_t {
  kLeaf,      // the value of a variable or function atom
  kFloorDiv,  // operand floordiv divisor; a divisor of 1 only groups
  kMod,       // operand mod divisor
  kBinary,    // an opaque operation on `operand` and `second`
};

/// What a linear form multiplies by a coefficient. Unique per ShortestForm.
struct Factor : llvm::FoldingSetNode {
  FactorKind kind = FactorKind::kLeaf;
  /// kLeaf and kBinary: the atom.
  const Atom* atom = nullptr;
  LinearForm operand;
  LinearForm second;
  int64_t divisor = 1;
  int operations = 0;
  /// The first leaf of the first part, all the way down; null if that ends at a constant.
  const Atom* first_leaf = nullptr;

  void Profile(llvm::FoldingSetNodeID& node_id) const;
};

/// Finds the shortest form of sums. Owns the factors of the forms that it returns.
class ShortestForm {
 public:
  explicit ShortestForm(DigitContext& context) : context_(context) {}

  /// The shortest form of `sum`.
  LinearForm Write(const Sum& sum);

 private:
  const Factor* Intern(Factor factor);
  const Factor* Leaf(const Atom* atom);
  const Factor* Divide(FactorKind kind, LinearForm operand, int64_t divisor);
  const Factor* Quotient(const Atom* atom, int64_t lo);
  LinearForm Value(const Atom* atom);
  LinearForm ComputeValue(const Atom* atom);
  LinearForm LiftedOperand(const Atom* quotient_variable, int64_t& lo);

  void LiftRemainders(TermVector& terms, LinearForm& form);
  bool LiftOne(TermVector& terms, int64_t& coefficient, Sum& sum, int64_t& modulus);
  void WriteChain(llvm::ArrayRef<Term> digits, LinearForm& form);
  LinearForm WriteDigits(llvm::ArrayRef<Term> digits);
  void CanonicalizeSigns(LinearForm& form);
  void CanonicalizeConstants(LinearForm& form);
  void AppendForm(int64_t coefficient, const LinearForm& addend, LinearForm& form);

  friend class Rebasing;

  DigitContext& context_;
  std::deque<Factor> factors_;
  llvm::FoldingSet<Factor> interned_;
  llvm::SmallDenseMap<const Atom*, LinearForm, 4> values_;
  llvm::SmallDenseMap<std::pair<const Atom*, int64_t>, const Factor*, 8> quotients_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_
