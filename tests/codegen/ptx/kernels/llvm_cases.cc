// The kernels of from_llvm.ll.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/codegen/ptx/kernels/kernel_case.h"
#include "tests/codegen/ptx/kernels/small_floats.h"

namespace hlo_indexing::ptx {
namespace {

void FmaHalves(KernelRun& run) {
  const auto x = SomeNumbers<uint32_t>(128, 0, 40);
  const auto y = SomeNumbers<uint32_t>(128, 1, 30);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] * y[i] + y[i]);
  const auto out = run.Output<uint16_t>(128);
  run.Launch({1, 1, 1}, {32, 1, 1}, run.Input(EncodeAll(kHalf, x)), run.Input(EncodeAll(kHalf, y)),
             out);
  run.Expect(out, EncodeAll(kHalf, expected));
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
