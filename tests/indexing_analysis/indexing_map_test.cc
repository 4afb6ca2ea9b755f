#include "indexing_analysis/maps/indexing_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IndexingMapTest : public ::testing::Test {
 protected:
  IndexingMap Parse(llvm::StringRef text) {
    const auto map = ParseIndexingMap(text, &context_);
    EXPECT_TRUE(map.ok()) << map.status().message();
    return map.ok() ? *map : IndexingMap();
  }
  std::string Simplified(llvm::StringRef text) { return Simplify(Parse(text)).ToString(); }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(IndexingMapTest, PrintsWhatItParses) {
  for (const char* text : {
           "() -> ()",
           "() -> (5, -3)",
           "(d0) -> (d0), domain: d0 in [-4, 7]",
           "(d0, d1)[s0]{rt0} -> (s0, d0 + rt0), domain: d0 in [0, 9], d1 in [0, 19], s0 in [0, "
           "3], "
           "rt0 in [0, 5], d0 + s0 in [0, 12]",
           "(th_x, bl_x)[vector_index] -> (bl_x floordiv 4, (th_x mod 8) * 4 + vector_index), "
           "domain: th_x in [0, 127], bl_x in [0, 9], vector_index in [0, 3]",
           "(d0) -> (-d0 + 16, d0 * -1 floordiv 2), domain: d0 in [0, 16]",
           "(d0)[s0] -> (d0 * s0, d0 floordiv s0, d0 mod s0, d0 ceildiv 3), domain: d0 in [0, 3], "
           "s0 in [1, 2]",
           "(d0, d1) -> (0, 0), domain: KNOWN EMPTY",
           "(d0)[s0]{rt0} -> (0), domain: KNOWN EMPTY",
           "(d0)[s0] -> ((d0 - 5) * 8 + (-((d0 - 5) * s0) + 6)), domain: d0 in [0, 7], s0 in [0, "
           "7]",
           "(d0, inf)[s0] -> (d0, inf), domain: d0 in [0, inf], inf in [-inf, 3], s0 in [-inf, "
           "inf], d0 - s0 in [-inf, 0], s0 * 2 in [5, inf]",
           "UNKNOWN",
       }) {
    const IndexingMap map = Parse(text);
    EXPECT_TRUE(map.Verify().ok());
    const std::string printed = map.ToString();
    EXPECT_EQ(Parse(printed), map) << printed;
    EXPECT_EQ(Parse(printed).ToString(), printed);
    if (llvm::StringRef(text).contains("* -1")) continue;
    EXPECT_EQ(printed, text);
  }
}

TEST_F(IndexingMapTest, ReadsOtherSpellings) {
  EXPECT_EQ(Parse("(d0) -> (d0 / 8, d0 floorDiv 8, d0 ceilDiv 8), domain: d0 in [0, 63],"),
            Parse("(d0)->(d0 floordiv 8,d0 floordiv 8,d0 ceildiv 8),domain:d0 in[0,63]"));
  EXPECT_TRUE(Parse("UNDEFINED").IsUnknown());
  EXPECT_TRUE(Parse("KNOWN EMPTY\n").IsKnownEmpty());
  // Equal precedence, to the left; a sign binds tightest.
  EXPECT_EQ(EvaluateExpression(Parse("() -> (-7 floordiv 2 * 3 mod 5)").affine_map().getResult(0),
                               {}, {}),
            3);
  // Where there is no end, the largest number stands for it.
  EXPECT_EQ(Parse("(d0)[s0] -> (d0), domain: d0 in [0, inf], s0 in [ - inf , 9]"),
            Parse("(d0)[s0] -> (d0), domain: d0 in [0, 9223372036854775807], s0 in "
                  "[-9223372036854775808, 9]"));
  // A bound given twice is intersected.
  EXPECT_EQ(Parse("(d0) -> (d0), domain: d0 in [0, 9], d0 in [3, 12]").dimensions()[0].bounds,
            (Interval{3, 9}));
  EXPECT_EQ(Parse("(d0) -> (d0), domain: d0 in [0, 9], (d0) - 2 mod 2 in [3, 12]"),
            Parse("(d0) -> (d0), domain: d0 in [3, 9]"));
  // The bounds of a runtime variable are what its value is clamped to; more is a constraint.
  const IndexingMap runtime = Parse("(){rt0} -> (rt0), domain: rt0 in [0, 9], rt0 in [3, 12]");
  EXPECT_EQ(runtime.runtime()[0].bounds, (Interval{0, 9}));
  EXPECT_EQ(runtime.ToString(), "(){rt0} -> (rt0), domain: rt0 in [0, 9], rt0 in [3, 12]");
}

TEST_F(IndexingMapTest, KeepsExtremeConstants) {
  for (const char* text : {
           "(d0) -> (d0 * 4611686018427387904 + 4611686018427387904), domain: d0 in [-1, 0]",
           "(d0) -> (d0 + -9223372036854775808), domain: d0 in [0, 9]",
           "(d0) -> (d0 * -9223372036854775808), domain: d0 in [0, 1]",
           "(d0)[s0] -> (d0 * 4611686018427387904 + s0 * 4611686018427387904), domain: d0 in [0, "
           "1], s0 in [-1, 0]",
       }) {
    EXPECT_EQ(Parse(text).ToString(), text);
    EXPECT_EQ(Simplified(text), text);
  }
  // A division by a variable that can only be 0 has no value, and no shorter form.
  for (const char* text : {"(d0)[s0] -> (d0 floordiv s0), domain: d0 in [0, 9], s0 in [0, 0]",
                           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 0], d0 mod s0 in "
                           "[1, 2]"}) {
    EXPECT_EQ(Parse(Simplified(text)).ToString(), Simplified(text));
  }
  // A division by -1 is a product.
  EXPECT_EQ(Parse("(d0) -> (d0 floordiv -1, d0 ceildiv -1, d0 mod -1), domain: d0 in [0, 1]"),
            Parse("(d0) -> (-d0, -d0, 0), domain: d0 in [0, 1]"));
}

struct MapError {
  const char* text;
  const char* message;
};

class IndexingMapErrors : public IndexingMapTest, public ::testing::WithParamInterface<MapError> {};

TEST_P(IndexingMapErrors, HavePlaces) {
  const auto map = ParseIndexingMap(GetParam().text, &context_);
  ASSERT_FALSE(map.ok());
  EXPECT_THAT(std::string(map.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, IndexingMapErrors,
    ::testing::Values(
        MapError{"", "<map>:1:1: error: expected the dimension variables"},
        MapError{"(d0", "expected ')'"},
        MapError{"(d0, d0) -> ()",
                 "<map>:1:6: error: variable 'd0' "
                 "is declared twice"},
        MapError{"(d0) (d0)", "expected '->'"}, MapError{"(d0) -> (d1)", "unknown variable 'd1'"},
        MapError{"(d0) -> (d0)", "<map>:1:2: error: the domain gives no bounds for variable 'd0'"},
        MapError{"(d0) -> (d0 +)", "<map>:1:14: error: expected an expression"},
        MapError{"(d0) -> (d0 mod 0), domain: d0 in [0, 1]", "<map>:1:13: error: division by zero"},
        MapError{"(d0) -> (d0 / (3 - 3)), domain: d0 in [0, 1]", "division by zero"},
        MapError{"(d0) -> (d0), domain: d0 in [0]", "expected ','"},
        MapError{"(d0) -> (d0), domain: d0 in [0, 9223372036854775808]", "does not fit"},
        MapError{"(d0) -> (d0), domain: d0 in [inf, 3]", "expected an integer"},
        MapError{"(d0) -> (d0), domain: d0 in [0, -inf]", "expected an integer"},
        MapError{"(d0) -> (d0), domain: d0 in [0, infinity]", "expected an integer"},
        MapError{"(d0) -> (inf), domain: d0 in [0, inf]", "unknown variable 'inf'"},
        MapError{"(d0) -> (d0), domain: d0 in [0, 1] x", "unexpected text"},
        MapError{"(d0) -> (d0), d0 in [0, 1]", "expected 'domain'"},
        MapError{"(d0) -> (min(d0, 3)), domain: d0 in [0, 9]", "min is not affine"},
        MapError{"(d0) -> (d0 modd0), domain: d0 in [0, 9]", "expected ')'"},
        MapError{"(d0) -> (d0 * 4611686018427387904 * 4), domain: d0 in [0, 0]",
                 "<map>:1:35: error: the constants of this operation do not fit 64 bits"},
        // 2^64 would be taken for 0.
        MapError{"(d0) -> ((((d0 * 4294967296) mod 8589934592) * 4294967296 + d0) mod 7), domain: "
                 "d0 in [0, 3]",
                 "<map>:1:46: error: the constants of this operation do not fit 64 bits"},
        MapError{"(d0) -> (d0 + 9223372036854775807 + 5), domain: d0 in [0, 0]", "do not fit 64"},
        MapError{"(d0) -> (5 - (d0 - 9223372036854775807 - 9)), domain: d0 in [0, 0]",
                 "do not fit"},
        MapError{"(d0) -> (-9223372036854775808 floordiv -1), domain: d0 in [0, 0]", "do not fit"},
        MapError{"(d0) -> (d0 * 9223372036854775807 + d0), domain: d0 in [0, 0]", "do not fit"},
        MapError{"KNOWN EMPTY x", "unexpected text"}));

TEST_F(IndexingMapTest, LimitsHostileTexts) {
  const auto error = [this](const std::string& text) {
    return std::string(ParseIndexingMap(text, &context_).status().message());
  };
  EXPECT_THAT(error("(d0) -> (" + std::string(1000000, '(')), HasSubstr("nested deeper"));
  EXPECT_THAT(error("(d0) -> (" + std::string(1000000, '-') + "d0)"), HasSubstr("more than"));
  std::string sum = "(d0) -> (d0";
  for (int i = 0; i < 100000; ++i) sum += " + d0";
  EXPECT_THAT(error(sum + ")"), HasSubstr("more than"));
}

TEST_F(IndexingMapTest, TriesAllPointsWhereThereAreFew) {
  // One point is left, or none.
  EXPECT_EQ(Simplified("(d0) -> (d0), domain: d0 in [0, 5], (d0 * 3 + 2) mod 4 in [0, 0]"),
            "(d0) -> (2), domain: d0 in [2, 2]");
  EXPECT_EQ(Simplified("(d0) -> (d0), domain: d0 in [0, 1], (d0 * 3 + 2) mod 4 in [0, 0]"),
            "(d0) -> (0), domain: KNOWN EMPTY");
  // The other variables may have many values; two constraints only exclude each other together.
  EXPECT_EQ(Simplified("(d0, d1) -> (d0), domain: d0 in [0, 99999], d1 in [0, 9], d1 mod 3 in "
                       "[1, 1], d1 mod 5 in [3, 3]"),
            "(d0, d1) -> (0), domain: KNOWN EMPTY");
  // Too many points to try: integer programming.
  EXPECT_EQ(Simplified("(d0, d1) -> (d0), domain: d0 in [0, 99999], d1 in [0, 99999], (d0 + d1) "
                       "mod 2 in [0, 0], (d0 * 3 + d1 + 1) mod 2 in [0, 0]"),
            "(d0, d1) -> (0), domain: KNOWN EMPTY");
  // What one implies is left out.
  EXPECT_EQ(Simplified("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 4], "
                       "d0 * 2 + d1 in [0, 8], d0 * 3 + d1 * 2 in [0, 12]"),
            "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [0, 4]");
}

TEST_F(IndexingMapTest, UsesEqualities) {
  EXPECT_EQ(Simplified("(d0, d1){rt0} -> (d0, d1 * 32 + d0 * 128 - rt0 * 128 + 128), domain: d0 in "
                       "[0, 255], d1 in [0, 31], rt0 in [0, 255], d0 - rt0 in [0, 0]"),
            "(d0, d1){rt0} -> (d0, d1 * 32 + 128), domain: d0 in [0, 255], d1 in [0, 31], rt0 in "
            "[0, 255], d0 - rt0 in [0, 0]");
  EXPECT_EQ(Simplified("(d0, d1)[s0] -> (s0), domain: d0 in [0, 9999], d1 in [0, 9999], s0 in [0, "
                       "9999], d0 + d1 in [7, 7], d0 * 2 + d1 * 2 + s0 in [20, 24]"),
            "(d0, d1)[s0] -> (s0), domain: d0 in [0, 7], d1 in [0, 7], s0 in [6, 10], d0 + d1 in "
            "[7, 7]");
}

TEST_F(IndexingMapTest, UsesBoundsOfRuntimeVariables) {
  // The bounds of the variable itself stay: its value is clamped to them.
  EXPECT_EQ(Simplified("(){rt0} -> (rt0 * 2), domain: rt0 in [0, 9], rt0 in [3, 3]"),
            "(){rt0} -> (6), domain: rt0 in [0, 9], rt0 in [3, 3]");
  EXPECT_EQ(Simplified("(){rt0} -> (rt0), domain: rt0 in [0, 1], (rt0 + 2) mod 3 in [0, 0]"),
            "(){rt0} -> (1), domain: rt0 in [0, 1], rt0 in [1, 1]");
  EXPECT_EQ(
      Simplified("(){rt0, rt1} -> (rt0), domain: rt0 in [0, 99999], rt1 in [0, 99999], rt1 in "
                 "[5, 9], rt0 + rt1 in [0, 4]"),
      "(){rt0, rt1} -> (0), domain: KNOWN EMPTY");
}

TEST_F(IndexingMapTest, EvaluatesAndChecksTheDomain) {
  const IndexingMap map = Parse(
      "(d0)[s0]{rt0} -> (d0 * 4 + s0, rt0), domain: d0 in [0, 9], s0 in [0, 3], rt0 in [2, 5], "
      "d0 + s0 in [1, 5]");
  EXPECT_THAT(*map.Evaluate({2}, {1, 4}), ElementsAre(9, 4));
  EXPECT_TRUE(map.DomainContains({2}, {1, 4}));
  EXPECT_FALSE(map.DomainContains({10}, {0, 4}));
  EXPECT_FALSE(map.DomainContains({2}, {4, 4}));
  EXPECT_FALSE(map.DomainContains({2}, {1, 6}));
  EXPECT_FALSE(map.DomainContains({0}, {0, 4}));
  EXPECT_EQ(
      Parse("(d0) -> (d0 * d0), domain: d0 in [0, 9223372036854775807]").Evaluate({INT64_MAX}, {}),
      std::nullopt);
}

TEST_F(IndexingMapTest, MapsMadeOfAnotherLeaveItAsItWas) {
  const std::string text =
      "(x)[s0]{rt0} -> (x, s0), domain: x in [0, 9], s0 in [0, 3], rt0 in [2, 5], x + rt0 in [3, "
      "8]";
  const IndexingMap map = Parse(text);
  const mlir::AffineMap second =
      mlir::AffineMap::get(1, 2, {map.affine_map().getResult(1)}, &context_);
  EXPECT_EQ(map.WithResults(second).ToString(),
            "(x)[s0]{rt0} -> (s0), domain: x in [0, 9], s0 in [0, 3], rt0 in [2, 5], x + rt0 in "
            "[3, 8]");
  EXPECT_EQ(IndexingMap::KnownEmpty(map).ToString(), "(x)[s0]{rt0} -> (0, 0), domain: KNOWN EMPTY");
  EXPECT_TRUE(IndexingMap::KnownEmpty(map).dimensions()[0].bounds.IsEmpty());
  EXPECT_FALSE(map.IsKnownEmpty());
  EXPECT_EQ(map.ToString(), text);
}

TEST_F(IndexingMapTest, EqualityIgnoresNamesAndTheOrderOfConstraints) {
  const IndexingMap a =
      Parse("(x, y) -> (x), domain: x in [0, 9], y in [0, 9], x + y in [1, 2], x - y in [0, 3]");
  const IndexingMap b = Parse(
      "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 - d1 in [0, 3], "
      "d0 + d1 in [1, 2]");
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
  EXPECT_NE(a, Parse("(d0, d1) -> (d1), domain: d0 in [0, 9], d1 in [0, 9]"));
  EXPECT_NE(Parse("(d0) -> (d0), domain: d0 in [0, 1]"),
            Parse("(d0) -> (d0), domain: d0 in [0, 2]"));
}

TEST_F(IndexingMapTest, VerifyFindsMissingVariables) {
  const mlir::AffineMap map = mlir::AffineMap::getMultiDimIdentityMap(2, &context_);
  EXPECT_TRUE(IndexingMap::FromSizes(map, {3, 4}).Verify().ok());
  EXPECT_FALSE(IndexingMap::FromSizes(map, {3}).Verify().ok());
  const IndexingMap constrained(map, {{{0, 2}, ""}, {{0, 3}, ""}}, {}, {},
                                {{mlir::getAffineSymbolExpr(0, &context_), {0, 1}}});
  EXPECT_FALSE(constrained.Verify().ok());
}

// The examples of the indexing analysis document.
TEST_F(IndexingMapTest, SimplifiesTheDocumentsExamples) {
  EXPECT_EQ(Simplified("(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in "
                       "[0, 14]"),
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]");
  EXPECT_EQ(Simplified("(d0, d1, d2) -> ((100*d0 + 10*d1 + d2) / 100, ((100*d0 + 10*d1 + d2) mod "
                       "100) / 10, d2 mod 10), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"),
            "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]");
  EXPECT_EQ(
      Simplified("(d0, d1, d2) -> ((16*d0 + 4*d1 + d2) / 8, (16*d0 + 4*d1 + d2) mod 8), "
                 "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"),
      "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8), domain: d0 in "
      "[0, 9], d1 in [0, 9], d2 in [0, 9]");
  EXPECT_EQ(Simplified("(d0, d1) -> (-((-11*d0 - d1 + 109) / 11) + 9), domain: d0 in [0, 9], d1 in "
                       "[0, 10]"),
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]");
}

// What users of other compilers have asked for: the issue and the expected form.
TEST_F(IndexingMapTest, SimplifiesWhatOthersMissed) {
  // pytorch#127581
  EXPECT_EQ(
      Simplified("(hi, lo) -> (5504*hi + lo floordiv 2 - (11008*hi + lo) floordiv 2), domain: "
                 "hi in [0, 100], lo in [0, 11007]"),
      "(hi, lo) -> (0), domain: hi in [0, 100], lo in [0, 11007]");
  // triton#10273
  EXPECT_EQ(Simplified("(x, t) -> (x + 512*(t mod 614400) + 1228800*((x + 512*(t mod 2400)) / "
                       "1228800)), domain: x in [0, 511], t in [0, 614399]"),
            "(x, t) -> (x + t * 512), domain: x in [0, 511], t in [0, 614399]");
  // tvm#19825
  EXPECT_EQ(Simplified("(i, j) -> (128*((192*i + j) / 128) + (192*i + j) mod 128), domain: i in "
                       "[0, 9], j in [0, 191]"),
            "(i, j) -> (i * 192 + j), domain: i in [0, 9], j in [0, 191]");
  // xla#12018
  EXPECT_EQ(Simplified("()[s0, s1] -> (s0 + 32*s1 - (s0 / 32)*32), domain: s0 in [0, 1023], s1 in "
                       "[0, 31]"),
            "()[s0, s1] -> (s0 mod 32 + s1 * 32), domain: s0 in [0, 1023], s1 in [0, 31]");
  // tvm#15665
  EXPECT_EQ(Simplified("(x) -> ((x mod 255) / 16), domain: x in [0, 254]"),
            "(x) -> (x floordiv 16), domain: x in [0, 254]");
  // Enzyme-JAX#318
  EXPECT_EQ(Simplified("(a, b, c) -> (a + (b + c / 3) / 5), domain: a in [0, 9], b in [0, 3], c in "
                       "[0, 3]"),
            "(a, b, c) -> (a), domain: a in [0, 9], b in [0, 3], c in [0, 3]");
}

TEST_F(IndexingMapTest, KeepsWhatItCannotSimplify) {
  for (const char* text :
       {"()[s0, s1] -> (s0 floordiv s1, s0 * s1, s0 mod s1), domain: s0 in [0, 20], s1 in [1, 5]",
        "(d0) -> (d0 * 9223372036854775807 + 9223372036854775807), domain: d0 in [0, "
        "9223372036854775806]",
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 7], d0 + rt0 in [2, 9]"}) {
    EXPECT_EQ(Simplified(text), text);
  }
}

TEST_F(IndexingMapTest, SimplifyKeepsAllVariables) {
  EXPECT_EQ(
      Simplified("(d0)[s0, s1]{rt0} -> (s1 floordiv 4), domain: d0 in [0, 3], s0 in [0, 1], s1 "
                 "in [0, 3], rt0 in [0, 5]"),
      "(d0)[s0, s1]{rt0} -> (0), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 3], rt0 in "
      "[0, 5]");
}

TEST_F(IndexingMapTest, RemovesUnusedVariables) {
  EXPECT_EQ(
      RemoveUnusedVariables(
          Parse("(d0)[a, b, c]{x, y} -> (b + y), domain: d0 in [0, 3], a in [0, 1], b in [0, "
                "3], c in [0, 5], x in [0, 2], y in [0, 7], c + d0 in [0, 6]"))
          .ToString(),
      "(d0)[b, c]{y} -> (b + y), domain: d0 in [0, 3], b in [0, 3], c in [0, 5], y in [0, 7], "
      "d0 + c in [0, 6]");
}

TEST_F(IndexingMapTest, Composes) {
  const IndexingMap consumer =
      Parse("(d0)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], s0 in [0, 4], rt0 in [0, 3]");
  const IndexingMap producer =
      Parse("(d0, d1)[s0] -> (d0 * 5 + d1, s0), domain: d0 in [2, 12], d1 in [0, 4], s0 in [0, 1]");
  EXPECT_EQ(Compose(consumer, producer).ToString(),
            "(d0)[s0, s1]{rt0} -> (d0 * 5 + s1 + rt0 * 5, s0), domain: d0 in [0, 9], s0 in [0, 1], "
            "s1 in [0, 4], rt0 in [0, 3], d0 + rt0 in [2, 12]");
  EXPECT_TRUE(Compose(consumer, IndexingMap()).IsUnknown());
  const IndexingMap nowhere = Parse("(d0, d1) -> (d0), domain: d0 in [100, 101], d1 in [0, 4]");
  EXPECT_TRUE(Compose(consumer, nowhere).IsKnownEmpty());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
