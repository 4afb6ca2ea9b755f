#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/domain/passes.h"
#include "simplifier/domain/preimage.h"

namespace hlo_indexing::simplifier {
namespace {

bool ComesBefore(const Term& a, const Term& b) {
  if (a.atom != b.atom) return StructurallyLess(*a.atom, *b.atom);
  return a.lo < b.lo;
}

// The common divisor of the coefficients, with the sign of the first term's unless an end of the
// bounds would be lost.
int64_t DivisorOf(const Constraint& constraint) {
  const llvm::ArrayRef<Term> terms = constraint.expression.terms;
  if (terms.empty()) return 1;
  int64_t divisor = 0;
  for (const Term& term : terms) {
    // Its opposite does not fit.
    if (term.coefficient == support::kInt64Min) return 1;
    divisor = std::gcd(divisor, term.coefficient);
  }
  const Term& first = *std::min_element(terms.begin(), terms.end(), ComesBefore);
  if (first.coefficient > 0) return divisor;
  // Negated, an end may be beyond 64 bits, or stand for none.
  const Interval& bounds = constraint.bounds;
  const Interval negated = bounds * -1;
  const bool has_same_ends =
      (negated.lower == Interval::kMinusInfinity) == (bounds.upper == Interval::kPlusInfinity) &&
      (negated.upper == Interval::kPlusInfinity) == (bounds.lower == Interval::kMinusInfinity);
  return has_same_ends ? -divisor : divisor;
}

// Whether an end of the bounds leaves the 64-bit range if the constant is taken to the other side,
// on a side where the terms may leave it too.
bool LosesBounds(const Tightening& tightening, const Constraint& constraint) {
  const int64_t constant = constraint.expression.constant;
  if (SubtractExactly(constraint.bounds, constant)) return false;
  const Interval range = tightening.RangeOf(constraint.expression.terms);
  return constant < 0 ? range.upper == Interval::kPlusInfinity
                      : range.lower == Interval::kMinusInfinity;
}

// The same constraint on the expression as one opaque value.
Constraint WithoutConstant(DigitContext& context, const Constraint& constraint) {
  const Sum operands[] = {context.Store(constraint.expression.terms, 0),
                          Constant(constraint.expression.constant)};
  return {context.Opaque(OpaqueOperation::kAdd, operands, Interval::All()), constraint.bounds};
}

// Nullopt if the constraint always or never holds; the latter empties the map.
std::optional<Constraint> NormalForm(Tightening& tightening, const Constraint& constraint) {
  DigitContext& context = tightening.context;
  if (LosesBounds(tightening, constraint)) {
    return NormalForm(tightening, WithoutConstant(context, constraint));
  }
  Constraint normal = {Sum{constraint.expression.terms, 0},
                       PreimageOfAdd(constraint.bounds, constraint.expression.constant)};
  const int64_t divisor = DivisorOf(normal);
  if (divisor != 1) {
    TermVector terms(normal.expression.terms.begin(), normal.expression.terms.end());
    for (Term& term : terms) term.coefficient /= divisor;
    normal = {context.Store(terms, 0), PreimageOfMultiply(normal.bounds, divisor)};
  }
  const Interval range = tightening.RangeOf(normal.expression.terms);
  if (normal.bounds.Contains(range)) return std::nullopt;
  normal.bounds = normal.bounds.Intersect(range);
  if (normal.bounds.IsEmpty()) {
    tightening.map.empty = true;
    return std::nullopt;
  }
  return normal;
}

// Whether the bounds on the sum of a quotient variable lack an end that those on its digit have.
bool LacksEnd(Interval of_sum, Interval of_digit) {
  return (of_sum.lower == Interval::kMinusInfinity && of_digit.lower != Interval::kMinusInfinity) ||
         (of_sum.upper == Interval::kPlusInfinity && of_digit.upper != Interval::kPlusInfinity);
}

// Turns a bound on one top digit with coefficient 1 into a bound on its variable, or into a
// `pending` constraint on the sum of its quotient variable. False if the digit does not allow that.
bool Absorb(Tightening& tightening, const Constraint& constraint,
            llvm::SmallVectorImpl<Constraint>& pending) {
  const Term& term = constraint.expression.terms.front();
  if (!tightening.may_narrow || term.coefficient != 1 || !term.IsTop()) return false;
  const Atom& atom = *term.atom;
  if (atom.kind == AtomKind::kVariable) {
    tightening.NarrowBox(atom.variable, PreimageOfFloorDiv(constraint.bounds, term.lo, atom.lower));
    return true;
  }
  if (atom.kind != AtomKind::kQuotientVariable) return false;
  const Interval bounds = PreimageOfWideFloorDiv(constraint.bounds, term.lo);
  if (LacksEnd(bounds, constraint.bounds)) return false;
  pending.push_back({atom.arguments.front(), bounds});
  return true;
}

// Bounds on a sum in which one quotient stands beside whole values are bounds on what it divides:
// x floordiv c + y is at most u where x + c * y is at most c * u + c - 1. Nullopt for other sums,
// and where that overflows.
// Example: d0 floordiv 16 + d1 * 2 in [0, 494] -> d0 + d1 * 32 in [0, 7919]
std::optional<Constraint> WithoutQuotient(DigitContext& context, const Constraint& constraint) {
  if (constraint.expression.terms.size() < 2 || !constraint.bounds.IsFinite()) return std::nullopt;
  const Term* quotient = nullptr;
  for (const Term& term : constraint.expression.terms) {
    if (term.IsWhole()) continue;
    const bool is_one = term.coefficient == 1 || term.coefficient == -1;
    if (quotient != nullptr || term.lo == 1 || !term.IsTop() || !is_one) return std::nullopt;
    quotient = &term;
  }
  if (quotient == nullptr) return std::nullopt;
  const int64_t divisor = quotient->lo;
  TermVector terms;
  for (const Term& term : constraint.expression.terms) {
    if (&term == quotient) {
      AppendTerm(term.coefficient, term.atom, 1, term.atom->extent, terms);
      continue;
    }
    const std::optional<int64_t> product = support::CheckedMul(term.coefficient, divisor);
    if (!product) return std::nullopt;
    terms.push_back(term);
    terms.back().coefficient = *product;
  }
  // What the quotient leaves out is between 0 and the divisor.
  std::optional<int64_t> lower = support::CheckedMul(constraint.bounds.lower, divisor);
  std::optional<int64_t> upper = support::CheckedMul(constraint.bounds.upper, divisor);
  if (quotient->coefficient > 0 && upper) upper = support::CheckedAdd(*upper, divisor - 1);
  if (quotient->coefficient < 0 && lower) lower = support::CheckedSub(*lower, divisor - 1);
  // The largest and the smallest number stand for no bound.
  const bool has_ends = lower && upper && Interval{*lower, *upper}.IsFinite();
  if (!has_ends) return std::nullopt;
  const std::optional<Sum> sum = Normalize(context, std::move(terms), 0);
  if (!sum) return std::nullopt;
  return Constraint{*sum, {*lower, *upper}};
}

// A sum as multiples of a number, beside small terms that are none.
struct Multiples {
  Sum multiples;
  Interval small;
  int64_t of = 1;
};

// In all ways in which the coefficients have a common divisor but for the smallest ones. Of d0 * 4
// + d1 * 512 + s0: the multiples of 512, and those of 4.
llvm::SmallVector<Multiples, 4> SplitIntoMultiples(const Tightening& tightening,
                                                   llvm::ArrayRef<Term> terms) {
  llvm::SmallVector<Multiples, 4> splits;
  llvm::SmallVector<int64_t, 8> coefficients;
  for (const Term& term : terms) {
    // Its opposite does not fit.
    if (term.coefficient == support::kInt64Min) return {};
    coefficients.push_back(std::abs(term.coefficient));
  }
  llvm::sort(coefficients, std::greater<>());
  int64_t divisor = 0;
  for (const int64_t coefficient : coefficients) {
    if (std::exchange(divisor, std::gcd(divisor, coefficient)) == divisor) continue;
    TermVector small;
    TermVector multiples;
    for (const Term& term : terms) {
      (term.coefficient % divisor == 0 ? multiples : small).push_back(term);
    }
    if (small.empty()) break;
    const Interval values = tightening.RangeOf(small);
    if (values.IsFinite()) {
      splits.push_back({tightening.context.Store(multiples, 0), values, divisor});
    }
  }
  return splits;
}

// The numbers x with `of` * x + `small` in the bounds, which both are finite; nullopt if these
// overflow.
std::optional<Interval> BoundsBeside(Interval bounds, int64_t small, int64_t of) {
  const auto lower = support::CheckedSub(small, bounds.lower);
  const auto upper = support::CheckedSub(bounds.upper, small);
  if (!lower || !upper) return std::nullopt;
  return Interval{-support::FloorDiv(*lower, of), support::FloorDiv(*upper, of)};
}

// Bounds on multiples of a number beside small terms are bounds on the multiples, where no value of
// the small terms decides: a * x + r is at most u where x is at most (u - r) floordiv a, which may
// be the same for the smallest and the largest r. Nullopt for other sums.
// Example: d0 * 4 + d1 * 512 + s0 in [0, 47999], s0 in [0, 3] -> d0 * 4 + d1 * 512 in [0, 47996]
std::optional<Constraint> WithoutSmallTerms(const Tightening& tightening,
                                            const Constraint& constraint) {
  if (!constraint.bounds.IsFinite()) return std::nullopt;
  for (const Multiples& split : SplitIntoMultiples(tightening, constraint.expression.terms)) {
    const auto ends = BoundsBeside(constraint.bounds, split.small.lower, split.of);
    if (!ends || ends != BoundsBeside(constraint.bounds, split.small.upper, split.of)) continue;
    return Constraint{split.multiples, *ends * split.of};
  }
  return std::nullopt;
}

// Which of two constraints follows from the other, as a multiple of the second's sum is a part of
// the first's. Example: d0 * 4 + s0 in [0, 18] does from d0 in [0, 3], with s0 in [0, 3]
enum class Implied : uint8_t { kNone, kFirst, kSecond };
Implied ImpliedOf(const Tightening& tightening, const Constraint& first, const Constraint& second) {
  const llvm::ArrayRef<Term> part = second.expression.terms;
  if (part.empty() || part.size() >= first.expression.terms.size()) return Implied::kNone;
  const llvm::ArrayRef<Term> all = first.expression.terms;
  llvm::SmallBitVector is_in_part(static_cast<unsigned>(all.size()));
  int64_t factor = 0;
  for (const Term& of_part : part) {
    const auto* const found =
        llvm::find_if(all, [&](const Term& term) { return term.SameDigit(of_part); });
    // Divided by -1 the smallest number does not fit.
    if (found == all.end() || found->coefficient == support::kInt64Min) return Implied::kNone;
    if (factor == 0) factor = found->coefficient / of_part.coefficient;
    if (support::CheckedMul(of_part.coefficient, factor) != found->coefficient) {
      return Implied::kNone;
    }
    is_in_part.set(static_cast<unsigned>(found - all.begin()));
  }
  TermVector others;
  for (unsigned i = 0; i < all.size(); ++i) {
    if (!is_in_part.test(i)) others.push_back(all[i]);
  }
  const Interval values = tightening.RangeOf(others);
  if (!values.IsFinite()) return Implied::kNone;
  if (first.bounds.Contains(second.bounds * factor + values)) return Implied::kFirst;
  const auto lower = support::CheckedSub(first.bounds.lower, values.upper);
  const auto upper = support::CheckedSub(first.bounds.upper, values.lower);
  if (!lower || !upper) return Implied::kNone;
  return second.bounds.Contains(PreimageOfMultiply({*lower, *upper}, factor)) ? Implied::kSecond
                                                                              : Implied::kNone;
}

// What is dropped implies nothing that is left: each pair is looked at once.
void DropImplied(Tightening& tightening) {
  // Of a chain of 256 windows, the pairs of more took 2.9 of 7.2 s of `tiles --inside`.
  constexpr size_t kMostConstraints = 32;
  llvm::SmallVectorImpl<Constraint>& constraints = tightening.map.constraints;
  if (constraints.size() > kMostConstraints) return;
  std::vector<bool> is_dropped(constraints.size());
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].bounds.IsFinite()) continue;
    for (size_t j = 0; j < constraints.size() && !is_dropped[i]; ++j) {
      if (i == j || is_dropped[j]) continue;
      const Implied implied = ImpliedOf(tightening, constraints[i], constraints[j]);
      if (implied != Implied::kNone) is_dropped[implied == Implied::kFirst ? i : j] = true;
    }
  }
  size_t i = 0;
  llvm::erase_if(constraints, [&](const Constraint&) { return is_dropped[i++]; });
}

// Adds the constraint, or intersects with the one on the same expression.
void AddConstraint(QuasiAffineMap& map, const Constraint& constraint) {
  for (Constraint& known : map.constraints) {
    if (!(known.expression == constraint.expression)) continue;
    known.bounds = known.bounds.Intersect(constraint.bounds);
    map.empty |= known.bounds.IsEmpty();
    return;
  }
  map.constraints.push_back(constraint);
}

}  // namespace

void NormalizeConstraints(Tightening& tightening) {
  QuasiAffineMap& map = tightening.map;
  llvm::SmallVector<Constraint, 8> pending(map.constraints.begin(), map.constraints.end());
  map.constraints.clear();
  for (size_t i = 0; i < pending.size() && !map.empty; ++i) {
    const std::optional<Constraint> normal = NormalForm(tightening, pending[i]);
    if (!normal) continue;
    if (normal->expression.terms.size() == 1 && Absorb(tightening, *normal, pending)) continue;
    if (const auto whole = WithoutQuotient(tightening.context, *normal)) {
      pending.push_back(*whole);
      continue;
    }
    if (const auto multiples = WithoutSmallTerms(tightening, *normal)) {
      pending.push_back(*multiples);
      continue;
    }
    AddConstraint(map, *normal);
  }
  if (!map.empty && map.constraints.size() > 1) DropImplied(tightening);
}

}  // namespace hlo_indexing::simplifier
