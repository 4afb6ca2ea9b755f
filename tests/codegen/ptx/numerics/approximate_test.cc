#include "codegen/ptx/numerics/approximate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/half.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"

// References are computed with more bits than double has, where the host has them.
// NOLINTBEGIN(google-runtime-float)
namespace hlo_indexing::ptx::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint32_t kNan = kCanonicalNanBits;
constexpr uint64_t kUpperNan = 0x7fff'ffff'0000'0000;

// The error of a float in units of the last place of the exact result.
long double UlpsOff(float result, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int place = std::max(exponent - 24, -149);
  return std::abs(static_cast<long double>(result) - exact) / std::ldexp(1.0L, place);
}

template <typename Function, typename Reference>
void ExpectNearest(const Function& function, const Reference& reference, float low, float high) {
  exact::RandomOperands random(exact::kF32, 1);
  int num_values = 0;
  while (num_values < 3000) {
    const float value = FloatOf(static_cast<uint32_t>(random.Next()));
    const bool is_within = value >= low && value <= high;
    if (!is_within) {
      // Most floats are far out; some between the ends are wanted too.
      const double part = static_cast<double>(random.Bits() % 1000003) / 1000003.0;
      const float between = static_cast<float>(low + (high - low) * part);
      ASSERT_LE(UlpsOff(function(between), reference(static_cast<long double>(between))), 0.501L)
          << between;
      ++num_values;
      continue;
    }
    ASSERT_LE(UlpsOff(function(value), reference(static_cast<long double>(value))), 0.501L)
        << value;
    ++num_values;
  }
}

TEST(Approximate, ResultsAreTheNearestFloats) {
  const float greatest = std::numeric_limits<float>::max();
  ExpectNearest([](float x) { return Ex2Approx(x, false); },
                [](long double x) { return std::exp2(x); }, -152.0F, 127.9F);
  ExpectNearest([](float x) { return Lg2Approx(x, false); },
                [](long double x) { return std::log2(x); }, 0x1p-149F, greatest);
  ExpectNearest([](float x) { return Lg2Approx(x, false); },
                [](long double x) { return std::log2(x); }, 0.5F, 2.0F);
  ExpectNearest([](float x) { return SinApprox(x, false); },
                [](long double x) { return std::sin(x); }, -320.0F, 320.0F);
  ExpectNearest([](float x) { return CosApprox(x, false); },
                [](long double x) { return std::cos(x); }, -320.0F, 320.0F);
  ExpectNearest([](float x) { return SinApproxOfSmall(x, false); },
                [](long double x) { return std::sin(x); }, -0x1p20F, 0x1p20F);
  ExpectNearest([](float x) { return CosApproxOfSmall(x, false); },
                [](long double x) { return std::cos(x); }, -0x1p20F, 0x1p20F);
  ExpectNearest([](float x) { return TanhApprox(x); }, [](long double x) { return std::tanh(x); },
                -20.0F, 20.0F);
  ExpectNearest([](float x) { return RcpApprox(x, false); }, [](long double x) { return 1 / x; },
                0x1p-127F, greatest);
  ExpectNearest([](float x) { return RsqrtApprox(x, false); },
                [](long double x) { return 1 / std::sqrt(x); }, 0x1p-149F, greatest);
  ExpectNearest([](float x) { return SqrtApprox(x, false); },
                [](long double x) { return std::sqrt(x); }, 0x1p-149F, greatest);
  ExpectNearest([](float x) { return DivApprox(3.0F, x, false); },
                [](long double x) { return 3 / x; }, 0x1p-120F, 0x1p126F);
  ExpectNearest([](float x) { return DivFull(3.0F, x, false); },
                [](long double x) { return 3 / x; }, 0x1p-120F, greatest);
}

// The tables of the ISA, in the order -infinity, -0, +0, +infinity, NaN.
void ExpectTable(float (*function)(float, bool), const uint32_t (&results)[5]) {
  for (const bool flush : {false, true}) {
    EXPECT_EQ(BitsOf(function(-kInfinity, flush)), results[0]);
    EXPECT_EQ(BitsOf(function(-0.0F, flush)), results[1]);
    EXPECT_EQ(BitsOf(function(0.0F, flush)), results[2]);
    EXPECT_EQ(BitsOf(function(kInfinity, flush)), results[3]);
    EXPECT_EQ(BitsOf(function(FloatOf(0xffc0'1234), flush)), results[4]);
  }
  // With .ftz subnormal numbers are zeros.
  EXPECT_EQ(BitsOf(function(-0x1p-127F, true)), results[1]);
  EXPECT_EQ(BitsOf(function(0x1p-149F, true)), results[2]);
}

TEST(Approximate, SpecialCasesAreThoseOfTheTables) {
  const uint32_t one = BitsOf(1.0F);
  const uint32_t inf = BitsOf(kInfinity);
  const uint32_t minus = kSignBit;
  ExpectTable(Ex2Approx, {0, one, one, inf, kNan});
  ExpectTable(Lg2Approx, {kNan, inf | minus, inf | minus, inf, kNan});
  ExpectTable(SinApprox, {kNan, minus, 0, kNan, kNan});
  ExpectTable(CosApprox, {kNan, one, one, kNan, kNan});
  ExpectTable(SinApproxOfSmall, {kNan, minus, 0, kNan, kNan});
  ExpectTable(CosApproxOfSmall, {kNan, one, one, kNan, kNan});
  ExpectTable(RcpApprox, {minus, inf | minus, inf, 0, kNan});
  ExpectTable(RsqrtApprox, {kNan, inf | minus, inf, 0, kNan});
  ExpectTable(SqrtApprox, {kNan, minus, 0, inf, kNan});
  EXPECT_EQ(BitsOf(Lg2Approx(-1.0F, false)), kNan);
  EXPECT_EQ(BitsOf(RsqrtApprox(-1.0F, false)), kNan);
  EXPECT_EQ(BitsOf(SqrtApprox(-1.0F, false)), kNan);
  EXPECT_EQ(TanhApprox(-kInfinity), -1.0F);
  EXPECT_EQ(TanhApprox(kInfinity), 1.0F);
  EXPECT_EQ(BitsOf(TanhApprox(-0.0F)), minus);
  EXPECT_EQ(BitsOf(TanhApprox(FloatOf(0xffc0'0001))), kNan);
  for (const uint32_t subnormal : {1U, 0x1234U, 0x7f'ffffU, 0x8000'0001U, 0x807f'ffffU}) {
    EXPECT_EQ(BitsOf(TanhApprox(FloatOf(subnormal))), subnormal);
  }
}

TEST(Approximate, ResultsAreFlushedIfAskedFor) {
  EXPECT_EQ(Ex2Approx(-127.0F, false), 0x1p-127F);
  EXPECT_EQ(BitsOf(Ex2Approx(-127.0F, true)), 0);
  EXPECT_EQ(Ex2Approx(-126.0F, true), 0x1p-126F);
  EXPECT_EQ(RcpApprox(-0x1p127F, false), -0x1p-127F);
  EXPECT_EQ(BitsOf(RcpApprox(-0x1p127F, true)), kSignBit);
  EXPECT_EQ(BitsOf(SinApprox(-0x1p-130F, true)), kSignBit);
  EXPECT_EQ(SqrtApprox(0x1p-130F, false), 0x1p-65F);
}

TEST(Approximate, DivisionByHugeNumbers) {
  EXPECT_EQ(DivApprox(3.0F, 0x1p126F, false), 3 * 0x1p-126F);
  EXPECT_EQ(BitsOf(DivApprox(3.0F, 0x1.000002p126F, false)), 0);
  EXPECT_EQ(BitsOf(DivApprox(-3.0F, 0x1p127F, false)), kSignBit);
  EXPECT_EQ(BitsOf(DivApprox(kInfinity, 0x1p127F, false)), kNan);
  EXPECT_EQ(BitsOf(DivApprox(-kInfinity, -0x1.fffffep127F, true)), kNan);
  EXPECT_EQ(BitsOf(DivApprox(1.0F, -kInfinity, false)), kSignBit);
  EXPECT_EQ(BitsOf(DivApprox(0.0F, 0.0F, false)), kNan);
  EXPECT_EQ(DivApprox(1.0F, 0x1p-130F, true), kInfinity);
  EXPECT_EQ(DivFull(3.0F, 0x1p127F, false), 3 * 0x1p-127F);
  EXPECT_EQ(BitsOf(DivFull(-1.0F, 0x1p127F, true)), kSignBit);
}

TEST(Approximate, UpperHalvesOfDoubles) {
  exact::RandomOperands random(exact::kF64, 2);
  for (int i = 0; i < 5000; ++i) {
    const uint64_t bits = random.Next();
    const long double upper = static_cast<long double>(DoubleOf(bits & ~uint64_t{0xffff'ffff}));
    // Neither they nor the results are subnormal, nor NaN.
    const bool is_inner = std::abs(upper) > 0x1p-1000L && std::abs(upper) < 0x1p1000L;
    if (!is_inner) continue;
    const double reciprocal = RcpApproxFtz(DoubleOf(bits));
    ASSERT_EQ(BitsOf(reciprocal) & 0xffff'ffff, 0);
    ASSERT_LE(std::abs(static_cast<long double>(reciprocal) * upper - 1), 0x1.0001p-21L);
    if (upper < 0) continue;
    const double root = RsqrtApproxFtz(DoubleOf(bits));
    ASSERT_EQ(BitsOf(root) & 0xffff'ffff, 0);
    ASSERT_LE(std::abs(static_cast<long double>(root) * std::sqrt(upper) - 1), 0x1.0001p-21L);
  }
  EXPECT_EQ(BitsOf(RcpApproxFtz(DoubleOf(0x7ff0'0000'0000'0000))), 0);
  EXPECT_EQ(BitsOf(RcpApproxFtz(-HUGE_VAL)), kSignBit64);
  EXPECT_EQ(RcpApproxFtz(-5e-324), -HUGE_VAL);
  EXPECT_EQ(RcpApproxFtz(-0x1p-1023), -HUGE_VAL);
  EXPECT_EQ(RcpApproxFtz(0x1p-1023), HUGE_VAL);
  EXPECT_EQ(BitsOf(RcpApproxFtz(-0x1p1023)), kSignBit64);
  EXPECT_EQ(BitsOf(RcpApproxFtz(DoubleOf(0xfff8'1234'0000'0000))), kUpperNan);
  EXPECT_EQ(BitsOf(RsqrtApproxFtz(-HUGE_VAL)), kUpperNan);
  EXPECT_EQ(BitsOf(RsqrtApproxFtz(-1.0)), kUpperNan);
  EXPECT_EQ(RsqrtApproxFtz(-0x1p-1023), -HUGE_VAL);
  EXPECT_EQ(RsqrtApproxFtz(0.0), HUGE_VAL);
  EXPECT_EQ(BitsOf(RsqrtApproxFtz(HUGE_VAL)), 0);
}

TEST(Approximate, ReciprocalRootsOfDoubles) {
  exact::RandomOperands random(exact::kF64, 3);
  for (int i = 0; i < 20000; ++i) {
    const double value = Magnitude(DoubleOf(random.Next()));
    if (!std::isfinite(value) || value == 0.0) continue;
    const long double exact = 1 / std::sqrt(static_cast<long double>(value));
    int exponent = 0;
    std::frexp(exact, &exponent);
    const long double error = std::abs(static_cast<long double>(RsqrtApprox(value)) - exact);
    ASSERT_LE(error / std::ldexp(1.0L, exponent - 53), 0.51L) << value;
  }
  EXPECT_EQ(RsqrtApprox(-0.0), -HUGE_VAL);
  EXPECT_EQ(RsqrtApprox(0.0), HUGE_VAL);
  EXPECT_EQ(BitsOf(RsqrtApprox(HUGE_VAL)), 0);
  EXPECT_EQ(BitsOf(RsqrtApprox(-1.0)), BitsOf(kInvalidNan));
  EXPECT_EQ(BitsOf(RsqrtApprox(DoubleOf(0x7ff0'0000'0000'0001))), 0x7ff8'0000'0000'0001);
}

// Each half: the encodings beside the result are farther from the exact value.
TEST(Approximate, EveryHalfGivesTheNearest) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const F16 f16 = {static_cast<uint16_t>(bits)};
    const Bf16 bf16 = {static_cast<uint16_t>(bits)};
    const long double x = static_cast<long double>(ToFloat(f16));
    const long double y = static_cast<long double>(ToFloat(bf16));
    if (std::isnan(x)) {
      ASSERT_EQ(Ex2Approx(f16).bits, kCanonicalHalfNan);
      ASSERT_EQ(TanhApprox(f16).bits, kCanonicalHalfNan);
    } else {
      ASSERT_EQ(Ex2Approx(f16).bits, NearestHalf<F16>(static_cast<double>(std::exp2(x))).bits);
      ASSERT_EQ(TanhApprox(f16).bits, NearestHalf<F16>(static_cast<double>(std::tanh(x))).bits);
    }
    if (std::isnan(y)) {
      ASSERT_EQ(Ex2Approx(bf16).bits, kCanonicalHalfNan);
      ASSERT_EQ(TanhApprox(bf16).bits, kCanonicalHalfNan);
    } else {
      const uint16_t power = NearestHalf<Bf16>(static_cast<double>(std::exp2(y))).bits;
      ASSERT_EQ(Ex2Approx(bf16).bits, power < 0x80 ? 0 : power) << bits;
      ASSERT_EQ(TanhApprox(bf16).bits, NearestHalf<Bf16>(static_cast<double>(std::tanh(y))).bits);
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
// NOLINTEND(google-runtime-float)
