// What users of other simplifiers have asked for, and what constraints imply, each as one row.
#include <gtest/gtest.h>

#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

struct Row {
  const char* name;
  const char* given;
  const char* expected;
};

class SimplifiesTo : public ::testing::TestWithParam<Row> {
 protected:
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_P(SimplifiesTo, AndIsTheSameFunction) {
  const auto map = ParseIndexingMap(GetParam().given, &context_);
  ASSERT_TRUE(map.ok()) << map.status().message();
  const IndexingMap simplified = Simplify(*map);
  EXPECT_EQ(simplified.ToString(), GetParam().expected);
  EXPECT_EQ(Simplify(simplified), simplified);
  EXPECT_EQ(Equal(*map, simplified).answer, Answer::kYes);
}

// The number of the issue in the other project is in the name.
INSTANTIATE_TEST_SUITE_P(
    Acceptance, SimplifiesTo,
    ::testing::Values(
        Row{"Pytorch127581Sum",
            "(d0, d1) -> (d1 * 5504 + d0 floordiv 2), domain: d0 in [0, 11007], d1 in [0, 99]",
            "(d0, d1) -> (d0 floordiv 2 + d1 * 5504), domain: d0 in [0, 11007], d1 in [0, 99]"},
        Row{"Pytorch127581Quotient",
            "(d0, d1) -> ((d1 * 11008 + d0) floordiv 2), domain: d0 in [0, 11007], d1 in [0, 99]",
            "(d0, d1) -> (d0 floordiv 2 + d1 * 5504), domain: d0 in [0, 11007], d1 in [0, 99]"},
        Row{"Triton10273",
            "(d0) -> (d0 mod 512 + 512 * ((d0 floordiv 512) mod 614400) + 1228800 * ((d0 mod 512 + "
            "512 * ((d0 floordiv 512) mod 2400)) floordiv 1228800)), domain: d0 in [0, 314572799]",
            "(d0) -> (d0), domain: d0 in [0, 314572799]"},
        Row{"Triton10273OtherRange",
            "(d0) -> (d0 mod 512 + 512 * ((d0 floordiv 512) mod 2400) + 1228800 * ((d0 mod 512 + "
            "512 * (d0 floordiv 512)) floordiv 1228800)), domain: d0 in [0, 314572799]",
            "(d0) -> (d0), domain: d0 in [0, 314572799]"},
        Row{"Tvm19825",
            "(d0, d1) -> (128 * ((d0 * 192 + d1) floordiv 128) + (d0 * 192 + d1) mod 128), "
            "domain: d0 in [0, 7], d1 in [0, 191]",
            "(d0, d1) -> (d0 * 192 + d1), domain: d0 in [0, 7], d1 in [0, 191]"},
        Row{"Xla12018",
            "()[s0, s1] -> (s0 + 32 * s1 - (s0 floordiv 32) * 32), domain: s0 in [0, 1023], "
            "s1 in [0, 31]",
            "()[s0, s1] -> (s0 mod 32 + s1 * 32), domain: s0 in [0, 1023], s1 in [0, 31]"},
        Row{"Xla12018RangeIsImplied",
            "()[s0, s1] -> (s1), domain: s0 in [0, 1023], s1 in [0, 31], "
            "s0 + 32 * s1 - (s0 floordiv 32) * 32 in [0, 1023]",
            "()[s0, s1] -> (s1), domain: s0 in [0, 1023], s1 in [0, 31]"},
        Row{"Tvm15665Below255", "(d0) -> ((d0 mod 255) floordiv 16), domain: d0 in [0, 254]",
            "(d0) -> (d0 floordiv 16), domain: d0 in [0, 254]"},
        Row{"Tvm15665Below510", "(d0) -> ((d0 mod 255) floordiv 16), domain: d0 in [0, 509]",
            "(d0) -> ((d0 mod 255) floordiv 16), domain: d0 in [0, 509]"},
        Row{"EnzymeJax318",
            "(d0, d1, d2) -> (d0 + (d1 + d2 floordiv 3) floordiv 5), domain: d0 in [0, 9], d1 in "
            "[0, 4], d2 in [0, 2]",
            "(d0, d1, d2) -> (d0), domain: d0 in [0, 9], d1 in [0, 4], d2 in [0, 2]"},
        // The threads of the last block that have elements: the row of each is in bounds.
        Row{"RowsOfTheLastBlock",
            "(d0, d1) -> (((d0 + d1 * 128) floordiv 10) mod 1471), domain: d0 in [0, 127], "
            "d1 in [0, 114], d0 + d1 * 128 in [0, 14709]",
            "(d0, d1) -> ((d0 + d1 * 128) floordiv 10), domain: d0 in [0, 127], d1 in [0, 114], "
            "d0 + d1 * 128 in [0, 14709]"},
        Row{"RowsOfTheLastBlockAndOneMore",
            "(d0, d1) -> (((d0 + d1 * 128) floordiv 10) mod 1470), domain: d0 in [0, 127], "
            "d1 in [0, 114], d0 + d1 * 128 in [0, 14709]",
            "(d0, d1) -> (((d0 + d1 * 128) floordiv 10) mod 1470), domain: d0 in [0, 127], "
            "d1 in [0, 114], d0 + d1 * 128 in [0, 14709]"},
        Row{"LastRemainderBesideASum",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 255], d1 in [0, 181], d0 + d1 * 1024 in [0, "
            "185567], d0 mod 32 in [0, 9]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 233], d1 in [0, 181], d0 + d1 * 1024 in [0, "
            "185567], d0 mod 32 in [0, 9]"},
        Row{"RemaindersOfAQuotient",
            "(d0, d1) -> (d0, d1), domain: d0 in [5, 260], d1 in [0, 4000], d0 + d1 in [9, 2000], "
            "((d0 - 5) floordiv 3) mod 8 in [2, 4]",
            "(d0, d1) -> (d0, d1), domain: d0 in [11, 259], d1 in [0, 1989], "
            "((d0 - 5) floordiv 3) mod 8 in [2, 4], d0 + d1 in [11, 2000]"},
        // XLA gives [15, 35], without two valid points.
        Row{"XlaNegativeDivisor", "()[s0] -> (s0), domain: s0 in [0, 100], s0 / -3 in [-11, -5]",
            "()[s0] -> (s0), domain: s0 in [13, 33]"},
        Row{"XlaIndexingDocumentThirdExample",
            "(d0, d1, d2) -> (d0 * 2 + (d1 + d2 floordiv 4) floordiv 2, "
            "4 * ((d1 + d2 floordiv 4) mod 2) + d2 mod 4), "
            "domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 7]",
            "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8), "
            "domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 7]"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Domains, SimplifiesTo,
    ::testing::Values(
        Row{"OneVariableOfThree",
            "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1999], s0 in [0, 3], s1 in [0, 5], "
            "d0 * 6 + s0 * 3 + s1 in [0, 598]",
            "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 99], s0 in [0, 3], s1 in [0, 5], "
            "d0 * 6 + s0 * 3 + s1 in [0, 598]"},
        Row{"BothVariables",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7], d0 * 8 + d1 in [0, 1]",
            "(d0, d1) -> (0, d1), domain: d0 in [0, 0], d1 in [0, 1]"},
        Row{"ThroughADivision",
            "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1023], s0 in [0, 3], s1 in [0, 127], "
            "d0 floordiv 32 + s1 * 32 in [0, 63]",
            "(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1023], s0 in [0, 3], s1 in [0, 1]"},
        Row{"ConstantOnTheDomain",
            "(d0, d1) -> ((d1 * 6 mod 8 mod 3) floordiv 2), domain: d0 in [0, 2], d1 in [0, 2]",
            "(d0, d1) -> (0), domain: d0 in [0, 2], d1 in [0, 2]"},
        Row{"ARemainderThatIsNoRemainder",
            "(d0) -> (d0), domain: d0 in [0, 100], d0 mod 8 in [45, 49]",
            "(d0) -> (0), domain: KNOWN EMPTY"},
        Row{"ChineseRemainder",
            "()[s0] -> (s0), domain: s0 in [0, 1000], s0 mod 6 in [3, 3], s0 mod 7 in [5, 5]",
            "()[s0] -> (s0), domain: s0 in [33, 999], s0 mod 42 in [33, 33]"},
        Row{"RemaindersThatExcludeEachOther",
            "(d0) -> (d0), domain: d0 in [0, 1000000], d0 mod 6 in [3, 3], d0 mod 4 in [2, 2]",
            "(d0) -> (0), domain: KNOWN EMPTY"},
        Row{"RemainderOfAMultiple",
            "(d0) -> (d0), domain: d0 in [0, 1000000], (d0 * 3 + 2) mod 4 in [0, 0]",
            "(d0) -> (d0), domain: d0 in [2, 999998], d0 mod 4 in [2, 2]"},
        Row{"PinnedVariableInAResult",
            "(d0) -> (d0 mod 2, (d0 + 3) floordiv 6 + (d0 + 3) mod 6, (d0 floordiv 3) mod 2), "
            "domain: d0 in [0, 1000000], d0 mod 6 in [3, 3]",
            "(d0) -> (1, d0 floordiv 6 + 1, 1), domain: d0 in [3, 999999], d0 mod 6 in [3, 3]"},
        Row{"DisjointRemaindersOfTwoModuli",
            "(d0) -> (d0), domain: d0 in [0, 30000000], d0 mod 7 in [1, 2], d0 mod 11 in [3, 3], "
            "d0 mod 77 in [4, 13]",
            "(d0) -> (0), domain: KNOWN EMPTY"},
        Row{"RemainderThatGivesTheValueOfARuntimeVariable",
            "(d0){rt0} -> (rt0, d0 mod 2), domain: d0 in [0, 19], rt0 in [6, 7], (rt0 * 3) mod 5 "
            "in "
            "[1, 1]",
            "(d0){rt0} -> (7, d0 mod 2), domain: d0 in [0, 19], rt0 in [6, 7], rt0 in [7, 7]"},
        Row{"ConstraintsThatNoRuntimeValueMeets",
            "(d0){rt0} -> (d0), domain: d0 in [0, 9999], rt0 in [0, 9999], d0 - rt0 in [1, 5], "
            "d0 floordiv 7 - rt0 floordiv 7 in [2, 5]",
            "(d0){rt0} -> (0), domain: KNOWN EMPTY"},
        Row{"BoundBelowTheEndOf64Bits",
            "(d0) -> (d0), domain: d0 in [-9223372036854775808, -9223372036854775797], "
            "d0 floordiv 14 in [-658812288346769701, -658812288346769701]",
            "(d0) -> (d0), domain: d0 in [-inf, -9223372036854775801]"},
        Row{"LargestModulusOnUnboundedValues",
            "(d0) -> ((d0 + 5) mod 9223372036854775807), domain: d0 in [-9223372036854775808, "
            "9223372036854775807]",
            "(d0) -> ((d0 + 5) mod 9223372036854775807), domain: d0 in [-inf, inf]"},
        // Nothing is known of how large d0 may be.
        Row{"DivisionsOfWhatHasNoEnd",
            "(d0) -> (d0 floordiv 4611686018427387904, d0 mod 4611686018427387904, d0 floordiv "
            "9223372036854775807), domain: d0 in [0, inf]",
            "(d0) -> (d0 floordiv 4611686018427387904, d0 mod 4611686018427387904, d0 floordiv "
            "9223372036854775807), domain: d0 in [0, inf]"},
        Row{"ConstraintsOnWhatHasNoEnd",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, inf], d1 in [-inf, inf], d0 * 2 in [3, inf], "
            "d0 + d1 in [-inf, 9], d0 - d1 in [0, 5]",
            "(d0, d1) -> (d0, d1), domain: d0 in [2, 7], d1 in [-3, 4], d0 + d1 in [-1, 9], d0 - "
            "d1 in [0, 5]"},
        Row{"ConstraintOnAMultipleThatLeaves64Bits",
            "(d0) -> (d0), domain: d0 in [-4611686018427387903, 1152921504606846976], d0 * 2 in "
            "[-2011446129297376342, 294396879916317610]",
            "(d0) -> (d0), domain: d0 in [-4611686018427387903, 1152921504606846976], d0 * 2 in "
            "[-2011446129297376342, 294396879916317610]"},
        Row{"AffineOnTheConstraints",
            "(d0, d1) -> ((d0 - d1) mod 12), domain: d0 in [0, 99], d1 in [0, 99], d0 - d1 in [0, "
            "11]",
            "(d0, d1) -> (d0 - d1), domain: d0 in [0, 99], d1 in [0, 99], d0 - d1 in [0, 11]"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RescaleRanges, ReplacesWhatIsPinned) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto rescaled = [&](const char* text) {
    return RescaleRanges(ParseIndexingMap(text, &context).value()).ToString();
  };
  EXPECT_EQ(rescaled("()[s0] -> (s0), domain: s0 in [0, 1000], s0 mod 6 in [3, 3], "
                     "s0 mod 7 in [5, 5]"),
            "()[s0] -> (s0 * 42 + 33), domain: s0 in [0, 23]");
  // The dimension keeps its meaning; two ranges are rescaled at a time.
  EXPECT_EQ(rescaled("(d0)[s0, s1] -> (d0 + s0, s1 floordiv 4), domain: d0 in [0, 99], "
                     "s0 in [0, 99], s1 in [0, 99], d0 mod 2 in [1, 1], s0 mod 10 in [5, 5], "
                     "s1 mod 4 in [0, 0], s0 + s1 in [0, 120]"),
            "(d0)[s0, s1] -> (d0 + s0 * 10 + 5, s1), domain: d0 in [1, 99], s0 in [0, 9], "
            "s1 in [0, 24], d0 mod 2 in [1, 1], s0 * 5 + s1 * 2 in [0, 57]");
  // The common multiple of the moduli does not fit 64 bits; 4000000000000012345 is in both classes.
  // The other remainder says that s0 is 887410373395 or more: the first 207 of a class are not.
  EXPECT_EQ(rescaled("()[s0] -> (s0), domain: s0 in [0, 4611686018427387904], "
                     "s0 mod 4294967311 in [1558535764, 1558535764], "
                     "s0 mod 1099511627775 in [887410373395, 887410373395]"),
            "()[s0] -> (4000000000000012345), domain: s0 in [931322364, 931322364]");
  EXPECT_EQ(rescaled("UNKNOWN"), "UNKNOWN");
}

// What is given stays where the normal form has more divisions, but for what is known of it.
TEST(Simplify, VariablesOfOneValueAreNotMentioned) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(
      "(d0, d1)[s0] -> (d0 * 12292 + ((d0 + d1 * 32) floordiv 144) * 32 - ((d0 * 4 + d1 * 128 + s0)"
      " floordiv 48) * 64 - ((d0 + d1 * 32) floordiv 36) * 3064 + ((d0 + d1 * 32) floordiv 12) *"
      " 1024 - ((d0 * 4 + d1 * 128 + s0) floordiv 3) * 9215 - ((d0 * 4 + d1 * 128 + s0) mod 24) +"
      " d1 * 393344 + s0 * 3073), domain: d0 in [0, 31], d1 in [0, 71], s0 in [2, 2]",
      &context);
  ASSERT_TRUE(map.ok()) << map.status();
  const IndexingMap simplified = Simplify(*map);
  EXPECT_FALSE(simplified.affine_map().isFunctionOfSymbol(0)) << simplified.ToString();
  EXPECT_EQ(Simplify(simplified), simplified);
}

// What overflows when it is multiplied out may no longer do so next to another constant.
TEST(Simplify, IsIdempotentWhereConstantsAreLarge) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(
      "(d0)[s0] -> ((d0 - 5) * 2305843009213693952 + (6550803955282163712 - (d0 - 5) * s0)), "
      "domain: d0 in [4, 7], s0 in [0, 7]",
      &context);
  const IndexingMap simplified = Simplify(*map);
  EXPECT_EQ(Simplify(simplified).ToString(), simplified.ToString());
}

TEST(Image, CountsValuesBeyond64Bits) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(
      "(d0, d1) -> (d0 - d1, d1), domain: d0 in [0, 9223372036854775805], d1 in [0, "
      "9223372036854775805]",
      &context);
  const llvm::DynamicAPInt values(INT64_MAX - 1);
  const std::optional<Image> image = ImageOf(*map);
  EXPECT_EQ(image->points.lower, values * values);
  EXPECT_EQ(image->size.upper, values * values);
}

TEST(Image, OfWhatHasNoEndIsNotCounted) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto reason = [&](llvm::StringRef text) {
    const auto map = ParseIndexingMap(text, &context);
    EXPECT_TRUE(map.ok()) << map.status().message();
    EXPECT_EQ(ImageOf(*map).has_value(), WhyNoImage(*map).empty());
    EXPECT_EQ(IsInjective(*map).answer == Answer::kUnknown, !WhyNoImage(*map).empty());
    return WhyNoImage(*map);
  };
  EXPECT_EQ(reason("(d0) -> (d0), domain: d0 in [0, inf]"), "d0 has no bound");
  EXPECT_EQ(reason("(d0)[s0, x] -> (s0), domain: d0 in [0, 3], s0 in [0, 1], x in [-inf, 0]"),
            "x has no bound");
  EXPECT_EQ(reason("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, inf]"),
            "rt0 has no bound");
  EXPECT_EQ(reason("UNKNOWN"), "the map is unknown");
  // A constraint is as good as a bound.
  EXPECT_EQ(reason("(d0) -> (d0), domain: d0 in [0, inf], d0 * 2 in [0, 9]"), "");
}

TEST(Xla12018, TheRangeIsExact) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(
      "()[s0, s1] -> (s0 + 32 * s1 - (s0 floordiv 32) * 32), domain: s0 in [0, 1023], s1 in [0, "
      "31]",
      &context);
  const std::optional<Image> image = ImageOf(*map);
  ASSERT_TRUE(image->box.has_value());
  EXPECT_EQ(image->bounds[0], (Interval{0, 1023}));
  EXPECT_TRUE(image->size.lower == 1024);
}

TEST(Image, SaysWhatHasNoValue) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto text = [&](llvm::StringRef map) {
    return ImageOf(*ParseIndexingMap(map, &context))->ToString();
  };
  EXPECT_EQ(text("(d0) -> (5 floordiv d0), domain: d0 in [0, 3]"),
            "values: 0 to 4, points: 0 to 4, injective: unknown, inside: ([-6, 5]); not exact: at "
            "some point an expression has no value: it divides by zero or leaves 64 bits");
  // An end beyond 64 bits is none.
  EXPECT_EQ(text("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9]"),
            "values: 1 to 10, points: 10, injective: yes, inside: ([0, inf]); not exact: there are "
            "too many values to count");
}

// Found beside XLA's simplifier, which wrote these with fewer divisions: quotients merge, take up
// other terms and drop remainders, also where their sums share variables.
INSTANTIATE_TEST_SUITE_P(
    ShortestQuotients, SimplifiesTo,
    ::testing::Values(
        Row{"Merges", "(d0) -> ((d0 floordiv 6 - d0) floordiv 3), domain: d0 in [0, 25]",
            "(d0) -> ((-d0 * 5) floordiv 18), domain: d0 in [0, 25]"},
        Row{"MergesMinus",
            "(d0, d1) -> ((-((d0 - d1) floordiv 10) - d0) floordiv 3), domain: d0 in [0, 40], d1 "
            "in [0, 30]",
            "(d0, d1) -> ((-d0 * 11 + d1 + 9) floordiv 30), domain: d0 in [0, 40], d1 in [0, 30]"},
        Row{"MergesInCeilDiv", "(d0) -> ((d0 + d0 floordiv 5) ceildiv -2), domain: d0 in [0, 9]",
            "(d0) -> (-((d0 * 3) floordiv 5)), domain: d0 in [0, 9]"},
        Row{"Absorbs",
            "(d0) -> ((d0 mod 5) floordiv 2 + (d0 floordiv 5) * 3), domain: d0 in [0, 9]",
            "(d0) -> ((d0 * 3) floordiv 5), domain: d0 in [0, 9]"},
        Row{"AbsorbsAndMerges",
            "(d0, d1) -> ((d0 + d1 + d1 mod 12 - d1 floordiv 3) ceildiv 2), domain: d0 in [-3, 3], "
            "d1 in [0, 9]",
            "(d0, d1) -> ((d0 * 3 + d1 * 5 + 5) floordiv 6), domain: d0 in [-3, 3], d1 in [0, 9]"},
        Row{"DropsRemainders",
            "(d0) -> ((d0 mod 4 - d0 * 36 - 84) floordiv 8), domain: d0 in [0, 7]",
            "(d0) -> (-((d0 * 9) floordiv 2) - 11), domain: d0 in [0, 7]"},
        Row{"DropsHiddenRemainders",
            "(d0) -> ((((d0 + 2) mod 3 + 6) mod 8 * 5) mod 4 * 2), domain: d0 in [6, 13]",
            "(d0) -> ((((d0 + 2) mod 3 + 2) mod 4) * 2), domain: d0 in [6, 13]"},
        Row{"DropsRemaindersInQuotients",
            "(d0) -> (((((d0 * 3 + 5) mod 24) floordiv 3 + 6) floordiv 2) mod 4), domain: d0 in "
            "[0, 999]",
            "(d0) -> (((d0 + 7) floordiv 2) mod 4), domain: d0 in [0, 999]"},
        Row{"RollsThereAndBack",
            "(d0) -> ((((d0 + 25) mod 70 + 45) floordiv 7) mod 10), domain: d0 in [0, 69]",
            "(d0) -> (d0 floordiv 7), domain: d0 in [0, 69]"},
        Row{"LiftsRemainders",
            "(d0)[s0] -> ((s0 - d0 * 2) mod 10), domain: d0 in [1, 5], s0 in [0, 7]",
            "(d0)[s0] -> ((-d0 * 2 + s0) mod 10), domain: d0 in [1, 5], s0 in [0, 7]"},
        Row{"LiftsNegative",
            "(d0, d1) -> (((-9 - (d0 * 10 + d1)) mod 12) * 3 + d1 * 5), domain: d0 in [0, 17], d1 "
            "in [0, 26]",
            "(d0, d1) -> (-((d0 * 10 + d1 + 8) mod 12) * 3 + d1 * 5 + 33), domain: d0 in [0, 17], "
            "d1 in [0, 26]"},
        Row{"LiftsBesideOthers",
            "(d0)[s0] -> (d0 * 7 + (d0 + s0 + s0 mod 2) mod 8), domain: d0 in [0, 7], s0 in [0, 1]",
            "(d0)[s0] -> (d0 * 7 + (d0 + s0 * 2) mod 8), domain: d0 in [0, 7], s0 in [0, 1]"},
        // The quotient belongs to the remainder: 3 * quotient + remainder is the sum again.
        Row{"KeepsWhatIsShared",
            "(d0) -> ((d0 + d0 floordiv 6) floordiv 3, (d0 + d0 floordiv 6) mod 3), domain: d0 in "
            "[0, 99]",
            "(d0) -> ((d0 + d0 floordiv 6) floordiv 3, (d0 + d0 floordiv 6) mod 3), domain: d0 in "
            "[0, 99]"}),
    [](const auto& test) { return std::string(test.param.name); });

// Coefficients of remainders are below their divisors, unless other divisions share the operand.
INSTANTIATE_TEST_SUITE_P(
    ReducedRemainders, SimplifiesTo,
    ::testing::Values(
        Row{"One", "(d0) -> ((d0 * 7) mod 3), domain: d0 in [0, 50]",
            "(d0) -> (d0 mod 3), domain: d0 in [0, 50]"},
        Row{"Two", "(d0, d1) -> ((d0 * 8 + d1) mod 3), domain: d0 in [0, 8], d1 in [0, 7]",
            "(d0, d1) -> ((d0 * 2 + d1) mod 3), domain: d0 in [0, 8], d1 in [0, 7]"},
        Row{"WithACommonFactor", "(d0) -> ((d0 * 28) mod 6), domain: d0 in [0, 50]",
            "(d0) -> (((d0 * 2) mod 3) * 2), domain: d0 in [0, 50]"},
        Row{"PositiveWhereThatIsOne",
            "(d0, d1) -> ((-d0) mod 2, (d1 - d0 * 3 + 1) mod 4), domain: d0 in [0, 50], d1 in [0, "
            "9]",
            "(d0, d1) -> (d0 mod 2, (d0 + d1 + 1) mod 4), domain: d0 in [0, 50], d1 in [0, 9]"},
        Row{"KeepsTheSign",
            "(d0, d1) -> ((d1 - d0 * 9) mod 4), domain: d0 in [0, 50], d1 in [0, 9]",
            "(d0, d1) -> ((-d0 + d1) mod 4), domain: d0 in [0, 50], d1 in [0, 9]"},
        Row{"InAQuotient",
            "(d0, d1) -> (((d0 * 5 + d1) mod 4 + d1) floordiv 3), domain: d0 in [0, 50], d1 in "
            "[0, 9]",
            "(d0, d1) -> (((d0 + d1) mod 4 + d1) floordiv 3), domain: d0 in [0, 50], d1 in [0, 9]"},
        Row{"InAConstraint",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 50], d1 in [0, 9], (d0 * 5 + d1) mod 4 in "
            "[1, 2]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 50], d1 in [0, 9], (d0 + d1) mod 4 in [1, 2]"},
        Row{"NotWhereAQuotientSharesTheOperand",
            "(d0, d1) -> ((d0 * 8 + d1) floordiv 3, (d0 * 8 + d1) mod 3), domain: d0 in [0, 8], "
            "d1 in [0, 7]",
            "(d0, d1) -> ((d0 * 8 + d1) floordiv 3, (d0 * 8 + d1) mod 3), domain: d0 in [0, 8], "
            "d1 in [0, 7]"}),
    [](const auto& test) { return std::string(test.param.name); });

// A remainder that stands below a quotient of another sum, which differs by multiples of the
// divisor, makes that sum whole.
INSTANTIATE_TEST_SUITE_P(
    CongruentRemainders, SimplifiesTo,
    ::testing::Values(
        Row{"SmallerCoefficients",
            "(d0)[s0] -> (((d0 * 4 + s0 + 4096) floordiv 3) * 3 + (d0 + s0 + 1) mod 3), domain: d0 "
            "in [0, 523], s0 in [0, 3]",
            "(d0)[s0] -> (d0 * 4 + s0 + 4096), domain: d0 in [0, 523], s0 in [0, 3]"},
        Row{"OtherSign",
            "(d0)[s0] -> (((d0 * 7 + s0) floordiv 5) * 10 + ((s0 - d0 * 3) mod 5) * 2), domain: "
            "d0 in [0, 523], s0 in [0, 3]",
            "(d0)[s0] -> (d0 * 14 + s0 * 2), domain: d0 in [0, 523], s0 in [0, 3]"},
        Row{"Negative",
            "(d0)[s0] -> (((s0 - d0 * 7) floordiv 5) * 5 + (s0 - d0 * 2) mod 5), domain: d0 in [0, "
            "523], s0 in [0, 3]",
            "(d0)[s0] -> (-d0 * 7 + s0), domain: d0 in [0, 523], s0 in [0, 3]"},
        Row{"OfAVariable",
            "(d0) -> (((d0 * 4) floordiv 3) * 3 + d0 mod 3, (d0 floordiv 3) * 3 + (d0 * 4) mod 3), "
            "domain: d0 in [0, 523]",
            "(d0) -> (d0 * 4, d0), domain: d0 in [0, 523]"},
        Row{"SeveralDigits",
            "(d0)[s0] -> (((d0 * 25 + s0) floordiv 6) * 6 + (((d0 * 7 + s0) floordiv 2) mod 3) * 2 "
            "+ (d0 + s0) mod 2), domain: d0 in [0, 523], s0 in [0, 3]",
            "(d0)[s0] -> (d0 * 25 + s0), domain: d0 in [0, 523], s0 in [0, 3]"},
        Row{"NotOfOthers",
            "(d0)[s0] -> (((d0 * 4 + s0) floordiv 3) * 3 + (d0 * 2 + s0) mod 3), domain: d0 in [0, "
            "523], s0 in [0, 3]",
            "(d0)[s0] -> (((d0 * 4 + s0) floordiv 3) * 3 + (d0 * 2 + s0) mod 3), domain: d0 in [0, "
            "523], s0 in [0, 3]"}),
    [](const auto& test) { return std::string(test.param.name); });

// Bounds on a sum with a quotient are bounds on what it divides, which may be known.
INSTANTIATE_TEST_SUITE_P(
    QuotientsInConstraints, SimplifiesTo,
    ::testing::Values(
        Row{"KnownBounds",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 31], d1 in [0, 247], d0 + d1 * 32 in [0, "
            "7919], d0 floordiv 16 + d1 * 2 in [0, 494]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 31], d1 in [0, 247], d0 + d1 * 32 in [0, "
            "7919]"},
        Row{"Subtracted",
            "(d0, d1) -> (d0, d1), domain: d0 in [-7, 31], d1 in [0, 247], d1 - d0 floordiv 5 in "
            "[3, 50]",
            "(d0, d1) -> (d0, d1), domain: d0 in [-7, 31], d1 in [1, 56], d0 - d1 * 5 in [-250, "
            "-11]"},
        Row{"TwoQuotientsStay",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 31], d1 in [0, 31], d0 floordiv 4 + d1 "
            "floordiv 4 in [0, 5]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 23], d1 in [0, 23], d0 floordiv 4 + d1 "
            "floordiv 4 in [0, 5]"}),
    [](const auto& test) { return std::string(test.param.name); });

// The same, by the values at the points of small domains.
INSTANTIATE_TEST_SUITE_P(
    QuotientsOfSmallDomains, SimplifiesTo,
    ::testing::Values(
        Row{"OneQuotient",
            "(d0) -> ((((d0 ceildiv 6) mod 16) + (d0 * 6 + (d0 floordiv 6))) floordiv 12), domain: "
            "d0 in [0, 8]",
            "(d0) -> (d0 floordiv 2), domain: d0 in [0, 8]"},
        Row{"NoRemainder",
            "(d0, d1, d2) -> ((d1 floordiv 5 + d1 + d2) mod 10 + d0 * 12), domain: d0 in [0, 4], "
            "d1 in [0, 5], d2 in [0, 3]",
            "(d0, d1, d2) -> (d0 * 12 + d1 + d1 floordiv 5 + d2), domain: d0 in [0, 4], d1 in [0, "
            "5], d2 in [0, 3]"},
        Row{"UnderAConstraint",
            "(d0) -> ((((d0 mod 12) * 6 + d0) floordiv 2) floordiv 10), domain: d0 in [0, 5], (d0 "
            "* 7) mod 12 in [0, 6]",
            "(d0) -> (d0 floordiv 3), domain: d0 in [0, 4], (d0 * 7) mod 12 in [0, 6]"},
        Row{"RemainderOfAnAffineQuotient",
            "(d0) -> (((d0 * 8 + d0 floordiv 4) mod 12) floordiv 4), domain: d0 in [0, 9]",
            "(d0) -> ((d0 * 2) mod 3), domain: d0 in [0, 9]"},
        Row{"ReducedCoefficients",
            "(d0) -> (((d0 + d0) floordiv 6 + d0 * 3 + d0 floordiv 6) mod 3), domain: d0 in [0, "
            "9], d0 * 5 in [10, 22]",
            "(d0) -> (d0 floordiv 3), domain: d0 in [2, 4]"},
        // What stays below 50 on the constraint does not carry into the hundreds.
        Row{"BlockUnderAConstraint",
            "(d0, d1)[s0] -> ((d0 + d1 * 50 + s0 * 32) floordiv 100), domain: d0 in [0, 31], d1 in "
            "[0, 3], s0 in [0, 1], d0 + s0 * 32 in [0, 49]",
            "(d0, d1)[s0] -> (d1 floordiv 2), domain: d0 in [0, 31], d1 in [0, 3], s0 in [0, 1], "
            "d0 + s0 * 32 in [0, 49]"},
        Row{"ScaledBlockUnderAConstraint",
            "(d0, d1)[s0, s1] -> ((d0 * 2 + d1 * 100 + s0 * 64 + s1) floordiv 200), domain: d0 in "
            "[0, 31], d1 in [0, 3], s0 in [0, 1], s1 in [0, 1], d0 + s0 * 32 in [0, 49]",
            "(d0, d1)[s0, s1] -> (d1 floordiv 2), domain: d0 in [0, 31], d1 in [0, 3], s0 in [0, "
            "1], s1 in [0, 1], d0 + s0 * 32 in [0, 49]"},
        Row{"ScaledQuotient",
            "(d0) -> (((d0 mod 3) * 49 + (d0 floordiv 2) * 3 + d0) mod 10), domain: d0 in [0, 2]",
            "(d0) -> ((d0 floordiv 2) * 3), domain: d0 in [0, 2]"},
        Row{"TwoInOne", "(d0) -> (d0 floordiv 3 + d0 floordiv 5), domain: d0 in [0, 5]",
            "(d0) -> ((d0 * 2) floordiv 5), domain: d0 in [0, 5]"},
        // Together they would have more divisions.
        Row{"KeepsWhatOthersUse",
            "(d0) -> (d0 floordiv 3 + d0 floordiv 5, d0 floordiv 3, d0 floordiv 5), domain: d0 in "
            "[0, 5]",
            "(d0) -> (d0 floordiv 5 + d0 floordiv 3, d0 floordiv 3, d0 floordiv 5), domain: d0 in "
            "[0, 5]"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
