// Scalars of f16 and bf16: conversion to and from f32, and the arithmetic of PTX ISA 9.7.4. The
// packed types f16x2 and bf16x2 are two of these.
//
// Example: Fma<F16, {.relu = true}>(a, b, c) is `fma.rn.relu.f16`; ToFloat(F16{0x3c00}) is 1.0f.
//
// Every operation is done in a wider type. A sum in float, rounded to nearest, has more than twice
// the bits of a half and two more, so that a second rounding gives what one would have (S.
// Figueroa, "When is double rounding innocuous?", 1995; where halves are subnormal, sums are
// exact). A fused multiplication and addition is rounded to odd there (round_to_odd.h). For f16
// that is float: products of two are exact in it, and what is left of a sum never underflows, being
// a multiple of 2^-48. For bf16, which has the exponents of f32, products are done in double.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_HALF_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_HALF_H_

#include <concepts>
#include <cstdint>
#include <type_traits>

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
  // The sign is where f32 has it; comparisons of positive numbers are signed ones, as vectors have.
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  const auto magnitude = static_cast<int32_t>(bits & ~kSignBit);
  // Mantissa and exponent moved to where f32 has them, but for the bias, which a product corrects,
  // of subnormal numbers too.
  const float finite = FloatOf(static_cast<uint32_t>(magnitude) >> 3) * 0x1p112F;
  const uint32_t number = magnitude < 0x7c00'0000 ? BitsOf(finite) : 0x7f80'0000U;
  return FloatOf(magnitude > 0x7c00'0000 ? kCanonicalNanBits : number | (bits & kSignBit));
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

/// A half that lies in the upper 16 bits, where f32 has its sign. Halves are rounded to there:
/// compilers would make vectors of 16-bit numbers of what ends in 16 bits, and many conversions.
template <HalfScalar Half>
inline Half UpperBits(uint32_t bits) {
  return {static_cast<uint16_t>(bits >> 16)};
}
inline constexpr uint32_t kUpperNan = uint32_t{kCanonicalHalfNan} << 16;

/// The nearest f16 of a double; NaN gives the canonical one.
inline F16 RoundToHalf(double value, F16 /*format*/) {
  const double magnitude = Magnitude(value);
  const float rounded = static_cast<float>(RoundToPrecision<11, -14>(magnitude));
  const uint32_t sign = static_cast<uint32_t>(BitsOf(value) >> 32) & kSignBit;
  const uint32_t normal = (BitsOf(rounded) << 3) - (112U << 26);
  const uint32_t subnormal = BitsOf(rounded + 0.5F) << 16;
  const uint32_t finite = rounded < 0x1p-14F ? subnormal : normal;
  // Half way from the greatest number to 2^16, ties go to infinity.
  const uint32_t number = magnitude < 65520.0 ? finite : 0x7c00'0000U;
  return UpperBits<F16>(IsNan(value) ? kUpperNan : number | sign);
}

/// The nearest bf16 of a double; NaN gives the canonical one.
inline Bf16 RoundToHalf(double value, Bf16 /*format*/) {
  const double magnitude = Magnitude(value);
  const float rounded = static_cast<float>(RoundToPrecision<8, -126>(magnitude));
  const uint32_t sign = static_cast<uint32_t>(BitsOf(value) >> 32) & kSignBit;
  const uint32_t number = magnitude < 0x1.ffp127 ? BitsOf(rounded) : 0x7f80'0000U;
  return UpperBits<Bf16>(IsNan(value) ? kUpperNan : number | sign);
}

/// The bits of a float, to be cut by the lowest kDropped: rounded to nearest then, ties to even. A
/// carry goes where it belongs, into the exponent.
template <int kDropped>
inline uint32_t RoundBits(uint32_t bits) {
  return bits + ((uint32_t{1} << (kDropped - 1)) - 1) + (bits >> kDropped & 1);
}

/// The nearest f16 of a float; NaN gives the canonical one.
inline F16 RoundToHalf(float value, F16 /*format*/) {
  const float magnitude = Magnitude(value);
  const uint32_t sign = BitsOf(value) & kSignBit;
  const uint32_t normal = (RoundBits<13>(BitsOf(magnitude)) - (112U << 23)) << 3;
  // The last bit of a float in [0.5, 1) stands for 2^-24, as the last bit of a subnormal f16 does.
  const uint32_t subnormal = BitsOf(magnitude + 0.5F) << 16;
  const uint32_t finite = magnitude < 0x1p-14F ? subnormal : normal;
  const uint32_t number = magnitude < 0x1p16F ? finite : 0x7c00'0000U;
  return UpperBits<F16>(IsNan(value) ? kUpperNan : number | sign);
}

/// The nearest bf16 of a float, which has its exponents; NaN gives the canonical one.
inline Bf16 RoundToHalf(float value, Bf16 /*format*/) {
  return UpperBits<Bf16>(IsNan(value) ? kUpperNan : RoundBits<16>(BitsOf(value)));
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

/// As ToFloat, but that a NaN stays any NaN.
inline float WidenHalf(F16 value) {
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  const float finite = FloatOf((bits & ~kSignBit) >> 3) * 0x1p112F;
  const uint32_t exponent = finite < 0x1p16F ? 0 : 0x7f80'0000U;
  return FloatOf(BitsOf(finite) | exponent | (bits & kSignBit));
}
inline float WidenHalf(Bf16 value) { return ToFloat(value); }

/// An operand: exact.
template <HalfScalar Half, Modifiers kModifiers>
inline float HalfInput(Half value) {
  if constexpr (kModifiers.flush) return WidenHalf(FlushHalf(value));
  return WidenHalf(value);
}

/// The product of two operands, exact: a float for f16, a double for bf16.
template <HalfScalar Half, Modifiers kModifiers>
inline auto HalfProduct(Half a, Half b) {
  using Wide = std::conditional_t<std::same_as<Half, F16>, float, double>;
  return static_cast<Wide>(HalfInput<Half, kModifiers>(a)) *
         static_cast<Wide>(HalfInput<Half, kModifiers>(b));
}

/// The result of a float or double that is exact or rounded to odd.
template <HalfScalar Half, Modifiers kModifiers, std::floating_point Float>
inline Half HalfResult(Float value) {
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
template <HalfScalar Half, std::floating_point Float>
inline Half NearestHalf(Float value) {
  return internal::RoundToHalf(value, Half());
}

/// The f16 or bf16 to which the value is rounded: NearestHalf, and the one beside it where that is
/// on the wrong side. The exponent's carry leads from infinity to the greatest number. Example:
/// RoundedHalf<F16, Rounding::kTowardZero>(1e6F) is 65504, 0x7bff
template <HalfScalar Half, Rounding kRounding, std::floating_point Float>
inline Half RoundedHalf(Float value) {
  const Half nearest = NearestHalf<Half>(value);
  if constexpr (kRounding == Rounding::kNearestEven) return nearest;
  const Float reached = ToFloat(nearest);
  const bool is_negative = (nearest.bits & 0x8000U) != 0;
  const bool is_closer = Magnitude(reached) < Magnitude(value);
  const bool is_beyond = Magnitude(reached) > Magnitude(value);
  const bool grows = is_negative == (kRounding == Rounding::kDown);
  constexpr bool kShrinksAlways = kRounding == Rounding::kTowardZero;
  const uint32_t step = !kShrinksAlways && grows ? (is_closer ? 1U : 0U) : (is_beyond ? ~0U : 0U);
  return internal::UpperBits<Half>((nearest.bits + step) << 16);
}

/// add{.rn}{.ftz}{.sat} (9.7.4.1). Heeds flush, saturate, relu of the modifiers, as the following
/// do: half precision has no rounding but .rn.
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Add(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(internal::HalfInput<Half, kModifiers>(a) +
                                                internal::HalfInput<Half, kModifiers>(b));
}

/// sub (9.7.4.2).
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Sub(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(internal::HalfInput<Half, kModifiers>(a) -
                                                internal::HalfInput<Half, kModifiers>(b));
}

/// mul (9.7.4.3).
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Mul(Half a, Half b) {
  return internal::HalfResult<Half, kModifiers>(internal::HalfProduct<Half, kModifiers>(a, b));
}

/// fma (9.7.4.4): a * b + c rounded once. Heeds out_of_bounds too.
template <HalfScalar Half, Modifiers kModifiers = Modifiers{}>
inline Half Fma(Half a, Half b, Half c) {
  const auto product = internal::HalfProduct<Half, kModifiers>(a, b);
  const decltype(product) addend = internal::HalfInput<Half, kModifiers>(c);
  const Half result = internal::HalfResult<Half, kModifiers>(AddRoundedToOdd(product, addend));
  if constexpr (kModifiers.out_of_bounds) {
    const bool is_out = a.bits == kOutOfBoundsNan || b.bits == kOutOfBoundsNan;
    return is_out ? Half{} : result;
  }
  return result;
}

/// All ones if both f16 of two registers are finite, else 0. (A mask, as vectors have them.)
inline uint32_t AreFinite(uint32_t a, uint32_t b) {
  // One added to the exponent of an infinity or a NaN is carried to where the sign was.
  const auto carried = [](uint32_t halves) { return (halves & 0x7fff'7fffU) + 0x0400'0400U; };
  return ((carried(a) | carried(b)) & 0x8000'8000U) == 0 ? ~uint32_t{0} : 0;
}

namespace internal {

/// As ToFloat of what is finite: the exponent stays below that of 1, the product corrects it.
inline float WidenFinite(F16 value) {
  const auto bits = static_cast<int32_t>(static_cast<uint32_t>(value.bits) << 16);
  return FloatOf(static_cast<uint32_t>(bits >> 3) & 0x8fff'ffffU) * 0x1p112F;
}

}  // namespace internal

/// Fma where a and b are finite. Heeds flush, relu and saturate.
template <Modifiers kModifiers = Modifiers{}>
inline F16 FmaOfFinite(F16 a, F16 b, F16 c) {
  if constexpr (kModifiers.flush) {
    a = internal::FlushHalf(a);
    b = internal::FlushHalf(b);
    c = internal::FlushHalf(c);
  }
  return internal::HalfResult<F16, kModifiers>(
      AddRoundedToOdd(internal::WidenFinite(a) * internal::WidenFinite(b), internal::WidenHalf(c)));
}

/// All ones if the product of two bf16 is a float, neither too large nor too small, or zero: so
/// nearly all products of a program are. Else 0. (Masks, as vectors have them.)
inline uint32_t IsFloatProduct(Bf16 a, Bf16 b) {
  const float x = ToFloat(a);
  const float y = ToFloat(b);
  const float product = Magnitude(x * y);
  const uint32_t is_not_small = product >= 0x1p-100F ? ~uint32_t{0} : 0;
  const uint32_t is_not_large = product <= 0x1p126F ? ~uint32_t{0} : 0;
  const uint32_t x_is_zero = x == 0.0F ? ~uint32_t{0} : 0;
  const uint32_t y_is_zero = y == 0.0F ? ~uint32_t{0} : 0;
  return (is_not_small & is_not_large) | x_is_zero | y_is_zero;
}

/// Fma where IsFloatProduct(a, b), in floats: the product is exact, and what is left of the sum
/// does not underflow, being a multiple of 2^-133. Heeds relu.
template <Modifiers kModifiers = Modifiers{}>
inline Bf16 FmaOfFloatProduct(Bf16 a, Bf16 b, Bf16 c) {
  return internal::HalfResult<Bf16, kModifiers>(
      AddRoundedToOdd(ToFloat(a) * ToFloat(b), ToFloat(c)));
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

/// As MinMax of f32 (f32.h); what is returned is one of the operands.
template <HalfScalar Half, bool kIsMax, MinMaxModifiers kModifiers>
inline Half MinMaxHalf(Half a, Half b) {
  constexpr uint32_t kKept = kModifiers.absolute || kModifiers.xor_sign ? ~kSignBit : ~uint32_t{0};
  const uint32_t x = uint32_t{(kModifiers.flush ? FlushHalf(a) : a).bits} << 16 & kKept;
  const uint32_t y = uint32_t{(kModifiers.flush ? FlushHalf(b) : b).bits} << 16 & kKept;
  const float first = WidenHalf(UpperBits<Half>(x));
  const float second = WidenHalf(UpperBits<Half>(y));
  const bool takes_first = kIsMax ? first > second : first < second;
  const uint32_t of_equals = kIsMax ? x & y : x | y;
  const uint32_t extreme = first == second ? of_equals : (takes_first ? x : y);
  const uint32_t sign =
      kModifiers.xor_sign ? uint32_t{a.bits} << 16 ^ uint32_t { b.bits } << 16 : 0;
  const uint32_t other = IsNan(second) ? x : extreme;
  const bool is_nan =
      kModifiers.propagate_nan ? IsNan(first) || IsNan(second) : IsNan(first) && IsNan(second);
  return UpperBits<Half>(is_nan ? kUpperNan : other | (sign & kSignBit));
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
