// Hyperbolic functions, their inverses, and the logistic function.
//
// Example: Tanh<Precision::kF32>(1.0F) -> 0.76159418F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_HYPERBOLIC_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_HYPERBOLIC_H_

#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// sinh x for 0 <= x <= 1.
template <Precision kPrecision, FloatScalar F>
F SinhOfSmall(F x) {
  const F z = x * x;
  if constexpr (kPrecision == Precision::kF32) {
    return Fma(x * z, Polynomial(z, polynomials::kSinhF32), x);
  } else {
    return Fma(x * z, Polynomial(z, polynomials::kSinhF64), x);
  }
}

template <Precision kPrecision, FloatScalar F>
F Sinh(F x) {
  const F magnitude = Abs(x);
  const F half = HalfExp<kPrecision>(magnitude);
  const F large = half - FloatConstant(x, 0.25) / half;
  const F value =
      Select(Less(magnitude, FloatConstant(x, 1.0)), SinhOfSmall<kPrecision>(magnitude), large);
  return WithSignOf<kPrecision>(value, x);
}

template <Precision kPrecision, FloatScalar F>
F Cosh(F x) {
  const F half = HalfExp<kPrecision>(Abs(x));
  return half + FloatConstant(x, 0.25) / half;
}

/// Small x: x + x^3 P(x^2). Others: 1 - 2 / (e^(2 |x|) + 1).
template <Precision kPrecision, FloatScalar F>
F Tanh(F x) {
  const F magnitude = Abs(x);
  const F z = x * x;
  F third = z;
  if constexpr (kPrecision == Precision::kF32) {
    third = Polynomial(z, polynomials::kTanhF32);
  } else {
    third = Polynomial(z, polynomials::kTanhF64);
  }
  const F small = Fma(magnitude * z, third, magnitude);
  const F one = FloatConstant(x, 1.0);
  const F exp = Exp<kPrecision>(magnitude + magnitude);
  const F large = one - FloatConstant(x, 2.0) / (exp + one);
  const auto is_small = Less(magnitude, FloatConstant(x, polynomials::kTanhSplit));
  return WithSignOf<kPrecision>(Select(is_small, small, large), x);
}

/// tanh x to 16 bits and more, of f32: what is then rounded to 11 bits or fewer. Small x: x -
/// x^3/3.
template <FloatScalar F>
F TanhTo16Bits(F x) {
  const F one = FloatConstant(x, 1.0);
  const F magnitude = Abs(x);
  const F exp = ApproxExp2(magnitude * FloatConstant(x, 0x1.715476p+1));
  const F large = Fma(FloatConstant(x, -2.0), ApproxReciprocal(exp + one), one);
  const F third = magnitude * FloatConstant(x, -0x1.555556p-2);
  const F small = Fma(magnitude * magnitude, third, magnitude);
  const auto is_small = Less(magnitude, FloatConstant(x, 0x1p-4));
  return WithSignOf<Precision::kF32>(Select(is_small, small, large), x);
}

/// 1 / (1 + e^-x) to 16 bits and more, of f32: what is then rounded to 11 bits or fewer.
template <FloatScalar F>
F LogisticTo16Bits(F x) {
  const F one = FloatConstant(x, 1.0);
  const F exp = ExpTo16Bits(-Abs(x));
  return Select(HasSignBit<Precision::kF32>(x), exp, one) * ApproxReciprocal(one + exp);
}

/// 1 / (1 + e^-x).
template <Precision kPrecision, FloatScalar F>
F Logistic(F x) {
  const F one = FloatConstant(x, 1.0);
  if constexpr (kPrecision == Precision::kF64) {
    // As the interpreter does it: 0 where e^-x is infinite.
    return one / (one + Exp<kPrecision>(-x));
  } else {
    const auto is_negative = HasSignBit<kPrecision>(x);
    const F e = Exp<kPrecision>(-Abs(x));
    return Select(is_negative, e, one) / (one + e);
  }
}

/// asinh x = log(x + sqrt(x^2 + 1)) = log1p(x + x^2 / (1 + sqrt(x^2 + 1))) for x >= 0.
template <Precision kPrecision, FloatScalar F>
F Asinh(F x) {
  const F one = FloatConstant(x, 1.0);
  const F magnitude = Abs(x);
  const auto is_large = Less(FloatConstant(x, PerPrecision<kPrecision>(0x1p28, 0x1p56)), magnitude);
  const F square = magnitude * magnitude;
  const F small = magnitude + square / (one + Sqrt(square + one));
  // log1p of a large number is its logarithm.
  const F log = Log1p<kPrecision>(Select(is_large, magnitude, small));
  const F log_two = FloatConstant(x, Log2Hi<kPrecision>());
  return WithSignOf<kPrecision>(Select(is_large, log + log_two, log), x);
}

/// acosh x = log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2 t + t^2)) with t = x - 1.
template <Precision kPrecision, FloatScalar F>
F Acosh(F x) {
  const F one = FloatConstant(x, 1.0);
  const auto is_large = Less(FloatConstant(x, PerPrecision<kPrecision>(0x1p26, 0x1p55)), x);
  const F t = x - one;
  const F small = t + Sqrt(Fma(t, t, t + t));
  const F log = Log1p<kPrecision>(Select(is_large, x, small));
  const F log_two = FloatConstant(x, Log2Hi<kPrecision>());
  return Select(Less(x, one), FloatConstant(x, kNan), Select(is_large, log + log_two, log));
}

/// atanh x = log((1 + x) / (1 - x)) / 2 = log1p(2 x / (1 - x)) / 2 for x >= 0.
template <Precision kPrecision, FloatScalar F>
F Atanh(F x) {
  const F one = FloatConstant(x, 1.0);
  const F magnitude = Abs(x);
  const F half_log =
      FloatConstant(x, 0.5) * Log1p<kPrecision>((magnitude + magnitude) / (one - magnitude));
  // Halving would round subnormal numbers.
  const auto is_tiny =
      Less(magnitude, FloatConstant(x, PerPrecision<kPrecision>(0x1p-13, 0x1p-28)));
  return Select(is_tiny, x, WithSignOf<kPrecision>(half_log, x));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_HYPERBOLIC_H_
