// The kernels of scans_and_sorts.cu.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

std::vector<int> InclusiveSums(const std::vector<int>& x) {
  std::vector<int> sums(x.size());
  std::partial_sum(x.begin(), x.end(), sums.begin());
  return sums;
}

template <typename T>
std::vector<T> Sorted(std::vector<T> values) {
  std::ranges::sort(values);
  return values;
}

void ScanHillisSteele(KernelRun& run) {
  const auto x = SomeNumbers<int>(200, -50, 100);
  const auto out = run.Output<int>(200);
  run.Launch({1, 1, 1}, {256, 1, 1}, run.Input(x), out, 200);
  run.Expect(out, InclusiveSums(x));
}

void ScanBlelloch(KernelRun& run) {
  const auto x = SomeNumbers<int>(256, -50, 100);
  std::vector<int> expected(256);
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
  const auto out = run.Output<int>(256);
  run.Launch({1, 1, 1}, {128, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

void ScanWarps(KernelRun& run) {
  const auto x = SomeNumbers<int>(320, -50, 100);
  const auto out = run.Output<int>(320);
  run.Launch({1, 1, 1}, {320, 1, 1}, run.Input(x), out);
  run.Expect(out, InclusiveSums(x));
}

void Histogram(KernelRun& run) {
  const auto x = SomeNumbers<uint8_t>(1500, 0, 200);
  std::vector<uint32_t> expected(256);
  for (const uint8_t value : x) ++expected[value];
  const auto bins = run.Zeros<uint32_t>(256);
  run.Launch({6, 1, 1}, {256, 1, 1}, run.Input(x), bins, 1500);
  run.Expect(bins, expected);
}

void Compact(KernelRun& run) {
  const auto x = SomeNumbers<int>(500, -100, 200);
  std::vector<int> expected;
  std::ranges::copy_if(x, std::back_inserter(expected), [](int value) { return value > 0; });
  const auto out = run.Output<int>(expected.size());
  const auto count = run.Zeros<int>(1);
  run.Launch({4, 1, 1}, {128, 1, 1}, run.Input(x), out, count, 500);
  run.Expect(count, {static_cast<int>(expected.size())});
  if (Sorted(run.Values(out)) != Sorted(expected)) run.AddProblem("other elements");
}

void BitonicSort(KernelRun& run) {
  const auto x = SomeNumbers<int>(512, -10000, 20000);
  const auto values = run.Input(x);
  run.Launch({1, 1, 1}, {256, 1, 1}, values);
  run.Expect(values, Sorted(x));
}

void OddEvenSort(KernelRun& run) {
  auto x = SomeNumbers<uint32_t>(90, 0, 100);
  // The second largest waits for the largest and reaches its place in the last step.
  x[0] = 101;
  x[1] = 100;
  const auto values = run.Input(x);
  run.options().dynamic_shared_bytes = 90 * sizeof(uint32_t);
  run.Launch({1, 1, 1}, {64, 1, 1}, values, 90);
  run.Expect(values, Sorted(x));
}

void RadixSort(KernelRun& run) {
  auto x = SomeNumbers<uint32_t>(256, 0, 1 << 20);
  for (uint32_t& value : x) value *= 4001;
  const auto values = run.Input(x);
  run.Launch({1, 1, 1}, {256, 1, 1}, values);
  run.Expect(values, Sorted(x));
}

void RankSort(KernelRun& run) {
  const auto x = SomeNumbers<float>(150, -40, 80);
  const auto out = run.Output<float>(150);
  run.Launch({3, 1, 1}, {64, 1, 1}, run.Input(x), out, 150);
  run.Expect(out, Sorted(x));
}

void LowerBound(KernelRun& run) {
  const auto sorted = Sorted(SomeNumbers<int>(300, 0, 500));
  const auto keys = SomeNumbers<int>(100, -10, 520);
  std::vector<int> expected;
  for (const int key : keys) {
    expected.push_back(static_cast<int>(std::ranges::lower_bound(sorted, key) - sorted.begin()));
  }
  const auto x = run.Input(sorted);
  const auto out = run.Output<int>(100);
  run.Launch({2, 1, 1}, {64, 1, 1}, x, run.Input(keys), out, 300, 100);
  run.Expect(out, expected);
  // Among no numbers.
  run.Launch({2, 1, 1}, {64, 1, 1}, x, run.Input(keys), out, 0, 100);
  run.Expect(out, std::vector<int>(100));
}

}  // namespace

std::vector<KernelCase> ScanAndSortCases() {
  return {{"scans_and_sorts", "scan_hillis_steele", ScanHillisSteele},
          {"scans_and_sorts", "scan_blelloch", ScanBlelloch},
          {"scans_and_sorts", "scan_warps", ScanWarps},
          {"scans_and_sorts", "histogram_global", Histogram},
          {"scans_and_sorts", "histogram_shared", Histogram},
          {"scans_and_sorts", "histogram_match", Histogram},
          {"scans_and_sorts", "compact", Compact},
          {"scans_and_sorts", "bitonic_sort", BitonicSort},
          {"scans_and_sorts", "odd_even_sort", OddEvenSort},
          {"scans_and_sorts", "radix_sort", RadixSort},
          {"scans_and_sorts", "rank_sort", RankSort},
          {"scans_and_sorts", "lower_bound", LowerBound}};
}

}  // namespace hlo_indexing::ptx
