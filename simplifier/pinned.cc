#include "simplifier/pinned.h"

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {

// In a constraint in normal form: one digit with coefficient 1, of a leaf or of a mark whose sum is
// a multiple of a leaf.
std::optional<Pinned> PinnedBy(const Constraint& constraint) {
  const Sum& sum = constraint.expression;
  if (sum.terms.size() != 1 || !constraint.bounds.IsPoint()) return std::nullopt;
  const Term& digit = sum.terms.front();
  if (digit.coefficient != 1 || digit.lo != 1 || digit.IsTop()) return std::nullopt;
  int64_t factor = 1;
  int64_t offset = 0;
  const Atom* leaf = digit.atom;
  if (leaf->kind == AtomKind::kMark) {
    const Sum& inner = leaf->arguments.front();
    if (inner.terms.size() != 1 || !inner.terms.front().IsWhole()) return std::nullopt;
    factor = inner.terms.front().coefficient;
    offset = inner.constant;
    leaf = inner.terms.front().atom;
  }
  if (!leaf->IsLeaf()) return std::nullopt;
  const auto residue = support::CheckedSub(constraint.bounds.lower, sum.constant);
  if (!residue) return std::nullopt;
  Pinned pinned;
  pinned.leaf = leaf;
  const auto solved = SolveCongruence(factor, offset, digit.extent, *residue);
  if (!solved) {
    pinned.values.modulus = 0;
    return pinned;
  }
  // From the atom's value to that of the variable; the shift is negative, so that the sum fits.
  const int64_t modulus = solved->modulus;
  const int64_t shift = support::FloorMod(leaf->lower, modulus) - modulus;
  pinned.values = {modulus, support::FloorMod(solved->residue + shift, modulus)};
  return pinned;
}

Constraint PlainConstraint(DigitContext& context, const Pinned& pinned) {
  const Sum value = WholeAtom(context, *pinned.leaf);
  return {DivMod(context, value, pinned.values.modulus).remainder,
          Interval::Point(pinned.values.residue)};
}

}  // namespace hlo_indexing::simplifier
