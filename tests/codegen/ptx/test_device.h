// What tests of PTX run on: the virtual GPU, or where HLO_INDEXING_CUDA_DRIVER names a library, as
// libcuda.so.1, its GPU. So the same kernels, with the same expected values, say whether the
// virtual GPU is like a real one.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_TEST_DEVICE_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_TEST_DEVICE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/cuda/driver.h"
#include "codegen/ptx/device.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {

/// The members of ptx::Device. On a real GPU a launch has no findings and no profile, and
/// kUnimplemented is the status of one whose instructions its architecture does not have.
class TestDevice {
 public:
  TestDevice() {
    if (cuda_ == nullptr) virtual_ = std::make_unique<Device>();
  }
  ~TestDevice() {
    for (const uint64_t address : addresses_) cuda_->Free(address).IgnoreError();
  }
  TestDevice(TestDevice&&) = default;
  TestDevice& operator=(TestDevice&&) = delete;
  TestDevice(const TestDevice&) = delete;
  TestDevice& operator=(const TestDevice&) = delete;

  /// On a real GPU, whether that is the status of a launch whose instructions it does not have;
  /// says so.
  static bool LacksInstructions(const absl::Status& status) {
    if (OpenCuda() == nullptr || !absl::IsUnimplemented(status)) return false;
    std::cout << "not on this GPU: " << status.message() << "\n";
    return true;
  }

  bool is_virtual() const { return virtual_ != nullptr; }

  absl::StatusOr<uint64_t> Allocate(uint64_t bytes, std::string_view name) {
    if (is_virtual()) return virtual_->Allocate(bytes, name);
    HLO_INDEXING_ASSIGN_OR_RETURN(addresses_.emplace_back(), cuda_->Allocate(bytes + 16, name));
    return addresses_.back();
  }
  absl::Status Write(uint64_t to, const void* from, uint64_t bytes) {
    return is_virtual() ? virtual_->Write(to, from, bytes) : cuda_->Write(to, from, bytes);
  }
  absl::Status Read(uint64_t from, void* to, uint64_t bytes) {
    return is_virtual() ? virtual_->Read(from, to, bytes) : cuda_->Read(from, to, bytes);
  }

  absl::StatusOr<LaunchResult> Launch(const Module& module, std::string_view kernel,
                                      const std::vector<Argument>& arguments,
                                      const LaunchOptions& options) {
    if (is_virtual()) return virtual_->Launch(module, kernel, arguments, options);
    HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t number, module.FindKernel(kernel));
    HLO_INDEXING_ASSIGN_OR_RETURN(const cuda::Handle loaded, Load(module));
    LaunchResult result;
    result.status = Run(loaded, std::string(module.Summarize(number).name), arguments, options);
    return result;
  }

 private:
  // A text is compiled once, whatever its target is: the GPU may have what it uses.
  absl::StatusOr<cuda::Handle> Load(const Module& module) {
    static std::map<std::string, cuda::Handle, std::less<>> modules;
    if (const auto found = modules.find(module.text()); found != modules.end()) {
      return found->second;
    }
    static const std::regex target(R"(\.target\s+sm_\w+)");
    const std::string text =
        std::regex_replace(std::string(module.text()), target,
                           absl::StrCat(".target sm_", cuda_->architecture(), "a"));
    const absl::StatusOr<cuda::Handle> loaded = cuda_->LoadModule(text, "a kernel");
    if (!loaded.ok()) return absl::UnimplementedError(loaded.status().message());
    modules.emplace(module.text(), *loaded);
    return *loaded;
  }

  static cuda::Driver* OpenCuda() {
    const char* const library = std::getenv("HLO_INDEXING_CUDA_DRIVER");
    if (library == nullptr) return nullptr;
    static const absl::StatusOr<std::unique_ptr<cuda::Driver>> driver = cuda::Driver::Open(library);
    EXPECT_TRUE(driver.ok()) << driver.status().message();
    return driver.ok() ? driver->get() : nullptr;
  }

  absl::Status Run(cuda::Handle module, const std::string& kernel,
                   const std::vector<Argument>& arguments, const LaunchOptions& options) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const cuda::Handle function, cuda_->FindKernel(module, kernel));
    std::vector<const void*> parameters;
    for (const Argument& argument : arguments) parameters.push_back(argument.bytes.data());
    cuda::LaunchShape shape;
    for (size_t i = 0; i < 3; ++i) {
      shape.grid[i] = options.grid[i];
      shape.block[i] = options.block[i];
    }
    shape.dynamic_shared_bytes = static_cast<unsigned>(options.dynamic_shared_bytes);
    shape.is_cooperative = options.is_cooperative;
    HLO_INDEXING_RETURN_IF_ERROR(cuda_->Launch(function, shape, parameters, "a kernel"));
    return cuda_->Read(0, nullptr, 0);
  }

  cuda::Driver* cuda_ = OpenCuda();
  std::unique_ptr<Device> virtual_;
  std::vector<uint64_t> addresses_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_TEST_DEVICE_H_
