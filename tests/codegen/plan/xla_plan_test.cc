#include "codegen/plan/xla_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "codegen/plan/kernels.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::plan {
namespace {

using ::testing::HasSubstr;

std::string EmitterOf(const std::string& name) {
  for (const NamedModule& named : KernelModules()) {
    if (named.name != name) continue;
    PlannedModule module(named.text);
    const absl::StatusOr<KernelPlan> plan = module.Plan();
    return plan.ok() ? plan->variant : std::string(plan.status().message());
  }
  return "no such module";
}

TEST(XlaPlan, ChoosesTheEmitter) {
  EXPECT_EQ(EmitterOf("loop"), "loop");
  EXPECT_EQ(EmitterOf("transpose"), "transpose");
  EXPECT_EQ(EmitterOf("packed transpose"), "packed transpose");
  EXPECT_EQ(EmitterOf("row reduction"), "row reduction");
  EXPECT_EQ(EmitterOf("multi-row reduction"), "multi-row reduction");
  EXPECT_EQ(EmitterOf("column reduction"), "column reduction");
  EXPECT_EQ(EmitterOf("small column reduction"), "small column reduction");
  EXPECT_EQ(EmitterOf("concatenate"), "concatenate");
}

TEST(XlaPlan, UpdatesInPlaceOnlyTheUpdate) {
  PlannedModule module(
      "HloModule m\nfused { p0 = f32[20,30] parameter(0)\n p1 = f32[5,6] parameter(1)\n"
      " p2 = s32[] parameter(2)\n p3 = s32[] parameter(3)\n"
      " ROOT d = f32[20,30] dynamic-update-slice(p0, p1, p2, p3) }\n"
      "ENTRY main { p0 = f32[20,30] parameter(0)\n p1 = f32[5,6] parameter(1)\n"
      " p2 = s32[] parameter(2)\n p3 = s32[] parameter(3)\n"
      " ROOT f = f32[20,30] fusion(p0, p1, p2, p3), kind=kLoop, calls=fused,"
      " output_to_operand_aliasing={{}: (0, {})} }");
  const absl::StatusOr<KernelPlan> plan = module.Plan();
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->variant, "in-place dynamic-update-slice");
  // At offsets 3 and 4, the elements from there on.
  for (const ElementPass& pass : plan->passes) {
    if (pass.store == StoreKind::kNone) continue;
    std::set<std::vector<int64_t>> stored;
    ASSERT_EQ(pass.map.num_runtime(), 2U);
    ForEachPoint(pass.map, {3, 4},
                 [&](llvm::ArrayRef<int64_t> element) { stored.insert(element.vec()); });
    std::set<std::vector<int64_t>> expected;
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 6; ++j) expected.insert({3 + i, 4 + j});
    }
    EXPECT_EQ(stored, expected);
  }
}

// Threads go over all updates and read the indices of each, whichever dimensions these have.
TEST(XlaPlan, ReadsTheIndicesOfEveryUpdateOfAScatter) {
  struct Case {
    const char* indices;
    const char* updates;
    const char* attributes;
    std::set<std::vector<int64_t>> expected;
  };
  const Case cases[] = {
      {"s32[3,2]",
       "f32[3,1,1]",
       "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
       "index_vector_dim=1",
       {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}},
      {"s32[2,3]",
       "f32[3]",
       "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, "
       "index_vector_dim=0",
       {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}},
      {"s32[2,3]",
       "f32[5,2,3]",
       "update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
       "index_vector_dim=2",
       {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}},
      {"s32[2]",
       "f32[1,1]",
       "update_window_dims={0,1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
       "index_vector_dim=0",
       {{0}, {1}}},
  };
  for (const Case& c : cases) {
    PlannedModule module(std::string("HloModule m\nsum { a = f32[] parameter(0)\n"
                                     " b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n"
                                     "ENTRY main { p0 = f32[5,7] parameter(0)\n p1 = ") +
                         c.indices + " parameter(1)\n p2 = " + c.updates +
                         " parameter(2)\n ROOT r = f32[5,7] scatter(p0, p1, p2), " + c.attributes +
                         ", to_apply=sum }");
    const absl::StatusOr<KernelPlan> plan = module.Plan();
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    std::set<std::vector<int64_t>> indices;
    std::set<std::vector<int64_t>> updates;
    for (const ElementPass& pass : plan->passes) {
      const auto collect = [&](std::set<std::vector<int64_t>>& elements) {
        // Of indices that are in bounds.
        const std::vector<int64_t> zeros(pass.map.num_runtime());
        ForEachPoint(pass.map, zeros,
                     [&](llvm::ArrayRef<int64_t> element) { elements.insert(element.vec()); });
      };
      if (pass.instruction == &module.root().operand(1)) collect(indices);
      if (pass.instruction == &module.root().operand(2)) collect(updates);
    }
    EXPECT_EQ(indices, c.expected) << c.attributes;
    EXPECT_EQ(static_cast<int64_t>(updates.size()),
              module.root().operand(2).shape().num_elements());
  }
}

TEST(XlaPlan, SaysWhatIsNoKernel) {
  PlannedModule module(
      "HloModule m\nENTRY main { p = f32[8,8] parameter(0)\n"
      " ROOT d = f32[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  EXPECT_THAT(std::string(module.Plan().status().message()), HasSubstr("is the call of a library"));
  EXPECT_EQ(WhyNoKernel(module.root()), NoKernel::kLibrary);
  EXPECT_EQ(WhyNoKernel(module.root().operand(0)), NoKernel::kNoData);
  EXPECT_TRUE(KernelsOf(module.module()).empty());
  // A sort is a kernel by itself: a fusion that does no more is one, else its instructions are.
  const auto sorting = [](const std::string& root) {
    return "HloModule m\n"
           "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"
           " c = f32[] parameter(2) d = f32[] parameter(3)\n"
           " ROOT r = pred[] compare(a, b), direction=LT }\n"
           "fused { p = f32[8] parameter(0) n = f32[8] negate(p)\n"
           " s = (f32[8], f32[8]) sort(p, n), dimensions={0}, to_apply=less\n" +
           root;
  };
  PlannedModule one(
      sorting(" ROOT t = ((f32[8], f32[8])) tuple(s) }\n"
              "ENTRY main { p = f32[8] parameter(0)\n"
              " ROOT f = ((f32[8], f32[8])) fusion(p), kind=kLoop, calls=fused }"));
  EXPECT_EQ(WhyNoKernel(one.root()), std::nullopt);
  EXPECT_THAT(KernelsOf(one.module()), ::testing::SizeIs(1));
  PlannedModule several(
      sorting(" ROOT g = f32[8] get-tuple-element(s), index=1 }\n"
              "ENTRY main { p = f32[8] parameter(0)\n"
              " ROOT f = f32[8] fusion(p), kind=kLoop, calls=fused }"));
  EXPECT_EQ(WhyNoKernel(several.root()), NoKernel::kSeveralKernels);
  EXPECT_THAT(OurKernelsOf(several.module()), ::testing::SizeIs(2));
  PlannedModule empty(
      "HloModule m\nfused { ROOT t = () tuple() }\n"
      "ENTRY main { ROOT f = () fusion(), kind=kLoop, calls=fused }");
  EXPECT_THAT(std::string(empty.Plan().status().message()), HasSubstr("a result without arrays"));
}

}  // namespace
}  // namespace hlo_indexing::plan
