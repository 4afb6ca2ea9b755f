#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "codegen/explain/kernel_report.h"
#include "codegen/plan/xla_plan.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::explain {
namespace {

using plan::AccessKind;
using plan::NamedModule;
using plan::PlannedModule;

KernelReport Explain(PlannedModule& module, CoalescingTable& table) {
  auto plan = module.Plan();
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return ReportKernel(*std::move(plan), module.plans(), table);
}

KernelReport Explain(PlannedModule& module) {
  CoalescingTable table;
  return Explain(module, table);
}

const AccessReport& LoadOf(const KernelReport& report, int64_t operand) {
  for (const AccessReport& access : report.accesses) {
    if (access.access.kind == AccessKind::kLoad && access.access.operand == operand) return access;
  }
  ADD_FAILURE() << "no load of operand " << operand;
  return report.accesses.front();
}

// A loop in the order of its output, over an operand in the layout.
std::string ColumnRead(const std::string& layout) {
  return "HloModule m\nfused { p0 = f32[512,256]" + layout +
         " parameter(0)\n n = f32[512,256]{1,0} negate(p0)\n"
         " ROOT r = f32[512,256]{1,0} exponential(n) }\n"
         "ENTRY main { p0 = f32[512,256]" +
         layout +
         " parameter(0)\n ROOT f = f32[512,256]{1,0} fusion(p0), kind=kLoop, calls=fused }";
}

TEST(Explain, AnArrayComesFromMemoryOnceAndNoMoreThanIsMoved) {
  constexpr int64_t kBytes = 262144;
  PlannedModule square(R"(
    HloModule m
    ENTRY main { x = f32[65536] parameter(0) ROOT r = f32[65536] multiply(x, x) })");
  EXPECT_EQ(Explain(square).totals.dram_bytes(), 2 * kBytes);
  // Where the update goes is not known, nor whether a sector is cut, but how much it is.
  PlannedModule update(R"(
    HloModule m
    updated { x = f32[131072] parameter(0) u = f32[65536] parameter(1) i = s32[] parameter(2)
      ROOT r = f32[131072] dynamic-update-slice(x, u, i) }
    ENTRY main { x = f32[131072] parameter(0) u = f32[65536] parameter(1) i = s32[] parameter(2)
      ROOT r = f32[131072] fusion(x, u, i), kind=kLoop, calls=updated })");
  EXPECT_LT(Explain(update).totals.dram_bytes(), 5 * kBytes / 2);
}

TEST(Explain, NamesTheInstructionThatBringsTheStrideIn) {
  PlannedModule module(ColumnRead("{0,1}"));
  const KernelReport report = Explain(module);
  const AccessReport& load = LoadOf(report, 0);
  ASSERT_TRUE(load.coalescing.has_value());
  EXPECT_EQ(load.waste.reason, WasteReason::kStride);
  EXPECT_EQ(load.waste.variable, "th_x");
  // Each thread computes four elements of a row.
  EXPECT_EQ(load.waste.stride_bits, 4 * 512 * 32);
  ASSERT_NE(load.waste.origin, nullptr);
  EXPECT_EQ(load.waste.origin->name(), "n");
  // 512 * 256 elements, 32 lanes, each its own sector.
  EXPECT_EQ(load.coalescing->requests.upper, 4096);
  EXPECT_EQ(load.coalescing->sectors.upper, 4096 * 32);
  EXPECT_EQ(load.coalescing->ideal_sectors.upper, 4096 * 4);
  EXPECT_EQ(report.totals.moved_bytes(), (4096 * 32 + 4096 * 4) * 32);
  EXPECT_EQ(report.totals.wasted_bytes(), 4096 * 28 * 32);
}

// The cure's figures are those of a module with that layout.
TEST(Explain, CuresAreWhatTheyWouldBe) {
  PlannedModule strided(ColumnRead("{0,1}"));
  const KernelReport report = Explain(strided);
  ASSERT_EQ(report.cures.size(), 1U);
  const LayoutCure& cure = report.cures.front();
  EXPECT_THAT(cure.minor_to_major, ::testing::ElementsAre(1, 0));
  EXPECT_EQ(cure.copy_bytes, 2 * 512 * 256 * 4);
  PlannedModule cured(ColumnRead("{1,0}"));
  const KernelReport after = Explain(cured);
  EXPECT_EQ(LoadOf(after, 0).coalescing->sectors.upper, cure.sectors_then);
  EXPECT_EQ(LoadOf(report, 0).coalescing->sectors.upper, cure.sectors_now);
  EXPECT_TRUE(after.cures.empty());
  EXPECT_EQ(LoadOf(after, 0).waste.reason, WasteReason::kNone);
}

TEST(Explain, FindsRunsAndAlignment) {
  // Rows of 8 floats of 64: runs of 32 bytes, which are whole sectors: nothing is wasted.
  PlannedModule whole(
      "HloModule m\nENTRY main { p = f32[512,64] parameter(0)\n"
      " ROOT s = f32[512,8] slice(p), slice={[0:512], [8:16]} }");
  EXPECT_EQ(LoadOf(Explain(whole), 0).waste.reason, WasteReason::kNone);
  PlannedModule runs(
      "HloModule m\nENTRY main { p = f32[512,64] parameter(0)\n"
      " ROOT s = f32[512,4] slice(p), slice={[0:512], [8:12]} }");
  const KernelReport of_runs = Explain(runs);
  EXPECT_EQ(LoadOf(of_runs, 0).waste.reason, WasteReason::kShortRuns);
  EXPECT_EQ(LoadOf(of_runs, 0).waste.run_bytes, 16);
  EXPECT_EQ(LoadOf(of_runs, 0).waste.stride_bits, 64 * 32);
  PlannedModule shifted(
      "HloModule m\nENTRY main { p = f32[1025] parameter(0)\n"
      " ROOT s = f32[1024] slice(p), slice={[1:1025]} }");
  const KernelReport of_shifted = Explain(shifted);
  EXPECT_EQ(LoadOf(of_shifted, 0).waste.reason, WasteReason::kAlignment);
  EXPECT_EQ(LoadOf(of_shifted, 0).coalescing->sectors.upper, 32 * 5);
}

// The last block has threads without elements, but none with a part of a vector.
TEST(Explain, RaggedEndsAreVectors) {
  PlannedModule module(
      "HloModule m\nENTRY main { p = f32[404540] parameter(0)\n"
      " ROOT n = f32[404540] negate(p) }");
  const KernelReport report = Explain(module);
  EXPECT_EQ(LoadOf(report, 0).coalescing->vector_bytes, 16);
  EXPECT_EQ(LoadOf(report, 0).waste.reason, WasteReason::kNone);
  EXPECT_EQ(report.totals.sectors, report.totals.ideal_sectors);
}

// Three lanes access each index: they are no run of three.
TEST(Explain, LanesThatAccessTheSameAreNoRun) {
  PlannedModule module(
      "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b) }\n"
      "ENTRY main { x = f32[8192] parameter(0)\n i = s64[4096,1] parameter(1)\n"
      " u = f32[4096,3] parameter(2)\n ROOT r = f32[8192] scatter(x, i, u), "
      "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=sum }");
  const KernelReport report = Explain(module);
  const AccessReport& indices = LoadOf(report, 1);
  EXPECT_LT(indices.coalescing->ideal_sectors.upper, indices.coalescing->sectors.upper);
  EXPECT_EQ(indices.waste.reason, WasteReason::kAlignment);
}

TEST(Explain, AnUpdateWithoutElementsAccessesNothing) {
  PlannedModule module(
      "HloModule m\nENTRY main { x = f32[8] parameter(0)\n u = f32[0] parameter(1)\n"
      " i = s32[] parameter(2)\n ROOT r = f32[8] dynamic-update-slice(x, u, i) }");
  const KernelReport report = Explain(module);
  EXPECT_EQ(report.totals.unknown_accesses, 0);
  EXPECT_EQ(report.totals.sectors, 0);
  EXPECT_TRUE(report.totals.is_exact);
}

// Every element is read 3^80 times.
TEST(Explain, CountsBeyond64Bits) {
  std::string text =
      "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b) }\nfused { p0 = f32[500,500] parameter(0)\n"
      " z = f32[] constant(0)\n";
  std::string size;
  for (int i = 1; i <= 40; ++i) {
    size = "f32[" + std::to_string(500 - 2 * i) + "," + std::to_string(500 - 2 * i) + "]";
    text += (i == 40 ? " ROOT p" : " p") + std::to_string(i) + " = " + size + " reduce-window(p" +
            std::to_string(i - 1) + ", z), window={size=3x3}, to_apply=sum\n";
  }
  text += "}\nENTRY main { x = f32[500,500] parameter(0)\n ROOT f = " + size +
          " fusion(x), kind=kLoop, calls=fused }";
  PlannedModule module(text);
  const KernelReport report = Explain(module);
  EXPECT_GT(report.totals.sectors, std::numeric_limits<int64_t>::max());
  for (const double efficiency :
       {report.totals.Efficiency(), LoadOf(report, 0).coalescing->Efficiency()}) {
    EXPECT_GT(efficiency, 0.5);
    EXPECT_LT(efficiency, 1);
  }
}

// All different sectors of an array are counted once, whoever touches them.
TEST(Explain, SumsAreThoseOfAllThreads) {
  for (const NamedModule& named : plan::KernelModules()) {
    PlannedModule module(named.text);
    const KernelReport report = Explain(module);
    EXPECT_TRUE(report.totals.is_exact) << named.name;
    std::set<std::pair<int64_t, int64_t>> sectors;
    for (const AccessReport& access : report.accesses) {
      const plan::KernelAccess& of = access.access;
      const int64_t array = of.kind == AccessKind::kLoad ? of.operand : 1000 + of.output;
      plan::ForEachPoint(of.access.position, {}, [&](llvm::ArrayRef<int64_t> position) {
        sectors.insert({array, position.front() * of.access.element_bits / 256});
      });
    }
    EXPECT_GE(report.totals.distinct_sectors, static_cast<int64_t>(sectors.size())) << named.name;
    EXPECT_LE(report.totals.ideal_sectors, report.totals.sectors) << named.name;
    // Of one access for each array, exactly.
    std::set<std::pair<bool, int64_t>> arrays;
    for (const AccessReport& access : report.accesses) {
      arrays.insert(
          {access.access.kind == AccessKind::kLoad,
           access.access.kind == AccessKind::kLoad ? access.access.operand : access.access.output});
    }
    if (arrays.size() == report.accesses.size()) {
      EXPECT_EQ(report.totals.distinct_sectors, static_cast<int64_t>(sectors.size())) << named.name;
    }
  }
}

TEST(CoalescingTable, ChangesNoAnswer) {
  for (const NamedModule& named : plan::KernelModules()) {
    PlannedModule module(named.text);
    CoalescingTable table;
    const KernelReport first = Explain(module, table);
    const size_t size = table.size();
    const KernelReport second = Explain(module, table);
    EXPECT_EQ(table.size(), size) << named.name;
    ASSERT_EQ(first.accesses.size(), second.accesses.size());
    for (size_t i = 0; i < first.accesses.size(); ++i) {
      const auto direct = CoalescingOf(first.accesses[i].access.access);
      ASSERT_TRUE(direct.has_value());
      EXPECT_EQ(first.accesses[i].coalescing->ToString(), direct->ToString()) << named.name;
      EXPECT_EQ(second.accesses[i].coalescing->ToString(), direct->ToString()) << named.name;
    }
  }
}

TEST(CoalescingTable, AccessesThatAreRepeatedAreOthers) {
  PlannedModule module(
      "HloModule m\nENTRY main { p = f32[1024] parameter(0)\n ROOT n = f32[1024] negate(p) }");
  CoalescingTable table;
  const KernelReport report = Explain(module, table);
  indexing_analysis::MemoryAccess access = report.accesses.front().access.access;
  const int64_t once = static_cast<int64_t>(table.Of(access)->requests.upper);
  access.repetitions = 3;
  EXPECT_EQ(static_cast<int64_t>(table.Of(access)->requests.upper), 3 * once);
}

TEST(Explain, TimeIsBoundByWhatIsMoved) {
  PlannedModule module(
      "HloModule m\nENTRY main { p = f32[16777216] parameter(0)\n ROOT n = f32[16777216] negate(p) "
      "}");
  const KernelReport report = Explain(module);
  // 64 MiB in and out at 768 GB/s of the RTX A6000.
  EXPECT_EQ(report.time.bound(), "DRAM");
  EXPECT_NEAR(report.time.us(), 2.0 * 67108864 / 768e3, 0.1);
  EXPECT_DOUBLE_EQ(report.bandwidth_share, 1);
}

// A gather of rows of three floats, by tokens that are given: the sectors of each warp, from what a
// row-major loop of one element a thread reads.
TEST(Explain, CountsGivenValues) {
  PlannedModule module(R"(
      HloModule m
      f {
        table = f32[1000,3] parameter(0)
        tokens = s32[64,1] parameter(1)
        two = s32[] constant(2)
        twos = s32[64,1] broadcast(two), dimensions={}
        rows = s32[64,1] multiply(tokens, twos)
        ROOT g = f32[64,3] gather(table, rows), offset_dims={1}, collapsed_slice_dims={0},
          start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
      }
      ENTRY e {
        table = f32[1000,3] parameter(0)
        halves = s32[64,1] parameter(1)
        tokens = s32[64,1] negate(halves)
        ROOT k = f32[64,3] fusion(table, tokens), kind=kLoop, calls=f
      })");
  const hlo::Computation& entry = module.module().entry();
  for (int seed = 0; seed < 20; ++seed) {
    // Some rows are beyond the table: they are clamped.
    std::vector<int32_t> halves;
    for (int i = 0; i < 64; ++i) halves.push_back(-((i * (7 * seed + 1) * 37) % 520));
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(halves.data()),
                                        halves.size() * sizeof(int32_t));
    const auto value = hlo::Value::FromBytes(entry.parameters()[1]->shape(), {bytes});
    ASSERT_TRUE(value.ok());
    GivenValues values(entry, {hlo::Value(), *value});
    auto plan = module.Plan();
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->launch.num_blocks() * plan->launch.threads_per_block() / 64 * 64, 256);
    CoalescingTable table;
    const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table, &values);
    const AccessReport& load = LoadOf(report, 0);
    ASSERT_TRUE(load.coalescing.has_value());
    EXPECT_TRUE(load.coalescing->IsExact()) << load.reason();
    ASSERT_EQ(load.coalescing->vector_elements, 1);
    int64_t sectors = 0;
    std::set<int64_t> all;
    for (int64_t warp = 0; warp < 64 * 3 / 32; ++warp) {
      std::set<int64_t> touched;
      for (int64_t i = warp * 32; i < warp * 32 + 32; ++i) {
        const int64_t row =
            std::min<int64_t>(-2 * int64_t{halves[static_cast<size_t>(i / 3)]}, 999);
        touched.insert((row * 3 + i % 3) * 4 / 32);
      }
      sectors += std::ssize(touched);
      all.insert(touched.begin(), touched.end());
    }
    EXPECT_EQ(load.coalescing->sectors.lower, sectors) << seed;
    EXPECT_EQ(load.coalescing->distinct_sectors.lower, std::ssize(all)) << seed;
    // Without them, a range that holds it.
    const KernelReport unknown = Explain(module);
    EXPECT_LE(LoadOf(unknown, 0).coalescing->sectors.lower, sectors);
    EXPECT_GE(LoadOf(unknown, 0).coalescing->sectors.upper, sectors);
  }
  // And without the values that they are computed from, why.
  GivenValues missing(entry, {hlo::Value(), hlo::Value()});
  auto plan = module.Plan();
  ASSERT_TRUE(plan.ok());
  CoalescingTable table;
  const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table, &missing);
  EXPECT_FALSE(LoadOf(report, 0).coalescing->IsExact());
  EXPECT_THAT(LoadOf(report, 0).reason(),
              ::testing::EndsWith("; %rows is not known: instruction 'halves' (parameter) of "
                                  "computation 'e': its value is not known"));
}

}  // namespace
}  // namespace hlo_indexing::explain
