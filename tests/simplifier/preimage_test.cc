#include "simplifier/domain/preimage.h"

#include <gtest/gtest.h>

namespace hlo_indexing::simplifier {
namespace {

constexpr int64_t kMax = support::kInt64Max;
constexpr int64_t kMin = support::kInt64Min;

// Every small interval, against the set of values.
TEST(Preimage, EqualsEnumeration) {
  for (int64_t lower = -9; lower <= 9; ++lower) {
    for (int64_t upper = lower; upper <= 9; ++upper) {
      const Interval bounds = {lower, upper};
      for (int64_t constant = -4; constant <= 4; ++constant) {
        for (int64_t x = -40; x <= 40; ++x) {
          ASSERT_EQ(PreimageOfAdd(bounds, constant).Contains(x), bounds.Contains(x + constant));
          if (constant != 0) {
            ASSERT_EQ(PreimageOfMultiply(bounds, constant).Contains(x),
                      bounds.Contains(x * constant));
          }
          for (int64_t divisor = 1; divisor <= 4; ++divisor) {
            ASSERT_EQ(PreimageOfFloorDiv(bounds, divisor, constant).Contains(x),
                      bounds.Contains(support::FloorDiv(x - constant, divisor)));
            ASSERT_EQ(PreimageOfWideFloorDiv(bounds, divisor).Contains(x),
                      bounds.Contains(support::FloorDiv(x, divisor)));
          }
        }
      }
    }
  }
}

TEST(Preimage, InfiniteEndsStayInfinite) {
  const Interval above = {3, kMax};
  EXPECT_EQ(PreimageOfAdd(above, 5), (Interval{-2, kMax}));
  EXPECT_EQ(PreimageOfMultiply(above, 2), (Interval{2, kMax}));
  EXPECT_EQ(PreimageOfMultiply(above, -2), (Interval{kMin, -2}));
  EXPECT_EQ(PreimageOfFloorDiv(above, 4, 1), (Interval{13, kMax}));
  EXPECT_EQ(PreimageOfWideFloorDiv(above, 4), (Interval{12, kMax}));
}

TEST(Preimage, EndsBeyond64BitsBoundNothingOrEverything) {
  EXPECT_EQ(PreimageOfAdd({0, kMax - 1}, -5), (Interval{5, kMax}));
  EXPECT_TRUE(PreimageOfAdd({kMax - 1, kMax}, -5).IsEmpty());
  EXPECT_TRUE(PreimageOfAdd({kMin, kMin + 1}, 5).IsEmpty());
  EXPECT_EQ(PreimageOfFloorDiv({0, kMax - 1}, 4, 0), (Interval{0, kMax}));
  EXPECT_TRUE(PreimageOfFloorDiv({kMax - 1, kMax}, 4, 0).IsEmpty());
  EXPECT_TRUE(PreimageOfFloorDiv({kMin, kMin + 1}, 4, 0).IsEmpty());
  // A number beyond may have such a quotient.
  EXPECT_EQ(PreimageOfWideFloorDiv({kMax - 1, kMax - 1}, 4), Interval::All());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
