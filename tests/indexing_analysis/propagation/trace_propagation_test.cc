#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;

// One line per step and access: depth, instruction, map without domain.
std::vector<std::string> Lines(llvm::ArrayRef<TraceStep> steps) {
  std::vector<std::string> lines;
  for (const TraceStep& step : steps) {
    for (const TraceStep::Access& access : step.accesses) {
      const std::string map = access.map.ToString();
      lines.push_back(std::to_string(step.depth) + " " + step.instruction->name().str() + " " +
                      map.substr(0, map.find(", domain")) + (step.is_repeated ? " again" : "") +
                      (access.reason.empty() ? "" : ": " + access.reason));
    }
  }
  return lines;
}

class TracePropagationTest : public ::testing::Test {
 protected:
  std::vector<std::string> Trace(const std::string& text, AnalysisOptions options = {}) {
    auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(hlo::Verify(**module).message(), "");
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context, options);
    // What is memoized of earlier queries leaves no step out.
    analysis.OutputToInput((*module)->entry().root(), 0);
    return Lines(analysis.TracePropagation((*module)->entry().root(), 0));
  }
};

TEST_F(TracePropagationTest, ExampleOfTheHeader) {
  EXPECT_THAT(Trace("c { p = f32[2,3] parameter(0)\n n = f32[2,3] negate(p)\n"
                    "ROOT t = f32[3,2] transpose(n), dimensions={1,0} }\n"
                    "ENTRY e { x = f32[2,3] parameter(0)\n"
                    "ROOT fusion = f32[3,2] fusion(x), kind=kLoop, calls=c }"),
              ElementsAre("0 fusion (d0, d1) -> (d0, d1)", "1 t (d0, d1) -> (d0, d1)",
                          "1 n (d0, d1) -> (d1, d0)", "1 p (d0, d1) -> (d1, d0)"));
}

TEST_F(TracePropagationTest, CallsThatAreReachedAlikeArePropagatedOnce) {
  EXPECT_THAT(Trace("c { p = f32[9] parameter(0)\n ROOT n = f32[9] negate(p) }\n"
                    "ENTRY e { x = f32[9] parameter(0)\n ROOT r = f32[9] call(x), to_apply=d }\n"
                    "d { q = f32[9] parameter(0)\n one = f32[9] call(q), to_apply=c\n"
                    "ROOT two = f32[9] call(one), to_apply=c }"),
              ElementsAre("0 r (d0) -> (d0)", "1 two (d0) -> (d0)", "2 n (d0) -> (d0)",
                          "2 p (d0) -> (d0)", "1 one (d0) -> (d0) again", "1 q (d0) -> (d0)"));
}

TEST_F(TracePropagationTest, LimitsHaveTheirReason) {
  AnalysisOptions options;
  options.max_accesses = 1;
  EXPECT_THAT(Trace("c { p = f32[3] parameter(0)\n n = f32[3] negate(p)\n"
                    "s = f32[3] reverse(n), dimensions={0}\n ROOT a = f32[3] add(n, s) }\n"
                    "ENTRY e { x = f32[3] parameter(0)\n ROOT r = f32[3] call(x), to_apply=c }",
                    options),
              ElementsAre("0 r (d0) -> (d0)", "1 a (d0) -> (d0)", "1 s (d0) -> (d0)",
                          "1 n (d0)[s0] -> (s0): an array inside is read in more than 1 ways",
                          "1 p (d0)[s0] -> (s0): an array inside is read in more than 1 ways"));
}

TEST_F(TracePropagationTest, WhatIsUnknownHasItsReason) {
  EXPECT_THAT(Trace("c { p = f32[3] parameter(0)\n"
                    "ROOT z = f32[3] custom-call(p), custom_call_target=\"mystery\" }\n"
                    "ENTRY e { x = f32[3] parameter(0)\n ROOT r = f32[3] call(x), to_apply=c }"),
              ElementsAre("0 r (d0) -> (d0)", "1 z (d0) -> (d0)",
                          "1 p UNKNOWN: no maps are registered for the custom call 'mystery'"));
}

TEST_F(TracePropagationTest, NothingIsReadByAnArrayWithoutElements) {
  EXPECT_THAT(Trace("ENTRY e { x = f32[0] parameter(0)\n ROOT n = f32[0] negate(x) }"),
              ElementsAre());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
