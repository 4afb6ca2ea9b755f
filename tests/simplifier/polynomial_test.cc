#include "simplifier/polynomial.h"

#include <gtest/gtest.h>

#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {
namespace {

Polynomial Number(int64_t value) { return Polynomial(Fraction(value)); }

class PolynomialTest : public ::testing::Test {
 protected:
  DigitContext context_;
  Sum d0_ = context_.Variable(0, {0, 9});
  Sum d1_ = context_.Variable(1, {5, 9});
};

TEST_F(PolynomialTest, ProductsAreExpanded) {
  Polynomial sum(Add(context_, d0_, Constant(2)));
  EXPECT_EQ((sum * sum).ToString(), "4 + d0 * 4 + d0 * d0 * 1");
  sum += Polynomial(Scale(context_, d0_, -1));
  EXPECT_EQ(sum.ToString(), "2");
  sum += Number(-2);
  EXPECT_TRUE(sum.IsZero());
}

// An atom starts at 0, a variable where its box does.
TEST_F(PolynomialTest, CoefficientsAreThoseOfTheVariable) {
  const Polynomial product = Polynomial(d1_) * Polynomial(d1_) * Polynomial(d0_);
  const std::vector<Polynomial> coefficients = product.CoefficientsOf(1);
  ASSERT_EQ(coefficients.size(), 3);
  EXPECT_TRUE(coefficients[0].IsZero());
  EXPECT_TRUE(coefficients[1].IsZero());
  EXPECT_EQ(coefficients[2].ToString(), "d0 * 1");
}

// Against adding up, for powers up to 6 and bounds below 0.
TEST_F(PolynomialTest, SumsOfPowersAreTheSums) {
  for (size_t power = 0; power <= 6; ++power) {
    std::vector<Polynomial> coefficients(power + 1);
    coefficients[power] = Number(1);
    for (int64_t first = -4; first <= 4; ++first) {
      int64_t sum = 0;
      for (int64_t last = first - 1; last <= 6; ++last) {
        if (last >= first) {
          int64_t term = 1;
          for (size_t k = 0; k < power; ++k) term *= last;
          sum += term;
        }
        Polynomial difference = SumOver(coefficients, Number(first), Number(last));
        difference += Number(-sum);
        EXPECT_TRUE(difference.IsZero()) << power << " from " << first << " to " << last;
      }
    }
  }
}

TEST_F(PolynomialTest, ExampleOfTheHeader) {
  const Polynomial coefficients[] = {Polynomial(), Number(1)};
  EXPECT_EQ(SumOver(coefficients, Number(1), Polynomial(d0_)).ToString(),
            "d0 * 1/2 + d0 * d0 * 1/2");
}

TEST_F(PolynomialTest, NumberedDigitsExpandToTheSame) {
  const Polynomial product = Polynomial(d1_) * Polynomial(d0_) * Fraction(1, 2);
  const Polynomial::Numbered numbered = product.Number(context_);
  Polynomial difference = Expand(numbered.terms, numbered.digits);
  difference += product * Fraction(-1);
  EXPECT_TRUE(difference.IsZero());
}

}  // namespace
}  // namespace hlo_indexing::simplifier
