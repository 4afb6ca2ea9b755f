// Scalars of f16 and bf16: conversion to and from f32, and the arithmetic of PTX ISA 9.7.4. The
// packed types f16x2 and bf16x2 are two of these.
//
// Example: Fma<F16, {.relu = true}>(a, b, c) is `fma.rn.relu.f16`; ToFloat(F16{0x3c00}) is 1.0f.
//
// Every operation is done in double and rounded to odd (round_to_odd.h), so that the result is the
// exact one rounded once. Doubles alone would not do: 2^120 + 2^-100 of bf16 has more than 53 bits.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_HALF_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_HALF_H_

#include <concepts>
#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/round_to_odd.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// A register's 16 bits as an f16.
struct F16 {
  static constexpr const FloatFormat& kFormat = kF16Format;
  uint16_t bits = 0;
};

/// A register's 16 bits as a bf16.
struct Bf16 {
  static constexpr const FloatFormat& kFormat = kBf16Format;
  uint16_t bits = 0;
};

/// F16 or Bf16.
template <typename Type>
concept HalfScalar = std::same_as<Type, F16> || std::same_as<Type, Bf16>;

/// The NaN of arithmetic and conversions of both formats.
inline constexpr uint16_t kCanonicalHalfNan = 0x7fff;

/// The NaN with which copies of tensors fill what is out of bounds when asked for NaN, and which
/// .oob of fma looks for. The ISA (5.5, Tensors) names it and does not give its bits; both ends are
/// here.
inline constexpr uint16_t kOutOfBoundsNan = 0x7ff7;

/// The value of the bits, exactly (cvt.f32.f16). A NaN gives kCanonicalNan.
inline float ToFloat(F16 value) {
  const uint32_t magnitude = value.bits & 0x7fffU;
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000U) << 16;
  // Mantissa and exponent are where f32 has them, but for the bias; subnormals are multiples of
  // 2^-24.
  const uint32_t normal = (magnitude << 13) + (112U << 23);
  const uint32_t subnormal = BitsOf(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24F);
  const uint32_t finite = magnitude < 0x400 ? subnormal : normal;
  const uint32_t special = magnitude > 0x7c00 ? kCanonicalNanBits : (0x7f80'0000U | sign);
  return FloatOf(magnitude >= 0x7c00 ? special : (finite | sign));
}

/// The value of the bits, exactly (cvt.f32.bf16). NaNs keep their bits, as devices do.
inline float ToFloat(Bf16 value) { return FloatOf(static_cast<uint32_t>(value.bits) << 16); }

namespace internal {

/// A double rounded to a multiple of 2^-(kPrecision - 1) of its power of two, or of that of
/// 2^kLeast if it is below: to the numbers of a format without upper bound. Ties to even. NaN if
/// the value is no finite number or beyond 2^900.
template <int kPrecision, int kLeast>
inline double RoundToPrecision(double value) {
  constexpr double kLeastPower = DoubleOf(static_cast<uint64_t>(1023 + kLeast) << 52);
  // Adding 1.5 * 2^52 of the wanted spacing leaves that spacing to the sum's last bit.
  constexpr double kShifter = 1.5 * DoubleOf(static_cast<uint64_t>(1023 + 53 - kPrecision) << 52);
  const double power = DoubleOf(BitsOf(value) & (uint64_t{0x7ff} << 52));
  const double shifter = (power > kLeastPower ? power : kLeastPower) * kShifter;
  return (value + shifter) - shifter;
}

/// The nearest f16 of a double; NaN gives the canonical one.
inline F16 RoundToHalf(double value, F16 /*format*/) {
  const double magnitude = Magnitude(value);
  const float rounded = static_cast<float>(RoundToPrecision<11, -14>(magnitude));
  const uint32_t sign = static_cast<uint32_t>(BitsOf(value) >> 48) & 0x8000U;
  const uint32_t normal = (BitsOf(rounded) >> 13) - (112U << 10);
  const float small = rounded < 0x1p-14F ? rounded : 0.0F;
  const uint32_t subnormal = static_cast<uint32_t>(static_cast<int32_t>(small * 0x1p24F));
  const uint32_t finite = rounded < 0x1p-14F ? subnormal : normal;
  // Half way from the greatest number to 2^16, ties go to infinity.
  const uint32_t bits = magnitude < 65520.0 ? finite : 0x7c00U;
  return {static_cast<uint16_t>(IsNan(value) ? kCanonicalHalfNan : (bits | sign))};
}

/// The nearest bf16 of a double; NaN gives the canonical one.
inline Bf16 RoundToHalf(double value, Bf16 /*format*/) {
  const double magnitude = Magnitude(value);
  const float rounded = static_cast<float>(RoundToPrecision<8, -126>(magnitude));
  const uint32_t sign = static_cast<uint32_t>(BitsOf(value) >> 48) & 0x8000U;
  const uint32_t bits = magnitude < 0x1.ffp127 ? BitsOf(rounded) >> 16 : 0x7f80U;
  return {static_cast<uint16_t>(IsNan(value) ? kCanonicalHalfNan : (bits | sign))};
}

template <HalfScalar Half>
inline Half FlushHalf(Half value) {
  constexpr uint16_t kLeastNormal = uint16_t{1} << Half::kFormat.mantissa_bits;
  const uint16_t sign = static_cast<uint16_t>(value.bits & 0x8000U);
  return {static_cast<uint16_t>(value.bits & 0x7fffU) < kLeastNormal ? sign : value.bits};
}

template <HalfScalar Half>
inline Half SaturateHalf(Half value) {
  // As integers, encodings of positive numbers are in the order of the numbers, NaNs last.
  constexpr FloatFormat kFormat = Half::kFormat;
  constexpr uint16_t kOne = static_cast<uint16_t>(kFormat.bias << kFormat.mantissa_bits);
  const uint16_t at_most_one = value.bits < kOne ? value.bits : kOne;
  return {value.bits > kFormat.FirstNotFinite() ? uint16_t{0} : at_most_one};
}

/// An operand: exact.
template <HalfScalar Half, Modifiers kModifiers>
inline double HalfInput(Half value) {
  if constexpr (kModifiers.flush) return static_cast<double>(ToFloat(FlushHalf(value)));
  return static_cast<double>(ToFloat(value));
}

/// The result of a double that is exact or rounded to odd.
template <HalfScalar Half, Modifiers kModifiers>
inline Half HalfResult(double value) {
  Half result = RoundToHalf(value, Half());
  if constexpr (kModifiers.flush) {
    constexpr int kPrecision = Half::kFormat.mantissa_bits + 1;
    const uint16_t sign = static_cast<uint16_t>(result.bits & 0x8000U);
    result.bits = IsTiny<Rounding::kNearestEven, kPrecision, Half::kFormat.LeastExponent()>(value)
                      ? sign
                      : result.bits;
  }
  if constexpr (kModifiers.saturate) {
    result = SaturateHalf(result);
  }
  if constexpr (kModifiers.relu) {
    result.bits = (result.bits & 0x8000U) != 0 ? uint16_t{0} : result.bits;
  }
  return result;
}

}  // namespace internal

/// The nearest f16 or bf16, ties to even (cvt.rn.f16.f32, cvt.rn.bf16.f32). Overflow gives
/// infinity, NaN 0x7fff. Example: NearestHalf<F16>(65520.0) is infinity, 0x7c00
template <HalfScalar Half>
inline Half NearestHalf(double value) {
  return internal::RoundToHalf(value, Half());
}

/// add{.rn}{.ftz}{.sat} (9.7.4.1). Heeds flush, saturate, relu of the modifiers, as the following
/// do: half precision has no rounding but .rn.
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Add(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(AddRoundedToOdd(
      internal::HalfInput<Half, kModifiers>(a), internal::HalfInput<Half, kModifiers>(b)));
}

/// sub (9.7.4.2).
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Sub(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(AddRoundedToOdd(
      internal::HalfInput<Half, kModifiers>(a), Negate(internal::HalfInput<Half, kModifiers>(b))));
}

/// mul (9.7.4.3). The product of two is an exact double.
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Mul(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(internal::HalfInput<Half, kModifiers>(a) *
                                                internal::HalfInput<Half, kModifiers>(b));
}

/// fma (9.7.4.4): a * b + c rounded once. Heeds out_of_bounds too.
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Fma(Half a, Half b, Half c) {
  const double product =
      internal::HalfInput<Half, kModifiers>(a) * internal::HalfInput<Half, kModifiers>(b);
  const Half result = internal::HalfResult<Half, kModifiers>(
      AddRoundedToOdd(product, internal::HalfInput<Half, kModifiers>(c)));
  if constexpr (kModifiers.out_of_bounds) {
    const bool is_out = a.bits == kOutOfBoundsNan || b.bits == kOutOfBoundsNan;
    return is_out ? Half{} : result;
  }
  return result;
}

/// neg (9.7.4.5): flips the sign, of NaNs too.
template <HalfScalar Half>
inline Half Negate(Half value) {
  return {static_cast<uint16_t>(value.bits ^ 0x8000U)};
}

/// .sat of a result: clamps to [+0, 1]; NaN and both zeros give +0.
template <HalfScalar Half>
inline Half Saturate(Half value) {
  return internal::SaturateHalf(value);
}

/// abs (9.7.4.6): clears the sign, of NaNs too.
template <HalfScalar Half>
inline Half Absolute(Half value) {
  return {static_cast<uint16_t>(value.bits & 0x7fffU)};
}

/// .ftz of an input. Example: neg.ftz.f16 is Negate(FlushSubnormal(a)).
template <HalfScalar Half>
inline Half FlushSubnormal(Half value) {
  return internal::FlushHalf(value);
}

namespace internal {

template <HalfScalar Half, bool kIsMax, MinMaxModifiers kModifiers>
inline Half MinMaxHalf(Half a, Half b) {
  const Half x = kModifiers.flush ? FlushHalf(a) : a;
  const Half y = kModifiers.flush ? FlushHalf(b) : b;
  constexpr MinMaxModifiers kOfFloats = {.propagate_nan = kModifiers.propagate_nan,
                                         .absolute = kModifiers.absolute || kModifiers.xor_sign};
  Half result =
      RoundToHalf(static_cast<double>(MinMax<kIsMax, kOfFloats>(ToFloat(x), ToFloat(y))), Half());
  if constexpr (kModifiers.xor_sign) {
    // NaNs have signs too, which their floats lost.
    const uint32_t sign = (a.bits ^ b.bits) & 0x8000U;
    result.bits =
        result.bits == kCanonicalHalfNan ? result.bits : static_cast<uint16_t>(result.bits | sign);
  }
  return result;
}

}  // namespace internal

/// min (9.7.4.7). Example: Min<Bf16, {.propagate_nan = true}>(a, b) is `min.NaN.bf16`.
template <HalfScalar Half, MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline Half Min(Half a, Half b) {
  return internal::MinMaxHalf<Half, false, kModifiers>(a, b);
}

/// max (9.7.4.8).
template <HalfScalar Half, MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline Half Max(Half a, Half b) {
  return internal::MinMaxHalf<Half, true, kModifiers>(a, b);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_HALF_H_
