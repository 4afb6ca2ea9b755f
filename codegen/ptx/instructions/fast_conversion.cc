#include "codegen/ptx/instructions/fast_conversion.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/integral.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Bf16;
using numerics::F16;
using numerics::FloatFormat;
using numerics::HalfScalar;
using numerics::Modifiers;
using numerics::Rounding;

/// What is below a normal number of f32 is below all halves but those of bf16, and rounds to zero
/// unless it is rounded away from it.
template <HalfScalar Half>
bool HeedsFlush(Rounding rounding) {
  return std::is_same_v<Half, Bf16> || rounding == Rounding::kUp || rounding == Rounding::kDown;
}

template <HalfScalar To, Rounding kRounding, bool kRelu, typename From>
To HalfLane(From value) {
  const To half = numerics::RoundedHalf<To, kRounding>(value);
  return kRelu && (half.bits & 0x8000U) != 0 ? To{} : half;
}

template <HalfScalar From>
float FloatOfHalfLane(From value) {
  return numerics::ToFloat(value);
}

template <Modifiers kModifiers>
float FloatOfDoubleLane(double value) {
  return numerics::ToFloat<kModifiers>(value);
}

double DoubleOfFloatLane(float value) { return numerics::ToDouble(value); }

template <HalfScalar Half, Rounding kRounding, bool kRelu>
uint32_t PackedHalvesLane(float upper, float lower) {
  return numerics::Pack(HalfLane<Half, kRounding, kRelu>(upper),
                        HalfLane<Half, kRounding, kRelu>(lower));
}

/// The integer of a float without fraction.
template <typename To>
To ClampLane(float value) {
  constexpr double kLeast = std::numeric_limits<To>::min();
  constexpr double kGreatest = std::numeric_limits<To>::max();
  const double wide = numerics::IsNan(value) ? 0.0 : static_cast<double>(value);
  const double low = wide > kLeast ? wide : kLeast;
  return static_cast<To>(low < kGreatest ? low : kGreatest);
}

template <typename To, Rounding kRounding, bool kFlush>
To IntegerLane(float value) {
  // What truncation cuts off need not be cut off before.
  if constexpr (kRounding == Rounding::kTowardZero) return ClampLane<To>(value);
  const float input = kFlush ? numerics::FlushSubnormal(value) : value;
  return ClampLane<To>(numerics::RoundToIntegral<kRounding>(input));
}

/// Of 64 bits, or from f64, where processors have vectors for small numbers only.
template <typename To, typename From>
uint32_t IsSmallInteger(From value) {
  constexpr From kLeast = std::is_signed_v<To> ? From{-0x1p30} : From{0};
  return value >= kLeast && value <= From{0x1p30} ? ~uint32_t{0} : 0;
}
template <typename To, typename From, Rounding kRounding, bool kFlush>
To SmallIntegerLane(From value) {
  if constexpr (kFlush && std::is_same_v<From, float>) value = numerics::FlushSubnormal(value);
  return static_cast<To>(static_cast<int32_t>(
      numerics::internal::RoundedToIntegral<kRounding>(static_cast<double>(value))));
}
template <typename To, typename From, Rounding kRounding, bool kFlush>
To WideIntegerLane(From value) {
  if constexpr (kFlush && std::is_same_v<From, float>) value = numerics::FlushSubnormal(value);
  return numerics::ToInteger<To, kRounding>(value);
}

template <Rounding kRounding, bool kFlush>
float IntegralLane(float value) {
  return numerics::RoundToIntegral<kRounding>(kFlush ? numerics::FlushSubnormal(value) : value);
}

template <bool kAway>
uint32_t Tf32Lane(float value) {
  const uint32_t bits = numerics::BitsOf(value);
  const uint32_t rounded = kAway ? bits + 0x1000 : numerics::internal::RoundBits<13>(bits);
  return (numerics::IsNan(value) ? numerics::kCanonicalNanBits : rounded) & ~uint32_t{0x1fff};
}

template <FloatFormat kTo, bool kRelu>
uint32_t ByteOf(float value) {
  const uint32_t byte = numerics::NearestSaturated<kTo>(value);
  return kRelu && byte >= kTo.SignBit() ? 0 : byte;
}
template <FloatFormat kTo, bool kRelu>
uint32_t BytesOfFloatsLane(float upper, float lower) {
  return ByteOf<kTo, kRelu>(upper) << 8 | ByteOf<kTo, kRelu>(lower);
}
template <FloatFormat kTo, HalfScalar Half, bool kRelu>
uint32_t BytesOfHalvesLane(uint32_t halves) {
  return BytesOfFloatsLane<kTo, kRelu>(numerics::ToFloat(numerics::UpperHalf<Half>(halves)),
                                       numerics::ToFloat(numerics::LowerHalf<Half>(halves)));
}

/// The f16 of each byte.
template <FloatFormat kFrom, bool kRelu>
const std::array<uint32_t, 256>& HalvesOfAllBytes() {
  static const std::array<uint32_t, 256> halves = [] {
    std::array<uint32_t, 256> result = {};
    for (uint32_t byte = 0; byte < result.size(); ++byte) {
      result[byte] = numerics::ToHalf<F16>(numerics::Decode(kFrom, byte), {.relu = kRelu}).bits;
    }
    return result;
  }();
  return halves;
}
template <FloatFormat kFrom, bool kRelu>
uint32_t HalvesOfBytesLane(uint32_t bytes) {
  const std::array<uint32_t, 256>& halves = HalvesOfAllBytes<kFrom, kRelu>();
  return halves[bytes >> 8 & 0xff] << 16 | halves[bytes & 0xff];
}

/// Calls `visit.operator()<rounding>()`; nullptr for kNearestAway.
template <typename Visit>
Execute VisitRounding(Rounding rounding, const Visit& visit) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return visit.template operator()<Rounding::kNearestEven>();
    case Rounding::kTowardZero:
      return visit.template operator()<Rounding::kTowardZero>();
    case Rounding::kDown:
      return visit.template operator()<Rounding::kDown>();
    case Rounding::kUp:
      return visit.template operator()<Rounding::kUp>();
    case Rounding::kNearestAway:
      break;
  }
  return nullptr;
}

/// Calls `visit.operator()<rounding, flush>()`.
template <typename Visit>
Execute VisitIntegralRounding(const ConvertModifiers& modifiers, const Visit& visit) {
  return VisitRounding(modifiers.rounding, [&]<Rounding kRounding>() -> Execute {
    return modifiers.flush ? visit.template operator()<kRounding, true>()
                           : visit.template operator()<kRounding, false>();
  });
}

template <typename To>
Execute FloatToIntegerOf(const ConvertModifiers& modifiers) {
  return VisitIntegralRounding(modifiers, []<Rounding kRounding, bool kFlush>() -> Execute {
    return WideLanewise<IntegerLane<To, kRounding, kFlush>>();
  });
}

template <typename To, typename From>
Execute WideIntegerOf(const ConvertModifiers& modifiers) {
  return VisitIntegralRounding(modifiers, []<Rounding kRounding, bool kFlush>() -> Execute {
    return WideLanewiseIf<SmallIntegerLane<To, From, kRounding, kFlush>, IsSmallInteger<To, From>,
                          WideIntegerLane<To, From, kRounding, kFlush>>();
  });
}

template <HalfScalar To>
Execute ToHalfFrom(Type from, const ConvertModifiers& modifiers) {
  if (modifiers.saturate_finite) return nullptr;
  if (modifiers.flush && HeedsFlush<To>(modifiers.rounding)) return nullptr;
  return VisitRounding(modifiers.rounding, [&]<Rounding kRounding>() -> Execute {
    if (from == Type::kF32) {
      return modifiers.relu ? WideLanewise<HalfLane<To, kRounding, true, float>>()
                            : WideLanewise<HalfLane<To, kRounding, false, float>>();
    }
    return from == Type::kF64 ? WideLanewise<HalfLane<To, kRounding, false, double>>() : nullptr;
  });
}

Execute ToFloatFrom(Type from, const ConvertModifiers& modifiers) {
  if (from == Type::kF16) return WideLanewise<FloatOfHalfLane<F16>>();
  if (modifiers.flush) return nullptr;
  if (from == Type::kBf16) return Lanewise<FloatOfHalfLane<Bf16>>();
  return nullptr;
}

template <HalfScalar Half, Rounding kRounding>
Execute PackedHalvesOf(const ConvertModifiers& modifiers) {
  return modifiers.relu ? WideLanewise<PackedHalvesLane<Half, kRounding, true>>()
                        : WideLanewise<PackedHalvesLane<Half, kRounding, false>>();
}

template <FloatFormat kTo, bool kRelu>
Execute BytesFrom(Type from) {
  if (from == Type::kF32) return WideLanewise<BytesOfFloatsLane<kTo, kRelu>>();
  return from == Type::kF16x2 ? WideLanewise<BytesOfHalvesLane<kTo, F16, kRelu>>()
                              : WideLanewise<BytesOfHalvesLane<kTo, Bf16, kRelu>>();
}

template <FloatFormat kFormat>
Execute BytesConversion(bool to_bytes, Type from, bool relu) {
  if (to_bytes) return relu ? BytesFrom<kFormat, true>(from) : BytesFrom<kFormat, false>(from);
  return relu ? Lanewise<HalvesOfBytesLane<kFormat, true>>()
              : Lanewise<HalvesOfBytesLane<kFormat, false>>();
}

}  // namespace

Execute FastFloatToInteger(Type to, Type from, const ConvertModifiers& modifiers) {
  if (from == Type::kF64) {
    if (to == Type::kS32) return WideIntegerOf<int32_t, double>(modifiers);
    if (to == Type::kU32) return WideIntegerOf<uint32_t, double>(modifiers);
    if (to == Type::kS64) return WideIntegerOf<int64_t, double>(modifiers);
    return to == Type::kU64 ? WideIntegerOf<uint64_t, double>(modifiers) : nullptr;
  }
  if (from != Type::kF32) return nullptr;
  if (to == Type::kS32) return FloatToIntegerOf<int32_t>(modifiers);
  if (to == Type::kU32) return FloatToIntegerOf<uint32_t>(modifiers);
  if (to == Type::kS64) return WideIntegerOf<int64_t, float>(modifiers);
  return to == Type::kU64 ? WideIntegerOf<uint64_t, float>(modifiers) : nullptr;
}

Execute DoubleToFloat(const ConvertModifiers& modifiers) {
  return numerics::Specialize(
      {.rounding = modifiers.rounding, .flush = modifiers.flush, .saturate = modifiers.saturate},
      [](auto constant) -> Execute {
        constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
        return RoundedLanewise<FloatOfDoubleLane<kModifiers>, kModifiers.rounding>();
      });
}

Execute FastFloatConversion(Type to, Type from, bool to_integral,
                            const ConvertModifiers& modifiers) {
  if (modifiers.saturate) return nullptr;
  if (to_integral) {
    if (to != Type::kF32) return nullptr;
    return VisitIntegralRounding(modifiers, []<Rounding kRounding, bool kFlush>() -> Execute {
      return WideLanewise<IntegralLane<kRounding, kFlush>>();
    });
  }
  if (to == Type::kF16) return ToHalfFrom<F16>(from, modifiers);
  if (to == Type::kBf16) return ToHalfFrom<Bf16>(from, modifiers);
  if (to == Type::kF32) return ToFloatFrom(from, modifiers);
  return from == Type::kF32 && !modifiers.flush ? WideLanewise<DoubleOfFloatLane>() : nullptr;
}

Execute FastTf32Conversion(const ConvertModifiers& modifiers) {
  if (modifiers.relu || modifiers.saturate_finite) return nullptr;
  if (modifiers.rounding == Rounding::kNearestAway) return Lanewise<Tf32Lane<true>>();
  return modifiers.rounding == Rounding::kNearestEven ? Lanewise<Tf32Lane<false>>() : nullptr;
}

Execute FastPackedHalvesConversion(Type to, const ConvertModifiers& modifiers) {
  if (modifiers.saturate_finite) return nullptr;
  const bool is_nearest = modifiers.rounding == Rounding::kNearestEven;
  if (!is_nearest && modifiers.rounding != Rounding::kTowardZero) return nullptr;
  if (to == Type::kF16x2) {
    return is_nearest ? PackedHalvesOf<F16, Rounding::kNearestEven>(modifiers)
                      : PackedHalvesOf<F16, Rounding::kTowardZero>(modifiers);
  }
  return is_nearest ? PackedHalvesOf<Bf16, Rounding::kNearestEven>(modifiers)
                    : PackedHalvesOf<Bf16, Rounding::kTowardZero>(modifiers);
}

Execute PackedBytesConversion(Type to, Type from, const ConvertModifiers& modifiers) {
  const bool to_bytes = to == Type::kE4m3x2 || to == Type::kE5m2x2;
  return (to_bytes ? to : from) == Type::kE4m3x2
             ? BytesConversion<numerics::kE4m3Format>(to_bytes, from, modifiers.relu)
             : BytesConversion<numerics::kE5m2Format>(to_bytes, from, modifiers.relu);
}

}  // namespace hlo_indexing::ptx
