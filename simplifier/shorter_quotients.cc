// The steps of ShortestForm that do not read back as the same sums.
#include <numeric>
#include <optional>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"
#include "simplifier/linear_form.h"
#include "simplifier/linear_form_parts.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedMul;

// Sums with more divisions are written without terms moving into quotients, which takes a try for
// each of them.
constexpr int kMaxAbsorbed = 6;

// Whether k * (S floordiv c) can take up `term`, a digit of an atom in S: k divides its
// coefficient.
bool CanAbsorb(const Term& quotient, const Term& term) {
  if (term == quotient || term.coefficient == support::kInt64Min) return false;
  return term.coefficient % quotient.coefficient == 0 &&
         llvm::any_of(quotient.atom->arguments.front().terms,
                      [&](const Term& t) { return t.atom == term.atom; });
}

}  // namespace

// Lets remainders of the sum take up digits, where the form gets shorter.
void ShortestForm::Lift(const Sum& sum, LinearForm& form) {
  if (form.operations < 2 || form.operations > kMaxAbsorbed) return;
  for (const Term& remainder : sum.terms) {
    const bool is_remainder = remainder.atom->kind == AtomKind::kQuotientVariable &&
                              remainder.lo == 1 && !remainder.IsTop();
    if (!is_remainder || remainder.coefficient == support::kInt64Min) continue;
    for (const Term& digit : sum.terms) {
      if (digit == remainder || digit.extent == kUnbounded) continue;
      if (remainder.coefficient % digit.extent != 0) continue;
      if (quotients_kind_ == Quotients::kReadBack) {
        could_be_shorter_ = true;
        return;
      }
      for (const bool flips : {false, true}) {
        std::optional<LinearForm> lifted = WriteLifted(sum, remainder, digit, flips);
        if (lifted && lifted->operations < form.operations) form = std::move(*lifted);
      }
    }
  }
}

// Writes k * g * (S mod c) + k * r as k * ((g * S + r) mod (c * g)), for a digit r below g; what
// else there is of r stays. S is the sum of `remainder`, or c - 1 - that if it `flips`: -(S mod c)
// is (c - 1 - S) mod c - (c - 1). Nullopt on overflow.
std::optional<LinearForm> ShortestForm::WriteLifted(const Sum& sum, const Term& remainder,
                                                    const Term& digit, bool flips) {
  const int64_t scale = digit.extent;
  const int64_t factor = (flips ? -remainder.coefficient : remainder.coefficient) / scale;
  const auto modulus = CheckedMul(remainder.extent, scale);
  const auto left = support::CheckedSub(digit.coefficient, factor);
  const auto carried =
      flips ? CheckedMul(remainder.coefficient, remainder.extent - 1) : std::optional<int64_t>(0);
  const auto constant = carried ? support::CheckedAdd(sum.constant, *carried) : std::nullopt;
  const auto added = flips ? CheckedMul(remainder.extent - 1, scale) : std::optional<int64_t>(0);
  if (!modulus || !left || !constant || !added) return std::nullopt;
  Term one = digit;
  one.coefficient = 1;
  const ScaledSum parts[] = {{remainder.atom->arguments.front(), flips ? -scale : scale},
                             {context_.Store(one, 0), 1}};
  const Sum operand = Linear(context_, parts, *added);
  TermVector rest;
  for (const Term& term : sum.terms) {
    if (!(term == remainder) && !(term == digit)) rest.push_back(term);
  }
  if (*left != 0) rest.push_back({*left, digit.atom, digit.lo, digit.extent});
  const std::optional<Sum> normal = Normalize(context_, std::move(rest), *constant);
  if (!normal) return std::nullopt;
  LinearForm form = Write(*normal);
  Append(factor, RemainderShortly(Write(operand), *modulus), form);
  Arrange(form);
  return form;
}

// Leaves out a remainder in the operand of a remainder that its divisor cannot see: k * (S mod m)
// is k * S there, where it divides k * m; and one in a quotient there, of whose operand it sees so
// much: ((x mod 70 + 45) floordiv 7) mod 10 is ((x + 45) floordiv 7) mod 10. False if there is
// none.
bool ShortestForm::DropHiddenRemainder(LinearForm& operand, int64_t divisor, int quotients_left) {
  for (auto* part = operand.parts.begin(); part != operand.parts.end(); ++part) {
    const auto [coefficient, factor] = *part;
    if (factor->kind == FactorKind::kFloorDiv && quotients_left > 0 &&
        coefficient != support::kInt64Min) {
      const int64_t seen = divisor / std::gcd(divisor, coefficient);
      const auto of_operand = CheckedMul(factor->divisor, seen);
      LinearForm inner = factor->operand;
      if (!of_operand || !DropHiddenRemainder(inner, *of_operand, quotients_left - 1)) continue;
      part->second = Divide(FactorKind::kFloorDiv, std::move(inner), factor->divisor);
      Arrange(operand);
      return true;
    }
    if (factor->kind != FactorKind::kMod) continue;
    const auto step = CheckedMul(coefficient, factor->divisor);
    if (!step || *step % divisor != 0) continue;
    LinearForm rest = operand;
    rest.parts.erase(rest.parts.begin() + (part - operand.parts.begin()));
    std::optional<LinearForm> without = SumOf(std::move(rest), coefficient, factor->operand);
    if (!without) continue;
    operand = std::move(*without);
    Arrange(operand);
    return true;
  }
  return false;
}

// Lets quotients of the sum take up other terms, where the form gets shorter.
void ShortestForm::Absorb(const Sum& sum, LinearForm& form) {
  if (form.operations < 2 || form.operations > kMaxAbsorbed) return;
  for (const Term& quotient : sum.terms) {
    const bool is_quotient =
        quotient.atom->kind == AtomKind::kQuotientVariable && quotient.IsTop() && quotient.lo > 1;
    const auto can_absorb = [&](const Term& term) { return CanAbsorb(quotient, term); };
    if (!is_quotient || llvm::none_of(sum.terms, can_absorb)) continue;
    if (quotients_kind_ == Quotients::kReadBack) {
      could_be_shorter_ = true;
      return;
    }
    std::optional<LinearForm> absorbed = WriteAbsorbing(sum, quotient);
    if (absorbed && absorbed->operations < form.operations) form = std::move(*absorbed);
  }
}

// Writes k * (S floordiv c) + k * b * t as k * ((S + b * c * t) floordiv c), for all terms t that
// the quotient can take up. Nullopt on overflow.
std::optional<LinearForm> ShortestForm::WriteAbsorbing(const Sum& sum, const Term& quotient) {
  Sum operand = quotient.atom->arguments.front();
  TermVector rest;
  for (const Term& term : sum.terms) {
    if (term == quotient) continue;
    if (!CanAbsorb(quotient, term)) {
      rest.push_back(term);
      continue;
    }
    const auto multiple = CheckedMul(term.coefficient / quotient.coefficient, quotient.lo);
    if (!multiple) return std::nullopt;
    Term one = term;
    one.coefficient = 1;
    const ScaledSum parts[] = {{operand, 1}, {context_.Store(one, 0), *multiple}};
    operand = Linear(context_, parts);
  }
  LinearForm form = Write(context_.Store(rest, sum.constant));
  Append(quotient.coefficient, DivideShortly(Write(operand), quotient.lo), form);
  Arrange(form);
  return form;
}

const Factor* ShortestForm::RemainderShortly(LinearForm operand, int64_t divisor) {
  if (quotients_kind_ == Quotients::kReadBack) {
    LinearForm shorter = operand;
    could_be_shorter_ = could_be_shorter_ || DropHiddenRemainder(shorter, divisor);
  } else {
    while (DropHiddenRemainder(operand, divisor)) {
    }
  }
  return Divide(FactorKind::kMod, std::move(operand), divisor);
}

const Factor* ShortestForm::DivideShortly(LinearForm operand, int64_t divisor) {
  if (quotients_kind_ == Quotients::kReadBack) {
    LinearForm shorter = operand;
    int64_t shorter_divisor = divisor;
    could_be_shorter_ = could_be_shorter_ || MergeQuotient(shorter, shorter_divisor) ||
                        DropRemainder(shorter, shorter_divisor);
    return Divide(FactorKind::kFloorDiv, std::move(operand), divisor);
  }
  while (MergeQuotient(operand, divisor) || DropRemainder(operand, divisor)) {
  }
  return Divide(FactorKind::kFloorDiv, std::move(operand), divisor);
}

// Writes (g * r + a * (s mod m)) floordiv g * c as (g * r) floordiv g * c, where the remainder and
// the constant stay below g together.
bool ShortestForm::DropRemainder(LinearForm& operand, int64_t& divisor) {
  for (auto* part = operand.parts.begin(); part != operand.parts.end(); ++part) {
    if (part->second->kind != FactorKind::kMod) continue;
    int64_t common = divisor;
    for (const auto& other : operand.parts) {
      if (other.first == support::kInt64Min) return false;
      if (&other != part) common = std::gcd(common, other.first);
    }
    const int64_t low = support::FloorMod(operand.constant, common);
    const auto most = CheckedMul(part->first, part->second->divisor - 1);
    if (!most || *most >= common - low || *most < -low) continue;
    operand.parts.erase(part);
    operand.constant -= low;
    ReduceFraction(operand, divisor);
    Arrange(operand);
    return true;
  }
  return false;
}

// Writes (r + s floordiv g) floordiv lo as (g * r + s) floordiv (g * lo), for the quotient that
// leaves least; -(s floordiv g) is (g - 1 - s) floordiv g. Unlike LiftedOperand, it does so without
// a remainder that s and r share: (d0 floordiv 6 - d0) floordiv 3 is (-d0 * 5) floordiv 18.
bool ShortestForm::MergeQuotient(LinearForm& operand, int64_t& lo) {
  std::optional<LinearForm> best;
  int64_t best_scale = 1;
  for (const auto& part : operand.parts) {
    const Factor& quotient = *part.second;
    const int64_t scale = quotient.divisor;
    const bool is_quotient = quotient.kind == FactorKind::kFloorDiv && scale > 1;
    if (!is_quotient || (part.first != 1 && part.first != -1) || !CheckedMul(lo, scale)) continue;
    LinearForm rest = operand;
    rest.parts.erase(rest.parts.begin() + (&part - operand.parts.begin()));
    LinearForm start;
    start.constant = part.first < 0 ? scale - 1 : 0;
    std::optional<LinearForm> merged = SumOf(std::move(start), scale, rest);
    if (merged) merged = SumOf(std::move(*merged), part.first, quotient.operand);
    if (!merged) continue;
    CountOperations(*merged);
    if (best && !IsShorter(*merged, *best)) continue;
    best = std::move(merged);
    best_scale = scale;
  }
  if (!best) return false;
  operand = std::move(*best);
  lo *= best_scale;
  ReduceFraction(operand, lo);
  Arrange(operand);
  return true;
}

// Divides `operand` and `divisor` by what all coefficients and the divisor have in common: the
// quotient stays the same.
void ShortestForm::ReduceFraction(LinearForm& operand, int64_t& divisor) {
  int64_t common = divisor;
  for (const auto& part : operand.parts) {
    if (part.first == support::kInt64Min) return;
    common = std::gcd(common, part.first);
  }
  for (auto& part : operand.parts) part.first /= common;
  operand.constant = support::FloorDiv(operand.constant, common);
  divisor /= common;
}

}  // namespace hlo_indexing::simplifier
