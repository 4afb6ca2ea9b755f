// Our plans move no more than they must: aligned shapes that fill a device.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "codegen/explain/kernel_report.h"
#include "codegen/explain/shared_report.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::explain {
namespace {

using plan::PlannedModule;
using plan::Planner;

struct Case {
  const char* name;
  const char* emitter;
  const char* body;
};

class OurKernels : public ::testing::TestWithParam<Case> {};

TEST_P(OurKernels, TouchNoMoreSectorsAndBanksThanTheyMust) {
  PlannedModule module(std::string("HloModule m\n"
                                   "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                                   " ROOT r = f32[] add(a, b) }\n"
                                   "ENTRY main {\n  c = f32[] constant(0)\n") +
                       GetParam().body + "}\n");
  absl::StatusOr<plan::KernelPlan> plan = module.Plan(Planner::kOurs);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan::EmitterName(plan->emitter), GetParam().emitter);
  for (const SharedAccessReport& report : ReportSharedAccesses(*plan)) {
    EXPECT_TRUE(report.conflicts.IsExact());
    EXPECT_FALSE(report.conflicts.HasConflicts()) << report.conflicts.ToString();
  }
  CoalescingTable table;
  const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table);
  for (const AccessReport& access : report.accesses) {
    ASSERT_TRUE(access.coalescing.has_value());
    EXPECT_TRUE(access.IsExact());
    EXPECT_EQ(access.coalescing->sectors.upper, access.coalescing->ideal_sectors.upper)
        << access.access.access.position.ToString();
  }
}

std::string NameOfCase(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Kernels, OurKernels,
    ::testing::Values(Case{"Elementwise", "loop",
                           "  p = f32[4194304] parameter(0)\n  ROOT n = f32[4194304] negate(p)\n"},
                      Case{
                          "Convert", "loop",
                          "  p = f32[4194304] parameter(0)\n  ROOT n = bf16[4194304] convert(p)\n"},
                      Case{"PackedBits", "loop",
                           "  p = s4[4194304]{0:E(4)} parameter(0)\n"
                           "  ROOT n = s4[4194304]{0:E(4)} negate(p)\n"},
                      Case{"Transpose", "transpose",
                           "  p = f32[2048,4096] parameter(0)\n"
                           "  ROOT t = f32[4096,2048] transpose(p), dimensions={1,0}\n"},
                      Case{"TransposeOfHalves", "transpose",
                           "  p = bf16[2048,4096] parameter(0)\n"
                           "  ROOT t = bf16[4096,2048] transpose(p), dimensions={1,0}\n"},
                      Case{"TransposeOfBytes", "transpose",
                           "  p = s8[2048,4096] parameter(0)\n"
                           "  ROOT t = s8[4096,2048] transpose(p), dimensions={1,0}\n"},
                      Case{"TransposeOfDoubles", "transpose",
                           "  p = f64[2048,1024] parameter(0)\n"
                           "  ROOT t = f64[1024,2048] transpose(p), dimensions={1,0}\n"},
                      Case{"TransposeOfPairs", "transpose",
                           "  p = f32[2048,1024,2] parameter(0)\n"
                           "  ROOT t = f32[1024,2048,2] transpose(p), dimensions={1,0,2}\n"},
                      Case{"Rows", "reduction",
                           "  p = f32[4096,4096] parameter(0)\n"
                           "  ROOT r = f32[4096] reduce(p, c), dimensions={1}, to_apply=sum\n"},
                      Case{"ShortRows", "reduction",
                           "  p = f32[65536,64] parameter(0)\n"
                           "  ROOT r = f32[65536] reduce(p, c), dimensions={1}, to_apply=sum\n"},
                      Case{"Columns", "reduction",
                           "  p = f32[4096,4096] parameter(0)\n"
                           "  ROOT r = f32[4096] reduce(p, c), dimensions={0}, to_apply=sum\n"},
                      Case{"NarrowColumns", "reduction",
                           "  p = f32[64,2048,32] parameter(0)\n"
                           "  ROOT r = f32[64,32] reduce(p, c), dimensions={1}, to_apply=sum\n"},
                      Case{"Concatenate", "concatenate",
                           "  p = f32[1024,1024] parameter(0)\n  q = f32[3072,1024] parameter(1)\n"
                           "  ROOT t = f32[4096,1024] concatenate(p, q), dimensions={0}\n"},
                      Case{"ConcatenateOfColumns", "concatenate",
                           "  p = f32[4096,256] parameter(0)\n  q = f32[4096,768] parameter(1)\n"
                           "  ROOT t = f32[4096,1024] concatenate(p, q), dimensions={1}\n"}),
    NameOfCase);

}  // namespace
}  // namespace hlo_indexing::explain
