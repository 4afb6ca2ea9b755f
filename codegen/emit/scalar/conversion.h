// Conversions between integers and floats as HLO wants them.
//
// Example: of f32 to s8 in registers of 32 bits, FloatToInteger({8, true, 32}, 1e10F, 0U) -> 127
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_CONVERSION_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_CONVERSION_H_

#include <cstdint>

#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/integer.h"

namespace hlo_indexing::emit::scalar {

/// 2 to a power from 0 to 64.
constexpr double SmallPowerOfTwo(int exponent) {
  return exponent < 64 ? static_cast<double>(uint64_t{1} << exponent) : 0x1p64;
}

/// Drops the fraction; clamped to the range of the type, NaN as 0. `like` has the type's width.
template <FloatScalar F, IntegerScalar I>
I FloatToInteger(const IntegerType& type, F x, I like) {
  const int magnitude_bits = type.is_signed ? type.bits - 1 : type.bits;
  const int64_t largest =
      static_cast<int64_t>(magnitude_bits == 64 ? UINT64_MAX : (uint64_t{1} << magnitude_bits) - 1);
  const auto fits = Less(x, FloatConstant(x, SmallPowerOfTwo(magnitude_bits)));
  const I number = type.is_signed ? FloatToSigned(x, like) : FloatToUnsigned(x, like);
  const I not_too_large = Select(fits, number, IntegerConstant(like, largest));
  const double least = type.is_signed ? -SmallPowerOfTwo(magnitude_bits) : 0.0;
  const int64_t smallest = type.is_signed ? -1 - largest : 0;
  const I clamped =
      Select(LessEqual(x, FloatConstant(x, least)), IntegerConstant(like, smallest), not_too_large);
  return Select(IsNan(x), IntegerConstant(like, 0), clamped);
}

/// Whether it is not 0; NaN is not.
template <FloatScalar F>
auto FloatToPredicate(F x) {
  return Not(Equal(x, FloatConstant(x, 0.0)));
}

/// An integer, as wide as the float, as a float from which rounding to a format of at most 11 bits
/// of precision gives what rounding the integer would: cut to the float's precision, the last bit
/// set if something was cut off.
///
/// Example: 2^25 + 2^17 + 1 of 32 bits -> 2^25 + 2^17 + 2, which as bf16 is rounded up as well
template <Precision kPrecision, IntegerScalar I>
auto IntegerToRoundable(bool is_signed, I n) {
  const I zero = ZeroOf(n);
  const auto is_negative = LessSigned(n, zero);
  const I magnitude = is_signed ? Select(is_negative, Negate(n), n) : n;
  const I excess = IntegerConstant(n, Width<kPrecision>() - 1 - MantissaBits<kPrecision>()) -
                   CountLeadingZeros(magnitude);
  const I cut = Select(LessSigned(excess, zero), zero, excess);
  const I kept = ShiftRightLogical(magnitude, cut);
  const auto is_exact = Equal(ShiftLeft(kept, cut), magnitude);
  const I last = Select(is_exact, zero, IntegerConstant(n, 1));
  const auto number = UnsignedToFloat(ShiftLeft(kept | last, cut));
  return is_signed ? Select(is_negative, -number, number) : number;
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_CONVERSION_H_
