// What is known of integers, against what the interpreter computes.
#include "indexing_analysis/propagation/integer_values.h"

#include <ostream>
#include <string>

#include "hlo/interpreter/interpreter.h"
#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::Interval;
using simplifier::Sum;

using IntegerValuesTest = PropagationTest;

TEST_F(IntegerValuesTest, ExampleOfTheHeader) {
  Parse("ENTRY e { ROOT i = s32[8,2] iota(), iota_dimension=0 }");
  DigitContext digits;
  const Sum index[] = {digits.Variable(0, {0, 7}), digits.Variable(1, {0, 1})};
  const IntegerValue known = KnownInteger(digits, {&root(), nullptr}, index);
  ASSERT_TRUE(known.sum.has_value());
  EXPECT_EQ(known.sum->ToString(), "d0");
  EXPECT_EQ(known.range, Interval({0, 7}));
  EXPECT_EQ(known.outermost_call_depth, Dependences::kNoCall);
}

// Instructions that compute `r`, s32[8] or pred[8] if it compares, of `i`, which counts from 0 to
// 7, and what is known of it.
struct Case {
  const char* text;
  const char* sum;  // empty if its value is not known
  const char* range;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }
};

class IntegerValuesCases : public IntegerValuesTest, public ::testing::WithParamInterface<Case> {};

TEST_P(IntegerValuesCases, AreThoseOfTheInterpreter) {
  Parse(std::string("ENTRY e { i = s32[8] iota(), iota_dimension=0\n") + GetParam().text + " }");
  DigitContext digits;
  const Sum index[] = {digits.Variable(0, {0, 7})};
  const IntegerValue known = KnownInteger(digits, {&root(), nullptr}, index);
  EXPECT_EQ(known.sum ? known.sum->ToString() : "", GetParam().sum);
  EXPECT_EQ(support::ToString(known.range), GetParam().range);
  const auto value = hlo::Evaluate(module_->entry(), {});
  ASSERT_TRUE(value.ok()) << value.status();
  for (int64_t element = 0; element < 8; ++element) {
    const int64_t expected = value->array().Integer(element);
    EXPECT_TRUE(known.range.Contains(expected)) << element;
    if (!known.sum) continue;
    EXPECT_EQ(simplifier::Evaluate(*known.sum, [&](const Atom&) { return element; }), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , IntegerValuesCases,
    ::testing::Values(
        Case{"ROOT r = s32[8] constant({5, 5, 5, 5, 5, 5, 5, 5})", "5", "[5, 5]"},
        Case{"ROOT r = s32[8] constant({5, 3, 5, 9, 5, 5, -5, 5})", "", "[-5, 9]"},
        Case{"ROOT r = s32[8] add(i, i)", "d0 * 2", "[0, 14]"},
        Case{"ROOT r = s32[8] subtract(i, i)", "0", "[0, 0]"},
        Case{"c = s32[] constant(3)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = s32[8] multiply(b, i)",
             "d0 * 3", "[0, 21]"},
        Case{"ROOT r = s32[8] multiply(i, i)", "", "[-2147483648, 2147483647]"},
        // 3 * 100 is not an s8.
        Case{"a = s8[8] convert(i)\n c = s8[] constant(100)\n b = s8[8] broadcast(c), "
             "dimensions={}\n ROOT r = s8[8] multiply(a, b)",
             "", "[-128, 127]"},
        Case{"a = s32[8] reverse(i), dimensions={0}\n ROOT r = s32[8] add(a, i)", "",
             "[-2147483648, 2147483647]"},
        Case{"a = s32[4] slice(i), slice={[1:8:2]}\n b = s32[4,2] broadcast(a), dimensions={0}\n"
             "ROOT r = s32[8] reshape(b)",
             "(d0 floordiv 2) * 2 + 1", "[1, 7]"},
        Case{"a = s32[4,2] reshape(i)\n b = s32[2,4] transpose(a), dimensions={1,0}\n"
             "ROOT r = s32[8] reshape(b)",
             "(d0 mod 4) * 2 + d0 floordiv 4", "[0, 7]"},
        Case{"c = s32[] constant(3)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = s32[8] minimum(i, b)",
             "", "[0, 3]"},
        Case{"c = s32[] constant(9)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = s32[8] minimum(i, b)",
             "d0", "[0, 7]"},
        Case{"c = s32[] constant(9)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = s32[8] maximum(i, b)",
             "9", "[9, 9]"},
        Case{"a = s32[] constant(2)\n b = s32[] constant(4)\n ROOT r = s32[8] clamp(a, i, b)", "",
             "[2, 4]"},
        // The bounds cross: the upper one wins.
        Case{"a = s32[] constant(20)\n b = s32[] constant(4)\n ROOT r = s32[8] clamp(a, i, b)", "4",
             "[4, 4]"},
        Case{"c = s32[] constant(7)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=LE",
             "1", "[1, 1]"},
        Case{"c = s32[] constant(7)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=LT",
             "", "[0, 1]"},
        Case{"c = s32[] constant(7)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=GT",
             "0", "[0, 0]"},
        Case{"c = s32[] constant(8)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=NE",
             "1", "[1, 1]"},
        Case{"c = s32[] constant(-1)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=GE",
             "1", "[1, 1]"},
        Case{"c = s32[] constant(8)\n b = s32[8] broadcast(c), dimensions={}\n"
             "ROOT r = pred[8] compare(i, b), direction=EQ",
             "0", "[0, 0]"},
        Case{"c = pred[] constant(true)\n n = s32[8] negate(i)\n ROOT r = s32[8] select(c, i, n)",
             "d0", "[0, 7]"},
        Case{"c = pred[8] constant({true,true,false,true,true,true,true,true})\n"
             "t = s32[8] add(i, i)\n ROOT r = s32[8] select(c, t, i)",
             "", "[0, 14]"},
        Case{"t = (s32[8], s32[8]) tuple(i, i)\n ROOT r = s32[8] get-tuple-element(t), index=1",
             "d0", "[0, 7]"},
        Case{"a = u8[8] convert(i)\n ROOT r = s32[8] convert(a)", "d0", "[0, 7]"},
        // -1 is no u8.
        Case{"c = s32[] constant(1)\n b = s32[8] broadcast(c), dimensions={}\n"
             "a = s32[8] subtract(i, b)\n ROOT r = u8[8] convert(a)",
             "", "[0, 255]"},
        Case{"ROOT r = s32[8] copy(i)", "d0", "[0, 7]"}));

// The operand of the call at depth 1 is looked at, through a call inside it.
TEST_F(IntegerValuesTest, ParametersAreResolved) {
  Parse(R"(inner { p = s32[] parameter(0)
  ROOT r = s32[] negate(p) }
outer { p = s32[] parameter(0)
  two = s32[] constant(2)
  ROOT c = s32[] call(p), to_apply=inner
  d = s32[] call(two), to_apply=inner }
ENTRY e { three = s32[] constant(3)
  ROOT c = s32[] call(three), to_apply=outer })");
  const CallFrame outer = CallFrame::Inside(root(), nullptr);
  const hlo::Instruction& parameter = *module_->FindComputation("inner")->parameters().front();
  DigitContext digits;
  const auto known = [&](const hlo::Computation& caller, llvm::StringRef call) {
    for (const hlo::Instruction* instruction : caller.instructions()) {
      if (instruction->name() != call) continue;
      const CallFrame inner = CallFrame::Inside(*instruction, &outer);
      return KnownInteger(digits, {&parameter, &inner}, {});
    }
    return IntegerValue();
  };
  const hlo::Computation& caller = *module_->FindComputation("outer");
  EXPECT_EQ(known(caller, "c").range, Interval({3, 3}));
  EXPECT_EQ(known(caller, "c").outermost_call_depth, 1);
  EXPECT_EQ(known(caller, "d").range, Interval({2, 2}));
  EXPECT_EQ(known(caller, "d").outermost_call_depth, 2);
  // Every iteration of a loop may get another value.
  const CallFrame loop = CallFrame::Inside(root(), nullptr, 0, CallFrame::Kind::kLoop);
  EXPECT_EQ(ResolveParameter({&parameter, &loop}).instruction, &parameter);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
