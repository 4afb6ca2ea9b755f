// cooperative_gemm and moves within a warp on the virtual GPU, with all its checks, against the
// products by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "layout/cute/tensor.h"
#include "tests/layout/cute/device/kernel_run.h"

namespace cute_test {
namespace {

using hlo_indexing::cute::complex;
using hlo_indexing::cute::half_t;
using hlo_indexing::cute::tfloat32_t;

const Module& Kernels() {
  static const auto* const module = new Module(ReadModule("cooperative"));
  return *module;
}

size_t At(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}
template <class T>
T Small(std::mt19937& random) {
  return T(static_cast<int>(random() % 9) - 4);
}
template <>
complex<double> Small<complex<double>>(std::mt19937& random) {
  const double real = static_cast<double>(random() % 9) - 4;
  return {real, static_cast<double>(random() % 9) - 4};
}
template <class T>
auto Wide(T const& x) {
  if constexpr (hlo_indexing::cute::is_complex<T>::value) {
    return x;
  } else {
    return static_cast<float>(x);
  }
}

// c = 2 * a * b + 3 * c
template <class T, class TC>
void CheckProduct(const std::string& name, int threads, int m, int n, int k) {
  std::mt19937 random(3);
  std::vector<T> a;
  std::vector<T> b;
  std::vector<TC> c;
  for (int i = 0; i < m * k; ++i) a.push_back(Small<T>(random));
  for (int i = 0; i < n * k; ++i) b.push_back(Small<T>(random));
  for (int i = 0; i < m * n; ++i) c.push_back(Small<TC>(random));
  KernelRun kernel(Kernels(), name);
  kernel.Pass(a);
  kernel.Pass(b);
  kernel.Pass(c);
  kernel.Run(threads);
  std::vector<TC> result(c.size());
  kernel.Read(2, result);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      TC sum(0);
      for (int x = 0; x < k; ++x) sum += TC(Wide(a[At(i, x, k)]) * Wide(b[At(j, x, k)]));
      const TC expected = TC(2) * sum + TC(3) * c[At(j, i, m)];
      ASSERT_EQ(result[At(j, i, m)], expected) << name << " at (" << i << "," << j << ")";
    }
  }
}
TEST(CooperativeGemm, WholeTiles) { CheckProduct<half_t, float>("WholeTiles", 128, 64, 48, 32); }
TEST(CooperativeGemm, SwizzledByLdmatrix) {
  CheckProduct<half_t, float>("Swizzled", 128, 64, 64, 64);
}
TEST(CooperativeGemm, TilesThatHangOverTheEdges) {
  CheckProduct<tfloat32_t, float>("Overhanging", 64, 19, 21, 9);
}
TEST(CooperativeGemm, FunctionsOfElements) {
  // -(2 * (-a) * (-b) - 3 * c)
  std::mt19937 random(5);
  std::vector<tfloat32_t> a;
  std::vector<tfloat32_t> b;
  std::vector<float> c;
  for (int i = 0; i < 81; ++i) a.push_back(Small<tfloat32_t>(random));
  for (int i = 0; i < 81; ++i) b.push_back(Small<tfloat32_t>(random));
  for (int i = 0; i < 81; ++i) c.push_back(Small<float>(random));
  KernelRun kernel(Kernels(), "Negated");
  kernel.Pass(a);
  kernel.Pass(b);
  kernel.Pass(c);
  kernel.Run(64);
  std::vector<float> result(81);
  kernel.Read(2, result);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      float sum = 0;
      for (int x = 0; x < 9; ++x) {
        sum += static_cast<float>(a[At(i, x, 9)]) * static_cast<float>(b[At(j, x, 9)]);
      }
      ASSERT_EQ(result[At(j, i, 9)], -(2 * sum - 3 * c[At(j, i, 9)]));
    }
  }
}
TEST(CooperativeGemm, ComplexDoubles) {
  CheckProduct<complex<double>, complex<double>>("ComplexDoubles", 128, 13, 7, 35);
  CheckProduct<complex<double>, complex<double>>("WideComplexDoubles", 64, 13, 7, 35);
}
TEST(CooperativeGemm, WithoutMatrixInstructions) {
  CheckProduct<half_t, float>("PlainProducts", 64, 8, 7, 3);
}

TEST(WarpMoves, Movmatrix) {
  std::vector<uint16_t> from(64);
  for (size_t i = 0; i < 64; ++i) from[i] = static_cast<uint16_t>(100 + i);
  std::vector<uint16_t> to(64);
  KernelRun kernel(Kernels(), "Transpose8x8");
  kernel.Pass(from);
  kernel.Pass(to);
  kernel.Run(32);
  kernel.Read(1, to);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) EXPECT_EQ(to[At(i, j, 8)], from[At(j, i, 8)]);
  }
}
TEST(WarpMoves, AsynchronousCopiesAndLdmatrix) {
  std::vector<uint16_t> from(256);
  for (size_t i = 0; i < 256; ++i) from[i] = static_cast<uint16_t>(i);
  std::vector<uint16_t> to(256);
  std::vector<uint16_t> transposed(128);
  KernelRun kernel(Kernels(), "LoadMatrices");
  kernel.Pass(from);
  kernel.Pass(to);
  kernel.Pass(transposed);
  kernel.Run(32);
  kernel.Read(1, to);
  kernel.Read(2, transposed);
  // Thread t has two neighbours of row t / 4 of each matrix, or of its column.
  for (int t = 0; t < 32; ++t) {
    for (int matrix = 0; matrix < 4; ++matrix) {
      for (int i = 0; i < 2; ++i) {
        const int row = t / 4;
        const int column = 2 * (t % 4) + i;
        EXPECT_EQ(to[At(t, 2 * matrix + i, 8)], from[At(8 * matrix + row, column, 8)]);
        if (matrix < 2) {
          EXPECT_EQ(transposed[At(t, 2 * matrix + i, 4)], from[At(8 * matrix + column, row, 8)]);
        }
      }
    }
  }
}

// Thread t has, of row t / 4 of each matrix, two neighbours in a register.
void CheckStores(const std::string& name, int matrices) {
  std::vector<uint16_t> from(static_cast<size_t>(64 * matrices));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint16_t>(100 + i);
  std::vector<uint16_t> to(from.size());
  std::vector<uint16_t> transposed(from.size());
  KernelRun kernel(Kernels(), name);
  kernel.Pass(from);
  kernel.Pass(to);
  kernel.Pass(transposed);
  kernel.Run(32);
  kernel.Read(1, to);
  kernel.Read(2, transposed);
  for (int matrix = 0; matrix < matrices; ++matrix) {
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 8; ++column) {
        const int thread = 4 * row + column / 2;
        const uint16_t element = from[At(thread, 2 * matrix + column % 2, 2 * matrices)];
        EXPECT_EQ(to[At(8 * matrix + row, column, 8)], element);
        EXPECT_EQ(transposed[At(8 * matrix + column, row, 8)], element);
      }
    }
  }
}
TEST(WarpMoves, Stmatrix) {
  CheckStores("StoreFour", 4);
  CheckStores("StoreTwo", 2);
  CheckStores("StoreOne", 1);
}

}  // namespace
}  // namespace cute_test
