#include "simplifier/domain/scaling.h"

#include <vector>

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {

std::optional<ScaledLeaf> MakeScaledLeaf(DigitContext& context, const KnownResidue& residue,
                                         VariableId number) {
  const Interval values = RoundInward(residue.leaf->ValueRange(), residue.values);
  if (!values.IsFinite() || values.lower >= values.upper) return std::nullopt;
  const auto width = support::CheckedSub(values.upper, values.lower);
  if (!width) return std::nullopt;
  ScaledLeaf scaled = {residue.leaf, residue.values.modulus, values.lower, {}};
  scaled.quotient = context.Variable(number, {0, *width / scaled.modulus});
  return scaled;
}

Sum Scaling::Apply(const Sum& sum) const {
  const auto replace = [this](const Atom& atom) -> std::optional<Sum> {
    for (const ScaledLeaf& s : leaves_) {
      if (s.leaf != &atom) continue;
      const ScaledSum parts[] = {{s.quotient, s.modulus}};
      return Linear(context_, parts, s.lowest);
    }
    return std::nullopt;
  };
  return Substitution(context_, replace).Apply(sum);
}

Sum Scaling::Undo(const Sum& sum) const {
  llvm::SmallVector<ScaledSum, 8> parts;
  TermVector others;
  for (const Term& term : sum.terms) {
    const ScaledLeaf* s = FindByQuotient(*term.atom);
    // modulus * quotient is leaf - lowest.
    if (s != nullptr && term.IsWhole() && term.coefficient % s->modulus == 0) {
      const Sum value = WholeAtom(context_, *s->leaf);
      parts.push_back({Add(context_, value, Constant(-s->lowest)), term.coefficient / s->modulus});
    } else {
      others.push_back(term);
    }
  }
  const auto replace = [this](const Atom& atom) -> std::optional<Sum> {
    const ScaledLeaf* s = FindByQuotient(atom);
    if (s == nullptr) return std::nullopt;
    // Both leave the same remainder.
    const Sum quotient = DivMod(context_, WholeAtom(context_, *s->leaf), s->modulus).quotient;
    return Add(context_, quotient, Constant(-support::FloorDiv(s->lowest, s->modulus)));
  };
  parts.push_back({Substitution(context_, replace).Apply(context_.Store(others, 0)), 1});
  return Linear(context_, parts, sum.constant);
}

const ScaledLeaf* Scaling::FindByQuotient(const Atom& quotient) const {
  for (const ScaledLeaf& s : leaves_) {
    if (s.quotient.terms.front().atom == &quotient) return &s;
  }
  return nullptr;
}

bool ScaleByResidue(DigitContext& context, QuasiAffineMap& map, VariableId first) {
  std::vector<ScaledLeaf> scaled;
  for (const Constraint& constraint : map.constraints) {
    const std::optional<KnownResidue> residue = ResidueOf(constraint);
    if (!residue || residue->values.modulus < 2 || residue->leaf->kind != AtomKind::kVariable) {
      continue;
    }
    const VariableId variable = residue->leaf->variable;
    if (variable < first) continue;
    // Remainders of moduli whose common multiple does not fit 64 bits: one of them is used.
    const auto is_same = [&](const ScaledLeaf& s) { return s.leaf == residue->leaf; };
    if (llvm::any_of(scaled, is_same)) continue;
    const std::optional<ScaledLeaf> made = MakeScaledLeaf(context, *residue, variable);
    if (!made) continue;
    scaled.push_back(*made);
    map.boxes[variable] = made->quotient.terms.front().atom->ValueRange();
  }
  if (scaled.empty()) return false;
  const Scaling scaling(context, scaled);
  for (Sum& result : map.results) result = scaling.Apply(result);
  for (Constraint& constraint : map.constraints) {
    constraint.expression = scaling.Apply(constraint.expression);
  }
  return true;
}

void RescaleByResidue(DigitContext& context, QuasiAffineMap& map, VariableId first) {
  if (ScaleByResidue(context, map, first)) Simplify(context, map);
}

}  // namespace hlo_indexing::simplifier
