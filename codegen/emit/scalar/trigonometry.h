// Sine, cosine and tangent. argument_reduction.h finds the quadrant and the angle in it, |r| <=
// pi/4; of the quadrant depends which polynomial is taken, and the sign.
//
// Example: Sin<Precision::kF32>(1.0F) -> 0.84147098F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_TRIGONOMETRY_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_TRIGONOMETRY_H_

#include "codegen/emit/scalar/argument_reduction.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// sin(hi + lo) within a quadrant.
template <Precision kPrecision, FloatScalar F>
F SinOfRest(F hi, F lo) {
  const F z = hi * hi;
  if constexpr (kPrecision == Precision::kF32) {
    return hi + Fma(hi * z, Polynomial(z, polynomials::kSinF32), lo);
  } else {
    return hi + Fma(hi * z, Polynomial(z, polynomials::kSinF64), lo);
  }
}

/// cos(hi) within a quadrant.
template <Precision kPrecision, FloatScalar F>
F CosOfRest(F hi) {
  const F z = hi * hi;
  F fourth = z;
  if constexpr (kPrecision == Precision::kF32) {
    fourth = Polynomial(z, polynomials::kCosF32);
  } else {
    fourth = Polynomial(z, polynomials::kCosF64);
  }
  return Fma(z, Fma(z, fourth, FloatConstant(z, -0.5)), FloatConstant(z, 1.0));
}

/// sin(angle + turns pi/2).
template <Precision kPrecision, FloatScalar F>
F SinOfAngle(const ReducedAngle<F>& angle, int turns) {
  const auto quadrant = angle.quadrant + IntegerConstant(angle.quadrant, turns);
  const auto one = IntegerConstant(quadrant, 1);
  const F value = Select(Equal(quadrant & one, one), CosOfRest<kPrecision>(angle.hi),
                         SinOfRest<kPrecision>(angle.hi, angle.lo));
  // Bit 1 of the quadrant becomes the sign.
  const auto sign = ShiftLeftBy(quadrant, Width<kPrecision>() - 2) &
                    IntegerConstant(quadrant, SignBits<kPrecision>());
  return FlipSign(value, sign);
}

template <Precision kPrecision, FloatScalar F>
F Sin(F x) {
  const F sine = SinOfAngle<kPrecision>(ReduceAngle<kPrecision>(x), 0);
  return Select(Equal(x, FloatConstant(x, 0.0)), x, sine);
}

template <Precision kPrecision, FloatScalar F>
F Cos(F x) {
  return SinOfAngle<kPrecision>(ReduceAngle<kPrecision>(x), 1);
}

/// sin x and cos x for little more than one of them.
template <typename F>
struct SineAndCosine {
  F sine;
  F cosine;
};
template <Precision kPrecision, FloatScalar F>
SineAndCosine<F> SinCos(F x) {
  const ReducedAngle<F> angle = ReduceAngle<kPrecision>(x);
  const F sine = SinOfAngle<kPrecision>(angle, 0);
  return {Select(Equal(x, FloatConstant(x, 0.0)), x, sine), SinOfAngle<kPrecision>(angle, 1)};
}

template <Precision kPrecision, FloatScalar F>
F Tan(F x) {
  const ReducedAngle<F> angle = ReduceAngle<kPrecision>(x);
  const F z = angle.hi * angle.hi;
  F third = z;
  if constexpr (kPrecision == Precision::kF32) {
    third = Polynomial(z, polynomials::kTanF32);
  } else {
    third = Polynomial(z, polynomials::kTanF64);
  }
  const F low = Fma(angle.lo, z, angle.lo);
  const F tangent = angle.hi + Fma(angle.hi * z, third, low);
  const auto one = IntegerConstant(angle.quadrant, 1);
  const F value =
      Select(Equal(angle.quadrant & one, one), FloatConstant(x, -1.0) / tangent, tangent);
  return Select(Equal(x, FloatConstant(x, 0.0)), x, value);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_TRIGONOMETRY_H_
