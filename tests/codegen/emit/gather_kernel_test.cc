// Kernels that read at indices which are known at run time.
#include <gtest/gtest.h>

#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

// The lanes of a vector read an index each, and what lies there.
TEST(GatherKernels, VectorsReadAnIndexForEachLane) {
  PtxBackend backend;
  KernelCheck check(R"(ENTRY e {
    p = bf16[64,32] parameter(0)
    i = s32[64,32,1] parameter(1)
    ROOT g = bf16[64,32] gather(p, i), offset_dims={}, collapsed_slice_dims={1},
      start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0},
      index_vector_dim=2, slice_sizes={1,1} })",
                    backend, 0);
  EXPECT_EQ(check.Run(1), "");
}

// The batch says which row it is, whatever the index says of rows.
TEST(GatherKernels, BatchingDimensionsTakeNoIndex) {
  PtxBackend backend;
  KernelCheck check(R"(ENTRY e {
    p = f32[64,32] parameter(0)
    i = s32[64,8,2] parameter(1)
    ROOT g = f32[64,8] gather(p, i), offset_dims={}, collapsed_slice_dims={1},
      start_index_map={0,1}, operand_batching_dims={0}, start_indices_batching_dims={0},
      index_vector_dim=2, slice_sizes={1,1} })",
                    backend, 0);
  EXPECT_EQ(check.Run(1), "");
}

// An output whose vectors lie along the indices: those of a vector are one load.
TEST(GatherKernels, IndicesOfAVectorAreOneLoad) {
  PtxBackend backend;
  KernelCheck check(R"(ENTRY e {
    i = s32[512,1] parameter(0)
    p = f32[512,64] parameter(1)
    ROOT g = f32[512,64]{0,1} gather(p, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=1, slice_sizes={1,64} })",
                    backend, 1);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  // Of 8,192 vectors each: one load of the indices, one of each element, one store.
  EXPECT_EQ(traffic.requests, 256 * (1 + 4 + 1));
  EXPECT_EQ(traffic.planned_requests, traffic.requests);
}

}  // namespace
}  // namespace hlo_indexing::emit
