// The kernels of triton/kernels.py, each for sm_80 and for sm_90.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/codegen/ptx/kernels/kernel_case.h"
#include "tests/codegen/ptx/kernels/small_floats.h"

namespace hlo_indexing::ptx {
namespace {

/// Behind its own parameters a kernel of Triton has two, for scratch memory that none of these
/// uses.
constexpr uint64_t kNoScratch = 0;

template <typename... Arguments>
void LaunchTriton(KernelRun& run, uint32_t grid, uint32_t warps, const Arguments&... arguments) {
  run.Launch({grid, 1, 1}, {32 * warps, 1, 1}, arguments..., kNoScratch, kNoScratch);
}

/// Multiples of 1/64 in [-8, 8).
std::vector<float> Fractions(size_t size) {
  auto values = SomeNumbers<float>(size, -512, 1024);
  for (float& value : values) value /= 64;
  return values;
}

void Add(KernelRun& run) {
  const auto x = Fractions(1000);
  const auto y = SomeNumbers<float>(1000, -5, 20);
  std::vector<float> expected;
  for (size_t i = 0; i < 1000; ++i) expected.push_back(x[i] + y[i]);
  const auto out = run.Output<float>(1000);
  LaunchTriton(run, 4, 4, run.Input(x), run.Input(y), out, 1000);
  run.Expect(out, expected);
}

void Softmax(KernelRun& run) {
  constexpr size_t kRows = 7;
  constexpr size_t kColumns = 100;
  const auto x = Fractions(kRows * kColumns);
  std::vector<float> expected;
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t i = 0; i < kColumns; ++i) sum += std::exp(double{x[row * kColumns + i]});
    for (size_t i = 0; i < kColumns; ++i) {
      expected.push_back(static_cast<float>(std::exp(double{x[row * kColumns + i]}) / sum));
    }
  }
  const auto out = run.Output<float>(x.size());
  LaunchTriton(run, 3, 4, run.Input(x), out, int{kRows}, int{kColumns});
  run.Expect(out, expected, 1e-6);
}

struct Sizes {
  size_t m, n, k;
};

template <typename T, typename U>
std::vector<U> Product(const Sizes& sizes, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<U> c(sizes.m * sizes.n);
  for (size_t i = 0; i < sizes.m; ++i) {
    for (size_t k = 0; k < sizes.k; ++k) {
      for (size_t j = 0; j < sizes.n; ++j) {
        c[i * sizes.n + j] +=
            static_cast<U>(a[i * sizes.k + k]) * static_cast<U>(b[k * sizes.n + j]);
      }
    }
  }
  return c;
}

template <typename T, typename U>
Buffer<U> LaunchProduct(KernelRun& run, const Sizes& sizes, uint32_t tile_m, uint32_t tile_n,
                        uint32_t warps, const std::vector<T>& a, const std::vector<T>& b) {
  const Buffer<U> out = run.Output<U>(sizes.m * sizes.n);
  const auto tiles = [](size_t size, uint32_t tile) {
    return (static_cast<uint32_t>(size) + tile - 1) / tile;
  };
  LaunchTriton(run, tiles(sizes.m, tile_m) * tiles(sizes.n, tile_n), warps, run.Input(a),
               run.Input(b), out, static_cast<int>(sizes.m), static_cast<int>(sizes.n),
               static_cast<int>(sizes.k));
  return out;
}

void ProductOfHalves(KernelRun& run) {
  constexpr Sizes kSizes = {80, 96, 80};
  const auto a = SomeNumbers<float>(kSizes.m * kSizes.k, -4, 9);
  const auto b = SomeNumbers<float>(kSizes.k * kSizes.n, -3, 8);
  std::vector<float> expected = Product<float, float>(kSizes, a, b);
  for (float& value : expected) value = value >= 0 ? value : 0.25F * value;
  const auto out = LaunchProduct<uint16_t, uint16_t>(run, kSizes, 32, 64, 4, EncodeAll(kHalf, a),
                                                     EncodeAll(kHalf, b));
  run.Expect(out, EncodeAll(kHalf, expected));
}

void ProductOfBfloat16(KernelRun& run) {
  constexpr Sizes kSizes = {48, 64, 80};
  const auto a = SomeNumbers<float>(kSizes.m * kSizes.k, -100, 201);
  const auto b = SomeNumbers<float>(kSizes.k * kSizes.n, -120, 240);
  const auto out = LaunchProduct<uint16_t, float>(run, kSizes, 32, 32, 2, EncodeAll(kBfloat16, a),
                                                  EncodeAll(kBfloat16, b));
  run.Expect(out, Product<float, float>(kSizes, a, b));
}

void ProductOfTf32(KernelRun& run) {
  constexpr Sizes kSizes = {45, 33, 50};
  const auto a = SomeNumbers<float>(kSizes.m * kSizes.k, -500, 1001);
  const auto b = SomeNumbers<float>(kSizes.k * kSizes.n, -30, 61);
  const auto out = LaunchProduct<float, float>(run, kSizes, 32, 32, 4, a, b);
  run.Expect(out, Product<float, float>(kSizes, a, b));
}

void ProductOfBytes(KernelRun& run) {
  constexpr Sizes kSizes = {48, 64, 144};
  const auto a = SomeNumbers<int8_t>(kSizes.m * kSizes.k, -128, 256);
  const auto b = SomeNumbers<int8_t>(kSizes.k * kSizes.n, -128, 256);
  const auto out = LaunchProduct<int8_t, int>(run, kSizes, 32, 32, 4, a, b);
  run.Expect(out, Product<int8_t, int>(kSizes, a, b));
}

void ProductOfF8(KernelRun& run) {
  constexpr Sizes kSizes = {48, 64, 80};
  // Whole numbers that have an e5m2.
  auto a = SomeNumbers<float>(kSizes.m * kSizes.k, -4, 9);
  auto b = SomeNumbers<float>(kSizes.k * kSizes.n, -3, 7);
  for (float& value : a) value *= 2;
  const auto out = LaunchProduct<uint8_t, float>(
      run, kSizes, 32, 32, 2, EncodeAll<uint8_t>(kE5M2, a), EncodeAll<uint8_t>(kE5M2, b));
  run.Expect(out, Product<float, float>(kSizes, a, b));
}

/// The first word that Philox 4x32 with 10 rounds gives for a counter and a key (Salmon and others,
/// 2011).
uint32_t Philox(uint32_t counter, uint32_t key) {
  uint32_t c[4] = {counter, 0, 0, 0};
  uint32_t k[2] = {key, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * c[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * c[2];
    const auto high = static_cast<uint32_t>(second >> 32) ^ c[1] ^ k[0];
    c[2] = static_cast<uint32_t>(first >> 32) ^ c[3] ^ k[1];
    c[0] = high;
    c[1] = static_cast<uint32_t>(second);
    c[3] = static_cast<uint32_t>(first);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c[0];
}

void Dropout(KernelRun& run) {
  const auto x = Fractions(600);
  constexpr float kP = 0.25F;
  std::vector<float> expected;
  for (uint32_t i = 0; i < x.size(); ++i) {
    // The word as a signed one, its magnitude a fraction of 2^31.
    const auto word = static_cast<int32_t>(Philox(i, 12345));
    const double uniform = (word < 0 ? -1.0 - word : word) / 0x1p31;
    expected.push_back(uniform > kP ? x[i] / (1 - kP) : 0);
  }
  const auto out = run.Output<float>(x.size());
  LaunchTriton(run, 3, 4, run.Input(x), out, 600, kP, 12345);
  run.Expect(out, expected, 1e-6);
}

constexpr size_t kNormRows = 6;

struct Norm {
  std::vector<double> normal;
  std::vector<float> means;
  std::vector<float> inverses;
};

Norm NormOf(const std::vector<float>& x, size_t columns) {
  Norm norm;
  for (size_t row = 0; row < kNormRows; ++row) {
    const float* values = x.data() + row * columns;
    double mean = 0;
    for (size_t i = 0; i < columns; ++i) mean += values[i] / static_cast<double>(columns);
    double variance = 0;
    for (size_t i = 0; i < columns; ++i) {
      variance += (values[i] - mean) * (values[i] - mean) / static_cast<double>(columns);
    }
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (size_t i = 0; i < columns; ++i) norm.normal.push_back((values[i] - mean) * inverse);
    norm.means.push_back(static_cast<float>(mean));
    norm.inverses.push_back(static_cast<float>(inverse));
  }
  return norm;
}

void LayerNorm(KernelRun& run) {
  constexpr size_t kColumns = 300;
  const auto x = Fractions(kNormRows * kColumns);
  const auto scale = Fractions(kColumns);
  const auto shift = SomeNumbers<float>(kColumns, -5, 12);
  const Norm norm = NormOf(x, kColumns);
  std::vector<float> expected;
  for (size_t i = 0; i < x.size(); ++i) {
    expected.push_back(
        static_cast<float>(norm.normal[i] * scale[i % kColumns] + shift[i % kColumns]));
  }
  const auto out = run.Output<float>(x.size());
  const auto means = run.Output<float>(kNormRows);
  const auto inverses = run.Output<float>(kNormRows);
  LaunchTriton(run, kNormRows, 4, run.Input(x), out, run.Input(scale), run.Input(shift), means,
               inverses, int{kColumns}, 1e-5F);
  run.Expect(out, expected, 1e-5);
  run.Expect(means, norm.means, 1e-6);
  run.Expect(inverses, norm.inverses, 1e-6);
}

void LayerNormBackward(KernelRun& run) {
  constexpr size_t kColumns = 100;
  constexpr size_t kGroups = 2;
  const auto x = Fractions(kNormRows * kColumns);
  const auto dout = SomeNumbers<float>(x.size(), -3, 7);
  const auto scale = Fractions(kColumns);
  const Norm norm = NormOf(x, kColumns);
  std::vector<float> dx;
  std::vector<float> dscale(kGroups * kColumns);
  std::vector<float> dshift(kGroups * kColumns);
  for (size_t row = 0; row < kNormRows; ++row) {
    const auto normal = [&](size_t i) { return norm.normal[row * kColumns + i]; };
    const auto grad = [&](size_t i) { return dout[row * kColumns + i]; };
    double c1 = 0;
    double c2 = 0;
    for (size_t i = 0; i < kColumns; ++i) {
      c1 += normal(i) * scale[i] * grad(i) / kColumns;
      c2 += scale[i] * grad(i) / kColumns;
    }
    for (size_t i = 0; i < kColumns; ++i) {
      dx.push_back(
          static_cast<float>((scale[i] * grad(i) - normal(i) * c1 - c2) * norm.inverses[row]));
      dscale[row % kGroups * kColumns + i] += static_cast<float>(grad(i) * normal(i));
      dshift[row % kGroups * kColumns + i] += grad(i);
    }
  }
  const auto out = run.Output<float>(x.size());
  const auto scales = run.Output<float>(dscale.size());
  const auto shifts = run.Output<float>(dshift.size());
  LaunchTriton(run, kNormRows, 4, out, run.Input(dout), scales, shifts, run.Input(x),
               run.Input(scale), run.Input(norm.means), run.Input(norm.inverses),
               run.Zeros<int>(2 * kGroups), int{kColumns});
  run.Expect(out, dx, 1e-5);
  run.Expect(scales, dscale, 1e-5);
  run.Expect(shifts, dshift);
}

void NormSum(KernelRun& run) {
  constexpr size_t kRows = 37;
  constexpr size_t kColumns = 70;
  const auto x = Fractions(kRows * kColumns);
  std::vector<float> expected(kColumns);
  for (size_t i = 0; i < x.size(); ++i) expected[i % kColumns] += x[i];
  const auto out = run.Output<float>(kColumns);
  LaunchTriton(run, 3, 4, run.Input(x), out, int{kRows}, int{kColumns});
  run.Expect(out, expected);
}

void Attention(KernelRun& run) {
  constexpr size_t kHeads = 2;
  constexpr size_t kLength = 96;
  constexpr size_t kWidth = 32;
  constexpr double kScale = 0.125;
  constexpr size_t kSize = kHeads * kLength * kWidth;
  const auto numbers = Fractions(3 * kSize);
  const std::vector<float> q(numbers.begin(), numbers.begin() + kSize);
  const std::vector<float> k(numbers.begin() + kSize, numbers.begin() + 2 * kSize);
  const std::vector<float> v(numbers.begin() + 2 * kSize, numbers.end());
  std::vector<float> expected(kSize);
  std::vector<float> sums;
  for (size_t head = 0; head < kHeads; ++head) {
    for (size_t row = 0; row < kLength; ++row) {
      const size_t query = (head * kLength + row) * kWidth;
      std::vector<double> scores;
      for (size_t column = 0; column <= row; ++column) {
        double score = 0;
        for (size_t i = 0; i < kWidth; ++i) {
          score += double{q[query + i]} * k[(head * kLength + column) * kWidth + i];
        }
        scores.push_back(score * kScale);
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (size_t i = 0; i < kWidth; ++i) {
        double value = 0;
        for (size_t column = 0; column <= row; ++column) {
          value += scores[column] * v[(head * kLength + column) * kWidth + i];
        }
        expected[query + i] = static_cast<float>(value / sum);
      }
      sums.push_back(static_cast<float>(largest / std::log(2.0) + std::log2(sum)));
    }
  }
  const auto out = run.Output<uint16_t>(kSize);
  const auto out_sums = run.Output<float>(kHeads * kLength);
  run.Launch({kLength / 32, kHeads, 1}, {64, 1, 1}, run.Input(EncodeAll(kHalf, q)),
             run.Input(EncodeAll(kHalf, k)), run.Input(EncodeAll(kHalf, v)), out, out_sums,
             static_cast<float>(kScale), int{kLength}, kNoScratch, kNoScratch);
  run.ExpectValues(DecodeAll(kHalf, run.Values(out)), expected, 2e-3);
  run.Expect(out_sums, sums, 1e-5);
}

void ArcSine(KernelRun& run) {
  std::vector<float> x;
  std::vector<float> expected;
  for (int i = -200; i <= 200; ++i) {
    x.push_back(static_cast<float>(i) / 200);
    expected.push_back(static_cast<float>(std::asin(double{x.back()})));
  }
  const auto out = run.Output<float>(x.size());
  LaunchTriton(run, 2, 4, run.Input(x), out, static_cast<int>(x.size()));
  run.Expect(out, expected, 3e-7);
}

void Scan(KernelRun& run) {
  const auto x = SomeNumbers<int>(512, -500, 1000);
  std::vector<int> starts = SomeNumbers<int>(513, 0, 7);
  starts.pop_back();
  std::vector<int> segmented;
  std::vector<int> sums;
  for (size_t i = 0; i < x.size(); ++i) {
    starts[i] = starts[i] == 0 ? 1 : 0;
    const bool is_first = i == 0 || starts[i] != 0;
    segmented.push_back((is_first ? 0 : segmented.back()) + x[i]);
    sums.push_back((i == 0 ? 0 : sums.back()) + x[i]);
  }
  const auto out = run.Output<int>(512);
  const auto out_sums = run.Output<int>(512);
  LaunchTriton(run, 1, 4, run.Input(x), run.Input(starts), out, out_sums);
  run.Expect(out, segmented);
  run.Expect(out_sums, sums);
}

void Sort(KernelRun& run) {
  auto x = SomeNumbers<int>(256, -500, 1000);
  const auto input = run.Input(x);
  const auto out = run.Output<int>(256);
  LaunchTriton(run, 1, 4, input, out);
  std::sort(x.begin(), x.end());
  run.Expect(out, x);
}

void Histogram(KernelRun& run) {
  const auto x = SomeNumbers<int>(600, 0, 32);
  std::vector<int> expected(32);
  for (const int value : x) ++expected[static_cast<size_t>(value)];
  const auto out = run.Zeros<int>(32);
  LaunchTriton(run, 3, 4, run.Input(x), out, 600);
  run.Expect(out, expected);
}

void ArgMax(KernelRun& run) {
  constexpr size_t kRows = 5;
  constexpr size_t kColumns = 90;
  // Few different numbers: of equal ones the first counts.
  const auto x = SomeNumbers<float>(kRows * kColumns, -4, 8);
  std::vector<float> largest;
  std::vector<int> at;
  for (size_t row = 0; row < kRows; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * kColumns);
    const auto best = std::max_element(begin, begin + kColumns);
    largest.push_back(*best);
    at.push_back(static_cast<int>(best - begin));
  }
  const auto out = run.Output<float>(kRows);
  const auto out_at = run.Output<int>(kRows);
  LaunchTriton(run, kRows, 2, run.Input(x), out, out_at, int{kColumns});
  run.Expect(out, largest);
  run.Expect(out_at, at);
}

void Convert(KernelRun& run) {
  // Halves, among them ties of e5m2 and numbers that are denormal there.
  std::vector<float> x;
  for (uint32_t i = 0; i < 256; ++i) {
    x.push_back(static_cast<float>(Decode(kHalf, (i % 2) << 15 | i * 100)));
  }
  const std::vector<uint8_t> small = EncodeAll<uint8_t>(kE5M2, x);
  std::vector<float> twice = DecodeAll(kE5M2, small);
  for (float& value : twice) value *= 2;
  std::vector<uint16_t> brain;
  for (const float value : x) {
    brain.push_back(Encode(kBfloat16, 2 * Decode(kBfloat16, Encode(kBfloat16, value))));
  }
  const auto out = run.Output<uint8_t>(256);
  const auto back = run.Output<uint16_t>(256);
  const auto out_brain = run.Output<uint16_t>(256);
  LaunchTriton(run, 1, 2, run.Input(x), out, back, out_brain);
  run.Expect(out, small);
  run.Expect(back, EncodeAll(kHalf, twice));
  run.Expect(out_brain, brain);
}

void Transpose(KernelRun& run) {
  constexpr size_t kRows = 64;
  constexpr size_t kColumns = 128;
  const auto x = Fractions(kRows * kColumns);
  std::vector<float> expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) expected[i % kColumns * kRows + i / kColumns] = x[i];
  const auto out = run.Output<float>(x.size());
  run.Launch({kRows / 32, kColumns / 64, 1}, {128, 1, 1}, run.Input(x), out, int{kColumns},
             int{kRows}, kNoScratch, kNoScratch);
  run.Expect(out, expected);
}

void Atomics(KernelRun& run) {
  const auto x = SomeNumbers<float>(500, -1000, 2000);
  std::vector<float> sums(4);
  std::vector<int> largest(4, std::numeric_limits<int>::min());
  std::vector<int> least(4, std::numeric_limits<int>::max());
  std::vector<int> bits(4);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<int>(x[i]);
    sums[i % 4] += x[i];
    largest[i % 4] = std::max(largest[i % 4], value);
    least[i % 4] = std::min(least[i % 4], value);
    bits[i % 4] |= static_cast<int>(1U << (static_cast<uint32_t>(value) & 31));
  }
  const auto out_sums = run.Zeros<float>(4);
  const auto out_largest = run.Input(std::vector<int>(4, std::numeric_limits<int>::min()));
  const auto out_least = run.Input(std::vector<int>(4, std::numeric_limits<int>::max()));
  const auto out_bits = run.Zeros<int>(4);
  LaunchTriton(run, 2, 4, run.Input(x), out_sums, out_largest, out_least, out_bits, 500);
  run.Expect(out_sums, sums);
  run.Expect(out_largest, largest);
  run.Expect(out_least, least);
  run.Expect(out_bits, bits);
}

}  // namespace

std::vector<KernelCase> TritonCases() {
  const std::vector<std::pair<std::string, void (*)(KernelRun&)>> kernels = {
      {"add", Add},
      {"softmax", Softmax},
      {"product_f16", ProductOfHalves},
      {"product_bf16", ProductOfBfloat16},
      {"product_tf32", ProductOfTf32},
      {"product_s8", ProductOfBytes},
      {"product_f8", ProductOfF8},
      {"dropout", Dropout},
      {"norm", LayerNorm},
      {"norm_backward", LayerNormBackward},
      {"norm_sum", NormSum},
      {"attention", Attention},
      {"arc_sine", ArcSine},
      {"scan", Scan},
      {"sort", Sort},
      {"histogram", Histogram},
      {"arg_max", ArgMax},
      {"convert", Convert},
      {"transpose", Transpose},
      {"atomics", Atomics},
  };
  std::vector<KernelCase> cases;
  for (const auto& [name, run] : kernels) {
    for (const char* target : {"sm_80", "sm_90"}) {
      cases.push_back({absl::StrCat("triton/", name, ".", target), name, run});
    }
  }
  return cases;
}

}  // namespace hlo_indexing::ptx
