#include "support/checked_math.h"

#include <gtest/gtest.h>

namespace hlo_indexing::support {
namespace {

TEST(CheckedMath, GivesNothingOnOverflow) {
  EXPECT_EQ(CheckedAdd(1, 2), 3);
  EXPECT_EQ(CheckedAdd(kInt64Max, 1), std::nullopt);
  EXPECT_EQ(CheckedSub(kInt64Min, 1), std::nullopt);
  EXPECT_EQ(CheckedMul(kInt64Max, 2), std::nullopt);
  EXPECT_EQ(CheckedMul(kInt64Min, -1), std::nullopt);
  EXPECT_EQ(CheckedFloorDiv(kInt64Min, -1), std::nullopt);
  EXPECT_EQ(CheckedFloorDiv(1, 0), std::nullopt);
  EXPECT_EQ(CheckedFloorMod(1, 0), std::nullopt);
  EXPECT_EQ(CheckedCeilDiv(kInt64Min, -1), std::nullopt);
}

// Against the definition: the quotient is the one integer with a remainder of the divisor's sign.
TEST(CheckedMath, DivisionsRoundTowardsMinusInfinity) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      const int64_t quotient = *CheckedFloorDiv(a, b);
      const int64_t remainder = *CheckedFloorMod(a, b);
      EXPECT_EQ(quotient * b + remainder, a);
      EXPECT_TRUE(b > 0 ? 0 <= remainder && remainder < b : b < remainder && remainder <= 0);
      EXPECT_EQ(*CheckedCeilDiv(a, b), -*CheckedFloorDiv(-a, b));
      if (b < 0) continue;
      EXPECT_EQ(FloorDiv(a, b), quotient);
      EXPECT_EQ(FloorMod(a, b), remainder);
      EXPECT_EQ(CeilDiv(a, b), *CheckedCeilDiv(a, b));
    }
  }
}

TEST(CheckedMath, FloorDivWorksAtTheEnds) {
  EXPECT_EQ(FloorDiv(kInt64Min, 2), kInt64Min / 2);
  EXPECT_EQ(FloorMod(kInt64Min, 3), 1);
  EXPECT_EQ(CeilDiv(kInt64Max, 2), kInt64Max / 2 + 1);
}

}  // namespace
}  // namespace hlo_indexing::support
