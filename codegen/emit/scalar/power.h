// Powers and roots.
//
//   x^y = e^(y log x), where y log x may be in the hundreds, and its error counts in full: the
//   logarithm is computed with twice the precision.
//
// Example: Power<Precision::kF32>(2.0F, 0.5F) -> 1.4142135F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_POWER_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_POWER_H_

#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// log(1 + f) = 2 s + 2/3 s^3 + s^5 P(s^2) with s = f / (2 + f), the first two terms with twice the
/// precision.
template <Precision kPrecision, FloatScalar F>
DoubleWord<F> PreciseLog1p(F f) {
  const F two = FloatConstant(f, 2.0);
  const DoubleWord<F> sum = FastSum(two, f);
  const F inverse = FloatConstant(f, 1.0) / sum.hi;
  const F quotient = f * inverse;
  const F rest = Fma(-quotient, sum.lo, Fma(-quotient, sum.hi, f));
  const DoubleWord<F> s = {quotient, rest * inverse};
  const DoubleWord<F> square = Multiply(s, s);
  const DoubleWord<F> cube = Multiply(s, square);
  const DoubleWord<F> two_thirds = {
      FloatConstant(f, PerPrecision<kPrecision>(0x1.555556p-1, 0x1.5555555555555p-1)),
      FloatConstant(f, PerPrecision<kPrecision>(-0x1.555556p-26, 0x1.5555555555555p-55))};
  const DoubleWord<F> third = Multiply(cube, two_thirds);
  F fifth = square.hi;
  if constexpr (kPrecision == Precision::kF32) {
    fifth = Polynomial(square.hi, polynomials::kLogTailF32);
  } else {
    fifth = Polynomial(square.hi, polynomials::kLogTailF64);
  }
  const DoubleWord<F> first = FastSum(two * s.hi, third.hi);
  const F low = Fma(cube.hi * square.hi, fifth, third.lo);
  return {first.hi, first.lo + Fma(two, s.lo, low)};
}

/// log x of a positive finite number, with twice the precision.
template <Precision kPrecision, FloatScalar F>
DoubleWord<F> PreciseLog(F x) {
  const LogReduction<F> reduced = ReduceForLog<kPrecision>(x);
  const DoubleWord<F> log = PreciseLog1p<kPrecision>(reduced.f);
  // log 2 in two pieces, of which the first times an exponent is exact.
  const double log_two = PerPrecision<kPrecision>(0x1.62e8p-1, 0x1.62e42fefa4p-1);
  const double rest = PerPrecision<kPrecision>(-0x1.e8082ep-16, -0x1.8432a1b0e2634p-43);
  const DoubleWord<F> sum = FastSum(reduced.exponent * FloatConstant(x, log_two), log.hi);
  const F low = Fma(reduced.exponent, FloatConstant(x, rest), log.lo);
  return FastSum(sum.hi, sum.lo + low);
}

/// |x|^y for x neither 0 nor infinite and y not infinite.
template <Precision kPrecision, FloatScalar F>
F PowerOfMagnitude(F magnitude, F y) {
  const DoubleWord<F> log = PreciseLog<kPrecision>(magnitude);
  const F product = y * log.hi;
  const F error = Fma(y, log.lo, Fma(y, log.hi, -product));
  const auto is_moderate = Less(Abs(product), FloatConstant(y, 1000.0));
  const F tail = Select(is_moderate, error, FloatConstant(y, 0.0));
  const BinaryExp<F> exp = ExpOfSum<kPrecision>(LimitForExp<kPrecision>(product), tail);
  return ScaleByPowerOfTwo<kPrecision>(exp.power, exp.exponent);
}

/// x^y, as C's pow.
template <Precision kPrecision, FloatScalar F>
F Power(F x, F y) {
  const F zero = FloatConstant(x, 0.0);
  const F one = FloatConstant(x, 1.0);
  const F infinity = FloatConstant(x, kInfinity);
  const F magnitude = Abs(x);
  const F finite = PowerOfMagnitude<kPrecision>(magnitude, y);
  // Infinite exponents, and powers of 0 and of infinity: infinite if both or none point upward.
  const auto is_extreme =
      Or(Equal(magnitude, zero), Or(Equal(magnitude, infinity), Equal(Abs(y), infinity)));
  const F growth = Select(Less(one, magnitude), y, -y);
  const F limit = Select(Less(zero, growth), infinity, zero);
  const F power = Select(is_extreme, limit, finite);
  // Negative x: y must be an integer; odd ones keep the sign.
  const auto is_integer = Equal(Trunc(y), y);
  const F half = y * FloatConstant(y, 0.5);
  const auto is_odd = And(is_integer, Not(Equal(Trunc(half), half)));
  const auto is_negative = HasSignBit<kPrecision>(x);
  const F with_sign = Select(And(is_negative, is_odd), -power, power);
  const auto is_undefined = And(And(Less(x, zero), Not(is_integer)), Not(is_extreme));
  const F defined = Select(is_undefined, FloatConstant(x, kNan), with_sign);
  const F or_nan = Select(Or(IsNan(x), IsNan(y)), x + y, defined);
  const auto is_one =
      Or(Or(Equal(x, one), Equal(y, zero)), And(Equal(magnitude, one), Equal(Abs(y), infinity)));
  return Select(is_one, one, or_nan);
}

/// 1 / sqrt x.
template <Precision kPrecision, FloatScalar F>
F Rsqrt(F x) {
  return FloatConstant(x, 1.0) / Sqrt(x);
}

/// The cube root, with the sign of x.
template <Precision kPrecision, FloatScalar F>
F Cbrt(F x) {
  constexpr bool kIsF32 = kPrecision == Precision::kF32;
  // Small numbers are scaled, so that no error of a product vanishes.
  const F magnitude = Abs(x);
  const auto is_small = Less(magnitude, FloatConstant(x, kIsF32 ? 0x1p-60 : 0x1p-600));
  const F scaled = magnitude * FloatConstant(x, kIsF32 ? 0x1p90 : 0x1p600);
  const F a = Select(is_small, scaled, magnitude);
  // The bits of a float are nearly its logarithm: a third of them, subtracted from 4/3 of those of
  // 1, are nearly those of 1 / cbrt a.
  const auto bits = BitsOf(a);
  const auto third =
      MultiplyHighUnsigned(bits, IntegerConstant(bits, kIsF32 ? 0x55555556 : 0x5555555555555556));
  F root = FloatOf(IntegerConstant(bits, kIsF32 ? 0x548c2b4b : 0x553ef0ff289dd796) - third);
  // Halley's iteration for 1 / cbrt a: with h = 1 - a root^3, root (1 - h)^(-1/3).
  for (int i = 0; i < (kIsF32 ? 2 : 3); ++i) {
    const F h = Fma(-(a * root), root * root, FloatConstant(x, 1.0));
    const F factor = Fma(h, FloatConstant(x, 2.0 / 9), FloatConstant(x, 1.0 / 3));
    root = Fma(root * h, factor, root);
  }
  // cbrt a = a root^2, improved once more by Newton's iteration, with the error of its square.
  const F estimate = a * root * root;
  const DoubleWord<F> square = ExactProduct(estimate, estimate);
  const F rest = Fma(-square.lo, estimate, Fma(-square.hi, estimate, a));
  const F result = Fma(rest, root * root * FloatConstant(x, 1.0 / 3), estimate);
  const F unscaled = result * FloatConstant(x, kIsF32 ? 0x1p-30 : 0x1p-200);
  const F value = WithSignOf<kPrecision>(Select(is_small, unscaled, result), x);
  const auto is_regular = And(IsFinite(x), Not(Equal(x, FloatConstant(x, 0.0))));
  return Select(is_regular, value, x);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_POWER_H_
