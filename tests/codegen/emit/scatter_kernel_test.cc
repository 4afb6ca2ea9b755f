// Kernels whose threads bring updates to the elements that their indices say.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

std::string RowsModule(const std::string& combiner, const std::string& attributes) {
  return R"(combine {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = f32[] )" +
         combiner + R"( }
  ENTRY e {
    p = f32[16,64] parameter(0)
    i = s32[128,1] parameter(1)
    u = f32[128,64] parameter(2)
    ROOT s = f32[16,64] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=combine)" +
         attributes + " }";
}

// An update goes to one place, or to none if its index is out of bounds; then it is not loaded.
TEST(ScatterKernels, UpdatesGoToOnePlace) {
  PtxBackend backend;
  KernelCheck check(RowsModule("add(a, b)", ""), backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_FALSE(traffic.is_exact);
  // 256 warps: an index, an update, an element of the output.
  EXPECT_EQ(traffic.planned_requests, 256 * 3);
  EXPECT_EQ(traffic.planned_sectors, 256 * (1 + 4 + 4));
  EXPECT_TRUE(traffic.IsAtMostAsPlanned());
}

// Without atomics, what is combined is loaded first; what replaces it is not.
TEST(ScatterKernels, UniqueIndices) {
  PtxBackend backend;
  for (const auto& [combiner, loads] : {std::pair("minimum(a, b)", 3), std::pair("copy(b)", 2)}) {
    KernelCheck check(RowsModule(combiner, ", unique_indices=true"), backend);
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "");
    EXPECT_EQ(traffic.planned_requests, 256 * (loads + 1)) << combiner;
    EXPECT_TRUE(traffic.IsAtMostAsPlanned()) << combiner;
  }
}

// Whether an update is read depends on its index, where it lies does not.
TEST(ScatterKernels, SectorsOfUpdatesDoNotDependOnValues) {
  PtxBackend backend;
  KernelCheck check(R"(add {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = f32[] add(a, b) }
  ENTRY e {
    p = f32[512] parameter(0)
    i = s32[128,1] parameter(1)
    u = f32[128] parameter(2)
    ROOT s = f32[512] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_EQ(traffic.planned_requests, 4 * 3);
  // Elements of the output may lie anywhere.
  EXPECT_EQ(traffic.planned_sectors, 4 * (4 + 4 + 32));
  EXPECT_TRUE(traffic.IsAtMostAsPlanned());
}

}  // namespace
}  // namespace hlo_indexing::emit
