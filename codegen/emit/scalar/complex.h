// Complex numbers: products, quotients, magnitudes. Scaled by powers of two where squares would
// overflow or vanish.
//
// Example: Abs<Precision::kF32>(Complex<float>{3e30F, 4e30F}) -> 5e30F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_H_

#include "codegen/emit/scalar/float_parts.h"

namespace hlo_indexing::emit::scalar {

template <typename F>
struct Complex {
  F real;
  F imag;
};

template <FloatScalar F>
Complex<F> operator+(const Complex<F>& a, const Complex<F>& b) {
  return {a.real + b.real, a.imag + b.imag};
}
template <FloatScalar F>
Complex<F> operator-(const Complex<F>& a, const Complex<F>& b) {
  return {a.real - b.real, a.imag - b.imag};
}
template <FloatScalar F>
Complex<F> operator-(const Complex<F>& z) {
  return {-z.real, -z.imag};
}
template <FloatScalar F>
Complex<F> Conjugate(const Complex<F>& z) {
  return {z.real, -z.imag};
}
/// i z and -i z.
template <FloatScalar F>
Complex<F> TimesI(const Complex<F>& z) {
  return {-z.imag, z.real};
}
template <FloatScalar F>
Complex<F> TimesMinusI(const Complex<F>& z) {
  return {z.imag, -z.real};
}
template <FloatScalar F>
Complex<F> Select(BoolType<F> condition, const Complex<F>& a, const Complex<F>& b) {
  return {Select(condition, a.real, b.real), Select(condition, a.imag, b.imag)};
}
template <FloatScalar F>
auto IsZero(const Complex<F>& z) {
  const F zero = FloatConstant(z.real, 0.0);
  return And(Equal(z.real, zero), Equal(z.imag, zero));
}
template <FloatScalar F>
auto IsInfinite(const Complex<F>& z) {
  const F infinity = FloatConstant(z.real, kInfinity);
  return Or(Equal(Abs(z.real), infinity), Equal(Abs(z.imag), infinity));
}

/// a b + c d; for f32 as if computed wider, so that nothing is lost where products cancel (W.
/// Kahan).
template <Precision kPrecision, FloatScalar F>
F SumOfProducts(F a, F b, F c, F d) {
  const F product = c * d;
  if constexpr (kPrecision == Precision::kF64) {
    return a * b + product;
  } else {
    const F sum = Fma(a, b, product);
    const F precise = sum + Fma(c, d, -product);
    return Select(IsFinite(precise), precise, sum);
  }
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Multiply(const Complex<F>& a, const Complex<F>& b) {
  return {SumOfProducts<kPrecision>(a.real, b.real, -a.imag, b.imag),
          SumOfProducts<kPrecision>(a.real, b.imag, a.imag, b.real)};
}

/// z = scaled 2^exponent, where the larger part of `scaled` is at least 1 and below 2, or z is
/// zero, infinite, or NaN.
template <typename F>
struct ScaledComplex {
  Complex<F> scaled;
  BitsType<F> exponent;
};
template <Precision kPrecision, FloatScalar F>
ScaledComplex<F> ScaleToOne(const Complex<F>& z) {
  const F larger = Maximum(Abs(z.real), Abs(z.imag));
  // Subnormal numbers are made normal first.
  const auto is_small = Less(larger, FloatConstant(larger, LeastNormal<kPrecision>()));
  constexpr int kShift = MantissaBits<kPrecision>();
  const F normalize =
      Select(is_small, FloatConstant(larger, PerPrecision<kPrecision>(0x1p23, 0x1p52)),
             FloatConstant(larger, 1.0));
  const auto bits = BitsOf(larger * normalize);
  const auto constant = [&](int64_t value) { return IntegerConstant(bits, value); };
  const auto field = ShiftRightLogicalBy(bits, kShift);
  // Half of it at a time: 2^-127 is no normal number.
  const auto exponent = field - constant(Bias<kPrecision>());
  const auto half = ShiftRightArithmeticBy(exponent, 1);
  const F first = PowerOfTwo<kPrecision>(constant(0) - half) * normalize;
  const F second = PowerOfTwo<kPrecision>(half - exponent);
  const auto shift = Select(is_small, constant(kShift), constant(0));
  return {{z.real * first * second, z.imag * first * second}, exponent - shift};
}

/// |z|^2 of scaled numbers.
template <FloatScalar F>
DoubleWord<F> SquaredMagnitude(const Complex<F>& z) {
  const DoubleWord<F> a = ExactProduct(z.real, z.real);
  const DoubleWord<F> b = ExactProduct(z.imag, z.imag);
  const DoubleWord<F> sum = ExactSum(a.hi, b.hi);
  return {sum.hi, sum.lo + (a.lo + b.lo)};
}

/// sqrt(x^2 + y^2); infinite if either is.
template <Precision kPrecision, FloatScalar F>
F Abs(const Complex<F>& z) {
  const ScaledComplex<F> scaled = ScaleToOne<kPrecision>(z);
  const DoubleWord<F> square = SquaredMagnitude(scaled.scaled);
  const F magnitude = ScaleByPowerOfTwo<kPrecision>(Sqrt(square.hi + square.lo), scaled.exponent);
  const F or_zero = Select(IsZero(z), FloatConstant(z.real, 0.0), magnitude);
  return Select(IsInfinite(z), FloatConstant(z.real, kInfinity), or_zero);
}

/// z / |z|; 0 stays.
template <Precision kPrecision, FloatScalar F>
Complex<F> Sign(const Complex<F>& z) {
  const Complex<F> scaled = ScaleToOne<kPrecision>(z).scaled;
  const DoubleWord<F> square = SquaredMagnitude(scaled);
  const F magnitude = Sqrt(square.hi + square.lo);
  const Complex<F> finite = {scaled.real / magnitude, scaled.imag / magnitude};
  const F infinity = FloatConstant(z.real, kInfinity);
  const Complex<F> infinite = {z.real / infinity, z.imag / infinity};
  return Select(IsZero(z), z, Select(IsInfinite(z), infinite, finite));
}

/// 1 for infinity, else 0, with the sign of x.
template <Precision kPrecision, FloatScalar F>
F OneIfInfinite(F x) {
  const auto is_infinite = Equal(Abs(x), FloatConstant(x, kInfinity));
  return WithSignOf<kPrecision>(Select(is_infinite, FloatConstant(x, 1.0), FloatConstant(x, 0.0)),
                                x);
}

/// What a / b is where both parts of the quotient come out as NaN: C's rules, by which infinite
/// numbers by finite ones and numbers by 0 are infinite, and finite numbers by infinite ones 0.
template <Precision kPrecision, FloatScalar F>
Complex<F> QuotientOfSpecials(const Complex<F>& a, const Complex<F>& b,
                              const Complex<F>& quotient) {
  const auto product = [&](const Complex<F>& x, const Complex<F>& y, double factor) {
    const F f = FloatConstant(x.real, factor);
    return Complex<F>{f * (x.real * y.real + x.imag * y.imag),
                      f * (x.imag * y.real - x.real * y.imag)};
  };
  const auto ones = [](const Complex<F>& z) {
    return Complex<F>{OneIfInfinite<kPrecision>(z.real), OneIfInfinite<kPrecision>(z.imag)};
  };
  const F infinity = WithSignOf<kPrecision>(FloatConstant(b.real, kInfinity), b.real);
  const auto a_is_finite = And(IsFinite(a.real), IsFinite(a.imag));
  const auto b_is_finite = And(IsFinite(b.real), IsFinite(b.imag));
  const auto by_zero = And(IsZero(b), Not(And(IsNan(a.real), IsNan(a.imag))));
  const Complex<F> zero =
      Select(And(IsInfinite(b), a_is_finite), product(a, ones(b), 0.0), quotient);
  const Complex<F> infinite =
      Select(And(IsInfinite(a), b_is_finite), product(ones(a), b, kInfinity), zero);
  return Select(by_zero, Complex<F>{infinity * a.real, infinity * a.imag}, infinite);
}

template <Precision kPrecision, FloatScalar F>
Complex<F> Divide(const Complex<F>& a, const Complex<F>& b) {
  const ScaledComplex<F> x = ScaleToOne<kPrecision>(a);
  const ScaledComplex<F> y = ScaleToOne<kPrecision>(b);
  // Scaling may make a 0 of what infinity is multiplied by.
  const Complex<F> factor = Select(IsInfinite(a), b, y.scaled);
  const Complex<F> numerator = Multiply<kPrecision>(x.scaled, Conjugate(factor));
  const DoubleWord<F> square = SquaredMagnitude(y.scaled);
  const F denominator = square.hi + square.lo;
  const auto exponent = x.exponent - y.exponent;
  const auto scale = [&](F part) {
    return ScaleByLargePowerOfTwo<kPrecision>(part / denominator, exponent);
  };
  const Complex<F> quotient = {scale(numerator.real), scale(numerator.imag)};
  const auto is_nan = And(IsNan(quotient.real), IsNan(quotient.imag));
  return Select(is_nan, QuotientOfSpecials<kPrecision>(a, b, quotient), quotient);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_COMPLEX_H_
