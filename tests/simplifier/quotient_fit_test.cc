#include "simplifier/quotient_fit.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

using Function = QuotientFit::Function;

int64_t At(const Function& f, int64_t x) {
  return f.scale * support::FloorDiv(f.factor * x + f.constant, f.divisor) + f.offset;
}

std::optional<Function> Fit(llvm::ArrayRef<std::pair<int64_t, int64_t>> points) {
  QuotientFit fit;
  for (const auto& [x, value] : points) {
    if (!fit.Add(x, value)) return std::nullopt;
  }
  return fit.Solve();
}

TEST(QuotientFit, FindsQuotientsThroughAnyPoints) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 3000; ++i) {
    const Function given = {pick(-40, 40), pick(-60, 60), pick(2, 64), pick(1, 3), pick(-5, 5)};
    std::vector<std::pair<int64_t, int64_t>> points;
    bool is_constant = true;
    for (int64_t k = pick(2, 40); k > 0; --k) {
      const int64_t x = pick(-30, 30);
      points.emplace_back(x, At(given, x));
      is_constant &= points.front().second == points.back().second;
    }
    const std::optional<Function> function = Fit(points);
    ASSERT_EQ(function.has_value(), !is_constant)
        << given.factor << " " << given.constant << " " << given.divisor;
    if (!function) continue;
    for (const auto& [x, value] : points) ASSERT_EQ(At(*function, x), value);
  }
}

TEST(QuotientFit, IsAsPlainAsMayBe) {
  const std::optional<Function> third = Fit({{4, 1}, {2, 0}, {3, 1}, {2, 0}});
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(std::tuple(third->factor, third->constant, third->divisor), std::tuple(1, 0, 3));
  // 38 * x - x mod 6 + 5, by 72.
  std::vector<std::pair<int64_t, int64_t>> points;
  for (int64_t x = 0; x <= 8; ++x) points.emplace_back(x, (38 * x - x % 6 + 5) / 72);
  const std::optional<Function> half = Fit(points);
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(std::tuple(half->factor, half->constant, half->divisor), std::tuple(1, 0, 2));
  const std::optional<Function> thrice = Fit({{0, 1}, {1, 1}, {2, 4}});
  ASSERT_TRUE(thrice.has_value());
  EXPECT_EQ(std::tuple(thrice->factor, thrice->divisor, thrice->scale, thrice->offset),
            std::tuple(1, 2, 3, 1));
}

TEST(QuotientFit, RefusesOtherValues) {
  EXPECT_FALSE(Fit({{0, 0}, {1, 5}, {2, 5}, {3, 0}}).has_value());
  EXPECT_FALSE(Fit({{0, 0}, {0, 1}}).has_value());
  EXPECT_FALSE(Fit({{0, 3}, {1, 3}}).has_value());
  EXPECT_FALSE(Fit({}).has_value());
  EXPECT_FALSE(Fit({{INT64_MIN, 0}, {INT64_MAX, 1}}).has_value());
  EXPECT_FALSE(Fit({{0, INT64_MIN}, {1, INT64_MAX}}).has_value());
  std::vector<std::pair<int64_t, int64_t>> many;
  for (int64_t x = 0; x <= static_cast<int64_t>(QuotientFit::kMaxPoints); ++x) {
    many.emplace_back(x, x / 2);
  }
  EXPECT_FALSE(Fit(many).has_value());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
