// The part of the CUDA driver API that programs use, on the virtual GPU: so that what is sent to a
// driver is tested where there is none. One GPU of compute capability 9.0.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"

namespace {

using hlo_indexing::ptx::Argument;
using hlo_indexing::ptx::Device;
using hlo_indexing::ptx::LaunchOptions;
using hlo_indexing::ptx::Module;

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidPtx = 218;
constexpr int kNotFound = 500;
constexpr int kLaunchFailed = 719;

using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the driver's type

struct Function {
  const Module* module = nullptr;
  std::string name;
  std::vector<uint64_t> parameter_bytes;
};

Device& TheDevice() {
  static Device device;
  return device;
}

// Functions live as long as the process.
std::vector<std::unique_ptr<Function>>& Functions() {
  static std::vector<std::unique_ptr<Function>> functions;
  return functions;
}

// An error of a kernel is told by the call after it.
int& PendingError() {
  static int error = kSuccess;
  return error;
}

int Launch(const Function& kernel, const LaunchOptions& options, void** parameters) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    const auto* const value = static_cast<const std::byte*>(parameters[i]);
    arguments.push_back({.bytes = {value, value + kernel.parameter_bytes[i]}});
  }
  const auto result = TheDevice().Launch(*kernel.module, kernel.name, arguments, options);
  if (!result.ok()) return kInvalidValue;
  if (!result->status.ok() || !result->findings.empty()) PendingError() = kLaunchFailed;
  return kSuccess;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) { return flags == 0 ? kSuccess : kInvalidValue; }

int cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kInvalidValue;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kMajor = 75;
  constexpr int kMinor = 76;
  if (device != 0 || (attribute != kMajor && attribute != kMinor)) return kInvalidValue;
  *value = attribute == kMajor ? 9 : 0;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
  *context = &TheDevice();
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int /*device*/) { return kSuccess; }

int cuCtxSetCurrent(void* context) { return context == &TheDevice() ? kSuccess : kInvalidValue; }

int cuCtxSynchronize() { return PendingError(); }

int cuModuleLoadDataEx(void** module, const void* image, unsigned num_options,
                       int* options,  // NOLINT(readability-non-const-parameter): the driver's type
                       void** values) {
  constexpr int kErrorLog = 5;
  absl::StatusOr<Module> parsed = Module::Parse(static_cast<const char*>(image), "driver.ptx");
  if (!parsed.ok()) {
    for (unsigned i = 0; i < num_options; ++i) {
      if (options[i] != kErrorLog) continue;
      const std::string message(parsed.status().message());
      std::strncpy(static_cast<char*>(values[i]), message.c_str(), 100);
    }
    return kInvalidPtx;
  }
  *module = new Module(*std::move(parsed));
  return kSuccess;
}

int cuModuleLoadData(void** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

int cuFuncSetAttribute(void* /*function*/, int /*attribute*/, int /*value*/) { return kSuccess; }

int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return kSuccess;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  const auto* const loaded = static_cast<const Module*>(module);
  const absl::StatusOr<uint32_t> kernel = loaded->FindKernel(name);
  if (!kernel.ok()) return kNotFound;
  auto found = std::make_unique<Function>();
  found->module = loaded;
  found->name = name;
  for (const auto& parameter : loaded->Summarize(*kernel).parameters) {
    found->parameter_bytes.push_back(parameter.bytes);
  }
  *function = found.get();
  Functions().push_back(std::move(found));
  return kSuccess;
}

int cuMemAlloc_v2(DevicePointer* address, size_t bytes) {
  const absl::StatusOr<uint64_t> allocated = TheDevice().Allocate(bytes, "driver");
  if (!allocated.ok()) return kOutOfMemory;
  *address = *allocated;
  return kSuccess;
}

int cuMemFree_v2(DevicePointer address) {
  return TheDevice().Free(address).ok() ? kSuccess : kInvalidValue;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t bytes) {
  return TheDevice().Write(to, from, bytes).ok() ? kSuccess : kInvalidValue;
}

int cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t bytes) {
  return TheDevice().Read(from, to, bytes).ok() ? kSuccess : kInvalidValue;
}

int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes) {
  std::vector<std::byte> contents(bytes);
  const int status = cuMemcpyDtoH_v2(contents.data(), from, bytes);
  return status == kSuccess ? cuMemcpyHtoD_v2(to, contents.data(), bytes) : status;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* /*stream*/, void** parameters, void** extra) {
  if (extra != nullptr) return kInvalidValue;
  LaunchOptions options;
  options.grid = {grid_x, grid_y, grid_z};
  options.block = {block_x, block_y, block_z};
  options.dynamic_shared_bytes = shared_bytes;
  return Launch(*static_cast<const Function*>(function), options, parameters);
}

int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, void* /*stream*/, void** parameters) {
  LaunchOptions options;
  options.grid = {grid_x, grid_y, grid_z};
  options.block = {block_x, block_y, block_z};
  options.dynamic_shared_bytes = shared_bytes;
  options.is_cooperative = true;
  return Launch(*static_cast<const Function*>(function), options, parameters);
}

int cuGetErrorString(int error, const char** text) {
  switch (error) {
    case kInvalidPtx:
      *text = "a PTX JIT compilation failed";
      return kSuccess;
    case kLaunchFailed:
      *text = "unspecified launch failure";
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

}  // extern "C"
