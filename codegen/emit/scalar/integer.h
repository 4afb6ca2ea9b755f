// The integer operations of HLO where they differ from those of processors: division by zero,
// shifts by more than the width, types of fewer bits than the register that holds them.
//
// Example: of s8 in registers of 32 bits, Divide({8, true, 32}, -128, -1) -> -128
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_INTEGER_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_INTEGER_H_

#include <cstdint>
#include <tuple>

#include "codegen/emit/scalar/scalar_concept.h"

namespace hlo_indexing::emit::scalar {

/// An integer type, and how it is held: extended by its sign, or by zeros if it has none.
struct IntegerType {
  int bits;
  bool is_signed;
  /// Of the integer that holds it: as many bits or at least twice as many.
  int width;
};

template <IntegerScalar I>
I ZeroOf(I like) {
  return IntegerConstant(like, 0);
}
template <IntegerScalar I>
I Negate(I n) {
  return ZeroOf(n) - n;
}

/// The low bits, extended by zeros or by copies of their highest.
template <IntegerScalar I>
I ExtendUnsigned(const IntegerType& type, I n) {
  const int unused = type.width - type.bits;
  return unused == 0 ? n : ShiftRightLogicalBy(ShiftLeftBy(n, unused), unused);
}
template <IntegerScalar I>
I ExtendSigned(const IntegerType& type, I n) {
  const int unused = type.width - type.bits;
  return unused == 0 ? n : ShiftRightArithmeticBy(ShiftLeftBy(n, unused), unused);
}

/// The value of the type with these low bits, as it is held.
template <IntegerScalar I>
I Wrap(const IntegerType& type, I n) {
  return type.is_signed ? ExtendSigned(type, n) : ExtendUnsigned(type, n);
}

template <IntegerScalar I>
auto Less(const IntegerType& type, I a, I b) {
  return type.is_signed ? LessSigned(a, b) : LessUnsigned(a, b);
}
template <IntegerScalar I>
I Maximum(const IntegerType& type, I a, I b) {
  return Select(Less(type, a, b), b, a);
}
template <IntegerScalar I>
I Minimum(const IntegerType& type, I a, I b) {
  return Select(Less(type, b, a), b, a);
}
/// `low` above `high` gives `high`.
template <IntegerScalar I>
I Clamp(const IntegerType& type, I low, I n, I high) {
  return Minimum(type, Maximum(type, n, low), high);
}

/// The quotient where the divisor is neither 0 nor -1 of a signed type, else the dividend.
template <IntegerScalar I>
I QuotientOfSafe(const IntegerType& type, I a, I b) {
  const I one = IntegerConstant(b, 1);
  const auto is_zero = Equal(b, ZeroOf(b));
  if (!type.is_signed) return DivideUnsigned(a, Select(is_zero, one, b));
  const auto is_minus_one = Equal(b, IntegerConstant(b, -1));
  return DivideSigned(a, Select(Or(is_zero, is_minus_one), one, b));
}

/// All ones by 0; the smallest by -1 stays.
template <IntegerScalar I>
I Divide(const IntegerType& type, I a, I b) {
  const I minus_one = IntegerConstant(b, -1);
  I quotient = QuotientOfSafe(type, a, b);
  if (type.is_signed) quotient = Select(Equal(b, minus_one), Negate(a), quotient);
  return Wrap(type, Select(Equal(b, ZeroOf(b)), minus_one, quotient));
}

/// With the sign of a; a by 0.
template <IntegerScalar I>
I Remainder(const IntegerType& type, I a, I b) {
  // Of a divisor that was replaced, a - a * b: 0 is a, and -1 is told apart.
  const I rest = a - QuotientOfSafe(type, a, b) * b;
  if (!type.is_signed) return rest;
  return Select(Equal(b, IntegerConstant(b, -1)), ZeroOf(b), rest);
}

/// Wraps. By a negative exponent: 1 for 1, 1 or -1 for -1, else 0.
template <IntegerScalar I>
I Power(const IntegerType& type, I base, I exponent) {
  const I one = IntegerConstant(base, 1);
  const auto is_odd = [&](I n) { return Equal(n & one, one); };
  const auto step = [&](I result, I square, I rest) {
    return std::make_tuple(Select(is_odd(rest), result * square, result), square * square,
                           ShiftRightLogicalBy(rest, 1));
  };
  const I result = std::get<0>(Repeat(type.bits, std::make_tuple(one, base, exponent), step));
  if (!type.is_signed) return Wrap(type, result);
  const I minus_one = IntegerConstant(base, -1);
  const I sign = Select(is_odd(exponent), minus_one, one);
  const I of_others = Select(Equal(base, minus_one), sign, ZeroOf(base));
  const I inverse = Select(Equal(base, one), one, of_others);
  return Wrap(type, Select(LessSigned(exponent, ZeroOf(base)), inverse, result));
}

/// The upper half of the product of twice the width.
template <IntegerScalar I>
I MultiplyHigh(const IntegerType& type, I a, I b) {
  if (type.bits < type.width) {
    const I product = a * b;
    return Wrap(type, type.is_signed ? ShiftRightArithmeticBy(product, type.bits)
                                     : ShiftRightLogicalBy(product, type.bits));
  }
  const I high = MultiplyHighUnsigned(a, b);
  if (!type.is_signed) return high;
  // A negative factor counts 2^width too much.
  const I zero = ZeroOf(a);
  return high - Select(LessSigned(a, zero), b, zero) - Select(LessSigned(b, zero), a, zero);
}

/// The amount where it is below the number of bits, else one that is below the width; and whether
/// it is.
template <IntegerScalar I>
auto ShiftAmount(const IntegerType& type, I amount) {
  const auto is_near = LessUnsigned(amount, IntegerConstant(amount, type.bits));
  // PTX shifts by any amount of 32 bits, and LLVM leaves a Select out for that; of 64 bits, too,
  // whose upper half it then forgets.
  constexpr int kWidthOfAmounts = 32;
  const I near = type.width > kWidthOfAmounts ? amount & IntegerConstant(amount, type.width - 1)
                                              : Select(is_near, amount, ZeroOf(amount));
  return std::make_tuple(near, is_near);
}

/// By the width or more, or by a negative amount: 0.
template <IntegerScalar I>
I ShiftLeft(const IntegerType& type, I n, I amount) {
  const auto [near, is_near] = ShiftAmount(type, amount);
  return Wrap(type, Select(is_near, ShiftLeft(n, near), ZeroOf(n)));
}
template <IntegerScalar I>
I ShiftRightLogical(const IntegerType& type, I n, I amount) {
  const auto [near, is_near] = ShiftAmount(type, amount);
  const I shifted = ShiftRightLogical(ExtendUnsigned(type, n), near);
  return Wrap(type, Select(is_near, shifted, ZeroOf(n)));
}
/// By the width or more, or by a negative amount: copies of the sign. The top bit counts as the
/// sign, whatever the type says.
template <IntegerScalar I>
I ShiftRightArithmetic(const IntegerType& type, I n, I amount) {
  const auto is_near = LessUnsigned(amount, IntegerConstant(amount, type.bits));
  const I near = Select(is_near, amount, IntegerConstant(amount, type.width - 1));
  return Wrap(type, ShiftRightArithmetic(ExtendSigned(type, n), near));
}

template <IntegerScalar I>
I CountLeadingZeros(const IntegerType& type, I n) {
  const I count = CountLeadingZeros(ExtendUnsigned(type, n));
  return Wrap(type, count - IntegerConstant(n, type.width - type.bits));
}
template <IntegerScalar I>
I PopulationCount(const IntegerType& type, I n) {
  return Wrap(type, PopulationCount(ExtendUnsigned(type, n)));
}

/// -1, 0 or 1.
template <IntegerScalar I>
I Sign(const IntegerType& type, I n) {
  const I zero = ZeroOf(n);
  const I positive = Select(Equal(n, zero), zero, IntegerConstant(n, 1));
  if (!type.is_signed) return positive;
  return Wrap(type, Select(LessSigned(n, zero), IntegerConstant(n, -1), positive));
}
/// The smallest stays.
template <IntegerScalar I>
I AbsoluteValue(const IntegerType& type, I n) {
  if (!type.is_signed) return n;
  return Wrap(type, Select(LessSigned(n, ZeroOf(n)), Negate(n), n));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_INTEGER_H_
