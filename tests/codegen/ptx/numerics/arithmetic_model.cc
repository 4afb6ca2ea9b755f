#include "tests/codegen/ptx/numerics/arithmetic_model.h"

#include <cstdint>
#include <optional>

#include "codegen/ptx/numerics/rounding.h"
#include "tests/codegen/ptx/numerics/exact.h"

namespace hlo_indexing::ptx::numerics::exact {
namespace {

uint64_t Infinity(const Format& format, bool is_negative) {
  return (format.greatest + 1) | (is_negative ? format.sign_bit : 0);
}

bool IsNegative(const Format& format, uint64_t bits) { return (bits & format.sign_bit) != 0; }

bool IsZero(const Format& format, uint64_t bits) { return (bits & (format.sign_bit - 1)) == 0; }

uint64_t Input(const Format& format, const Mode& mode, uint64_t bits) {
  const bool is_subnormal = (bits & (format.sign_bit - 1)) < uint64_t{1} << format.mantissa_bits;
  return mode.flush && is_subnormal ? bits & format.sign_bit : bits;
}

// A finite product, which may be a zero with a sign, plus a finite addend.
uint64_t RoundSum(const Format& format, const Mode& mode, const Dyadic& a, const Dyadic& b) {
  Dyadic sum = a.Plus(b);
  if (sum.magnitude.IsZero()) {
    sum.is_negative =
        a.is_negative == b.is_negative ? a.is_negative : mode.rounding == Rounding::kDown;
  }
  return Round(format, Known(sum), mode.rounding, mode.flush);
}

}  // namespace

std::optional<uint64_t> Sum(const Format& format, const Mode& mode, uint64_t a, uint64_t b) {
  a = Input(format, mode, a);
  b = Input(format, mode, b);
  if (IsNan(format, a) || IsNan(format, b)) return std::nullopt;
  if (!IsFinite(format, a)) {
    return IsFinite(format, b) || a == b ? std::optional(a) : std::nullopt;
  }
  if (!IsFinite(format, b)) return b;
  return RoundSum(format, mode, ValueOf(format, a), ValueOf(format, b));
}

std::optional<uint64_t> Product(const Format& format, const Mode& mode, uint64_t a, uint64_t b) {
  a = Input(format, mode, a);
  b = Input(format, mode, b);
  if (IsNan(format, a) || IsNan(format, b)) return std::nullopt;
  if (!IsFinite(format, a) || !IsFinite(format, b)) {
    if (IsZero(format, a) || IsZero(format, b)) return std::nullopt;
    return Infinity(format, IsNegative(format, a) != IsNegative(format, b));
  }
  return Round(format, Known(ValueOf(format, a).Times(ValueOf(format, b))), mode.rounding,
               mode.flush);
}

std::optional<uint64_t> Fused(const Format& format, const Mode& mode, uint64_t a, uint64_t b,
                              uint64_t c) {
  a = Input(format, mode, a);
  b = Input(format, mode, b);
  c = Input(format, mode, c);
  if (!IsFinite(format, a) || !IsFinite(format, b)) {
    const std::optional<uint64_t> product = Product(format, mode, a, b);
    return product.has_value() ? Sum(format, mode, *product, c) : std::nullopt;
  }
  if (IsNan(format, c)) return std::nullopt;
  if (!IsFinite(format, c)) return c;
  return RoundSum(format, mode, ValueOf(format, a).Times(ValueOf(format, b)), ValueOf(format, c));
}

std::optional<uint64_t> Ratio(const Format& format, const Mode& mode, uint64_t a, uint64_t b) {
  a = Input(format, mode, a);
  b = Input(format, mode, b);
  if (IsNan(format, a) || IsNan(format, b)) return std::nullopt;
  const bool is_negative = IsNegative(format, a) != IsNegative(format, b);
  const uint64_t zero = is_negative ? format.sign_bit : 0;
  if (!IsFinite(format, a)) {
    return IsFinite(format, b) ? std::optional(Infinity(format, is_negative)) : std::nullopt;
  }
  if (!IsFinite(format, b)) return zero;
  if (IsZero(format, b)) {
    return IsZero(format, a) ? std::nullopt : std::optional(Infinity(format, is_negative));
  }
  if (IsZero(format, a)) return zero;
  return Round(format, Quotient(ValueOf(format, a), ValueOf(format, b)), mode.rounding, mode.flush);
}

std::optional<uint64_t> SquareRoot(const Format& format, const Mode& mode, uint64_t a) {
  a = Input(format, mode, a);
  if (IsNan(format, a)) return std::nullopt;
  if (IsZero(format, a)) return a;
  if (IsNegative(format, a)) return std::nullopt;
  if (!IsFinite(format, a)) return a;
  return Round(format, Root(ValueOf(format, a)), mode.rounding, mode.flush);
}

uint64_t Saturated(const Format& format, std::optional<uint64_t> result) {
  if (!result.has_value() || IsNegative(format, *result)) return 0;
  const uint64_t one = static_cast<uint64_t>(format.bias) << format.mantissa_bits;
  return *result > one ? one : *result;
}

}  // namespace hlo_indexing::ptx::numerics::exact
