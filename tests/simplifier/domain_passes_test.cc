// Every pass on a domain by itself: what it makes of an example, and that it changes no point.
#include "simplifier/domain/passes.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

class DomainPassesTest : public ::testing::Test {
 protected:
  Sum Var(int64_t lower, int64_t upper) {
    map_.boxes.push_back({lower, upper});
    return map_.Variable(context_, static_cast<VariableId>(map_.boxes.size() - 1));
  }
  Sum Combine(std::initializer_list<ScaledSum> parts, int64_t constant = 0) {
    return Linear(context_, std::vector<ScaledSum>(parts), constant);
  }
  Sum Quotient(const Sum& sum, int64_t divisor) { return DivMod(context_, sum, divisor).quotient; }
  Sum Remainder(const Sum& sum, int64_t divisor) {
    return DivMod(context_, sum, divisor).remainder;
  }
  void Constrain(const Sum& sum, int64_t lower, int64_t upper) {
    map_.constraints.push_back({sum, {lower, upper}});
  }

  DigitContext context_;
  QuasiAffineMap map_;
  Tightening tightening_{context_, map_};
};

// NormalizeConstraints.

TEST_F(DomainPassesTest, NormalFormHasNoConstantAndCoprimeCoefficients) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  Constrain(Combine({{x, -4}, {y, 6}}, 2), -11, 13);
  NormalizeConstraints(tightening_);
  EXPECT_EQ(map_.ToString(),
            "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 * 2 - d1 * 3 in [-5, 6]");
  EXPECT_FALSE(tightening_.bounds_changed);
}

TEST_F(DomainPassesTest, NormalFormAbsorbsBoundsOfVariables) {
  const Sum x = Var(0, 9);
  Constrain(Combine({{x, 2}}, 6), 6, 13);
  Constrain(Quotient(x, 2), 1, 7);
  NormalizeConstraints(tightening_);
  EXPECT_EQ(map_.ToString(), "(d0) -> (), domain: d0 in [2, 3]");
  EXPECT_TRUE(tightening_.bounds_changed);
}

TEST_F(DomainPassesTest, NormalFormAbsorbsNothingUnlessItMayNarrow) {
  const Sum x = Var(0, 9);
  Constrain(Combine({{x, 2}}, 6), 6, 13);
  tightening_.may_narrow = false;
  NormalizeConstraints(tightening_);
  EXPECT_EQ(map_.ToString(), "(d0) -> (), domain: d0 in [0, 9], d0 in [0, 3]");
}

TEST_F(DomainPassesTest, NormalFormOpensQuotientVariables) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  Constrain(Quotient(Combine({{x, 5}, {y, 1}}), 7), 1, 2);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 * 5 + d1 in [7, 20]");
}

TEST_F(DomainPassesTest, NormalFormJoinsEqualExpressions) {
  const Sum sum = Add(context_, Var(0, 9), Var(0, 9));
  Constrain(sum, 0, 7);
  Constrain(Scale(context_, sum, -1), -20, -5);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 + d1 in [5, 7]");
  Constrain(sum, 9, 9);
  NormalizeConstraints(tightening_);
  EXPECT_TRUE(map_.empty);
}

TEST_F(DomainPassesTest, NormalFormHasNoSmallTermsThatDecideNothing) {
  const Sum x = Var(0, 127);
  const Sum y = Var(0, 93);
  const Sum z = Var(0, 3);
  Constrain(Combine({{x, 4}, {y, 512}, {z, 1}}), 0, 47999);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 + d1 * 128 in [0, 11999]");
  map_.constraints.clear();
  // Of the last vector, some elements are inside.
  Constrain(Combine({{x, 4}, {y, 512}, {z, 1}}), 0, 47998);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 * 4 + d1 * 512 + d2 in [0, 47998]");
}

TEST_F(DomainPassesTest, NormalFormHasNoConstraintThatAnotherImplies) {
  const Sum x = Var(0, 1023);
  const Sum y = Var(0, 1);
  const Sum z = Var(0, 7);
  const Sum part = Combine({{x, 1}, {y, 1024}});
  // By the smaller sum: at most 1500 + 7 * 57.
  Constrain(Combine({{x, 1}, {y, 1024}, {z, 57}}), 0, 1899);
  Constrain(part, 0, 1500);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 + d1 * 1024 in [0, 1500]");
  map_.constraints.clear();
  // By the larger one, of which the smaller is a third of a part.
  Constrain(part, 0, 502);
  Constrain(Combine({{x, -3}, {y, -3072}, {z, 1}}), -1500, 2);
  NormalizeConstraints(tightening_);
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "d0 * 3 + d1 * 3072 - d2 in [-2, 1500]");
  map_.constraints.clear();
  // By none: 1898 is too small for both.
  Constrain(Combine({{x, 1}, {y, 1024}, {z, 57}}), 0, 1898);
  Constrain(part, 0, 1500);
  NormalizeConstraints(tightening_);
  EXPECT_EQ(map_.constraints.size(), 2u);
}

// JoinResidues.

TEST_F(DomainPassesTest, ResiduesAreJoined) {
  const Sum x = Var(0, 100);
  Constrain(Remainder(x, 6), 3, 3);
  Constrain(Add(context_, x, Var(0, 9)), 0, 50);
  Constrain(Remainder(x, 7), 5, 5);
  EXPECT_TRUE(JoinResidues(tightening_));
  EXPECT_EQ(map_.ToString(),
            "(d0, d1) -> (), domain: d0 in [33, 75], d1 in [0, 9], d0 + d1 in [0, 50], "
            "d0 mod 42 in [33, 33]");
  EXPECT_TRUE(tightening_.bounds_changed);
}

TEST_F(DomainPassesTest, ResiduesOfMultiplesAreWrittenPlainly) {
  const Sum x = Var(0, 100);
  Constrain(Remainder(Combine({{x, 3}}, 2), 4), 0, 0);
  EXPECT_TRUE(JoinResidues(tightening_));
  EXPECT_EQ(map_.ToString(), "(d0) -> (), domain: d0 in [2, 98], d0 mod 4 in [2, 2]");
  tightening_.bounds_changed = false;
  EXPECT_FALSE(JoinResidues(tightening_));
  EXPECT_FALSE(tightening_.bounds_changed);
}

TEST_F(DomainPassesTest, DisjointResiduesEmptyTheMap) {
  const Sum x = Var(0, 100);
  Constrain(Remainder(x, 4), 1, 1);
  Constrain(Remainder(x, 6), 2, 2);
  EXPECT_FALSE(JoinResidues(tightening_));
  EXPECT_TRUE(map_.empty);
}

TEST_F(DomainPassesTest, ResiduesKeepBoxesUnlessTheyMayNarrow) {
  const Sum x = Var(0, 100);
  Constrain(Remainder(x, 6), 3, 3);
  Constrain(Remainder(x, 7), 5, 5);
  tightening_.may_narrow = false;
  EXPECT_FALSE(JoinResidues(tightening_));
  EXPECT_EQ(map_.ToString(), "(d0) -> (), domain: d0 in [0, 100], d0 mod 42 in [33, 33]");
}

// PropagateBounds.

TEST_F(DomainPassesTest, BoundsPropagate) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  Constrain(Combine({{x, 6}, {y, 1}}), 0, 13);
  PropagateBounds(tightening_);
  EXPECT_EQ(map_.ToString(),
            "(d0, d1) -> (), domain: d0 in [0, 2], d1 in [0, 9], d0 * 6 + d1 in [0, 13]");
  EXPECT_TRUE(tightening_.bounds_changed);
}

// 5 * d0 + d1 is the value of a quotient variable, which is bounded through its digit.
TEST_F(DomainPassesTest, BoundsPropagateThroughQuotientVariables) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  const Sum z = Var(0, 1);
  const Sum quotient = Quotient(Combine({{x, 5}, {y, 1}}), 7);
  Constrain(Combine({{quotient, 1}, {z, 1}}), 0, 1);
  PropagateBounds(tightening_);
  const Atom* atom = quotient.terms.front().atom;
  ASSERT_EQ(tightening_.quotient_bounds.size(), 1u);
  EXPECT_EQ(tightening_.quotient_bounds.front().first->ToString(), "{d0 * 5 + d1}");
  EXPECT_EQ(tightening_.quotient_bounds.lookup(atom), (Interval{0, 13}));
  EXPECT_EQ(map_.boxes[0], (Interval{0, 2}));
  EXPECT_EQ(tightening_.KnownRangeOf(quotient.terms), (Interval{0, 1}));
  EXPECT_EQ(tightening_.RangeOf(quotient.terms), (Interval{0, 7}));
}

TEST_F(DomainPassesTest, PropagationSeesEmptiness) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  Constrain(Add(context_, x, y), 30, 40);
  PropagateBounds(tightening_);
  EXPECT_TRUE(map_.empty);
}

// EnumerateSmallComponents.

TEST_F(DomainPassesTest, FewPointsAreTried) {
  const Sum x = Var(0, 5);
  const Sum y = Var(0, 99);
  const Sum z = Var(0, 99);
  Constrain(Remainder(Combine({{x, 3}}, 2), 4), 0, 0);
  Constrain(Remainder(Combine({{y, 3}, {z, 1}}), 64), 0, 9);
  EnumerateSmallComponents(tightening_);
  EXPECT_EQ(map_.boxes[0], Interval::Point(2));
  // Too many.
  ASSERT_EQ(map_.constraints.size(), 1u);
  EXPECT_EQ(map_.constraints.front().ToString(), "{d1 * 3 + d2} mod 64 in [0, 9]");
}

TEST_F(DomainPassesTest, EnumerationSeesEmptiness) {
  const Sum x = Var(0, 5);
  Constrain(Remainder(Combine({{x, 2}}), 4), 1, 1);
  EnumerateSmallComponents(tightening_);
  EXPECT_TRUE(map_.empty);
}

// CollectFunctionBounds.

TEST_F(DomainPassesTest, BoundsOfFunctionsAreCollectedAndStay) {
  const Sum x = Var(0, 4);
  const Sum f = context_.Function(0, {}, {0, 9});
  const Sum sum = Add(context_, x, f);
  Constrain(f, 2, 3);
  Constrain(sum, 0, 5);
  EXPECT_TRUE(CollectFunctionBounds(tightening_));
  EXPECT_EQ(map_.constraints.size(), 2u);
  EXPECT_EQ(tightening_.RangeOf(sum.terms), (Interval{2, 7}));
  // The range of the function alone does not follow from its own constraint.
  EXPECT_EQ(tightening_.RangeOf(f.terms), (Interval{0, 9}));
  EXPECT_FALSE(CollectFunctionBounds(tightening_));
}

// UseEqualities.

TEST_F(DomainPassesTest, EqualitiesShortenSums) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  const Sum z = Var(0, 9);
  map_.results = {Combine({{x, 1}, {y, 1}, {z, 1}})};
  Constrain(Add(context_, x, y), 5, 5);
  EXPECT_FALSE(UseEqualities(tightening_));
  EXPECT_EQ(map_.results[0].ToString(), "d2 + 5");
  Constrain(Combine({{x, 2}, {y, 2}, {z, 1}}), 0, 12);
  EXPECT_TRUE(UseEqualities(tightening_));
  EXPECT_EQ(map_.constraints[1].ToString(), "d2 + 10 in [0, 12]");
}

TEST_F(DomainPassesTest, EqualitiesLengthenNothing) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  map_.results = {x};
  Constrain(Add(context_, x, y), 5, 5);
  EXPECT_FALSE(UseEqualities(tightening_));
  EXPECT_EQ(map_.results[0], x);
}

// SubstituteBounds.

TEST_F(DomainPassesTest, SumsSpeakOfNarrowedBoxes) {
  const Sum x = Var(0, 9);
  const Sum y = Var(0, 9);
  map_.results = {Quotient(x, 4), Quotient(Combine({{y, 4}, {x, 1}}), 4)};
  tightening_.NarrowBox(0, {0, 3});
  SubstituteBounds(tightening_);
  EXPECT_EQ(map_.ToString(), "(d0, d1) -> (0, d1), domain: d0 in [0, 3], d1 in [0, 9]");
}

TEST_F(DomainPassesTest, FunctionsWithOneValueAreReplaced) {
  const Sum f = context_.Function(0, {}, {0, 9});
  map_.results = {Combine({{f, 2}}, 1)};
  Constrain(f, 3, 3);
  CollectFunctionBounds(tightening_);
  SubstituteBounds(tightening_);
  EXPECT_EQ(map_.ToString(), "() -> (7), domain: f0() in [3, 3]");
}

// Every pass keeps the points of the domain, and the results there.

class RandomMap {
 public:
  explicit RandomMap(std::mt19937& random) : random_(random) {
    for (int64_t& size : sizes_) size = Number(2, 7);
    for (const int64_t size : sizes_) {
      const int64_t lower = Number(-2, 2);
      map_.boxes.push_back({lower, lower + size - 1});
    }
    function_ = context_.Function(0, {}, {0, 3});
    for (int i = 0; i < 2; ++i) map_.results.push_back(RandomSum());
    for (int64_t i = Number(1, 4); i > 0; --i) {
      const Sum sum = RandomSum();
      const Interval range = NaturalRange(sum);
      const int64_t lower = Number(range.lower, range.upper);
      const int64_t upper = Number(0, 2) == 0 ? lower : Number(lower, range.upper);
      map_.constraints.push_back({sum, {lower, upper}});
    }
    given_ = map_;
  }

  // In the given map, and in the present one.
  void ExpectSamePoints(const std::string& pass) const {
    for (int64_t f = 0; f <= 3; ++f) {
      for (int64_t x = given_.boxes[0].lower; x <= given_.boxes[0].upper; ++x) {
        for (int64_t y = given_.boxes[1].lower; y <= given_.boxes[1].upper; ++y) {
          const std::array<int64_t, 3> point = {x, y, f};
          const bool expected = Contains(given_, point);
          ASSERT_EQ(Contains(map_, point), expected)
              << pass << " of " << given_.ToString() << " gives " << map_.ToString();
          for (size_t i = 0; expected && i < given_.results.size(); ++i) {
            ASSERT_EQ(At(map_.results[i], point), At(given_.results[i], point))
                << pass << " of " << given_.ToString() << " gives " << map_.ToString();
          }
        }
      }
    }
  }

  DigitContext& context() { return context_; }
  QuasiAffineMap& map() { return map_; }

 private:
  int64_t Number(int64_t lower, int64_t upper) {
    return lower + static_cast<int64_t>(random_() % static_cast<uint64_t>(upper - lower + 1));
  }

  Sum RandomSum() {
    std::vector<ScaledSum> parts;
    for (VariableId i = 0; i < 2; ++i) {
      parts.emplace_back(map_.Variable(context_, i), Number(-4, 4));
    }
    if (Number(0, 1) == 0) parts.emplace_back(function_, Number(-2, 2));
    const Sum sum = Linear(context_, parts, Number(-5, 5));
    const Division division = DivMod(context_, sum, Number(2, 7));
    const int64_t kind = Number(0, 3);
    if (kind == 0) return division.remainder;
    if (kind == 1) return division.quotient;
    return sum;
  }

  static int64_t At(const Sum& sum, const std::array<int64_t, 3>& point) {
    const auto value = Evaluate(sum, [&](const Atom& atom) {
      return std::optional<int64_t>(atom.IsFunction() ? point[2] : point[atom.variable]);
    });
    EXPECT_TRUE(value.has_value()) << sum.ToString();
    return value.value_or(0);
  }

  static bool Contains(const QuasiAffineMap& map, const std::array<int64_t, 3>& point) {
    if (map.empty) return false;
    for (size_t i = 0; i < map.boxes.size(); ++i) {
      if (!map.boxes[i].Contains(point[i])) return false;
    }
    return llvm::all_of(map.constraints, [&](const Constraint& constraint) {
      return constraint.bounds.Contains(At(constraint.expression, point));
    });
  }

  std::mt19937& random_;
  DigitContext context_;
  std::array<int64_t, 2> sizes_;
  Sum function_;
  QuasiAffineMap map_;
  QuasiAffineMap given_;
};

TEST(DomainPasses, EachKeepsThePointsAndTheirResults) {
  std::mt19937 random(1);
  using Pass = std::function<void(Tightening&)>;
  const std::vector<std::pair<std::string, Pass>> passes = {
      {"NormalizeConstraints", NormalizeConstraints},
      {"JoinResidues", JoinResidues},
      {"PropagateBounds", PropagateBounds},
      {"EnumerateSmallComponents", EnumerateSmallComponents},
      {"CollectFunctionBounds", CollectFunctionBounds},
      {"UseEqualities", UseEqualities},
      {"SubstituteBounds", SubstituteBounds},
  };
  int narrowed = 0;
  int emptied = 0;
  for (int i = 0; i < 3000; ++i) {
    RandomMap random_map(random);
    QuasiAffineMap& map = random_map.map();
    Tightening tightening(random_map.context(), map);
    tightening.may_narrow = i % 4 != 0;
    // The constraints that passes are promised are in normal form.
    for (int round = 0; round < 2; ++round) {
      NormalizeConstraints(tightening);
      for (size_t k = 0; k < 3 && !map.empty; ++k) {
        const auto& [name, pass] = passes[random() % passes.size()];
        pass(tightening);
        random_map.ExpectSamePoints(name);
        if (testing::Test::HasFatalFailure()) return;
        // What shortens sums may leave constants.
        if (!map.empty) NormalizeConstraints(tightening);
      }
      random_map.ExpectSamePoints("NormalizeConstraints");
      if (testing::Test::HasFatalFailure()) return;
    }
    narrowed += tightening.bounds_changed ? 1 : 0;
    emptied += map.empty ? 1 : 0;
  }
  EXPECT_GT(narrowed, 300);
  EXPECT_GT(emptied, 100);
}

}  // namespace
}  // namespace hlo_indexing::simplifier
