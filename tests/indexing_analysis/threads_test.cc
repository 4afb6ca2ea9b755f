// Threads, each with an analysis and a context of its own, on modules of their own and on one that
// they share: the answers are those of one thread. With the thread sanitizer (preset tsan), also
// that nothing is shared that should not be.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hlo/module.h"
#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

constexpr int kNumThreads = 4;

// Calls, fusions, loops, values that index, divisions, collectives.
constexpr char kText[] = R"(HloModule threads, replica_count=2

add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
body { t = (s32[], f32[12,7]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  one = s32[] constant(1)
  n = s32[] add(i, one)
  x = f32[12,7] get-tuple-element(t), index=1
  y = f32[12,7] reverse(x), dimensions={0}
  ROOT r = (s32[], f32[12,7]) tuple(n, y) }
condition { t = (s32[], f32[12,7]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  limit = s32[] constant(3)
  ROOT r = pred[] compare(i, limit), direction=LT }
fused { p = f32[12,7] parameter(0)
  k = s32[] parameter(1)
  zero = s32[] constant(0)
  s = f32[12,4] dynamic-slice(p, zero, k), dynamic_slice_sizes={12,4}
  t = f32[4,12] transpose(s), dimensions={1,0}
  q = f32[6,8] reshape(t)
  c = f32[6,8,5] broadcast(q), dimensions={0,1}
  z = f32[] constant(0)
  ROOT r = f32[6,8] reduce(c, z), dimensions={2}, to_apply=add }
ENTRY main { x = f32[12,7] parameter(0)
  k = s32[] parameter(1)
  zero = s32[] constant(0)
  t = (s32[], f32[12,7]) tuple(zero, x)
  w = (s32[], f32[12,7]) while(t), condition=condition, body=body
  y = f32[12,7] get-tuple-element(w), index=1
  f = f32[6,8] fusion(y, k), kind=kLoop, calls=fused
  ROOT r = f32[6,8] all-reduce(f), replica_groups={{0,1}}, to_apply=add })";

std::unique_ptr<hlo::Module> Parsed() {
  auto module = hlo::ParseModule(kText);
  EXPECT_TRUE(module.ok()) << module.status().message();
  EXPECT_TRUE(hlo::Verify(**module).ok());
  return *std::move(module);
}

// All that is known of a module, as text.
std::string AnswersOn(const hlo::Module& module) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  std::string text;
  llvm::raw_string_ostream out(text);
  hlo::Print(module, out);
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      for (int64_t leaf = 0; leaf < instruction->shape().num_array_leaves(); ++leaf) {
        text += analysis.OutputToInput(*instruction, leaf).ToString();
        text += analysis.InputToOutput(*instruction, leaf).ToString();
      }
    }
  }
  const auto a = ParseIndexingMap(
      "(d0)[s0, s1] -> (s0 * 2 + s1 * 3), domain: d0 in [0, 9], s0 in [0, 4], s1 in [0, 4]",
      &context);
  const auto b =
      ParseIndexingMap("(d0) -> ((d0 * 5) mod 7 + d0 floordiv 3), domain: d0 in [0, 9]", &context);
  EXPECT_TRUE(a.ok() && b.ok());
  text += Inverse(*a)->ToString() + ImageOf(*b)->ToString() + Equal(*b, *b).ToString();
  const auto difference = Subtract(*b, *a);
  EXPECT_TRUE(difference.ok()) << difference.status().message();
  for (const IndexingMap& map : *difference) text += map.ToString();
  return text;
}

std::vector<std::string> InThreads(llvm::function_ref<std::string()> work) {
  std::vector<std::string> answers(kNumThreads);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) threads.emplace_back([&] { answer = work(); });
  for (std::thread& thread : threads) thread.join();
  return answers;
}

TEST(Threads, EachWithAModuleOfItsOwn) {
  const std::string expected = AnswersOn(*Parsed());
  ASSERT_NE(expected.find("floordiv"), std::string::npos);
  for (const std::string& answer : InThreads([] { return AnswersOn(*Parsed()); })) {
    EXPECT_EQ(answer, expected);
  }
}

TEST(Threads, OneModuleForAll) {
  const std::unique_ptr<hlo::Module> module = Parsed();
  const std::string expected = AnswersOn(*module);
  for (const std::string& answer : InThreads([&] { return AnswersOn(*module); })) {
    EXPECT_EQ(answer, expected);
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
