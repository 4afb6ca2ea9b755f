#include "simplifier/domain/passes.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedMul;
using support::CheckedSub;

bool IsEquality(const Constraint& constraint) {
  return constraint.bounds.IsPoint() && constraint.expression.terms.size() > 1;
}

// sum - factor * (expression - value) for the equality `expression = value`; nullopt on overflow.
std::optional<Sum> SubtractMultiple(DigitContext& context, const Sum& sum,
                                    const Constraint& equality, int64_t factor) {
  TermVector terms(sum.terms.begin(), sum.terms.end());
  for (Term term : equality.expression.terms) {
    const std::optional<int64_t> product = CheckedMul(term.coefficient, factor);
    const std::optional<int64_t> negated = product ? CheckedSub(0, *product) : std::nullopt;
    if (!negated) return std::nullopt;
    term.coefficient = *negated;
    terms.push_back(term);
  }
  // Reducing one equality by another may have left a constant in it.
  const auto value = CheckedSub(equality.bounds.lower, equality.expression.constant);
  const auto scaled = value ? CheckedMul(*value, factor) : std::nullopt;
  const auto constant = scaled ? support::CheckedAdd(sum.constant, *scaled) : std::nullopt;
  return constant ? Normalize(context, std::move(terms), *constant) : std::nullopt;
}

// The sum less the multiple of the equality that leaves the fewest terms; nullopt unless these are
// fewer than before.
std::optional<Sum> Reduce(DigitContext& context, const Sum& sum, const Constraint& equality) {
  std::optional<Sum> best;
  for (const Term& term : equality.expression.terms) {
    const Term* same = llvm::find_if(sum.terms, [&](const Term& t) { return t.SameDigit(term); });
    // The smallest integer has no quotient by -1.
    if (same == sum.terms.end() || same->coefficient == support::kInt64Min ||
        same->coefficient % term.coefficient != 0) {
      continue;
    }
    const std::optional<Sum> next =
        SubtractMultiple(context, sum, equality, same->coefficient / term.coefficient);
    if (next && next->terms.size() < (best ? *best : sum).terms.size()) best = next;
  }
  return best;
}

}  // namespace

bool UseEqualities(Tightening& tightening) {
  QuasiAffineMap& map = tightening.map;
  bool changed = false;
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint equality = map.constraints[i];
    if (!IsEquality(equality)) continue;
    for (size_t k = 0; k < map.constraints.size(); ++k) {
      if (k == i) continue;
      const auto reduced = Reduce(tightening.context, map.constraints[k].expression, equality);
      if (!reduced) continue;
      map.constraints[k].expression = *reduced;
      changed = true;
    }
    for (Sum& result : map.results) {
      result = Reduce(tightening.context, result, equality).value_or(result);
    }
  }
  return changed;
}

}  // namespace hlo_indexing::simplifier
