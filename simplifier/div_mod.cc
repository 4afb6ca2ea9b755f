#include "simplifier/div_mod.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;
using support::FloorDiv;
using support::FloorMod;

// |value|, as a divisor: the magnitude of the smallest integer does not fit, and nothing that fits
// but 1 needs to divide it.
int64_t Magnitude(int64_t value) {
  if (value == support::kInt64Min) return 1;
  return value < 0 ? -value : value;
}

// The k with `range` inside [k * divisor, (k + 1) * divisor).
std::optional<int64_t> MultipleAround(const Interval& range, int64_t divisor) {
  if (!range.IsFinite()) return std::nullopt;
  const int64_t k = FloorDiv(range.lower, divisor);
  if (k != FloorDiv(range.upper, divisor)) return std::nullopt;
  return k;
}

// Subtracts factor * fact from `terms`, digit by digit. Nullopt on overflow.
std::optional<TermVector> SubtractTerms(llvm::ArrayRef<Term> terms, const Sum& fact,
                                        int64_t factor) {
  TermVector result(terms.begin(), terms.end());
  for (const Term& term : fact.terms) {
    const std::optional<int64_t> product = CheckedMul(term.coefficient, factor);
    if (!product) return std::nullopt;
    Term* same = std::find_if(result.begin(), result.end(),
                              [&](const Term& other) { return other.SameDigit(term); });
    if (same == result.end()) {
      result.push_back(term);
      result.back().coefficient = 0;
      same = &result.back();
    }
    const std::optional<int64_t> difference = support::CheckedSub(same->coefficient, *product);
    if (!difference) return std::nullopt;
    same->coefficient = *difference;
    if (*difference == 0) result.erase(same);
  }
  return result;
}

// One division in progress: sum = divisor * quotient + rest, the rest's coefficients not multiples
// of the divisor and its constant in [0, divisor).
class Divider {
 public:
  Divider(DigitContext& context, const Sum& sum, int64_t divisor)
      : context_(context), divisor_(divisor) {
    for (const Term& term : sum.terms) {
      if (term.coefficient % divisor == 0) {
        quotient_.push_back(term);
        quotient_.back().coefficient /= divisor;
      } else {
        rest_.push_back(term);
      }
    }
    quotient_constant_ = FloorDiv(sum.constant, divisor);
    rest_constant_ = FloorMod(sum.constant, divisor);
  }

  // For a rest inside one multiple of the divisor; nullopt for others, and on overflow.
  std::optional<Division> DivideByRange() {
    rest_range_ = NaturalRange(rest_, rest_constant_);
    const std::optional<int64_t> k = MultipleAround(rest_range_, divisor_);
    return k ? Finish(*k, rest_, rest_constant_ - *k * divisor_) : std::nullopt;
  }

  // If DivideByRange has no answer. Nullopt on overflow.
  std::optional<Division> Divide() {
    if (std::optional<Division> division = DivideByFacts()) return division;
    if (std::optional<Division> division = DivideByScaledFact()) return division;
    if (std::optional<Division> division = DivideByRangesOfQuotients()) return division;
    for (const int64_t block : Blocks()) {
      if (std::optional<Division> division = DivideInBlocks(block)) return division;
    }
    if (LeadingCoefficient() < 0) return DivideNegated();
    return DivideByQuotientVariable();
  }

 private:
  // quotient + carry and the remainder, both in normal form.
  std::optional<Division> Finish(int64_t carry, TermVector remainder, int64_t remainder_constant) {
    const std::optional<int64_t> constant = CheckedAdd(quotient_constant_, carry);
    if (!constant) return std::nullopt;
    const std::optional<Sum> quotient = Normalize(context_, quotient_, *constant);
    const std::optional<Sum> rest = Normalize(context_, std::move(remainder), remainder_constant);
    if (!quotient || !rest) return std::nullopt;
    return Division{*quotient, *rest};
  }

  // Writes the rest as a combination of facts plus terms that the divisor divides or that are
  // small, and succeeds if the bounds of the facts keep that inside one multiple of the divisor.
  std::optional<Division> DivideByFacts() {
    if (context_.facts().empty()) return std::nullopt;
    const auto indivisible = [this](const Term& term) { return term.coefficient % divisor_ != 0; };
    TermVector left = rest_;
    TermVector bounded;
    Interval range = Interval::Point(rest_constant_);
    for (const Constraint& fact : context_.facts()) {
      const std::optional<int64_t> factor = MatchingFactor(left, fact.expression);
      // In normal form it has no constant; those of a domain that is not tightened may have one.
      const int64_t constant = fact.expression.constant;
      if (!factor || constant == support::kInt64Min) continue;
      const std::optional<TermVector> next = SubtractTerms(left, fact.expression, *factor);
      if (!next || llvm::count_if(*next, indivisible) >= llvm::count_if(left, indivisible)) {
        continue;
      }
      left = *next;
      range = range + (fact.bounds + Interval::Point(-constant)) * *factor;
      for (Term term : fact.expression.terms) {
        term.coefficient *= *factor;
        bounded.push_back(term);
      }
    }
    if (bounded.empty()) return std::nullopt;
    TermVector multiples;
    for (const Term& term : left) {
      if (indivisible(term)) {
        range = range + term.DigitRange() * term.coefficient;
        bounded.push_back(term);
      } else {
        multiples.push_back(term);
      }
    }
    const std::optional<int64_t> k = MultipleAround(range, divisor_);
    if (!k) return std::nullopt;
    for (Term& term : multiples) {
      term.coefficient /= divisor_;
      quotient_.push_back(term);
    }
    return Finish(*k, std::move(bounded), rest_constant_ - *k * divisor_);
  }

  std::optional<Division> DivideByScaledFact() {
    if (rest_.empty()) return std::nullopt;
    for (const Constraint& fact : context_.facts()) {
      const std::optional<Interval> values = RangeByScaledFact(rest_, fact);
      if (!values) continue;
      const std::optional<int64_t> k =
          MultipleAround(*values + Interval::Point(rest_constant_), divisor_);
      if (k) return Finish(*k, rest_, rest_constant_ - *k * divisor_);
    }
    return std::nullopt;
  }

  // Where facts speak of the sums of quotient variables.
  std::optional<Division> DivideByRangesOfQuotients() {
    const auto is_quotient = [](const Term& term) {
      return term.atom->kind == AtomKind::kQuotientVariable;
    };
    if (context_.facts().empty() || llvm::none_of(rest_, is_quotient)) return std::nullopt;
    Interval range = Interval::Point(rest_constant_);
    for (const Term& term : rest_) {
      range = range +
              (is_quotient(term) ? RangeOfQuotient(term) : term.DigitRange()) * term.coefficient;
    }
    const std::optional<int64_t> k = MultipleAround(range, divisor_);
    return k ? Finish(*k, rest_, rest_constant_ - *k * divisor_) : std::nullopt;
  }

  // The values of a digit of a quotient variable, as far as facts say them of its sum. Example:
  // (d0 + d1 * 128) floordiv 10, where d0 + d1 * 128 is in [0, 99] -> [0, 9]
  Interval RangeOfQuotient(const Term& term) {
    const Sum& sum = term.atom->arguments.front();
    const Interval natural = term.DigitRange();
    const Interval values = RangeByFacts(sum.terms, sum.constant);
    if (!values.IsFinite()) return natural;
    const Interval quotient = {FloorDiv(values.lower, term.lo), FloorDiv(values.upper, term.lo)};
    const bool is_top = term.IsTop() || quotient.upper < term.extent;
    return is_top && quotient.lower >= 0 ? natural.Intersect(quotient) : natural;
  }

  // A fact may speak of a multiple of a sum and a remainder of that: where x is in [0, 127],
  // x + s * 128 in [0, 191] says that x floordiv 64 + s * 2 is in [0, 2]. nullopt if it does not.
  std::optional<Interval> RangeByScaledFact(llvm::ArrayRef<Term> terms, const Constraint& fact) {
    const std::optional<int64_t> scale = ScaleIn(fact.expression, terms.front());
    if (!scale || *scale < 2) return std::nullopt;
    const Sum sum = context_.Store(terms, 0);
    const Sum remainder = Linear(context_, {{fact.expression, 1}, {sum, -*scale}});
    const Interval left = NaturalRange(remainder);
    if (!left.IsFinite()) return std::nullopt;
    // scale * sum = fact - remainder.
    const Interval scaled = fact.bounds + left * -1;
    const Interval range = {
        scaled.lower == Interval::kMinusInfinity ? scaled.lower
                                                 : support::CeilDiv(scaled.lower, *scale),
        scaled.upper == Interval::kPlusInfinity ? scaled.upper
                                                : support::FloorDiv(scaled.upper, *scale)};
    const Interval values = range.Intersect(NaturalRange(sum));
    return values.IsEmpty() ? std::nullopt : std::optional(values);
  }

  // The values of terms in normal form, as far as facts say them.
  Interval RangeByFacts(llvm::ArrayRef<Term> terms, int64_t constant) {
    if (context_.facts().empty() || terms.empty()) return NaturalRange(terms, constant);
    Interval range = Range(context_, context_.Store(terms, constant));
    for (const Constraint& fact : context_.facts()) {
      const std::optional<Interval> scaled = RangeByScaledFact(terms, fact);
      if (scaled) range = range.Intersect(*scaled + Interval::Point(constant));
    }
    return range;
  }

  // How often the fact has the first term of a sum, whose digit may be a part of that of the fact.
  // Example: of x floordiv 64 in x * 2 + y -> 128
  static std::optional<int64_t> ScaleIn(const Sum& fact, const Term& first) {
    for (const Term& term : fact.terms) {
      if (term.atom != first.atom || first.lo % term.lo != 0) continue;
      const auto coefficient = CheckedMul(term.coefficient, first.lo / term.lo);
      if (!coefficient || *coefficient % first.coefficient != 0) return std::nullopt;
      return *coefficient / first.coefficient;
    }
    return std::nullopt;
  }

  // The factor with which the first shared digit of the fact has its coefficient in `terms`.
  std::optional<int64_t> MatchingFactor(llvm::ArrayRef<Term> terms, const Sum& fact) const {
    for (const Term& term : fact.terms) {
      for (const Term& other : terms) {
        if (!other.SameDigit(term) || other.coefficient % divisor_ == 0) continue;
        if (other.coefficient == support::kInt64Min) return std::nullopt;
        if (other.coefficient % term.coefficient != 0) return std::nullopt;
        return other.coefficient / term.coefficient;
      }
    }
    return std::nullopt;
  }

  // The common divisors of the divisor and coefficients, largest first: where the rest may fall
  // apart into multiples of a block and what stays below the block.
  llvm::SmallVector<int64_t, 8> Blocks() const {
    llvm::SmallVector<int64_t, 8> gcds = {divisor_};
    for (const Term& term : rest_) gcds.push_back(std::gcd(divisor_, Magnitude(term.coefficient)));
    llvm::sort(gcds);
    gcds.erase(std::unique(gcds.begin(), gcds.end()), gcds.end());
    llvm::SmallVector<int64_t, 8> closed;
    for (const int64_t a : gcds) {
      for (const int64_t b : gcds) closed.push_back(std::gcd(a, b));
    }
    llvm::sort(closed, std::greater<>());
    closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
    if (closed.back() == 1) closed.pop_back();
    return closed;
  }

  // rest = block * tall + small with small inside one multiple of the block: then
  // rest = divisor * (tall div (divisor / block)) + block * (tall mod (divisor / block)) + small.
  std::optional<Division> DivideInBlocks(int64_t block) {
    TermVector small;
    TermVector tall;
    for (const Term& term : rest_) SplitAtBlock(term, block, small, tall);
    int64_t small_constant = FloorMod(rest_constant_, block);
    int64_t tall_constant = rest_constant_ - small_constant;
    const std::optional<int64_t> carry = MultipleAround(RangeByFacts(small, small_constant), block);
    if (!carry) return std::nullopt;
    const std::optional<int64_t> shift = CheckedMul(*carry, block);
    const std::optional<int64_t> shifted = shift ? CheckedAdd(tall_constant, *shift) : std::nullopt;
    if (!shifted) return std::nullopt;
    small_constant -= *shift;
    tall_constant = *shifted;
    for (Term& term : tall) term.coefficient /= block;
    tall_constant /= block;
    const std::optional<Sum> tall_sum = Normalize(context_, std::move(tall), tall_constant);
    if (!tall_sum) return std::nullopt;
    Division inner = {*tall_sum, Constant(0)};
    if (block != divisor_) inner = DivMod(context_, *tall_sum, divisor_ / block);
    const std::optional<Division> outer = Finish(0, std::move(small), small_constant);
    if (!outer) return std::nullopt;
    const ScaledSum remainder[] = {{outer->remainder, 1}, {inner.remainder, block}};
    return Division{Add(context_, outer->quotient, inner.quotient), Linear(context_, remainder)};
  }

  // Puts a term into `tall` if the block divides it; cuts its digit at the block if that is exact,
  // the high half into `tall`; into `small` otherwise.
  static void SplitAtBlock(const Term& term, int64_t block, TermVector& small, TermVector& tall) {
    if (term.coefficient % block == 0) {
      tall.push_back(term);
      return;
    }
    const int64_t magnitude = Magnitude(term.coefficient);
    const bool divides = term.coefficient != support::kInt64Min && block % magnitude == 0;
    const int64_t low = divides ? block / magnitude : 0;
    const bool exact = low != 0 && term.extent > low && (term.IsTop() || term.extent % low == 0) &&
                       CheckedMul(term.lo, low);
    if (!exact) {
      small.push_back(term);
      return;
    }
    const int64_t high =
        term.extent == kUnbounded ? kUnbounded : support::CeilDiv(term.extent, low);
    AppendTerm(term.coefficient, term.atom, term.lo, low, small);
    AppendTerm(term.coefficient * low, term.atom, term.lo * low, high, tall);
  }

  // The coefficient of largest magnitude; a structural order breaks ties.
  int64_t LeadingCoefficient() const {
    const Term* leading = &rest_.front();
    for (const Term& term : rest_) {
      const int64_t magnitude = Magnitude(term.coefficient);
      const int64_t best = Magnitude(leading->coefficient);
      if (magnitude > best || (magnitude == best && StructurallyLess(*term.atom, *leading->atom))) {
        leading = &term;
      }
    }
    return leading->coefficient;
  }

  // One canonical sign for quotient variables, through rest' = k * divisor - 1 - rest: its quotient
  // is k - 1 - q and its remainder divisor - 1 - r.
  std::optional<Division> DivideNegated() {
    const int64_t k = rest_range_.upper == Interval::kPlusInfinity
                          ? 1
                          : FloorDiv(rest_range_.upper, divisor_) + 1;
    const std::optional<int64_t> top = CheckedMul(k, divisor_);
    if (!top) return std::nullopt;
    TermVector negated = rest_;
    for (Term& term : negated) {
      if (term.coefficient == support::kInt64Min) return std::nullopt;
      term.coefficient = -term.coefficient;
    }
    const Division inner =
        DivMod(context_, context_.Store(negated, *top - 1 - rest_constant_), divisor_);
    const std::optional<Division> outer = Finish(k - 1, {}, divisor_ - 1);
    if (!outer) return std::nullopt;
    return Division{Subtract(context_, outer->quotient, inner.quotient),
                    Subtract(context_, outer->remainder, inner.remainder)};
  }

  // The rest, shifted to start in [0, divisor), becomes an atom of its own.
  std::optional<Division> DivideByQuotientVariable() {
    const bool starts = rest_range_.lower != Interval::kMinusInfinity;
    const int64_t k = starts ? FloorDiv(rest_range_.lower, divisor_) : 0;
    const std::optional<int64_t> shift = CheckedMul(k, divisor_);
    const std::optional<int64_t> constant =
        shift ? support::CheckedSub(rest_constant_, *shift) : std::nullopt;
    if (!constant) return std::nullopt;
    int64_t extent = kUnbounded;
    if (starts && rest_range_.upper != Interval::kPlusInfinity) {
      const std::optional<int64_t> upper = support::CheckedSub(rest_range_.upper, *shift);
      if (upper && *upper < kUnbounded - 1) extent = *upper + 1;
    }
    // A digit of that extent would be read as one without end.
    if (extent == kUnbounded && divisor_ == kUnbounded) return std::nullopt;
    const Atom* quotient_variable =
        context_.QuotientVariable(context_.Store(rest_, *constant), extent, !starts);
    AppendTerm(1, quotient_variable, divisor_, extent, quotient_);
    TermVector remainder;
    AppendTerm(1, quotient_variable, 1, divisor_, remainder);
    return Finish(k, std::move(remainder), 0);
  }

  DigitContext& context_;
  const int64_t divisor_;
  TermVector quotient_;
  int64_t quotient_constant_ = 0;
  TermVector rest_;
  int64_t rest_constant_ = 0;
  Interval rest_range_;
};

// The division as two opaque values, for what overflows.
Division OpaqueDivision(DigitContext& context, const Sum& sum, int64_t divisor) {
  const Sum operands[] = {sum, Constant(divisor)};
  return {context.Opaque(OpaqueOperation::kFloorDiv, operands, Interval::All()),
          context.Opaque(OpaqueOperation::kMod, operands, {0, divisor - 1})};
}

}  // namespace

Division DivMod(DigitContext& context, const Sum& sum, int64_t divisor) {
  if (divisor == 1) return {sum, Constant(0)};
  if (sum.IsConstant()) {
    return {Constant(FloorDiv(sum.constant, divisor)), Constant(FloorMod(sum.constant, divisor))};
  }
  const Interval range = NaturalRange(sum);
  if (range.lower >= 0 && range.upper < divisor) return {Constant(0), sum};
  Divider divider(context, sum, divisor);
  if (const std::optional<Division> division = divider.DivideByRange()) return *division;
  if (const Division* known = context.FindDivision(sum, divisor)) return *known;
  std::optional<Division> division = divider.Divide();
  if (!division) division = OpaqueDivision(context, sum, divisor);
  context.MemoizeDivision(sum, divisor, *division);
  return *division;
}

Interval Range(const DigitContext& context, const Sum& sum) {
  const Interval natural = NaturalRange(sum);
  if (context.facts().empty() || sum.IsConstant()) return natural;
  TermVector left(sum.terms.begin(), sum.terms.end());
  Interval range = Interval::Point(sum.constant);
  for (const Constraint& fact : context.facts()) {
    // In normal form it has no constant; those of a domain that is not tightened may have one.
    const int64_t constant = fact.expression.constant;
    if (fact.expression.IsConstant() || constant == support::kInt64Min) continue;
    const Term& first = fact.expression.terms.front();
    const Term* same =
        std::find_if(left.begin(), left.end(), [&](const Term& t) { return t.SameDigit(first); });
    if (same == left.end() || same->coefficient == support::kInt64Min ||
        same->coefficient % first.coefficient != 0) {
      continue;
    }
    const int64_t factor = same->coefficient / first.coefficient;
    const std::optional<TermVector> next = SubtractTerms(left, fact.expression, factor);
    if (!next || next->size() + fact.expression.terms.size() != left.size()) continue;
    left = *next;
    range = range + (fact.bounds + Interval::Point(-constant)) * factor;
  }
  return natural.Intersect(range + NaturalRange(left, 0));
}

}  // namespace hlo_indexing::simplifier
