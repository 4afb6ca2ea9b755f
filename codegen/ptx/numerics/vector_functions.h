// 2^x, the logarithm to base 2, the hyperbolic tangent, sine and cosine of floats, as doubles: in
// steps without branches, tables and calls, so that a loop over the lanes of a warp does them with
// vectors.
//
// The doubles are off by at most 2^-51 of their size. That is enough for the nearest float but of
// two arguments (kHardPowers), of all that were compared with 64-bit mantissas: for 2^x all floats
// from 2^-29 to 160 and below 0 alike, for the logarithm all from 1/4 to 4 and every seventh of the
// others, for the tangent all from 2^-15 to 10. Of sine and cosine all floats from 2^-13 to 2^10
// were compared, and every fifth up to 2^20: the sine of 0x1.33333p+13 is not the nearest float.
//
// Example: static_cast<float>(PowerOfTwo(-0.5)) is 0.70710677f.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_VECTOR_FUNCTIONS_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_VECTOR_FUNCTIONS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "codegen/ptx/numerics/bits.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

/// c[0] + c[1] x + c[2] x^2 + ... Without a loop, which compilers leave in loops over lanes, and do
/// not make vectors of these then.
template <size_t kFirst = 0, size_t kTerms>
[[gnu::always_inline]] inline double Polynomial(double x, const double (&c)[kTerms]) {
  if constexpr (kFirst + 1 == kTerms) {
    return c[kFirst];
  } else {
    return std::fma(Polynomial<kFirst + 1>(x, c), x, c[kFirst]);
  }
}

/// 2^x = scale * (1 + rest).
struct SplitPower {
  double scale;
  double rest;
};

/// Of |x| < 1000: scale is a power of two, |rest| < 0.42.
inline SplitPower SplitPowerOfTwo(double x) {
  // (2^r - 1) / r for |r| <= 1/2, from its Chebyshev series; off by 2^-56.
  constexpr double kQuotient[] = {
      0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,  0x1.3b2ab6fba1ddap-7,
      0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
      0x1.b524fae627834p-24, 0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32};
  // Adding it leaves the nearest whole number in the last bits.
  constexpr double kShifter = 0x1.8p52;
  const double shifted = x + kShifter;
  const double rest = x - (shifted - kShifter);
  return {DoubleOf((BitsOf(shifted) + 1023) << 52), rest * Polynomial(rest, kQuotient)};
}

}  // namespace internal

/// The two floats whose power of two lies 2^-53 of its size above the middle between two floats:
/// the nearest one is the one above that of the double.
inline constexpr float kHardPowers[] = {0x1.853a6ep-9F, -0x1.e7526ep-6F};

/// 2^x; 2^300 and 2^-300 stand for what is beyond, where floats end long before.
inline double PowerOfTwo(double x) {
  const double above = x < -300.0 ? -300.0 : x;
  const internal::SplitPower power = internal::SplitPowerOfTwo(above > 300.0 ? 300.0 : above);
  return std::fma(power.scale, power.rest, power.scale);
}

/// The logarithm to base 2: -infinity of zeros, NaN below.
inline double Logarithm2(float x) {
  // 2 atanh(s) / (s ln 2) as a series of s^2, where |s| <= (sqrt(2) - 1) / (sqrt(2) + 1); off by
  // 2^-65.
  constexpr double kSeries[] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fcp-1, 0x1.2776c50ef9fcdp-1,
                                0x1.a61762a70841ap-2, 0x1.484b1448824b4p-2, 0x1.0c9a598d2f12dp-2,
                                0x1.c6a2992614773p-3, 0x1.8773e146e7d5ap-3, 0x1.87da22b26eef2p-3};
  constexpr uint32_t kRootOfHalf = 0x3f35'04f3;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool is_subnormal = x < 0x1p-126F;
  const float normal = is_subnormal ? x * 0x1p32F : x;
  const float power_of_normal = is_subnormal ? -32.0F : 0.0F;
  // x = 2^power * mantissa, which is from sqrt(1/2) to sqrt(2).
  const int32_t power = static_cast<int32_t>(BitsOf(normal) - kRootOfHalf) >> 23;
  const double mantissa =
      static_cast<double>(FloatOf(BitsOf(normal) - (static_cast<uint32_t>(power) << 23)));
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double whole = static_cast<double>(static_cast<float>(power) + power_of_normal);
  const double finite = std::fma(s, internal::Polynomial(s * s, kSeries), whole);
  const double positive = x == kInfinity ? static_cast<double>(kInfinity) : finite;
  const double not_negative = x == 0.0F ? -static_cast<double>(kInfinity) : positive;
  return x >= 0.0F ? not_negative : std::numeric_limits<double>::quiet_NaN();
}

/// The hyperbolic tangent.
inline double HyperbolicTangent(double x) {
  constexpr double kTwoLog2E = 0x1.71547652b82fep+1;
  const double magnitude = Magnitude(x);
  const internal::SplitPower power =
      internal::SplitPowerOfTwo((magnitude > 30.0 ? 30.0 : magnitude) * kTwoLog2E);
  // t = e^(2x) - 1, and tanh x = t / (t + 2).
  const double t = std::fma(power.scale, power.rest, power.scale - 1.0);
  return DoubleOf(BitsOf(t / (t + 2.0)) | (BitsOf(x) & kSignBit64));
}

/// The largest angle, in radians, that Sine takes.
inline constexpr double kLargestAngle = 0x1p20;

/// sin(x + kQuarters * pi / 2) of a float that is no larger, or not finite; NaN of these.
template <uint64_t kQuarters>
inline double Sine(double x) {
  // Taylor's series in r^2 behind r and behind 1, for |r| <= pi / 4; off by 2^-54 and less.
  constexpr double kSine[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,         1.0 / 362880,
                              -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
  constexpr double kCosine[] = {
      -1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
      -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kRestOfHalfPi = 0x1.1a62633145c07p-54;
  constexpr double kShifter = 0x1.8p52;
  const double shifted = std::fma(x, kTwoOverPi, kShifter);
  const double quarters = shifted - kShifter;
  const double r = std::fma(-quarters, kRestOfHalfPi, std::fma(-quarters, kHalfPi, x));
  const double square = r * r;
  const double sine = r * std::fma(square, internal::Polynomial(square, kSine), 1.0);
  const double cosine = std::fma(square, internal::Polynomial(square, kCosine), 1.0);
  const uint64_t quadrant = BitsOf(shifted) + kQuarters;
  const double value = (quadrant & 1) != 0 ? cosine : sine;
  return DoubleOf(BitsOf(value) ^ (quadrant & 2) << 62);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_VECTOR_FUNCTIONS_H_
