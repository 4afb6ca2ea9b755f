#include "codegen/plan/given_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::plan {
namespace {

using ::testing::HasSubstr;

constexpr const char* kModule =
    "HloModule m\nENTRY main { p = f32[64,16] parameter(0)\n ROOT n = f32[64,16] negate(p) }";

absl::StatusOr<KernelPlan> PlanBy(PlannedModule& module, const std::string& map) {
  support::TextError error;
  const auto parsed = indexing_analysis::ParseIndexingMap(map, module.mlir_context(), error);
  EXPECT_TRUE(parsed.has_value()) << error.message;
  return PlanByThreadMap(module.root(), *parsed);
}

TEST(GivenPlan, TakesTheLaunchFromTheBounds) {
  PlannedModule module(kModule);
  const auto plan = PlanBy(module,
                           "(x, y, z, bx, by, bz)[s] -> (x, bx * 4 + s), domain: x in [0, 63], "
                           "y in [0, 0], z in [0, 0], bx in [0, 3], by in [0, 0], bz in [0, 0], "
                           "s in [0, 3]");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launch.threads[0], 64);
  EXPECT_EQ(plan->launch.blocks[0], 4);
  ASSERT_EQ(plan->passes.size(), 1U);
  EXPECT_EQ(plan->passes.front().vector_elements, 4);
  EXPECT_EQ(plan->passes.front().instruction, &module.root());
}

TEST(GivenPlan, RefusesWhatDoesNotFit) {
  PlannedModule module(kModule);
  const std::string bounds =
      ", domain: x in [0, 63], y in [0, 0], z in [0, 0], bx in [0, 15], by in [0, 0], bz in [0, 0]";
  const auto message = [&](const std::string& map) {
    return std::string(PlanBy(module, map).status().message());
  };
  EXPECT_THAT(message("(x) -> (x, 0), domain: x in [0, 63]"),
              HasSubstr("must have the dimensions"));
  EXPECT_THAT(message("(x, y, z, bx, by, bz) -> (x)" + bounds), HasSubstr("has 1 results"));
  EXPECT_THAT(message("(x, y, z, bx, by, bz) -> (x, bx + 1)" + bounds),
              HasSubstr("reaches 1 to 16 in dimension 1"));
  EXPECT_THAT(message("(x, y, z, bx, by, bz) -> (x, bx), domain: x in [0, 63], y in [0, 31], "
                      "z in [0, 0], bx in [0, 15], by in [0, 0], bz in [0, 0]"),
              HasSubstr("at most 1024 threads"));
  EXPECT_THAT(message("(x, y, z, bx, by, bz) -> (x, 0), domain: x in [1, 63], y in [0, 0], "
                      "z in [0, 0], bx in [0, 15], by in [0, 0], bz in [0, 0]"),
              HasSubstr("th_x must begin at 0"));
  EXPECT_THAT(message("(x, y, z, bx, by, bz) -> (0, 0), domain: x in [0, 1023], y in [0, 0], "
                      "z in [0, 0], bx in [0, 2147483646], by in [0, 65534], bz in [0, 65534]"),
              HasSubstr("2^48 threads"));
  EXPECT_THAT(message("UNKNOWN"), HasSubstr("must have the dimensions"));
}

}  // namespace
}  // namespace hlo_indexing::plan
