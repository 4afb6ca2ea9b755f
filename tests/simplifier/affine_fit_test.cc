#include "simplifier/affine_fit.h"

#include <gtest/gtest.h>

#include <random>

namespace hlo_indexing::simplifier {
namespace {

TEST(AffineFit, FindsWhatHasTheValues) {
  std::mt19937 random(3);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 2000; ++i) {
    const int64_t a = pick(-5, 5);
    const int64_t b = pick(-5, 5);
    const int64_t c = pick(-9, 9);
    AffineFit fit(2);
    std::vector<std::pair<std::vector<int64_t>, int64_t>> points;
    for (int64_t k = pick(1, 12); k > 0; --k) {
      const std::vector<int64_t> point = {pick(-4, 4), pick(-4, 4)};
      points.emplace_back(point, a * point[0] + b * point[1] + c);
      ASSERT_TRUE(fit.Add(point, points.back().second));
    }
    const auto function = fit.Solve();
    // Points on a line may have a rational function only, where the variables' steps share a
    // factor.
    if (!function) continue;
    for (const auto& [point, value] : points) {
      ASSERT_EQ(function->constant + function->coefficients[0] * point[0] +
                    function->coefficients[1] * point[1],
                value);
    }
  }
}

TEST(AffineFit, RefusesOtherValues) {
  AffineFit fit(1);
  EXPECT_TRUE(fit.Add({0}, 0));
  EXPECT_TRUE(fit.Add({1}, 0));
  EXPECT_FALSE(fit.Add({2}, 1));
}

TEST(AffineFit, NeedsIntegersAndAPoint) {
  EXPECT_FALSE(AffineFit(2).Solve().has_value());
  AffineFit half(1);
  EXPECT_TRUE(half.Add({0}, 0));
  EXPECT_TRUE(half.Add({2}, 1));
  EXPECT_FALSE(half.Solve().has_value());
}

TEST(AffineFit, OverflowIsARefusal) {
  AffineFit fit(1);
  EXPECT_TRUE(fit.Add({INT64_MIN}, 0));
  EXPECT_FALSE(fit.Add({INT64_MAX}, 1));
}

}  // namespace
}  // namespace hlo_indexing::simplifier
