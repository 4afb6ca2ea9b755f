// Floats of 4 to 16 bits: what their codes stand for, and the code nearest to an f32 or f64.
// Rounded once, to nearest, ties to even, with integer arithmetic.
//
// Example: 1.1 as f8e4m3fn, whose neighbours are 1 and 1.125:
//
//   EncodeFloat<Precision::kF32>(kF8E4M3FN, BitsOf(1.1F)) -> 0x39
//   DecodeFloat<Precision::kF32>(kF8E4M3FN, 0x39) -> BitsOf(1.125F)
//
// Codes are the low bits of integers as wide as the f32 or f64.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_FORMAT_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_FORMAT_H_

#include <cstdint>

#include "codegen/emit/scalar/float_parts.h"

namespace hlo_indexing::emit::scalar {

/// What the codes beyond the finite numbers stand for.
enum class SpecialCodes : uint8_t {
  kInfinityAndNan,   // as in IEEE 754: the largest exponent
  kNanOnly,          // "fn": all bits but the sign set
  kNanNegativeZero,  // "fnuz": the code of -0 is NaN, there is no -0
  kNone,             // every code is a number
};

/// A sign bit, then exponent and mantissa.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  SpecialCodes specials;

  constexpr int64_t sign_bit() const { return int64_t{1} << (exponent_bits + mantissa_bits); }
  /// All bits but the sign.
  constexpr int64_t magnitude_mask() const {
    return static_cast<int64_t>(static_cast<uint64_t>(sign_bit()) - 1);
  }
  constexpr int64_t infinity() const {
    return ((int64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr int64_t largest_finite() const {
    if (specials == SpecialCodes::kInfinityAndNan) return infinity() - 1;
    return sign_bit() - (specials == SpecialCodes::kNanOnly ? 2 : 1);
  }
  constexpr int64_t nan() const {
    if (specials == SpecialCodes::kInfinityAndNan) {
      return infinity() | int64_t{1} << (mantissa_bits - 1);
    }
    return specials == SpecialCodes::kNanOnly ? sign_bit() - 1 : sign_bit();
  }
  /// What numbers become that are too large.
  constexpr int64_t overflow() const {
    if (specials == SpecialCodes::kInfinityAndNan) return infinity();
    return specials == SpecialCodes::kNone ? largest_finite() : nan();
  }
  /// NaN of these formats has no sign.
  constexpr bool has_one_nan() const { return nan() == sign_bit(); }
};

inline constexpr FloatFormat kF4E2M1FN = {2, 1, 1, SpecialCodes::kNone};
inline constexpr FloatFormat kF8E3M4 = {3, 4, 3, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kF8E4M3 = {4, 3, 7, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kF8E4M3B11FNUZ = {4, 3, 11, SpecialCodes::kNanNegativeZero};
inline constexpr FloatFormat kF8E4M3FN = {4, 3, 7, SpecialCodes::kNanOnly};
inline constexpr FloatFormat kF8E4M3FNUZ = {4, 3, 8, SpecialCodes::kNanNegativeZero};
inline constexpr FloatFormat kF8E5M2 = {5, 2, 15, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kF8E5M2FNUZ = {5, 2, 16, SpecialCodes::kNanNegativeZero};
inline constexpr FloatFormat kBF16 = {8, 7, 127, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kF16 = {5, 10, 15, SpecialCodes::kInfinityAndNan};
/// Only for ReducePrecision.
inline constexpr FloatFormat kF32 = {8, 23, 127, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kF64 = {11, 52, 1023, SpecialCodes::kInfinityAndNan};

/// n / 2^shift, to nearest, ties to even; n + 2^shift must not overflow.
template <IntegerScalar I>
I ShiftRightRounding(I n, I shift) {
  const I one = IntegerConstant(n, 1);
  const I half = ShiftLeft(one, shift - one);
  return ShiftRightLogical(n + (half - one) + (ShiftRightLogical(n, shift) & one), shift);
}

/// The code of a finite magnitude, as if there were no largest one.
template <Precision kPrecision, IntegerScalar I>
I EncodeMagnitude(const FloatFormat& format, I magnitude) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  const int shift = kMantissa - format.mantissa_bits;
  // The exponent of the format's least normal number, as a field of the wide float.
  const int64_t lowest = Bias<kPrecision>() + 1 - format.bias;
  const auto constant = [&](int64_t value) { return IntegerConstant(magnitude, value); };
  const I rebased = magnitude - constant((lowest - 1) << kMantissa);
  const I normal = ShiftRightRounding(rebased, constant(shift));
  // Subnormal numbers of the one are those of the other.
  if (lowest == 1) return normal;
  // Others are multiples of the least number. More than two bits too small is too small for it.
  const I field = ShiftRightLogicalBy(magnitude, kMantissa);
  const I significand =
      (magnitude & constant((int64_t{1} << kMantissa) - 1)) | constant(int64_t{1} << kMantissa);
  const I missing = constant(lowest) - field;
  const I most = constant(format.mantissa_bits + 2);
  const I bounded = Select(LessSigned(missing, most), missing, most);
  // Normal numbers have none missing; their shift is not looked at, but must be one.
  const I extra = Select(LessSigned(bounded, constant(0)), constant(0), bounded);
  const I subnormal = ShiftRightRounding(significand, constant(shift) + extra);
  return Select(LessSigned(field, constant(lowest)), subnormal, normal);
}

/// The code nearest to the f32 or f64 with these bits. Too large numbers become infinity, or NaN if
/// the format has none, or the largest if it has neither.
template <Precision kPrecision, IntegerScalar I>
I EncodeFloat(const FloatFormat& format, I bits) {
  const auto constant = [&](int64_t value) { return IntegerConstant(bits, value); };
  const I magnitude = bits & constant(~SignBits<kPrecision>());
  const I largest = constant(format.largest_finite());
  const int shift = Width<kPrecision>() - 1 - format.exponent_bits - format.mantissa_bits;
  const I sign = ShiftRightLogicalBy(bits & constant(SignBits<kPrecision>()), shift);
  const I code = EncodeMagnitude<kPrecision>(format, magnitude);
  const auto overflows = LessSigned(largest, code);
  const I in_range = Select(overflows, constant(format.overflow()), code);
  const I infinity = constant(InfinityBits<kPrecision>());
  const auto is_nan = LessSigned(infinity, magnitude);
  if (format.specials == SpecialCodes::kNanNegativeZero) {
    // 0 has no sign, nor has NaN.
    const auto has_sign = And(Not(overflows), Not(Equal(code, constant(0))));
    const I with_sign = in_range | Select(has_sign, sign, constant(0));
    return Select(is_nan, constant(format.nan()), with_sign);
  }
  if (format.has_one_nan()) return Select(is_nan, constant(format.nan()), in_range | sign);
  return Select(is_nan, constant(format.nan()), in_range) | sign;
}

/// The bits of the f32 or f64 that a code stands for; exact. NaN keeps its sign and mantissa.
template <Precision kPrecision, IntegerScalar I>
I DecodeFloat(const FloatFormat& format, I code) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  const auto constant = [&](int64_t value) { return IntegerConstant(code, value); };
  const int shift = kMantissa - format.mantissa_bits;
  const I magnitude = code & constant(format.magnitude_mask());
  const I sign_bit = code & constant(format.sign_bit());
  const I sign =
      ShiftLeftBy(sign_bit, Width<kPrecision>() - 1 - format.exponent_bits - format.mantissa_bits);
  const I wide = ShiftLeftBy(magnitude, shift);
  const int64_t rebase = static_cast<int64_t>(Bias<kPrecision>() - format.bias) << kMantissa;
  I number = wide + constant(rebase);
  if (rebase != 0) {
    // Subnormal numbers: with the exponent of the least normal one, they are too large by that.
    const I least = constant(rebase + (int64_t{1} << kMantissa));
    const I subnormal = BitsOf(FloatOf(wide + least) - FloatOf(least));
    const auto is_subnormal = LessSigned(magnitude, constant(int64_t{1} << format.mantissa_bits));
    number = Select(is_subnormal, subnormal, number);
  }
  constexpr int64_t kInfinite = InfinityBits<kPrecision>();
  const I quiet = constant(kInfinite | int64_t{1} << (kMantissa - 1));
  switch (format.specials) {
    case SpecialCodes::kInfinityAndNan: {
      const I special = constant(kInfinite - (format.infinity() << shift)) + wide;
      const auto is_special = LessSigned(constant(format.largest_finite()), magnitude);
      return Select(is_special, special, number) | sign;
    }
    case SpecialCodes::kNanOnly:
      return Select(Equal(magnitude, constant(format.nan())), quiet, number) | sign;
    case SpecialCodes::kNanNegativeZero:
      return Select(Equal(code, constant(format.nan())), quiet, number | sign);
    default:
      return number | sign;
  }
}

/// f8e8m0fnu has neither sign nor mantissa nor zero: the code c stands for 2^(c - 127), but 255 for
/// NaN. 0 becomes the smallest value, negative numbers and infinity NaN.
template <Precision kPrecision, IntegerScalar I>
I EncodePowerOfTwo(I bits) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  const auto constant = [&](int64_t value) { return IntegerConstant(bits, value); };
  const int64_t lowest = kPrecision == Precision::kF32 ? 0 : Bias<kPrecision>() - 127;
  const I rebased = bits - constant(lowest << kMantissa);
  const I rounded = ShiftRightRounding(rebased, constant(kMantissa));
  I small = constant(0);
  if constexpr (kPrecision == Precision::kF32) {
    // 2^-127 is subnormal, and the next value 2^-126.
    small = Select(LessSigned(constant(0x600000), bits), constant(1), constant(0));
  }
  const int64_t first =
      kPrecision == Precision::kF32 ? int64_t{1} << kMantissa : lowest << kMantissa;
  const I code = Select(LessSigned(bits, constant(first)), small, rounded);
  const I nan = constant(255);
  const auto is_number =
      And(LessSigned(code, nan), LessSigned(bits, constant(InfinityBits<kPrecision>())));
  const I positive = Select(is_number, code, nan);
  const I zero = constant(0);
  const I negative = Select(Equal(bits, constant(SignBits<kPrecision>())), zero, nan);
  return Select(LessSigned(bits, zero), negative, positive);
}

template <Precision kPrecision, IntegerScalar I>
I DecodePowerOfTwo(I code) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  const auto constant = [&](int64_t value) { return IntegerConstant(code, value); };
  const I field = code + constant(Bias<kPrecision>() - 127);
  I number = ShiftLeftBy(field, kMantissa);
  if constexpr (kPrecision == Precision::kF32) {
    number = Select(Equal(code, constant(0)), constant(int64_t{1} << (kMantissa - 1)), number);
  }
  const I quiet = constant(InfinityBits<kPrecision>() | int64_t{1} << (kMantissa - 1));
  return Select(Equal(code, constant(255)), quiet, number);
}

/// The code, in the same format, of the number with fewer bits of exponent and mantissa, rounded to
/// nearest, ties to even, where the last bit is the exponent's if there is none of mantissa. Too
/// large is infinity, too small for a normal number is 0 of the same sign; as many bits of exponent
/// as the format has, or more, leave the range alone.
template <IntegerScalar I>
I ReducePrecision(const FloatFormat& format, I code, int exponent_bits, int mantissa_bits) {
  const auto constant = [&](int64_t value) { return IntegerConstant(code, value); };
  const I sign = code & constant(format.sign_bit());
  const I magnitude = code & constant(format.magnitude_mask());
  const auto is_special = LessSigned(constant(format.largest_finite()), magnitude);
  I result = magnitude;
  const int dropped = format.mantissa_bits - mantissa_bits;
  if (dropped > 0) {
    result = ShiftLeftBy(ShiftRightRounding(magnitude, constant(dropped)), dropped);
  }
  // Where rounding overflows an f64 or an f32, the sign bit is set: as if unsigned, it is large.
  auto overflows = LessUnsigned(constant(format.largest_finite()), result);
  if (exponent_bits < format.exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto code_of_power = [&](int exponent) {
      return constant(static_cast<int64_t>(exponent + format.bias) << format.mantissa_bits);
    };
    overflows = Or(overflows, Not(LessUnsigned(result, code_of_power(bias + 1))));
    result = Select(LessUnsigned(result, code_of_power(1 - bias)), constant(0), result);
  }
  const I in_range = Select(overflows, constant(format.overflow()), result);
  if (format.specials == SpecialCodes::kNanNegativeZero) {
    const auto has_sign = And(Not(overflows), Not(Equal(result, constant(0))));
    const I with_sign = in_range | Select(has_sign, sign, constant(0));
    return Select(Equal(code, constant(format.nan())), code, with_sign);
  }
  return Select(is_special, code, in_range | sign);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_FORMAT_H_
