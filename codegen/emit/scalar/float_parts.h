// Sign, exponent and bits of floats, and what all functions of this folder build on: polynomials,
// powers of two, sums and products with their errors.
//
// Example: with Precision::kF32, ScaleByPowerOfTwo(1.5F, n = 4) is 24.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_PARTS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "codegen/emit/scalar/scalar_concept.h"

namespace hlo_indexing::emit::scalar {

/// The width that a function computes with: an emitted value does not have it in its C++ type.
enum class Precision : uint8_t { kF32, kF64 };

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The one for the precision.
template <Precision kPrecision, typename T>
constexpr T PerPrecision(T for_f32, T for_f64) {
  return kPrecision == Precision::kF32 ? for_f32 : for_f64;
}

/// How the bits of a precision are laid out: a sign, the exponent with its bias, the mantissa.
template <Precision kPrecision>
constexpr int Width() {
  return PerPrecision<kPrecision>(32, 64);
}
template <Precision kPrecision>
constexpr int MantissaBits() {
  return PerPrecision<kPrecision>(23, 52);
}
template <Precision kPrecision>
constexpr int Bias() {
  return PerPrecision<kPrecision>(127, 1023);
}
template <Precision kPrecision>
constexpr int64_t SignBits() {
  return PerPrecision<kPrecision>(int64_t{INT32_MIN}, INT64_MIN);
}
template <Precision kPrecision>
constexpr int64_t InfinityBits() {
  return PerPrecision<kPrecision>(int64_t{0x7f800000}, int64_t{0x7ff0000000000000});
}
template <Precision kPrecision>
constexpr double LeastNormal() {
  return PerPrecision<kPrecision>(0x1p-126, 0x1p-1022);
}

template <FloatScalar F>
auto IsNan(F x) {
  return Not(Equal(x, x));
}
template <FloatScalar F>
auto IsFinite(F x) {
  return Less(Abs(x), FloatConstant(x, kInfinity));
}

/// `low` for what is less, `high` for what is greater; NaN stays.
template <FloatScalar F>
F Limit(F x, double low, double high) {
  return Minimum(Maximum(x, FloatConstant(x, low)), FloatConstant(x, high));
}

/// The sign bit of a float, all others 0.
template <Precision kPrecision, FloatScalar F>
auto SignBitOf(F x) {
  const auto bits = BitsOf(x);
  return bits & IntegerConstant(bits, SignBits<kPrecision>());
}
template <Precision kPrecision, FloatScalar F>
auto HasSignBit(F x) {
  const auto bits = BitsOf(x);
  return LessSigned(bits, IntegerConstant(bits, 0));
}
/// x with its sign changed where the bit is set.
template <FloatScalar F, IntegerScalar I>
F FlipSign(F x, I sign_bit) {
  return FloatOf(BitsOf(x) ^ sign_bit);
}
/// A number that is not negative, with the sign of another.
template <Precision kPrecision, FloatScalar F>
F WithSignOf(F magnitude, F sign) {
  return FloatOf(BitsOf(magnitude) | SignBitOf<kPrecision>(sign));
}

/// 2^n of an n in the range of normal numbers.
template <Precision kPrecision, IntegerScalar I>
auto PowerOfTwo(I n) {
  return FloatOf(
      ShiftLeftBy(n + IntegerConstant(n, Bias<kPrecision>()), MantissaBits<kPrecision>()));
}

/// x 2^n, where x is between 1/2 and 4 and n may lie outside of the range of exponents, up to twice
/// it: in two steps, of which the first is exact.
template <Precision kPrecision, FloatScalar F, IntegerScalar I>
F ScaleByPowerOfTwo(F x, I n) {
  const I half = ShiftRightArithmeticBy(n, 1);
  return x * PowerOfTwo<kPrecision>(half) * PowerOfTwo<kPrecision>(n - half);
}

/// x 2^n for an n up to four times the range of exponents.
template <Precision kPrecision, FloatScalar F, IntegerScalar I>
F ScaleByLargePowerOfTwo(F x, I n) {
  const I half = ShiftRightArithmeticBy(n, 1);
  return ScaleByPowerOfTwo<kPrecision>(ScaleByPowerOfTwo<kPrecision>(x, half), n - half);
}

/// An integer, as both kinds of numbers.
template <typename F>
struct RoundedNumber {
  F value;
  BitsType<F> integer;
};

/// The integer nearest to x * factor, which must be below 2^22 (f32) or 2^51 (f64): beside
/// 1.5 * 2^23 or 1.5 * 2^52 floats are integers, and their low bits say which.
template <Precision kPrecision, FloatScalar F>
RoundedNumber<F> RoundProduct(F x, double factor) {
  const F shift = FloatConstant(x, PerPrecision<kPrecision>(0x1.8p23, 0x1.8p52));
  const F shifted = Fma(x, FloatConstant(x, factor), shift);
  return {shifted - shift, BitsOf(shifted) - BitsOf(shift)};
}

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's scheme.
template <FloatScalar F, size_t kSize>
F Polynomial(F x, const double (&coefficients)[kSize]) {
  F result = FloatConstant(x, coefficients[kSize - 1]);
  for (size_t i = kSize - 1; i > 0; --i) {
    result = Fma(result, x, FloatConstant(x, coefficients[i - 1]));
  }
  return result;
}

/// hi + lo, where lo is less than a unit in the last place of hi.
template <typename F>
struct DoubleWord {
  F hi;
  F lo;
};

/// a + b without error; |a| >= |b|, or a is 0 (T. Dekker's Fast2Sum).
template <FloatScalar F>
DoubleWord<F> FastSum(F a, F b) {
  const F sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b without error (D. Knuth's TwoSum).
template <FloatScalar F>
DoubleWord<F> ExactSum(F a, F b) {
  const F sum = a + b;
  const F part_of_b = sum - a;
  return {sum, (a - (sum - part_of_b)) + (b - part_of_b)};
}
/// a * b without error.
template <FloatScalar F>
DoubleWord<F> ExactProduct(F a, F b) {
  const F product = a * b;
  return {product, Fma(a, b, -product)};
}
template <FloatScalar F>
DoubleWord<F> Multiply(DoubleWord<F> a, DoubleWord<F> b) {
  const DoubleWord<F> product = ExactProduct(a.hi, b.hi);
  return {product.hi, Fma(a.hi, b.lo, Fma(a.lo, b.hi, product.lo))};
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_FLOAT_PARTS_H_
