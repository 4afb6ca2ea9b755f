// What sin, cos and tan look at of an argument: the quadrant, and the angle in it.
//
//   x = n pi/2 + r, |r| <= pi/4
//
// Moderate arguments subtract n times pi/2, which is cut into pieces (W. Cody, W. Waite). For large
// ones n has more bits than a float; as only n modulo 4 counts, x = m 2^q is multiplied by just
// those bits of 2/pi that matter (M. Payne, R. Hanek):
//
//   2/pi   = 0. 1010001011111001 1000001101101110 0100 ...
//              ^ times 2^q m: | multiples of 4  | n mod 4, r | too small to matter
//
// Example: ReduceAngle<Precision::kF32>(2.0F) is n = 1, r = 0.42920367
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_ARGUMENT_REDUCTION_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_ARGUMENT_REDUCTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "codegen/emit/scalar/float_parts.h"

namespace hlo_indexing::emit::scalar {

/// x = quadrant pi/2 + hi + lo; of the quadrant the lowest two bits count.
template <typename F>
struct ReducedAngle {
  F hi;
  F lo;
  BitsType<F> quadrant;
};

/// pi/2 = HalfPi(0) + HalfPi(1) + HalfPi(2).
template <Precision kPrecision>
constexpr double HalfPi(int piece) {
  const double of_f32[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  const double of_f64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  return PerPrecision<kPrecision>(of_f32[piece], of_f64[piece]);
}

/// The bits of 2/pi behind the point, after a word of zeros.
inline constexpr uint64_t kTwoOverPi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};

/// Word `index` of these, for words of the precision's width; 0 beyond the end.
template <Precision kPrecision>
constexpr int64_t WordOfTwoOverPi(size_t index) {
  if constexpr (kPrecision == Precision::kF64) {
    return index < std::size(kTwoOverPi) ? static_cast<int64_t>(kTwoOverPi[index]) : 0;
  } else {
    // A word of zeros of 64 bits are two of 32.
    const size_t half = index + 1;
    if (half / 2 >= std::size(kTwoOverPi)) return 0;
    const uint64_t word = kTwoOverPi[half / 2];
    return static_cast<int64_t>(half % 2 == 0 ? word >> 32 : word & 0xffffffff);
  }
}

/// Of moderate arguments.
template <Precision kPrecision, FloatScalar F>
ReducedAngle<F> ReduceModerateAngle(F x) {
  constexpr double kInverse = PerPrecision<kPrecision>(0x1.45f306p-1, 0x1.45f306dc9c883p-1);
  const RoundedNumber<F> n = RoundProduct<kPrecision>(x, kInverse);
  const F first = Fma(n.value, FloatConstant(x, -HalfPi<kPrecision>(0)), x);
  // The first product is subtracted without error, the second with its error.
  const DoubleWord<F> product = ExactProduct(n.value, FloatConstant(x, -HalfPi<kPrecision>(1)));
  const DoubleWord<F> second = FastSum(first, product.hi);
  const F third = Fma(n.value, FloatConstant(x, -HalfPi<kPrecision>(2)), product.lo);
  const DoubleWord<F> rest = FastSum(second.hi, second.lo + third);
  return {rest.hi, rest.lo, n.integer};
}

/// The words of 2/pi from bit `start` on; the first bit is the highest of the first word.
template <Precision kPrecision, IntegerScalar I>
std::array<I, 3> BitsOfTwoOverPi(I start) {
  constexpr int kWordBits = Width<kPrecision>();
  constexpr int kLogWordBits = kPrecision == Precision::kF32 ? 5 : 6;
  constexpr size_t kHighestStep = kPrecision == Precision::kF32 ? 4 : 16;
  const I word = ShiftRightLogicalBy(start, kLogWordBits);
  const I bit = start & IntegerConstant(start, kWordBits - 1);
  // Each bit of the word's number halves what is left to choose from. Four words are needed.
  constexpr size_t kNeeded = 4;
  std::array<I, kNeeded + 2 * kHighestStep> words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = IntegerConstant(start, WordOfTwoOverPi<kPrecision>(i));
  }
  for (size_t step = kHighestStep; step > 0; step /= 2) {
    const I mask = IntegerConstant(word, static_cast<int64_t>(step));
    const auto is_set = Equal(word & mask, mask);
    for (size_t i = 0; i < kNeeded + step - 1; ++i) {
      words[i] = Select(is_set, words[i + step], words[i]);
    }
  }
  std::array<I, 3> result;
  for (size_t i = 0; i < result.size(); ++i) {
    const I next = ShiftRightLogical(ShiftRightLogicalBy(words[i + 1], 1),
                                     IntegerConstant(bit, kWordBits - 1) - bit);
    result[i] = ShiftLeft(words[i], bit) | next;
  }
  return result;
}

/// |x| / (pi/2) modulo 4, without its error: whole quadrants, and two words of a signed fraction.
template <typename I>
struct Quadrants {
  I whole;
  I fraction_high;  // as if signed, in units of 2^-(width - 2)
  I fraction_low;
};
template <Precision kPrecision, IntegerScalar I>
Quadrants<I> QuadrantsOf(I magnitude_bits) {
  constexpr int kMantissa = MantissaBits<kPrecision>();
  constexpr int kWordBits = Width<kPrecision>();
  const I implicit = IntegerConstant(magnitude_bits, int64_t{1} << kMantissa);
  const I mantissa =
      (magnitude_bits & IntegerConstant(magnitude_bits, (int64_t{1} << kMantissa) - 1)) | implicit;
  // x = mantissa 2^q; the first bit of 2/pi with a weight below 4 is number q + (width - 2),
  // counted with the word of zeros.
  constexpr int kOffset = kWordBits - 2 - Bias<kPrecision>() - kMantissa;
  const I start =
      ShiftRightLogicalBy(magnitude_bits, kMantissa) + IntegerConstant(magnitude_bits, kOffset);
  const std::array<I, 3> factor = BitsOfTwoOverPi<kPrecision>(start);
  const I low_product = mantissa * factor[1];
  const I low = low_product + MultiplyHighUnsigned(mantissa, factor[2]);
  const I one = IntegerConstant(start, 1);
  const I carry = Select(LessUnsigned(low, low_product), one, IntegerConstant(start, 0));
  const I high = mantissa * factor[0] + MultiplyHighUnsigned(mantissa, factor[1]) + carry;
  const I half = IntegerConstant(start, int64_t{1} << (kWordBits - 3));
  const I whole = ShiftRightLogicalBy(high + half, kWordBits - 2);
  return {whole, high - ShiftLeftBy(whole, kWordBits - 2), low};
}

/// Of any finite argument that is not less than 2^-6 (f32) or 2^-10 (f64); NaN for infinity and
/// NaN.
template <Precision kPrecision, FloatScalar F>
ReducedAngle<F> ReduceLargeAngle(F x) {
  using I = BitsType<F>;
  constexpr int kWordBits = Width<kPrecision>();
  // The fraction has this many bits more than a float in its high word.
  constexpr int kExcess = kWordBits - 3 - (MantissaBits<kPrecision>() + 1);
  const F magnitude = Abs(x);
  const Quadrants<I> quadrants = QuadrantsOf<kPrecision>(BitsOf(magnitude));
  const I is_negative = ShiftRightArithmeticBy(quadrants.fraction_high, kWordBits - 1);
  const I high = quadrants.fraction_high ^ is_negative;
  const I low = quadrants.fraction_low ^ is_negative;
  const I mask = IntegerConstant(high, (int64_t{1} << kExcess) - 1);
  const I rest = ShiftLeftBy(high & mask, kWordBits - kExcess) | ShiftRightLogicalBy(low, kExcess);
  constexpr double kUnit = PerPrecision<kPrecision>(0x1p-30, 0x1p-62);
  constexpr double kUnitOfRest =
      kUnit * PerPrecision<kPrecision>(0x1p-27, 0x1p-56);  // 2^(kExcess - width)
  static_assert(kExcess == (kPrecision == Precision::kF32 ? 5 : 8));
  const DoubleWord<F> turns = {UnsignedToFloat(high - (high & mask)) * FloatConstant(x, kUnit),
                               UnsignedToFloat(rest) * FloatConstant(x, kUnitOfRest)};
  const DoubleWord<F> half_pi = {FloatConstant(x, HalfPi<kPrecision>(0)),
                                 FloatConstant(x, HalfPi<kPrecision>(1))};
  const DoubleWord<F> product = Multiply(turns, half_pi);
  const DoubleWord<F> angle = FastSum(product.hi, product.lo);
  const I negates = SignBitOf<kPrecision>(x);
  const I flip = negates ^ (is_negative & IntegerConstant(negates, SignBits<kPrecision>()));
  const I quadrant = Select(Equal(negates, IntegerConstant(negates, 0)), quadrants.whole,
                            IntegerConstant(negates, 0) - quadrants.whole);
  const F hi = Select(IsFinite(x), FlipSign(angle.hi, flip), FloatConstant(x, kNan));
  return {hi, FlipSign(angle.lo, flip), quadrant};
}

/// Of any argument.
template <Precision kPrecision, FloatScalar F>
ReducedAngle<F> ReduceAngle(F x) {
  const auto is_moderate = Less(Abs(x), FloatConstant(x, PerPrecision<kPrecision>(0x1p16, 0x1p20)));
  const auto values = [](const ReducedAngle<F>& angle) {
    return std::make_tuple(angle.hi, angle.lo, angle.quadrant);
  };
  const auto [hi, lo, quadrant] = Branch(
      is_moderate, [&] { return values(ReduceModerateAngle<kPrecision>(x)); },
      [&] { return values(ReduceLargeAngle<kPrecision>(x)); });
  return {hi, lo, quadrant};
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_ARGUMENT_REDUCTION_H_
