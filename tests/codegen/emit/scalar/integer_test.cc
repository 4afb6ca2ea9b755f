// Integers against the interpreter: all pairs of narrow types, random and extreme ones of others.
#include "codegen/emit/scalar/integer.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "hlo/interpreter/element_functions.h"
#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::emit::scalar {
namespace {

namespace fn = hlo::element_functions;
using hlo::ElementType;

constexpr ElementType kNarrow[] = {ElementType::kS1, ElementType::kS2, ElementType::kS4,
                                   ElementType::kS8, ElementType::kU1, ElementType::kU2,
                                   ElementType::kU4, ElementType::kU8};
constexpr ElementType kWide[] = {ElementType::kS16, ElementType::kS32, ElementType::kS64,
                                 ElementType::kU16, ElementType::kU32, ElementType::kU64};

IntegerType TypeOf(ElementType type, int width) {
  return {static_cast<int>(hlo::ElementBits(type)),
          hlo::ClassOf(type) == hlo::ElementClass::kSigned, width};
}

// The value of the type that an integer of the host holds.
template <typename I>
int64_t ValueOf(const IntegerType& type, I held) {
  if (!type.is_signed) return static_cast<int64_t>(held);
  return sizeof(I) == 4 ? static_cast<int32_t>(held) : static_cast<int64_t>(held);
}

int64_t Sum(bool negates, int64_t a) {
  return negates ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a;
}

template <typename I>
void CheckPair(ElementType element, int64_t x, int64_t y) {
  const IntegerType type = TypeOf(element, sizeof(I) * 8);
  const I a = static_cast<I>(x);
  const I b = static_cast<I>(y);
  const auto expect = [&](const char* name, I computed, int64_t exact) {
    ASSERT_EQ(ValueOf(type, computed), hlo::WrapInteger(element, exact))
        << name << " of " << hlo::ElementTypeName(element).str() << " " << x << ", " << y;
  };
  expect("divide", Divide(type, a, b), fn::Divide(element, x, y));
  expect("remainder", Remainder(type, a, b), fn::Remainder(element, x, y));
  expect("power", Power(type, a, b), fn::Power(element, x, y));
  expect("mulhi", MultiplyHigh(type, a, b), fn::MultiplyHigh(element, x, y));
  expect("shift-left", ShiftLeft(type, a, b), fn::ShiftLeft(element, x, y));
  expect("shift-right-logical", ShiftRightLogical(type, a, b),
         fn::ShiftRightLogical(element, x, y));
  expect("shift-right-arithmetic", ShiftRightArithmetic(type, a, b),
         fn::ShiftRightArithmetic(element, x, y));
  const int order = fn::Order(element, x, y);
  expect("maximum", Maximum(type, a, b), order >= 0 ? x : y);
  expect("minimum", Minimum(type, a, b), order <= 0 ? x : y);
  ASSERT_EQ(Less(type, a, b), order < 0);
}

template <typename I>
void CheckOne(ElementType element, int64_t x) {
  const IntegerType type = TypeOf(element, sizeof(I) * 8);
  const I a = static_cast<I>(x);
  const auto expect = [&](const char* name, I computed, int64_t exact) {
    ASSERT_EQ(ValueOf(type, computed), hlo::WrapInteger(element, exact))
        << name << " of " << hlo::ElementTypeName(element).str() << " " << x;
  };
  expect("count-leading-zeros", CountLeadingZeros(type, a), fn::CountLeadingZeros(element, x));
  expect("popcnt", PopulationCount(type, a), fn::PopulationCount(element, x));
  expect("sign", Sign(type, a), fn::Order(element, x, 0));
  expect("abs", AbsoluteValue(type, a), Sum(fn::Order(element, x, 0) < 0, x));
}

TEST(Integer, NarrowTypesAgreeWithTheInterpreter) {
  for (const ElementType element : kNarrow) {
    const int64_t low = hlo::SmallestInteger(element);
    const int64_t high = hlo::LargestInteger(element);
    for (int64_t x = low; x <= high; ++x) {
      CheckOne<uint32_t>(element, x);
      for (int64_t y = low; y <= high; ++y) CheckPair<uint32_t>(element, x, y);
    }
  }
}

TEST(Integer, WideTypesAgreeWithTheInterpreter) {
  std::mt19937_64 random(3);
  for (const ElementType element : kWide) {
    std::vector<int64_t> values;
    for (const int64_t base : {int64_t{0}, hlo::SmallestInteger(element),
                               hlo::LargestInteger(element), hlo::ElementBits(element)}) {
      for (int64_t i = -3; i <= 3; ++i) {
        const uint64_t near = static_cast<uint64_t>(base) + static_cast<uint64_t>(i);
        values.push_back(hlo::WrapInteger(element, static_cast<int64_t>(near)));
      }
    }
    for (int i = 0; i < 200; ++i) {
      const uint64_t bits = random() >> (random() % 64);
      values.push_back(hlo::WrapInteger(element, static_cast<int64_t>(bits)));
      values.push_back(hlo::WrapInteger(element, ~static_cast<int64_t>(bits)));
    }
    const bool fits = hlo::ElementBits(element) <= 32;
    for (const int64_t x : values) {
      fits ? CheckOne<uint32_t>(element, x) : CheckOne<uint64_t>(element, x);
      for (const int64_t y : values) {
        fits ? CheckPair<uint32_t>(element, x, y) : CheckPair<uint64_t>(element, x, y);
      }
    }
  }
}

TEST(Integer, ClampsToTheUpperBoundLast) {
  const IntegerType type = {8, true, 32};
  const auto held = [](int value) { return static_cast<uint32_t>(value); };
  EXPECT_EQ(Clamp(type, held(-3), held(-5), held(7)), held(-3));
  EXPECT_EQ(Clamp(type, held(-3), held(9), held(7)), held(7));
  EXPECT_EQ(Clamp(type, held(8), held(0), held(-8)), held(-8));
}

}  // namespace
}  // namespace hlo_indexing::emit::scalar
