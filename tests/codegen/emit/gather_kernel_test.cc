// Kernels that read at indices which are known at run time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
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

// Elements of a byte are elements of several rows, some of them of one operand and some of another:
// the index of a row is read where the row is, and another one's is not taken for it.
TEST(GatherKernels, IndicesInsideOfBranches) {
  PtxBackend backend;
  for (const std::string type : {"u2", "s4", "u8"}) {
    const std::string packed = type == "u2" ? "{1,0:E(2)}" : type == "s4" ? "{1,0:E(4)}" : "{1,0}";
    for (int rows = 1; rows <= 5; ++rows) {
      for (int times = 2; times <= 3; ++times) {
        for (const bool pads : {false, true}) {
          const int all = pads ? rows + times : rows * times;
          const std::string from = absl::StrCat(type, "[", rows, ",2]", packed);
          const std::string result = absl::StrCat(type, "[3,", all, "]", packed);
          const std::string made =
              pads ? absl::StrCat("pad(p, z), padding=1_", times - 1, "x0_0")
                   : absl::StrCat("concatenate(p, p", times == 3 ? ", p" : "", "), dimensions={0}");
          KernelCheck check(absl::StrCat(R"(HloModule m
            f { p = )",
                                         from, R"( parameter(0)
              i = s32[3,1] parameter(1)
              z = )",
                                         type, R"([] constant(1)
              m = )",
                                         type, "[", all, ",2]", packed, " ", made, R"(
              ROOT g = )",
                                         result, R"( gather(m, i), offset_dims={1},
                collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1,
                slice_sizes={)",
                                         all, R"(,1} }
            ENTRY e { p = )",
                                         from, R"( parameter(0)
              i = s32[3,1] parameter(1)
              ROOT r = )",
                                         result, " fusion(p, i), kind=kLoop, calls=f }"),
                            backend);
          for (const uint64_t seed : {1, 2, 3}) {
            EXPECT_EQ(check.Run(seed), "") << result << " of " << from << ", " << made;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
