#include "simplifier/domain/passes.h"
#include "simplifier/domain/preimage.h"

namespace hlo_indexing::simplifier {
namespace {

// The first and the last of the values [0, extent - 1] of a variable whose digit, which is no top
// one, is in these bounds. Example: x in [0, 255], x mod 32 in [0, 9] -> [0, 233]
Interval HullOfDigit(const Term& term, Interval digit) {
  const Interval wanted = digit.Intersect(term.DigitRange());
  if (wanted.IsEmpty()) return wanted;
  const int64_t last = (term.atom->extent - 1) / term.lo;
  const int64_t last_digit = last % term.extent;
  int64_t beyond = 0;
  if (last_digit > wanted.upper) beyond = last_digit - wanted.upper;
  if (last_digit < wanted.lower) beyond = last_digit + term.extent - wanted.upper;
  // Both are digits of values that are there, so that no product overflows.
  if (last - beyond < wanted.lower) return Interval::Empty();
  const int64_t first_value = wanted.lower * term.lo;
  if (beyond == 0) return {first_value, term.atom->extent - 1};
  return {first_value, (last - beyond) * term.lo + (term.lo - 1)};
}

// Bounds every variable, and every quotient variable, whose top digit is a term by the constraint's
// bounds and the range of the other terms; and every variable with another digit there.
void PropagateThrough(Tightening& tightening, const Constraint& constraint) {
  const llvm::ArrayRef<Term> terms = constraint.expression.terms;
  for (size_t i = 0; i < terms.size() && !tightening.map.empty; ++i) {
    const Atom& atom = *terms[i].atom;
    const bool is_variable = atom.kind == AtomKind::kVariable;
    if (!is_variable && (atom.kind == AtomKind::kOpaque || !terms[i].IsTop())) continue;
    if (!terms[i].IsTop() && atom.extent == kUnbounded) continue;
    const Interval others = tightening.KnownRangeOf(terms.take_front(i)) +
                            tightening.KnownRangeOf(terms.drop_front(i + 1));
    const Interval product = constraint.bounds + others * -1;
    const Interval digit = PreimageOfMultiply(product, terms[i].coefficient);
    if (digit.Contains(terms[i].DigitRange())) continue;
    if (!terms[i].IsTop()) {
      tightening.NarrowBox(atom.variable, PreimageOfAdd(HullOfDigit(terms[i], digit), -atom.lower));
    } else if (is_variable) {
      tightening.NarrowBox(atom.variable, PreimageOfFloorDiv(digit, terms[i].lo, atom.lower));
    } else {
      tightening.NarrowQuotient(atom, PreimageOfWideFloorDiv(digit, terms[i].lo));
    }
  }
}

}  // namespace

void PropagateBounds(Tightening& tightening) {
  for (const Constraint& constraint : tightening.map.constraints) {
    PropagateThrough(tightening, constraint);
  }
  // The sum of a quotient variable has its value. What this finds of others is appended.
  const auto& quotient_bounds = tightening.quotient_bounds;
  for (size_t i = 0; i < quotient_bounds.size() && !tightening.map.empty; ++i) {
    const auto [quotient, bounds] = *(quotient_bounds.begin() + static_cast<std::ptrdiff_t>(i));
    const Sum& sum = quotient->arguments.front();
    PropagateThrough(tightening, {sum, PreimageOfAdd(bounds, sum.constant)});
  }
}

}  // namespace hlo_indexing::simplifier
