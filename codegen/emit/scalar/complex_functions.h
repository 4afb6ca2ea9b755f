// Exponential functions, logarithms, roots and powers of complex numbers.
//
// Example: Sqrt<Precision::kF32>(Complex<float>{-4.0F, 0.0F}) -> {0, 2}
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_FUNCTIONS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_FUNCTIONS_H_

#include "codegen/emit/scalar/complex.h"
#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/inverse_trigonometry.h"
#include "codegen/emit/scalar/power.h"
#include "codegen/emit/scalar/trigonometry.h"

namespace hlo_indexing::emit::scalar {

/// a b, but 0 if either is 0, even if the other is infinite or NaN.
template <Precision kPrecision, FloatScalar F>
F ProductOrZero(F a, F b) {
  const F zero = FloatConstant(a, 0.0);
  const auto sign = SignBitOf<kPrecision>(a) ^ SignBitOf<kPrecision>(b);
  return Select(Or(Equal(a, zero), Equal(b, zero)), FloatOf(sign), a * b);
}

/// e^x where it is about to be multiplied by a factor that may make a number of it again.
template <Precision kPrecision, FloatScalar F>
BinaryExp<F> WideExp(F x) {
  const F limited =
      Limit(x, PerPrecision<kPrecision>(-210, -1500), PerPrecision<kPrecision>(210, 1500));
  const BinaryExp<F> exp = ExpOf<kPrecision>(limited);
  const auto is_infinite = Equal(x, FloatConstant(x, kInfinity));
  return {Select(is_infinite, x, exp.power), exp.exponent};
}

/// e^x (cos y + i sin y).
template <Precision kPrecision, FloatScalar F>
Complex<F> Exp(const Complex<F>& z) {
  const BinaryExp<F> growth = WideExp<kPrecision>(z.real);
  const SineAndCosine<F> turn = SinCos<kPrecision>(z.imag);
  const auto part = [&](F factor) {
    return ScaleByLargePowerOfTwo<kPrecision>(ProductOrZero<kPrecision>(growth.power, factor),
                                              growth.exponent);
  };
  const Complex<F> value = {part(turn.cosine), part(turn.sine)};
  // e^-inf is 0 in any direction; e^inf is infinite even if nobody knows where.
  const F zero = FloatConstant(z.real, 0.0);
  const auto has_direction = IsFinite(z.imag);
  const auto vanishes = And(Equal(z.real, FloatConstant(zero, -kInfinity)), Not(has_direction));
  const auto explodes = And(Equal(z.real, FloatConstant(zero, kInfinity)), Not(has_direction));
  const Complex<F> or_infinite = {Select(explodes, z.real, value.real), value.imag};
  return Select(vanishes, Complex<F>{zero, zero}, or_infinite);
}

/// e^z - 1. With e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2) nothing cancels near 0.
template <Precision kPrecision, FloatScalar F>
Complex<F> Expm1(const Complex<F>& z) {
  const F half_sine = Sin<kPrecision>(z.imag * FloatConstant(z.imag, 0.5));
  const SineAndCosine<F> turn = SinCos<kPrecision>(z.imag);
  const F growth = Expm1<kPrecision>(z.real);
  const F square = half_sine * half_sine;
  const Complex<F> value = {growth * turn.cosine - (square + square),
                            (growth + FloatConstant(growth, 1.0)) * turn.sine};
  // Where 1 does not count, e^z is more robust.
  const auto is_large = Less(FloatConstant(growth, PerPrecision<kPrecision>(64, 512)), z.real);
  return Select(And(is_large, IsFinite(z.real)), Exp<kPrecision>(z), value);
}

/// log |z|. Near |z| = 1 from |z|^2 - 1, with the error of the square.
template <Precision kPrecision, FloatScalar F>
F LogOfAbs(const Complex<F>& z) {
  const F one = FloatConstant(z.real, 1.0);
  const F half = FloatConstant(z.real, 0.5);
  const DoubleWord<F> plain = SquaredMagnitude(z);
  const auto is_near = And(Less(half, plain.hi), Less(plain.hi, FloatConstant(one, 2.0)));
  const F near = half * Log1p<kPrecision>((plain.hi - one) + plain.lo);
  const ScaledComplex<F> scaled = ScaleToOne<kPrecision>(z);
  const DoubleWord<F> square = SquaredMagnitude(scaled.scaled);
  const LogReduction<F> reduced = ReduceForLog<kPrecision>(square.hi + square.lo);
  const F exponent = SignedToFloat(scaled.exponent);
  const F far = half * LogOfReduced<kPrecision>(
                           LogReduction<F>{reduced.exponent + (exponent + exponent), reduced.f});
  const F finite = Select(is_near, near, far);
  const F nan = z.real + z.imag;
  const F or_nan = Select(IsNan(nan), nan, finite);
  const F or_zero = Select(IsZero(z), FloatConstant(one, -kInfinity), or_nan);
  return Select(IsInfinite(z), FloatConstant(one, kInfinity), or_zero);
}

/// log |z| + i times the angle.
template <Precision kPrecision, FloatScalar F>
Complex<F> Log(const Complex<F>& z) {
  return {LogOfAbs<kPrecision>(z), Atan2<kPrecision>(z.imag, z.real)};
}

/// log(1 + z); near 0 with log |1 + z| = log1p(x (2 + x) + y^2) / 2.
template <Precision kPrecision, FloatScalar F>
Complex<F> Log1p(const Complex<F>& z) {
  const F one = FloatConstant(z.real, 1.0);
  const F half = FloatConstant(z.real, 0.5);
  const Complex<F> sum = {one + z.real, z.imag};
  const F square =
      SumOfProducts<kPrecision>(z.real, FloatConstant(one, 2.0) + z.real, z.imag, z.imag);
  const auto is_small = And(Less(Abs(z.real), half), Less(Abs(z.imag), half));
  const F small = half * Log1p<kPrecision>(square);
  return {Select(is_small, small, LogOfAbs<kPrecision>(sum)),
          Atan2<kPrecision>(sum.imag, sum.real)};
}

/// The root in the right half plane, on its border with the sign of the imaginary part.
template <Precision kPrecision, FloatScalar F>
Complex<F> Sqrt(const Complex<F>& z) {
  const ScaledComplex<F> scaled = ScaleToOne<kPrecision>(z);
  // An even exponent can be halved.
  const auto constant = [&](int64_t value) { return IntegerConstant(scaled.exponent, value); };
  const auto is_odd = Equal(scaled.exponent & constant(1), constant(1));
  const F one = FloatConstant(z.real, 1.0);
  const F half = FloatConstant(z.real, 0.5);
  const F factor = Select(is_odd, one + one, one);
  const F x = scaled.scaled.real * factor;
  const F y = scaled.scaled.imag * factor;
  const DoubleWord<F> square = SquaredMagnitude(Complex<F>{x, y});
  const F root = Sqrt((Abs(x) + Sqrt(square.hi + square.lo)) * half);
  const F other = Abs(y) / (root + root);
  const auto exponent = ShiftRightArithmeticBy(scaled.exponent, 1);
  const auto scale = [&](F part) { return ScaleByPowerOfTwo<kPrecision>(part, exponent); };
  const auto is_right = Not(HasSignBit<kPrecision>(z.real));
  const F zero = FloatConstant(z.real, 0.0);
  const F infinity = FloatConstant(z.real, kInfinity);
  const F real = scale(Select(is_right, root, other));
  const F imag = scale(Select(is_right, other, root));
  // sqrt 0 = 0; (x, inf) -> (inf, inf); (inf, y) -> (inf, 0); (-inf, y) -> (0, inf), NaN for 0 if y
  // is.
  const auto is_y_infinite = Equal(Abs(z.imag), infinity);
  const F nan_or_zero = Select(IsNan(z.imag), z.imag, zero);
  const auto is_x_infinite = Equal(Abs(z.real), infinity);
  const F real_or_x = Select(is_x_infinite, Select(is_right, infinity, nan_or_zero), real);
  const F imag_or_x = Select(is_x_infinite, Select(is_right, nan_or_zero, infinity), imag);
  const F real_or_y = Select(is_y_infinite, infinity, real_or_x);
  const F imag_or_y = Select(is_y_infinite, infinity, imag_or_x);
  const auto is_zero = IsZero(z);
  return {Select(is_zero, zero, real_or_y),
          WithSignOf<kPrecision>(Select(is_zero, zero, Abs(imag_or_y)), z.imag)};
}

/// 1 / sqrt z.
template <Precision kPrecision, FloatScalar F>
Complex<F> Rsqrt(const Complex<F>& z) {
  const Complex<F> one = {FloatConstant(z.real, 1.0), FloatConstant(z.real, 0.0)};
  return Divide<kPrecision>(one, Sqrt<kPrecision>(z));
}

/// e^(exponent log base); its error grows with |exponent log base|.
template <Precision kPrecision, FloatScalar F>
Complex<F> Power(const Complex<F>& base, const Complex<F>& exponent) {
  const F zero = FloatConstant(base.real, 0.0);
  const Complex<F> product = Multiply<kPrecision>(exponent, Log<kPrecision>(base));
  const Complex<F> power = Exp<kPrecision>(product);
  const auto vanishes = And(IsZero(base), Less(zero, exponent.real));
  const Complex<F> or_zero = Select(vanishes, Complex<F>{zero, zero}, power);
  return Select(IsZero(exponent), Complex<F>{FloatConstant(zero, 1.0), zero}, or_zero);
}

/// The root with the least angle: z^(1/3).
template <Precision kPrecision, FloatScalar F>
Complex<F> Cbrt(const Complex<F>& z) {
  // |z| may be too large or lose digits: a third of the exponent is taken apart.
  const ScaledComplex<F> scaled = ScaleToOne<kPrecision>(z);
  const auto constant = [&](int64_t value) { return IntegerConstant(scaled.exponent, value); };
  const auto third = ShiftRightArithmeticBy(scaled.exponent * constant(0x5556), 16);
  const auto rest = scaled.exponent - third * constant(3);
  const F magnitude = Abs<kPrecision>(scaled.scaled) * PowerOfTwo<kPrecision>(rest);
  const F root = Cbrt<kPrecision>(magnitude) * PowerOfTwo<kPrecision>(third);
  const F angle = Atan2<kPrecision>(z.imag, z.real) * FloatConstant(z.real, 1.0 / 3);
  const SineAndCosine<F> turn = SinCos<kPrecision>(angle);
  // Infinity has no angle, as e^(log z / 3) has none.
  const auto is_infinite = IsInfinite(z);
  return {Select(is_infinite, root, root * turn.cosine),
          Select(is_infinite, FloatConstant(root, kNan), root * turn.sine)};
}

/// 1 / (1 + e^-z), or e^z / (1 + e^z).
template <Precision kPrecision, FloatScalar F>
Complex<F> Logistic(const Complex<F>& z) {
  const F zero = FloatConstant(z.real, 0.0);
  const Complex<F> one = {FloatConstant(z.real, 1.0), zero};
  const auto is_negative = Less(z.real, zero);
  const Complex<F> exp = Exp<kPrecision>(Select(is_negative, z, -z));
  return Divide<kPrecision>(Select(is_negative, exp, one), one + exp);
}

/// -i log((x + i y) / sqrt(x^2 + y^2)).
template <Precision kPrecision, FloatScalar F>
Complex<F> Atan2(const Complex<F>& y, const Complex<F>& x) {
  const Complex<F> square = Multiply<kPrecision>(x, x) + Multiply<kPrecision>(y, y);
  const Complex<F> direction = Divide<kPrecision>(x + TimesI(y), Sqrt<kPrecision>(square));
  return TimesMinusI(Log<kPrecision>(direction));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_FUNCTIONS_H_
