// A kernel of tests/codegen/ptx/kernels with arguments, and the values that its results have to be.
//
// Example:
//   KernelCase{"matrices", "transpose_naive", [](KernelRun& run) {
//     const auto x = run.Input(Ramp<float>(64));
//     const auto out = run.Output<float>(64);
//     run.Launch({1, 1, 1}, {32, 8, 1}, x, out, 8);
//     run.Expect(out, Transposed(Ramp<float>(64), 8, 8));
//   }}
// The same case runs with all checks on the kernel as it is, where nothing may be found, and on
// kernels with a fault, where something must be.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_KERNEL_CASE_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_KERNEL_CASE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"
#include "tests/codegen/ptx/test_device.h"

namespace hlo_indexing::ptx {

/// An array of the device.
template <typename T>
struct Buffer {
  uint64_t address = 0;
  size_t size = 0;
};

class KernelRun {
 public:
  KernelRun(Module module, std::string kernel, LaunchOptions options)
      : module_(std::move(module)), kernel_(std::move(kernel)), options_(std::move(options)) {}

  template <typename T>
  Buffer<T> Input(const std::vector<T>& values) {
    const Buffer<T> buffer = Output<T>(values.size());
    Note(device_.Write(buffer.address, values.data(), sizeof(T) * values.size()));
    return buffer;
  }
  /// Never written.
  template <typename T>
  Buffer<T> Output(size_t size) {
    const absl::StatusOr<uint64_t> address =
        device_.Allocate(sizeof(T) * size, absl::StrCat("array ", num_buffers_++));
    Note(address.status());
    return {address.value_or(0), size};
  }
  template <typename T>
  Buffer<T> Zeros(size_t size) {
    return Input(std::vector<T>(size));
  }

  LaunchOptions& options() { return options_; }

  template <typename... Arguments>
  void Launch(Dimensions grid, Dimensions block, const Arguments&... arguments) {
    options_.grid = grid;
    options_.block = block;
    Launch(std::vector<Argument>{ArgumentOf(arguments)...});
  }

  /// Compares with values; `tolerance` is relative above 1, absolute below, 0 means equal.
  template <typename T>
  void Expect(const Buffer<T>& buffer, const std::vector<T>& expected, double tolerance = 0) {
    ExpectValues(Values(buffer), expected, tolerance);
  }
  template <typename T>
  void ExpectValues(const std::vector<T>& values, const std::vector<T>& expected,
                    double tolerance = 0) {
    if (values.size() != expected.size()) return AddProblem("another number of values");
    for (size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      const auto wanted = static_cast<double>(expected[i]);
      const double limit = tolerance * std::fmax(1.0, std::fabs(wanted));
      if (std::fabs(value - wanted) <= limit) continue;
      return AddProblem(absl::StrCat("element ", i, " is ", value, ", not ", wanted));
    }
  }
  template <typename T>
  std::vector<T> Values(const Buffer<T>& buffer) {
    std::vector<T> values(buffer.size);
    Note(device_.Read(buffer.address, values.data(), sizeof(T) * values.size()));
    return values;
  }
  void AddProblem(std::string problem) { problems_.push_back(std::move(problem)); }

  /// Of all launches, by line of the text, if they were profiled: how often the instructions of the
  /// line were executed by a warp, and lanes of these whose guard was true.
  struct LineCounts {
    uint64_t executions = 0;
    uint64_t active_lanes = 0;
  };
  const std::map<uint32_t, LineCounts>& lines() const { return lines_; }

  /// Errors, findings, values that are wrong.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  template <typename T>
  static Argument ArgumentOf(const Buffer<T>& buffer) {
    return Argument::Of(buffer.address);
  }
  template <typename T>
  static Argument ArgumentOf(const T& value) {
    return Argument::Of(value);
  }
  void Launch(const std::vector<Argument>& arguments);
  void Note(const absl::Status& status) {
    if (!status.ok()) AddProblem(std::string(status.message()));
  }

  Module module_;
  std::string kernel_;
  LaunchOptions options_;
  TestDevice device_;
  int num_buffers_ = 0;
  std::map<uint32_t, LineCounts> lines_;
  std::vector<std::string> problems_;
};

struct KernelCase {
  /// The name of the .ptx file, without the ending.
  std::string file;
  std::string kernel;
  std::function<void(KernelRun&)> run;
};

std::vector<KernelCase> ReductionCases();
std::vector<KernelCase> ScanAndSortCases();
std::vector<KernelCase> MatrixCases();
std::vector<KernelCase> NetworkCases();
std::vector<KernelCase> LanguageCases();
std::vector<KernelCase> LlvmCases();
std::vector<KernelCase> TritonCases();

/// Small numbers that repeat late, so that sums of floats are exact: `of` values from `least` on.
template <typename T>
std::vector<T> SomeNumbers(size_t size, int least, int of) {
  std::vector<T> numbers(size);
  uint32_t state = 12345;
  for (T& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = static_cast<T>(least + static_cast<int>((state >> 8) % static_cast<uint32_t>(of)));
  }
  return numbers;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_KERNELS_KERNEL_CASE_H_
