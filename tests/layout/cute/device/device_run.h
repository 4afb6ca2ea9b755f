// Launches of kernels on the virtual GPU, as the tests of CuTe make them: with all checks, in
// several orders of warps and blocks.
//
// Example:
//   DeviceRun run("gemm_sm80", /*schedule=*/3);
//   const auto c = run.Upload(std::vector<float>(64), "c");
//   run.Launch({1, 1, 1}, {32, 1, 1}, {Argument::Of(c)});
//   run.Download<float>(c, 64);
#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_DEVICE_RUN_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_DEVICE_RUN_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/ptx/device.h"
#include "tests/codegen/ptx/test_device.h"

namespace cute_test {

using hlo_indexing::ptx::Argument;
using hlo_indexing::ptx::Dimensions;
using hlo_indexing::ptx::LaunchOptions;
using hlo_indexing::ptx::Module;
using hlo_indexing::ptx::OperationCounts;
using hlo_indexing::ptx::TestDevice;

inline constexpr uint64_t kSchedules = 4;

/// `name`: of a text beside this file, without its ending.
inline Module ReadModule(const std::string& name) {
  std::ifstream file(HLO_INDEXING_TEST_DEVICE + ("/" + name) + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  absl::StatusOr<Module> module = Module::Parse(text.str(), name + ".ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  return *std::move(module);
}

class DeviceRun {
 public:
  DeviceRun(const std::string& module, uint64_t schedule) : module_(ReadModule(module)) {
    options_.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
    options_.profile = true;
    options_.schedule = schedule;
  }

  template <class T>
  uint64_t Upload(const std::vector<T>& values, const char* name) {
    const uint64_t address = Allocate<T>(values.size(), name);
    EXPECT_TRUE(device_.Write(address, values.data(), values.size() * sizeof(T)).ok());
    return address;
  }
  /// Not written.
  template <class T>
  uint64_t Allocate(size_t size, const char* name) {
    const absl::StatusOr<uint64_t> address = device_.Allocate(size * sizeof(T), name);
    EXPECT_TRUE(address.ok()) << address.status().message();
    return address.value_or(0);
  }
  template <class T>
  std::vector<T> Download(uint64_t address, size_t size) {
    std::vector<T> values(size);
    EXPECT_TRUE(device_.Read(address, values.data(), size * sizeof(T)).ok());
    return values;
  }

  /// Launches the only kernel of the module. Nothing may be found. The counts of all instructions.
  OperationCounts Launch(Dimensions grid, Dimensions block,
                         const std::vector<Argument>& arguments) {
    options_.grid = grid;
    options_.block = block;
    const auto result = device_.Launch(module_, "", arguments, options_);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    EXPECT_TRUE(result->status.ok()) << result->status.message();
    for (const hlo_indexing::ptx::Finding& finding : result->findings) {
      ADD_FAILURE() << finding.ToString();
    }
    return device_.is_virtual() ? result->profile->Sum() : OperationCounts();
  }

 private:
  Module module_;
  TestDevice device_;
  LaunchOptions options_;
};

}  // namespace cute_test

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_DEVICE_RUN_H_
