// cvt between floating-point types (PTX ISA 9.7.9), the packed ones too. What has to do with
// integers is in integral.h.
//
// Example: `cvt.rn.satfinite.e4m3x2.f32 d, a, b` is
//   PackedBytes(kE4m3Format, a, b, {.saturate_finite = true})
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_CONVERT_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_CONVERT_H_

#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// cvt.RND{.ftz}{.sat}.f32.f64. Heeds rounding, flush, saturate. NaN gives kCanonicalNan.
template <Modifiers kModifiers = Modifiers{}>
inline float ToFloat(double value) {
  return internal::Result<kModifiers>(value);
}

/// cvt.f64.f32: exact. A NaN keeps its sign and payload, and is made quiet. With .ftz it is
/// ToDouble(FlushSubnormal(value)).
inline double ToDouble(float value) {
  // The host's conversion does this; the bits say so without relying on it.
  const uint64_t nan = static_cast<uint64_t>(BitsOf(value) & kSignBit) << 32 |
                       static_cast<uint64_t>(BitsOf(value) & ~kSignBit) << 29 |
                       uint64_t{0x7ff8} << 48;
  return IsNan(value) ? DoubleOf(nan) : static_cast<double>(value);
}

/// cvt to f16 or bf16 from f32, f64, f16 or bf16, whose values are doubles: with any rounding,
/// .relu and .satfinite. The modifier .ftz applies to an f32 that is converted, not to the result:
/// ToHalf<F16>(FlushSubnormal(value), modifiers). For .sat, Saturate the result.
template <HalfScalar Half>
inline Half ToHalf(double value, const EncodeModifiers& modifiers = {}) {
  return {static_cast<uint16_t>(Encode(Half::kFormat, value, modifiers))};
}

/// cvt to tf32, whose bits lie in the upper 19 of 32; the lower ones are zero. NaN gives
/// 0x7fffe000. Example: `cvt.rna.tf32.f32` is ToTf32(value, {.rounding = Rounding::kNearestAway})
inline uint32_t ToTf32(float value, const EncodeModifiers& modifiers) {
  return static_cast<uint32_t>(Encode(kTf32Format, static_cast<double>(value), modifiers)) << 13;
}

/// The f16x2 or bf16x2 of two halves. `upper` is the first operand of cvt, in bits 16 to 31.
template <HalfScalar Half>
inline uint32_t Pack(Half upper, Half lower) {
  return static_cast<uint32_t>(upper.bits) << 16 | lower.bits;
}
template <HalfScalar Half>
inline Half UpperHalf(uint32_t packed) {
  return {static_cast<uint16_t>(packed >> 16)};
}
template <HalfScalar Half>
inline Half LowerHalf(uint32_t packed) {
  return {static_cast<uint16_t>(packed & 0xffff)};
}

/// cvt.RND.f16x2.f32 d, upper, lower, and bf16x2.
template <HalfScalar Half>
inline uint32_t PackedHalves(float upper, float lower, const EncodeModifiers& modifiers = {}) {
  return Pack(ToHalf<Half>(static_cast<double>(upper), modifiers),
              ToHalf<Half>(static_cast<double>(lower), modifiers));
}

/// The encoding of a float rounded to a narrow format, to nearest with ties to even, and clamped to
/// its greatest number (cvt.rn.satfinite). Without branches; Encode does the same by definition.
/// Example: NearestSaturated<kE4m3Format>(1000.0F) == 0x7e, which is 448
template <FloatFormat kFormat>
inline uint32_t NearestSaturated(float value) {
  constexpr int kDropped = 23 - kFormat.mantissa_bits;
  constexpr uint32_t kBias = static_cast<uint32_t>(127 - kFormat.bias) << 23;
  constexpr float kGreatest =
      FloatOf((static_cast<uint32_t>(kFormat.GreatestFinite()) << kDropped) + kBias);
  constexpr float kLeastNormal =
      FloatOf(static_cast<uint32_t>(kFormat.LeastExponent() + 127) << 23);
  // A float whose last bit stands for what the last bit of a subnormal number does.
  constexpr float kShifter =
      FloatOf(static_cast<uint32_t>(kFormat.LeastExponent() + kDropped + 127) << 23);
  const float magnitude = Magnitude(value) < kGreatest ? Magnitude(value) : kGreatest;
  const uint32_t normal = (internal::RoundBits<kDropped>(BitsOf(magnitude)) - kBias) >> kDropped;
  const uint32_t subnormal = BitsOf(magnitude + kShifter) - BitsOf(kShifter);
  const uint32_t number = magnitude < kLeastNormal ? subnormal : normal;
  const uint32_t sign = BitsOf(value) >> 31 << (kFormat.Width() - 1);
  return IsNan(value) ? static_cast<uint32_t>(kFormat.CanonicalNan()) : number | sign;
}

/// cvt to e4m3x2, e5m2x2, e2m3x2 and e3m2x2: a value in each byte, the first operand in the upper
/// one. The upper two bits of bytes of 6-bit formats are zero.
inline uint16_t PackedBytes(const FloatFormat& format, float upper, float lower,
                            const EncodeModifiers& modifiers) {
  return static_cast<uint16_t>(Encode(format, static_cast<double>(upper), modifiers) << 8 |
                               Encode(format, static_cast<double>(lower), modifiers));
}

/// cvt to e2m1x2: a value in each half of a byte, the first operand in the upper one.
inline uint8_t PackedNibbles(float upper, float lower, const EncodeModifiers& modifiers) {
  return static_cast<uint8_t>(Encode(kE2m1Format, static_cast<double>(upper), modifiers) << 4 |
                              Encode(kE2m1Format, static_cast<double>(lower), modifiers));
}

/// cvt.rn{.relu}.f16x2 from e4m3x2, e5m2x2, e2m3x2 or e3m2x2, exactly. NaN gives 0x7fff.
inline uint32_t HalvesOfBytes(const FloatFormat& format, uint16_t bytes, bool relu) {
  const EncodeModifiers modifiers = {.relu = relu};
  return Pack(ToHalf<F16>(Decode(format, bytes >> 8), modifiers),
              ToHalf<F16>(Decode(format, bytes & 0xff), modifiers));
}

/// cvt.rn{.relu}.f16x2.e2m1x2, exactly.
inline uint32_t HalvesOfNibbles(uint8_t nibbles, bool relu) {
  const EncodeModifiers modifiers = {.relu = relu};
  return Pack(ToHalf<F16>(Decode(kE2m1Format, nibbles >> 4), modifiers),
              ToHalf<F16>(Decode(kE2m1Format, nibbles & 0xf), modifiers));
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_CONVERT_H_
