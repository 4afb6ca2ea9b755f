// f16, bf16 and f8 of numbers, from the definition of their fields: for inputs and expected values
// of kernels.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_SMALL_FLOATS_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_SMALL_FLOATS_H_

#include <cmath>
#include <cstdint>
#include <vector>

namespace hlo_indexing::ptx {

/// A binary format: a sign, `exponent` bits, `mantissa` bits.
struct SmallFloat {
  int exponent;
  int mantissa;
};

inline constexpr SmallFloat kHalf = {5, 10};
inline constexpr SmallFloat kBfloat16 = {8, 7};
inline constexpr SmallFloat kE5M2 = {5, 2};

/// The nearest number of the format, ties to even. Not for what exceeds the largest one.
inline uint16_t Encode(SmallFloat format, double value) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const int power = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  // With the hidden bit; a carry out of the mantissa is one into the exponent.
  const double scaled = std::nearbyint(std::ldexp(std::fabs(value), format.mantissa - power));
  const int magnitude = ((power + bias - 1) << format.mantissa) + static_cast<int>(scaled);
  const int sign = std::signbit(value) ? 1 << (format.exponent + format.mantissa) : 0;
  return static_cast<uint16_t>(sign | magnitude);
}

inline double Decode(SmallFloat format, uint32_t bits) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const auto field = static_cast<int>(bits >> format.mantissa & ((1U << format.exponent) - 1));
  const auto mantissa = static_cast<int>(bits & ((1U << format.mantissa) - 1));
  const double magnitude =
      field == 0 ? std::ldexp(mantissa, 1 - bias - format.mantissa)
                 : std::ldexp(mantissa + (1 << format.mantissa), field - bias - format.mantissa);
  return (bits >> (format.exponent + format.mantissa) & 1) != 0 ? -magnitude : magnitude;
}

template <typename Bits = uint16_t, typename T>
std::vector<Bits> EncodeAll(SmallFloat format, const std::vector<T>& values) {
  std::vector<Bits> encoded;
  encoded.reserve(values.size());
  for (const T value : values) {
    encoded.push_back(static_cast<Bits>(Encode(format, static_cast<double>(value))));
  }
  return encoded;
}

template <typename Bits>
std::vector<float> DecodeAll(SmallFloat format, const std::vector<Bits>& encoded) {
  std::vector<float> values;
  values.reserve(encoded.size());
  for (const Bits bits : encoded) values.push_back(static_cast<float>(Decode(format, bits)));
  return values;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_SMALL_FLOATS_H_
