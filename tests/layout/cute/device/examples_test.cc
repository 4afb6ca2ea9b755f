// The kernels of examples/cute: values, checks, and what they do to memory. nvcc made the PTX:
//
//   for kernel in transpose gemm; do
//     nvcc -arch=sm_80 -std=c++17 -O3 -DNDEBUG -ptx -I. examples/cute/$kernel.cu -o - |
//       grep -v '^//' > tests/layout/cute/device/$kernel.ptx
//   done
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "examples/cute/gemm.h"
#include "examples/cute/reference.h"
#include "examples/cute/transpose.h"
#include "tests/layout/cute/device/device_run.h"

namespace cute_test {
namespace {

uint32_t TilesOf(int extent, int tile) {
  return static_cast<uint32_t>(examples::Tiles(extent, tile));
}

OperationCounts CheckTranspose(int m, int n, uint64_t schedule) {
  DeviceRun run("transpose", schedule);
  const std::vector<float> in = examples::MakeMatrix(m, n, 1009);
  const uint64_t at_in = run.Upload(in, "in");
  const uint64_t at_out = run.Allocate<float>(in.size(), "out");
  const examples::TransposeProblem problem = {std::bit_cast<const float*>(at_in),
                                              std::bit_cast<float*>(at_out), m, n};
  const OperationCounts counts =
      run.Launch({TilesOf(m, examples::kTransposeTile), TilesOf(n, examples::kTransposeTile), 1},
                 {examples::kTransposeThreads, 1, 1}, {Argument::Of(problem)});
  EXPECT_TRUE(examples::IsTranspose(in, run.Download<float>(at_out, in.size()), m, n));
  return counts;
}

TEST(Transpose, WholeTilesWithoutConflictsAndWithFullSectors) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const OperationCounts counts = CheckTranspose(64, 96, schedule);
    // Each element once in and once out: four sectors and one wavefront for 32 of them.
    EXPECT_EQ(counts.global_sectors, 2U * 64 * 96 / 8);
    EXPECT_EQ(counts.shared_wavefronts, 2U * 64 * 96 / 32);
    EXPECT_EQ(counts.shared_bank_conflicts(), 0U);
  }
}

TEST(Transpose, PartsOfTiles) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    EXPECT_EQ(CheckTranspose(100, 45, schedule).shared_bank_conflicts(), 0U);
  }
}

OperationCounts CheckGemm(int m, int n, int k, uint64_t schedule) {
  DeviceRun run("gemm", schedule);
  const std::vector<float> a = examples::MakeMatrix(m, k, 11);
  const std::vector<float> b = examples::MakeMatrix(n, k, 7);
  const size_t size = static_cast<size_t>(m) * static_cast<size_t>(n);
  const uint64_t at_a = run.Upload(a, "a");
  const uint64_t at_b = run.Upload(b, "b");
  const uint64_t at_c = run.Allocate<float>(size, "c");
  const examples::GemmProblem problem = {std::bit_cast<const float*>(at_a),
                                         std::bit_cast<const float*>(at_b),
                                         std::bit_cast<float*>(at_c),
                                         m,
                                         n,
                                         k};
  const OperationCounts counts =
      run.Launch({TilesOf(m, examples::kGemmTileM), TilesOf(n, examples::kGemmTileN), 1},
                 {examples::kGemmThreads, 1, 1}, {Argument::Of(problem)});
  EXPECT_TRUE(examples::IsProduct(a, b, run.Download<float>(at_c, size), m, n, k));
  return counts;
}

TEST(Gemm, WholeTilesWithoutConflicts) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    EXPECT_EQ(CheckGemm(64, 32, 24, schedule).shared_bank_conflicts(), 0U);
  }
}

TEST(Gemm, PartsOfTiles) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    EXPECT_EQ(CheckGemm(53, 42, 19, schedule).shared_bank_conflicts(), 0U);
  }
}

}  // namespace
}  // namespace cute_test
