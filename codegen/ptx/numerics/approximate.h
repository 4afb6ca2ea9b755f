// The .approx and .full instructions: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt and div (PTX
// ISA 9.7.3, 9.7.4), which devices compute with an error that the ISA bounds.
//
// Here each is computed in double and rounded to the nearest value of its type. So results differ
// from a device's in the last bits, by at most the bound that each function names and half a unit
// in the last place; special cases are those of the ISA's tables.
//
// Example: Ex2Approx(-0.5F, /*flush=*/true) is `ex2.approx.ftz.f32`, 0.70710677f.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_APPROXIMATE_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_APPROXIMATE_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/numerics/vector_functions.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

/// The function of the double that the float is, as a float.
template <typename Function>
inline float InDouble(float value, bool flush, Function function) {
  if (flush) {
    return Result<Modifiers{.flush = true}>(function(static_cast<double>(FlushSubnormal(value))));
  }
  return Result<Modifiers{}>(function(static_cast<double>(value)));
}

}  // namespace internal

/// ex2.approx{.ftz}.f32 (9.7.3.21): 2^value. Devices: at most 2 ulp from the nearest float. `flush`
/// is .ftz of input and result, here and below.
inline float Ex2Approx(float value, bool flush) {
  const float result = internal::InDouble(value, /*flush=*/false, PowerOfTwo);
  const bool is_hard = value == kHardPowers[0] || value == kHardPowers[1];
  const float power = FloatOf(BitsOf(result) + (is_hard ? 1 : 0));
  // A subnormal exponent gives 1 either way, and the greatest power below 2^-126 is not so near to
  // it that it would be rounded there.
  return flush && value < -126.0F ? 0.0F : power;
}

/// lg2.approx{.ftz}.f32 (9.7.3.20): the logarithm to base 2; -infinity of both zeros, NaN below.
/// Devices: absolute error at most 2^-22 in (0.5, 2), else relative error at most 2^-22.
inline float Lg2Approx(float value, bool flush) {
  return internal::Result<Modifiers{}>(Logarithm2(flush ? FlushSubnormal(value) : value));
}

/// sin.approx{.ftz}.f32 (9.7.3.18), of radians; NaN of infinities. Devices: absolute error at most
/// 2^-20.5 in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi], and not bounded beyond.
float SinApprox(float value, bool flush);

/// cos.approx{.ftz}.f32 (9.7.3.19), like SinApprox.
float CosApprox(float value, bool flush);

/// The same of angles up to kLargestAngle, without calls.
inline float SinApproxOfSmall(float value, bool flush) {
  return internal::InDouble(value, flush, Sine<0>);
}
inline float CosApproxOfSmall(float value, bool flush) {
  return internal::InDouble(value, flush, Sine<1>);
}
/// All ones if an angle is one of these, else 0.
inline uint32_t IsSmallAngle(float value) {
  return Magnitude(value) <= static_cast<float>(kLargestAngle) ? ~uint32_t{0} : 0;
}

/// tanh.approx.f32 (9.7.3.22). Devices: relative error at most 2^-11. Subnormal numbers are
/// returned.
inline float TanhApprox(float value) {
  return internal::InDouble(value, /*flush=*/false, HyperbolicTangent);
}

/// rcp.approx{.ftz}.f32 (9.7.3.13): 1 / value. Devices: at most 1 ulp.
inline float RcpApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return 1.0 / x; });
}

/// rsqrt.approx{.ftz}.f32 (9.7.3.16): 1 / sqrt(value); infinities of the zeros, NaN below. Devices:
/// relative error at most 2^-22.9.
inline float RsqrtApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return 1.0 / std::sqrt(x); });
}

/// sqrt.approx{.ftz}.f32 (9.7.3.15). Devices: relative error at most 2^-23.
inline float SqrtApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return std::sqrt(x); });
}

/// div.full{.ftz}.f32 (9.7.3.8): a / b. Devices: at most 2 ulp.
inline float DivFull(float a, float b, bool flush) {
  return flush ? Div<Modifiers{.flush = true}>(a, b) : Div<Modifiers{}>(a, b);
}

/// div.approx{.ftz}.f32 (9.7.3.8): a / b. Where 2^126 < |b| < 2^128 it is NaN if `a` is infinite,
/// and else a zero of the quotient's sign, as devices compute a * (1 / b). Devices: at most 2 ulp
/// where |b| is from 2^-126 to 2^126.
inline float DivApprox(float a, float b, bool flush) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float divisor = Magnitude(b);
  const float zero = FloatOf((BitsOf(a) ^ BitsOf(b)) & kSignBit);
  const float of_large = Magnitude(a) < kInfinity ? zero : kCanonicalNan;
  const float quotient = DivFull(a, b, flush);
  const float otherwise = divisor < kInfinity ? of_large : quotient;
  return divisor > 0x1p126F ? otherwise : quotient;
}

/// rcp.approx.ftz.f64 (9.7.3.14): the reciprocal of the upper 32 bits, rounded to 20 bits of
/// mantissa; the lower 32 bits are zero. Subnormal inputs and results are flushed, a NaN gives
/// 0x7fffffff00000000. The ISA gives no bound.
double RcpApproxFtz(double value);

/// rsqrt.approx.ftz.f64 (9.7.3.17), like RcpApproxFtz.
double RsqrtApproxFtz(double value);

/// rsqrt.approx.f64 (9.7.3.16). Subnormal numbers are kept, NaNs as in f64.h. The ISA gives no
/// bound; here at most 0.51 ulp.
double RsqrtApprox(double value);

/// ex2.approx.f16, and ex2.approx.ftz.bf16 (9.7.4.10): subnormal inputs and results are kept of
/// f16, and flushed of bf16. Devices: relative error at most 2^-9.9 of f16, 2^-7 of bf16.
inline F16 Ex2Approx(F16 value) {
  return NearestHalf<F16>(PowerOfTwo(static_cast<double>(ToFloat(value))));
}
inline Bf16 Ex2Approx(Bf16 value) {
  return internal::HalfResult<Bf16, Modifiers{.flush = true}>(
      PowerOfTwo(static_cast<double>(ToFloat(FlushSubnormal(value)))));
}

/// tanh.approx.f16 and .bf16 (9.7.4.9). Devices: absolute error at most 2^-10.987 of f16, 2^-8 of
/// bf16.
template <HalfScalar Half>
inline Half TanhApprox(Half value) {
  return NearestHalf<Half>(HyperbolicTangent(static_cast<double>(ToFloat(value))));
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_APPROXIMATE_H_
