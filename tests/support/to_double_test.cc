#include "support/to_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace hlo_indexing::support {
namespace {

using llvm::DynamicAPInt;

TEST(ToDouble, IsNearlyTheNumber) {
  EXPECT_EQ(ToDouble(DynamicAPInt(0)), 0);
  EXPECT_EQ(ToDouble(DynamicAPInt(-7)), -7);
  DynamicAPInt number(1);
  for (int exponent = 0; exponent < 300; ++exponent) {
    EXPECT_EQ(ToDouble(number), std::ldexp(1, exponent));
    EXPECT_EQ(ToDouble(-number), -std::ldexp(1, exponent));
    EXPECT_DOUBLE_EQ(ToDouble(number * 3 + 1), std::ldexp(3, exponent) + 1);
    number *= 2;
  }
}

TEST(ToDouble, IsInfiniteBeyondTheLargestDouble) {
  DynamicAPInt number(1);
  for (int i = 0; i < 20; ++i) number *= DynamicAPInt(int64_t{1} << 62);
  EXPECT_TRUE(std::isinf(ToDouble(number)));
  EXPECT_DOUBLE_EQ(RatioOf(number * 3, number * 4), 0.75);
  EXPECT_DOUBLE_EQ(RatioOf(DynamicAPInt(3), DynamicAPInt(4)), 0.75);
  EXPECT_EQ(RatioOf(DynamicAPInt(1), number), 0);
}

}  // namespace
}  // namespace hlo_indexing::support
