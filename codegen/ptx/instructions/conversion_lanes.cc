#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "codegen/ptx/instructions/conversion.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/fast_conversion.h"
#include "codegen/ptx/instructions/wide_product.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/integral.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Bf16;
using numerics::F16;
using numerics::HalfScalar;
using numerics::Rounding;

/// A function of one lane that also gets the modifiers.
template <auto kFunction, typename Result, typename... Sources, size_t... kIndices>
Step RunWithModifiers(Result (*)(const ConvertModifiers&, Sources...),
                      std::index_sequence<kIndices...>, const Operation& operation,
                      const Execution& execution) {
  const ConvertModifiers modifiers = ConvertModifiers::Decoded(operation.immediate);
  auto* const result = execution.At<internal::LaneBits<Result>>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) {
    result[lane] = internal::ToLane<Result>(
        kFunction(modifiers, internal::FromLane<Sources>(execution.At<internal::LaneBits<Sources>>(
                                 operation.slots[kIndices + 1])[lane])...));
  });
  return Step::kNext;
}

template <typename Result, typename... Sources>
constexpr auto SourceIndices(Result (*)(const ConvertModifiers&, Sources...)) {
  return std::index_sequence_for<Sources...>{};
}

template <auto kFunction>
Step WithModifiers(const Operation& operation, Execution& execution) {
  return RunWithModifiers<kFunction>(kFunction, SourceIndices(kFunction), operation, execution);
}

template <typename To, typename From>
To CastLane(From value) {
  return static_cast<To>(value);
}

template <typename To, typename From>
To ClampLane(From value) {
  using internal::Int128;
  // A signed byte is widened with its sign on purpose.
  // NOLINTBEGIN(bugprone-signed-char-misuse)
  constexpr Int128 kLeast = std::numeric_limits<To>::min();
  constexpr Int128 kGreatest = std::numeric_limits<To>::max();
  const Int128 wide = value;
  // NOLINTEND(bugprone-signed-char-misuse)
  return static_cast<To>(wide < kLeast ? kLeast : wide > kGreatest ? kGreatest : wide);
}

/// The value of a floating-point source, flushed where the modifiers say so.
inline float Input(const ConvertModifiers& modifiers, float value) {
  return modifiers.flush ? numerics::FlushSubnormal(value) : value;
}
inline double Input(const ConvertModifiers& /*modifiers*/, double value) { return value; }
template <HalfScalar Half>
inline float Input(const ConvertModifiers& /*modifiers*/, Half value) {
  return numerics::ToFloat(value);
}

template <std::integral To, typename From>
To ToIntegerLane(const ConvertModifiers& modifiers, From value) {
  return numerics::ToInteger<To>(Input(modifiers, value), modifiers.rounding);
}

template <HalfScalar To, std::integral From>
To HalfOfIntegerLane(const ConvertModifiers& modifiers, From value) {
  const To result = numerics::IntegerToHalf<To>(value, modifiers.rounding);
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

template <std::floating_point To, std::integral From, bool kSaturate>
To FloatOfIntegerLane(From value) {
  const To result = numerics::FromInteger<To>(value);
  return kSaturate ? numerics::Saturate(result) : result;
}

/// To nearest; a double holds the integer exactly.
template <HalfScalar To, std::integral From>
To NearestHalfOfIntegerLane(From value) {
  return numerics::NearestHalf<To>(static_cast<double>(value));
}

template <typename T>
T RoundLane(const ConvertModifiers& modifiers, T value) {
  if constexpr (std::is_same_v<T, float>) value = Input(modifiers, value);
  const T result = numerics::RoundToIntegral(value, modifiers.rounding);
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

/// From a type to itself, without rounding.
template <typename T>
T SameLane(const ConvertModifiers& modifiers, T value) {
  if constexpr (std::is_same_v<T, float>) value = Input(modifiers, value);
  return modifiers.saturate ? numerics::Saturate(value) : value;
}

double DoubleOfFloatLane(const ConvertModifiers& modifiers, float value) {
  const double result = numerics::ToDouble(Input(modifiers, value));
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

template <HalfScalar From>
float FloatOfHalfLane(const ConvertModifiers& modifiers, From value) {
  // Of bf16, which has the exponents of f32, numbers may be subnormal.
  const float result = Input(modifiers, numerics::ToFloat(value));
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

template <HalfScalar From>
double DoubleOfHalfLane(const ConvertModifiers& modifiers, From value) {
  const double result = numerics::ToDouble(numerics::ToFloat(value));
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

template <HalfScalar To, typename From>
To HalfLane(const ConvertModifiers& modifiers, From value) {
  const auto input = Input(modifiers, value);
  const To result = numerics::ToHalf<To>(static_cast<double>(input), modifiers.ForEncode());
  return modifiers.saturate ? numerics::Saturate(result) : result;
}

uint32_t Tf32Lane(const ConvertModifiers& modifiers, float value) {
  return numerics::ToTf32(value, modifiers.ForEncode());
}

template <HalfScalar Half>
uint32_t PackedHalvesLane(const ConvertModifiers& modifiers, float upper, float lower) {
  return numerics::PackedHalves<Half>(upper, lower, modifiers.ForEncode());
}

/// Calls `visit.operator()<T>()` for a floating-point type; nullptr for others.
template <typename Visit>
Execute VisitFloat(Type type, const Visit& visit) {
  switch (type) {
    case Type::kF16:
      return visit.template operator()<F16>();
    case Type::kBf16:
      return visit.template operator()<Bf16>();
    case Type::kF32:
      return visit.template operator()<float>();
    case Type::kF64:
      return visit.template operator()<double>();
    default:
      return nullptr;
  }
}

}  // namespace

Execute IntegerConversion(Type to, Type from, bool saturate) {
  return VisitInteger(to, [&]<typename To>() {
    return VisitInteger(from, [&]<typename From>() -> Execute {
      return saturate ? Lanewise<ClampLane<To, From>>() : Lanewise<CastLane<To, From>>();
    });
  });
}

Execute FloatToInteger(Type to, Type from, const ConvertModifiers& modifiers) {
  if (const Execute fast = FastFloatToInteger(to, from, modifiers)) return fast;
  return VisitInteger(to, [&]<typename To>() {
    return VisitFloat(
        from, []<typename From>() -> Execute { return WithModifiers<ToIntegerLane<To, From>>; });
  });
}

Execute IntegerToFloatingPoint(Type to, Type from, const ConvertModifiers& modifiers) {
  return VisitInteger(from, [&]<typename From>() {
    return VisitFloat(to, [&]<typename To>() -> Execute {
      if constexpr (std::is_floating_point_v<To>) {
        return modifiers.saturate
                   ? RoundedLanewise<FloatOfIntegerLane<To, From, true>>(modifiers.rounding)
                   : RoundedLanewise<FloatOfIntegerLane<To, From, false>>(modifiers.rounding);
      } else {
        if constexpr (sizeof(From) <= 4) {
          const bool is_nearest = modifiers.rounding == Rounding::kNearestEven;
          if (is_nearest && !modifiers.saturate) {
            return WideLanewise<NearestHalfOfIntegerLane<To, From>>();
          }
        }
        return WithModifiers<HalfOfIntegerLane<To, From>>;
      }
    });
  });
}

Execute FloatConversion(Type to, Type from, bool to_integral, const ConvertModifiers& modifiers) {
  if (const Execute fast = FastFloatConversion(to, from, to_integral, modifiers)) return fast;
  return VisitFloat(to, [&]<typename To>() {
    return VisitFloat(from, [&]<typename From>() -> Execute {
      if constexpr (std::is_same_v<To, From>) {
        if (to_integral) return WithModifiers<RoundLane<To>>;
        return WithModifiers<SameLane<To>>;
      } else if constexpr (HalfScalar<To>) {
        return WithModifiers<HalfLane<To, From>>;
      } else if constexpr (std::is_same_v<From, float>) {
        return WithModifiers<DoubleOfFloatLane>;
      } else if constexpr (std::is_same_v<From, double>) {
        return DoubleToFloat(modifiers);
      } else if constexpr (std::is_same_v<To, float>) {
        return WithModifiers<FloatOfHalfLane<From>>;
      } else {
        return WithModifiers<DoubleOfHalfLane<From>>;
      }
    });
  });
}

Execute Tf32Conversion(const ConvertModifiers& modifiers) {
  const Execute fast = FastTf32Conversion(modifiers);
  return fast != nullptr ? fast : WithModifiers<Tf32Lane>;
}

Execute PackedHalvesConversion(Type to, const ConvertModifiers& modifiers) {
  if (const Execute fast = FastPackedHalvesConversion(to, modifiers)) return fast;
  return to == Type::kF16x2 ? WithModifiers<PackedHalvesLane<F16>>
                            : WithModifiers<PackedHalvesLane<Bf16>>;
}

}  // namespace hlo_indexing::ptx
