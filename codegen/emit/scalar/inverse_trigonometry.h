// Angles of sines, cosines and tangents.
//
// Example: Atan2<Precision::kF32>(1.0F, -1.0F) -> 2.3561945F, 3 pi/4
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_INVERSE_TRIGONOMETRY_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_INVERSE_TRIGONOMETRY_H_

#include "codegen/emit/scalar/argument_reduction.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// factor pi/2 - x, where the factor is a power of two.
template <Precision kPrecision, FloatScalar F>
F FromHalfPi(double factor, F x) {
  const F hi = FloatConstant(x, factor * HalfPi<kPrecision>(0));
  const F lo = FloatConstant(x, factor * HalfPi<kPrecision>(1));
  return hi - (x - lo);
}

/// The angle of (x, y), in [-pi, pi], with the sign of y.
template <Precision kPrecision, FloatScalar F>
F Atan2(F y, F x) {
  const F ax = Abs(x);
  const F ay = Abs(y);
  const auto is_steep = Less(ax, ay);
  const F large = Select(is_steep, ay, ax);
  const F small = Select(is_steep, ax, ay);
  // Scaled where a sum would overflow or a product vanish.
  const F scale = Select(Less(FloatConstant(x, 1.0), large), FloatConstant(x, 0.25),
                         FloatConstant(x, PerPrecision<kPrecision>(0x1p24, 0x1p54)));
  const F a = small * scale;
  const F b = large * scale;
  // With t = small / large above tan(pi/8): atan t = pi/4 - atan((1 - t) / (1 + t)).
  const auto is_diagonal = Less(b * FloatConstant(x, 0x1.a827999fcef32p-2), a);
  const F numerator = Select(is_diagonal, b - a, small);
  const F denominator = Select(is_diagonal, b + a, large);
  const F t = numerator / denominator;
  const F z = t * t;
  F third = z;
  if constexpr (kPrecision == Precision::kF32) {
    third = Polynomial(z, polynomials::kAtanF32);
  } else {
    third = Polynomial(z, polynomials::kAtanF64);
  }
  const F angle = Fma(t * z, third, t);
  // Both 0, and both infinite, have no quotient.
  const F quarter = FloatConstant(x, 0.5 * HalfPi<kPrecision>(0));
  const F zero = FloatConstant(x, 0.0);
  const F low = Select(Equal(large, zero), zero, angle);
  const F octant = Select(is_diagonal, FromHalfPi<kPrecision>(0.5, low), low);
  const F first = Select(Equal(small, FloatConstant(x, kInfinity)), quarter, octant);
  const F quadrant = Select(is_steep, FromHalfPi<kPrecision>(1.0, first), first);
  const F half_plane =
      Select(HasSignBit<kPrecision>(x), FromHalfPi<kPrecision>(2.0, quadrant), quadrant);
  const F result = WithSignOf<kPrecision>(half_plane, y);
  return Select(Or(IsNan(x), IsNan(y)), x + y, result);
}

/// asin s for |s| <= 1/2, where z = s^2.
template <Precision kPrecision, FloatScalar F>
F AsinOfSmall(F s, F z) {
  if constexpr (kPrecision == Precision::kF32) {
    return Fma(s * z, Polynomial(z, polynomials::kAsinF32), s);
  } else {
    return Fma(s * z, Polynomial(z, polynomials::kAsinF64), s);
  }
}

/// A number x between -1 and 1 as the sine of half an angle: asin x = pi/2 - 2 asin s with
/// s^2 = (1 - |x|) / 2 where |x| > 1/2.
template <typename F>
struct HalvedSine {
  BoolType<F> is_small;
  F angle;  // asin |x|, or asin s
};
template <Precision kPrecision, FloatScalar F>
HalvedSine<F> HalveSine(F x) {
  const F magnitude = Abs(x);
  const auto is_small = LessEqual(magnitude, FloatConstant(x, 0.5));
  const F half = FloatConstant(x, 0.5);
  const F z = Select(is_small, x * x, Fma(magnitude, -half, half));
  const F s = Select(is_small, magnitude, Sqrt(z));
  return {is_small, AsinOfSmall<kPrecision>(s, z)};
}

/// The angle in [-pi/2, pi/2] whose sine is x.
template <Precision kPrecision, FloatScalar F>
F Asin(F x) {
  const HalvedSine<F> halved = HalveSine<kPrecision>(x);
  const F large = FromHalfPi<kPrecision>(1.0, halved.angle + halved.angle);
  const F angle = Select(halved.is_small, halved.angle, large);
  return Select(LessEqual(Abs(x), FloatConstant(x, 1.0)), WithSignOf<kPrecision>(angle, x),
                FloatConstant(x, kNan));
}

/// The angle in [0, pi] whose cosine is x.
template <Precision kPrecision, FloatScalar F>
F Acos(F x) {
  const HalvedSine<F> halved = HalveSine<kPrecision>(x);
  const auto sign = SignBitOf<kPrecision>(x);
  const auto is_negative = HasSignBit<kPrecision>(x);
  const F small = FromHalfPi<kPrecision>(1.0, FlipSign(halved.angle, sign));
  const F twice = halved.angle + halved.angle;
  const F large = Select(is_negative, FromHalfPi<kPrecision>(2.0, twice), twice);
  return Select(LessEqual(Abs(x), FloatConstant(x, 1.0)), Select(halved.is_small, small, large),
                FloatConstant(x, kNan));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_INVERSE_TRIGONOMETRY_H_
