#include "simplifier/rebasing.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "simplifier/linear_form_parts.h"

namespace hlo_indexing::simplifier {

using support::CheckedAdd;
using support::CheckedMul;
using support::CheckedSub;

namespace {

// A sum of quotients of one value x, by divisors in ascending order.
class QuotientSum {
 public:
  // coefficient * (x floordiv divisor), or of the remainder of that quotient.
  struct Part {
    int64_t divisor = 1;
    int64_t coefficient = 0;
    int64_t modulus = kUnbounded;
  };

  llvm::ArrayRef<Part> parts() const { return parts_; }

  // False on overflow.
  bool Add(int64_t divisor, int64_t coefficient) {
    Part& part = PartOf(divisor);
    const auto sum = CheckedAdd(part.coefficient, coefficient);
    if (sum) part.coefficient = *sum;
    return sum.has_value();
  }

  // Writes k * Q * (x floordiv PQ) as k * (x floordiv P) - k * ((x floordiv P) mod Q) where that
  // takes fewer parts or multiplications, and no more divisions.
  void TakeRemainders() {
    (void)PartOf(1);
    for (size_t i = 1; i < parts_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (TakeRemainder(parts_[j], parts_[i])) break;
      }
    }
  }

 private:
  static int Length(int64_t coefficient) {
    const bool is_multiplied = coefficient != 1 && coefficient != -1;
    return coefficient == 0 ? 0 : kPart + (is_multiplied ? 1 : 0);
  }

  static bool TakeRemainder(Part& low, Part& high) {
    if (low.modulus != kUnbounded || high.divisor % low.divisor != 0) return false;
    const int64_t scale = high.divisor / low.divisor;
    if (high.coefficient % scale != 0) return false;
    const int64_t taken = high.coefficient / scale;
    const auto rest = CheckedAdd(low.coefficient, taken);
    if (taken == 0 || !rest || (low.divisor > 1 && *rest != 0)) return false;
    const int before = Length(low.coefficient) + Length(high.coefficient);
    if (Length(*rest) + Length(taken) >= before) return false;
    low.coefficient = *rest;
    high = {low.divisor, -taken, scale};
    return true;
  }

  Part& PartOf(int64_t divisor) {
    Part* place = llvm::lower_bound(parts_, divisor,
                                    [](const Part& part, int64_t d) { return part.divisor < d; });
    if (place == parts_.end() || place->divisor != divisor) {
      place = parts_.insert(place, Part{divisor, 0, kUnbounded});
    }
    return *place;
  }

  // More than multiplications of two parts can weigh.
  static constexpr int kPart = 4;

  llvm::SmallVector<Part, 8> parts_;
};

}  // namespace

Rebasing::Rebasing(ShortestForm& writer, llvm::ArrayRef<Term> digits)
    : writer_(writer), digits_(digits) {
  atom_ = digits.front().atom;
  boundaries_.push_back(digits.front().lo);
  for (const Term& digit : digits) {
    if (unbounded_ || digit.lo < boundaries_.back() || digit.lo % boundaries_.back() != 0) {
      valid_ = false;
      return;
    }
    if (digit.lo > boundaries_.back()) {
      coefficients_.push_back(0);
      boundaries_.push_back(digit.lo);
    }
    coefficients_.push_back(digit.coefficient);
    unbounded_ = digit.IsTop();
    const std::optional<int64_t> end = CheckedMul(digit.lo, digit.extent);
    valid_ &= unbounded_ || end.has_value();
    boundaries_.push_back(unbounded_ || !end ? kUnbounded : *end);
  }
}

std::optional<LinearForm> Rebasing::Write(size_t split) {
  LinearForm form;
  int64_t previous = 0;
  for (size_t j = 0; j < split; ++j) {
    if (coefficients_[j] % boundaries_[j] != 0) return std::nullopt;
    const int64_t scaled = coefficients_[j] / boundaries_[j];
    if (!AppendRemainder(CheckedSub(previous, scaled), boundaries_[j], form)) return std::nullopt;
    previous = scaled;
  }
  if (!AppendRemainder(previous, boundaries_[split], form)) return std::nullopt;
  std::optional<int64_t> carried = 0;
  for (size_t j = split; j < coefficients_.size(); ++j) {
    const std::optional<int64_t> coefficient = CheckedSub(coefficients_[j], *carried);
    if (!AppendQuotient(coefficient, boundaries_[j], form)) return std::nullopt;
    if (boundaries_[j + 1] == kUnbounded) return form;
    carried = CheckedMul(coefficients_[j], boundaries_[j + 1] / boundaries_[j]);
    if (!carried) return std::nullopt;
  }
  if (split < coefficients_.size() &&
      !AppendQuotient(CheckedSub(0, *carried), boundaries_.back(), form)) {
    return std::nullopt;
  }
  return form;
}

bool Rebasing::AppendRemainder(std::optional<int64_t> coefficient, int64_t divisor,
                               LinearForm& form) {
  if (!coefficient) return false;
  if (*coefficient == 0 || divisor == 1) return true;
  if (divisor == kUnbounded) {
    writer_.AppendForm(*coefficient, writer_.Value(atom_), form);
    return true;
  }
  Append(*coefficient, writer_.Divide(FactorKind::kMod, writer_.Value(atom_), divisor), form);
  return true;
}

bool Rebasing::AppendQuotient(std::optional<int64_t> coefficient, int64_t divisor,
                              LinearForm& form) {
  if (!coefficient) return false;
  if (*coefficient == 0) return true;
  if (divisor == 1) {
    writer_.AppendForm(*coefficient, writer_.Value(atom_), form);
    return true;
  }
  Append(*coefficient, writer_.Quotient(atom_, divisor), form);
  return true;
}

std::optional<LinearForm> Rebasing::WriteByQuotients() {
  QuotientSum sum;
  for (const Term& digit : digits_) {
    if (!sum.Add(digit.lo, digit.coefficient)) return std::nullopt;
    if (digit.IsTop()) continue;
    const auto end = CheckedMul(digit.lo, digit.extent);
    const auto carried = CheckedMul(digit.coefficient, digit.extent);
    const auto coefficient = carried ? CheckedSub(0, *carried) : std::nullopt;
    if (!end || !coefficient || !sum.Add(*end, *coefficient)) return std::nullopt;
  }
  sum.TakeRemainders();
  LinearForm form;
  for (const QuotientSum::Part& part : sum.parts()) {
    if (part.modulus == kUnbounded) {
      if (!AppendQuotient(part.coefficient, part.divisor, form)) return std::nullopt;
    } else if (part.divisor == 1) {
      if (!AppendRemainder(part.coefficient, part.modulus, form)) return std::nullopt;
    } else {
      LinearForm quotient;
      if (!AppendQuotient(1, part.divisor, quotient)) return std::nullopt;
      CountOperations(quotient);
      Append(part.coefficient, writer_.Divide(FactorKind::kMod, std::move(quotient), part.modulus),
             form);
    }
  }
  return form;
}

}  // namespace hlo_indexing::simplifier
