// Arithmetic on sums of digits. No operation fails: what overflows becomes an opaque atom.
#ifndef HLO_INDEXING_SIMPLIFIER_ARITHMETIC_H_
#define HLO_INDEXING_SIMPLIFIER_ARITHMETIC_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/digit_context.h"
#include "simplifier/digit_sum.h"

namespace hlo_indexing::simplifier {

/// The constant `value` as a sum.
inline Sum Constant(int64_t value) { return {{}, value}; }

/// `coefficient * ((atom floordiv lo) mod extent)` with the extent cut to what the atom can reach.
/// Appended to `terms` unless it is always 0.
void AppendTerm(int64_t coefficient, const Atom* atom, int64_t lo, int64_t extent,
                TermVector& terms);

/// The value of an atom, its `lower` included.
/// Example: d0 in [3, 9] -> d0
Sum WholeAtom(DigitContext& context, const Atom& atom);

/// The normal form of `constant + terms`; nullopt if a coefficient or the constant overflows.
/// Example: (d0 mod 4) + 4 * (d0 floordiv 4) -> d0
std::optional<Sum> Normalize(DigitContext& context, TermVector terms, int64_t constant);

/// a + b.
Sum Add(DigitContext& context, const Sum& a, const Sum& b);
/// a - b.
Sum Subtract(DigitContext& context, const Sum& a, const Sum& b);
/// factor * a.
Sum Scale(DigitContext& context, const Sum& a, int64_t factor);

/// A sum and its factor in a linear combination.
using ScaledSum = std::pair<Sum, int64_t>;

/// constant + sum of factor * sum.
/// Example: ({d0, 8}, {d1, 1}; 3) -> 8 * d0 + d1 + 3
Sum Linear(DigitContext& context, llvm::ArrayRef<ScaledSum> parts, int64_t constant = 0);

/// a * b. Opaque unless one of them is a constant.
Sum Multiply(DigitContext& context, const Sum& a, const Sum& b);
/// floor(a / b). Opaque unless b is a constant other than 0.
Sum FloorDiv(DigitContext& context, const Sum& a, const Sum& b);
/// ceil(a / b). Opaque unless b is a constant other than 0.
Sum CeilDiv(DigitContext& context, const Sum& a, const Sum& b);
/// a - b * floor(a / b), which has the sign of b. Opaque unless b is a constant other than 0.
/// Example: (d0 on [0, 9]) mod -4 -> -((-d0) mod 4)
Sum Mod(DigitContext& context, const Sum& a, const Sum& b);

/// The values that `sum` can take where the facts of the context hold: NaturalRange, narrowed by
/// each fact whose expression is, up to a factor, a part of the sum. A superset of the true range.
Interval Range(const DigitContext& context, const Sum& sum);

/// What a Substitution does with the quotient variables that do not depend on a replaced atom.
enum class UnchangedQuotients : uint8_t { kKeep, kDivideAgain };

/// Replaces atoms: `replace` gives for a variable or function atom the sum that the *value* of the
/// variable or function shall be (`lower` included), or nullopt to keep it. Quotient variables and
/// opaque atoms that depend on a replaced one are computed anew, under the facts of the context.
/// The function must outlive the substitution.
class Substitution {
 public:
  using Replace = llvm::function_ref<std::optional<Sum>(const Atom&)>;

  Substitution(DigitContext& context, Replace replace,
               UnchangedQuotients unchanged_quotients = UnchangedQuotients::kKeep)
      : context_(context), replace_(replace), unchanged_quotients_(unchanged_quotients) {}

  Sum Apply(const Sum& sum);

 private:
  // The value of the atom itself (without `lower`) after the replacement; nullopt if unchanged.
  std::optional<Sum> AtomValue(const Atom& atom);
  std::optional<Sum> ComputeAtomValue(const Atom& atom);

  DigitContext& context_;
  Replace replace_;
  UnchangedQuotients unchanged_quotients_;
  llvm::SmallDenseMap<const Atom*, std::optional<Sum>, 8> memo_;
};

/// Renames variables: `rename` gives the new number of a variable. Nothing is divided again, so the
/// result is the same form in other names. The function must outlive the renaming.
class Renaming {
 public:
  using Rename = llvm::function_ref<VariableId(VariableId)>;

  Renaming(DigitContext& context, Rename rename) : context_(context), rename_(rename) {}

  Sum Apply(const Sum& sum);

 private:
  const Atom* ApplyTo(const Atom& atom);

  DigitContext& context_;
  Rename rename_;
  llvm::SmallDenseMap<const Atom*, const Atom*, 8> memo_;
};

/// Calls `visit` once for every atom that the sum depends on, itself or through quotient variables
/// and operands, but for those in `seen`, and adds these to `seen`. An atom comes before those it
/// depends on.
void ForEachAtom(const Sum& sum, llvm::SmallPtrSetImpl<const Atom*>& seen,
                 llvm::function_ref<void(const Atom&)> visit);

/// The value of the sum where `values(variable or function atom)` gives the value of the variable
/// or function; nullopt on overflow, division by zero, or if `values` gives nullopt.
std::optional<int64_t> Evaluate(const Sum& sum,
                                llvm::function_ref<std::optional<int64_t>(const Atom&)> values);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_ARITHMETIC_H_
