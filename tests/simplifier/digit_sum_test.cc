// The laws of the normal form and of the division, each by its name.
#include "simplifier/digit_sum.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

using support::FloorDiv;
using support::FloorMod;

// Variables in small boxes, and every point of them.
class DigitSumTest : public ::testing::Test {
 protected:
  Sum Var(VariableId i, int64_t lower, int64_t upper) {
    if (boxes_.size() <= i) boxes_.resize(i + 1, Interval::Point(0));
    boxes_[i] = {lower, upper};
    return context_.Variable(i, boxes_[i]);
  }
  Sum Var(VariableId i, int64_t size) { return Var(i, 0, size - 1); }

  int64_t At(const Sum& sum, const std::vector<int64_t>& point) {
    const auto value = Evaluate(
        sum, [&](const Atom& atom) { return std::optional<int64_t>(point[atom.variable]); });
    EXPECT_TRUE(value.has_value());
    return value.value_or(0);
  }

  template <typename Visit>
  void ForEachPoint(Visit visit) {
    std::vector<int64_t> point;
    for (const Interval& box : boxes_) point.push_back(box.lower);
    while (true) {
      visit(point);
      size_t i = 0;
      while (i < boxes_.size() && point[i] == boxes_[i].upper) {
        point[i] = boxes_[i].lower;
        ++i;
      }
      if (i == boxes_.size()) return;
      ++point[i];
    }
  }

  // A random combination of the variables, and divisions and remainders of combinations.
  Sum RandomSum(std::mt19937& random, int depth) {
    const auto between = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    std::vector<ScaledSum> parts;
    for (VariableId i = 0; i < boxes_.size(); ++i) {
      parts.emplace_back(context_.Variable(i, boxes_[i]), between(-12, 12));
    }
    if (depth > 0) {
      const Division division = DivMod(context_, RandomSum(random, depth - 1), between(1, 15));
      parts.emplace_back(division.quotient, between(-5, 5));
      parts.emplace_back(division.remainder, between(-5, 5));
    }
    return Linear(context_, parts, between(-30, 30));
  }

  DigitContext context_;
  std::vector<Interval> boxes_;
};

TEST_F(DigitSumTest, Soundness) {
  std::mt19937 random(1);
  Var(0, -3, 4);
  Var(1, 5);
  Var(2, 2, 8);
  for (int i = 0; i < 2000; ++i) {
    const Sum sum = RandomSum(random, 2);
    const int64_t divisor = 1 + static_cast<int64_t>(random() % 16);
    const Division division = DivMod(context_, sum, divisor);
    const Interval range = NaturalRange(sum);
    ForEachPoint([&](const std::vector<int64_t>& point) {
      const int64_t value = At(sum, point);
      ASSERT_EQ(At(division.quotient, point), FloorDiv(value, divisor));
      ASSERT_EQ(At(division.remainder, point), FloorMod(value, divisor));
      ASSERT_TRUE(range.Contains(value));
    });
  }
}

TEST_F(DigitSumTest, SplitMerge) {
  std::mt19937 random(2);
  Var(0, -3, 4);
  Var(1, 100);
  Var(2, 2, 13);
  for (int i = 0; i < 20000; ++i) {
    const Sum sum = RandomSum(random, 2);
    const int64_t divisor = 1 + static_cast<int64_t>(random() % 40);
    const Division division = DivMod(context_, sum, divisor);
    const ScaledSum parts[] = {{division.quotient, divisor}, {division.remainder, 1}};
    ASSERT_EQ(Linear(context_, parts), sum);
  }
}

TEST_F(DigitSumTest, Idempotence) {
  std::mt19937 random(8);
  Var(0, -3, 4);
  Var(1, 100);
  Var(2, 2, 13);
  for (int i = 0; i < 20000; ++i) {
    const Sum sum = RandomSum(random, 2);
    const TermVector terms(sum.terms.begin(), sum.terms.end());
    ASSERT_EQ(Normalize(context_, terms, sum.constant), sum);
    const int64_t divisor = 1 + static_cast<int64_t>(random() % 40);
    const Sum remainder = DivMod(context_, sum, divisor).remainder;
    ASSERT_EQ(DivMod(context_, remainder, divisor).remainder, remainder);
    ASSERT_EQ(DivMod(context_, remainder, divisor).quotient, Constant(0));
  }
}

// Digits of one atom that overlap in every way.
TEST_F(DigitSumTest, Termination) {
  std::mt19937 random(6);
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = 2 + static_cast<int64_t>(random() % 70);
    const Sum variable = Var(0, size);
    const Atom* atom = variable.terms.front().atom;
    TermVector terms;
    for (int k = 0; k < 5; ++k) {
      const int64_t lo = 1 + static_cast<int64_t>(random() % 12);
      const int64_t extent =
          random() % 3 == 0 ? kUnbounded : 2 + static_cast<int64_t>(random() % 9);
      AppendTerm(static_cast<int64_t>(random() % 7) - 3, atom, lo, extent, terms);
    }
    const std::optional<Sum> sum = Normalize(context_, terms, 0);
    ASSERT_TRUE(sum.has_value());
    // As many digits as there are boundaries at most.
    ASSERT_LE(sum->terms.size(), 2 * terms.size());
    const TermVector normal(sum->terms.begin(), sum->terms.end());
    ASSERT_EQ(Normalize(context_, normal, 0), sum);
    for (int64_t x = 0; x < size; ++x) {
      int64_t expected = 0;
      for (const Term& term : terms) {
        const int64_t digit = term.IsTop() ? x / term.lo : x / term.lo % term.extent;
        expected += term.coefficient * digit;
      }
      ASSERT_EQ(At(*sum, {x}), expected);
    }
  }
}

// Cuts an index into coordinates of a shape, and back.
std::vector<Sum> Delinearize(DigitContext& context, Sum position,
                             const std::vector<int64_t>& sizes) {
  std::vector<Sum> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;) {
    const Division division = DivMod(context, position, sizes[i]);
    index[i] = division.remainder;
    position = division.quotient;
  }
  index[0] = position;
  return index;
}

Sum Linearize(DigitContext& context, const std::vector<Sum>& index,
              const std::vector<int64_t>& sizes) {
  Sum position = Constant(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ScaledSum parts[] = {{position, sizes[i]}, {index[i], 1}};
    position = Linear(context, parts);
  }
  return position;
}

TEST_F(DigitSumTest, Telescoping) {
  const std::vector<std::vector<int64_t>> shapes = {{360},      {18, 20},  {5, 72},       {8, 45},
                                                    {3, 4, 30}, {9, 5, 8}, {2, 3, 5, 12}, {40, 9}};
  std::mt19937 random(3);
  // Indices that no analysis of ranges sees through: the law does not need one.
  Var(0, 50);
  Var(1, -3, 30);
  for (int i = 0; i < 500; ++i) {
    const auto& first = shapes[random() % shapes.size()];
    std::vector<Sum> index;
    for (size_t k = 0; k < first.size(); ++k) index.push_back(RandomSum(random, 1));
    const Sum position = Linearize(context_, index, first);
    Sum current = position;
    for (int step = 0; step < 4; ++step) {
      const auto& sizes = shapes[random() % shapes.size()];
      current = Linearize(context_, Delinearize(context_, current, sizes), sizes);
    }
    ASSERT_EQ(current, position);
    const auto& last = shapes[random() % shapes.size()];
    ASSERT_EQ(Delinearize(context_, current, last), Delinearize(context_, position, last));
  }
}

// On boundaries that divide each other, functions with the same values have the same sum.
TEST_F(DigitSumTest, Canonicity) {
  const Sum x = Var(0, 4);
  const Sum y = Var(1, 8);
  std::map<std::vector<int64_t>, Sum> forms;
  std::mt19937 random(4);
  const std::vector<int64_t> powers = {1, 2, 4, 8, 16, 32};
  int met_again = 0;
  for (int i = 0; i < 20000; ++i) {
    const ScaledSum start[] = {{x, 8}, {y, 1}};
    Sum sum = Linear(context_, start);
    for (int step = 0; step < 3; ++step) {
      const Division division = DivMod(context_, sum, powers[random() % powers.size()]);
      const ScaledSum swapped[] = {{division.quotient, powers[random() % 3]},
                                   {division.remainder, powers[random() % powers.size()]}};
      sum = Linear(context_, swapped);
      if (NaturalRange(sum).upper >= 64) sum = division.remainder;
    }
    bool has_quotient_variable = false;
    for (const Term& term : sum.terms) {
      has_quotient_variable |= term.atom->kind == AtomKind::kQuotientVariable;
    }
    if (has_quotient_variable) continue;
    std::vector<int64_t> values;
    ForEachPoint([&](const std::vector<int64_t>& point) { values.push_back(At(sum, point)); });
    const auto [known, is_new] = forms.emplace(values, sum);
    if (is_new) continue;
    ++met_again;
    ASSERT_EQ(known->second, sum);
  }
  EXPECT_GT(met_again, 10000);
}

TEST_F(DigitSumTest, MergesAndCutsDigits) {
  const Sum x = Var(0, 24);
  const Division by4 = DivMod(context_, x, 4);
  const ScaledSum whole[] = {{by4.quotient, 4}, {by4.remainder, 1}};
  EXPECT_EQ(Linear(context_, whole), x);
  // x + x mod 4: the digit of x is cut where the other one ends.
  const Sum sum = Add(context_, x, by4.remainder);
  ASSERT_EQ(sum.terms.size(), 2u);
  EXPECT_EQ(sum.terms[0].coefficient, 2);
  EXPECT_EQ(sum.terms[0].extent, 4);
  EXPECT_EQ(sum.terms[1].coefficient, 4);
  EXPECT_EQ(sum.terms[1].lo, 4);
}

// Rows of 24 as rows of 21: of the digit by 3 and 7, whose sum is reduced by 7, and of those above
// and below it.
TEST_F(DigitSumTest, MergesDigitsOfReducedSums) {
  const Sum t = Var(0, 24);
  const Sum r = Var(1, 7);
  const Sum whole = Add(context_, t, Scale(context_, r, 24));
  const Division by21 = DivMod(context_, whole, 21);
  const Division by3 = DivMod(context_, t, 3);
  const Sum middle = DivMod(context_, Add(context_, by3.quotient, r), 7).remainder;
  const ScaledSum parts[] = {{by21.quotient, 21}, {middle, 3}, {by3.remainder, 1}};
  EXPECT_EQ(Linear(context_, parts), whole);
  const ScaledSum upper[] = {{by21.quotient, 7}, {middle, 1}};
  EXPECT_EQ(Linear(context_, upper), DivMod(context_, whole, 3).quotient);
  // Another sum is not congruent to the quotient by 3.
  const Sum other =
      DivMod(context_, Add(context_, by3.quotient, Scale(context_, r, 2)), 7).remainder;
  const ScaledSum others[] = {{by21.quotient, 21}, {other, 3}, {by3.remainder, 1}};
  const Sum kept = Linear(context_, others);
  ForEachPoint([&](const std::vector<int64_t>& point) {
    const int64_t x = point[0] + point[1] * 24;
    const int64_t digit = (point[0] / 3 + point[1] * 2) % 7;
    EXPECT_EQ(At(kept, point), x / 21 * 21 + digit * 3 + point[0] % 3);
  });
}

TEST_F(DigitSumTest, OverflowBecomesOpaqueAndKeepsItsValue) {
  const int64_t huge = int64_t{1} << 62;
  const Sum x = Var(0, 0, 3);
  const Sum product = Scale(context_, Scale(context_, x, huge), 4);
  EXPECT_EQ(At(product, {0}), 0);
  const Sum sum = Add(context_, Scale(context_, x, huge), Scale(context_, x, huge));
  EXPECT_EQ(At(sum, {0}), 0);
  EXPECT_EQ(At(Mod(context_, sum, Constant(7)), {0}), 0);
}

TEST_F(DigitSumTest, DivisionsByAnyConstantAndByVariables) {
  const Sum x = Var(0, -9, 9);
  const Sum y = Var(1, 1, 3);
  for (const int64_t divisor : {-7, -2, -1, 1, 2, 5}) {
    const Sum quotient = FloorDiv(context_, x, Constant(divisor));
    const Sum remainder = Mod(context_, x, Constant(divisor));
    const Sum ceiling = CeilDiv(context_, x, Constant(divisor));
    for (int64_t value = -9; value <= 9; ++value) {
      EXPECT_EQ(At(quotient, {value, 1}), *support::CheckedFloorDiv(value, divisor));
      EXPECT_EQ(At(remainder, {value, 1}), *support::CheckedFloorMod(value, divisor));
      EXPECT_EQ(At(ceiling, {value, 1}), *support::CheckedCeilDiv(value, divisor));
    }
  }
  ForEachPoint([&](const std::vector<int64_t>& point) {
    EXPECT_EQ(At(FloorDiv(context_, x, y), point), FloorDiv(point[0], point[1]));
    EXPECT_EQ(At(Mod(context_, x, y), point), FloorMod(point[0], point[1]));
    EXPECT_EQ(At(Multiply(context_, x, y), point), point[0] * point[1]);
  });
}

TEST_F(DigitSumTest, UnboundedVariablesAreDividedToo) {
  const Sum x = context_.Variable(0, Interval::All());
  const ScaledSum parts[] = {{x, 6}, {Constant(4), 1}};
  const Division division = DivMod(context_, Linear(context_, parts), 3);
  EXPECT_EQ(division.remainder, Constant(1));
  EXPECT_FALSE(NaturalRange(division.quotient).IsFinite());
  const Division odd = DivMod(context_, x, 2);
  for (const int64_t value : {INT64_MIN, int64_t{-3}, int64_t{0}, INT64_MAX}) {
    EXPECT_EQ(At(odd.quotient, {value}), FloorDiv(value, 2));
    EXPECT_EQ(At(odd.remainder, {value}), FloorMod(value, 2));
  }
}

TEST_F(DigitSumTest, FactsKeepARemainderInside) {
  // With 0 <= x - y <= 5, (8 * z + x - y) splits at 8 though x - y alone may be negative.
  const Sum x = Var(0, 10);
  const Sum y = Var(1, 10);
  const Sum z = Var(2, 4);
  const Sum difference = Subtract(context_, x, y);
  const ScaledSum parts[] = {{z, 8}, {difference, 1}};
  const Sum sum = Linear(context_, parts);
  // A domain that is not tightened says it with a constant, too: 3 <= x - y + 3 <= 8.
  Sum shifted = difference;
  shifted.constant = 3;
  for (const Constraint& fact : {Constraint{difference, {0, 5}}, Constraint{shifted, {3, 8}}}) {
    const FactScope facts(context_, fact);
    const Division division = DivMod(context_, sum, 8);
    EXPECT_EQ(division.quotient, z);
    EXPECT_EQ(division.remainder, difference);
    EXPECT_EQ(Range(context_, sum), (Interval{0, 29}));
  }
  EXPECT_NE(DivMod(context_, sum, 8).quotient, z);
}

TEST_F(DigitSumTest, RenamingKeepsTheForm) {
  std::mt19937 random(5);
  Var(0, 7);
  Var(1, 9);
  const Sum sum = RandomSum(random, 3);
  const auto swap = [](VariableId i) { return 1 - i; };
  Renaming renaming(context_, swap);
  const Sum renamed = renaming.Apply(sum);
  ForEachPoint([&](const std::vector<int64_t>& point) {
    EXPECT_EQ(At(renamed, {point[1], point[0]}), At(sum, point));
  });
  EXPECT_EQ(renaming.Apply(renamed), sum);
}

TEST_F(DigitSumTest, SubstitutionSimplifies) {
  const Sum x = Var(0, 40);
  const Division division = DivMod(context_, x, 8);
  const ScaledSum parts[] = {{Var(1, 5), 8}, {Var(2, 8), 1}};
  const Sum value = Linear(context_, parts);
  const auto replace = [&](const Atom& atom) {
    return atom.variable == 0 ? std::optional<Sum>(value) : std::nullopt;
  };
  Substitution substitution(context_, replace);
  EXPECT_EQ(substitution.Apply(division.quotient), Var(1, 5));
  EXPECT_EQ(substitution.Apply(division.remainder), Var(2, 8));
}

}  // namespace
}  // namespace hlo_indexing::simplifier
