#include "codegen/ptx/numerics/f32.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/round_to_odd.h"
#include "codegen/ptx/numerics/rounding.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/arithmetic_model.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"
#include "tests/codegen/ptx/numerics/under_rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

constexpr Rounding kRoundings[] = {Rounding::kNearestEven, Rounding::kTowardZero, Rounding::kDown,
                                   Rounding::kUp};

float Of(uint64_t bits) { return FloatOf(static_cast<uint32_t>(bits)); }

// What an instruction gives of a model's result.
uint32_t Expected(std::optional<uint64_t> model, bool saturate) {
  if (saturate) return static_cast<uint32_t>(exact::Saturated(exact::kF32, model));
  return static_cast<uint32_t>(model.value_or(kCanonicalNanBits));
}

// Calls check with every rounding and .ftz as constants.
template <typename Check>
void ForAllModes(const Check& check) {
  for (const Rounding rounding : kRoundings) {
    for (const bool flush : {false, true}) {
      Specialize({.rounding = rounding, .flush = flush}, check);
    }
  }
}

// The same modifiers with .sat.
constexpr Modifiers Saturating(Modifiers modifiers) {
  modifiers.saturate = true;
  return modifiers;
}

// The bits of what the function gives of the operands in a mode.
template <Modifiers kModifiers, typename... Operands>
uint32_t BitsUnder(float (*function)(Operands...), Operands... operands) {
  return BitsOf(UnderRounding(kModifiers.rounding, function, operands...));
}

testing::Message Describe(const exact::Mode& mode, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  return testing::Message() << Of(a) << ", " << Of(b) << ", " << Of(c) << " rounding "
                            << static_cast<int>(mode.rounding) << " ftz " << mode.flush;
}

void ExpectBinaryOperations(uint64_t a, uint64_t b) {
  const float x = Of(a);
  const float y = Of(b);
  ForAllModes([&](auto constant) {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    constexpr Modifiers kSaturating = Saturating(kModifiers);
    const exact::Mode mode = {kModifiers.rounding, kModifiers.flush};
    const auto sum = exact::Sum(exact::kF32, mode, a, b);
    ASSERT_EQ(BitsUnder<kModifiers>(Add<kModifiers>, x, y), Expected(sum, false))
        << Describe(mode, a, b);
    ASSERT_EQ(BitsUnder<kSaturating>(Add<kSaturating>, x, y), Expected(sum, true))
        << Describe(mode, a, b);
    const auto difference = exact::Sum(exact::kF32, mode, a, b ^ exact::kF32.sign_bit);
    ASSERT_EQ(BitsUnder<kModifiers>(Sub<kModifiers>, x, y), Expected(difference, false))
        << Describe(mode, a, b);
    ASSERT_EQ(BitsUnder<kSaturating>(Sub<kSaturating>, x, y), Expected(difference, true))
        << Describe(mode, a, b);
    const auto product = exact::Product(exact::kF32, mode, a, b);
    ASSERT_EQ(BitsUnder<kModifiers>(Mul<kModifiers>, x, y), Expected(product, false))
        << Describe(mode, a, b);
    ASSERT_EQ(BitsUnder<kSaturating>(Mul<kSaturating>, x, y), Expected(product, true))
        << Describe(mode, a, b);
    const auto ratio = exact::Ratio(exact::kF32, mode, a, b);
    ASSERT_EQ(BitsUnder<kModifiers>(Div<kModifiers>, x, y), Expected(ratio, false))
        << Describe(mode, a, b);
  });
}

void ExpectUnaryOperations(uint64_t a) {
  const float x = Of(a);
  ForAllModes([&](auto constant) {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    const exact::Mode mode = {kModifiers.rounding, kModifiers.flush};
    ASSERT_EQ(BitsUnder<kModifiers>(Rcp<kModifiers>, x),
              Expected(exact::Ratio(exact::kF32, mode, BitsOf(1.0F), a), false))
        << Describe(mode, a);
    ASSERT_EQ(BitsUnder<kModifiers>(Sqrt<kModifiers>, x),
              Expected(exact::SquareRoot(exact::kF32, mode, a), false))
        << Describe(mode, a);
  });
}

void ExpectFma(uint64_t a, uint64_t b, uint64_t c) {
  ForAllModes([&](auto constant) {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    constexpr Modifiers kSaturating = Saturating(kModifiers);
    const exact::Mode mode = {kModifiers.rounding, kModifiers.flush};
    const auto fused = exact::Fused(exact::kF32, mode, a, b, c);
    ASSERT_EQ(BitsUnder<kModifiers>(Fma<kModifiers>, Of(a), Of(b), Of(c)), Expected(fused, false))
        << Describe(mode, a, b, c);
    ASSERT_EQ(BitsUnder<kSaturating>(Fma<kSaturating>, Of(a), Of(b), Of(c)), Expected(fused, true))
        << Describe(mode, a, b, c);
  });
}

TEST(F32, ModifiersBecomeConstantsAsTheyAre) {
  int num_combinations = 0;
  for (const Rounding rounding : kRoundings) {
    for (const bool flush : {false, true}) {
      for (const bool saturate : {false, true}) {
        const Modifiers modifiers = {.rounding = rounding, .flush = flush, .saturate = saturate};
        Specialize(modifiers, [&](auto constant) {
          EXPECT_EQ(constant.kModifiers, modifiers);
          ++num_combinations;
        });
      }
    }
  }
  EXPECT_EQ(num_combinations, 16);
}

TEST(F32, SpecialOperandsAgreeWithExactArithmetic) {
  const std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF32);
  for (const uint64_t a : operands) {
    ExpectUnaryOperations(a);
    for (const uint64_t b : operands) {
      ExpectBinaryOperations(a, b);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(F32, RandomOperandsAgreeWithExactArithmetic) {
  exact::RandomOperands random(exact::kF32, 1);
  for (int i = 0; i < 400; ++i) {
    const uint64_t a = random.Next();
    ExpectUnaryOperations(a);
    ExpectBinaryOperations(a, random.Next());
    ExpectBinaryOperations(a, random.Near(a, 26));
    if (HasFatalFailure()) return;
  }
}

TEST(F32, FmaAgreesWithExactArithmetic) {
  const std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF32);
  exact::RandomOperands random(exact::kF32, 2);
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      ExpectFma(a, b, operands[random.Bits() % operands.size()]);
      if (HasFatalFailure()) return;
    }
  }
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = random.Next();
    const uint64_t b = random.Next();
    // Addends near the product, where sums cancel and ties are.
    const uint64_t product = BitsOf(Of(a) * Of(b));
    ExpectFma(a, b, i % 3 == 0 ? random.Next() : random.Near(product, i % 3 == 1 ? 2 : 26));
    if (HasFatalFailure()) return;
  }
}

// Products that are halfway between floats, and an addend far below that decides: a double that is
// rounded to nearest loses it.
TEST(F32, FmaIsRoundedOnce) {
  for (const float tiny : {0x1p-100F, -0x1p-100F, 0x1p-149F, -0x1p-149F}) {
    for (const float factor : {1.0F + 0x1p-12F, 1.0F + 3 * 0x1p-12F}) {
      ExpectFma(BitsOf(factor), BitsOf(factor), BitsOf(tiny));
      ExpectFma(BitsOf(-factor), BitsOf(factor), BitsOf(tiny));
    }
  }
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: halfway.
  EXPECT_EQ(Fma(1.0F + 0x1p-12F, 1.0F + 0x1p-12F, 0x1p-149F), 1.0F + 0x1p-11F + 0x1p-23F);
  EXPECT_EQ(Fma(1.0F + 0x1p-12F, 1.0F + 0x1p-12F, -0x1p-149F), 1.0F + 0x1p-11F);
}

// The product 2^-126 (1 - 2^-24) has 24 bits, and is tiny though the nearest float is normal.
TEST(F32, FlushesWhatIsTinyAfterRoundingWithUnboundedExponent) {
  constexpr Modifiers kFlush = {.flush = true};
  const float below_one = 1.0F - 0x1p-24F;
  EXPECT_EQ(Mul(below_one, 0x1p-126F), 0x1p-126F);
  EXPECT_EQ(BitsOf(Mul<kFlush>(below_one, -0x1p-126F)), BitsOf(-0.0F));
  EXPECT_EQ(Mul<kFlush>(1.0F, 0x1p-126F), 0x1p-126F);
}

TEST(F32, SumsThatRoundToOddKeepTheSideOfTheSum) {
  EXPECT_EQ(AddRoundedToOdd(1.0, 0x1p-60), 1.0 + 0x1p-52);
  EXPECT_EQ(AddRoundedToOdd(1.0, -0x1p-60), 1.0 - 0x1p-53);
  EXPECT_EQ(AddRoundedToOdd(-1.0, -0x1p-60), -1.0 - 0x1p-52);
  EXPECT_EQ(AddRoundedToOdd(1.0 + 0x1p-52, 0x1p-60), 1.0 + 0x1p-52);
  EXPECT_EQ(AddRoundedToOdd(1.0, 1.0), 2.0);
  EXPECT_EQ(AddRoundedToOdd(1.0, __builtin_inf()), __builtin_inf());
  EXPECT_TRUE(IsNan(AddRoundedToOdd(-__builtin_inf(), __builtin_inf())));
}

TEST(F32, NarrowsDoublesInEveryMode) {
  exact::RandomOperands random(exact::kF64, 3);
  exact::RandomOperands floats(exact::kF32, 4);
  std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF64);
  for (int i = 0; i < 500; ++i) {
    operands.push_back(random.Next());
    // Around floats and around the middles between them.
    const double base = static_cast<double>(Of(floats.Next()));
    operands.push_back(BitsOf(base));
    const uint64_t middle = BitsOf(base) | uint64_t{1} << 28;
    for (const int offset : {-1, 0, 1}) operands.push_back(middle + static_cast<uint64_t>(offset));
  }
  for (const uint64_t bits : operands) {
    const double value = DoubleOf(bits);
    if (exact::IsNan(exact::kF64, bits)) {
      EXPECT_EQ(BitsOf(ToFloat(value)), kCanonicalNanBits);
      continue;
    }
    ForAllModes([&](auto constant) {
      constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
      constexpr Modifiers kSaturating = Saturating(kModifiers);
      if (!exact::IsFinite(exact::kF64, bits)) return;
      const uint64_t model =
          exact::Round(exact::kF32, exact::Known(exact::ValueOf(exact::kF64, bits)),
                       kModifiers.rounding, kModifiers.flush);
      ASSERT_EQ(BitsUnder<kModifiers>(ToFloat<kModifiers>, value), Expected(model, false)) << value;
      ASSERT_EQ(BitsUnder<kSaturating>(ToFloat<kSaturating>, value), Expected(model, true))
          << value;
    });
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
