#include "hlo/interpreter/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "hlo/shape.h"

namespace hlo_indexing::hlo {
namespace {

class DifferenceTest : public ::testing::Test {
 protected:
  const ArrayValue& Array(ElementType type, const std::vector<Element>& elements) {
    const Shape* shape =
        pool_.Array(type, llvm::ArrayRef<int64_t>{1, static_cast<int64_t>(elements.size())});
    auto array = std::make_shared<ArrayValue>(shape);
    for (size_t i = 0; i < elements.size(); ++i) array->Set(static_cast<int64_t>(i), elements[i]);
    arrays_.push_back(array);
    return *arrays_.back();
  }
  const ArrayValue& Floats(const std::vector<double>& numbers) {
    std::vector<Element> elements;
    for (const double number : numbers) elements.push_back(FloatElement(number));
    return Array(ElementType::kF32, elements);
  }

  ShapePool pool_;
  std::vector<std::shared_ptr<const ArrayValue>> arrays_;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(DifferenceTest, EqualArrays) {
  const Difference difference =
      DifferenceOf(Floats({0, -1, kNan, kInfinity}), Floats({-0.0, -1, kNan, kInfinity}));
  EXPECT_TRUE(difference.is_equal());
  EXPECT_EQ(difference.max_absolute, 0);
  EXPECT_EQ(difference.magnitude, 1);
}

TEST_F(DifferenceTest, TheLargestErrorsAndTheirPlaces) {
  const Difference difference = DifferenceOf(Floats({1, 2, 100}), Floats({1, 2.5, 101}));
  EXPECT_EQ(difference.num_different, 2);
  EXPECT_EQ(difference.max_absolute, 1);
  EXPECT_EQ(difference.max_relative, 0.25);
  EXPECT_EQ(difference.absolute_index, (llvm::SmallVector<int64_t, 6>{0, 2}));
  EXPECT_EQ(difference.relative_index, (llvm::SmallVector<int64_t, 6>{0, 1}));
  EXPECT_EQ(difference.expected, "100");
  EXPECT_EQ(difference.actual, "101");
  EXPECT_EQ(difference.magnitude, 100);
}

TEST_F(DifferenceTest, WhatIsNoNumberIsInfinitelyFarAway) {
  EXPECT_EQ(DifferenceOf(Floats({1, 2}), Floats({1, kNan})).max_absolute, kInfinity);
  EXPECT_EQ(DifferenceOf(Floats({kNan}), Floats({1})).max_absolute, kInfinity);
  EXPECT_EQ(DifferenceOf(Floats({kInfinity}), Floats({-kInfinity})).max_absolute, kInfinity);
  EXPECT_EQ(DifferenceOf(Floats({0}), Floats({1e-30})).max_relative, kInfinity);
}

TEST_F(DifferenceTest, ComplexNumbersArePointsAndIntegersExact) {
  const Difference complex = DifferenceOf(Array(ElementType::kC64, {ComplexElement({3, 4})}),
                                          Array(ElementType::kC64, {ComplexElement({6, 8})}));
  EXPECT_EQ(complex.max_absolute, 5);
  EXPECT_EQ(complex.max_relative, 1);
  EXPECT_EQ(complex.magnitude, 5);
  const Difference integer = DifferenceOf(Array(ElementType::kU64, {IntegerElement(-1)}),
                                          Array(ElementType::kU64, {IntegerElement(-3)}));
  EXPECT_EQ(integer.max_absolute, 2);
  EXPECT_EQ(integer.magnitude, std::ldexp(1.0, 64));
}

}  // namespace
}  // namespace hlo_indexing::hlo
