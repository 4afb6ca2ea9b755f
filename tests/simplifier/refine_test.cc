// Shorter sums on a domain: scaling by residues, and affine functions fitted to points.
#include "simplifier/domain/refine.h"

#include <gtest/gtest.h>

#include "simplifier/div_mod.h"
#include "simplifier/domain/affine_fitter.h"
#include "simplifier/domain/scaling.h"

namespace hlo_indexing::simplifier {
namespace {

class RefineTest : public ::testing::Test {
 protected:
  Sum Var(int64_t lower, int64_t upper) {
    map_.boxes.push_back({lower, upper});
    return map_.Variable(context_, static_cast<VariableId>(map_.boxes.size() - 1));
  }
  Sum Times(const Sum& sum, int64_t factor) { return Scale(context_, sum, factor); }
  Sum Quotient(const Sum& sum, int64_t divisor) { return DivMod(context_, sum, divisor).quotient; }
  Sum Remainder(const Sum& sum, int64_t divisor) {
    return DivMod(context_, sum, divisor).remainder;
  }

  DigitContext context_;
  QuasiAffineMap map_;
};

TEST_F(RefineTest, ScalesALeafWithAResidue) {
  const Sum x = Var(0, 20);
  const KnownResidue residue = {x.terms.front().atom, {6, 3}};
  const auto scaled = MakeScaledLeaf(context_, residue, 1);
  ASSERT_TRUE(scaled.has_value());
  EXPECT_EQ(scaled->lowest, 3);
  EXPECT_EQ(scaled->quotient, context_.Variable(1, {0, 2}));
  const Scaling scaling(context_, *scaled);
  EXPECT_EQ(scaling.Apply(x).ToString(), "d1 * 6 + 3");
  EXPECT_EQ(scaling.Apply(Quotient(x, 2)).ToString(), "d1 * 3 + 1");
  EXPECT_EQ(scaling.Undo(Add(context_, Times(scaled->quotient, 6), Constant(1))).ToString(),
            "d0 - 2");
  EXPECT_EQ(scaling.Undo(scaled->quotient).ToString(), "d0 floordiv 6");
}

TEST_F(RefineTest, ScalesNothingWithOneValueOrWithoutEnd) {
  const Sum one = Var(0, 8);
  EXPECT_FALSE(MakeScaledLeaf(context_, {one.terms.front().atom, {6, 3}}, 1).has_value());
  const Sum wide = Var(0, Interval::kPlusInfinity);
  EXPECT_FALSE(MakeScaledLeaf(context_, {wide.terms.front().atom, {6, 3}}, 1).has_value());
}

TEST_F(RefineTest, PartsOfBoundedDigitsAreNumbers) {
  const Sum x = Var(0, 255);
  map_.constraints.push_back({Remainder(x, 32), {17, 23}});
  // (x mod 32) floordiv 8 is 2; that by 4 is 4 or 5, and x floordiv 16 says of more than x mod 32.
  map_.results.push_back(Add(context_, Remainder(Quotient(x, 8), 4), Constant(1)));
  map_.results.push_back(Remainder(Quotient(x, 4), 8));
  map_.results.push_back(Quotient(x, 16));
  EXPECT_TRUE(Refine(context_, map_));
  EXPECT_EQ(map_.results[0], Constant(3));
  EXPECT_EQ(map_.results[1].ToString(), "(d0 floordiv 4) mod 8");
  EXPECT_EQ(map_.results[2].ToString(), "d0 floordiv 16");
}

TEST_F(RefineTest, FitsAffineFunctions) {
  const Sum x = Var(0, 2);
  const Sum sum = Quotient(Remainder(Remainder(Times(x, 6), 8), 3), 2);
  ASSERT_FALSE(IsAffine(sum));
  AffineFitter fitter(context_, map_);
  EXPECT_EQ(fitter.Fit(sum, AffineFitter::Domain::kBox), Constant(0));
  // 0, 6, 4.
  const Sum bent = Remainder(Times(x, 6), 8);
  EXPECT_EQ(fitter.Fit(bent, AffineFitter::Domain::kBox), bent);
}

TEST_F(RefineTest, FitsOnTheConstrainedDomain) {
  const Sum x = Var(0, 7);
  const Sum y = Var(0, 7);
  const Sum sum = Remainder(Add(context_, Times(x, 3), y), 8);
  map_.constraints.push_back({Add(context_, Times(x, 3), y), {0, 7}});
  AffineFitter fitter(context_, map_);
  EXPECT_EQ(fitter.Fit(sum, AffineFitter::Domain::kBox), sum);
  EXPECT_EQ(fitter.Fit(sum, AffineFitter::Domain::kConstrained).ToString(), "d0 * 3 + d1");
}

TEST_F(RefineTest, FitsWhatRemaindersAreOf) {
  // At most 9, though the digits of x may be 4 and 1 together: x is at most 5.
  const Sum x = Var(0, 5);
  const Sum y = Var(0, 3);
  const Sum whole = Add(context_, Add(context_, x, Quotient(x, 5)), y);
  AffineFitter fitter(context_, map_);
  EXPECT_EQ(fitter.Fit(Remainder(whole, 10), AffineFitter::Domain::kBox), whole);
  const Sum cut = Remainder(whole, 9);
  EXPECT_EQ(fitter.Fit(cut, AffineFitter::Domain::kBox), cut);
  // (8 * z + z floordiv 4) floordiv 4 is 2 * z below 16.
  const Sum z = Var(0, 9);
  const Sum digit = Quotient(Remainder(Add(context_, Times(z, 8), Quotient(z, 4)), 12), 4);
  EXPECT_EQ(fitter.Fit(digit, AffineFitter::Domain::kBox), Remainder(Times(z, 2), 3));
  // No point needs to be tried.
  const Sum wide = Var(0, 5000);
  EXPECT_EQ(fitter.Fit(Remainder(Times(Quotient(wide, 2500), 10), 3), AffineFitter::Domain::kBox),
            Quotient(wide, 2500));
}

TEST_F(RefineTest, FitsQuotients) {
  const Sum x = Var(0, 5);
  const Sum sum = Add(context_, Quotient(x, 3), Quotient(x, 5));
  AffineFitter fitter(context_, map_);
  EXPECT_EQ(fitter.FitQuotient(sum), Quotient(Times(x, 2), 5));
  // 0, 0, 0, 1, 2, 2.
  const Sum steep = Add(context_, Quotient(x, 3), Quotient(x, 4));
  EXPECT_EQ(fitter.FitQuotient(steep), std::nullopt);
  EXPECT_EQ(fitter.FitQuotient(Add(context_, sum, Quotient(Var(0, 6), 2))), std::nullopt);
  map_.results = {sum};
  Refine(context_, map_);
  EXPECT_EQ(map_.results[0], Quotient(Times(x, 2), 5));
  // Others have these divisions.
  map_.results = {sum, Quotient(x, 3), Quotient(x, 5)};
  EXPECT_FALSE(Refine(context_, map_));
}

TEST_F(RefineTest, FitsQuotientsUnderConstraints) {
  const Sum x = Var(0, 8);
  map_.constraints.push_back({Remainder(x, 2), {0, 0}});
  const Sum sum = Add(context_, Quotient(x, 3), Quotient(x, 5));
  AffineFitter fitter(context_, map_);
  // 0, 0, 1, 3, 3 has no slope; 0, 0, 1, 1, 2 has.
  EXPECT_EQ(fitter.FitQuotient(sum), std::nullopt);
  const Sum gentle = Subtract(context_, Quotient(x, 3), Quotient(Add(context_, x, Constant(1)), 7));
  const std::optional<Sum> fitted = fitter.FitQuotient(gentle);
  ASSERT_TRUE(fitted.has_value());
  for (int64_t value = 0; value <= 8; value += 2) {
    const auto at = [&](const Sum& s) { return Evaluate(s, [&](const Atom&) { return value; }); };
    EXPECT_EQ(at(*fitted), at(gentle));
  }
}

TEST_F(RefineTest, RefinesResults) {
  const Sum x = Var(3, 45);
  map_.results = {Quotient(x, 2), x};
  map_.constraints.push_back({Remainder(x, 6), {3, 3}});
  Tighten(context_, map_);
  const Sum before = map_.results[0];
  Refine(context_, map_);
  for (int64_t value = 3; value <= 45; value += 6) {
    const auto at = [&](const Sum& sum) {
      return Evaluate(sum, [&](const Atom&) { return value; });
    };
    EXPECT_EQ(at(map_.results[0]), at(before));
  }
  EXPECT_EQ(map_.results[1].ToString(), "d0");
}

TEST_F(RefineTest, TakesTheDigitsOfConstraints) {
  const Sum x = Var(0, 100);
  const Sum y = Var(0, 100);
  map_.results = {Remainder(x, 8), Remainder(x, 4), Remainder(y, 8), Remainder(Quotient(x, 2), 4)};
  map_.constraints = {{Remainder(x, 16), {0, 7}}, {Remainder(y, 16), {0, 8}}};
  Simplify(context_, map_);
  EXPECT_EQ(map_.ToString(),
            "(d0, d1) -> (d0 mod 16, d0 mod 4, d1 mod 8, (d0 floordiv 2) mod 4), domain: "
            "d0 in [0, 100], d1 in [0, 100], d0 mod 16 in [0, 7], d1 mod 16 in [0, 8]");
}

TEST_F(RefineTest, RescalesVariablesWithAResidue) {
  const Sum x = Var(0, 100);
  map_.results = {x};
  map_.constraints.push_back({Remainder(x, 42), {33, 33}});
  Simplify(context_, map_);
  RescaleByResidue(context_, map_, 1);
  // The atom of d0 starts at 33, so that d0 by 42 is a digit of a quotient variable.
  EXPECT_EQ(map_.ToString(), "(d0) -> (d0), domain: d0 in [33, 75], {d0} mod 42 in [33, 33]");
  RescaleByResidue(context_, map_, 0);
  EXPECT_EQ(map_.ToString(), "(d0) -> (d0 * 42 + 33), domain: d0 in [0, 1]");
}

}  // namespace
}  // namespace hlo_indexing::simplifier
