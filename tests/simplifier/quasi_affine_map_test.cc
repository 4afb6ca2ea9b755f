#include "simplifier/quasi_affine_map.h"

#include <gtest/gtest.h>

#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

// A map in the making: variables, one constraint or more.
class QuasiAffineMapTest : public ::testing::Test {
 protected:
  Sum Var(int64_t lower, int64_t upper) {
    map_.boxes.push_back({lower, upper});
    return map_.Variable(context_, static_cast<VariableId>(map_.boxes.size() - 1));
  }
  void Constrain(const Sum& sum, int64_t lower, int64_t upper) {
    map_.constraints.push_back({sum, {lower, upper}});
  }
  Sum Combine(std::initializer_list<ScaledSum> parts, int64_t constant = 0) {
    return Linear(context_, std::vector<ScaledSum>(parts), constant);
  }

  DigitContext context_;
  QuasiAffineMap map_;
};

TEST_F(QuasiAffineMapTest, BoundsOneVariable) {
  const Sum x = Var(0, 1999);
  const Sum y = Var(0, 5);
  Constrain(Combine({{x, 6}, {y, 3}}), 0, 598);
  Tighten(context_, map_);
  EXPECT_EQ(map_.boxes[0], (Interval{0, 99}));
  ASSERT_EQ(map_.constraints.size(), 1u);
  // Divided by the common factor.
  EXPECT_EQ(map_.constraints[0].bounds, (Interval{0, 199}));
}

TEST_F(QuasiAffineMapTest, DropsWhatTheBoxImplies) {
  const Sum x = Var(0, 3);
  const Sum y = Var(0, 7);
  Constrain(Combine({{x, 8}, {y, 1}}), 0, 1);
  Tighten(context_, map_);
  EXPECT_EQ(map_.boxes[0], Interval::Point(0));
  EXPECT_EQ(map_.boxes[1], (Interval{0, 1}));
  EXPECT_TRUE(map_.constraints.empty());
}

TEST_F(QuasiAffineMapTest, BoundsThroughDivisions) {
  const Sum x = Var(0, 1023);
  const Sum y = Var(0, 127);
  Constrain(Combine({{DivMod(context_, x, 32).quotient, 1}, {y, 32}}), 0, 63);
  Tighten(context_, map_);
  EXPECT_EQ(map_.boxes[1], (Interval{0, 1}));
  EXPECT_TRUE(map_.constraints.empty());
}

// Each step reads the last one twice, so that there are 2^60 paths from the result to the variable;
// what walks along paths and not along quotient variables does not come back.
TEST_F(QuasiAffineMapTest, QuotientVariablesAreADagAndNotATree) {
  constexpr int kSteps = 60;
  const Sum x = Var(0, 1 << 20);
  Sum value = x;
  for (int i = 0; i < kSteps; ++i) {
    const Division division = DivMod(context_, Combine({{value, 5}}, i), 997);
    value = Combine({{division.remainder, 1051}, {division.quotient, 1}});
  }
  map_.results.push_back(value);
  Simplify(context_, map_);
  ASSERT_FALSE(map_.empty);
  for (int64_t point = 0; point <= 1 << 20; point += 4093) {
    int64_t expected = point;
    for (int i = 0; i < kSteps; ++i) {
      const int64_t dividend = expected * 5 + i;
      expected = dividend % 997 * 1051 + dividend / 997;
    }
    ASSERT_EQ(Evaluate(map_.results[0], [&](const Atom&) { return point; }), expected);
  }
}

TEST_F(QuasiAffineMapTest, KeepsACongruence) {
  const Sum x = Var(1, 7);
  Constrain(DivMod(context_, x, 2).remainder, 1, 1);
  Tighten(context_, map_);
  EXPECT_FALSE(map_.empty);
  EXPECT_EQ(map_.constraints.size(), 1u);
}

TEST_F(QuasiAffineMapTest, SeesEmptiness) {
  const Sum x = Var(0, 100);
  Constrain(DivMod(context_, x, 8).remainder, 45, 49);
  Tighten(context_, map_);
  EXPECT_TRUE(map_.empty);
}

TEST_F(QuasiAffineMapTest, SeesEmptinessOfTheBox) {
  map_.boxes.push_back(Interval::Empty());
  Tighten(context_, map_);
  EXPECT_TRUE(map_.empty);
}

TEST_F(QuasiAffineMapTest, EndsWhereBoundsCreep) {
  // x < y < x has no solution, but each round takes off only one.
  const Sum x = Var(0, int64_t{1} << 40);
  const Sum y = Var(0, int64_t{1} << 40);
  Constrain(Subtract(context_, x, y), 1, int64_t{1} << 50);
  Constrain(Subtract(context_, y, x), 1, int64_t{1} << 50);
  Tighten(context_, map_);
  EXPECT_TRUE(map_.empty || !map_.constraints.empty());
}

TEST_F(QuasiAffineMapTest, ExtremeBoundsDoNotOverflow) {
  const Sum x = Var(INT64_MIN, INT64_MAX);
  const Sum y = Var(INT64_MIN + 1, INT64_MAX - 1);
  Constrain(Add(context_, x, Constant(INT64_MAX)), INT64_MIN, 5);
  Constrain(Scale(context_, y, INT64_MIN), 0, INT64_MAX);
  Constrain(Subtract(context_, x, y), INT64_MIN, INT64_MAX);
  Tighten(context_, map_);
  SUCCEED();
}

// An equality that another one has shortened has a constant; a third sum that it shortens in turn
// must count it.
TEST_F(QuasiAffineMapTest, EqualitiesShortenEachOther) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  const Sum z = Var(0, 9);
  const Sum w = Var(0, 9);
  Constrain(Combine({{x, 2}, {y, 1}, {z, 1}}), 12, 12);
  Constrain(Combine({{x, 2}, {y, 1}, {z, 3}, {w, 5}}), 30, 30);
  map_.results = {Combine({{x, 2}, {y, 1}, {z, 3}, {w, 7}})};
  const std::vector<Constraint> original(map_.constraints.begin(), map_.constraints.end());
  const Sum result = map_.results[0];
  Simplify(context_, map_);
  int points = 0;
  for (int64_t code = 0; code < 10000; ++code) {
    const int64_t point[] = {code / 1000, code / 100 % 10, code / 10 % 10, code % 10};
    const auto value = [&](const Atom& atom) { return std::optional(point[atom.variable]); };
    const auto holds = [&](const Constraint& constraint) {
      return constraint.bounds.Contains(*Evaluate(constraint.expression, value));
    };
    bool in_box = true;
    for (size_t i = 0; i < 4; ++i) in_box &= map_.boxes[i].Contains(point[i]);
    const bool expected = llvm::all_of(original, holds);
    ASSERT_EQ(in_box && llvm::all_of(map_.constraints, holds), expected) << code;
    if (!expected) continue;
    ++points;
    ASSERT_EQ(Evaluate(map_.results[0], value), Evaluate(result, value)) << code;
  }
  EXPECT_GT(points, 0);
}

TEST_F(QuasiAffineMapTest, ConstraintsSimplifyResults) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  const Sum z = Var(0, 9);
  const Sum sum = Combine({{z, 6}, {x, 1}, {y, -1}});
  map_.results.push_back(DivMod(context_, sum, 6).quotient);
  Constrain(Subtract(context_, x, y), 0, 5);
  Simplify(context_, map_);
  EXPECT_EQ(map_.results[0], map_.Variable(context_, 2));
}

}  // namespace
}  // namespace hlo_indexing::simplifier
