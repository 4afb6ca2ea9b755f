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
#include "codegen/ptx/numerics/f64.h"
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

/// What is in the upper half of a double: 1 bit of sign, 11 of exponent, 20 of mantissa.
inline constexpr uint64_t kUpperHalf = uint64_t{0xffff'ffff} << 32;

/// The upper half of a double, flushed.
inline double UpperHalf(double value) {
  const double upper = DoubleOf(BitsOf(value) & kUpperHalf);
  return Magnitude(upper) < 0x1p-1022 ? ZeroLike(upper) : upper;
}

/// To nearest, ties to even, and flushed: the largest reciprocal below 2^-1022 of an upper half is
/// below it after rounding too.
inline double RoundToUpperHalf(double value) {
  constexpr double kNan = DoubleOf(uint64_t{0x7fff'ffff} << 32);
  const uint64_t is_odd = BitsOf(value) >> 32 & 1;
  const double rounded = DoubleOf((BitsOf(value) + 0x7fff'ffff + is_odd) & kUpperHalf);
  const double flushed = Magnitude(value) < 0x1p-1022 ? ZeroLike(value) : rounded;
  return IsNan(value) ? kNan : flushed;
}

/// 1 / sqrt of a positive finite number. The root's error is made up for: r = value - root^2, which
/// a fused operation gives without error, is 2 * root times it.
inline double ReciprocalRoot(double value) {
  // Away from where the rest of the root would be subnormal.
  const bool is_small = value < 0x1p-900;
  const double scaled = is_small ? value * 0x1p200 : value;
  const double root = std::sqrt(scaled);
  const double reciprocal = 1.0 / root;
  // 1 / sqrt(s) = reciprocal * (1 + e) with e = 1 - root * reciprocal - rest / (2 s) to first
  // order.
  const double error_of_reciprocal = std::fma(-root, reciprocal, 1.0);
  const double error_of_root = std::fma(-root, root, scaled) * reciprocal * reciprocal * -0.5;
  const double result = std::fma(reciprocal, error_of_reciprocal + error_of_root, reciprocal);
  return is_small ? result * 0x1p100 : result;
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
inline double RcpApproxFtz(double value) {
  return internal::RoundToUpperHalf(1.0 / internal::UpperHalf(value));
}

/// rsqrt.approx.ftz.f64 (9.7.3.17), like RcpApproxFtz.
inline double RsqrtApproxFtz(double value) {
  return internal::RoundToUpperHalf(1.0 / std::sqrt(internal::UpperHalf(value)));
}

/// rsqrt.approx.f64 (9.7.3.16). Subnormal numbers are kept, NaNs as in f64.h. The ISA gives no
/// bound; here at most 0.51 ulp.
inline double RsqrtApprox(double value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double root = value < kInfinity ? internal::ReciprocalRoot(value) : 0.0;
  const double of_zero = value < 0.0 ? kInvalidNan : CopySign(value, kInfinity);
  const double of_number = value > 0.0 ? root : of_zero;
  return IsNan(value) ? Quiet(value) : of_number;
}

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
