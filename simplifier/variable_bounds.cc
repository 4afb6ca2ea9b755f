#include "simplifier/variable_bounds.h"

#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

// The factor of the variable where it stands whole.
int64_t LinearFactor(const Sum& sum, VariableId variable) {
  for (const Term& term : sum.terms) {
    if (IsVariable(*term.atom, variable) && term.IsWhole()) return term.coefficient;
  }
  return 0;
}

// Looks at one sum after the other.
class PeriodFinder {
 public:
  PeriodFinder(VariableId variable, int64_t max_period)
      : variable_(variable), max_period_(max_period) {}

  int64_t period() const { return period_; }

  // False if there is no period, or it is too large.
  bool Add(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      int64_t factor = 0;
      if (IsVariable(atom, variable_)) {
        if (term.IsWhole()) continue;
        factor = 1;
      } else {
        if (!Mentions({term, 0}, variable_)) continue;
        // A nested division comes first; what it leaves is divided by the next round.
        if (atom.kind != AtomKind::kQuotientVariable) return false;
        if (seen_.insert(&atom).second && !Add(atom.arguments[0])) return false;
        factor = LinearFactor(atom.arguments[0], variable_);
        if (factor == 0) continue;
      }
      const auto modulus =
          term.IsTop() ? std::optional(term.lo) : support::CheckedMul(term.lo, term.extent);
      if (!modulus) return false;
      const int64_t needed = *modulus / std::gcd(*modulus, factor);
      const auto common = support::CheckedMul(period_ / std::gcd(period_, needed), needed);
      if (!common || *common > max_period_) return false;
      period_ = *common;
    }
    return true;
  }

 private:
  VariableId variable_;
  int64_t max_period_;
  int64_t period_ = 1;
  llvm::SmallPtrSet<const Atom*, 16> seen_;
};

// Adds what `factor * variable + others` in the bounds says.
void AddBounds(DigitContext& context, Interval bounds, int64_t factor, const Sum& others,
               VariableBounds& found) {
  const auto add = [&](std::vector<Bound>& side, const Bound& bound) {
    if (!llvm::is_contained(side, bound)) side.push_back(bound);
  };
  const int64_t magnitude = factor < 0 ? -factor : factor;
  if (bounds.lower != Interval::kMinusInfinity) {
    const Sum least = Subtract(context, Constant(bounds.lower), others);
    factor > 0 ? add(found.lower, {magnitude, least})
               : add(found.upper, {magnitude, Scale(context, least, -1)});
  }
  if (bounds.upper != Interval::kPlusInfinity) {
    const Sum most = Subtract(context, Constant(bounds.upper), others);
    factor > 0 ? add(found.upper, {magnitude, most})
               : add(found.lower, {magnitude, Scale(context, most, -1)});
  }
}

}  // namespace

bool Mentions(const Sum& sum, VariableId variable) {
  bool mentions = false;
  llvm::SmallPtrSet<const Atom*, 8> seen;
  ForEachAtom(sum, seen, [&](const Atom& atom) { mentions |= IsVariable(atom, variable); });
  return mentions;
}

std::optional<int64_t> PeriodOf(const QuasiAffineMap& map, VariableId variable,
                                int64_t max_period) {
  PeriodFinder finder(variable, max_period);
  for (const Constraint& constraint : map.constraints) {
    if (!finder.Add(constraint.expression)) return std::nullopt;
  }
  for (const Sum& result : map.results) {
    if (!finder.Add(result)) return std::nullopt;
  }
  return finder.period();
}

std::optional<std::vector<QuasiAffineMap>> SplitByRemainder(DigitContext& context,
                                                            const QuasiAffineMap& map,
                                                            VariableId variable, int64_t period) {
  const Interval box = map.boxes[variable];
  if (box.lower == Interval::kMinusInfinity) return std::nullopt;
  std::vector<QuasiAffineMap> pieces;
  for (int64_t remainder = 0; remainder < period; ++remainder) {
    const auto first = support::CheckedAdd(box.lower, remainder);
    if (!first || *first > box.upper) break;
    Interval multiples = {0, Interval::kPlusInfinity};
    if (box.upper != Interval::kPlusInfinity) {
      const auto length = support::CheckedSub(box.upper, *first);
      if (!length) return std::nullopt;
      multiples.upper = *length / period;
    }
    QuasiAffineMap piece = map;
    piece.boxes[variable] = multiples;
    const Sum value = Linear(context, {{piece.Variable(context, variable), period}}, *first);
    const auto replace = [&](const Atom& atom) {
      return IsVariable(atom, variable) ? std::optional(value) : std::nullopt;
    };
    Substitution substitution(context, replace);
    for (Constraint& constraint : piece.constraints) {
      constraint.expression = substitution.Apply(constraint.expression);
    }
    for (Sum& result : piece.results) result = substitution.Apply(result);
    Simplify(context, piece);
    if (!piece.empty) pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::optional<VariableBounds> TakeBounds(DigitContext& context, QuasiAffineMap& map,
                                         VariableId variable) {
  VariableBounds found;
  const Interval box = map.boxes[variable];
  if (box.lower != Interval::kMinusInfinity) found.lower.push_back({1, Constant(box.lower)});
  if (box.upper != Interval::kPlusInfinity) found.upper.push_back({1, Constant(box.upper)});
  llvm::SmallVector<Constraint, 2> rest;
  for (const Constraint& constraint : map.constraints) {
    const int64_t factor = LinearFactor(constraint.expression, variable);
    if (factor == 0) {
      rest.push_back(constraint);
      continue;
    }
    if (factor == support::kInt64Min) return std::nullopt;
    const Sum others = Subtract(context, constraint.expression,
                                Scale(context, map.Variable(context, variable), factor));
    if (Mentions(others, variable)) return std::nullopt;
    AddBounds(context, constraint.bounds, factor, others, found);
  }
  map.constraints = std::move(rest);
  return found;
}

}  // namespace hlo_indexing::simplifier
