// Circular and hyperbolic functions of complex numbers, and their inverses (W. Kahan, "Branch cuts
// for complex elementary functions", 1987).
//
//   sinh(x + i y) = sinh x cos y + i cosh x sin y,   sin z = -i sinh(i z)
//
// Example: Cos<Precision::kF32>(Complex<float>{0.0F, 1.0F}) -> {1.5430806, -0}
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_TRIGONOMETRY_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_TRIGONOMETRY_H_

#include "codegen/emit/scalar/complex.h"
#include "codegen/emit/scalar/complex_functions.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/hyperbolic.h"
#include "codegen/emit/scalar/inverse_trigonometry.h"
#include "codegen/emit/scalar/trigonometry.h"

namespace hlo_indexing::emit::scalar {

/// a sinh x and b cosh x, which may be numbers where sinh x and cosh x are not.
template <typename F>
struct HyperbolicProducts {
  F of_sinh;
  F of_cosh;
};
template <Precision kPrecision, FloatScalar F>
HyperbolicProducts<F> MultiplyHyperbolic(F x, F a, F b) {
  const F magnitude = Abs(x);
  const F quarter = FloatConstant(x, 0.25);
  const BinaryExp<F> exp = WideExp<kPrecision>(magnitude);
  const auto less = exp.exponent - IntegerConstant(exp.exponent, 1);
  // Large x: both are e^x / 2, which is scaled last.
  const auto is_large = Less(FloatConstant(x, PerPrecision<kPrecision>(20, 40)), magnitude);
  const auto scale = [&](F value) { return ScaleByLargePowerOfTwo<kPrecision>(value, less); };
  const F half = scale(exp.power);
  const F inverse = quarter / half;
  const F sinh = Select(Less(magnitude, FloatConstant(x, 1.0)), SinhOfSmall<kPrecision>(magnitude),
                        half - inverse);
  const F large_a = scale(ProductOrZero<kPrecision>(exp.power, a));
  const F large_b = scale(ProductOrZero<kPrecision>(exp.power, b));
  const F with_sinh = Select(is_large, large_a, ProductOrZero<kPrecision>(sinh, a));
  const F with_cosh = Select(is_large, large_b, ProductOrZero<kPrecision>(half + inverse, b));
  return {FlipSign(with_sinh, SignBitOf<kPrecision>(x)), with_cosh};
}

/// The real part of sinh z or cosh z: infinite if that of z is, even if nobody knows where.
template <FloatScalar F>
F OrInfinite(const Complex<F>& z, F real) {
  const auto is_infinite = Equal(Abs(z.real), FloatConstant(real, kInfinity));
  return Select(And(is_infinite, Not(IsFinite(z.imag))), z.real, real);
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Sinh(const Complex<F>& z) {
  const SineAndCosine<F> turn = SinCos<kPrecision>(z.imag);
  const HyperbolicProducts<F> parts =
      MultiplyHyperbolic<kPrecision>(z.real, turn.cosine, turn.sine);
  return {OrInfinite(z, parts.of_sinh), parts.of_cosh};
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Cosh(const Complex<F>& z) {
  const SineAndCosine<F> turn = SinCos<kPrecision>(z.imag);
  const HyperbolicProducts<F> parts =
      MultiplyHyperbolic<kPrecision>(z.real, turn.sine, turn.cosine);
  const Complex<F> right = {Abs(z.real), z.imag};
  return {OrInfinite(right, parts.of_cosh), parts.of_sinh};
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Sin(const Complex<F>& z) {
  return TimesMinusI(Sinh<kPrecision>(TimesI(z)));
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Cos(const Complex<F>& z) {
  return Cosh<kPrecision>(TimesI(z));
}

/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); for large x ±1 + 4 i sin y cos y
/// e^-2|x|.
template <Precision kPrecision, FloatScalar F>
Complex<F> Tanh(const Complex<F>& z) {
  const F zero = FloatConstant(z.real, 0.0);
  const F one = FloatConstant(z.real, 1.0);
  const F magnitude = Abs(z.real);
  const SineAndCosine<F> turn = SinCos<kPrecision>(z.imag);
  const F limit = FloatConstant(z.real, PerPrecision<kPrecision>(12, 24));
  const auto is_large = Less(limit, magnitude);
  const F moderate = Select(is_large, limit, magnitude);
  const F sinh = Sinh<kPrecision>(moderate);
  const F cosh = Cosh<kPrecision>(moderate);
  const F denominator = Fma(sinh, sinh, turn.cosine * turn.cosine);
  const F product = turn.sine * turn.cosine;
  const F decay = Exp<kPrecision>(-magnitude);
  const F two = one + one;
  const F far = (two * product * decay) * (two * decay);
  const F real = Select(is_large, one, sinh * cosh / denominator);
  const F imag = Select(is_large, far, product / denominator);
  const auto is_infinite = Equal(magnitude, FloatConstant(zero, kInfinity));
  const F at_infinity = FloatOf(SignBitOf<kPrecision>(Select(IsNan(product), z.imag, product)));
  const F or_infinite = Select(is_infinite, at_infinity, imag);
  // 0 stays 0 beside NaN; no direction, no value.
  const auto has_direction = Or(IsFinite(z.imag), is_infinite);
  const F real_or_nan =
      Select(has_direction, WithSignOf<kPrecision>(real, z.real), FloatConstant(zero, kNan));
  return {Select(Equal(z.real, zero), z.real, real_or_nan),
          Select(Equal(z.imag, zero), z.imag, or_infinite)};
}

/// -i tanh(i z).
template <Precision kPrecision, FloatScalar F>
Complex<F> Tan(const Complex<F>& z) {
  return TimesMinusI(Tanh<kPrecision>(TimesI(z)));
}

/// sqrt(1 + z) and sqrt(1 - z).
template <typename F>
struct RootsBesideOne {
  Complex<F> above;
  Complex<F> below;
};
template <Precision kPrecision, FloatScalar F>
RootsBesideOne<F> SqrtBesideOne(const Complex<F>& z) {
  const F one = FloatConstant(z.real, 1.0);
  return {Sqrt<kPrecision>(Complex<F>{one + z.real, z.imag}),
          Sqrt<kPrecision>(Complex<F>{one - z.real, -z.imag})};
}

/// asin z and acos z where z is infinite: the real part is the angle of what is infinite.
template <Precision kPrecision, FloatScalar F>
F AngleOfInfinite(F opposite, F adjacent) {
  const F angle =
      Atan2<kPrecision>(OneIfInfinite<kPrecision>(opposite), OneIfInfinite<kPrecision>(adjacent));
  const F sum = Abs(opposite) + Abs(adjacent);
  return Select(IsNan(sum), sum, angle);
}

/// |Im asin z| = |Im acos z|, which is asinh of a product of roots, and log |2 z| of large numbers.
template <Precision kPrecision, FloatScalar F>
F ImagOfInverse(const Complex<F>& z, F product) {
  const F limit = FloatConstant(product, PerPrecision<kPrecision>(0x1p30, 0x1p60));
  const auto is_large = Or(Less(limit, Abs(z.real)), Less(limit, Abs(z.imag)));
  const F log = LogOfAbs<kPrecision>(z) + FloatConstant(product, Log2Hi<kPrecision>());
  return Select(is_large, log, Abs(Asinh<kPrecision>(product)));
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Asin(const Complex<F>& z) {
  const auto [above, below] = SqrtBesideOne<kPrecision>(z);
  const F product = SumOfProducts<kPrecision>(below.real, above.real, -below.imag, above.imag);
  const F imag = SumOfProducts<kPrecision>(below.real, above.imag, -below.imag, above.real);
  const auto is_infinite = IsInfinite(z);
  const F real = Select(is_infinite, AngleOfInfinite<kPrecision>(z.real, Abs(z.imag)),
                        Atan2<kPrecision>(z.real, product));
  return {Select(Equal(z.real, FloatConstant(imag, 0.0)), z.real, real),
          WithSignOf<kPrecision>(ImagOfInverse<kPrecision>(z, imag), z.imag)};
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Acos(const Complex<F>& z) {
  const auto [above, below] = SqrtBesideOne<kPrecision>(z);
  const F half_angle = Atan2<kPrecision>(below.real, above.real);
  const F imag = SumOfProducts<kPrecision>(above.real, below.imag, -above.imag, below.real);
  const auto is_infinite = IsInfinite(z);
  const F real = Select(is_infinite, AngleOfInfinite<kPrecision>(Abs(z.imag), z.real),
                        half_angle + half_angle);
  const F half_pi = FloatConstant(imag, HalfPi<kPrecision>(0));
  return {Select(Equal(z.real, FloatConstant(imag, 0.0)), half_pi, real),
          WithSignOf<kPrecision>(ImagOfInverse<kPrecision>(z, imag), -z.imag)};
}

/// i asin(-i z).
template <Precision kPrecision, FloatScalar F>
Complex<F> Asinh(const Complex<F>& z) {
  return TimesI(Asin<kPrecision>(TimesMinusI(z)));
}

/// i acos z or -i acos z, the one with a real part that is not negative.
template <Precision kPrecision, FloatScalar F>
Complex<F> Acosh(const Complex<F>& z) {
  const Complex<F> angle = Acos<kPrecision>(z);
  return {Abs(angle.imag), WithSignOf<kPrecision>(Abs(angle.real), z.imag)};
}

/// log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2 for x >= 0.
template <Precision kPrecision, FloatScalar F>
Complex<F> Atanh(const Complex<F>& z) {
  const F one = FloatConstant(z.real, 1.0);
  const F x = Abs(z.real);
  const F y = Abs(z.imag);
  const F below = one - x;
  const F real = Log1p<kPrecision>(FloatConstant(x, 4.0) * x / Fma(below, below, y * y)) *
                 FloatConstant(x, 0.25);
  const F angle = Atan2<kPrecision>(y + y, SumOfProducts<kPrecision>(below, one + x, -y, y)) *
                  FloatConstant(x, 0.5);
  // Large numbers: 1 / z, and a quarter turn.
  const F limit = FloatConstant(x, PerPrecision<kPrecision>(0x1p40, 0x1p400));
  const auto is_large = Or(Less(limit, x), Less(limit, y));
  const Complex<F> one_over =
      Divide<kPrecision>(Complex<F>{one, FloatConstant(x, 0.0)}, Complex<F>{x, y});
  const F half_pi = FloatConstant(x, HalfPi<kPrecision>(0));
  // Beside the pole at 1, y^2 vanishes: log(4 / y^2) / 4.
  const F half = FloatConstant(x, 0.5);
  const F log_two = FloatConstant(x, Log2Hi<kPrecision>());
  const auto is_pole = And(Equal(below, FloatConstant(x, 0.0)),
                           Less(y, FloatConstant(x, PerPrecision<kPrecision>(0x1p-40, 0x1p-400))));
  const F beside_pole = (log_two - Log<kPrecision>(y)) * half;
  const F moderate = Select(is_pole, beside_pole, real);
  const F magnitude = Select(is_large, one_over.real, moderate);
  const auto is_nowhere = Or(IsNan(y), And(IsNan(x), IsFinite(y)));
  const F far_angle = Select(is_nowhere, FloatConstant(x, kNan), half_pi);
  return {Select(Equal(x, FloatConstant(x, 0.0)), z.real,
                 WithSignOf<kPrecision>(Abs(magnitude), z.real)),
          WithSignOf<kPrecision>(Select(is_large, far_angle, angle), z.imag)};
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_TRIGONOMETRY_H_
