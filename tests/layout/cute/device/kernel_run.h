// One launch of a block of one kernel of a text, with buffers that are its arguments.
//
// Example:
//   KernelRun kernel(module, "FloatsOfHalves");
//   kernel.Pass(a);
//   kernel.Pass(d);
//   kernel.Run(/*threads=*/32);
//   kernel.Read(1, d);
#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_KERNEL_RUN_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_KERNEL_RUN_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codegen/ptx/device.h"
#include "tests/layout/cute/device/device_run.h"

namespace cute_test {

class KernelRun {
 public:
  KernelRun(const Module& module, std::string name) : module_(module), name_(std::move(name)) {}
  template <class T>
  void Pass(std::vector<T>& values) {
    addresses_.push_back(*device_.Allocate(values.size() * sizeof(T), "buffer"));
    ASSERT_TRUE(device_.Write(addresses_.back(), values.data(), values.size() * sizeof(T)).ok());
  }
  void Run(int threads) {
    std::vector<Argument> arguments;
    for (const uint64_t address : addresses_) arguments.push_back(Argument::Of(address));
    LaunchOptions options;
    options.block = {static_cast<uint32_t>(threads), 1, 1};
    options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
    const auto result = device_.Launch(module_, name_, arguments, options);
    ASSERT_TRUE(result.ok()) << name_ << ": " << result.status().message();
    ASSERT_TRUE(result->status.ok()) << name_ << ": " << result->status.message();
    ASSERT_TRUE(result->findings.empty()) << name_;
  }
  template <class T>
  void Read(size_t buffer, std::vector<T>& values) {
    ASSERT_TRUE(device_.Read(addresses_[buffer], values.data(), values.size() * sizeof(T)).ok());
  }

  bool is_virtual() const { return device_.is_virtual(); }

 private:
  const Module& module_;
  std::string name_;
  TestDevice device_;
  std::vector<uint64_t> addresses_;
};

}  // namespace cute_test

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_KERNEL_RUN_H_
