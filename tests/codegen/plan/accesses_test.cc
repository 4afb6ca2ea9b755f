#include "codegen/plan/accesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::plan {
namespace {

using Elements = std::set<std::vector<int64_t>>;

// By operand and array.
using Reads = std::map<std::pair<int64_t, int64_t>, Elements>;

// What the kernel loads, thread by thread.
Reads LoadedBy(const std::vector<KernelAccess>& accesses) {
  Reads reads;
  for (const KernelAccess& access : accesses) {
    if (!access.IsOfOperand()) continue;
    Elements& elements = reads[{access.operand, access.leaf}];
    ForEachPoint(access.element, {},
                 [&](llvm::ArrayRef<int64_t> element) { elements.insert(element.vec()); });
  }
  return reads;
}

// What the outputs depend on, by the indexing maps of the whole instruction.
Reads ReadBy(PlannedModule& module) {
  Reads reads;
  for (int64_t output = 0; output < module.root().shape().num_array_leaves(); ++output) {
    const auto indexing = module.plans().analysis.OutputToInput(module.root(), output);
    for (const indexing_analysis::OperandIndexing& operand : indexing.operands()) {
      Elements& elements = reads[{static_cast<int64_t>(operand.operand()), operand.leaf()}];
      for (const indexing_analysis::OperandMap& map : operand.maps()) {
        ForEachPoint(map.map, {},
                     [&](llvm::ArrayRef<int64_t> element) { elements.insert(element.vec()); });
      }
    }
  }
  return reads;
}

// A kernel loads what its outputs read, all of it and nothing else.
TEST(AccessesOf, LoadWhatTheOutputsRead) {
  for (const NamedModule& named : KernelModules()) {
    PlannedModule module(named.text);
    const absl::StatusOr<KernelPlan> plan = module.Plan();
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::vector<KernelAccess> accesses = AccessesOf(*plan, module.plans());
    for (const KernelAccess& access : accesses) EXPECT_EQ(access.reason, "") << named.name;
    EXPECT_EQ(LoadedBy(accesses), ReadBy(module)) << named.name << '\n' << plan->ToString();
  }
}

// What an update leaves, on all of its sides, is read in one branch: one load, of no element more.
TEST(AccessesOf, WhatABranchLeavesIsOneLoad) {
  for (const Planner planner : {Planner::kXla, Planner::kOurs}) {
    PlannedModule module(
        "HloModule m\nfused { x = f32[9,20] parameter(0)\n u = f32[4,7] parameter(1)\n"
        " z = f32[] parameter(2)\n i = s32[] constant(3)\n"
        " d = f32[9,20] dynamic-update-slice(x, u, i, i)\n"
        " p = f32[12,22] pad(d, z), padding=1_2x1_1\n ROOT r = f32[12,22] negate(p) }\n"
        "ENTRY main { x = f32[9,20] parameter(0)\n u = f32[4,7] parameter(1)\n"
        " z = f32[] parameter(2)\n"
        " ROOT f = f32[12,22] fusion(x, u, z), kind=kLoop, calls=fused }");
    const std::vector<KernelAccess> accesses = AccessesOf(*module.Plan(planner), module.plans());
    EXPECT_EQ(accesses.size(), 4U);
    EXPECT_EQ(LoadedBy(accesses), ReadBy(module));
  }
}

TEST(AccessesOf, CountsLoadsOfTheSamePositionOnce) {
  PlannedModule module(
      "HloModule m\nfused { p0 = f32[128] parameter(0)\n e = f32[128] exponential(p0)\n"
      " n = f32[128] negate(p0)\n v = f32[128] reverse(p0), dimensions={0}\n"
      " a = f32[128] add(e, n)\n ROOT r = f32[128] multiply(a, v) }\n"
      "ENTRY main { p0 = f32[128] parameter(0)\n"
      " ROOT f = f32[128] fusion(p0), kind=kLoop, calls=fused }");
  const std::vector<KernelAccess> accesses = AccessesOf(*module.Plan(), module.plans());
  ASSERT_EQ(accesses.size(), 3U);
  EXPECT_EQ(accesses[0].kind, AccessKind::kLoad);
  EXPECT_EQ(accesses[1].kind, AccessKind::kLoad);
  EXPECT_EQ(accesses[2].kind, AccessKind::kStore);
}

TEST(AccessesOf, RootsOfOneLoopShareTheirLoads) {
  PlannedModule module(R"(HloModule m
    f { p = f32[1000] parameter(0) n = f32[1000] negate(p) s = f32[1000] add(p, p)
      ROOT t = (f32[1000], f32[1000]) tuple(n, s) }
    ENTRY e { p = f32[1000] parameter(0)
      ROOT r = (f32[1000], f32[1000]) fusion(p), kind=kLoop, calls=f })");
  const absl::StatusOr<KernelPlan> plan = module.Plan(Planner::kOurs);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const std::vector<KernelAccess> accesses = AccessesOf(*plan, module.plans());
  ASSERT_EQ(accesses.size(), 3U);
  EXPECT_EQ(accesses[0].kind, AccessKind::kLoad);
  EXPECT_EQ(accesses[1].kind, AccessKind::kStore);
  EXPECT_EQ(accesses[2].kind, AccessKind::kStore);
}

// Constants of one value are part of the code; values that the text leaves out may be, too.
TEST(AccessesOf, LoadConstants) {
  const auto constants_of = [](const std::string& literal) {
    PlannedModule module("HloModule m\nf { p = s32[8,4] parameter(0) c = s32[4] constant(" +
                         literal + R"()
      b = s32[8,4] broadcast(c), dimensions={1} ROOT r = s32[8,4] add(p, b) }
    ENTRY e { p = s32[8,4] parameter(0) ROOT r = s32[8,4] fusion(p), kind=kLoop, calls=f })");
    std::vector<KernelAccess> accesses = AccessesOf(*module.Plan(Planner::kOurs), module.plans());
    llvm::erase_if(accesses, [](const auto& access) { return access.constant == nullptr; });
    std::vector<std::string> reasons;
    for (const KernelAccess& access : accesses) reasons.push_back(access.reason);
    return reasons;
  };
  EXPECT_THAT(constants_of("{1,2,1,1}"), testing::ElementsAre(""));
  EXPECT_THAT(constants_of("{1,1,1,1}"), testing::IsEmpty());
  EXPECT_THAT(constants_of("{...}"), testing::ElementsAre("the text leaves out the values of %c: "
                                                          "were they all the same, nothing would "
                                                          "be loaded"));
  // Of a computation that is called.
  PlannedModule module(R"(HloModule m
    g { c = s32[4] constant({1,2,3,4}) p = s32[4] parameter(0) ROOT r = s32[4] add(c, p) }
    f { p = s32[4] parameter(0) ROOT r = s32[4] call(p), to_apply=g }
    ENTRY e { p = s32[4] parameter(0) ROOT r = s32[4] fusion(p), kind=kLoop, calls=f })");
  const std::vector<KernelAccess> accesses =
      AccessesOf(*module.Plan(Planner::kOurs), module.plans());
  ASSERT_EQ(accesses.size(), 3U);
  EXPECT_EQ(accesses[0].reason, "a constant of %g, which is called");
  EXPECT_TRUE(accesses[0].access.position.IsUnknown());
}

TEST(AccessesOf, ScattersAreAtomicUnlessIndicesAreUnique) {
  for (const bool is_unique : {false, true}) {
    PlannedModule module(
        std::string("HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                    " ROOT r = f32[] add(a, b) }\n"
                    "ENTRY main { p0 = f32[50] parameter(0)\n p1 = s32[8,1] parameter(1)\n"
                    " p2 = f32[8,1] parameter(2)\n ROOT r = f32[50] scatter(p0, p1, p2), "
                    "update_window_dims={1}, inserted_window_dims={}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum") +
        (is_unique ? ", unique_indices=true }" : " }"));
    bool has_store = false;
    for (const KernelAccess& access : AccessesOf(*module.Plan(), module.plans())) {
      if (access.kind == AccessKind::kLoad) continue;
      has_store = true;
      EXPECT_EQ(access.kind, is_unique ? AccessKind::kStore : AccessKind::kAtomic);
    }
    EXPECT_TRUE(has_store);
  }
}

}  // namespace
}  // namespace hlo_indexing::plan
