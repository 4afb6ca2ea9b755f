// The kernels of reductions.cu.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

std::vector<float> Numbers(size_t size) { return SomeNumbers<float>(size, -9, 20); }

float Sum(const std::vector<float>& x) { return std::accumulate(x.begin(), x.end(), 0.0F); }

// The sums of parts of equal size, the last one possibly smaller.
std::vector<float> SumsOf(const std::vector<float>& x, size_t size) {
  std::vector<float> sums;
  for (size_t i = 0; i < x.size(); i += size) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = static_cast<std::ptrdiff_t>(std::min(size, x.size() - i));
    sums.push_back(std::accumulate(begin, begin + count, 0.0F));
  }
  return sums;
}

void SumShared(KernelRun& run) {
  const std::vector<float> x = Numbers(1000);
  const auto out = run.Output<float>(4);
  run.Launch({4, 1, 1}, {256, 1, 1}, run.Input(x), out, 1000);
  run.Expect(out, SumsOf(x, 256));
}

void SumShuffle(KernelRun& run) {
  const std::vector<float> x = Numbers(2000);
  const auto out = run.Output<float>(1);
  run.Launch({1, 1, 1}, {128, 1, 1}, run.Input(x), out, 2000);
  run.Expect(out, {Sum(x)});
}

void SumVectors(KernelRun& run) {
  const std::vector<float> x = Numbers(1024);
  const auto out = run.Zeros<float>(1);
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(x), out, 1024);
  run.Expect(out, {Sum(x)});
}

void MaxRedux(KernelRun& run) {
  const auto x = SomeNumbers<uint32_t>(777, 5, 100000);
  const auto out = run.Zeros<uint32_t>(1);
  run.Launch({1, 1, 1}, {96, 1, 1}, run.Input(x), out, 777);
  run.Expect(out, {*std::ranges::max_element(x)});
}

void Argmin(KernelRun& run) {
  auto x = SomeNumbers<float>(3000, -400, 800);
  // The least ones, of threads 130, 2 and 66: thread 2 has to take the place of thread 130, which
  // is before its own, and not that of thread 66.
  for (const size_t place : {130, 258, 834}) x[place] = -500;
  const auto out = run.Output<int>(1);
  run.Launch({1, 1, 1}, {256, 1, 1}, run.Input(x), out, 3000);
  run.Expect(out, {static_cast<int>(std::ranges::min_element(x) - x.begin())});
}

void RowSums(KernelRun& run) {
  const std::vector<float> x = Numbers(size_t{13} * 50);
  const auto out = run.Output<float>(13);
  run.Launch({4, 1, 1}, {128, 1, 1}, run.Input(x), out, 13, 50);
  run.Expect(out, SumsOf(x, 50));
}

void ColumnSums(KernelRun& run) {
  // Seven or eight numbers to a thread: those that its loop reads one by one, four at a time, both.
  const std::vector<float> x = Numbers(size_t{61} * 70);
  std::vector<float> expected(70);
  for (size_t i = 0; i < x.size(); ++i) expected[i % 70] += x[i];
  const auto out = run.Output<float>(70);
  run.Launch({3, 1, 1}, {32, 8, 1}, run.Input(x), out, 61, 70);
  run.Expect(out, expected);
}

void SumLastBlock(KernelRun& run) {
  const std::vector<float> x = Numbers(1500);
  const auto out = run.Output<float>(1);
  run.Launch({9, 1, 1}, {32, 1, 1}, run.Input(x), run.Output<float>(9), out, 1500);
  run.Expect(out, {Sum(x)});
}

void SumGrid(KernelRun& run) {
  run.options().is_cooperative = true;
  const std::vector<float> x = Numbers(1500);
  const auto out = run.Output<float>(1);
  run.Launch({11, 1, 1}, {32, 1, 1}, run.Input(x), run.Output<float>(11), out, 1500);
  run.Expect(out, {Sum(x)});
}

void StencilGrid(KernelRun& run) {
  run.options().is_cooperative = true;
  constexpr size_t kSize = 200;
  constexpr int kSteps = 5;
  std::vector<float> x = Numbers(kSize);
  const auto a = run.Input(x);
  const auto b = run.Output<float>(kSize);
  run.Launch({4, 1, 1}, {64, 1, 1}, a, b, static_cast<int>(kSize), kSteps);
  for (int step = 0; step < kSteps; ++step) {
    std::vector<float> next(kSize);
    for (size_t i = 0; i < kSize; ++i) next[i] = x[i] + x[(i + 1) % kSize];
    x = next;
  }
  run.Expect(b, x);
}

void SumTiles(KernelRun& run) {
  const std::vector<float> x = Numbers(128);
  const auto out = run.Output<float>(16);
  run.Launch({1, 1, 1}, {128, 1, 1}, run.Input(x), out, 128);
  run.Expect(out, SumsOf(x, 8));
}

void DotDouble(KernelRun& run) {
  const auto x = SomeNumbers<double>(500, -50, 101);
  const auto y = SomeNumbers<double>(500, -7, 30);
  const auto out = run.Output<double>(1);
  run.Launch({1, 1, 1}, {128, 1, 1}, run.Input(x), run.Input(y), out, 500);
  run.Expect(out, {std::inner_product(x.begin(), x.end(), y.begin(), 0.0)});
}

}  // namespace

std::vector<KernelCase> ReductionCases() {
  return {{"reductions", "sum_shared", SumShared},   {"reductions", "sum_shuffle", SumShuffle},
          {"reductions", "sum_vectors", SumVectors}, {"reductions", "max_redux", MaxRedux},
          {"reductions", "argmin", Argmin},          {"reductions", "row_sums", RowSums},
          {"reductions", "column_sums", ColumnSums}, {"reductions", "sum_last_block", SumLastBlock},
          {"reductions", "sum_grid", SumGrid},       {"reductions", "stencil_grid", StencilGrid},
          {"reductions", "sum_tiles", SumTiles},     {"reductions", "dot_double", DotDouble}};
}

}  // namespace hlo_indexing::ptx
