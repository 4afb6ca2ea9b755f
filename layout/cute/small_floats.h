#ifndef HLO_INDEXING_LAYOUT_CUTE_SMALL_FLOATS_H_
#define HLO_INDEXING_LAYOUT_CUTE_SMALL_FLOATS_H_

#include "layout/cute/numeric_types.h"

// Floats of 8 bits and fewer: storage, conversion from and to float, and arithmetic, which is that
// of float, rounded to the type.
//
//   float_e4m3_t, float_e5m2_t    8 bits; e5m2 has infinities as IEEE formats have, e4m3 none
//   float_ue4m3_t, float_ue8m0_t  8 bits without a sign: scales of blocks
//   float_e3m2_t, float_e2m3_t    6 bits   } no infinities, nothing that is not a number; tensors
//   float_e2m1_t                  4 bits   } pack them
//
// Conversions round to nearest, ties to even. What is too large becomes the largest number, as
// cvt.rn.satfinite makes it.
// Devices convert those of 8 bits with a sign by instructions, from sm_89 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define HLO_CUTE_SMALL_FLOAT_INSTRUCTIONS 1
#else
#define HLO_CUTE_SMALL_FLOAT_INSTRUCTIONS 0
#endif

HLO_CUTE_BEGIN_NAMESPACE

/// Which codes are not numbers: those of the largest exponent, the one of ones alone, or none.
enum class SpecialCodes { kLargestExponent, kOnes, kNone };

template <int exponent_bits, int mantissa_bits, SpecialCodes specials, bool has_sign = true>
struct SmallFloat {
  uint8_t storage;
  SmallFloat() = default;
  HLO_CUTE_HD explicit SmallFloat(float x) : storage(Encode(x)) {}
  HLO_CUTE_HD explicit SmallFloat(double x) : SmallFloat(static_cast<float>(x)) {}
  HLO_CUTE_HD explicit SmallFloat(int x) : SmallFloat(static_cast<float>(x)) {}
  HLO_CUTE_HD operator float() const { return Decode(storage); }
  HLO_CUTE_HD static SmallFloat bitcast(uint8_t code) {
    SmallFloat x;
    x.storage = code;
    return x;
  }

  static constexpr int bits = exponent_bits + mantissa_bits + (has_sign ? 1 : 0);
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr uint32_t ones = (1u << (exponent_bits + mantissa_bits)) - 1;
  static constexpr uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  static constexpr uint32_t largest = specials == SpecialCodes::kNone   ? ones
                                      : specials == SpecialCodes::kOnes ? ones - 1
                                                                        : infinity - 1;

  static constexpr bool is_e4m3 = bits == 8 && mantissa_bits == 3 && has_sign;
  static constexpr bool is_e5m2 = bits == 8 && mantissa_bits == 2 && has_sign;

#if HLO_CUTE_SMALL_FLOAT_INSTRUCTIONS
  // The instructions convert two at a time, the second operand to the lower byte.
  HLO_CUTE_HD static uint8_t Encode(float x) {
    uint16_t pair = 0;
    if constexpr (is_e4m3) {
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0F), "f"(x));
    } else if constexpr (is_e5m2) {
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0F), "f"(x));
    } else {
      pair = EncodeByParts(x);
    }
    return static_cast<uint8_t>(pair);
  }
  HLO_CUTE_HD static float Decode(uint8_t storage) {
    uint32_t halves = 0;
    if constexpr (is_e4m3) {
      asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(uint16_t{storage}));
    } else if constexpr (is_e5m2) {
      asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(uint16_t{storage}));
    } else {
      return DecodeByParts(storage);
    }
    return detail::FloatFromHalf(static_cast<uint16_t>(halves));
  }
#else
  HLO_CUTE_HD static uint8_t Encode(float x) { return EncodeByParts(x); }
  HLO_CUTE_HD static float Decode(uint8_t storage) { return DecodeByParts(storage); }
#endif

  HLO_CUTE_HD static uint8_t EncodeByParts(float x) {
    const uint32_t pattern = detail::FloatBits(x);
    const uint32_t sign = pattern >> 31;
    const uint32_t magnitude = pattern & 0x7fffffff;
    // What is not a number has the code of ones, or, where that is a number, the largest.
    if (magnitude > 0x7f800000) return static_cast<uint8_t>(ones);
    if (!has_sign && sign != 0) return 0;
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    constexpr int dropped = 23 - mantissa_bits;
    uint32_t code = 0;
    if (exponent < 1 - bias) {  // subnormal or 0
      code = detail::RoundedShift((magnitude & 0x7fffff) | 0x800000, dropped + 1 - bias - exponent);
    } else {
      code = detail::RoundedShift(magnitude - (static_cast<uint32_t>(127 - bias) << 23), dropped);
    }
    if (code > largest) code = largest;
    return static_cast<uint8_t>(code | sign << (exponent_bits + mantissa_bits));
  }
  HLO_CUTE_HD static float DecodeByParts(uint8_t storage) {
    const uint32_t sign = has_sign ? static_cast<uint32_t>(storage >> (bits - 1) & 1) << 31 : 0;
    const uint32_t code = storage & ones;
    const uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
    if (code > largest) {
      if (specials == SpecialCodes::kLargestExponent) {
        return detail::FloatOfBits(sign | 0x7f800000 | mantissa << (23 - mantissa_bits));
      }
      return detail::FloatOfBits(0x7fffffff);
    }
    if (code >> mantissa_bits == 0) {
      const float unit =
          detail::FloatOfBits(static_cast<uint32_t>(127 + 1 - bias - mantissa_bits) << 23);
      const float magnitude = static_cast<float>(mantissa) * unit;
      return sign != 0 ? -magnitude : magnitude;
    }
    const uint32_t rebiased =
        (code << (23 - mantissa_bits)) + (static_cast<uint32_t>(127 - bias) << 23);
    return detail::FloatOfBits(sign | rebiased);
  }
};
using float_e4m3_t = SmallFloat<4, 3, SpecialCodes::kOnes>;
using float_e5m2_t = SmallFloat<5, 2, SpecialCodes::kLargestExponent>;
using float_ue4m3_t = SmallFloat<4, 3, SpecialCodes::kOnes, false>;
using float_e3m2_t = SmallFloat<3, 2, SpecialCodes::kNone>;
using float_e2m3_t = SmallFloat<2, 3, SpecialCodes::kNone>;
using float_e2m1_t = SmallFloat<2, 1, SpecialCodes::kNone>;

/// 2 to the power of storage - 127; 255 is not a number. Conversions round up, as
/// cvt.rp.satfinite.ue8m0x2 does, so that a scale covers its block.
struct float_ue8m0_t {
  uint8_t storage;
  float_ue8m0_t() = default;
  HLO_CUTE_HD explicit float_ue8m0_t(float x) {
    const uint32_t pattern = detail::FloatBits(x);
    const uint32_t magnitude = pattern & 0x7fffffff;
    uint32_t exponent = (magnitude >> 23) + ((magnitude & 0x7fffff) != 0 ? 1 : 0);
    if ((magnitude >> 23) == 0) exponent = magnitude > 0x400000 ? 1 : 0;
    if (exponent > 254) exponent = 254;
    if (magnitude > 0x7f800000) exponent = 255;
    storage = static_cast<uint8_t>(exponent);
  }
  HLO_CUTE_HD explicit float_ue8m0_t(double x) : float_ue8m0_t(static_cast<float>(x)) {}
  HLO_CUTE_HD explicit float_ue8m0_t(int x) : float_ue8m0_t(static_cast<float>(x)) {}
  HLO_CUTE_HD operator float() const {
    if (storage == 255) return detail::FloatOfBits(0x7fffffff);
    return detail::FloatOfBits(storage == 0 ? 0x400000 : static_cast<uint32_t>(storage) << 23);
  }
  HLO_CUTE_HD static float_ue8m0_t bitcast(uint8_t bits) {
    float_ue8m0_t x;
    x.storage = bits;
    return x;
  }
};

#define HLO_CUTE_SMALL_FLOAT_OPERATOR(op)                                           \
  template <int e, int m, SpecialCodes s, bool g>                                   \
  HLO_CUTE_HD inline SmallFloat<e, m, s, g> operator op(SmallFloat<e, m, s, g> a,   \
                                                        SmallFloat<e, m, s, g> b) { \
    return SmallFloat<e, m, s, g>(static_cast<float>(a) op static_cast<float>(b));  \
  }                                                                                 \
  template <int e, int m, SpecialCodes s, bool g>                                   \
  HLO_CUTE_HD inline SmallFloat<e, m, s, g>& operator op## =                        \
      (SmallFloat<e, m, s, g> & a, SmallFloat<e, m, s, g> b) {                      \
    return a = a op b;                                                              \
  }
HLO_CUTE_SMALL_FLOAT_OPERATOR(+)
HLO_CUTE_SMALL_FLOAT_OPERATOR(-)
HLO_CUTE_SMALL_FLOAT_OPERATOR(*)
HLO_CUTE_SMALL_FLOAT_OPERATOR(/)
#undef HLO_CUTE_SMALL_FLOAT_OPERATOR
#define HLO_CUTE_SMALL_FLOAT_STEP(op, sign)                                               \
  template <int e, int m, SpecialCodes s, bool g>                                         \
  HLO_CUTE_HD inline SmallFloat<e, m, s, g>& operator op(SmallFloat<e, m, s, g>& a) {     \
    return a = a sign SmallFloat<e, m, s, g>(1);                                          \
  }                                                                                       \
  template <int e, int m, SpecialCodes s, bool g>                                         \
  HLO_CUTE_HD inline SmallFloat<e, m, s, g> operator op(SmallFloat<e, m, s, g>& a, int) { \
    const SmallFloat<e, m, s, g> before = a;                                              \
    op a;                                                                                 \
    return before;                                                                        \
  }
HLO_CUTE_SMALL_FLOAT_STEP(++, +)
HLO_CUTE_SMALL_FLOAT_STEP(--, -)
#undef HLO_CUTE_SMALL_FLOAT_STEP
template <int e, int m, SpecialCodes s>
HLO_CUTE_HD inline SmallFloat<e, m, s> operator-(SmallFloat<e, m, s> a) {
  constexpr int sign = 1 << (SmallFloat<e, m, s>::bits - 1);
  return SmallFloat<e, m, s>::bitcast(static_cast<uint8_t>(a.storage ^ sign));
}

template <int e, int m, SpecialCodes s, bool g>
struct sizeof_bits<SmallFloat<e, m, s, g>>
    : C<SmallFloat<e, m, s, g>::bits <= 6 ? SmallFloat<e, m, s, g>::bits : 8> {};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_SMALL_FLOATS_H_
