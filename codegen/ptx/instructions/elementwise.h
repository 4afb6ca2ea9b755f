// Instructions whose result in a lane is a function of the sources in that lane: from a C++
// function of one lane to the function that executes a warp.
//
// Example: `add.s32` is
//   uint32_t Add(uint32_t a, uint32_t b) { return a + b; }
//   ... EmitElementwise(d, Pipe::kInteger, Lanewise<Add>(), Type::kS32, {Type::kS32, Type::kS32});
// The types of the function's parameters say how the lanes are read: integers of 8 to 64 bits,
// float, double, F16 and Bf16 by their bits, bool as a predicate. A warp of 32 lanes is a loop that
// the compiler vectorises.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ELEMENTWISE_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ELEMENTWISE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/host_rounding.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"

// Operands are the same place or different ones, never shifted against each other: what a lane
// writes, no other lane of the loop reads. GCC cannot know that; Clang looks when the loop begins.
#if defined(__GNUC__) && !defined(__clang__)
#define HLO_INDEXING_PTX_INDEPENDENT_LANES _Pragma("GCC ivdep")
#else
#define HLO_INDEXING_PTX_INDEPENDENT_LANES
#endif

// A second version of each loop for processors with 256-bit vectors and fused multiply-add, chosen
// when an instruction is decoded. Both give the same bits: nothing is contracted
// (-ffp-contract=off).
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HLO_INDEXING_PTX_HAS_WIDE_VECTORS 1
#define HLO_INDEXING_PTX_WIDE_VECTORS [[gnu::target("avx2,fma"), gnu::flatten]]
#else
#define HLO_INDEXING_PTX_HAS_WIDE_VECTORS 0
#define HLO_INDEXING_PTX_WIDE_VECTORS
#endif

namespace hlo_indexing::ptx {

/// Whether this processor has the vectors of HLO_INDEXING_PTX_WIDE_VECTORS.
bool HasWideVectors();

namespace internal {

/// What a register holds in a lane for values of type T.
template <typename T>
using LaneBits = std::conditional_t<(sizeof(T) <= 4), uint32_t, uint64_t>;

template <typename T>
[[gnu::always_inline]] inline T FromLane(LaneBits<T> bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(bits);
  } else if constexpr (numerics::HalfScalar<T>) {
    return {static_cast<uint16_t>(bits)};
  } else {
    return static_cast<T>(bits);
  }
}

/// Integers below 32 bits are extended as their type says, which cvt into wider registers relies
/// on.
template <typename T>
[[gnu::always_inline]] inline LaneBits<T> ToLane(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<LaneBits<T>>(value);
  } else if constexpr (numerics::HalfScalar<T>) {
    return value.bits;
  } else {
    return static_cast<LaneBits<T>>(value);
  }
}

/// The lanes of a source.
template <typename T>
class SourceLanes {
 public:
  [[gnu::always_inline]] SourceLanes(const Execution& execution, Slot slot)
      : lanes_(execution.At<LaneBits<T>>(slot)) {}
  [[gnu::always_inline]] T operator[](int lane) const { return FromLane<T>(lanes_[lane]); }

 private:
  const LaneBits<T>* lanes_;
};

/// Bit i in lane i. A load from here is vectorised where a shift by the lane is not.
inline constexpr std::array<LaneMask, kWarpSize> kBitOfLane = [] {
  std::array<LaneMask, kWarpSize> bits = {};
  for (size_t lane = 0; lane < kWarpSize; ++lane) bits[lane] = LaneMask{1} << lane;
  return bits;
}();

/// A predicate.
template <>
class SourceLanes<bool> {
 public:
  [[gnu::always_inline]] SourceLanes(const Execution& execution, Slot slot)
      : mask_(execution.Predicate(slot)) {}
  [[gnu::always_inline]] bool operator[](int lane) const {
    return (mask_ & kBitOfLane[static_cast<size_t>(lane)]) != 0;
  }

 private:
  LaneMask mask_;
};

template <auto kFunction, typename Result, typename... Sources, size_t... kIndices>
[[gnu::always_inline]] inline Step RunLanes(Result (*)(Sources...),
                                            std::index_sequence<kIndices...>,
                                            const Operation& operation,
                                            const Execution& execution) {
  const std::tuple<SourceLanes<Sources>...> sources(
      SourceLanes<Sources>(execution, operation.slots[kIndices + 1])...);
  const LaneMask lanes = execution.lanes;
  if constexpr (std::is_same_v<Result, bool>) {
    LaneMask& result = execution.Predicate(operation.slots[0]);
    if (lanes == kAllLanes) {
      std::array<uint8_t, kWarpSize> bytes;
      HLO_INDEXING_PTX_INDEPENDENT_LANES
      for (int lane = 0; lane < kWarpSize; ++lane) {
        bytes[static_cast<size_t>(lane)] = kFunction(std::get<kIndices>(sources)[lane]...) ? 1 : 0;
      }
      result = MaskOfBytes(bytes);
      return Step::kNext;
    }
    LaneMask mask = 0;
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (kFunction(std::get<kIndices>(sources)[lane]...)) mask |= LaneMask{1} << lane;
    }
    result = (result & ~lanes) | mask;
  } else {
    LaneBits<Result>* const result = execution.At<LaneBits<Result>>(operation.slots[0]);
    if (lanes == kAllLanes) {
      HLO_INDEXING_PTX_INDEPENDENT_LANES
      for (int lane = 0; lane < kWarpSize; ++lane) {
        result[lane] = ToLane<Result>(kFunction(std::get<kIndices>(sources)[lane]...));
      }
      return Step::kNext;
    }
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      result[lane] = ToLane<Result>(kFunction(std::get<kIndices>(sources)[lane]...));
    }
  }
  return Step::kNext;
}

template <typename Result, typename... Sources>
constexpr auto IndicesOf(Result (*)(Sources...)) {
  return std::index_sequence_for<Sources...>{};
}

template <auto kFunction>
[[gnu::flatten]] Step ExecuteLanes(const Operation& operation, Execution& execution) {
  return RunLanes<kFunction>(+kFunction, IndicesOf(+kFunction), operation, execution);
}

template <auto kApplies, typename... Sources, size_t... kIndices>
[[gnu::always_inline]] inline bool AppliesToAll(uint32_t (*)(Sources...),
                                                std::index_sequence<kIndices...>,
                                                const Operation& operation,
                                                const Execution& execution) {
  const std::tuple<SourceLanes<Sources>...> sources(
      SourceLanes<Sources>(execution, operation.slots[kIndices + 1])...);
  uint32_t exceptions = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    exceptions |= ~kApplies(std::get<kIndices>(sources)[lane]...);
  }
  return exceptions == 0;
}

template <auto kFunction, auto kApplies, auto kElse>
HLO_INDEXING_PTX_WIDE_VECTORS Step ExecuteWideLanesIf(const Operation& operation,
                                                      Execution& execution) {
  if (AppliesToAll<kApplies>(+kApplies, IndicesOf(+kApplies), operation, execution)) {
    return RunLanes<kFunction>(+kFunction, IndicesOf(+kFunction), operation, execution);
  }
  return RunLanes<kElse>(+kElse, IndicesOf(+kElse), operation, execution);
}

template <auto kFunction>
HLO_INDEXING_PTX_WIDE_VECTORS Step ExecuteWideLanes(const Operation& operation,
                                                    Execution& execution) {
  return RunLanes<kFunction>(+kFunction, IndicesOf(+kFunction), operation, execution);
}

template <Execute kExecute, numerics::Rounding kRounding>
Step ExecuteRounded(const Operation& operation, Execution& execution) {
  const numerics::HostRounding mode(kRounding);
  return kExecute(operation, execution);
}

}  // namespace internal

/// Executes `slots[0] = kFunction(slots[1], slots[2], ...)`. kFunction is a function of one lane,
/// or a lambda without captures.
template <auto kFunction>
Execute Lanewise() {
  return internal::ExecuteLanes<kFunction>;
}

/// The same for functions of many steps, which gain by wide vectors what they take to compile.
template <auto kFunction>
Execute WideLanewise() {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if (HasWideVectors()) return internal::ExecuteWideLanes<kFunction>;
#endif
  return internal::ExecuteLanes<kFunction>;
}

/// The same, with what the host computes rounded in this mode (numerics/host_rounding.h).
template <auto kFunction, numerics::Rounding kRounding>
Execute RoundedLanewise() {
  if constexpr (kRounding == numerics::Rounding::kNearestEven) return WideLanewise<kFunction>();
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if (HasWideVectors()) {
    return internal::ExecuteRounded<internal::ExecuteWideLanes<kFunction>, kRounding>;
  }
#endif
  return internal::ExecuteRounded<internal::ExecuteLanes<kFunction>, kRounding>;
}

/// The same with a mode that is known when the instruction is decoded.
template <auto kFunction>
Execute RoundedLanewise(numerics::Rounding rounding) {
  using numerics::Rounding;
  switch (rounding) {
    case Rounding::kTowardZero:
      return RoundedLanewise<kFunction, Rounding::kTowardZero>();
    case Rounding::kDown:
      return RoundedLanewise<kFunction, Rounding::kDown>();
    case Rounding::kUp:
      return RoundedLanewise<kFunction, Rounding::kUp>();
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      break;
  }
  return WideLanewise<kFunction>();
}

/// As WideLanewise<kElse>(): a function that is right for all sources. Where kApplies says of all
/// lanes (by all ones) that kFunction gives the same, that is executed, which is faster.
template <auto kFunction, auto kApplies, auto kElse>
Execute WideLanewiseIf() {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if (HasWideVectors()) return internal::ExecuteWideLanesIf<kFunction, kApplies, kElse>;
#endif
  return internal::ExecuteLanes<kElse>;
}

/// The same, rounded in this mode.
template <auto kFunction, auto kApplies, auto kElse, numerics::Rounding kRounding>
Execute RoundedLanewiseIf() {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if (HasWideVectors() && kRounding != numerics::Rounding::kNearestEven) {
    return internal::ExecuteRounded<internal::ExecuteWideLanesIf<kFunction, kApplies, kElse>,
                                    kRounding>;
  }
  if (HasWideVectors()) return internal::ExecuteWideLanesIf<kFunction, kApplies, kElse>;
#endif
  return RoundedLanewise<kElse, kRounding>();
}

/// Takes all operands in the order of the text, a result and sources of these types, and emits the
/// operation. Sources of the type kPred may be negated.
absl::Status EmitElementwise(InstructionDecoder& d, Pipe pipe, Execute execute, Type result,
                             std::initializer_list<Type> sources);

/// Calls `visit.operator()<T>()` with the C++ type of an integer type of 8 to 64 bits; bits are
/// unsigned. Other types: `visit.operator()<uint32_t>()`, so check the type before.
template <typename Visit>
decltype(auto) VisitInteger(Type type, const Visit& visit) {
  switch (type) {
    case Type::kB8:
    case Type::kU8:
      return visit.template operator()<uint8_t>();
    case Type::kS8:
      return visit.template operator()<int8_t>();
    case Type::kB16:
    case Type::kU16:
      return visit.template operator()<uint16_t>();
    case Type::kS16:
      return visit.template operator()<int16_t>();
    case Type::kS32:
      return visit.template operator()<int32_t>();
    case Type::kB64:
    case Type::kU64:
      return visit.template operator()<uint64_t>();
    case Type::kS64:
      return visit.template operator()<int64_t>();
    default:
      return visit.template operator()<uint32_t>();
  }
}

/// As VisitInteger, for 16 bits and more: what arithmetic has.
template <typename Visit>
decltype(auto) VisitArithmeticInteger(Type type, const Visit& visit) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return visit.template operator()<uint16_t>();
    case Type::kS16:
      return visit.template operator()<int16_t>();
    case Type::kS32:
      return visit.template operator()<int32_t>();
    case Type::kB64:
    case Type::kU64:
      return visit.template operator()<uint64_t>();
    case Type::kS64:
      return visit.template operator()<int64_t>();
    default:
      return visit.template operator()<uint32_t>();
  }
}

/// Unsigned integers in which T's are added and multiplied modulo 2^bits, without promotion to int.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

/// Whether the type is one of these.
inline bool IsOneOf(Type type, std::initializer_list<Type> types) {
  for (const Type candidate : types) {
    if (candidate == type) return true;
  }
  return false;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ELEMENTWISE_H_
