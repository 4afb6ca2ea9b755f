#include "hlo/literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hlo_indexing::hlo {
namespace {

using ::testing::HasSubstr;

// The element's text after a way through its bits; the error if the type does not have the value.
std::string RoundTrip(ElementType type, llvm::StringRef text) {
  ShapePool pool;
  llvm::SmallVector<uint8_t> bytes;
  if (const auto error = ParseElement(type, text, bytes)) return *error;
  return Literal(pool.Scalar(type), bytes, /*elided=*/false).ElementText(0);
}

// The bits of an element.
uint64_t Bits(ElementType type, llvm::StringRef text) {
  llvm::SmallVector<uint8_t> bytes;
  EXPECT_EQ(ParseElement(type, text, bytes), std::nullopt) << text.str();
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) bits |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return bits;
}

TEST(Literal, ValuesComeBack) {
  EXPECT_EQ(RoundTrip(ElementType::kPred, "1"), "true");
  EXPECT_EQ(RoundTrip(ElementType::kS4, "-8"), "-8");
  EXPECT_EQ(RoundTrip(ElementType::kU64, "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(RoundTrip(ElementType::kS64, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(RoundTrip(ElementType::kF32, "0.1"), "0.1");
  EXPECT_EQ(RoundTrip(ElementType::kF64, "1e-310"), "1e-310");
  EXPECT_EQ(RoundTrip(ElementType::kF32, "-0"), "-0");
  EXPECT_EQ(RoundTrip(ElementType::kBF16, "-inf"), "-inf");
  EXPECT_EQ(RoundTrip(ElementType::kF16, "-nan"), "-nan");
  EXPECT_EQ(RoundTrip(ElementType::kBF16, "-nan(0x7f)"), "-nan(0x7f)");
  EXPECT_EQ(RoundTrip(ElementType::kBF16, "-nan(0x3f)"), "-nan(0x3f)");
  EXPECT_EQ(RoundTrip(ElementType::kF32, "nan(0x1)"), "nan(0x1)");
  EXPECT_EQ(RoundTrip(ElementType::kF8E4M3FN, "448"), "448");
}

// Bit patterns from the definitions of the formats: sign, exponent, mantissa.
TEST(Literal, BitsFollowTheFormat) {
  EXPECT_EQ(Bits(ElementType::kF32, "1.5"), 0x3fc00000u);
  EXPECT_EQ(Bits(ElementType::kBF16, "1.5"), 0x3fc0u);
  EXPECT_EQ(Bits(ElementType::kF16, "-2"), 0xc000u);
  EXPECT_EQ(Bits(ElementType::kF8E5M2, "1"), 0x3cu);
  EXPECT_EQ(Bits(ElementType::kF8E4M3FN, "1"), 0x38u);
  EXPECT_EQ(Bits(ElementType::kF8E4M3FNUZ, "1"), 0x40u);
  EXPECT_EQ(Bits(ElementType::kF8E5M2FNUZ, "1"), 0x40u);
  EXPECT_EQ(Bits(ElementType::kF8E4M3B11FNUZ, "1"), 0x58u);
  EXPECT_EQ(Bits(ElementType::kF8E3M4, "1"), 0x30u);
  EXPECT_EQ(Bits(ElementType::kF8E8M0FNU, "8"), 130u);
  EXPECT_EQ(Bits(ElementType::kF4E2M1FN, "6"), 0x7u);
  // Halfway between two values of bf16: to the even one.
  EXPECT_EQ(Bits(ElementType::kBF16, "1.00390625"), 0x3f80u);
  EXPECT_EQ(Bits(ElementType::kS8, "-1"), 0xffu);
  // The payload is the whole mantissa: this nan is a signalling one.
  EXPECT_EQ(Bits(ElementType::kF32, "nan(0x200001)"), 0x7fa00001u);
  EXPECT_EQ(Bits(ElementType::kU64, "-1"), UINT64_MAX);
}

TEST(Literal, RefusesValuesThatTheTypeHasNot) {
  EXPECT_THAT(RoundTrip(ElementType::kS8, "128"), HasSubstr("out of range for s8"));
  EXPECT_THAT(RoundTrip(ElementType::kU8, "-1"), HasSubstr("out of range for u8"));
  EXPECT_THAT(RoundTrip(ElementType::kU1, "2"), HasSubstr("out of range for u1"));
  EXPECT_THAT(RoundTrip(ElementType::kF16, "1e6"), HasSubstr("out of range for f16"));
  EXPECT_THAT(RoundTrip(ElementType::kS32, "1.5"), HasSubstr("expected an integer"));
  EXPECT_THAT(RoundTrip(ElementType::kF32, "abc"), HasSubstr("expected a number"));
  EXPECT_THAT(RoundTrip(ElementType::kPred, "2"), HasSubstr("expected true, false"));
  EXPECT_THAT(RoundTrip(ElementType::kF8E4M3FN, "inf"), HasSubstr("no infinity"));
  EXPECT_THAT(RoundTrip(ElementType::kF4E2M1FN, "nan"), HasSubstr("no nan"));
  EXPECT_THAT(RoundTrip(ElementType::kBF16, "nan(0x3ff)"), HasSubstr("no nan with this payload"));
  EXPECT_THAT(RoundTrip(ElementType::kF8E4M3FN, "nan(0x1)"), HasSubstr("no nan with this"));
  EXPECT_THAT(RoundTrip(ElementType::kF4E2M1FN, "10"), HasSubstr("out of range for f4e2m1fn"));
  EXPECT_THAT(RoundTrip(ElementType::kF8E8M0FNU, "-1"), HasSubstr("out of range"));
  EXPECT_THAT(RoundTrip(ElementType::kF8E8M0FNU, "0"), HasSubstr("out of range"));
}

TEST(Literal, GivesIntegersOfIntegralTypesOnly) {
  ShapePool pool;
  llvm::SmallVector<uint8_t> bytes;
  for (const char* text : {"-3", "7"}) ParseElement(ElementType::kS16, text, bytes);
  const Literal literal(pool.Array(ElementType::kS16, {2}), bytes, false);
  EXPECT_EQ(literal.GetInteger(0), -3);
  EXPECT_EQ(literal.GetInteger(1), 7);
  EXPECT_EQ(literal.GetInteger(2), std::nullopt);
  EXPECT_EQ(literal.ToString(), "{-3, 7}");
  const Literal elided(pool.Array(ElementType::kS16, {2}), {}, true);
  EXPECT_EQ(elided.GetInteger(0), std::nullopt);
  EXPECT_EQ(elided.ToString(), "{...}");
}

// The numbers 0, 1, 2, ... as an array of these sizes, abbreviated.
std::string Abbreviated(llvm::ArrayRef<int64_t> sizes, int64_t most_elements) {
  ShapePool pool;
  const Shape* shape = pool.Array(ElementType::kS16, sizes);
  llvm::SmallVector<uint8_t> bytes;
  for (int64_t i = 0; i < shape->num_elements(); ++i) {
    EXPECT_EQ(ParseElement(ElementType::kS16, std::to_string(i), bytes), std::nullopt);
  }
  return Literal(shape, bytes, /*elided=*/false).ToAbbreviatedString(most_elements);
}

// What numpy.array2string(numpy.arange(n).reshape(sizes), threshold=most_elements) leaves out.
TEST(Literal, IsAbbreviatedAsNumPyDoesIt) {
  EXPECT_EQ(Abbreviated({8}, 8), "{0, 1, 2, 3, 4, 5, 6, 7}");
  EXPECT_EQ(Abbreviated({8}, 7), "{0, 1, 2, ..., 5, 6, 7}");
  // Six at most are shown whole, for the dots would stand for nothing.
  EXPECT_EQ(Abbreviated({6}, 5), "{0, 1, 2, 3, 4, 5}");
  EXPECT_EQ(Abbreviated({7}, 5), "{0, 1, 2, ..., 4, 5, 6}");
  EXPECT_EQ(Abbreviated({2, 8}, 15), "{{0, 1, 2, ..., 5, 6, 7}, {8, 9, 10, ..., 13, 14, 15}}");
  EXPECT_EQ(Abbreviated({7, 2}, 13), "{{0, 1}, {2, 3}, {4, 5}, ..., {8, 9}, {10, 11}, {12, 13}}");
  EXPECT_EQ(Abbreviated({}, 0), "0");
  // As the text of HLO has it.
  EXPECT_EQ(Abbreviated({7, 0}, 0), "{}");
  EXPECT_EQ(Abbreviated({0, 7}, 0), "{}");
}

}  // namespace
}  // namespace hlo_indexing::hlo
