// The kernels of from_llvm.ll.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

// The f16 of whole numbers from 0 to 2048.
uint16_t HalfOf(uint32_t value) {
  if (value == 0) return 0;
  const auto power = static_cast<uint32_t>(std::bit_width(value) - 1);
  return static_cast<uint16_t>((power + 15) << 10 | ((value << 10 >> power) & 1023));
}

void FmaHalves(KernelRun& run) {
  const auto x = SomeNumbers<uint32_t>(128, 0, 40);
  const auto y = SomeNumbers<uint32_t>(128, 1, 30);
  std::vector<uint16_t> a;
  std::vector<uint16_t> b;
  std::vector<uint16_t> expected;
  for (size_t i = 0; i < x.size(); ++i) {
    a.push_back(HalfOf(x[i]));
    b.push_back(HalfOf(y[i]));
    expected.push_back(HalfOf(x[i] * y[i] + y[i]));
  }
  const auto out = run.Output<uint16_t>(128);
  run.Launch({1, 1, 1}, {32, 1, 1}, run.Input(a), run.Input(b), out);
  run.Expect(out, expected);
}

void Reverse(KernelRun& run) {
  const auto x = SomeNumbers<float>(512, -500, 1000);
  std::vector<float> expected;
  for (size_t i = 0; i < 512; ++i) expected.push_back(x[i / 256 * 256 + 255 - i % 256]);
  const auto out = run.Output<float>(512);
  run.Launch({2, 1, 1}, {256, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

void SumsOfBits(KernelRun& run) {
  auto x = SomeNumbers<uint32_t>(96, 0, 1 << 20);
  std::vector<uint32_t> expected(3);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] *= 4099;
    expected[i / 32] += static_cast<uint32_t>(std::popcount(x[i]));
  }
  const auto out = run.Output<uint32_t>(3);
  run.Launch({1, 1, 1}, {96, 1, 1}, run.Input(x), out);
  run.Expect(out, expected);
}

}  // namespace

std::vector<KernelCase> LlvmCases() {
  return {{"from_llvm", "llvm_fma_halves", FmaHalves},
          {"from_llvm", "llvm_reverse", Reverse},
          {"from_llvm", "llvm_count_bits", SumsOfBits}};
}

}  // namespace hlo_indexing::ptx
