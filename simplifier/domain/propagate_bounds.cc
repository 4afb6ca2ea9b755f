#include "simplifier/domain/passes.h"
#include "simplifier/domain/preimage.h"

namespace hlo_indexing::simplifier {
namespace {

// Bounds every variable, and every quotient variable, whose top digit is a term by the constraint's
// bounds and the range of the other terms.
void PropagateThrough(Tightening& tightening, const Constraint& constraint) {
  const llvm::ArrayRef<Term> terms = constraint.expression.terms;
  for (size_t i = 0; i < terms.size() && !tightening.map.empty; ++i) {
    const Atom& atom = *terms[i].atom;
    if (atom.kind == AtomKind::kOpaque || !terms[i].IsTop()) continue;
    const Interval others = tightening.KnownRangeOf(terms.take_front(i)) +
                            tightening.KnownRangeOf(terms.drop_front(i + 1));
    const Interval product = constraint.bounds + others * -1;
    const Interval digit = PreimageOfMultiply(product, terms[i].coefficient);
    if (digit.Contains(terms[i].DigitRange())) continue;
    if (atom.kind == AtomKind::kVariable) {
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
