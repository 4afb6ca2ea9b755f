#include "codegen/plan/our_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/plan/bytes_in_flight.h"
#include "tests/codegen/plan/kernel_fixtures.h"
#include "tests/support/small_stack.h"

namespace hlo_indexing::plan {
namespace {

KernelPlan PlanOf(PlannedModule& module) {
  absl::StatusOr<KernelPlan> plan = module.Plan(Planner::kOurs);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan.ok() ? *std::move(plan) : KernelPlan();
}

std::string Entry(const std::string& body) {
  return absl::StrCat("HloModule m\nENTRY main {\n", body, "}\n");
}

TEST(OurPlan, LoopsTakeVectorsAndTheRestApart) {
  PlannedModule module(
      Entry("  p = f32[1000003] parameter(0)\n"
            "  ROOT n = f32[1000003] negate(p)\n"));
  const KernelPlan plan = PlanOf(module);
  ASSERT_EQ(plan.passes.size(), 2U);
  EXPECT_EQ(plan.passes[0].vector_elements, 4);
  EXPECT_EQ(plan.passes[1].vector_elements, 1);
  // 250,000 vectors and 3 elements.
  EXPECT_EQ(plan.launch.num_blocks(), 977);
  EXPECT_EQ(plan.launch.threads_per_block(), 256);
}

TEST(OurPlan, TheWidestArrayFillsAnAccess) {
  PlannedModule module(
      Entry("  p = bf16[4194304] parameter(0)\n"
            "  ROOT n = f32[4194304] convert(p)\n"));
  EXPECT_EQ(PlanOf(module).passes.front().vector_elements, 4);
  PlannedModule narrow(
      Entry("  p = bf16[4194304] parameter(0)\n"
            "  ROOT n = bf16[4194304] negate(p)\n"));
  EXPECT_EQ(PlanOf(narrow).passes.front().vector_elements, 8);
}

TEST(OurPlan, IndicesOfRowsDoNotCount) {
  PlannedModule module(
      Entry("  p = bf16[4096,1024] parameter(0)\n"
            "  i = s64[2048,1] parameter(1)\n"
            "  ROOT g = bf16[2048,1024] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},"
            " start_index_map={0}, index_vector_dim=1, slice_sizes={1,1024}\n"));
  EXPECT_EQ(PlanOf(module).passes.front().vector_elements, 8);
  PlannedModule each(
      Entry("  p = bf16[4096] parameter(0)\n"
            "  i = s64[2097152,1] parameter(1)\n"
            "  ROOT g = bf16[2097152] gather(p, i), offset_dims={}, collapsed_slice_dims={0},"
            " start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"));
  EXPECT_EQ(PlanOf(each).passes.front().vector_elements, 2);
}

// The device has 84 multiprocessors.
TEST(OurPlan, FewElementsKeepAllMultiprocessorsBusy) {
  PlannedModule module(
      Entry("  p = f32[32768] parameter(0)\n"
            "  ROOT n = f32[32768] negate(p)\n"));
  const KernelPlan plan = PlanOf(module);
  EXPECT_EQ(plan.passes.front().vector_elements, 2);
  EXPECT_EQ(plan.launch.num_blocks(), 128);
  EXPECT_EQ(plan.launch.threads_per_block(), 128);
  PlannedModule large(
      Entry("  p = f32[131072] parameter(0)\n"
            "  ROOT n = f32[131072] negate(p)\n"));
  EXPECT_EQ(PlanOf(large).passes.front().vector_elements, 4);
}

TEST(OurPlan, RowsThatGoOnAreReducedOnce) {
  PlannedModule module(R"(HloModule m
    largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    f { p = f32[64,1024] parameter(0) c = f32[] constant(-inf)
      m = f32[64] reduce(p, c), dimensions={1}, to_apply=largest
      b = f32[64,1024] broadcast(m), dimensions={0} ROOT s = f32[64,1024] subtract(p, b) }
    ENTRY e { p = f32[64,1024] parameter(0) ROOT r = f32[64,1024] fusion(p), kind=kLoop, calls=f })");
  const KernelPlan plan = PlanOf(module);
  EXPECT_EQ(plan.emitter, Emitter::kRows);
  EXPECT_EQ(plan.launch.num_blocks(), 64);
  // Each has two vectors of four, which it keeps.
  EXPECT_EQ(plan.launch.threads_per_block(), 128);
  EXPECT_TRUE(plan.keeps_rows);
  // Partial results of 4 warps.
  ASSERT_EQ(plan.shared_tiles.size(), 1U);
  EXPECT_EQ(plan.shared_tiles[0].bytes(), 16);
}

// What is written out for each turn of a loop is bounded: rows of an odd length have many turns.
// A module whose fusion adds up an array so often, v<n>, before what `end` is.
std::string RepeatedAdds(const std::string& shape, int64_t num_adds, const std::string& result,
                         const std::string& end) {
  std::string body;
  for (int64_t i = 0; i < num_adds; ++i) {
    absl::StrAppend(&body, "v", i + 1, " = ", shape, " add(v", i, ", v0)\n");
  }
  return absl::StrCat(
      "HloModule m\n"
      "largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
      "f { v0 = ",
      shape, " parameter(0) c = f32[] constant(-inf)\n", body, end, " }\nENTRY e { p = ", shape,
      " parameter(0)\n  ROOT r = ", result, " fusion(p), kind=kLoop, calls=f }");
}

// Blocks of different reductions have their tiles in the same place.
TEST(OurPlan, ReductionsOfOtherBlocksShareTheirMemory) {
  PlannedModule module(R"(HloModule m
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    f { p = f32[33,65] parameter(0) q = f32[33,65] parameter(1) z = f32[] constant(0)
      a = f32[65] reduce(p, z), dimensions={0}, to_apply=sum
      b = f32[65] reduce(q, z), dimensions={0}, to_apply=sum
      ROOT t = (f32[65], f32[65]) tuple(a, b) }
    ENTRY e { p = f32[33,65] parameter(0) q = f32[33,65] parameter(1)
      ROOT r = (f32[65], f32[65]) fusion(p, q), kind=kInput, calls=f })");
  const KernelPlan plan = PlanOf(module);
  EXPECT_EQ(plan.launch.blocks[2], 2);
  ASSERT_EQ(plan.shared_tiles.size(), 2U);
  EXPECT_EQ(plan.shared_places().of_tiles, (std::vector<size_t>{0, 0}));
  EXPECT_EQ(plan.shared_memory_bytes(), plan.shared_tiles[0].bytes());
}

TEST(OurPlan, RowsOfLargeFusionsStayLoops) {
  const auto plan_of = [](int64_t num_adds) {
    const std::string last = absl::StrCat("v", num_adds);
    PlannedModule module(RepeatedAdds(
        "f32[2048,8191]", num_adds, "f32[2048,8191]",
        absl::StrCat("m = f32[2048] reduce(", last, ", c), dimensions={1}, to_apply=largest\n",
                     "b = f32[2048,8191] broadcast(m), dimensions={0}\n",
                     "ROOT s = f32[2048,8191] subtract(", last, ", b)")));
    return PlanOf(module);
  };
  const KernelPlan small = plan_of(10);
  EXPECT_TRUE(small.keeps_rows);
  EXPECT_EQ(small.launch.threads_per_block(), 256);
  // Fewer turns of more threads.
  const KernelPlan medium = plan_of(100);
  EXPECT_TRUE(medium.keeps_rows);
  EXPECT_EQ(medium.launch.threads_per_block(), 1024);
  EXPECT_FALSE(plan_of(1000).keeps_rows);
}

// Code for each element of a vector would be too much.
TEST(OurPlan, ReductionsOfLargeFusionsHaveNarrowerVectors) {
  const auto vector_of = [](int64_t num_adds) {
    PlannedModule module(RepeatedAdds("f32[2048,8192]", num_adds, "f32[2048]",
                                      absl::StrCat("ROOT m = f32[2048] reduce(v", num_adds,
                                                   ", c), dimensions={1}, to_apply=largest")));
    return PlanOf(module).passes.front().vector_elements;
  };
  EXPECT_EQ(vector_of(1000), 4);
  EXPECT_EQ(vector_of(2000), 2);
  EXPECT_EQ(vector_of(5000), 1);
}

// Calls in each other are looked through without recursion.
TEST(OurPlan, RowsOfDeepCallsFitASmallStack) {
  constexpr int kDepth = 20'000;
  std::string text = R"(HloModule m
    largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    c0 { x = f32[64,1024] parameter(0) ROOT n = f32[64,1024] negate(x) }
)";
  for (int i = 1; i < kDepth; ++i) {
    absl::StrAppend(&text, "c", i, " { x = f32[64,1024] parameter(0) ROOT n = f32[64,1024] ",
                    "call(x), to_apply=c", i - 1, " }\n");
  }
  absl::StrAppend(&text, R"(
    f { p = f32[64,1024] parameter(0) c = f32[] constant(-inf)
      v = f32[64,1024] call(p), to_apply=c)",
                  kDepth - 1, R"(
      m = f32[64] reduce(v, c), dimensions={1}, to_apply=largest
      b = f32[64,1024] broadcast(m), dimensions={0} ROOT s = f32[64,1024] subtract(v, b) }
    ENTRY e { p = f32[64,1024] parameter(0) ROOT r = f32[64,1024] fusion(p), kind=kLoop, calls=f })");
  hlo_indexing::testing::RunOnSmallStack([&] {
    PlannedModule module(text);
    EXPECT_EQ(PlanOf(module).emitter, Emitter::kRows);
  });
}

// Each block reduces rows twice; what is made of both results has an element of each row.
TEST(OurPlan, RowsThatBecomeOneElementAreReducedOnce) {
  PlannedModule module(R"(HloModule m
    largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    f { p = f32[64,1024] parameter(0) l = f32[] constant(-inf) z = f32[] constant(0)
      m = f32[64] reduce(p, l), dimensions={1}, to_apply=largest
      b = f32[64,1024] broadcast(m), dimensions={0} d = f32[64,1024] subtract(p, b)
      e = f32[64,1024] exponential(d)
      s = f32[64] reduce(e, z), dimensions={1}, to_apply=sum
      n = f32[64] log(s) ROOT r = f32[64] add(n, m) }
    ENTRY e { p = f32[64,1024] parameter(0) ROOT r = f32[64] fusion(p), kind=kLoop, calls=f })");
  const KernelPlan plan = PlanOf(module);
  EXPECT_EQ(plan.emitter, Emitter::kRows);
  EXPECT_EQ(plan.launch.num_blocks(), 64);
  EXPECT_EQ(plan.launch.threads_per_block(), 128);
  // Partial results of 4 warps for each reduction.
  ASSERT_EQ(plan.shared_tiles.size(), 2U);
  EXPECT_EQ(plan.shared_tiles[1].bytes(), 16);
  EXPECT_EQ(plan.passes.back().vector_elements, 1);
  EXPECT_EQ(plan.passes.back().map.dimensions()[kThreadX].bounds.upper, 0);
}

// One array of a reduction of two.
TEST(OurPlan, TheIndexOfTheLargestElementIsReducedFromRows) {
  PlannedModule module(R"(HloModule m
    argmax { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2)
      j = s32[] parameter(3) c = pred[] compare(a, b), direction=GE
      v = f32[] select(c, a, b) k = s32[] select(c, i, j) ROOT r = (f32[], s32[]) tuple(v, k) }
    f { p = f32[512,1024] parameter(0) i = s32[512,1024] iota(), iota_dimension=1
      l = f32[] constant(-inf) z = s32[] constant(0)
      m = (f32[512], s32[512]) reduce(p, i, l, z), dimensions={1}, to_apply=argmax
      ROOT r = s32[512] get-tuple-element(m), index=1 }
    ENTRY e { p = f32[512,1024] parameter(0) ROOT r = s32[512] fusion(p), kind=kLoop, calls=f })");
  const KernelPlan plan = PlanOf(module);
  EXPECT_EQ(plan.emitter, Emitter::kRows);
  // Two rows of 128 threads each.
  EXPECT_EQ(plan.launch.num_blocks(), 256);
  // Partial results of 4 warps for each array.
  EXPECT_EQ(plan.shared_tiles.size(), 2U);
}

// Elements in another order than that of the rows.
TEST(OurPlan, ResultsThatAreTurnedComeFromALoop) {
  PlannedModule module(R"(HloModule m
    largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    f { p = f32[8,8,64] parameter(0) l = f32[] constant(-inf)
      m = f32[8,8] reduce(p, l), dimensions={2}, to_apply=largest
      ROOT r = f32[8,8] reverse(m), dimensions={0} }
    ENTRY e { p = f32[8,8,64] parameter(0) ROOT r = f32[8,8] fusion(p), kind=kLoop, calls=f })");
  EXPECT_EQ(PlanOf(module).emitter, Emitter::kLoop);
}

TEST(OurPlan, BytesInFlight) {
  PlannedModule module(
      Entry("  p = f32[16777216] parameter(0)\n  q = f32[16777216] parameter(1)\n"
            "  ROOT n = f32[16777216] add(p, q)\n"));
  const KernelPlan plan = PlanOf(module);
  const BytesInFlight flight = BytesInFlightOf(plan, module.plans());
  EXPECT_EQ(flight.bytes_of_thread, 2 * 16);
  // An RTX A6000 has 1,536 threads a multiprocessor, and 768 GB/s for 84.
  EXPECT_EQ(flight.threads, 1536);
  EXPECT_EQ(flight.asked, 5485);
  EXPECT_GT(flight.bytes(), flight.asked);
}

TEST(OurPlan, TransposesHavePaddedOrSwizzledTiles) {
  const auto layout = [](const std::string& type, const std::string& from, const std::string& to,
                         const std::string& dimensions) {
    PlannedModule module(
        Entry(absl::StrCat("  p = ", type, from, " parameter(0)\n  ROOT t = ", type, to,
                           " transpose(p), dimensions=", dimensions, "\n")));
    const KernelPlan plan = PlanOf(module);
    return plan.shared_tiles.empty() ? std::string("none") : plan.shared_tiles[0].LayoutText();
  };
  EXPECT_EQ(layout("f32", "[64,96]", "[96,64]", "{1,0}"), "(_32,_32):(_33,_1)");
  // Words of 8 and of 16 bytes; such larger tiles only where there are many.
  EXPECT_EQ(layout("bf16", "[64,128]", "[128,64]", "{1,0}"), "Sw<4,2,6> o _0 o (_64,_64):(_64,_1)");
  EXPECT_EQ(layout("f32", "[640,960]", "[960,640]", "{1,0}"),
            "Sw<3,2,6> o _0 o (_64,_64):(_64,_1)");
  EXPECT_EQ(layout("bf16", "[1280,2560]", "[2560,1280]", "{1,0}"),
            "Sw<4,2,7> o _0 o (_128,_128):(_128,_1)");
  EXPECT_EQ(layout("s8", "[2560,2560]", "[2560,2560]", "{1,0}"),
            "Sw<4,3,8> o _0 o (_256,_256):(_256,_1)");
  EXPECT_EQ(layout("bf16", "[66,128]", "[128,66]", "{1,0}"), "Sw<5,1,6> o _0 o (_64,_64):(_64,_1)");
  EXPECT_EQ(layout("s8", "[128,256]", "[256,128]", "{1,0}"),
            "Sw<4,3,7> o _0 o (_128,_128):(_128,_1)");
  // No whole words.
  EXPECT_EQ(layout("bf16", "[65,128]", "[128,65]", "{1,0}"), "(_32,_32):(_33,_1)");
  // The minor dimension stays.
  EXPECT_EQ(layout("f32", "[64,96,2]", "[96,64,2]", "{1,0,2}"),
            "Sw<5,1,5> o _0 o (_32,_32,_2):(_64,_2,_1)");
}

TEST(OurPlan, ReductionsTakeVectorsOfRows) {
  const std::string sum =
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b) }\n";
  PlannedModule row(absl::StrCat("HloModule m\n", sum,
                                 "ENTRY main { p = f32[4096,4096] parameter(0)\n"
                                 " c = f32[] constant(0)\n ROOT r = f32[4096] reduce(p, c),"
                                 " dimensions={1}, to_apply=sum }\n"));
  const KernelPlan rows = PlanOf(row);
  EXPECT_EQ(rows.variant, "row reduction");
  EXPECT_EQ(rows.launch.threads_per_block(), 256);
  EXPECT_EQ(rows.launch.num_blocks(), 4096);
  EXPECT_EQ(rows.passes.front().vector_elements, 4);
  PlannedModule column(absl::StrCat("HloModule m\n", sum,
                                    "ENTRY main { p = f32[4096,4096] parameter(0)\n"
                                    " c = f32[] constant(0)\n ROOT r = f32[4096] reduce(p, c),"
                                    " dimensions={0}, to_apply=sum }\n"));
  const KernelPlan columns = PlanOf(column);
  EXPECT_EQ(columns.variant, "column reduction");
  // 32 groups of columns, four blocks each: the device has 84 multiprocessors.
  EXPECT_EQ(columns.launch.num_blocks(), 128);
  EXPECT_EQ(columns.launch.threads_per_block(), 512);
  EXPECT_EQ(columns.blocks_of_group, 4);
  EXPECT_EQ(columns.counter_bytes(), 32 * 4);
  EXPECT_EQ(columns.scratch_bytes, 4 * 4096 * 4);
  EXPECT_EQ(columns.passes.front().vector_elements, 4);
}

}  // namespace
}  // namespace hlo_indexing::plan
