// The kernels of matrices.cu.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"
#include "tests/codegen/ptx/kernels/small_floats.h"

namespace hlo_indexing::ptx {
namespace {

template <typename T>
std::vector<T> Transposed(const std::vector<T>& x, size_t rows, size_t columns) {
  std::vector<T> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) result[i % columns * rows + i / columns] = x[i];
  return result;
}

std::vector<float> Product(const std::vector<float>& a, const std::vector<float>& b, size_t n) {
  std::vector<float> c(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) {
      for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

void TransposeNaive(KernelRun& run) {
  const auto x = SomeNumbers<float>(size_t{40} * 40, -500, 1000);
  const auto out = run.Output<float>(x.size());
  run.Launch({2, 5, 1}, {32, 8, 1}, run.Input(x), out, 40);
  run.Expect(out, Transposed(x, 40, 40));
}

void TransposeTiles(KernelRun& run) {
  const auto x = SomeNumbers<float>(size_t{50} * 70, -500, 1000);
  const auto out = run.Output<float>(x.size());
  run.Launch({3, 2, 1}, {32, 8, 1}, run.Input(x), out, 50, 70);
  run.Expect(out, Transposed(x, 50, 70));
}

void TransposeSwizzled(KernelRun& run) {
  const auto x = SomeNumbers<int>(size_t{32} * 32, -500, 1000);
  const auto out = run.Output<int>(x.size());
  run.Launch({1, 1, 1}, {32, 8, 1}, run.Input(x), out);
  run.Expect(out, Transposed(x, 32, 32));
}

void TransposeShuffle(KernelRun& run) {
  const auto x = SomeNumbers<int>(128, -500, 1000);
  std::vector<int> expected(128);
  for (size_t i = 0; i < 128; ++i) expected[i / 16 * 16 + i % 4 * 4 + i / 4 % 4] = x[i];
  const auto out = run.Output<int>(128);
  run.Launch({1, 1, 1}, {32, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

// A product of matrices of n by n, by blocks of threads that make tiles of `tile` by `tile`.
template <uint32_t kN, uint32_t kTile, uint32_t kX, uint32_t kY>
void MatrixProduct(KernelRun& run) {
  const auto a = SomeNumbers<float>(size_t{kN} * kN, -4, 9);
  const auto b = SomeNumbers<float>(size_t{kN} * kN + 1, -3, 8);
  const auto c = run.Output<float>(a.size());
  const uint32_t tiles = (kN + kTile - 1) / kTile;
  run.Launch({tiles, tiles, 1}, {kX, kY, 1}, run.Input(a), run.Input(b), c, int{kN});
  run.Expect(c, Product(a, b, kN));
}

// A warp to a tile of 16 by kColumns.
template <uint32_t kColumns>
void HalfProduct(KernelRun& run) {
  constexpr uint32_t kN = 32;
  const auto a = SomeNumbers<float>(size_t{kN} * kN, -4, 9);
  auto b = SomeNumbers<float>(size_t{kN} * kN + 1, -3, 8);
  b.pop_back();
  const auto c = run.Output<float>(a.size());
  run.Launch({kN / kColumns, kN / 16, 1}, {32, 1, 1}, run.Input(EncodeAll(kHalf, a)),
             run.Input(EncodeAll(kHalf, b)), c, int{kN});
  run.Expect(c, Product(a, b, kN));
}

void MatrixVector(KernelRun& run) {
  const auto a = SomeNumbers<float>(size_t{45} * 45, -4, 9);
  const auto x = SomeNumbers<float>(45, -9, 20);
  std::vector<float> y(45);
  for (size_t i = 0; i < a.size(); ++i) y[i / 45] += a[i] * x[i % 45];
  const auto out = run.Output<float>(45);
  run.Launch({45, 1, 1}, {32, 1, 1}, run.Input(a), run.Input(x), out, 45);
  run.Expect(out, y);
}

void ByteDot(KernelRun& run) {
  auto a = SomeNumbers<int>(100, 0, 1 << 20);
  auto b = SomeNumbers<int>(101, 0, 1 << 20);
  b.pop_back();
  std::vector<int> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] *= 2003;
    b[i] *= -1999;
    int sum = static_cast<int>(i);
    for (int k = 0; k < 4; ++k) {
      sum += static_cast<int8_t>(a[i] >> (8 * k)) * static_cast<int8_t>(b[i] >> (8 * k));
    }
    expected.push_back(sum);
  }
  const auto out = run.Output<int>(100);
  run.Launch({2, 1, 1}, {64, 1, 1}, run.Input(a), run.Input(b), out, 100);
  run.Expect(out, expected);
}

}  // namespace

std::vector<KernelCase> MatrixCases() {
  return {{"matrices", "transpose_naive", TransposeNaive},
          {"matrices", "transpose_tiles", TransposeTiles},
          {"matrices", "transpose_swizzled", TransposeSwizzled},
          {"matrices", "transpose_shuffle", TransposeShuffle},
          {"matrices", "matmul_naive", MatrixProduct<22, 8, 8, 8>},
          {"matrices", "matmul_tiles", MatrixProduct<32, 16, 16, 16>},
          {"matrices", "matmul_registers", MatrixProduct<64, 32, 64, 1>},
          {"matrices", "matmul_async", MatrixProduct<48, 16, 16, 16>},
          {"matrices", "matmul_wmma", HalfProduct<16>},
          {"matrices", "matmul_mma", HalfProduct<8>},
          {"matrices", "matvec", MatrixVector},
          {"matrices", "int8_dot", ByteDot}};
}

}  // namespace hlo_indexing::ptx
