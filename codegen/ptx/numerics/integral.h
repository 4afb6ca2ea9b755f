// Floating-point numbers and integers: rounding to an integral value and to an integer (`.rni`,
// `.rzi`,
// `.rmi`, `.rpi` of cvt, PTX ISA 9.7.9), integers to floating point, and integers to integers.
//
// Example: ToInteger<int32_t>(-2.5F, Rounding::kDown) is -3, `cvt.rmi.s32.f32`.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_INTEGRAL_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_INTEGRAL_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/round_to_odd.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

/// Without branches, for float and double. The sign of zeros is kept, NaNs are returned as they
/// are.
template <Rounding kRounding, typename Float>
inline Float RoundedToIntegral(Float value) {
  // From here on there are no fractions, and below, adding it leaves none.
  constexpr Float kShifter =
      static_cast<Float>(uint64_t{1} << (std::numeric_limits<Float>::digits - 1));
  const Float magnitude = Magnitude(value);
  const Float nearest = (magnitude + kShifter) - kShifter;
  const Float below = nearest > magnitude ? nearest - Float{1} : nearest;
  const Float above = nearest < magnitude ? nearest + Float{1} : nearest;
  Float rounded = nearest;
  if constexpr (kRounding == Rounding::kTowardZero) {
    rounded = below;
  } else if constexpr (kRounding == Rounding::kNearestAway) {
    rounded = magnitude - below >= Float{0.5} ? above : below;
  } else if constexpr (kRounding != Rounding::kNearestEven) {
    // -0 counts as positive, which does not matter.
    const bool grows = (value < Float{0}) == (kRounding == Rounding::kDown);
    rounded = grows ? above : below;
  }
  return magnitude < kShifter ? CopySign(value, rounded) : value;
}

/// Of a value without fraction, or NaN.
template <std::integral Integer>
inline Integer ClampToInteger(double value, Integer of_nan) {
  // 2^digits, the first that is too large.
  constexpr double kEnd =
      static_cast<double>(uint64_t{1} << (std::numeric_limits<Integer>::digits - 1)) * 2.0;
  constexpr double kBegin = static_cast<double>(std::numeric_limits<Integer>::min());
  if (IsNan(value)) return of_nan;
  if (value >= kEnd) return std::numeric_limits<Integer>::max();
  if (value < kBegin) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(value);
}

}  // namespace internal

/// The integral value to which the value is rounded; zeros keep the sign of the value, infinities
/// stay. NaN stays one, f64's with its payload. Example: `cvt.rmi.f32.f32`.
template <Rounding kRounding>
inline float RoundToIntegral(float value) {
  return Canonical(internal::RoundedToIntegral<kRounding>(value));
}
template <Rounding kRounding>
inline double RoundToIntegral(double value) {
  return IsNan(value) ? Quiet(value) : internal::RoundedToIntegral<kRounding>(value);
}
float RoundToIntegral(float value, Rounding rounding);
double RoundToIntegral(double value, Rounding rounding);
/// Integral values of at most the format's range are values of the format, so this is exact.
template <HalfScalar Half>
inline Half RoundToIntegral(Half value, Rounding rounding) {
  return NearestHalf<Half>(RoundToIntegral(ToFloat(value), rounding));
}

/// The integer to which the value is rounded, clamped to the type's range. NaN gives the integer
/// whose top bit alone is set, but of an f32 and at most 32 bits it gives 0 (9.7.9, Integer Notes
/// of cvt). f16 and bf16 are converted by way of ToFloat. A modifier .ftz applies to the input
/// first. Example: ToInteger<uint8_t, Rounding::kTowardZero>(300.0F) is 255
template <std::integral Integer, Rounding kRounding, std::floating_point Float>
inline Integer ToInteger(Float value) {
  constexpr Integer kTopBit = static_cast<Integer>(uint64_t{1} << (8 * sizeof(Integer) - 1));
  constexpr bool kNanIsZero = sizeof(Float) == 4 && sizeof(Integer) <= 4;
  return internal::ClampToInteger<Integer>(
      internal::RoundedToIntegral<kRounding>(static_cast<double>(value)),
      kNanIsZero ? Integer{0} : kTopBit);
}
/// The same with the mode known at run time.
template <std::integral Integer, std::floating_point Float>
inline Integer ToInteger(Float value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return ToInteger<Integer, Rounding::kTowardZero>(value);
    case Rounding::kDown:
      return ToInteger<Integer, Rounding::kDown>(value);
    case Rounding::kUp:
      return ToInteger<Integer, Rounding::kUp>(value);
    case Rounding::kNearestAway:
      return ToInteger<Integer, Rounding::kNearestAway>(value);
    case Rounding::kNearestEven:
      break;
  }
  return ToInteger<Integer, Rounding::kNearestEven>(value);
}

/// The encoding of an integer rounded to a format: `cvt.RND.f16.s64` and so on.
template <std::integral Integer>
inline uint64_t EncodeIntegral(const FloatFormat& format, Integer value, Rounding rounding) {
  const bool is_negative = value < Integer{0};
  using Widened = std::conditional_t<std::is_signed_v<Integer>, int64_t, uint64_t>;
  const auto bits = static_cast<uint64_t>(static_cast<Widened>(value));
  return EncodeInteger(format, is_negative, is_negative ? uint64_t{0} - bits : bits,
                       {.rounding = rounding});
}

/// An integer rounded to f32 or f64, as this thread rounds (host_rounding.h). Example:
/// FromInteger<float>(16777217) is 16777218.0f under a HostRounding up
template <std::floating_point Float, std::integral Integer>
inline Float FromInteger(Integer value) {
  // What compilers do for vectors may give -0 when rounding down.
  return value == 0 ? Float{0} : static_cast<Float>(value);
}

/// An integer rounded to f16 or bf16. Example: IntegerToHalf<F16>(70000, Rounding::kTowardZero) is
/// 65504, 0x7bff
template <HalfScalar Half, std::integral Integer>
inline Half IntegerToHalf(Integer value, Rounding rounding) {
  return {static_cast<uint16_t>(EncodeIntegral(Half::kFormat, value, rounding))};
}

/// A type of integers.
struct IntegerType {
  /// 8, 16, 32 or 64 bits.
  int width = 32;
  bool is_signed = false;
};

/// cvt of integers: the low bits of `bits` are a value of the type `from`, the low bits of the
/// result one of the type `to`; the result's other bits are its sign's (or zero, if `to` has none).
/// With .sat the value is clamped to the range of `to`, else its low bits are taken. Example:
/// ConvertInteger(300, {32, true}, {8, true}, /*saturate=*/true) is 127
uint64_t ConvertInteger(uint64_t bits, IntegerType from, IntegerType to, bool saturate);

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_INTEGRAL_H_
