// Bit patterns of f32 and f64: canonical NaNs, flushing, and the instructions that look at bits
// only: abs, neg, copysign and testp.
//
// Example: FlushSubnormal(-1e-40f) is -0.0f; Test(FloatClass::kSubnormal, 1e-40f) is true.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_BITS_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_BITS_H_

#include <bit>
#include <cstdint>

namespace hlo_indexing::ptx::numerics {

/// What single-precision arithmetic returns as NaN. The ISA (9.7.3) leaves it open; devices return
/// this one, CUDA's CUDART_NAN_F.
inline constexpr uint32_t kCanonicalNanBits = 0x7fff'ffff;
inline constexpr float kCanonicalNan = std::bit_cast<float>(kCanonicalNanBits);
/// What an invalid double-precision operation returns, CUDA's CUDART_NAN. A NaN operand is returned
/// instead with its payload (9.7.3), made quiet; of several the first in the order of the operands.
inline constexpr double kInvalidNan = std::bit_cast<double>(uint64_t{0xfff8'0000'0000'0000});

inline constexpr uint32_t kSignBit = 0x8000'0000;
inline constexpr uint64_t kSignBit64 = uint64_t{1} << 63;

constexpr uint32_t BitsOf(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }
constexpr float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr double DoubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }

inline bool IsNan(float value) { return value != value; }   // NOLINT(misc-redundant-expression)
inline bool IsNan(double value) { return value != value; }  // NOLINT(misc-redundant-expression)

/// |value| of any value, NaNs included: the sign bit is cleared. These and the following functions
/// are masks, which loops over lanes do with vectors.
inline float Magnitude(float value) { return FloatOf(BitsOf(value) & ~kSignBit); }
inline double Magnitude(double value) { return DoubleOf(BitsOf(value) & ~kSignBit64); }

/// The sign bit, of NaNs too.
inline bool IsNegative(float value) { return (BitsOf(value) & kSignBit) != 0; }
inline bool IsNegative(double value) { return (BitsOf(value) & kSignBit64) != 0; }

/// The zero that has the sign of the value.
inline float ZeroLike(float value) { return FloatOf(BitsOf(value) & kSignBit); }
inline double ZeroLike(double value) { return DoubleOf(BitsOf(value) & kSignBit64); }

/// .ftz of an input: a subnormal number becomes the zero of its sign.
inline float FlushSubnormal(float value) {
  return Magnitude(value) < 0x1p-126F ? ZeroLike(value) : value;
}

/// A NaN becomes the canonical one.
inline float Canonical(float value) { return IsNan(value) ? kCanonicalNan : value; }

/// .sat: clamps to [+0, 1]; NaN and both zeros give +0.
inline float Saturate(float value) {
  const float positive = value > 0.0F ? value : 0.0F;
  return positive < 1.0F ? positive : 1.0F;
}
inline double Saturate(double value) {
  const double positive = value > 0.0 ? value : 0.0;
  return positive < 1.0 ? positive : 1.0;
}

/// A NaN with its quiet bit set.
inline double Quiet(double nan) { return DoubleOf(BitsOf(nan) | (uint64_t{1} << 51)); }

/// neg (9.7.3.10): flips the sign, of NaNs too, whose result the ISA leaves open.
inline float Negate(float value) { return FloatOf(BitsOf(value) ^ kSignBit); }
inline double Negate(double value) { return DoubleOf(BitsOf(value) ^ kSignBit64); }

/// abs.f32 (9.7.3.9) clears the sign, of NaNs too, whose result the ISA leaves open.
inline float Absolute(float value) { return Magnitude(value); }
/// abs.f64 passes a NaN through unchanged, as the ISA says.
inline double Absolute(double value) { return IsNan(value) ? value : Magnitude(value); }

/// copysign (9.7.3.2): the value with the sign of the first operand, as in `copysign d, sign,
/// value`.
inline float CopySign(float sign, float value) {
  return FloatOf((BitsOf(sign) & kSignBit) | (BitsOf(value) & ~kSignBit));
}
inline double CopySign(double sign, double value) {
  return DoubleOf((BitsOf(sign) & kSignBit64) | (BitsOf(value) & ~kSignBit64));
}

/// The properties that testp asks for (9.7.3.1). Zeros are normal numbers.
enum class FloatClass : uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

namespace internal {

template <typename Bits>
bool TestBits(FloatClass property, Bits magnitude, Bits infinity, Bits least_normal) {
  switch (property) {
    case FloatClass::kFinite:
      return magnitude < infinity;
    case FloatClass::kInfinite:
      return magnitude == infinity;
    case FloatClass::kNumber:
      return magnitude <= infinity;
    case FloatClass::kNotANumber:
      return magnitude > infinity;
    case FloatClass::kNormal:
      return magnitude == 0 || (magnitude >= least_normal && magnitude < infinity);
    case FloatClass::kSubnormal:
      return magnitude != 0 && magnitude < least_normal;
  }
  return false;
}

}  // namespace internal

/// testp.PROPERTY.f32 and .f64.
inline bool Test(FloatClass property, float value) {
  return internal::TestBits<uint32_t>(property, BitsOf(value) & ~kSignBit, 0x7f80'0000,
                                      0x0080'0000);
}
inline bool Test(FloatClass property, double value) {
  return internal::TestBits<uint64_t>(property, BitsOf(value) & ~kSignBit64, 0x7ff0'0000'0000'0000,
                                      0x0010'0000'0000'0000);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_BITS_H_
