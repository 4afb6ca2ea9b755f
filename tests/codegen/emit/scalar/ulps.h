// How far a computed float is from the exact value, in units in the last place (ulp).
//
// Example: Ulps(1.0F, 1.0 + 0x1p-24) -> 0.5
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_SCALAR_ULPS_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_SCALAR_ULPS_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace hlo_indexing::emit::scalar {

/// More precise than double where the processor has such numbers.
using LongDouble = long double;  // NOLINT(google-runtime-float)

/// The distance of two neighbours at a value.
template <typename F>
LongDouble UnitInLastPlace(LongDouble value) {
  using Limits = std::numeric_limits<F>;
  if (value == 0 || std::isinf(value)) return Limits::denorm_min();
  const int exponent =
      std::clamp(std::ilogb(value), Limits::min_exponent - 1, Limits::max_exponent - 1);
  return std::ldexp(LongDouble{1}, exponent - (Limits::digits - 1));
}

/// Infinite where the one is NaN and the other is not, an infinity has the wrong sign, or a zero
/// has.
template <typename F>
double Ulps(F computed, LongDouble exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  const F expected = static_cast<F>(exact);
  if (std::isnan(expected) || std::isnan(computed)) {
    return std::isnan(expected) && std::isnan(computed) ? 0 : kWrong;
  }
  if (expected == computed && std::isinf(expected)) return 0;
  if (computed == 0 && std::signbit(computed) != std::signbit(exact)) return kWrong;
  // Infinity is the number that would follow.
  const auto bounded = [](LongDouble value) {
    const LongDouble beyond = std::ldexp(LongDouble{1}, std::numeric_limits<F>::max_exponent);
    return std::clamp(value, -beyond, beyond);
  };
  const LongDouble error = std::fabs(bounded(computed) - bounded(exact));
  return static_cast<double>(error / UnitInLastPlace<F>(bounded(exact)));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_SCALAR_ULPS_H_
