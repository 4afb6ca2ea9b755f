// Binary floating-point formats as parameters, and the one function that rounds to any of them:
// what is behind conversions to the narrow formats, and behind rounding modes that the host does
// not have.
//
// Example: the f16 nearest to 1/3 (the significand has the first bits of 0.333... times 2^64, the
// rest is what is_inexact says) is RoundTo(kF16Format, {.exponent = -64, .significand =
// 0x5555555555555555, .is_inexact = true}, {}) == 0x3555.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_FLOAT_FORMAT_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_FLOAT_FORMAT_H_

#include <cstdint>

#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// What the encodings with the greatest exponent are.
enum class SpecialValues : uint8_t {
  /// Infinities and NaNs, as in IEEE 754.
  kInfinityAndNan,
  /// Numbers, but for the mantissa of ones, which is NaN.
  kNanOnly,
  /// Numbers.
  kNone,
};

/// A format with a sign bit, `exponent_bits` bits of exponent and `mantissa_bits` bits of mantissa,
/// in this order from the top. An exponent of zeros is that of subnormal numbers.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  SpecialValues special_values;

  /// Bits of an encoding, the sign included.
  constexpr int Width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr uint64_t SignBit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  /// The exponent e of the least normal number, 2^e.
  constexpr int LeastExponent() const { return 1 - bias; }
  /// The encoding after the greatest finite number's: infinity's, NaN's, or none.
  constexpr uint64_t FirstNotFinite() const {
    switch (special_values) {
      case SpecialValues::kInfinityAndNan:
        return SignBit() - (uint64_t{1} << mantissa_bits);
      case SpecialValues::kNanOnly:
        return SignBit() - 1;
      case SpecialValues::kNone:
        break;
    }
    return SignBit();
  }
  constexpr uint64_t GreatestFinite() const { return FirstNotFinite() - 1; }
  /// The NaN that conversions return: positive, all ones below the sign (0x7fff of f16 and bf16,
  /// 0x7f of e4m3 and e5m2). Formats without NaN have their greatest number instead (PTX ISA 9.7.9,
  /// cvt).
  constexpr uint64_t CanonicalNan() const { return SignBit() - 1; }
};

inline constexpr FloatFormat kF64Format = {11, 52, 1023, SpecialValues::kInfinityAndNan};
inline constexpr FloatFormat kF32Format = {8, 23, 127, SpecialValues::kInfinityAndNan};
/// tf32 lies in the upper 19 bits of an f32; encodings here are these 19 bits.
inline constexpr FloatFormat kTf32Format = {8, 10, 127, SpecialValues::kInfinityAndNan};
inline constexpr FloatFormat kBf16Format = {8, 7, 127, SpecialValues::kInfinityAndNan};
inline constexpr FloatFormat kF16Format = {5, 10, 15, SpecialValues::kInfinityAndNan};
inline constexpr FloatFormat kE5m2Format = {5, 2, 15, SpecialValues::kInfinityAndNan};
inline constexpr FloatFormat kE4m3Format = {4, 3, 7, SpecialValues::kNanOnly};
inline constexpr FloatFormat kE3m2Format = {3, 2, 3, SpecialValues::kNone};
inline constexpr FloatFormat kE2m3Format = {2, 3, 1, SpecialValues::kNone};
inline constexpr FloatFormat kE2m1Format = {2, 1, 1, SpecialValues::kNone};

/// A finite number before rounding: +-(significand + f) * 2^exponent with 0 < f < 1 if it is
/// inexact, else f = 0. An inexact one has a significand of at least 2^62, or a format of less
/// precision may be rounded to wrongly.
struct Unrounded {
  bool is_negative = false;
  int exponent = 0;
  uint64_t significand = 0;
  bool is_inexact = false;
};

/// What a conversion does beside rounding (PTX ISA 9.7.9, cvt).
struct EncodeModifiers {
  Rounding rounding = Rounding::kNearestEven;
  /// .satfinite: what is beyond the greatest finite number, infinity included, becomes that number
  /// with its sign. Formats without infinity need it: otherwise they give NaN, or the greatest
  /// number if they have none.
  bool saturate_finite = false;
  /// .relu: negative values and -0 become +0, NaNs the canonical one.
  bool relu = false;
  /// .ftz of a result, as Modifiers::flush.
  bool flush = false;
};

/// The encoding of the number rounded to the format.
uint64_t RoundTo(const FloatFormat& format, const Unrounded& value,
                 const EncodeModifiers& modifiers);

/// The encoding of a value rounded to the format. NaN gives CanonicalNan().
/// Example: Encode(kE4m3Format, 1000.0, {.saturate_finite = true}) == 0x7e, which is 448
uint64_t Encode(const FloatFormat& format, double value, const EncodeModifiers& modifiers = {});

/// The encoding of an integer rounded to the format, the magnitude and the sign given.
uint64_t EncodeInteger(const FloatFormat& format, bool is_negative, uint64_t magnitude,
                       const EncodeModifiers& modifiers = {});

/// The value of an encoding of at most 32 bits; what lies above the format's bits is ignored.
/// Exact. NaNs keep their sign and payload, which lies in the upper bits of the double's, but are
/// made quiet.
double Decode(const FloatFormat& format, uint64_t bits);

/// ue8m0: 2^(bits - 127), and NaN for 0xff. Without sign and zero: a scale of blocks of e2m1 and so
/// on.
double DecodeUe8m0(uint8_t bits);
/// The ue8m0 of |value|; cvt has .rz and .rp, of the modes to nearest ties give the upper power.
/// What is below 2^-127, zero too, gives 2^-127; beyond 2^127, infinity too, gives NaN, and with
/// `saturate_finite` 2^127.
uint8_t EncodeUe8m0(double value, Rounding rounding, bool saturate_finite);

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_FLOAT_FORMAT_H_
