// What the state of a loop reads of the state before it, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

// The header of a module on three devices and its computations. `permute` hands the second array
// from device to device, `count` counts to 3, and `until_nan` also stops at a first element.
constexpr char kComputations[] =
    "HloModule m, replica_count=3\n"
    "permute { p = (s32[], f32[2]) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
    " x = f32[2] get-tuple-element(p), index=1\n one = s32[] constant(1)\n"
    " m = s32[] add(n, one)\n"
    " y = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2}}\n"
    " ROOT t = (s32[], f32[2]) tuple(m, y) }\n"
    "hand_on { p = (s32[], f32[2]) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
    " x = f32[2] get-tuple-element(p), index=1\n one = s32[] constant(1)\n"
    " m = s32[] add(n, one)\n ROOT t = (s32[], f32[2]) tuple(m, x) }\n"
    "count { p = (s32[], f32[2]) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
    " k = s32[] constant(3)\n ROOT r = pred[] compare(n, k), direction=LT }\n"
    "until_nan { p = (s32[], f32[2]) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
    " k = s32[] constant(3)\n a = pred[] compare(n, k), direction=LT\n"
    " x = f32[2] get-tuple-element(p), index=1\n f = f32[1] slice(x), slice={[0:1]}\n"
    " s = f32[] reshape(f)\n b = pred[] compare(s, s), direction=EQ\n"
    " ROOT r = pred[] and(a, b) }\n"
    "outer { p = (s32[], f32[2]) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
    " x = f32[2] get-tuple-element(p), index=1\n one = s32[] constant(1)\n"
    " m = s32[] add(n, one)\n zero = s32[] constant(0)\n"
    " t = (s32[], f32[2]) tuple(zero, x)\n"
    " w = (s32[], f32[2]) while(t), condition=count, body=permute\n"
    " y = f32[2] get-tuple-element(w), index=1\n ROOT u = (s32[], f32[2]) tuple(m, y) }\n";

class LoopMapsTest : public ::testing::Test {
 protected:
  // The maps from array 1 of the state after such a loop to array 1 before it, each with its device
  // where that may be another one, after the exactness.
  std::vector<std::string> Maps(const std::string& loop) {
    const auto module =
        hlo::ParseModule(kComputations + ("ENTRY e { p = (s32[], f32[2]) parameter(0)\n"
                                          " ROOT w = (s32[], f32[2]) while(p), " +
                                          loop + " }"));
    EXPECT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(hlo::Verify(**module).message(), "");
    IndexingAnalysis analysis(&context_);
    const OutputIndexing indexing = analysis.OutputToInput((*module)->entry().root(), 1);
    std::vector<std::string> lines;
    for (const OperandIndexing& operand : indexing.operands()) {
      if (operand.leaf() != 1) continue;
      lines.push_back(ExactnessName(operand.exactness()).str());
      for (const auto& [map, replica_map] : operand.maps()) {
        lines.push_back(map.ToString() + (replica_map ? " on " + replica_map->ToString() : ""));
      }
    }
    return lines;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(LoopMapsTest, WhatIsHandedOnIsExact) {
  EXPECT_THAT(Maps("condition=count, body=hand_on"),
              ElementsAre("exact", "(d0) -> (d0), domain: d0 in [0, 1]"));
}

// Every element depends on the first, which says when the loop ends.
TEST_F(LoopMapsTest, WhatIsHandedOnMayDecideWhenTheLoopEnds) {
  EXPECT_THAT(Maps("condition=until_nan, body=hand_on"),
              ElementsAre("superset", "(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"));
}

// There is no device before the first, so that what the first iteration goes back by one depends on
// the device. Of the second, every device is said to read what device 2 does.
TEST_F(LoopMapsTest, DevicesStayInside) {
  EXPECT_THAT(Maps("condition=count, body=permute"),
              ElementsAre("superset", "(d0) -> (d0), domain: d0 in [0, 1]",
                          "(d0){replica} -> (d0), domain: d0 in [0, 1], replica in [0, 2], replica "
                          "in [1, 2] on (d0){replica} -> (replica - 1), domain: d0 in [0, 1], "
                          "replica in [0, 2], replica in [1, 2]",
                          "(d0) -> (d0), domain: d0 in [0, 1] on (d0) -> (0), domain: d0 in [0, "
                          "1]"));
}

// Arrays that are followed as a whole may come from any device too.
TEST_F(LoopMapsTest, LoopsInLoopsReachOtherDevices) {
  EXPECT_THAT(Maps("condition=count, body=outer"),
              ElementsAre("superset",
                          "(d0)[s0, s1] -> (s0), domain: d0 in [0, 1], s0 in [0, 1], "
                          "s1 in [0, 2] on (d0)[s0, s1] -> (s1), domain: d0 in [0, 1], "
                          "s0 in [0, 1], s1 in [0, 2]"));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
