// How results are rounded, and what else modifiers of an arithmetic instruction ask for.
//
// Example: `fma.rn.ftz.f32` is Fma<{.flush = true}>(a, b, c) of f32.h; where the modifiers are
// known at run time only, they are made constant once for the lanes of a warp:
//   Specialize(modifiers, [&](auto constant) {
//     for (int lane = 0; lane < 32; ++lane) d[lane] = Add<constant.kModifiers>(a[lane], b[lane]);
//   });
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUNDING_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUNDING_H_

#include <cstdint>

namespace hlo_indexing::ptx::numerics {

/// The rounding modifiers (PTX ISA 9.7.3 and 9.7.9, cvt). Of rounding to an integer they are called
/// .rni, .rzi, .rmi and .rpi.
enum class Rounding : uint8_t {
  /// .rn: to nearest, ties to the even mantissa.
  kNearestEven,
  /// .rz: toward zero.
  kTowardZero,
  /// .rm: toward negative infinity.
  kDown,
  /// .rp: toward positive infinity.
  kUp,
  /// .rna: to nearest, ties away from zero; of cvt to tf32 only.
  kNearestAway,
};

/// What the modifiers of a floating-point instruction say. Each function names those that it heeds.
struct Modifiers {
  Rounding rounding = Rounding::kNearestEven;
  /// .ftz: subnormal inputs and results become zeros of their sign. A result is subnormal if it is
  /// below the least normal number after rounding to the format's precision with an unbounded
  /// exponent: what IEEE 754 calls tininess after rounding. The ISA does not say; a multiplier that
  /// flushes has no use for the other definitions.
  bool flush = false;
  /// .sat: the result is clamped to [+0, 1], NaN becomes +0.
  bool saturate = false;
  /// .relu: a result with a sign becomes +0, NaN the canonical NaN.
  bool relu = false;
  /// .oob: +0 if a factor is the NaN that stands for elements out of a tensor's bounds.
  bool out_of_bounds = false;

  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

/// Modifiers that the compiler knows.
template <Modifiers kConstant>
struct ConstantModifiers {
  static constexpr Modifiers kModifiers = kConstant;
};

namespace internal {

template <Rounding kRounding, typename Function>
decltype(auto) SpecializeFlags(bool flush, bool saturate, const Function& function) {
  if (flush) {
    return saturate
               ? function(
                     ConstantModifiers<Modifiers{kRounding, /*flush=*/true, /*saturate=*/true}>())
               : function(ConstantModifiers<Modifiers{kRounding, /*flush=*/true}>());
  }
  return saturate ? function(ConstantModifiers<Modifiers{kRounding, false, /*saturate=*/true}>())
                  : function(ConstantModifiers<Modifiers{kRounding}>());
}

}  // namespace internal

/// Calls the function with the rounding, .ftz and .sat of the modifiers as ConstantModifiers (.relu
/// and .oob are not passed on), and returns what it returns. The function is compiled once for each
/// of the sixteen combinations. Example: see the head of the file.
template <typename Function>
decltype(auto) Specialize(const Modifiers& modifiers, const Function& function) {
  const bool flush = modifiers.flush;
  const bool saturate = modifiers.saturate;
  switch (modifiers.rounding) {
    case Rounding::kTowardZero:
      return internal::SpecializeFlags<Rounding::kTowardZero>(flush, saturate, function);
    case Rounding::kDown:
      return internal::SpecializeFlags<Rounding::kDown>(flush, saturate, function);
    case Rounding::kUp:
      return internal::SpecializeFlags<Rounding::kUp>(flush, saturate, function);
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      break;
  }
  return internal::SpecializeFlags<Rounding::kNearestEven>(flush, saturate, function);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUNDING_H_
