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
