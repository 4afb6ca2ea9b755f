// Arithmetic of f32: add, sub, mul, fma, div, rcp and sqrt (PTX ISA 9.7.3) with every rounding,
// .ftz and .sat, bit for bit. A NaN result is kCanonicalNan.
//
// A loop over the lanes of a warp does these with vectors. Modes but to nearest are the host's:
// such a function is called under a HostRounding of its mode (host_rounding.h).
//
// Example: Fma<{.flush = true}>(a, b, c) is `fma.rn.ftz.f32`.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_F32_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_F32_H_

#include <cmath>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/round_to_odd.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

template <Modifiers kModifiers>
inline float Input(float value) {
  if constexpr (kModifiers.flush) return FlushSubnormal(value);
  return value;
}

/// The result of rounding a double: to nearest, one that is exact, or rounded to odd, or a quotient
/// or root to nearest; otherwise, one that was rounded in the same direction, as rounding twice in
/// one direction is rounding once.
template <Modifiers kModifiers>
inline float Result(double value) {
  // Before it is rounded, to which the bounds are indifferent: compilers compare what is rounded by
  // way of what it is rounded from, as if to nearest.
  if constexpr (kModifiers.saturate) {
    const double positive = value > 0.0 ? value : 0.0;
    value = positive < 1.0 ? positive : 1.0;
  }
  float result = static_cast<float>(value);
  if constexpr (kModifiers.flush) {
    result = IsTiny<kModifiers.rounding, 24, -126>(value) ? ZeroLike(result) : result;
  }
  return Canonical(result);
}

/// The result of an f32 operation of the host, which is not flushed.
template <Modifiers kModifiers>
inline float HostResult(float value) {
  if constexpr (kModifiers.saturate) return Saturate(value);
  return Canonical(value);
}

constexpr bool IsNearest(const Modifiers& modifiers) {
  return modifiers.rounding == Rounding::kNearestEven;
}

/// A sum of doubles that Result rounds to a float.
template <Modifiers kModifiers>
inline double SumForRounding(double a, double b) {
  return IsNearest(kModifiers) ? AddRoundedToOdd(a, b) : a + b;
}

}  // namespace internal

/// add.f32 (9.7.3.3). Heeds rounding, flush, saturate.
template <Modifiers kModifiers = Modifiers{}>
inline float Add(float a, float b) {
  const float x = internal::Input<kModifiers>(a);
  const float y = internal::Input<kModifiers>(b);
  // A sum of floats below 2^-126 is exact, and so is flushed without looking at its rounding.
  return internal::HostResult<kModifiers>(internal::Input<kModifiers>(x + y));
}

/// sub.f32 (9.7.3.4), like Add.
template <Modifiers kModifiers = Modifiers{}>
inline float Sub(float a, float b) {
  const float x = internal::Input<kModifiers>(a);
  const float y = internal::Input<kModifiers>(b);
  return internal::HostResult<kModifiers>(internal::Input<kModifiers>(x - y));
}

/// mul.f32 (9.7.3.5), like Add.
template <Modifiers kModifiers = Modifiers{}>
inline float Mul(float a, float b) {
  if constexpr (!kModifiers.flush) {
    return internal::HostResult<kModifiers>(a * b);
  } else {
    // The product of two floats is a double: 48 bits, exponents from -298 to 256.
    return internal::Result<kModifiers>(static_cast<double>(internal::Input<kModifiers>(a)) *
                                        static_cast<double>(internal::Input<kModifiers>(b)));
  }
}

/// fma.f32 and mad.f32 (9.7.3.6): a * b + c rounded once. Like Add.
template <Modifiers kModifiers = Modifiers{}>
inline float Fma(float a, float b, float c) {
  const double product = static_cast<double>(internal::Input<kModifiers>(a)) *
                         static_cast<double>(internal::Input<kModifiers>(b));
  return internal::Result<kModifiers>(internal::SumForRounding<kModifiers>(
      product, static_cast<double>(internal::Input<kModifiers>(c))));
}

/// div.RND.f32 (9.7.3.8), like Add. A quotient of floats that is no number of 25 bits is at least
/// 2^-50 of its size away from all of these, so that the double nearest to it is on the same side
/// of them.
template <Modifiers kModifiers = Modifiers{}>
inline float Div(float a, float b) {
  if constexpr (!kModifiers.flush) {
    return internal::HostResult<kModifiers>(a / b);
  } else {
    return internal::Result<kModifiers>(static_cast<double>(internal::Input<kModifiers>(a)) /
                                        static_cast<double>(internal::Input<kModifiers>(b)));
  }
}

/// rcp.RND.f32 (9.7.3.13), like Add.
template <Modifiers kModifiers = Modifiers{}>
inline float Rcp(float value) {
  return Div<kModifiers>(1.0F, value);
}

/// sqrt.RND.f32 (9.7.3.15), like Add. Of roots the same holds as of quotients.
template <Modifiers kModifiers = Modifiers{}>
inline float Sqrt(float value) {
  return internal::Result<kModifiers>(
      std::sqrt(static_cast<double>(internal::Input<kModifiers>(value))));
}

/// How the three-input and the two-input min and max differ from the plain ones.
struct MinMaxModifiers {
  /// .ftz, of inputs and so of results.
  bool flush = false;
  /// .NaN: a NaN input gives the canonical NaN; without it, the other input is the result.
  bool propagate_nan = false;
  /// .abs: of the inputs' magnitudes.
  bool absolute = false;
  /// .xorsign.abs, of two inputs: of the magnitudes, with the product of the inputs' signs, unless
  /// NaN.
  bool xor_sign = false;

  friend bool operator==(const MinMaxModifiers&, const MinMaxModifiers&) = default;
};

namespace internal {

/// The min or max (PTX ISA 9.7.3.11, min_num and min_nan) of values without NaN payloads. -0 < +0.
template <bool kIsMax, bool kPropagateNan>
inline float Extreme(float a, float b) {
  const float first = kIsMax ? (a > b ? a : b) : (a < b ? a : b);
  // Equal values differ in the sign of zero at most.
  const float of_equals = FloatOf(kIsMax ? BitsOf(a) & BitsOf(b) : BitsOf(a) | BitsOf(b));
  float result = a == b ? of_equals : first;
  // `first` is b if either is NaN.
  if constexpr (kPropagateNan) {
    result = IsNan(a) ? a : result;
  } else {
    result = IsNan(b) ? a : result;
  }
  return Canonical(result);
}

template <bool kIsMax, MinMaxModifiers kModifiers>
inline float MinMax(float a, float b) {
  constexpr bool kAbsolute = kModifiers.absolute || kModifiers.xor_sign;
  const float x = kModifiers.flush ? FlushSubnormal(a) : a;
  const float y = kModifiers.flush ? FlushSubnormal(b) : b;
  const float result = Extreme<kIsMax, kModifiers.propagate_nan>(kAbsolute ? Magnitude(x) : x,
                                                                 kAbsolute ? Magnitude(y) : y);
  if constexpr (kModifiers.xor_sign) {
    const uint32_t sign = (BitsOf(a) ^ BitsOf(b)) & kSignBit;
    return IsNan(result) ? result : FloatOf(BitsOf(result) | sign);
  }
  return result;
}

}  // namespace internal

/// min.f32 (9.7.3.11). Example: Min<{.propagate_nan = true}>(a, b) is `min.NaN.f32`.
template <MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline float Min(float a, float b) {
  return internal::MinMax<false, kModifiers>(a, b);
}
/// min.f32 of three inputs: the min of the first two's and the third. Without xor_sign.
template <MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline float Min(float a, float b, float c) {
  static_assert(!kModifiers.xor_sign);
  return internal::MinMax<false, kModifiers>(internal::MinMax<false, kModifiers>(a, b), c);
}
/// max.f32 (9.7.3.12), like Min.
template <MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline float Max(float a, float b) {
  return internal::MinMax<true, kModifiers>(a, b);
}
template <MinMaxModifiers kModifiers = MinMaxModifiers{}>
inline float Max(float a, float b, float c) {
  static_assert(!kModifiers.xor_sign);
  return internal::MinMax<true, kModifiers>(internal::MinMax<true, kModifiers>(a, b), c);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_F32_H_
