// What the bits of elements of matrices are worth, and their products.
//
// Example: element::Integer<4, true>::Decode(0xf) is -1.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_ELEMENTS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_ELEMENTS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"

// Each struct: `kBits` of an element; `Value`, in which products are exact and added up; `Decode`
// of an element's bits, and `Product`.
namespace hlo_indexing::ptx::element {

/// Floating point: a product of two of these formats has at most 22 bits.
struct FloatElement {
  using Value = double;
  static Value Product(Value a, Value b) { return a * b; }
};

struct F16 : FloatElement {
  static constexpr size_t kBits = 16;
  static Value Decode(uint32_t bits) {
    return static_cast<Value>(numerics::ToFloat(numerics::F16{static_cast<uint16_t>(bits)}));
  }
};

struct Bf16 : FloatElement {
  static constexpr size_t kBits = 16;
  static Value Decode(uint32_t bits) {
    return static_cast<Value>(numerics::ToFloat(numerics::Bf16{static_cast<uint16_t>(bits)}));
  }
};

/// tf32 lies in the upper 19 bits; the others are not looked at.
struct Tf32 : FloatElement {
  static constexpr size_t kBits = 32;
  static Value Decode(uint32_t bits) {
    return static_cast<Value>(std::bit_cast<float>(bits & 0xffff'e000));
  }
};

template <const numerics::FloatFormat& kFormat>
struct Fp8 : FloatElement {
  static constexpr size_t kBits = 8;
  static Value Decode(uint32_t bits) {
    static const std::array<Value, 256> kValues = [] {
      std::array<Value, 256> values;
      for (size_t i = 0; i < values.size(); ++i) values[i] = numerics::Decode(kFormat, i);
      return values;
    }();
    return kValues[bits & 0xff];
  }
};

/// s8, u8, s4, u4. Sums of up to 64 products fit.
template <size_t kWidth, bool kIsSigned>
struct Integer {
  static constexpr size_t kBits = kWidth;
  using Value = int32_t;
  static Value Decode(uint32_t bits) {
    if constexpr (kIsSigned) {
      return static_cast<int32_t>(bits << (32 - kWidth)) >> (32 - kWidth);
    } else {
      return static_cast<int32_t>(bits);
    }
  }
  static Value Product(Value a, Value b) { return a * b; }
};

/// 32 elements of one bit as one, whose product counts the ones of a & b or a ^ b.
template <bool kIsAnd>
struct BitWord {
  static constexpr size_t kBits = 32;
  using Value = int32_t;
  static Value Decode(uint32_t bits) { return static_cast<int32_t>(bits); }
  static Value Product(Value a, Value b) {
    const auto combined = static_cast<uint32_t>(kIsAnd ? a & b : a ^ b);
    return std::popcount(combined);
  }
};

}  // namespace hlo_indexing::ptx::element

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_ELEMENTS_H_
