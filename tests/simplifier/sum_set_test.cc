#include "simplifier/sum_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace hlo_indexing::simplifier {
namespace {

std::set<int64_t> Enumerate(llvm::ArrayRef<int64_t> bases, llvm::ArrayRef<Steps> steps) {
  std::set<int64_t> all(bases.begin(), bases.end());
  for (const Steps& s : steps) {
    std::set<int64_t> next;
    for (const int64_t value : all) {
      for (int64_t i = 0; i < s.count; ++i) next.insert(value + s.step * i);
    }
    all = std::move(next);
  }
  return all;
}

bool IsProgression(const std::set<int64_t>& values) {
  if (values.size() < 3) return true;
  const int64_t stride = *std::next(values.begin()) - *values.begin();
  for (auto it = values.begin(); std::next(it) != values.end(); ++it) {
    if (*std::next(it) - *it != stride) return false;
  }
  return true;
}

TEST(SumSet, EqualsEnumeration) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int with_gap = 0;
  for (int i = 0; i < 20000; ++i) {
    std::set<int64_t> base_set;
    for (int64_t k = pick(1, 4); k > 0; --k) base_set.insert(pick(-10, 10));
    const std::vector<int64_t> bases(base_set.begin(), base_set.end());
    std::vector<Steps> steps;
    for (int64_t k = pick(0, 4); k > 0; --k) steps.push_back({pick(-12, 12), pick(1, 6)});
    const std::set<int64_t> expected = Enumerate(bases, steps);
    const auto set = SumsOf(bases, steps);
    ASSERT_TRUE(set.has_value());
    ASSERT_TRUE(set->size == static_cast<int64_t>(expected.size()));
    ASSERT_EQ(set->bounds, (Interval{*expected.begin(), *expected.rbegin()}));
    if (set->largest_gap.has_value()) {
      int64_t gap = 0;
      for (auto next = std::next(expected.begin()); next != expected.end(); ++next) {
        gap = std::max(gap, *next - *std::prev(next));
      }
      ASSERT_EQ(*set->largest_gap, gap);
      ++with_gap;
    }
    ASSERT_EQ(set->progression.has_value(), IsProgression(expected));
    if (!set->progression) continue;
    ASSERT_EQ(set->progression->offset, *expected.begin());
    ASSERT_EQ(set->progression->size, static_cast<int64_t>(expected.size()));
  }
  EXPECT_GT(with_gap, 2000);
}

// Strides of a tensor of 2^60 elements need no enumeration; scattered steps of that span are given
// up.
TEST(SumSet, ClosedFormHasNoLimitOfSize) {
  const auto nested = SumsOf({0}, {{1, int64_t{1} << 20}, {int64_t{1} << 20, int64_t{1} << 40}});
  ASSERT_TRUE(nested.has_value());
  EXPECT_TRUE(nested->size == (int64_t{1} << 60));
  ASSERT_TRUE(nested->progression.has_value());
  EXPECT_EQ(nested->largest_gap, 1);
  EXPECT_FALSE(SumsOf({0}, {{3, int64_t{1} << 30}, {5, int64_t{1} << 30}}).has_value());
  EXPECT_FALSE(SumsOf({0}, {{INT64_MAX, 3}}).has_value());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
