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

// Loops over constants: each iteration is followed by itself.
class CountedLoopTest : public ::testing::Test {
 protected:
  // What array 1 after the loop reads of the arrays before it, where the counter starts at `first`
  // and the body replaces array 1 by `next`. `counter` gives m, one more than n, and `condition`
  // whether n is less than k.
  std::vector<std::string> Maps(const std::string& first, const std::string& next,
                                const std::string& counter = "m = s32[] add(n, one)",
                                const std::string& condition = "compare(n, k), direction=LT") {
    const std::string state = "(s32[], f32[4], f32[4])";
    const auto module = hlo::ParseModule(
        "inc { a = s32[] parameter(0)\n b = s32[] constant(1)\n ROOT r = s32[] add(a, b) }\n"
        "both { a = s32[] parameter(0)\n b = s32[] call(a), to_apply=inc\n"
        " ROOT r = (s32[], s32[]) tuple(a, b) }\n"
        "less { a = s32[] parameter(0)\n b = s32[] parameter(1)\n"
        " ROOT r = pred[] compare(a, b), direction=LT }\n"
        "body { p = " +
        state +
        " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n x = f32[4] "
        "get-tuple-element(p), index=1\n y = f32[4] get-tuple-element(p), index=2\n one = s32[] "
        "constant(1)\n " +
        counter + "\n row = f32[1] dynamic-slice(y, n), dynamic_slice_sizes={1}\n z = f32[4] " +
        next + "\n ROOT t = " + state + " tuple(m, z, y) }\ncondition { p = " + state +
        " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n k = s32[] constant(3)\n ROOT r "
        "= pred[] " +
        condition +
        " }\nloop { i = s32[] parameter(0)\n x = f32[4] "
        "parameter(1)\n y = f32[4] parameter(2)\n t = " +
        state + " tuple(i, x, y)\n w = " + state +
        " while(t), condition=condition, body=body\n ROOT r = f32[4] get-tuple-element(w), index=1 "
        "}\nENTRY e { a = s32[] parameter(0)\n c = s32[] " +
        first +
        "\n x = f32[4] parameter(1)\n y = f32[4] parameter(2)\n ROOT r = f32[4] call(c, x, y), "
        "to_apply=loop }");
    EXPECT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(hlo::Verify(**module).message(), "");
    IndexingAnalysis analysis(&context_);
    const OutputIndexing indexing = analysis.OutputToInput((*module)->entry().root(), 0);
    std::vector<std::string> lines;
    for (const OperandIndexing& operand : indexing.operands()) {
      for (const auto& [map, replica_map] : operand.maps()) {
        lines.push_back(std::to_string(operand.operand()) + " " +
                        ExactnessName(operand.exactness()).str() + ": " + map.ToString());
      }
    }
    return lines;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(CountedLoopTest, AnOddNumberOfReversalsIsOne) {
  EXPECT_THAT(Maps("constant(0)", "reverse(x), dimensions={0}"),
              ElementsAre("0 exact: (d0) -> (), domain: d0 in [0, 3]",
                          "1 exact: (d0) -> (-d0 + 3), domain: d0 in [0, 3]"));
  EXPECT_THAT(Maps("constant(1)", "reverse(x), dimensions={0}"),
              ElementsAre("0 exact: (d0) -> (), domain: d0 in [0, 3]",
                          "1 exact: (d0) -> (d0), domain: d0 in [0, 3]"));
}

// The condition is false at once, but looked at.
TEST_F(CountedLoopTest, NoIteration) {
  EXPECT_THAT(Maps("constant(3)", "reverse(x), dimensions={0}"),
              ElementsAre("0 exact: (d0) -> (), domain: d0 in [0, 3]",
                          "1 exact: (d0) -> (d0), domain: d0 in [0, 3]"));
}

// Iteration i replaces element i; the last element stays.
TEST_F(CountedLoopTest, IndicesAreThoseOfTheIteration) {
  EXPECT_THAT(Maps("constant(0)", "dynamic-update-slice(x, row, n)"),
              ElementsAre("0 exact: (d0) -> (), domain: d0 in [0, 3]",
                          "1 exact: (d0) -> (3), domain: d0 in [3, 3]",
                          "2 exact: (d0) -> (2), domain: d0 in [2, 2]",
                          "2 exact: (d0) -> (1), domain: d0 in [1, 1]",
                          "2 exact: (d0) -> (0), domain: d0 in [0, 0]"));
}

// As XLA compiles for CPUs: what counts, and compares, is a fusion; or it is called.
TEST_F(CountedLoopTest, CountersMayBeFusedOrCalled) {
  const std::string next = "dynamic-update-slice(x, row, n)";
  const std::vector<std::string> expected = Maps("constant(0)", next);
  EXPECT_THAT(expected, ::testing::Contains("2 exact: (d0) -> (1), domain: d0 in [1, 1]"));
  EXPECT_EQ(Maps("constant(0)", next, "m = s32[] fusion(n), kind=kLoop, calls=inc",
                 "fusion(n, k), kind=kLoop, calls=less"),
            expected);
  EXPECT_EQ(Maps("constant(0)", next,
                 "c = (s32[], s32[]) call(n), to_apply=both\n"
                 " m = s32[] get-tuple-element(c), index=1",
                 "call(n, k), to_apply=less"),
            expected);
}

// Other arithmetic of known integers, which gives n + 1.
TEST_F(CountedLoopTest, CountersByOtherArithmetic) {
  const std::string next = "dynamic-update-slice(x, row, n)";
  const std::string counter =
      "u = s32[] add(n, one)\n eight = s32[] constant(8)\n d = s32[] add(u, eight)\n"
      " a = s32[] remainder(d, eight)\n b = s32[] negate(a)\n c = s32[] abs(b)\n"
      " e = s32[] not(c)\n f = s32[] not(e)\n g = s32[] xor(f, eight)\n"
      " h = s32[] xor(g, eight)\n i = s32[] multiply(h, eight)\n j = s32[] divide(i, eight)\n"
      " s = s32[] sign(eight)\n q = s32[] subtract(j, s)\n m = s32[] add(q, one)";
  EXPECT_EQ(Maps("constant(0)", next, counter), Maps("constant(0)", next));
}

// An index that the loop hands on has one value.
TEST_F(LoopMapsTest, IndicesThatAreHandedOnAreRuntimeValues) {
  const std::string state = "(s32[], s32[], f32[4], f32[8])";
  const auto module = hlo::ParseModule(
      "body { p = " + state +
      " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n i = s32[] get-tuple-element(p), "
      "index=1\n y = f32[8] get-tuple-element(p), index=3\n one = s32[] constant(1)\n m = s32[] "
      "add(n, one)\n z = f32[4] dynamic-slice(y, i), dynamic_slice_sizes={4}\n ROOT t = " +
      state + " tuple(m, i, z, y) }\ncondition { p = " + state +
      " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n k = s32[] constant(3)\n ROOT r = "
      "pred[] compare(n, k), direction=LT }\nENTRY e { c = s32[] constant(0)\n i = s32[] "
      "parameter(0)\n x = f32[4] parameter(1)\n y = f32[8] parameter(2)\n t = " +
      state + " tuple(c, i, x, y)\n ROOT w = " + state +
      " while(t), condition=condition, body=body }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  IndexingAnalysis analysis(&context_);
  const OutputIndexing indexing = analysis.OutputToInput((*module)->entry().root(), 2);
  const OperandIndexing& array = indexing.operands().back();
  EXPECT_EQ(array.leaf(), 3);
  EXPECT_EQ(array.exactness(), Exactness::kExact);
  ASSERT_EQ(array.maps().size(), 1);
  const IndexingMap& map = array.maps()[0].map;
  EXPECT_EQ(map.ToString(), "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 4]");
  EXPECT_EQ(map.runtime()[0].instruction->name(), "i");
  EXPECT_EQ(map.runtime()[0].calls.size(), 0);
}

TEST_F(CountedLoopTest, OthersRunAnyNumberOfTimes) {
  for (const std::string first : {"copy(a)", "constant(-14)"}) {
    EXPECT_THAT(Maps(first, "reverse(x), dimensions={0}"),
                ElementsAre("0 superset: (d0) -> (), domain: d0 in [0, 3]",
                            "1 superset: (d0) -> (d0), domain: d0 in [0, 3]",
                            "1 superset: (d0) -> (-d0 + 3), domain: d0 in [0, 3]"));
  }
}

// The reason of the last array of a loop whose arrays are each the sum of all before: n * n / 2
// pairs.
std::string ReasonOfSums(size_t n, mlir::MLIRContext* context) {
  std::string shape = "(s32[]";
  std::string body;
  std::string results = "m";
  for (size_t i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = i == 1 ? "g1" : "h" + std::to_string(i - 1);
    shape += ", f32[2]";
    body += " g" + k + " = f32[2] get-tuple-element(p), index=" + k + "\n h" + k +
            " = f32[2] add(g" + k + ", " + before + ")\n";
    results += ", h" + k;
  }
  shape += ")";
  const auto module = hlo::ParseModule(
      "c { p = " + shape + " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n" +
      " k = s32[] constant(3)\n ROOT r = pred[] compare(n, k), direction=LT }\nb { p = " + shape +
      " parameter(0)\n n = s32[] get-tuple-element(p), index=0\n one = s32[] constant(1)\n" +
      " m = s32[] add(n, one)\n" + body + " ROOT t = " + shape + " tuple(" + results +
      ") }\nENTRY e { p = " + shape + " parameter(0)\n ROOT w = " + shape +
      " while(p), condition=c, body=b }");
  EXPECT_TRUE(module.ok()) << module.status().message();
  IndexingAnalysis analysis(context);
  const OutputIndexing indexing =
      analysis.OutputToInput((*module)->entry().root(), static_cast<int64_t>(n));
  EXPECT_EQ(indexing.operands().size(), n + 1);
  return indexing.operands().back().reason();
}

TEST_F(LoopMapsTest, ManyArraysThatDependOnEachOtherAreALimit) {
  EXPECT_EQ(ReasonOfSums(20, &context_), "a loop counts as running any number of times");
  EXPECT_EQ(ReasonOfSums(2100, &context_),
            "the arrays of a loop depend on each other in more than 2097152 pairs");
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
