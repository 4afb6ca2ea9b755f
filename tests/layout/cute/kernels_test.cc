// The kernels of kernels.h on the host, thread after thread, against loops.
#include "tests/layout/cute/kernels.h"

#include <gtest/gtest.h>

#include <vector>

namespace cute_test {
namespace {

using cute_kernels::kGemmThreads;

TEST(Kernels, Transpose) {
  const int64_t m = 64;
  const int64_t n = 96;
  std::vector<float> in(m * n);
  std::vector<float> out(m * n, -1.0F);
  for (int64_t i = 0; i < m * n; ++i) in[i] = static_cast<float>(i);
  for (int x = 0; x < static_cast<int>(m) / 32; ++x) {
    for (int y = 0; y < static_cast<int>(n) / 32; ++y) {
      float shared[32 * 33];
      for (int phase = 0; phase < 2; ++phase) {
        for (int thread = 0; thread < 256; ++thread) {
          cute_kernels::TransposeThread(in.data(), out.data(), static_cast<int>(m),
                                        static_cast<int>(n), shared, x, y, thread, phase);
        }
      }
    }
  }
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      ASSERT_EQ(out[i + m * k], in[i * n + k]) << i << "," << k;
    }
  }
}

TEST(Kernels, Gemm) {
  const int64_t m = 64;
  const int64_t n = 32;
  const int64_t k = 24;
  std::vector<float> a(m * k);
  std::vector<float> b(n * k);
  std::vector<float> c(m * n, -1.0F);
  for (int64_t i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 11 - 5);
  for (int64_t i = 0; i < n * k; ++i) b[i] = static_cast<float>(i % 7 - 3);
  for (int x = 0; x < static_cast<int>(m) / 32; ++x) {
    for (int y = 0; y < static_cast<int>(n) / 32; ++y) {
      float shared_a[256];
      float shared_b[256];
      std::vector<float> accumulators(size_t{16} * kGemmThreads);
      const auto run = [&](int k_tile, int phase) {
        for (int thread = 0; thread < kGemmThreads; ++thread) {
          cute_kernels::GemmThread(a.data(), b.data(), c.data(), static_cast<int>(m),
                                   static_cast<int>(n), static_cast<int>(k), shared_a, shared_b,
                                   &accumulators[size_t{16} * thread], x, y, thread, k_tile, phase);
        }
      };
      run(0, 0);
      for (int k_tile = 0; k_tile < static_cast<int>(k) / 8; ++k_tile) {
        run(k_tile, 1);
        run(k_tile, 2);
      }
      run(0, 3);
    }
  }
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float expected = 0;
      for (int64_t d = 0; d < k; ++d) {
        expected += a[i + m * d] * b[j + n * d];
      }
      ASSERT_EQ(c[i + m * j], expected) << i << "," << j;
    }
  }
}

}  // namespace
}  // namespace cute_test
