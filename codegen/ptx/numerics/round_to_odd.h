// Rounding twice without error: operations of narrow formats are done in double, whose result is
// rounded to odd, and then rounded once more to the format.
//
// Rounding to odd: an exact value stays; of the two doubles around any other value, the one with
// the odd mantissa is taken. It is never one of the values at which a rounding of at most 51 bits
// changes its mind (these are even), and lies on the same side of all of them as the exact value
// does. So what follows is rounded as the exact value would be, in every mode (S. Boldo, G.
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
// odd", 2008).
//
// Example: the fused a * b + c of floats, to nearest, is
//   static_cast<float>(AddRoundedToOdd(static_cast<double>(a) * b, c))
// where the product is exact, having 48 bits and an exponent from -298 to 256.
//
// Right only if the compiler neither contracts nor reorders: -ffp-contract=off, no -ffast-math.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUND_TO_ODD_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUND_TO_ODD_H_

#include <bit>
#include <concepts>
#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// a + b rounded to odd. The sum must not overflow unless an operand is infinite; the error of a
/// sum of doubles is a double (D. Knuth's TwoSum). Infinities and NaNs give what a + b does.
inline double AddRoundedToOdd(double a, double b) {
  const double sum = a + b;
  const double part_of_b = sum - a;
  const double error = (a - (sum - part_of_b)) + (b - part_of_b);
  // An even sum with an error lies beside the odd one on the side of the error: one further from
  // zero if their signs agree. The error of an infinite sum is NaN, for which the comparison is
  // false. All of it without branches and comparisons of integers, so that loops are done with
  // vectors.
  const uint64_t bits = BitsOf(sum);
  const uint64_t step = (uint64_t{0} - ((bits ^ BitsOf(error)) >> 63)) | 1;
  const uint64_t is_even = (bits & 1) - 1;
  return Magnitude(error) > 0.0 ? DoubleOf(bits + (step & is_even)) : sum;
}

/// The same of floats.
inline float AddRoundedToOdd(float a, float b) {
  const float sum = a + b;
  const float part_of_b = sum - a;
  const float error = (a - (sum - part_of_b)) + (b - part_of_b);
  // The same in fewer steps: the sum without its error, toward zero, and the last bit set.
  const uint32_t bits = BitsOf(sum);
  const uint32_t has_error = Magnitude(error) > 0.0F ? ~uint32_t{0} : 0;
  const auto differs = static_cast<int32_t>(bits ^ BitsOf(error));
  const uint32_t toward_zero = bits + (static_cast<uint32_t>(differs >> 31) & has_error);
  return FloatOf(toward_zero | (has_error & 1));
}

/// Whether .ftz flushes a result: rounded to the precision, as if exponents had no bound, it is
/// below the least normal number 2^kLeastExponent of the format. Zeros are tiny too. Given the
/// exact value or one rounded to odd.
template <Rounding kRounding, int kPrecision, int kLeastExponent, std::floating_point Float>
inline bool IsTiny(Float value) {
  // What is compared with is a number of the type that the value is given in.
  static_assert(kLeastExponent - kPrecision > (std::same_as<Float, double> ? -1022 : -149));
  constexpr Float kLeast =
      static_cast<Float>(DoubleOf(static_cast<uint64_t>(1023 + kLeastExponent) << 52));
  // The spacing of numbers below the least normal one, were exponents unbounded.
  constexpr Float kSpacing =
      static_cast<Float>(DoubleOf(static_cast<uint64_t>(1023 + kLeastExponent - kPrecision) << 52));
  const Float magnitude = Magnitude(value);
  const bool negative = IsNegative(value);
  if constexpr (kRounding == Rounding::kNearestEven || kRounding == Rounding::kNearestAway) {
    return magnitude < kLeast - kSpacing / 2;
  } else if constexpr (kRounding == Rounding::kTowardZero) {
    return magnitude < kLeast;
  } else {
    const bool grows = negative == (kRounding == Rounding::kDown);
    return grows ? magnitude <= kLeast - kSpacing : magnitude < kLeast;
  }
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_ROUND_TO_ODD_H_
