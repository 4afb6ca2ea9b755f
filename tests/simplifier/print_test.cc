// The text of every stage.
#include <gtest/gtest.h>

#include "llvm/Support/raw_ostream.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {
namespace {

class PrintTest : public ::testing::Test {
 protected:
  Sum Var(VariableId i, int64_t lower, int64_t upper) {
    return context_.Variable(i, {lower, upper});
  }
  Sum Combine(std::initializer_list<ScaledSum> parts, int64_t constant = 0) {
    return Linear(context_, std::vector<ScaledSum>(parts), constant);
  }

  DigitContext context_;
};

TEST_F(PrintTest, Intervals) {
  EXPECT_EQ((Interval{0, 9}).ToString(), "[0, 9]");
  EXPECT_EQ((Interval{-3, Interval::kPlusInfinity}).ToString(), "[-3, inf]");
  EXPECT_EQ(Interval::All().ToString(), "[-inf, inf]");
  EXPECT_EQ(Interval::Empty().ToString(), "[0, -1]");
  EXPECT_EQ((Interval{INT64_MAX, Interval::kPlusInfinity}).ToString(),
            "[9223372036854775807, inf]");
  EXPECT_EQ((Interval{Interval::kMinusInfinity, INT64_MIN}).ToString(),
            "[-inf, -9223372036854775808]");
}

TEST_F(PrintTest, SumsOfVariables) {
  const Sum x = Var(0, 0, 9);
  const Sum y = Var(1, 0, 9);
  EXPECT_EQ(Constant(0).ToString(), "0");
  EXPECT_EQ(Constant(-7).ToString(), "-7");
  EXPECT_EQ(Constant(INT64_MIN).ToString(), "-9223372036854775808");
  EXPECT_EQ(x.ToString(), "d0");
  EXPECT_EQ(Combine({{x, 8}, {y, -1}}, 3).ToString(), "d0 * 8 - d1 + 3");
  EXPECT_EQ(Combine({{x, -1}, {y, 2}}, -3).ToString(), "-d0 + d1 * 2 - 3");
  EXPECT_EQ(Combine({{x, INT64_MIN}}).ToString(), "-d0 * 9223372036854775808");
}

TEST_F(PrintTest, Digits) {
  const Sum x = Var(0, 0, 99);
  const Division by4 = DivMod(context_, x, 4);
  EXPECT_EQ(by4.ToString(), "quotient d0 floordiv 4, remainder d0 mod 4");
  const Sum middle = DivMod(context_, by4.quotient, 3).remainder;
  EXPECT_EQ(middle.ToString(), "(d0 floordiv 4) mod 3");
  EXPECT_EQ(Combine({{middle, -2}}, 1).ToString(), "-((d0 floordiv 4) mod 3) * 2 + 1");
  EXPECT_EQ(by4.quotient.terms.front().ToString(), "d0 floordiv 4");
}

// An atom starts at 0, what it stands for need not.
TEST_F(PrintTest, ShiftedVariables) {
  const Sum x = Var(0, 5, 20);
  EXPECT_EQ(x.ToString(), "d0");
  EXPECT_EQ(Combine({{x, 2}}, 1).ToString(), "d0 * 2 + 1");
  EXPECT_EQ(Sum({x.terms, 0}).ToString(), "d0 - 5");
  const Term lowest = {1, x.terms.front().atom, 1, 4};
  EXPECT_EQ(lowest.ToString(), "(d0 - 5) mod 4");
  const Sum y = Var(1, -5, 20);
  EXPECT_EQ(DivMod(context_, y, 5).quotient.ToString(), "(d1 + 5) floordiv 5 - 1");
  // The constant does not fit.
  const Sum z = Var(2, INT64_MIN + 2, -1);
  EXPECT_EQ(Sum({z.terms, 2}).ToString(), "(d2 + 9223372036854775806) + 2");
}

TEST_F(PrintTest, QuotientVariablesStandInBraces) {
  const Sum x = Var(0, 0, 9);
  const Sum y = Var(1, 0, 9);
  const Division by7 = DivMod(context_, Combine({{x, 5}, {y, 1}}), 7);
  EXPECT_EQ(by7.ToString(), "quotient {d0 * 5 + d1} floordiv 7, remainder {d0 * 5 + d1} mod 7");
  const Sum nested = DivMod(context_, Combine({{by7.remainder, 3}, {y, 1}}), 4).remainder;
  EXPECT_EQ(nested.ToString(), "{d1 + ({d0 * 5 + d1} mod 7) * 3} mod 4");
  EXPECT_EQ(by7.quotient.terms.front().atom->ToString(), "{d0 * 5 + d1}");
}

TEST_F(PrintTest, FunctionsAndOpaqueValues) {
  const Sum x = Var(0, 0, 9);
  const Sum y = Var(1, 0, 9);
  const Sum f = context_.Function(2, {x, Combine({{y, 2}}, 1)}, {-3, 12});
  EXPECT_EQ(f.ToString(), "f2(d0, d1 * 2 + 1)");
  EXPECT_EQ(context_.Function(0, {}, {0, 3}).ToString(), "f0()");
  EXPECT_EQ(Multiply(context_, x, y).ToString(), "(d0 * d1)");
  EXPECT_EQ(Mod(context_, Add(context_, x, y), Add(context_, y, Constant(1))).ToString(),
            "((d0 + d1) mod (d1 + 1))");
  EXPECT_EQ(Mod(context_, Multiply(context_, x, y), Constant(8)).ToString(), "(d0 * d1) mod 8");
}

TEST_F(PrintTest, ConstraintsAndMaps) {
  QuasiAffineMap map;
  EXPECT_EQ(map.ToString(), "() -> ()");
  map.boxes = {{0, 9}, {0, 3}};
  const Sum x = map.Variable(context_, 0);
  const Sum y = map.Variable(context_, 1);
  map.results = {Combine({{x, 4}, {y, 1}}), Constant(0)};
  map.constraints.push_back({Add(context_, x, y), {0, 10}});
  EXPECT_EQ(map.constraints.front().ToString(), "d0 + d1 in [0, 10]");
  EXPECT_EQ(map.ToString(),
            "(d0, d1) -> (d0 * 4 + d1, 0), domain: d0 in [0, 9], d1 in [0, 3], d0 + d1 in [0, 10]");
  map.empty = true;
  EXPECT_EQ(map.ToString(), "(d0, d1) -> (d0 * 4 + d1, 0), domain: KNOWN EMPTY");
}

// As the users of this folder name their own variables.
TEST_F(PrintTest, NamesOfTheCaller) {
  QuasiAffineMap map;
  map.boxes = {{0, 9}, {2, 5}};
  const Sum x = map.Variable(context_, 0);
  const Sum y = map.Variable(context_, 1);
  map.results = {Combine({{x, 1}, {y, 1}, {context_.Function(0, {}, {0, 3}), 6}})};
  std::string text;
  llvm::raw_string_ostream out(text);
  map.Print(out, [](const Atom& leaf, llvm::raw_ostream& name) {
    name << (leaf.IsFunction() ? "rt" : leaf.variable == 0 ? "d" : "s") << 0;
  });
  EXPECT_EQ(text, "(d0, s0) -> (d0 + s0 + rt0 * 6), domain: d0 in [0, 9], s0 in [2, 5]");
}

// Each step reads the last one twice: 2^60 paths.
TEST_F(PrintTest, LongTextsEnd) {
  Sum value = Var(0, 0, 1 << 20);
  for (int i = 0; i < 60; ++i) {
    const Division division = DivMod(context_, Combine({{value, 5}}, i), 997);
    value = Combine({{division.remainder, 1051}, {division.quotient, 1}});
  }
  const std::string text = value.ToString();
  EXPECT_LT(text.size(), 50000u);
  EXPECT_NE(text.find("..."), std::string::npos);
}

// gtest shows values as their text, alone and in containers.
TEST_F(PrintTest, FailuresShowText) {
  const Sum x = Var(0, 0, 9);
  EXPECT_EQ(testing::PrintToString(x), "d0");
  EXPECT_EQ(testing::PrintToString(Interval{0, 4}), "[0, 4]");
  EXPECT_EQ(testing::PrintToString(Constraint{x, {1, 2}}), "d0 in [1, 2]");
  EXPECT_EQ(testing::PrintToString(std::vector<Sum>{x, Constant(1)}), "{ d0, 1 }");
}

}  // namespace
}  // namespace hlo_indexing::simplifier
