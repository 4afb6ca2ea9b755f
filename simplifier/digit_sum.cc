#include "simplifier/digit_sum.h"

#include <tuple>

namespace hlo_indexing::simplifier {

bool Term::IsTop() const {
  if (extent == kUnbounded) return true;
  if (atom->extent == kUnbounded) return false;
  const std::optional<int64_t> end = support::CheckedMul(lo, extent);
  return !end || *end >= atom->extent;
}

Interval Term::DigitRange() const {
  if (extent != kUnbounded) return {0, extent - 1};
  return {atom->may_be_negative ? Interval::kMinusInfinity : 0, Interval::kPlusInfinity};
}

Interval Atom::ValueRange() const {
  if (extent != kUnbounded) return {lower, lower + (extent - 1)};
  return {may_be_negative ? Interval::kMinusInfinity : lower, Interval::kPlusInfinity};
}

bool StructurallyLess(const Atom& a, const Atom& b) {
  return std::tie(a.kind, a.variable, a.lower, a.extent, a.structural_hash, a.id) <
         std::tie(b.kind, b.variable, b.lower, b.extent, b.structural_hash, b.id);
}

uint32_t DepthOf(const Sum& sum) {
  uint32_t depth = 0;
  for (const Term& term : sum.terms) depth = std::max(depth, term.atom->depth);
  return depth;
}

Interval NaturalRange(llvm::ArrayRef<Term> terms, int64_t constant) {
  Interval range = Interval::Point(constant);
  for (const Term& term : terms) range = range + term.DigitRange() * term.coefficient;
  return range;
}

}  // namespace hlo_indexing::simplifier
