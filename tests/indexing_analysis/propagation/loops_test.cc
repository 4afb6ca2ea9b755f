#include "indexing_analysis/propagation/loops.h"

#include <string>

#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kReason[] = " for {0}, superset: a loop counts as running any number of times";

class LoopsTest : public PropagationTest {
 protected:
  // Parses a loop over (s32[], f32[8], f32[8]) that runs while the first is below 3. `step` gives
  // `n`, the next second array, of the arrays x and y.
  void ParseLoop(const std::string& step) {
    Parse(R"(body { p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  y = f32[8] get-tuple-element(p), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
)" + step +
          R"(
  ROOT t = (s32[], f32[8], f32[8]) tuple(j, n, y) }
condition { p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  k = s32[] constant(3)
  ROOT r = pred[] compare(i, k), direction=LT }
ENTRY e { p = (s32[], f32[8], f32[8]) parameter(0)
  ROOT w = (s32[], f32[8], f32[8]) while(p), condition=condition, body=body })");
  }

  // What the second array after the loop, or array `leaf`, reads of an array before it.
  Lines Before(int64_t array, int64_t leaf = 1) {
    const Propagation propagation = Propagate(root(), {leaf});
    const AccessSets& state = propagation.accesses().operands[0];
    return LinesOf(propagation.accesses().sets, state[static_cast<size_t>(array)]);
  }
};

TEST_F(LoopsTest, ExampleOfTheHeader) {
  ParseLoop("n = f32[8] reverse(x), dimensions={0}");
  EXPECT_THAT(Before(1),
              ElementsAre(std::string("(d0) -> (d0), domain: d0 in [0, 7]") + kReason,
                          std::string("(d0) -> (-d0 + 7), domain: d0 in [0, 7]") + kReason));
  EXPECT_THAT(Before(0), ElementsAre(std::string("(d0) -> (), domain: d0 in [0, 7]") + kReason));
  EXPECT_THAT(Before(2), IsEmpty());
}

TEST_F(LoopsTest, WhatIsForwardedIsReadAsItIs) {
  ParseLoop("n = f32[8] reverse(x), dimensions={0}");
  EXPECT_THAT(Before(2, /*leaf=*/2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7] for {0}"));
  EXPECT_THAT(Before(1, /*leaf=*/2), IsEmpty());
  EXPECT_THAT(Before(0, /*leaf=*/2),
              ElementsAre(std::string("(d0) -> (), domain: d0 in [0, 7]") + kReason));
}

constexpr char kWhole[] = "(d0)[s0] -> (s0), domain: d0 in [0, 7], s0 in [0, 7]";

// Rotated once an iteration, an element may come from anywhere. y comes in at one end.
TEST_F(LoopsTest, ManyAccessesAreWidened) {
  ParseLoop(
      "a = f32[7] slice(x), slice={[1:8]}\n b = f32[1] slice(y), slice={[0:1]}\n"
      "n = f32[8] concatenate(a, b), dimensions={0}");
  EXPECT_THAT(Before(1), ElementsAre(std::string(kWhole) + kReason));
  EXPECT_EQ(Before(2).back().substr(Before(2).back().find("superset")),
            std::string(kReason).substr(std::string(kReason).find("superset")));
}

// The same steps, but too many for propagation by elements.
TEST_F(LoopsTest, LargeLoopsArePropagatedByArrays) {
  std::string step = "n0 = f32[8] negate(x)\n";
  for (int i = 1; i <= 300; ++i) {
    step += "n" + std::to_string(i) + " = f32[8] negate(n" + std::to_string(i - 1) + ")\n";
  }
  ParseLoop(step + "n = f32[8] reverse(n300), dimensions={0}");
  EXPECT_THAT(Before(1), ElementsAre(std::string(kWhole) + kReason));
  EXPECT_THAT(Before(0), ElementsAre(std::string("(d0) -> (), domain: d0 in [0, 7]") + kReason));
  EXPECT_THAT(Before(2), IsEmpty());
  EXPECT_THAT(Before(2, /*leaf=*/2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7] for {0}"));
}

// A loop in a call, in a loop, and in a call in a loop.
TEST_F(LoopsTest, LoopsInLoopsArePropagatedByArrays) {
  Parse(R"(turn { p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  n = f32[8] reverse(x), dimensions={0}
  ROOT t = (s32[], f32[8]) tuple(i, n) }
condition { p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  k = s32[] constant(3)
  ROOT r = pred[] compare(i, k), direction=LT }
again { p = (s32[], f32[8]) parameter(0)
  ROOT w = (s32[], f32[8]) while(p), condition=condition, body=turn }
hidden { p = (s32[], f32[8]) parameter(0)
  ROOT c = (s32[], f32[8]) call(p), to_apply=again }
ENTRY e { p = (s32[], f32[8]) parameter(0)
  once = (s32[], f32[8]) call(p), to_apply=again
  in_call = (s32[], f32[8]) while(p), condition=condition, body=hidden
  ROOT w = (s32[], f32[8]) while(p), condition=condition, body=again })");
  const auto of_array = [&](const hlo::Instruction& instruction) {
    const Propagation propagation = Propagate(instruction, {1});
    return LinesOf(propagation.accesses().sets, propagation.accesses().operands[0][1]);
  };
  EXPECT_EQ(of_array(Named("once")).size(), 2);
  EXPECT_THAT(of_array(root()), ElementsAre(std::string(kWhole) + kReason));
  EXPECT_THAT(of_array(Named("in_call")), ElementsAre(std::string(kWhole) + kReason));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
