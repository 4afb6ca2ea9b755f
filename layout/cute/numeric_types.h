#ifndef HLO_INDEXING_LAYOUT_CUTE_NUMERIC_TYPES_H_
#define HLO_INDEXING_LAYOUT_CUTE_NUMERIC_TYPES_H_

#include "layout/cute/integral.h"

// Element types that C++ lacks: 16-bit floats, and integers of fewer than 8 bits.
//
// Devices convert and compute by instructions, with the same results but for the bits of what is
// not a number: the sum, difference or product of two halves, rounded to a float and then to a
// half, is what one rounding gives, for a float has more than twice as many bits.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define HLO_CUTE_HALF_INSTRUCTIONS 1
#else
#define HLO_CUTE_HALF_INSTRUCTIONS 0
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HLO_CUTE_BRAIN_INSTRUCTIONS 1
#else
#define HLO_CUTE_BRAIN_INSTRUCTIONS 0
#endif

HLO_CUTE_BEGIN_NAMESPACE

namespace detail {

HLO_CUTE_HD inline uint32_t FloatBits(float x) {
  uint32_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
HLO_CUTE_HD inline float FloatOfBits(uint32_t bits) {
  float x = 0;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
// Drops the low bits, rounding to nearest, ties to even.
HLO_CUTE_HD inline uint32_t RoundedShift(uint32_t bits, int shift) {
  if (shift > 31) return 0;
  const uint32_t half = (uint32_t{1} << (shift - 1)) - 1 + (bits >> shift & 1);
  return (bits + half) >> shift;
}
HLO_CUTE_HD inline uint16_t HalfFromFloat(float x) {
#if HLO_CUTE_HALF_INSTRUCTIONS
  uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  return half;
#else
  const uint32_t bits = FloatBits(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);   // not a number
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // infinite
  if (magnitude < 0x38800000) {                                              // subnormal or 0
    const int shift = 126 - static_cast<int>(magnitude >> 23);
    const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    return static_cast<uint16_t>(sign | (shift > 24 ? 0 : RoundedShift(mantissa, shift)));
  }
  return static_cast<uint16_t>(sign | RoundedShift(magnitude - 0x38000000, 13));
#endif
}
HLO_CUTE_HD inline float FloatFromHalf(uint16_t half) {
#if HLO_CUTE_HALF_INSTRUCTIONS
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(half));
  return x;
#else
  const uint32_t sign = (half & uint32_t{0x8000}) << 16;
  const uint32_t exponent = half >> 10 & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f) return FloatOfBits(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return FloatOfBits(sign | (exponent + 112) << 23 | mantissa << 13);
  // Subnormal: mantissa * 2^-24.
  const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
  return sign != 0 ? -magnitude : magnitude;
#endif
}
HLO_CUTE_HD inline uint16_t BrainFromFloat(float x) {
#if HLO_CUTE_BRAIN_INSTRUCTIONS
  uint16_t brain;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(brain) : "f"(x));
  return brain;
#else
  const uint32_t bits = FloatBits(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(RoundedShift(bits, 16));
#endif
}

// -x: the upper bit of the storage changed, so that nothing is rounded.
template <class T>
HLO_CUTE_HD inline T SignChanged(T x) {
  using Storage = decltype(x.storage);
  return T::bitcast(static_cast<Storage>(x.storage ^ Storage{1} << (8 * sizeof(Storage) - 1)));
}

}  // namespace detail

/// IEEE half precision and bfloat16: storage, and conversion from and to float. The result of
/// arithmetic on two of a type is that of float, rounded to the type.
struct half_t {
  uint16_t storage;
  half_t() = default;
  HLO_CUTE_HD explicit half_t(float x) : storage(detail::HalfFromFloat(x)) {}
  HLO_CUTE_HD explicit half_t(double x) : half_t(static_cast<float>(x)) {}
  HLO_CUTE_HD explicit half_t(int x) : half_t(static_cast<float>(x)) {}
  HLO_CUTE_HD operator float() const { return detail::FloatFromHalf(storage); }
  HLO_CUTE_HD static half_t bitcast(uint16_t bits) {
    half_t half;
    half.storage = bits;
    return half;
  }
};
struct bfloat16_t {
  uint16_t storage;
  bfloat16_t() = default;
  HLO_CUTE_HD explicit bfloat16_t(float x) : storage(detail::BrainFromFloat(x)) {}
  HLO_CUTE_HD explicit bfloat16_t(double x) : bfloat16_t(static_cast<float>(x)) {}
  HLO_CUTE_HD explicit bfloat16_t(int x) : bfloat16_t(static_cast<float>(x)) {}
  HLO_CUTE_HD operator float() const {
    return detail::FloatOfBits(static_cast<uint32_t>(storage) << 16);
  }
  HLO_CUTE_HD static bfloat16_t bitcast(uint16_t bits) {
    bfloat16_t brain;
    brain.storage = bits;
    return brain;
  }
};

#define HLO_CUTE_FLOAT_OPERATOR(T, op)                        \
  HLO_CUTE_HD inline T operator op(T a, T b) {                \
    return T(static_cast<float>(a) op static_cast<float>(b)); \
  }                                                           \
  HLO_CUTE_HD inline T& operator op## = (T & a, T b) { return a = a op b; }
#define HLO_CUTE_FLOAT_STEP(T, op, sign)                              \
  HLO_CUTE_HD inline T& operator op(T& a) { return a = a sign T(1); } \
  HLO_CUTE_HD inline T operator op(T& a, int) {                       \
    const T before = a;                                               \
    op a;                                                             \
    return before;                                                    \
  }
#define HLO_CUTE_FLOAT_OPERATORS(T) \
  HLO_CUTE_FLOAT_OPERATOR(T, +)     \
  HLO_CUTE_FLOAT_OPERATOR(T, -)     \
  HLO_CUTE_FLOAT_OPERATOR(T, *)     \
  HLO_CUTE_FLOAT_OPERATOR(T, /)     \
  HLO_CUTE_HD inline T operator-(T a) { return detail::SignChanged(a); }
#define HLO_CUTE_INSTRUCTION_OPERATOR(T, op, instruction)                     \
  HLO_CUTE_HD inline T operator op(T a, T b) {                                \
    T result;                                                                 \
    asm(instruction : "=h"(result.storage) : "h"(a.storage), "h"(b.storage)); \
    return result;                                                            \
  }                                                                           \
  HLO_CUTE_HD inline T& operator op## = (T & a, T b) { return a = a op b; }
// `compare` sets p.
#define HLO_CUTE_INSTRUCTION_COMPARISON(T, op, compare)           \
  HLO_CUTE_HD inline bool operator op(T a, T b) {                 \
    uint16_t result;                                              \
    asm("{.reg .pred p;\n\t" compare "\n\tselp.u16 %0, 1, 0, p;}" \
        : "=h"(result)                                            \
        : "h"(a.storage), "h"(b.storage));                        \
    return result != 0;                                           \
  }
#define HLO_CUTE_INSTRUCTION_COMPARISONS(T, before, after)         \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, ==, before "setp.eq." after)  \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, !=, before "setp.neu." after) \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, <, before "setp.lt." after)   \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, <=, before "setp.le." after)  \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, >, before "setp.gt." after)   \
  HLO_CUTE_INSTRUCTION_COMPARISON(T, >=, before "setp.ge." after)
#if HLO_CUTE_HALF_INSTRUCTIONS
HLO_CUTE_INSTRUCTION_OPERATOR(half_t, +, "add.f16 %0, %1, %2;")
HLO_CUTE_INSTRUCTION_OPERATOR(half_t, -, "sub.f16 %0, %1, %2;")
HLO_CUTE_INSTRUCTION_OPERATOR(half_t, *, "mul.f16 %0, %1, %2;")
// a * (1 / b), and what is missing of a: of halves that is the quotient of floats, rounded to
// nearest, also where the reciprocal is three places off. What is missing of 0, of what is infinite
// and of no number is 0 or no number.
HLO_CUTE_HD inline half_t operator/(half_t a, half_t b) {
  const float divisor = static_cast<float>(b);
  const float dividend = static_cast<float>(a);
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(divisor));
  const float quotient = dividend * reciprocal;
  float missing;
  float corrected;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(missing) : "f"(-divisor), "f"(quotient), "f"(dividend));
  asm("fma.rn.f32 %0, %1, %2, %3;"
      : "=f"(corrected)
      : "f"(missing), "f"(reciprocal), "f"(quotient));
  return half_t(__builtin_fabsf(missing) > 0 ? corrected : quotient);
}
HLO_CUTE_HD inline half_t& operator/=(half_t& a, half_t b) { return a = a / b; }
HLO_CUTE_INSTRUCTION_COMPARISONS(half_t, "", "f16 p, %1, %2;")
HLO_CUTE_HD inline half_t operator-(half_t a) {
  half_t result;
  asm("neg.f16 %0, %1;" : "=h"(result.storage) : "h"(a.storage));
  return result;
}
#else
HLO_CUTE_FLOAT_OPERATORS(half_t)
#endif
#if HLO_CUTE_BRAIN_INSTRUCTIONS
#if __CUDA_ARCH__ >= 900
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, +, "add.bf16 %0, %1, %2;")
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, -, "sub.bf16 %0, %1, %2;")
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, *, "mul.bf16 %0, %1, %2;")
HLO_CUTE_INSTRUCTION_COMPARISONS(bfloat16_t, "", "bf16 p, %1, %2;")
#else
// a * 1 + b, b * -1 + a and a * b + -0.
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, +,
                              "{.reg .b16 one;\n\tmov.b16 one, 0x3f80;\n\t"
                              "fma.rn.bf16 %0, %1, one, %2;}")
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, -,
                              "{.reg .b16 minus_one;\n\tmov.b16 minus_one, 0xbf80;\n\t"
                              "fma.rn.bf16 %0, %2, minus_one, %1;}")
HLO_CUTE_INSTRUCTION_OPERATOR(bfloat16_t, *,
                              "{.reg .b16 zero;\n\tmov.b16 zero, 0x8000;\n\t"
                              "fma.rn.bf16 %0, %1, %2, zero;}")
HLO_CUTE_INSTRUCTION_COMPARISONS(
    bfloat16_t, ".reg .b32 a, b;\n\tmov.b32 a, {0, %1};\n\tmov.b32 b, {0, %2};\n\t", "f32 p, a, b;")
#endif
HLO_CUTE_FLOAT_OPERATOR(bfloat16_t, /)
HLO_CUTE_HD inline bfloat16_t operator-(bfloat16_t a) {
  bfloat16_t result;
  asm("neg.bf16 %0, %1;" : "=h"(result.storage) : "h"(a.storage));
  return result;
}
#else
HLO_CUTE_FLOAT_OPERATORS(bfloat16_t)
#endif
#undef HLO_CUTE_INSTRUCTION_COMPARISONS
#undef HLO_CUTE_INSTRUCTION_COMPARISON
#undef HLO_CUTE_INSTRUCTION_OPERATOR
HLO_CUTE_FLOAT_STEP(half_t, ++, +)
HLO_CUTE_FLOAT_STEP(half_t, --, -)
HLO_CUTE_FLOAT_STEP(bfloat16_t, ++, +)
HLO_CUTE_FLOAT_STEP(bfloat16_t, --, -)

/// A float of which the tensor cores read the upper 19 bits, as does the conversion to float. The
/// one from float rounds to nearest, ties away from zero, as cvt.rna.tf32.f32 does, and leaves in
/// the lower 13 bits what is not read.
struct tfloat32_t {
  uint32_t storage;
  tfloat32_t() = default;
  HLO_CUTE_HD explicit tfloat32_t(float x) : storage(detail::FloatBits(x)) {
    if (__builtin_fabsf(x) < detail::FloatOfBits(0x7f800000)) storage += 0x1000;
  }
  HLO_CUTE_HD explicit tfloat32_t(double x) : tfloat32_t(static_cast<float>(x)) {}
  HLO_CUTE_HD explicit tfloat32_t(int x) : tfloat32_t(static_cast<float>(x)) {}
  HLO_CUTE_HD operator float() const { return detail::FloatOfBits(storage & ~uint32_t{0x1fff}); }
  HLO_CUTE_HD static tfloat32_t bitcast(uint32_t bits) {
    tfloat32_t x;
    x.storage = bits;
    return x;
  }
};
HLO_CUTE_FLOAT_OPERATORS(tfloat32_t)
HLO_CUTE_FLOAT_STEP(tfloat32_t, ++, +)
HLO_CUTE_FLOAT_STEP(tfloat32_t, --, -)
#undef HLO_CUTE_FLOAT_STEP
#undef HLO_CUTE_FLOAT_OPERATORS
#undef HLO_CUTE_FLOAT_OPERATOR

enum class Signedness { kSigned, kUnsigned };

/// An integer of fewer than 8 bits. Tensors pack such elements (see subbyte.h).
template <int bits, Signedness signedness>
struct SubbyteInteger {
  static_assert(bits == 1 || bits == 2 || bits == 4 || bits == 6,
                "An integer of fewer than 8 bits has 1, 2, 4 or 6.");
  uint8_t storage;
  SubbyteInteger() = default;
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  HLO_CUTE_HD constexpr SubbyteInteger(T x)
      : storage(static_cast<uint8_t>(static_cast<unsigned>(static_cast<int>(x)) &
                                     ((1u << bits) - 1))) {}
  HLO_CUTE_HD constexpr operator int() const {
    if constexpr (signedness == Signedness::kSigned) {
      return storage >= 1 << (bits - 1) ? static_cast<int>(storage) - (1 << bits)
                                        : static_cast<int>(storage);
    } else {
      return storage;
    }
  }
};
using int4b_t = SubbyteInteger<4, Signedness::kSigned>;
using uint4b_t = SubbyteInteger<4, Signedness::kUnsigned>;
using int6b_t = SubbyteInteger<6, Signedness::kSigned>;
using uint6b_t = SubbyteInteger<6, Signedness::kUnsigned>;
using int2b_t = SubbyteInteger<2, Signedness::kSigned>;
using uint2b_t = SubbyteInteger<2, Signedness::kUnsigned>;
using uint1b_t = SubbyteInteger<1, Signedness::kUnsigned>;

// In CuTe it belongs to CUTLASS. ptxas knows kernels by the word in their names: those that have it
// are compiled otherwise, with fewer registers for sgemm_2 (bench/README.md), so it is here as
// well.
inline namespace cutlass_words {
/// 128 bits, for the widest memory access. An array: nvcc copies one by two words of 64 bits, and
/// two members by four of 32, with which kernels that store matrices take two registers more.
struct alignas(16) uint128_t {
  uint64_t words[2];
};
}  // namespace cutlass_words

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using uint1_t = uint1b_t;
using int2_t = int2b_t;
using uint2_t = uint2b_t;
using int4_t = int4b_t;
using uint4_t = uint4b_t;
using int6_t = int6b_t;
using uint6_t = uint6b_t;

namespace detail {
template <int bits>
struct UnsignedOfBits;
template <>
struct UnsignedOfBits<8> {
  using type = uint8_t;
};
template <>
struct UnsignedOfBits<16> {
  using type = uint16_t;
};
template <>
struct UnsignedOfBits<32> {
  using type = uint32_t;
};
template <>
struct UnsignedOfBits<64> {
  using type = uint64_t;
};
template <>
struct UnsignedOfBits<128> {
  using type = uint128_t;
};
}  // namespace detail
/// The unsigned word of so many bits, or bytes.
template <int bits>
using uint_bit_t = typename detail::UnsignedOfBits<bits>::type;
template <int bytes>
using uint_byte_t = uint_bit_t<8 * bytes>;

template <class T>
struct sizeof_bits : C<static_cast<int>(sizeof(T) * 8)> {};
template <int bits, Signedness s>
struct sizeof_bits<SubbyteInteger<bits, s>> : C<bits> {};
template <class T>
struct sizeof_bits<T const> : sizeof_bits<T> {};
template <class T>
constexpr int sizeof_bits_v = sizeof_bits<T>::value;
template <class T>
constexpr bool is_subbyte_v = sizeof_bits_v<T> < 8;
template <class T>
struct is_subbyte : bool_constant<is_subbyte_v<T>> {};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_NUMERIC_TYPES_H_
