// The tables that kernels share change no answer.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "codegen/explain/coalescing_table.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/report_table.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/xla_plan.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::Coalescing;
using indexing_analysis::MemoryAccess;
using plan::NamedModule;
using plan::PlannedModule;

// All that a report says, with the names of its instructions.
std::string TextOf(const KernelReport& report) {
  std::string text = "%" + report.plan.instruction->name().str() + " " + report.plan.ToString();
  for (const AccessReport& access : report.accesses) {
    text += access.access.access.position.ToString() + " of " +
            (access.access.shape == nullptr ? "scratch" : access.access.shape->ToString());
    if (access.coalescing.has_value()) text += " " + access.coalescing->ToString();
    text += " " + WasteReasonName(access.waste.reason).str() + " " + access.waste.variable;
    if (access.waste.origin != nullptr) text += " %" + access.waste.origin->name().str();
    text += " " + access.reason() + "\n";
  }
  for (const LayoutCure& cure : report.cures) {
    text += std::to_string(cure.operand) + ": " +
            std::to_string(static_cast<int64_t>(cure.sectors_then)) + "\n";
  }
  for (const plan::PlannedRoot& root : report.plan.roots) text += root.instruction->name().str();
  return text + std::to_string(report.time.us());
}

TEST(ReportTable, ChangesNoReport) {
  PlannedModule module(R"(
      HloModule m
      sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      ENTRY e {
        x = f32[1000,300] parameter(0)
        y = f32[1000,300] parameter(1)
        i = s32[] parameter(2)
        zero = f32[] constant(0)
        a = f32[1000,300] add(x, y)
        b = f32[1000,300] add(y, x), metadata={op_name="again"}
        twice = f32[1000,300] add(x, x)
        c = f32[1000,300] multiply(x, y)
        column = f32[1000,300]{0,1} add(x, y)
        t = f32[300,1000] transpose(a), dimensions={1,0}
        u = f32[300,1000] transpose(b), dimensions={1,0}
        v = f32[300,1000] reverse(t), dimensions={0}
        w = f32[300,1000] reverse(u), dimensions={1}
        r = f32[300] reduce(a, zero), dimensions={0}, to_apply=sum
        s = f32[300] reduce(b, zero), dimensions={0}, to_apply=sum
        q = f32[1000] reduce(b, zero), dimensions={1}, to_apply=sum
        d = f32[10,300] dynamic-slice(a, i, i), dynamic_slice_sizes={10,300}
        ROOT e = f32[10,300] dynamic-slice(b, i, i), dynamic_slice_sizes={10,300}
      })");
  ReportTable table;
  int found = 0;
  for (const hlo::Instruction* instruction : module.module().entry().instructions()) {
    if (!plan::HasKernel(*instruction).ok()) continue;
    auto plan = plan::PlanLikeXla(*instruction, module.plans());
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    CoalescingTable coalescing;
    const KernelReport report = ReportKernel(*std::move(plan), module.plans(), coalescing);
    const std::optional<KernelReport> known = table.Find(*instruction);
    if (known.has_value()) {
      ++found;
      EXPECT_EQ(TextOf(*known), TextOf(report));
    }
    table.Add(report);
  }
  // %b, %u and %s are like %a, %t and %r.
  EXPECT_EQ(found, 3);
}

TEST(CoalescingTable, TakesWhatItNeedsFromABudget) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto position = indexing_analysis::ParseIndexingMap(
      "(th_x, th_y, th_z, bl_x, bl_y, bl_z) -> (((th_x + bl_x * 128) floordiv 1001) * 1013 + "
      "(th_x + bl_x * 128) mod 1001), domain: th_x in [0, 127], th_y in [0, 0], th_z in [0, 0], "
      "bl_x in [0, 19999], bl_y in [0, 0], bl_z in [0, 0]",
      &context);
  ASSERT_TRUE(position.ok());
  MemoryAccess access;
  access.position = *position;
  access.threads = {128, 1, 1};
  CoalescingTable all;
  const Coalescing exact = *all.Of(access);
  ASSERT_TRUE(exact.IsTrafficExact());
  ASSERT_GT(exact.lane_accesses, 1000);
  for (const int64_t given : {int64_t{0}, exact.lane_accesses - 1, exact.lane_accesses,
                              exact.lane_accesses + 7, int64_t{1} << 40}) {
    CoalescingTable fresh;
    int64_t budget = given;
    const Coalescing found = *fresh.Of(access, budget);
    int64_t again = given;
    EXPECT_EQ(all.Of(access, again)->ToString(), found.ToString()) << given;
    EXPECT_EQ(again, budget);
    if (given >= exact.lane_accesses) {
      EXPECT_EQ(found.ToString(), exact.ToString());
      EXPECT_EQ(budget, given - exact.lane_accesses);
      continue;
    }
    EXPECT_FALSE(found.IsTrafficExact()) << given;
    EXPECT_FALSE(found.reason.empty());
    EXPECT_LE(found.sectors.lower, exact.sectors.lower);
    EXPECT_GE(found.sectors.upper, exact.sectors.upper);
    EXPECT_LE(found.ideal_sectors.lower, exact.ideal_sectors.lower);
    EXPECT_GE(found.ideal_sectors.upper, exact.ideal_sectors.upper);
  }
}

TEST(BankConflictTable, ChangesNoAnswer) {
  int tiles = 0;
  for (const NamedModule& named : plan::KernelModules()) {
    PlannedModule module(named.text);
    auto plan = module.Plan();
    ASSERT_TRUE(plan.ok()) << named.name;
    BankConflictTable shared;
    for (int round = 0; round < 2; ++round) {
      const auto with = ReportSharedAccesses(*plan, shared);
      const auto without = ReportSharedAccesses(*plan);
      ASSERT_EQ(with.size(), without.size()) << named.name;
      for (size_t i = 0; i < with.size(); ++i) {
        EXPECT_EQ(with[i].conflicts.ToString(), without[i].conflicts.ToString()) << named.name;
        ++tiles;
      }
    }
  }
  EXPECT_GT(tiles, 4);
}

}  // namespace
}  // namespace hlo_indexing::explain
