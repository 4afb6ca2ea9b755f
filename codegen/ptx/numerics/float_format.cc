#include "codegen/ptx/numerics/float_format.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

// A number cut after some bit: what is kept, the first bit that is not, and whether any further bit
// is set.
struct Cut {
  uint64_t kept;
  bool half;
  bool rest;
};

// Cuts `shift` >= 0 bits off.
Cut CutBits(uint64_t significand, bool is_inexact, int shift) {
  if (shift == 0) return {significand, false, is_inexact};
  if (shift > 64) return {0, false, is_inexact || significand != 0};
  const uint64_t half = uint64_t{1} << (shift - 1);
  return {shift == 64 ? 0 : significand >> shift, (significand & half) != 0,
          is_inexact || (significand & (half - 1)) != 0};
}

// What is kept after rounding.
uint64_t Rounded(const Cut& cut, bool is_negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return cut.kept + (cut.half && (cut.rest || (cut.kept & 1) != 0) ? 1 : 0);
    case Rounding::kNearestAway:
      return cut.kept + (cut.half ? 1 : 0);
    case Rounding::kTowardZero:
      break;
    case Rounding::kDown:
      return cut.kept + (is_negative && (cut.half || cut.rest) ? 1 : 0);
    case Rounding::kUp:
      return cut.kept + (!is_negative && (cut.half || cut.rest) ? 1 : 0);
  }
  return cut.kept;
}

// The magnitude of what a format has for numbers beyond its greatest.
uint64_t Overflowed(const FloatFormat& format, bool is_negative, const EncodeModifiers& modifiers) {
  const bool toward_zero = modifiers.rounding == Rounding::kTowardZero ||
                           modifiers.rounding == (is_negative ? Rounding::kUp : Rounding::kDown);
  if (modifiers.saturate_finite || toward_zero) return format.GreatestFinite();
  return std::min(format.FirstNotFinite(), format.CanonicalNan());
}

}  // namespace

uint64_t RoundTo(const FloatFormat& format, const Unrounded& value,
                 const EncodeModifiers& modifiers) {
  if (value.is_negative && modifiers.relu) return 0;
  const uint64_t sign = value.is_negative ? format.SignBit() : 0;
  if (value.significand == 0) return sign;
  const int zeros = std::countl_zero(value.significand);
  const uint64_t significand = value.significand << zeros;
  // The number is significand * 2^(exponent - 63), the significand's top bit being set.
  const int exponent = value.exponent - zeros + 63;
  const int precise_shift = 63 - format.mantissa_bits;
  const int below_normal = std::max(0, format.LeastExponent() - exponent);
  if (modifiers.flush && below_normal > 0) {
    const Cut cut = CutBits(significand, value.is_inexact, precise_shift);
    const uint64_t rounded = Rounded(cut, value.is_negative, modifiers.rounding);
    const bool reaches_normal = below_normal == 1 && rounded == uint64_t{2} << format.mantissa_bits;
    if (!reaches_normal) return sign;
  }
  const int shift = std::min(precise_shift + below_normal, 65);
  const Cut cut = CutBits(significand, value.is_inexact, shift);
  const uint64_t rounded = Rounded(cut, value.is_negative, modifiers.rounding);
  // A carry out of the mantissa goes where it belongs: into the exponent. Numbers far beyond the
  // format are cut first, as their exponents would not fit.
  const int exponent_field = std::max(0, exponent - format.LeastExponent());
  const bool is_beyond = exponent_field >= 1 << format.exponent_bits;
  const uint64_t magnitude =
      (static_cast<uint64_t>(exponent_field) << format.mantissa_bits) + rounded;
  if (is_beyond || magnitude >= format.FirstNotFinite()) {
    return sign | Overflowed(format, value.is_negative, modifiers);
  }
  return sign | magnitude;
}

uint64_t Encode(const FloatFormat& format, double value, const EncodeModifiers& modifiers) {
  if (IsNan(value)) return format.CanonicalNan();
  const uint64_t bits = BitsOf(value);
  const bool is_negative = bits >> 63 != 0;
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (field == 0x7ff) {
    if (is_negative && modifiers.relu) return 0;
    const uint64_t sign = is_negative ? format.SignBit() : 0;
    if (modifiers.saturate_finite) return sign | format.GreatestFinite();
    // Infinity is exact, so that no mode rounds it to a finite number.
    EncodeModifiers away = modifiers;
    away.rounding = Rounding::kNearestEven;
    return sign | Overflowed(format, is_negative, away);
  }
  return RoundTo(format,
                 {.is_negative = is_negative,
                  .exponent = std::max(field, 1) - 1075,
                  .significand = field == 0 ? mantissa : mantissa | uint64_t{1} << 52},
                 modifiers);
}

uint64_t EncodeInteger(const FloatFormat& format, bool is_negative, uint64_t magnitude,
                       const EncodeModifiers& modifiers) {
  return RoundTo(format, {.is_negative = is_negative && magnitude != 0, .significand = magnitude},
                 modifiers);
}

double Decode(const FloatFormat& format, uint64_t bits) {
  const uint64_t sign = (bits & format.SignBit()) != 0 ? kSignBit64 : 0;
  const uint64_t magnitude = bits & (format.SignBit() - 1);
  const uint64_t mantissa = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
  if (magnitude >= format.FirstNotFinite()) {
    const bool is_infinity =
        format.special_values == SpecialValues::kInfinityAndNan && mantissa == 0;
    const uint64_t payload =
        is_infinity ? 0 : mantissa << (52 - format.mantissa_bits) | uint64_t{1} << 51;
    return DoubleOf(sign | uint64_t{0x7ff} << 52 | payload);
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  // A number of at most 53 bits times a power of two in the range of normal doubles: exact.
  const uint64_t significand =
      field == 0 ? mantissa : mantissa | uint64_t{1} << format.mantissa_bits;
  const int exponent = std::max(field, 1) - format.bias - format.mantissa_bits;
  const double power = DoubleOf(static_cast<uint64_t>(exponent + 1023) << 52);
  return DoubleOf(BitsOf(static_cast<double>(significand) * power) | sign);
}

double DecodeUe8m0(uint8_t bits) {
  if (bits == 0xff) return DoubleOf(uint64_t{0x7fff'ffff'ffff'ffff});
  return DoubleOf(static_cast<uint64_t>(bits + 1023 - 127) << 52);
}

uint8_t EncodeUe8m0(double value, Rounding rounding, bool saturate_finite) {
  if (IsNan(value)) return 0xff;
  const uint64_t bits = BitsOf(Magnitude(value));
  const int field = static_cast<int>(bits >> 52);
  // Subnormal doubles are far below 2^-127, and so is what the field of zeros stands for.
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  const Cut cut = {static_cast<uint64_t>(field), mantissa >> 51 != 0,
                   (mantissa & ((uint64_t{1} << 51) - 1)) != 0};
  // The mantissas of both powers of two are even: a tie goes to the upper one.
  const uint64_t rounded = rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway
                               ? cut.kept + (cut.half ? 1 : 0)
                               : Rounded(cut, /*is_negative=*/false, rounding);
  const uint64_t least = 1023 - 127;
  const uint64_t greatest = 1023 + 127;
  if (rounded > greatest) return saturate_finite ? 0xfe : 0xff;
  return static_cast<uint8_t>(std::max(rounded, least) - least);
}

}  // namespace hlo_indexing::ptx::numerics
