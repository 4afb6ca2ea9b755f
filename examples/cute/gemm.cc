// The tiled matrix product on the host: the code of the kernel, thread after thread.
#include "examples/cute/gemm.h"

#include <vector>

#include "examples/cute/reference.h"

namespace {

using namespace examples;  // NOLINT: a program of one page

// What one block computes. The end of each loop over threads is a barrier.
void RunBlock(GemmProblem const& problem, int x, int y) {
  float shared_a[GemmThread::kSharedA];
  float shared_b[GemmThread::kSharedB];
  float accumulators[kGemmThreads][GemmThread::kAccumulators];
  const auto for_each_thread = [&](auto const& action) {
    for (int t = 0; t < kGemmThreads; ++t) {
      action(GemmThread{problem, shared_a, shared_b, accumulators[t], x, y, t});
    }
  };
  for_each_thread([](GemmThread const& thread) { thread.Clear(); });
  for (int k_tile = 0; k_tile < Tiles(problem.k, kGemmTileK); ++k_tile) {
    for_each_thread([&](GemmThread const& thread) { thread.Load(k_tile); });
    for_each_thread([](GemmThread const& thread) { thread.Multiply(); });
  }
  for_each_thread([](GemmThread const& thread) { thread.Store(); });
}

bool Gemm(int m, int n, int k) {
  const std::vector<float> a = MakeMatrix(m, k, 11);
  const std::vector<float> b = MakeMatrix(n, k, 7);
  std::vector<float> c = MakeMatrix(m, n, 3);
  const GemmProblem problem = {a.data(), b.data(), c.data(), m, n, k};
  for (int x = 0; x < Tiles(m, kGemmTileM); ++x) {
    for (int y = 0; y < Tiles(n, kGemmTileN); ++y) RunBlock(problem, x, y);
  }
  return IsProduct(a, b, c, m, n, k);
}

}  // namespace

int main() {
  const bool whole_tiles = Gemm(64, 32, 24);
  const bool parts_of_tiles = Gemm(45, 70, 19);
  const bool one_column = Gemm(33, 1, 5);
  return whole_tiles && parts_of_tiles && one_column ? 0 : 1;
}
