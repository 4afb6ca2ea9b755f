#include "simplifier/domain/tightening.h"

namespace hlo_indexing::simplifier {

bool IsOneFunction(llvm::ArrayRef<Term> terms) {
  return terms.size() == 1 && terms.front().IsWhole() && terms.front().coefficient == 1 &&
         terms.front().atom->IsFunction();
}

void Tightening::NarrowBox(VariableId variable, Interval bounds) {
  Interval& box = map.boxes[variable];
  const Interval narrowed = box.Intersect(bounds);
  if (narrowed == box) return;
  box = narrowed;
  bounds_changed = true;
  map.empty |= box.IsEmpty();
}

void Tightening::NarrowQuotient(const Atom& quotient, Interval bounds) {
  const auto [known, is_new] = quotient_bounds.insert({&quotient, quotient.ValueRange()});
  const Interval narrowed = known->second.Intersect(bounds);
  if (narrowed == known->second) return;
  known->second = narrowed;
  bounds_changed = true;
  map.empty |= narrowed.IsEmpty();
}

Interval Tightening::RangeOf(llvm::ArrayRef<Term> terms) const {
  if (function_bounds.empty() || IsOneFunction(terms)) return NaturalRange(terms, 0);
  Interval range = Interval::Point(0);
  for (const Term& term : terms) {
    const auto bounds = function_bounds.find(term.atom);
    const bool is_known = bounds != function_bounds.end() && term.IsWhole();
    range = range + (is_known ? bounds->second : term.DigitRange()) * term.coefficient;
  }
  return range;
}

Interval Tightening::KnownRangeOf(llvm::ArrayRef<Term> terms) const {
  if (quotient_bounds.empty()) return RangeOf(terms);
  Interval range = Interval::Point(0);
  for (const Term& term : terms) {
    const Term alone = {1, term.atom, term.lo, term.extent};
    Interval digit = RangeOf(alone);
    const auto known = quotient_bounds.find(term.atom);
    if (known != quotient_bounds.end() && term.IsTop()) {
      digit = digit.Intersect(FloorDiv(known->second, term.lo));
    }
    range = range + digit * term.coefficient;
  }
  return range;
}

}  // namespace hlo_indexing::simplifier
