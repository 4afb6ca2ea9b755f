#include "codegen/plan/plan_context.h"

#include <gtest/gtest.h>

#include "codegen/plan/accesses.h"
#include "codegen/plan/xla_plan.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::plan {
namespace {

// What the table remembers changes no answer: each plan and each access is the same with a new one.
TEST(MapTable, ChangesNoAnswer) {
  for (const NamedModule& named : KernelModules()) {
    PlannedModule module(named.text);
    const auto describe = [&] {
      const auto device = ptx::FindDeviceModel("rtx-a6000");
      indexing_analysis::IndexingAnalysis analysis(module.mlir_context());
      PlanContext fresh(*device, analysis, module.mlir_context());
      return PlanLikeXla(module.root(), fresh)->ToString();
    };
    const std::string first = module.Plan()->ToString();
    EXPECT_EQ(module.Plan()->ToString(), first) << named.name;
    EXPECT_EQ(describe(), first) << named.name;
    for (const KernelAccess& access : AccessesOf(*module.Plan(), module.plans())) {
      EXPECT_EQ(Compose(access.element, module.plans().maps.Positions(*access.shape)),
                access.access.position);
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::plan
