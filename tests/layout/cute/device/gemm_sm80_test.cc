// A whole kernel of atoms, with all checks of the virtual GPU, against the product by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "layout/cute/tensor.h"
#include "tests/layout/cute/device/device_run.h"

namespace cute_test {
namespace {

using hlo_indexing::cute::half_t;

// Element (row, column) of a matrix whose rows are `columns` long.
size_t At(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}

void CheckProduct(int m, int n, int k) {
  std::mt19937 random(3);
  const auto matrix = [&](int rows) {
    std::vector<half_t> values;
    for (int i = 0; i < rows * k; ++i) {
      values.emplace_back(static_cast<int>(random() % 9) - 4);
    }
    return values;
  };
  const std::vector<half_t> a = matrix(m);
  const std::vector<half_t> b = matrix(n);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    DeviceRun run("gemm_sm80", schedule);
    const uint64_t at_a = run.Upload(a, "a");
    const uint64_t at_b = run.Upload(b, "b");
    const uint64_t at_c = run.Allocate<float>(At(m, 0, n), "c");
    const OperationCounts counts =
        run.Launch({static_cast<uint32_t>(m / 64), static_cast<uint32_t>(n / 64), 1}, {128, 1, 1},
                   {Argument::Of(at_a), Argument::Of(at_b), Argument::Of(at_c), Argument::Of(m),
                    Argument::Of(n), Argument::Of(k)});
    // What the swizzle is for: neither cp.async nor ldmatrix meets a bank twice.
    EXPECT_GT(counts.shared_wavefronts, 0U);
    EXPECT_EQ(counts.shared_bank_conflicts(), 0U);
    const std::vector<float> c = run.Download<float>(at_c, At(m, 0, n));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int x = 0; x < k; ++x) {
          sum += static_cast<float>(a[At(i, x, k)]) * static_cast<float>(b[At(j, x, k)]);
        }
        ASSERT_EQ(c[At(i, j, n)], sum) << i << " " << j;
      }
    }
  }
}

TEST(GemmSm80, IsTheProduct) {
  CheckProduct(64, 64, 32);
  CheckProduct(128, 64, 64);
  CheckProduct(64, 128, 160);
}

}  // namespace
}  // namespace cute_test
