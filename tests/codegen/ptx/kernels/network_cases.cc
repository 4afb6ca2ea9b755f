// The kernels of networks.cu, against sums in double.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"
#include "tests/codegen/ptx/kernels/small_floats.h"

namespace hlo_indexing::ptx {
namespace {

// What the functions of expf and so on may be off, and more.
constexpr double kTolerance = 1e-5;

std::vector<float> Fractions(size_t size) {
  auto x = SomeNumbers<float>(size, -60, 121);
  for (float& value : x) value /= 16;
  return x;
}

// Calls `row(begin, end)` with the places of each row.
template <typename Visit>
void ForEachRow(std::vector<float>& x, size_t columns, const Visit& row) {
  for (size_t i = 0; i < x.size(); i += columns) {
    row(x.begin() + static_cast<std::ptrdiff_t>(i),
        x.begin() + static_cast<std::ptrdiff_t>(i + columns));
  }
}

template <uint32_t kThreads>
void Softmax(KernelRun& run) {
  std::vector<float> x = Fractions(size_t{5} * 200);
  // Four rows have a number without which the largest one would be so small that exp overflows. It
  // stands where loops of the kernels begin to read: a loop that begins one later misses it.
  const size_t columns[] = {0, 72, 104, 136};
  for (size_t row = 0; row < std::size(columns); ++row) x[200 * row + columns[row]] = 200;
  // The largest one of the last row is in an odd column, and not by much.
  x[4 * 200 + 1] = 5;
  const auto out = run.Output<float>(x.size());
  run.Launch({5, 1, 1}, {kThreads, 1, 1}, run.Input(x), out, 200);
  ForEachRow(x, 200, [](auto begin, auto end) {
    double sum = 0;
    for (auto i = begin; i != end; ++i) sum += std::exp(static_cast<double>(*i));
    for (auto i = begin; i != end; ++i) {
      *i = static_cast<float>(std::exp(static_cast<double>(*i)) / sum);
    }
  });
  run.Expect(out, x, kTolerance);
}

void LayerNorm(KernelRun& run) {
  std::vector<float> x = Fractions(size_t{4} * 100);
  const std::vector<float> scale = Fractions(100);
  const auto bias = SomeNumbers<float>(100, -5, 9);
  const auto out = run.Output<float>(x.size());
  run.Launch({4, 1, 1}, {32, 1, 1}, run.Input(x), run.Input(scale), run.Input(bias), out, 100);
  ForEachRow(x, 100, [&](auto begin, auto end) {
    const double mean = std::accumulate(begin, end, 0.0) / 100;
    double squares = 0;
    for (auto i = begin; i != end; ++i) squares += (*i - mean) * (*i - mean);
    const double deviation = std::sqrt(squares / 100 + 1e-5);
    for (auto i = begin; i != end; ++i) {
      const auto column = static_cast<size_t>(i - begin);
      *i = static_cast<float>((*i - mean) / deviation * scale[column] + bias[column]);
    }
  });
  run.Expect(out, x, kTolerance);
}

void RmsNormHalf(KernelRun& run) {
  std::vector<float> x = Fractions(size_t{3} * 64);
  const auto out = run.Output<uint16_t>(x.size());
  run.Launch({3, 1, 1}, {32, 1, 1}, run.Input(EncodeAll(kHalf, x)), out, 64);
  ForEachRow(x, 64, [](auto begin, auto end) {
    double squares = 0;
    for (auto i = begin; i != end; ++i) squares += static_cast<double>(*i) * *i;
    for (auto i = begin; i != end; ++i) *i = static_cast<float>(*i / std::sqrt(squares / 64));
  });
  run.ExpectValues(DecodeAll(kHalf, run.Values(out)), x, 0x1p-10);
}

void AxpyHalf(KernelRun& run) {
  const auto x = SomeNumbers<float>(202, -60, 121);
  const auto y = SomeNumbers<float>(202, -20, 60);
  std::vector<float> expected;
  for (size_t i = 0; i < x.size(); ++i) expected.push_back(2.5F * x[i] + y[i]);
  const auto out = run.Input(EncodeAll(kHalf, y));
  run.Launch({2, 1, 1}, {64, 1, 1}, run.Input(EncodeAll(kHalf, x)), out, 2.5F, 202);
  run.Expect(out, EncodeAll(kHalf, expected));
}

void ReluBf16(KernelRun& run) {
  const std::vector<float> x = Fractions(202);
  std::vector<uint16_t> input;
  std::vector<uint16_t> expected;
  for (const float value : x) {
    input.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    expected.push_back(value > 0 ? input.back() : uint16_t{0});
  }
  const auto out = run.Output<uint16_t>(202);
  run.Launch({2, 1, 1}, {64, 1, 1}, run.Input(input), out, 202);
  run.Expect(out, expected);
}

// y = function(x), element by element. One number in three is `scale` times as large as the others.
template <typename T, typename Function>
void Elementwise(KernelRun& run, Function function, T scale = 1) {
  const std::vector<float> fractions = Fractions(150);
  std::vector<T> x(fractions.begin(), fractions.end());
  for (size_t i = 0; i < x.size(); i += 3) x[i] *= scale;
  std::vector<T> expected;
  for (const T value : x) {
    expected.push_back(static_cast<T>(function(static_cast<double>(value))));
  }
  const auto out = run.Output<T>(150);
  run.Launch({3, 1, 1}, {64, 1, 1}, run.Input(x), out, 150);
  run.Expect(out, expected, kTolerance);
}

void Gelu(KernelRun& run) {
  Elementwise<float>(run, [](double x) {
    return 0.5 * x * (1 + std::tanh(0.79788456 * (x + 0.044715 * x * x * x)));
  });
}
// Of 960 at most: exp has a way of its own where the result is large, and one where it is infinite.
void SigmoidDouble(KernelRun& run) {
  Elementwise<double>(run, [](double x) { return 1 / (1 + std::exp(-x)); }, 256);
}
void Horner(KernelRun& run) {
  Elementwise<float>(run, [](double x) { return 1 + x * (-2 + x * (0.5 + x * (3 + x * -0.25))); });
}

void Convolution(KernelRun& run) {
  constexpr int kRows = 19;
  constexpr int kColumns = 45;
  const auto place = [](int row, int column) {
    return static_cast<size_t>(row) * kColumns + static_cast<size_t>(column);
  };
  const auto x = SomeNumbers<float>(place(kRows, 0), -9, 20);
  // No two neighbours are equal.
  const std::vector<float> weights = {-4, 3, 1, -2, 4, 2, -1, -3, 5};
  std::vector<float> expected(x.size());
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      for (int i = 0; i < 9; ++i) {
        const int row = r + i / 3 - 1;
        const int column = c + i % 3 - 1;
        if (row < 0 || row >= kRows || column < 0 || column >= kColumns) continue;
        expected[place(r, c)] += weights[static_cast<size_t>(i)] * x[place(row, column)];
      }
    }
  }
  const auto out = run.Output<float>(x.size());
  run.Launch({2, 3, 1}, {32, 8, 1}, run.Input(x), run.Input(weights), out, kRows, kColumns);
  run.Expect(out, expected);
}

void Embedding(KernelRun& run) {
  const auto table = SomeNumbers<float>(size_t{10} * 64, -500, 1000);
  const auto tokens = SomeNumbers<int>(7, 0, 10);
  std::vector<float> expected;
  for (const int token : tokens) {
    const auto row = table.begin() + static_cast<std::ptrdiff_t>(token) * 64;
    expected.insert(expected.end(), row, row + 64);
  }
  const auto out = run.Output<float>(expected.size());
  run.Launch({7, 1, 1}, {32, 1, 1}, run.Input(tokens), run.Input(table), out, 64);
  run.Expect(out, expected);
}

void MaxByCas(KernelRun& run) {
  const auto x = SomeNumbers<float>(200, -500, 1000);
  const auto out = run.Input(std::vector<float>{-1e30F});
  run.Launch({4, 1, 1}, {64, 1, 1}, run.Input(x), out, 200);
  run.Expect(out, {*std::ranges::max_element(x)});
}

void CounterWithLock(KernelRun& run) {
  const auto counter = run.Zeros<int>(1);
  run.Launch({12, 1, 1}, {32, 1, 1}, run.Zeros<int>(1), counter);
  run.Expect(counter, {12});
}

struct Affine {
  float scale;
  float offset;
  int repeat;
};
void AffineByValue(KernelRun& run) {
  const auto x = SomeNumbers<float>(100, -50, 100);
  std::vector<float> expected;
  // Four times at once, twice one by one.
  constexpr Affine kAffine = {.scale = 2, .offset = 3, .repeat = 6};
  for (float value : x) {
    for (int i = 0; i < kAffine.repeat; ++i) value = value * kAffine.scale + kAffine.offset;
    expected.push_back(value);
  }
  const auto out = run.Output<float>(100);
  run.Launch({2, 1, 1}, {64, 1, 1}, run.Input(x), out, kAffine, 100);
  run.Expect(out, expected);
}

void Recursion(KernelRun& run) {
  std::vector<int> expected;
  for (int i = 0; i < 32; ++i) expected.push_back(2 * (i % 5) + 3);
  const auto out = run.Output<int>(32);
  run.Launch({1, 1, 1}, {32, 1, 1}, out);
  run.Expect(out, expected);
}

void Gcds(KernelRun& run) {
  const auto a = SomeNumbers<uint32_t>(100, 1, 5000);
  auto b = SomeNumbers<uint32_t>(101, 1, 7000);
  b.erase(b.begin());
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < a.size(); ++i) expected.push_back(std::gcd(a[i], b[i]));
  const auto out = run.Output<uint32_t>(100);
  run.Launch({2, 1, 1}, {64, 1, 1}, run.Input(a), run.Input(b), out, 100);
  run.Expect(out, expected);
}

}  // namespace

std::vector<KernelCase> NetworkCases() {
  return {{"networks", "softmax_warp", Softmax<32>},
          {"networks", "softmax_online", Softmax<128>},
          {"networks", "layer_norm", LayerNorm},
          {"networks", "rms_norm_half", RmsNormHalf},
          {"networks", "axpy_half2", AxpyHalf},
          {"networks", "relu_bf16", ReluBf16},
          {"networks", "gelu", Gelu},
          {"networks", "sigmoid_double", SigmoidDouble},
          {"networks", "horner", Horner},
          {"networks", "convolution", Convolution},
          {"networks", "embedding", Embedding},
          {"networks", "max_by_cas", MaxByCas},
          {"networks", "counter_with_lock", CounterWithLock},
          {"networks", "affine_by_value", AffineByValue},
          {"networks", "recursion", Recursion},
          {"networks", "gcds", Gcds}};
}

}  // namespace hlo_indexing::ptx
