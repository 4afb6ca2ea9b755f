// The exact operations on floats beside the arithmetic ones: signs, rounding to integers, the total
// order, remainders. Maximum and Minimum of scalar_concept.h are HLO's already.
//
// Example: Remainder<Precision::kF32>(-7.5F, 2.0F) -> -1.5F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_SEMANTICS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_SEMANTICS_H_

#include <tuple>

#include "codegen/emit/scalar/float_parts.h"

namespace hlo_indexing::emit::scalar {

/// -1 or 1; 0 and NaN stay.
template <Precision kPrecision, FloatScalar F>
F Sign(F x) {
  const F one = WithSignOf<kPrecision>(FloatConstant(x, 1.0), x);
  const auto stays = Or(IsNan(x), Equal(x, FloatConstant(x, 0.0)));
  return Select(stays, x, one);
}

/// `low` above `high` gives `high`.
template <FloatScalar F>
F Clamp(F low, F x, F high) {
  return Minimum(Maximum(x, low), high);
}

/// The nearest integer; of two, the one away from 0.
template <Precision kPrecision, FloatScalar F>
F RoundAwayFromZero(F x) {
  const F whole = Trunc(x);
  const F one = WithSignOf<kPrecision>(FloatConstant(x, 1.0), x);
  // Without error, as both are multiples of the last place of x.
  const auto is_nearer = Less(Abs(x - whole), FloatConstant(x, 0.5));
  const auto is_whole = Not(IsFinite(x));
  return Select(Or(is_nearer, is_whole), whole, whole + one);
}

/// An integer whose order, as if signed, is the total order: -nan, -inf, ..., -0, 0, ..., inf, nan.
template <Precision kPrecision, FloatScalar F>
auto TotalOrderRank(F x) {
  const auto bits = BitsOf(x);
  const auto flipped = bits ^ IntegerConstant(bits, ~SignBits<kPrecision>());
  return Select(HasSignBit<kPrecision>(x), flipped, bits);
}

/// x = mantissa 2^exponent, the mantissa at least 1 and below 2.
template <typename F>
struct Binary {
  F mantissa;
  BitsType<F> exponent;
};
/// Of a number that is positive and finite.
template <Precision kPrecision, FloatScalar F>
Binary<F> SplitBinary(F x) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  const auto is_subnormal = Less(x, FloatConstant(x, LeastNormal<kPrecision>()));
  const F scale = FloatConstant(x, PerPrecision<kPrecision>(0x1p23, 0x1p52));
  const auto bits = BitsOf(Select(is_subnormal, x * scale, x));
  const auto field = ShiftRightLogicalBy(bits, kMantissa);
  const auto bias = Select(is_subnormal, IntegerConstant(bits, Bias<kPrecision>() + kMantissa),
                           IntegerConstant(bits, Bias<kPrecision>()));
  const auto mantissa = (bits & IntegerConstant(bits, (int64_t{1} << kMantissa) - 1)) |
                        IntegerConstant(bits, int64_t{Bias<kPrecision>()} << kMantissa);
  return {FloatOf(mantissa), field - bias};
}

/// The remainder of x by y, both positive and finite, x not less than y: as by hand, a few digits
/// of the quotient at a time.
template <Precision kPrecision, FloatScalar F>
F PositiveRemainder(F x, F y) {
  using I = BitsType<F>;
  // Digits of so many bits; the quotient has 276 or 2097.
  constexpr int kDigit = MantissaBits<kPrecision>() - 1;
  constexpr int kDigits = kPrecision == Precision::kF32 ? 13 : 42;
  const Binary<F> a = SplitBinary<kPrecision>(x);
  const Binary<F> b = SplitBinary<kPrecision>(y);
  const F divisor = b.mantissa;
  const F zero = FloatConstant(x, 0.0);
  const auto step = [&](F rest, I left) {
    const I most = IntegerConstant(left, kDigit);
    const I digit = Select(LessSigned(left, most), left, most);
    const F shifted = rest * PowerOfTwo<kPrecision>(digit);
    // The quotient may be rounded up to the next integer; the difference is exact.
    const F difference = Fma(-Trunc(shifted / divisor), divisor, shifted);
    return std::make_tuple(Select(Less(difference, zero), difference + divisor, difference),
                           left - digit);
  };
  const F first = Select(Less(a.mantissa, divisor), a.mantissa, a.mantissa - divisor);
  const F rest =
      std::get<0>(Repeat(kDigits, std::make_tuple(first, I(a.exponent - b.exponent)), step));
  return ScaleByPowerOfTwo<kPrecision>(rest, b.exponent);
}

/// x - y n with n = x / y without its fraction; exact, with the sign of x.
template <Precision kPrecision, FloatScalar F>
F Remainder(F x, F y) {
  const F ax = Abs(x);
  const F ay = Abs(y);
  const F zero = FloatConstant(x, 0.0);
  const auto is_regular = And(And(IsFinite(x), IsFinite(y)), Not(Less(ax, ay)));
  const auto is_defined = And(IsFinite(x), Not(Equal(y, zero)));
  const F remainder = Branch(
      And(is_regular, is_defined),
      [&] { return WithSignOf<kPrecision>(PositiveRemainder<kPrecision>(ax, ay), x); },
      [&] { return x; });
  const F or_undefined = Select(is_defined, remainder, FloatConstant(x, kNan));
  return Select(Or(IsNan(x), IsNan(y)), x + y, or_undefined);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_SEMANTICS_H_
