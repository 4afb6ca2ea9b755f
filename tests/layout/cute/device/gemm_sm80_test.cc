// A whole kernel of atoms, with all checks of the virtual GPU, against the product by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/ptx/device.h"
#include "layout/cute/tensor.h"

namespace cute_test {
namespace {

using hlo_indexing::cute::half_t;
using hlo_indexing::ptx::Argument;
using hlo_indexing::ptx::Device;
using hlo_indexing::ptx::LaunchOptions;
using hlo_indexing::ptx::Module;

template <class T>
uint64_t Upload(Device& device, const std::vector<T>& values, const char* name) {
  const uint64_t address = *device.Allocate(values.size() * sizeof(T), name);
  EXPECT_TRUE(device.Write(address, values.data(), values.size() * sizeof(T)).ok());
  return address;
}

// Element (row, column) of a matrix whose rows are `columns` long.
size_t At(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}

void CheckProduct(int m, int n, int k) {
  std::ifstream file(HLO_INDEXING_TEST_GEMM_PTX);
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<Module> module = Module::Parse(text.str(), "gemm_sm80.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::mt19937 random(3);
  const auto matrix = [&](int rows) {
    std::vector<half_t> values;
    for (int i = 0; i < rows * k; ++i) {
      values.emplace_back(static_cast<int>(random() % 9) - 4);
    }
    return values;
  };
  const std::vector<half_t> a = matrix(m);
  const std::vector<half_t> b = matrix(n);
  std::vector<float> c(static_cast<size_t>(m) * static_cast<size_t>(n), -1.0F);
  Device device;
  const uint64_t at_a = Upload(device, a, "a");
  const uint64_t at_b = Upload(device, b, "b");
  const uint64_t at_c = Upload(device, c, "c");
  LaunchOptions options;
  options.grid = {static_cast<uint32_t>(m / 64), static_cast<uint32_t>(n / 64), 1};
  options.block = {128, 1, 1};
  const auto result = device.Launch(*module, "gemm_sm80",
                                    {Argument::Of(at_a), Argument::Of(at_b), Argument::Of(at_c),
                                     Argument::Of(m), Argument::Of(n), Argument::Of(k)},
                                    options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->status.ok()) << result->status.message();
  ASSERT_TRUE(result->findings.empty());
  ASSERT_TRUE(device.Read(at_c, c.data(), c.size() * sizeof(float)).ok());
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x) {
        sum += static_cast<float>(a[At(i, x, k)]) * static_cast<float>(b[At(j, x, k)]);
      }
      ASSERT_EQ(c[At(i, j, n)], sum) << i << " " << j;
    }
  }
}

TEST(GemmSm80, IsTheProduct) {
  CheckProduct(64, 64, 32);
  CheckProduct(128, 64, 64);
  CheckProduct(64, 128, 160);
}

}  // namespace
}  // namespace cute_test
