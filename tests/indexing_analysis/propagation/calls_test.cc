#include "indexing_analysis/propagation/calls.h"

#include <string>

#include "indexing_analysis/propagation/called_computations.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

class CallsTest : public PropagationTest {
 protected:
  // Propagates from the output of a call in a query of its own.
  struct Result {
    std::vector<Lines> operands;
    Dependences dependences;
    int64_t steps = 0;
  };
  Result PropagateCall(const hlo::Instruction& call) {
    Query query = MakeQuery(call.shape().sizes());
    Propagator propagator(query);
    CallPropagation calls(query, propagator);
    std::vector<AccessSets> operands(call.operands().size());
    Result result;
    result.dependences = calls.PropagateCall(call, *CalleeOf(call), {IdentityOf(query)}, nullptr,
                                             [&](size_t operand) { return &operands[operand]; });
    for (const AccessSets& operand : operands) {
      result.operands.push_back(operand.empty() ? Lines() : LinesOf(query.outputs, operand[0]));
    }
    result.steps = query.steps;
    return result;
  }
};

constexpr char kIdentity[] = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3] for {0}";
constexpr char kTransposed[] = "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3] for {0}";

TEST_F(CallsTest, ExampleOfTheHeader) {
  Parse(R"(f { p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  t = f32[4,4] transpose(q), dimensions={1,0}
  ROOT r = f32[4,4] add(p, t) }
ENTRY e { x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  first = f32[4,4] call(x, y), to_apply=f
  ROOT second = f32[4,4] call(y, x), to_apply=f })");
  const Result first = PropagateCall(Named("first"));
  EXPECT_THAT(first.operands, ElementsAre(ElementsAre(kIdentity), ElementsAre(kTransposed)));
  EXPECT_EQ(first.steps, kStepsOfCall + 2);
  EXPECT_EQ(first.dependences.nesting, 1);
  const Result second = PropagateCall(Named("second"));
  EXPECT_EQ(second.operands, first.operands);
  EXPECT_EQ(second.steps, 0);
}

constexpr char kSlice[] = R"(
slice { p = f32[16] parameter(0)
  q = s32[] parameter(1)
  ROOT s = f32[4] dynamic-slice(p, q), dynamic_slice_sizes={4} }
)";

// A summary holds for other calls unless a value that the call is given has been looked at.
TEST_F(CallsTest, SummariesMayDependOnValues) {
  Parse(std::string(kSlice) + R"(ENTRY e { x = f32[16] parameter(0)
  i = s32[] parameter(1)
  one = s32[] constant(1)
  first = f32[4] call(x, one), to_apply=slice
  ROOT second = f32[4] call(x, i), to_apply=slice })");
  const Result first = PropagateCall(Named("first"));
  EXPECT_THAT(first.operands[0], ElementsAre("(d0) -> (d0 + 1), domain: d0 in [0, 3] for {0}"));
  EXPECT_EQ(first.dependences.outermost_call_depth, 1);
  const Result second = PropagateCall(Named("second"));
  EXPECT_THAT(second.operands[0],
              ElementsAre("(d0){rt1} -> (d0 + rt1), domain: d0 in [0, 3] for {0}"));
}

// What is computed inside is another value for each call.
TEST_F(CallsTest, ValuesOfTheInsideAreFoundAgain) {
  Parse(R"(f { p = f32[16] parameter(0)
  q = s32[] custom-call(), custom_call_target="number"
  ROOT s = f32[4] dynamic-slice(p, q), dynamic_slice_sizes={4} }
twice { x = f32[16] parameter(0)
  a = f32[4] call(x), to_apply=f
  b = f32[4] call(x), to_apply=f
  ROOT r = f32[4] add(a, b) }
ENTRY e { x = f32[16] parameter(0)
  ROOT call = f32[4] call(x), to_apply=twice })");
  EXPECT_THAT(PropagateCall(root()).operands[0],
              ElementsAre("(d0){rt1} -> (d0 + rt1), domain: d0 in [0, 3] for {0}",
                          "(d0){rt2} -> (d0 + rt2), domain: d0 in [0, 3] for {0}"));
  const Propagation propagation = Propagate(root());
  const RuntimeTable& values = propagation.accesses().runtime_values;
  ASSERT_EQ(values.size(), 3);
  EXPECT_THAT(values[1].calls, ElementsAre(&Named("b")));
  EXPECT_THAT(values[2].calls, ElementsAre(&Named("a")));
}

// The number is given inside, at a depth that is another one for each call of `leaf`. Calls around
// it do not depend on it and are memoized too: there are 2^30 ways through them.
TEST_F(CallsTest, ValuesGivenInsideDoNotKeepCallersFromBeingMemoized) {
  std::string text = kSlice;
  text += R"(leaf { x = f32[16] parameter(0)
  k = s32[] constant(2)
  s = f32[4] call(x, k), to_apply=slice
  ROOT r = f32[16] concatenate(s, s, s, s), dimensions={0} }
)";
  std::string callee = "leaf";
  for (int i = 0; i < 30; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += name + " { x = f32[16] parameter(0)\n a = f32[16] call(x), to_apply=" + callee +
            "\n b = f32[16] call(x), to_apply=" + callee + "\n ROOT r = f32[16] add(a, b) }\n";
    callee = name;
  }
  text += "both { x = f32[16] parameter(0)\n a = f32[16] call(x), to_apply=" + callee +
          "\n b = f32[16] call(x), to_apply=leaf\n ROOT r = f32[16] add(a, b) }\n"
          "ENTRY e { x = f32[16] parameter(0)\n ROOT r = f32[16] call(x), to_apply=both }";
  options_.max_steps = 1000 + 33 * kStepsOfCall;
  Parse(text);
  EXPECT_THAT(OperandLines(0), ElementsAre("(d0) -> (d0 + 2), domain: d0 in [0, 3] for {0}",
                                           "(d0) -> (d0 - 2), domain: d0 in [4, 7] for {0}",
                                           "(d0) -> (d0 - 6), domain: d0 in [8, 11] for {0}",
                                           "(d0) -> (d0 - 10), domain: d0 in [12, 15] for {0}"));
}

// Each of the 2^60 ways through them passes another index on, so that no call is like another one.
TEST_F(CallsTest, CallsCountAsSteps) {
  std::string text = kSlice;
  std::string callee = "slice";
  for (int i = 0; i < 60; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += name + " { x = f32[16] parameter(0)\n k = s32[] parameter(1)\n one = s32[] constant(" +
            std::to_string(i) + ")\n k1 = s32[] add(k, one)\n k2 = s32[] multiply(k, one)\n" +
            " a = f32[4] call(x, k1), to_apply=" + callee +
            "\n b = f32[4] call(x, k2), to_apply=" + callee + "\n ROOT r = f32[4] add(a, b) }\n";
    callee = name;
  }
  text +=
      "ENTRY e { x = f32[16] parameter(0)\n k = s32[] parameter(1)\n"
      "ROOT r = f32[4] call(x, k), to_apply=" +
      callee + " }";
  options_.max_steps = 20'000;
  Parse(text);
  for (const int operand : {0, 1}) {
    const Lines lines = OperandLines(static_cast<size_t>(operand));
    ASSERT_FALSE(lines.empty());
    EXPECT_LE(lines.size(), 512);
    EXPECT_THAT(lines,
                ::testing::Contains(::testing::HasSubstr("more than 20000 reads to follow")));
  }
}

// An operand of a call inside of a computation counts as read whole if it is read in very many
// ways; that of the query's instruction does not.
TEST_F(CallsTest, OperandsOfNestedCallsAreWidened) {
  std::string slices;
  std::string names;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "s" + std::to_string(i);
    slices += " " + name + " = f32[1] slice(x), slice={[" + std::to_string(2 * i) + ":" +
              std::to_string(2 * i + 1) + "]}\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  Parse("f { x = f32[600] parameter(0)\n" + slices + " ROOT r = f32[300] concatenate(" + names +
        "), dimensions={0} }\n" +
        R"(g { x = f32[600] parameter(0)
  ROOT r = f32[300] call(x), to_apply=f }
ENTRY e { x = f32[600] parameter(0)
  once = f32[300] call(x), to_apply=f
  ROOT nested = f32[300] call(x), to_apply=g })");
  const Propagation once = Propagate(Named("once"));
  EXPECT_EQ(LinesOf(once.accesses().sets, once.accesses().operands[0][0]).size(), 300);
  EXPECT_THAT(OperandLines(0),
              ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 299], s0 in [0, 599] for {0}, "
                          "superset: an array inside is read in more than 256 ways"));
}

// Of calls that nest without end, each of which is asked for, one is followed to the limit.
TEST_F(CallsTest, WhatIsCutIsNotFollowedAgain) {
  constexpr int kDepth = 60;
  std::string text = "f0 { x = f32[4] parameter(0)\n ROOT r = f32[4] negate(x) }\n";
  std::string calls;
  for (int i = 1; i < kDepth; ++i) {
    const std::string number = std::to_string(i);
    const std::string call = "f32[4] call(x), to_apply=f" + std::to_string(i - 1) + "\n";
    text += "f" + number + " { x = f32[4] parameter(0)\n ROOT r = " + call + "}\n";
    calls += " c" + number + " = " + call;
  }
  options_.max_call_depth = 20;
  Parse(text + "ENTRY e { x = f32[4] parameter(0)\n" + calls + " ROOT r = f32[4] negate(x) }");
  for (int i = 22; i < kDepth; ++i) {
    const hlo::Instruction& call = Named("c" + std::to_string(i));
    Query query = MakeQuery({4});
    Propagator propagator(query);
    AccessSets output = {IdentityOf(query)};
    AccessSets operand;
    propagator.PropagateInstruction(call, output, nullptr, [&](size_t) { return &operand; });
    EXPECT_THAT(LinesOf(query.outputs, operand[0]),
                ElementsAre("unknown for {0}: calls nest deeper than 20 levels"));
    EXPECT_LE(query.steps, (i == 22 ? 20 : 1) * kStepsOfCall) << i;
  }
}

// The operands are forwarded, the result is the computation's.
TEST_F(CallsTest, AsyncStart) {
  Parse(R"(f { p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  ROOT r = f32[4] reverse(q), dimensions={0} }
g { p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = ((f32[4], f32[4]), f32[4], s32[]) async-start(p, q), calls=f
  operands = (f32[4], f32[4]) get-tuple-element(s), index=0
  first = f32[4] get-tuple-element(operands), index=0
  second = f32[4] get-tuple-element(s), index=1
  ROOT r = (f32[4], f32[4]) tuple(first, second) }
ENTRY e { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT c = (f32[4], f32[4]) call(x, y), to_apply=g })");
  const Propagation propagation = Propagate(root(), {0, 1});
  const OutputSets& sets = propagation.accesses().sets;
  const llvm::ArrayRef<AccessSets> operands = propagation.accesses().operands;
  EXPECT_THAT(LinesOf(sets, operands[0][0]),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
  EXPECT_THAT(LinesOf(sets, operands[1][0]),
              ElementsAre("(d0) -> (-d0 + 3), domain: d0 in [0, 3] for {1}"));
}

TEST_F(CallsTest, EveryBranchOfAConditionalIsRead) {
  Parse(R"(on_true { p = f32[4] parameter(0)
  ROOT r = f32[4] reverse(p), dimensions={0} }
on_false { p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p) }
ENTRY e { choice = pred[] parameter(0)
  x = f32[4] parameter(1)
  y = f32[4] parameter(2)
  ROOT c = f32[4] conditional(choice, x, y), true_computation=on_true, false_computation=on_false })");
  EXPECT_THAT(OperandLines(0), ElementsAre("(d0) -> (), domain: d0 in [0, 3] for {0}"));
  EXPECT_THAT(OperandLines(1), ElementsAre("(d0) -> (-d0 + 3), domain: d0 in [0, 3] for {0}"));
  EXPECT_THAT(OperandLines(2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
