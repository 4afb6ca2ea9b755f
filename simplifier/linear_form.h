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
// The result is a function of the sum alone, and reads back as the same sum. Where quotients need
// not, because a map has no other use for their divisions, more steps make them shorter:
//   Merging       (r + s floordiv g) floordiv c = (g * r + s) floordiv (g * c), also where r and s
//                 share variables: (d0 floordiv 6 - d0) floordiv 3 is (-d0 * 5) floordiv 18.
//   Absorbing     k * (S floordiv c) + k * b * t = k * ((S + b * c * t) floordiv c), with t a digit
//                 of S: (d0 mod 5) floordiv 2 + (d0 floordiv 5) * 3 is (d0 * 3) floordiv 5.
//   Dropping      (g * r + s mod m) floordiv (g * c) = r floordiv c, with m <= g; and
//                 (k * (s mod m) + r) mod c = (k * s + r) mod c, where c divides k * m.
//   Lifting       g * (S mod c) + r as above, whatever S has of r.
#ifndef HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_
#define HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_

#include <cstdint>
#include <deque>
#include <optional>
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

/// How ShortestForm writes quotients.
enum class Quotients : uint8_t {
  kReadBack,  // so that they read back as the same sums
  kShortest,  // as short as may be
};

/// Finds the shortest form of sums. Owns the factors of the forms that it returns.
class ShortestForm {
 public:
  explicit ShortestForm(DigitContext& context, Quotients quotients = Quotients::kReadBack)
      : context_(context), quotients_kind_(quotients) {}

  /// The shortest form of `sum`.
  LinearForm Write(const Sum& sum);

  /// Whether Quotients::kShortest may write something shorter.
  bool CouldBeShorter() const { return could_be_shorter_; }

  /// Whether it has written a remainder with coefficients that are not below its divisor, as in
  /// (d0 * 7) mod 3: unless other divisions have the same operand, they can be reduced.
  bool HasReducibleRemainders() const { return has_reducible_remainders_; }

 private:
  // Quotients inside of each other that are searched for remainders.
  static constexpr int kMostQuotients = 4;

  const Factor* Intern(Factor factor);
  const Factor* Leaf(const Atom* atom);
  const Factor* Divide(FactorKind kind, LinearForm operand, int64_t divisor);
  const Factor* Quotient(const Atom* atom, int64_t lo);
  LinearForm Value(const Atom* atom);
  LinearForm ComputeValue(const Atom* atom);
  void Absorb(const Sum& sum, LinearForm& form);
  void Lift(const Sum& sum, LinearForm& form);
  std::optional<LinearForm> WriteLifted(const Sum& sum, const Term& remainder, const Term& digit,
                                        bool flips);
  bool DropHiddenRemainder(LinearForm& operand, int64_t divisor,
                           int quotients_left = kMostQuotients);
  const Factor* RemainderShortly(LinearForm operand, int64_t divisor);
  bool DropRemainder(LinearForm& operand, int64_t& divisor);
  LinearForm WriteTerms(const Sum& sum);
  std::optional<LinearForm> WriteAbsorbing(const Sum& sum, const Term& quotient);
  const Factor* DivideShortly(LinearForm operand, int64_t divisor);
  bool MergeQuotient(LinearForm& operand, int64_t& lo);
  void ReduceFraction(LinearForm& operand, int64_t& divisor);
  LinearForm LiftedOperand(const Atom* quotient_variable, int64_t& lo);

  void LiftRemainders(TermVector& terms, LinearForm& form);
  bool LiftOne(TermVector& terms, int64_t& coefficient, Sum& sum, int64_t& modulus);
  void WriteChain(llvm::ArrayRef<Term> digits, LinearForm& form);
  LinearForm WriteDigits(llvm::ArrayRef<Term> digits);
  void Arrange(LinearForm& form);
  void CanonicalizeSigns(LinearForm& form);
  void CanonicalizeConstants(LinearForm& form);
  void AppendForm(int64_t coefficient, const LinearForm& addend, LinearForm& form);

  friend class Rebasing;

  DigitContext& context_;
  Quotients quotients_kind_;
  bool could_be_shorter_ = false;
  bool has_reducible_remainders_ = false;
  std::deque<Factor> factors_;
  llvm::FoldingSet<Factor> interned_;
  llvm::SmallDenseMap<const Atom*, LinearForm, 4> values_;
  llvm::SmallDenseMap<std::pair<const Atom*, int64_t>, const Factor*, 8> quotients_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_H_
