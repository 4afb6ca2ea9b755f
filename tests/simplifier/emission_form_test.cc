#include "simplifier/emission_form.h"

#include <gtest/gtest.h>

#include <random>

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

class EmissionFormTest : public ::testing::Test {
 protected:
  static int Count(const EmissionProgram& program, EmissionOpcode opcode) {
    return static_cast<int>(llvm::count_if(
        program.steps, [&](const EmissionStep& step) { return step.opcode == opcode; }));
  }

  DigitContext context_;
};

TEST_F(EmissionFormTest, QuotientAndRemainderShareTheDivision) {
  const Sum x = context_.Variable(0, {0, 99});
  const Division division = DivMod(context_, x, 10);
  const EmissionProgram program = EmissionForm(context_, {division.quotient, division.remainder});
  EXPECT_EQ(Count(program, EmissionOpcode::kDivideUnsigned), 1);
  EXPECT_EQ(Count(program, EmissionOpcode::kMultiply), 1);
  EXPECT_EQ(Count(program, EmissionOpcode::kSubtract), 1);
  EXPECT_EQ(program.cost, 8);
  EXPECT_EQ(program.bits, 32);
}

TEST_F(EmissionFormTest, PowersOfTwoAreShiftsAndMasks) {
  const Sum x = context_.Variable(0, {-100, 99});
  const Division division = DivMod(context_, x, 16);
  const EmissionProgram program = EmissionForm(context_, {division.quotient, division.remainder});
  EXPECT_EQ(Count(program, EmissionOpcode::kDivideUnsigned), 0);
  EXPECT_EQ(Count(program, EmissionOpcode::kFloorDivide), 0);
  EXPECT_EQ(program.cost, 2);
}

TEST_F(EmissionFormTest, NegativeDividendsAreRaised) {
  const Sum x = context_.Variable(0, {-5, 99});
  const EmissionProgram program = EmissionForm(context_, DivMod(context_, x, 10).quotient);
  EXPECT_EQ(Count(program, EmissionOpcode::kDivideUnsigned), 1);
  EXPECT_EQ(Count(program, EmissionOpcode::kFloorDivide), 0);
  const EmissionProgram unbounded =
      EmissionForm(context_, DivMod(context_, context_.Variable(1, Interval::All()), 10).quotient);
  EXPECT_EQ(Count(unbounded, EmissionOpcode::kFloorDivide), 1);
  EXPECT_EQ(unbounded.bits, 64);
}

TEST_F(EmissionFormTest, WideValuesTakeWideRegisters) {
  const Sum x = context_.Variable(0, {0, int64_t{1} << 20});
  const Sum wide = Scale(context_, x, int64_t{1} << 20);
  EXPECT_EQ(EmissionForm(context_, wide).bits, 64);
  EXPECT_EQ(EmissionForm(context_, x).bits, 32);
}

// A random sum of three variables with nested quotients and remainders.
Sum RandomSum(DigitContext& context, std::mt19937& random, int depth) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  const auto variable = static_cast<VariableId>(pick(0, 2));
  if (depth == 0) {
    const int64_t lower = variable == 0 ? 0 : (variable == 1 ? -4 : 3);
    return context.Variable(variable, {lower, lower + 11});
  }
  const Sum a = RandomSum(context, random, depth - 1);
  switch (pick(0, 3)) {
    case 0:
      return Add(context, Scale(context, a, pick(-5, 5)), RandomSum(context, random, depth - 1));
    case 1:
      return FloorDiv(context, a, Constant(pick(2, 9)));
    case 2:
      return Mod(context, a, Constant(pick(2, 9)));
    default:
      return Add(context, Scale(context, a, pick(1, 12)), Constant(pick(-20, 20)));
  }
}

TEST_F(EmissionFormTest, ComputesTheValues) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const Sum sums[] = {RandomSum(context_, random, 4), RandomSum(context_, random, 4)};
    const EmissionProgram program = EmissionForm(context_, sums);
    for (int64_t code = 0; code < int64_t{12} * 12 * 12; code += 7) {
      const int64_t point[] = {code % 12, code / 12 % 12 - 4, code / 144 + 3};
      const auto value = [&](const Atom& atom) { return std::optional(point[atom.variable]); };
      const auto results = Evaluate(program, value);
      ASSERT_TRUE(results.has_value());
      ASSERT_EQ((*results)[0], Evaluate(sums[0], value));
      ASSERT_EQ((*results)[1], Evaluate(sums[1], value));
    }
  }
}

// Together no sum costs more than alone, and a target's costs decide between the ways to write one.
TEST_F(EmissionFormTest, CostsDecide) {
  const Sum x = context_.Variable(0, {0, 1023});
  const Division division = DivMod(context_, x, 6);
  const ScaledSum parts[] = {{division.quotient, 20}, {division.remainder, 3}};
  const Sum sum = Linear(context_, parts);
  const EmissionProgram once = EmissionForm(context_, sum);
  EXPECT_EQ(Count(once, EmissionOpcode::kDivideUnsigned), 1);
  EXPECT_EQ(EmissionForm(context_, {sum, sum}).cost, once.cost);
  const EmissionProgram all = EmissionForm(context_, {division.quotient, sum});
  EXPECT_LE(all.cost, once.cost + EmissionForm(context_, division.quotient).cost);
  TargetCosts slow_multiplication;
  slow_multiplication.multiply = 50;
  EXPECT_LE(Count(EmissionForm(context_, sum, slow_multiplication), EmissionOpcode::kMultiply),
            Count(once, EmissionOpcode::kMultiply));
}

}  // namespace
}  // namespace hlo_indexing::simplifier
