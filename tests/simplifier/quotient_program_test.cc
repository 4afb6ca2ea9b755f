#include "simplifier/quotient_program.h"

#include <gtest/gtest.h>

#include <random>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::simplifier {
namespace {

using Point = std::vector<int64_t>;

std::optional<int64_t> ValueAt(const Sum& sum, const Point& point) {
  return Evaluate(sum,
                  [&](const Atom& atom) { return std::optional<int64_t>(point[atom.variable]); });
}

TEST(QuotientProgram, DigitsOfOneVariable) {
  DigitContext context;
  const Sum x = context.Variable(0, {0, 999});
  const Sum sums[] = {
      Mod(context, x, Constant(7)), FloorDiv(context, x, Constant(64)),
      Add(context,
          Scale(context, Mod(context, FloorDiv(context, x, Constant(4)), Constant(10)), -3),
          Constant(5)),
      Constant(-8)};
  const auto program = QuotientProgram::Create(sums, 1);
  ASSERT_TRUE(program);
  for (int64_t value = 0; value < 1000; ++value) {
    int64_t values[4];
    program->Evaluate(value, values);
    EXPECT_EQ(values[0], value % 7);
    EXPECT_EQ(values[1], value / 64);
    EXPECT_EQ(values[2], 5 - 3 * (value / 4 % 10));
    EXPECT_EQ(values[3], -8);
  }
}

// Around multiples of the divisor, for values that no reciprocal of 64 bits is exact for.
TEST(QuotientProgram, LargeValuesAndDivisors) {
  // One more would have the extent that stands for no bound.
  const int64_t largest = support::kInt64Max - 2;
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const int bits = 2 + i % 61;
    const auto divisor = static_cast<int64_t>(random() >> bits) + 2;
    DigitContext context;
    const Sum x = context.Variable(0, {0, largest >> (i % 7 * 8)});
    const auto program = QuotientProgram::Create(FloorDiv(context, x, Constant(divisor)), 1);
    ASSERT_TRUE(program);
    const auto upper = static_cast<uint64_t>(largest >> (i % 7 * 8));
    for (int k = 0; k < 10; ++k) {
      const auto near = static_cast<int64_t>(random() % upper) / divisor * divisor;
      for (const int64_t value : {near - 1, near, static_cast<int64_t>(upper)}) {
        if (value < 0) continue;
        ASSERT_EQ(program->Evaluate(value), value / divisor) << value << " / " << divisor;
      }
    }
  }
}

// Sums with quotient variables: quotients of sums that share variables.
TEST(QuotientProgram, RandomSums) {
  std::mt19937 random(2);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 500; ++i) {
    DigitContext context;
    std::vector<Sum> sums;
    Point sizes;
    for (unsigned v = 0; v < 3; ++v) {
      sizes.push_back(between(1, 60));
      sums.push_back(context.Variable(v, {0, sizes.back() - 1}));
    }
    for (int step = 0; step < 6; ++step) {
      const Sum a = sums[random() % sums.size()];
      const Sum b = sums[random() % sums.size()];
      const Sum divisor = Constant(between(2, 9));
      switch (between(0, 2)) {
        case 0:
          sums.push_back(Add(context, Scale(context, a, between(1, 7)), b));
          break;
        case 1:
          sums.push_back(FloorDiv(context, a, divisor));
          break;
        default:
          sums.push_back(Mod(context, a, divisor));
      }
    }
    const auto program = QuotientProgram::Create(sums, 3);
    ASSERT_TRUE(program);
    for (int k = 0; k < 50; ++k) {
      Point point;
      for (const int64_t size : sizes) point.push_back(between(0, static_cast<int>(size) - 1));
      Point values(sums.size());
      program->Evaluate(point, values);
      for (size_t s = 0; s < sums.size(); ++s) ASSERT_EQ(values[s], ValueAt(sums[s], point));
      ASSERT_EQ(program->Evaluate(point), point[0]);
    }
  }
}

TEST(QuotientProgram, RefusesWhatItCannotDo) {
  DigitContext context;
  const Sum shifted = context.Variable(0, {3, 9});
  const Sum x = context.Variable(1, {0, 9});
  const Sum unbounded = context.Variable(2, Interval::All());
  EXPECT_FALSE(QuotientProgram::Create(shifted, 3));
  EXPECT_FALSE(QuotientProgram::Create(Multiply(context, x, x), 3));
  EXPECT_FALSE(QuotientProgram::Create(unbounded, 3));
  EXPECT_FALSE(QuotientProgram::Create(x, 1));
  EXPECT_TRUE(QuotientProgram::Create(x, 2));
}

}  // namespace
}  // namespace hlo_indexing::simplifier
