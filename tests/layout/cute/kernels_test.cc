// The kernels of kernels.h on the host, thread after thread, against loops.
#include "tests/layout/cute/kernels.h"

#include <gtest/gtest.h>

#include <vector>

namespace cute_test {
namespace {

using cute_kernels::kGemmThreads;

TEST(Kernels, Transpose) {
  const int m = 64;
  const int n = 96;
  std::vector<float> in(m * n);
  std::vector<float> out(m * n, -1.0F);
  for (int i = 0; i < m * n; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i);
  for (int x = 0; x < m / 32; ++x) {
    for (int y = 0; y < n / 32; ++y) {
      float shared[32 * 33];
      for (int phase = 0; phase < 2; ++phase) {
        for (int thread = 0; thread < 256; ++thread) {
          cute_kernels::TransposeThread(in.data(), out.data(), m, n, shared, x, y, thread, phase);
        }
      }
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < n; ++k) {
      ASSERT_EQ(out[static_cast<size_t>(i + m * k)], in[static_cast<size_t>(i * n + k)])
          << i << "," << k;
    }
  }
}

TEST(Kernels, Gemm) {
  const int m = 64;
  const int n = 32;
  const int k = 24;
  std::vector<float> a(m * k);
  std::vector<float> b(n * k);
  std::vector<float> c(m * n, -1.0F);
  for (int i = 0; i < m * k; ++i) a[static_cast<size_t>(i)] = static_cast<float>(i % 11 - 5);
  for (int i = 0; i < n * k; ++i) b[static_cast<size_t>(i)] = static_cast<float>(i % 7 - 3);
  for (int x = 0; x < m / 32; ++x) {
    for (int y = 0; y < n / 32; ++y) {
      float shared_a[256];
      float shared_b[256];
      std::vector<float> accumulators(kGemmThreads * 16);
      const auto run = [&](int k_tile, int phase) {
        for (int thread = 0; thread < kGemmThreads; ++thread) {
          cute_kernels::GemmThread(a.data(), b.data(), c.data(), m, n, k, shared_a, shared_b,
                                   &accumulators[static_cast<size_t>(16 * thread)], x, y, thread,
                                   k_tile, phase);
        }
      };
      run(0, 0);
      for (int k_tile = 0; k_tile < k / 8; ++k_tile) {
        run(k_tile, 1);
        run(k_tile, 2);
      }
      run(0, 3);
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float expected = 0;
      for (int d = 0; d < k; ++d)
        expected += a[static_cast<size_t>(i + m * d)] * b[static_cast<size_t>(j + n * d)];
      ASSERT_EQ(c[static_cast<size_t>(i + m * j)], expected) << i << "," << j;
    }
  }
}

}  // namespace
}  // namespace cute_test
