#include "codegen/ptx/numerics/bits.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codegen/ptx/numerics/compare.h"
#include "codegen/ptx/numerics/f32.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"

namespace hlo_indexing::ptx::numerics {
namespace {

float Of(uint64_t bits) { return FloatOf(static_cast<uint32_t>(bits)); }

std::vector<uint64_t> Operands(const exact::Format& format) {
  std::vector<uint64_t> operands = exact::SpecialOperands(format);
  exact::RandomOperands random(format, 1);
  for (int i = 0; i < 80; ++i) operands.push_back(random.Next());
  return operands;
}

template <typename Float>
void ExpectClass(Float value) {
  const int category = std::fpclassify(value);
  const bool is_nan = category == FP_NAN;
  const bool is_infinite = category == FP_INFINITE;
  EXPECT_EQ(Test(FloatClass::kFinite, value), !is_nan && !is_infinite);
  EXPECT_EQ(Test(FloatClass::kInfinite, value), is_infinite);
  EXPECT_EQ(Test(FloatClass::kNumber, value), !is_nan);
  EXPECT_EQ(Test(FloatClass::kNotANumber, value), is_nan);
  EXPECT_EQ(Test(FloatClass::kNormal, value), category == FP_NORMAL || category == FP_ZERO);
  EXPECT_EQ(Test(FloatClass::kSubnormal, value), category == FP_SUBNORMAL);
}

TEST(Bits, ClassesAreThoseOfTheHost) {
  for (const uint64_t bits : Operands(exact::kF32)) ExpectClass(Of(bits));
  for (const uint64_t bits : Operands(exact::kF64)) ExpectClass(DoubleOf(bits));
}

TEST(Bits, SignsAndFlushing) {
  for (const uint64_t bits : Operands(exact::kF32)) {
    const float value = Of(bits);
    const uint64_t magnitude = bits & 0x7fff'ffff;
    const bool is_subnormal = std::fpclassify(value) == FP_SUBNORMAL;
    EXPECT_EQ(BitsOf(FlushSubnormal(value)), is_subnormal ? bits & 0x8000'0000 : bits);
    EXPECT_EQ(BitsOf(Negate(value)), bits ^ 0x8000'0000);
    EXPECT_EQ(BitsOf(Absolute(value)), magnitude);
    EXPECT_EQ(BitsOf(CopySign(-0.0F, value)), magnitude | 0x8000'0000);
    EXPECT_EQ(BitsOf(CopySign(1.0F, value)), magnitude);
    EXPECT_EQ(BitsOf(Canonical(value)), std::isnan(value) ? 0x7fff'ffff : bits);
    const uint64_t saturated = bits > magnitude || std::isnan(value) ? 0
                               : value > 1.0F                        ? 0x3f80'0000
                                                                     : bits;
    EXPECT_EQ(BitsOf(Saturate(value)), saturated);
  }
  for (const uint64_t bits : Operands(exact::kF64)) {
    const double value = DoubleOf(bits);
    const uint64_t magnitude = bits & ~kSignBit64;
    EXPECT_EQ(BitsOf(Negate(value)), bits ^ kSignBit64);
    EXPECT_EQ(BitsOf(Absolute(value)), std::isnan(value) ? bits : magnitude);
    EXPECT_EQ(BitsOf(CopySign(-1.0, value)), magnitude | kSignBit64);
    const uint64_t saturated = bits > magnitude || std::isnan(value) ? 0
                               : value > 1.0                         ? BitsOf(1.0)
                                                                     : bits;
    EXPECT_EQ(BitsOf(Saturate(value)), saturated);
  }
}

// Ordered before -0: -1, of +0: 0, and so on; NaN is none of it.
int64_t Key(uint64_t bits) {
  return bits >= 0x8000'0000 ? -1 - static_cast<int64_t>(bits & 0x7fff'ffff)
                             : static_cast<int64_t>(bits);
}

uint64_t Flushed(uint64_t bits) {
  return (bits & 0x7fff'ffff) < 0x80'0000 ? bits & 0x8000'0000 : bits;
}

// The definition of the ISA (9.7.3.11), on the order of the encodings.
uint64_t TwoInputs(bool is_max, bool propagate_nan, uint64_t a, uint64_t b) {
  const bool a_is_nan = exact::IsNan(exact::kF32, a);
  const bool b_is_nan = exact::IsNan(exact::kF32, b);
  if ((a_is_nan && b_is_nan) || (propagate_nan && (a_is_nan || b_is_nan))) return 0x7fff'ffff;
  if (a_is_nan) return b;
  if (b_is_nan) return a;
  return (Key(a) < Key(b)) == is_max ? b : a;
}

template <MinMaxModifiers kModifiers>
void ExpectMinMax(uint64_t a, uint64_t b, uint64_t c) {
  const auto input = [](uint64_t bits) {
    if (kModifiers.flush) bits = Flushed(bits);
    return kModifiers.absolute || kModifiers.xor_sign ? bits & 0x7fff'ffff : bits;
  };
  for (const bool is_max : {false, true}) {
    uint64_t two = TwoInputs(is_max, kModifiers.propagate_nan, input(a), input(b));
    const uint64_t three = TwoInputs(is_max, kModifiers.propagate_nan, two, input(c));
    if (kModifiers.xor_sign && !exact::IsNan(exact::kF32, two)) two |= (a ^ b) & 0x8000'0000;
    const float result = is_max ? Max<kModifiers>(Of(a), Of(b)) : Min<kModifiers>(Of(a), Of(b));
    ASSERT_EQ(BitsOf(result), two) << Of(a) << " " << Of(b) << (is_max ? " max" : " min");
    if constexpr (!kModifiers.xor_sign) {
      const float of_three =
          is_max ? Max<kModifiers>(Of(a), Of(b), Of(c)) : Min<kModifiers>(Of(a), Of(b), Of(c));
      ASSERT_EQ(BitsOf(of_three), three) << Of(a) << " " << Of(b) << " " << Of(c);
    }
  }
}

TEST(MinMax, F32FollowsTheDefinition) {
  const std::vector<uint64_t> operands = Operands(exact::kF32);
  exact::RandomOperands random(exact::kF32, 2);
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      const uint64_t c = operands[random.Bits() % operands.size()];
      ExpectMinMax<MinMaxModifiers{}>(a, b, c);
      ExpectMinMax<MinMaxModifiers{.flush = true}>(a, b, c);
      ExpectMinMax<MinMaxModifiers{.propagate_nan = true}>(a, b, c);
      ExpectMinMax<MinMaxModifiers{.absolute = true}>(a, b, c);
      ExpectMinMax<MinMaxModifiers{.propagate_nan = true, .xor_sign = true}>(a, b, c);
      ExpectMinMax<MinMaxModifiers{.flush = true, .xor_sign = true}>(a, b, c);
      if (HasFatalFailure()) return;
    }
  }
}

// Whether the operator holds where a is below, equal to, above b, or unordered with it.
struct Truth {
  Comparison comparison;
  bool below;
  bool equal;
  bool above;
  bool unordered;
};
constexpr Truth kTruths[] = {
    {Comparison::kEq, false, true, false, false}, {Comparison::kNe, true, false, true, false},
    {Comparison::kLt, true, false, false, false}, {Comparison::kLe, true, true, false, false},
    {Comparison::kGt, false, false, true, false}, {Comparison::kGe, false, true, true, false},
    {Comparison::kEqu, false, true, false, true}, {Comparison::kNeu, true, false, true, true},
    {Comparison::kLtu, true, false, false, true}, {Comparison::kLeu, true, true, false, true},
    {Comparison::kGtu, false, false, true, true}, {Comparison::kGeu, false, true, true, true},
    {Comparison::kNum, true, true, true, false},  {Comparison::kNan, false, false, false, true}};

TEST(Compare, OperatorsHoldAsTheirTableSays) {
  for (const uint64_t a : Operands(exact::kF32)) {
    for (const uint64_t b : Operands(exact::kF32)) {
      const bool unordered = exact::IsNan(exact::kF32, a) || exact::IsNan(exact::kF32, b);
      const bool both_zero = ((a | b) & 0x7fff'ffff) == 0;
      for (const Truth& truth : kTruths) {
        const bool expected = unordered             ? truth.unordered
                              : both_zero || a == b ? truth.equal
                              : Key(a) < Key(b)     ? truth.below
                                                    : truth.above;
        ASSERT_EQ(Compare(truth.comparison, Of(a), Of(b)), expected)
            << static_cast<int>(truth.comparison) << " " << Of(a) << " " << Of(b);
        ASSERT_EQ(Compare(truth.comparison, static_cast<double>(Of(a)), static_cast<double>(Of(b))),
                  expected);
      }
    }
  }
  EXPECT_TRUE((Compare<Comparison::kLeu>(1.0F, kCanonicalNan)));
  EXPECT_FALSE((Compare<Comparison::kLe>(1.0, std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
