#include "simplifier/interval.h"

#include <gtest/gtest.h>

namespace hlo_indexing::simplifier {
namespace {

constexpr int64_t kMinus = Interval::kMinusInfinity;
constexpr int64_t kPlus = Interval::kPlusInfinity;

// Every pair of small intervals against the set of values.
TEST(Interval, ArithmeticEqualsEnumeration) {
  for (int64_t a = -3; a <= 3; ++a) {
    for (int64_t b = a; b <= 3; ++b) {
      for (int64_t c = -2; c <= 2; ++c) {
        const Interval scaled = Interval{a, b} * c;
        int64_t low = kPlus;
        int64_t high = kMinus;
        for (int64_t x = a; x <= b; ++x) {
          low = std::min(low, x * c);
          high = std::max(high, x * c);
        }
        EXPECT_EQ(scaled, (Interval{low, high}));
        EXPECT_EQ((Interval{a, b} + Interval{c, c + 1}), (Interval{a + c, b + c + 1}));
      }
    }
  }
}

TEST(Interval, OverflowLosesTheEndAndNothingElse) {
  const Interval sum = Interval{5, kPlus - 1} + Interval{1, 2};
  EXPECT_EQ(sum, (Interval{6, kPlus}));
  const Interval low = Interval{kPlus - 1, kPlus - 1} + Interval{5, 5};
  EXPECT_EQ(low.lower, kMinus);
  const Interval product = Interval{1, 3} * kPlus;
  EXPECT_EQ(product.upper, kPlus);
  EXPECT_FALSE(product.IsFinite());
  EXPECT_FALSE((Interval{kPlus, kPlus}).IsPoint());
  EXPECT_EQ((Interval::All() * -1), Interval::All());
  EXPECT_EQ((Interval::All() * 0), Interval::Point(0));
}

TEST(Interval, ContainsAndIntersects) {
  EXPECT_TRUE((Interval{0, 4}).Contains(Interval::Empty()));
  EXPECT_TRUE((Interval{0, 4}).Contains({1, 4}));
  EXPECT_FALSE((Interval{0, 4}).Contains({1, 5}));
  EXPECT_EQ((Interval{0, 4}).Intersect({3, 9}), (Interval{3, 4}));
  EXPECT_TRUE((Interval{0, 4}).Intersect({5, 9}).IsEmpty());
  EXPECT_FALSE(Interval::All().IsFinite());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
