#include "indexing_analysis/propagation/clamped_values.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::Atom;
using simplifier::Constraint;
using simplifier::Term;

namespace {

constexpr Interval kAnyValue = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

Sum ValueOf(DigitContext& digits, const Atom& function) {
  return digits.Function(function.variable, function.arguments, function.ValueRange());
}

// The functions in results and constraints, in the order in which they appear.
llvm::SmallVector<const Atom*, 4> FunctionsOf(const simplifier::QuasiAffineMap& map) {
  llvm::SmallVector<const Atom*, 4> functions;
  llvm::SmallPtrSet<const Atom*, 16> seen;
  const auto visit = [&](const Sum& sum) {
    simplifier::ForEachAtom(sum, seen, [&](const Atom& atom) {
      if (atom.IsFunction()) functions.push_back(&atom);
    });
  };
  for (const Sum& result : map.results) visit(result);
  for (const Constraint& constraint : map.constraints) visit(constraint.expression);
  return functions;
}

bool AreOfOneElement(const RuntimeTable& table, const Atom& a, const Atom& b) {
  const RuntimeSource& of_a = table[a.variable];
  const RuntimeSource& of_b = table[b.variable];
  return of_a.instruction != nullptr && of_a.instruction == of_b.instruction &&
         of_a.leaf == of_b.leaf && of_a.calls == of_b.calls && a.arguments == b.arguments;
}

// What x lies in if y + x lies in `sum` for a y in `part`.
Interval Difference(Interval sum, Interval part) {
  return {support::CheckedSub(sum.lower, part.upper).value_or(kAnyValue.lower),
          support::CheckedSub(sum.upper, part.lower).value_or(kAnyValue.upper)};
}

// The values of a function where the constraints hold, by each of them alone.
Interval ValuesOf(DigitContext& digits, const Atom& function,
                  llvm::ArrayRef<Constraint> constraints) {
  Interval values = function.ValueRange();
  for (const auto& [expression, bounds] : constraints) {
    const auto* const term = llvm::find_if(expression.terms, [&](const Term& one) {
      return one.atom == &function && one.IsWhole() &&
             (one.coefficient == 1 || one.coefficient == -1);
    });
    if (term == expression.terms.end()) continue;
    const Sum own = ValueOf(digits, function);
    const bool is_added = term->coefficient == 1;
    const Sum rest = is_added ? Subtract(digits, expression, own) : Add(digits, expression, own);
    const Interval others = simplifier::NaturalRange(rest);
    // From lower <= others + function <= upper, or lower <= others - function <= upper.
    values = values.Intersect(is_added ? Difference(bounds, others) : Difference(others, bounds));
  }
  return values;
}

// The element itself, of which the function is known to lie in `values`.
Interval Unclamped(const Atom& function, Interval values) {
  const Interval range = function.ValueRange();
  return {values.lower > range.lower ? values.lower : kAnyValue.lower,
          values.upper < range.upper ? values.upper : kAnyValue.upper};
}

// Whether an element in `values` gives the same in both ranges.
bool ClampToTheSame(Interval values, Interval a, Interval b) {
  return (a.lower == b.lower || values.lower >= std::max(a.lower, b.lower)) &&
         (a.upper == b.upper || values.upper <= std::min(a.upper, b.upper));
}

bool MergeTwo(DigitContext& digits, const RuntimeTable& table, Access& access) {
  const llvm::SmallVector<const Atom*, 4> functions = FunctionsOf(access.map);
  for (size_t i = 0; i < functions.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Atom& a = *functions[i];
      const Atom& b = *functions[k];
      if (!AreOfOneElement(table, a, b)) continue;
      const Interval of_a = ValuesOf(digits, a, access.map.constraints);
      const Interval of_b = ValuesOf(digits, b, access.map.constraints);
      const Interval element = Unclamped(a, of_a).Intersect(Unclamped(b, of_b));
      const Interval range_of_a = a.ValueRange();
      const Interval range_of_b = b.ValueRange();
      if (!ClampToTheSame(element, range_of_a, range_of_b)) continue;
      // The wider one stays: at an end of its range the other does not say what the element is.
      const Interval common = range_of_a.Intersect(range_of_b);
      if (common != range_of_a && common != range_of_b) continue;
      const bool a_is_wider = common == range_of_b;
      const Atom& replaced = a_is_wider ? b : a;
      const Sum kept = ValueOf(digits, a_is_wider ? a : b);
      const auto replace = [&](const Atom& atom) {
        return &atom == &replaced ? std::optional<Sum>(kept) : std::nullopt;
      };
      simplifier::Substitution substitution(digits, replace);
      for (Sum& result : access.map.results) result = substitution.Apply(result);
      for (Constraint& constraint : access.map.constraints) {
        constraint.expression = substitution.Apply(constraint.expression);
      }
      // What they were known by may have gone with the difference of the two.
      const Interval known = of_a.Intersect(of_b);
      access.map.empty |= known.IsEmpty();
      if (access.map.empty) return true;
      access.map.constraints.push_back({kept, known});
      simplifier::Simplify(digits, access.map);
      return true;
    }
  }
  return false;
}

}  // namespace

void MergeClampedValues(DigitContext& digits, const RuntimeTable& table, Access& access) {
  // Each time there is a function less.
  while (!access.map.empty && MergeTwo(digits, table, access)) {
  }
}

}  // namespace hlo_indexing::indexing_analysis
