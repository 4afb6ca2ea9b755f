#include "codegen/ptx/numerics/f64.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics::internal {
namespace {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): __extension__

// +-significand * 2^exponent. Where bits had to be dropped, the lowest bit is set ("jammed"): it
// stands for what is below it, far below the place where the result is rounded.
struct Number {
  bool is_negative;
  int exponent;
  Wide significand;
};

Number Unpack(double value) {
  const uint64_t bits = BitsOf(value);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  return {bits >> 63 != 0, std::max(field, 1) - 1075,
          field == 0 ? mantissa : mantissa | uint64_t{1} << 52};
}

int LeadingZeros(Wide value) {
  const uint64_t high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(value));
}

// The number with the top bit of its significand at bit 125, which leaves room for a carry.
void Normalize(Number& number) {
  const int shift = LeadingZeros(number.significand) - 2;
  if (shift >= 0) {
    number.significand <<= shift;
  } else {
    number.significand = number.significand >> -shift | (number.significand & 1);
  }
  number.exponent -= shift;
}

Wide ShiftRightJamming(Wide value, int shift) {
  if (shift == 0) return value;
  if (shift > 127) return value != 0 ? 1 : 0;
  const bool lost = (value & ((Wide{1} << shift) - 1)) != 0;
  return value >> shift | (lost ? 1 : 0);
}

double Round(Number number, Rounding rounding) {
  // 64 bits are kept, and whether there were more.
  Normalize(number);
  const Unrounded value = {.is_negative = number.is_negative,
                           .exponent = number.exponent + 62,
                           .significand = static_cast<uint64_t>(number.significand >> 62),
                           .is_inexact = (number.significand & ((Wide{1} << 62) - 1)) != 0};
  return DoubleOf(RoundTo(kF64Format, value, {.rounding = rounding}));
}

// The sum of numbers of at most 106 bits.
double AddNumbers(Number a, Number b, Rounding rounding) {
  const bool is_zero_negative =
      a.is_negative == b.is_negative ? a.is_negative : rounding == Rounding::kDown;
  if (a.significand == 0 && b.significand == 0) return is_zero_negative ? -0.0 : 0.0;
  if (a.significand == 0) return Round(b, rounding);
  if (b.significand == 0) return Round(a, rounding);
  Normalize(a);
  Normalize(b);
  if (a.exponent < b.exponent) std::swap(a, b);
  // Bits are lost only where b is 2^20 times smaller, so that the sum has its top bit at 124 or
  // above.
  b.significand = ShiftRightJamming(b.significand, a.exponent - b.exponent);
  if (a.is_negative == b.is_negative) {
    a.significand += b.significand;
  } else if (a.significand >= b.significand) {
    a.significand -= b.significand;
    if (a.significand == 0) return is_zero_negative ? -0.0 : 0.0;
  } else {
    a.significand = b.significand - a.significand;
    a.is_negative = b.is_negative;
  }
  return Round(a, rounding);
}

}  // namespace

double AddFinite(double a, double b, Rounding rounding) {
  return AddNumbers(Unpack(a), Unpack(b), rounding);
}

double FmaFinite(double a, double b, double c, Rounding rounding) {
  const Number x = Unpack(a);
  const Number y = Unpack(b);
  return AddNumbers(
      {x.is_negative != y.is_negative, x.exponent + y.exponent, x.significand * y.significand},
      Unpack(c), rounding);
}

double DivFinite(double a, double b, Rounding rounding) {
  Number x = Unpack(a);
  const Number y = Unpack(b);
  // A dividend of 126 bits gives a quotient of at least 73.
  Normalize(x);
  const Wide quotient = x.significand / y.significand;
  const bool is_inexact = x.significand % y.significand != 0;
  return Round({x.is_negative != y.is_negative, x.exponent - y.exponent - 1,
                quotient << 1 | (is_inexact ? 1 : 0)},
               rounding);
}

double SqrtFinite(double value, Rounding rounding) {
  Number number = Unpack(value);
  Normalize(number);
  if ((number.exponent & 1) != 0) {
    number.significand <<= 1;
    --number.exponent;
  }
  // The integer root, bit by bit: 64 bits, of which 53 are kept.
  Wide root = 0;
  Wide rest = number.significand;
  for (Wide bit = Wide{1} << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return Round({false, number.exponent / 2 - 1, root << 1 | (rest != 0 ? 1 : 0)}, rounding);
}

}  // namespace hlo_indexing::ptx::numerics::internal
