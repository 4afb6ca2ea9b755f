// The kernels of language.cu.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__

void DivideWide(KernelRun& run) {
  std::vector<int64_t> x;
  std::vector<int64_t> y;
  uint64_t state = 1;
  for (int i = 0; i < 64; ++i) {
    for (std::vector<int64_t>* numbers : {&x, &y}) {
      state = state * 6364136223846793005 + 1442695040888963407;
      // Some short, most long, of both signs.
      numbers->push_back(static_cast<int64_t>(state) >> (i % 4 == 0 ? state >> 59 : 0));
    }
  }
  std::vector<int64_t> expected;
  for (size_t i = 0; i < x.size(); ++i) {
    const Wide product = static_cast<Wide>(x[i]) * y[i];
    const Wide by = (y[i] / 3) | 1;
    for (const Wide value : {product / by, product % by}) {
      expected.push_back(static_cast<int64_t>(value));
      expected.push_back(static_cast<int64_t>(value >> 64));
    }
  }
  const auto out = run.Output<int64_t>(expected.size());
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(x), run.Input(y), out);
  const std::vector<int64_t> values = run.Values(out);
  if (values != expected) run.AddProblem("a quotient or rest of 128 bits is wrong");
}

void Medians(KernelRun& run) {
  const auto x = SomeNumbers<int>(64 + 9, -500, 1000);
  std::vector<int> expected;
  for (std::ptrdiff_t i = 0; i < 64; ++i) {
    const std::ptrdiff_t size = i % 9 + 1;
    std::vector<int> sorted(x.begin() + i, x.begin() + i + size);
    std::sort(sorted.begin(), sorted.end());
    expected.push_back(sorted[static_cast<size_t>(size / 2)]);
  }
  const auto out = run.Output<int>(64);
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

void VirtualCalls(KernelRun& run) {
  std::vector<int> expected;
  for (int i = 0; i < 64; ++i) {
    const int side = i + 4;
    const int inner = i % 3 == 0 ? 0 : side - 2 * (i % 3);
    expected.push_back(side * side - inner * inner);
  }
  const auto out = run.Output<int>(64);
  run.Launch({1, 1, 1}, {64, 1, 1}, out);
  run.Expect(out, expected);
}

void FunctionTable(KernelRun& run) {
  const auto which = SomeNumbers<int>(64, 0, 3);
  constexpr int kFibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  std::vector<int> expected;
  for (size_t i = 0; i < 64; ++i) {
    const int x = static_cast<int>(i % 10);
    expected.push_back(which[i] == 0 ? x + 1 : which[i] == 1 ? 2 * x : kFibonacci[x]);
  }
  const auto out = run.Output<int>(64);
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(which), out);
  run.Expect(out, expected);
}

void LinkedLists(KernelRun& run) {
  std::vector<int> expected;
  for (int i = 63; i >= 0; --i) expected.push_back(i * (i % 5) * (i % 5 + 1) / 2);
  const auto out = run.Output<int>(64);
  run.Launch({1, 1, 1}, {64, 1, 1}, out);
  run.Expect(out, expected);
}

void TilesOf8(KernelRun& run) {
  const auto x = SomeNumbers<int>(64, -500, 1000);
  std::vector<int> expected;
  for (std::ptrdiff_t i = 0; i < 64; ++i) {
    const auto begin = x.begin() + i / 8 * 8;
    expected.push_back(std::accumulate(begin, begin + 8, 0));
    expected.push_back(*std::max_element(begin, begin + 8));
    expected.push_back(std::accumulate(begin, x.begin() + i, 0));
  }
  const auto out = run.Output<int>(expected.size());
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

// Of 256 threads, twice.
template <int kSize>
void LargeTiles(KernelRun& run) {
  const auto x = SomeNumbers<int>(256, -250, 500);
  std::vector<int> expected;
  for (int i = 0; i < 2; ++i) {
    for (std::ptrdiff_t thread = 0; thread < 256; ++thread) {
      const auto begin = x.begin() + thread / kSize * kSize;
      const auto end = begin + kSize;
      expected.push_back(std::accumulate(begin, end, kSize * i));
      expected.push_back(*std::max_element(begin, end) + i);
      expected.push_back(begin[33 + i]);
      expected.push_back(std::count(begin, end, 10 + i) != 0 ? 1 : 0);
    }
  }
  const auto out = run.Output<int>(expected.size());
  run.Launch({1, 1, 1}, {256, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

void Labelled(KernelRun& run) {
  const auto x = SomeNumbers<int>(64, 0, 5);
  std::vector<int> expected;
  for (std::ptrdiff_t i = 0; i < 64; ++i) {
    const auto begin = x.begin() + i / 32 * 32;
    const int value = x[static_cast<size_t>(i)];
    expected.push_back(static_cast<int>(100 * std::count(begin, begin + 32, value) +
                                        std::count(begin, x.begin() + i, value)));
  }
  const auto out = run.Output<int>(64);
  run.Launch({1, 1, 1}, {64, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

void CountOdd(KernelRun& run) {
  const auto x = SomeNumbers<int>(256, 0, 1000);
  std::vector<int> expected;
  for (const int value : x) {
    if (value % 2 != 0) expected.push_back(value);
  }
  const auto places = run.Output<int>(expected.size());
  const auto count = run.Zeros<int>(1);
  run.Launch({2, 1, 1}, {128, 1, 1}, run.Input(x), places, count);
  run.Expect(count, {static_cast<int>(expected.size())});
  // Which group comes first is open.
  std::vector<int> found = run.Values(places);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  run.ExpectValues(found, expected);
}

}  // namespace

std::vector<KernelCase> LanguageCases() {
  return {
      {"language", "divide_wide", DivideWide},     {"language", "medians", Medians},
      {"language", "virtual_calls", VirtualCalls}, {"language", "function_table", FunctionTable},
      {"language", "linked_lists", LinkedLists},   {"language", "tiles_of_8", TilesOf8},
      {"language", "labelled", Labelled},          {"language", "count_odd", CountOdd},
      {"language", "tiles_of_64", LargeTiles<64>}, {"language", "tiles_of_128", LargeTiles<128>}};
}

}  // namespace hlo_indexing::ptx
