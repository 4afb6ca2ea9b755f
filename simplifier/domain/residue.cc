#include "simplifier/domain/residue.h"

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {

// In a constraint in normal form: one digit with coefficient 1, of a leaf or of a quotient variable
// whose sum is a multiple of a leaf.
std::optional<KnownResidue> ResidueOf(const Constraint& constraint) {
  const Sum& sum = constraint.expression;
  if (sum.terms.size() != 1 || !constraint.bounds.IsPoint()) return std::nullopt;
  const Term& digit = sum.terms.front();
  if (digit.coefficient != 1 || digit.lo != 1 || digit.IsTop()) return std::nullopt;
  int64_t factor = 1;
  int64_t offset = 0;
  const Atom* leaf = digit.atom;
  if (leaf->kind == AtomKind::kQuotientVariable) {
    const Sum& inner = leaf->arguments.front();
    if (inner.terms.size() != 1 || !inner.terms.front().IsWhole()) return std::nullopt;
    factor = inner.terms.front().coefficient;
    offset = inner.constant;
    leaf = inner.terms.front().atom;
  }
  if (!leaf->IsLeaf()) return std::nullopt;
  const auto remainder = support::CheckedSub(constraint.bounds.lower, sum.constant);
  if (!remainder) return std::nullopt;
  KnownResidue residue;
  residue.leaf = leaf;
  const auto solved = SolveCongruence(factor, offset, digit.extent, *remainder);
  if (!solved) {
    residue.values.modulus = 0;
    return residue;
  }
  // From the atom's value to that of the variable; the shift is negative, so that the sum fits.
  const int64_t modulus = solved->modulus;
  const int64_t shift = support::FloorMod(leaf->lower, modulus) - modulus;
  residue.values = {modulus, support::FloorMod(solved->residue + shift, modulus)};
  return residue;
}

Constraint ResidueConstraint(DigitContext& context, const KnownResidue& residue) {
  const Sum value = WholeAtom(context, *residue.leaf);
  return {DivMod(context, value, residue.values.modulus).remainder,
          Interval::Point(residue.values.residue)};
}

}  // namespace hlo_indexing::simplifier
