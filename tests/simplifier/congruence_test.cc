#include "simplifier/domain/congruence.h"

#include <gtest/gtest.h>

namespace hlo_indexing::simplifier {
namespace {

bool IsIn(int64_t x, const Congruence& c) { return support::FloorMod(x, c.modulus) == c.residue; }

TEST(Congruence, IntersectionsEqualEnumeration) {
  for (int64_t m = 1; m <= 12; ++m) {
    for (int64_t n = 1; n <= 12; ++n) {
      for (int64_t r = 0; r < m; ++r) {
        for (int64_t q = 0; q < n; ++q) {
          const Congruence a = {m, r};
          const Congruence b = {n, q};
          bool meets = false;
          for (int64_t x = 0; x < m * n; ++x) meets |= IsIn(x, a) && IsIn(x, b);
          ASSERT_EQ(AreDisjoint(a, b), !meets);
          if (!meets) continue;
          const auto both = Intersect(a, b);
          ASSERT_TRUE(both.has_value());
          for (int64_t x = -m * n; x < m * n; ++x) {
            ASSERT_EQ(IsIn(x, *both), IsIn(x, a) && IsIn(x, b)) << m << n << r << q << x;
          }
        }
      }
    }
  }
}

TEST(Congruence, SolutionsEqualEnumeration) {
  for (int64_t modulus = 1; modulus <= 12; ++modulus) {
    for (int64_t factor = -13; factor <= 13; ++factor) {
      for (int64_t offset = -5; offset <= 5; ++offset) {
        for (int64_t residue = 0; residue < modulus; ++residue) {
          const auto solved = SolveCongruence(factor, offset, modulus, residue);
          for (int64_t x = -30; x <= 30; ++x) {
            const bool solves = support::FloorMod(factor * x + offset, modulus) == residue;
            ASSERT_EQ(solved && IsIn(x, *solved), solves);
          }
        }
      }
    }
  }
}

TEST(Congruence, LargeModuliDoNotOverflow) {
  const int64_t p = 3037000493;
  const int64_t q = 3037000453;
  const auto both = Intersect({p, 5}, {q, 7});
  ASSERT_TRUE(both.has_value());
  EXPECT_TRUE(IsIn(both->residue, {p, 5}) && IsIn(both->residue, {q, 7}));
  EXPECT_EQ(both->modulus, p * q);
  EXPECT_FALSE(Intersect({support::kInt64Max, 0}, {2, 0}).has_value());
  const auto solved =
      SolveCongruence(support::kInt64Max - 1, support::kInt64Min, support::kInt64Max, 3);
  ASSERT_TRUE(solved.has_value());
}

TEST(Congruence, RoundsToMembers) {
  EXPECT_EQ(RoundInward({0, 100}, {42, 33}), (Interval{33, 75}));
  EXPECT_EQ(RoundInward({-50, -1}, {42, 33}), (Interval{-9, -9}));
  EXPECT_TRUE(RoundInward({34, 74}, {42, 33}).IsEmpty());
  EXPECT_TRUE(RoundInward({support::kInt64Max - 2, support::kInt64Max - 1}, {10, 0}).IsEmpty());
  EXPECT_EQ(RoundInward(Interval::All(), {7, 3}), Interval::All());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
