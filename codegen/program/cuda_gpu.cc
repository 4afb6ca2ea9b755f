#include "codegen/program/cuda_gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/DenseMap.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {
namespace {

// What of the CUDA driver API is used; names and types of arguments as its reference has them
// ("CUDA Driver API", modules "Initialization" to "Execution Control").
using Result = int;
using DeviceHandle = int;
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the driver's type
using Handle = void*;

constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;

}  // namespace

struct CudaGpu::Driver {
  ~Driver() {
    for (const auto& [kernel, loaded] : functions) module_unload(loaded.module);
    if (has_context) release_context(device);
    if (library != nullptr) dlclose(library);
  }

  absl::Status Load(const std::string& name);
  absl::Status Check(Result result, absl::string_view what) const;
  absl::StatusOr<Handle> FunctionOf(const emit::Kernel& kernel);

  struct LoadedKernel {
    Handle module = nullptr;
    Handle function = nullptr;
  };

  void* library = nullptr;
  DeviceHandle device = 0;
  bool has_context = false;
  llvm::DenseMap<const emit::Kernel*, LoadedKernel> functions;

  Result (*init)(unsigned) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device_get)(DeviceHandle*, int) = nullptr;
  Result (*device_attribute)(int*, int, DeviceHandle) = nullptr;
  Result (*retain_context)(Handle*, DeviceHandle) = nullptr;
  Result (*release_context)(DeviceHandle) = nullptr;
  Result (*set_context)(Handle) = nullptr;
  Result (*synchronize)() = nullptr;
  Result (*module_load)(Handle*, const void*) = nullptr;
  Result (*module_unload)(Handle) = nullptr;
  Result (*module_function)(Handle*, Handle, const char*) = nullptr;
  Result (*allocate)(DevicePointer*, size_t) = nullptr;
  Result (*free)(DevicePointer) = nullptr;
  Result (*copy_to_device)(DevicePointer, const void*, size_t) = nullptr;
  Result (*copy_to_host)(void*, DevicePointer, size_t) = nullptr;
  Result (*copy_on_device)(DevicePointer, DevicePointer, size_t) = nullptr;
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void**, void**) = nullptr;
  Result (*error_string)(Result, const char**) = nullptr;
};

absl::Status CudaGpu::Driver::Load(const std::string& name) {
  library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("there is no CUDA driver here: ", dlerror()));
  }
  std::string missing;
  const auto find = [&](auto& function, const char* symbol) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (function == nullptr && missing.empty()) missing = symbol;
  };
  find(init, "cuInit");
  find(device_count, "cuDeviceGetCount");
  find(device_get, "cuDeviceGet");
  find(device_attribute, "cuDeviceGetAttribute");
  find(retain_context, "cuDevicePrimaryCtxRetain");
  find(release_context, "cuDevicePrimaryCtxRelease_v2");
  find(set_context, "cuCtxSetCurrent");
  find(synchronize, "cuCtxSynchronize");
  find(module_load, "cuModuleLoadData");
  find(module_unload, "cuModuleUnload");
  find(module_function, "cuModuleGetFunction");
  find(allocate, "cuMemAlloc_v2");
  find(free, "cuMemFree_v2");
  find(copy_to_device, "cuMemcpyHtoD_v2");
  find(copy_to_host, "cuMemcpyDtoH_v2");
  find(copy_on_device, "cuMemcpyDtoD_v2");
  find(launch, "cuLaunchKernel");
  find(error_string, "cuGetErrorString");
  if (missing.empty()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the CUDA driver ", name, " has no ", missing));
}

absl::Status CudaGpu::Driver::Check(Result result, absl::string_view what) const {
  if (result == 0) return absl::OkStatus();
  const char* text = nullptr;
  error_string(result, &text);
  return absl::InternalError(
      absl::StrCat("the CUDA driver cannot ", what, ": ",
                   text == nullptr ? absl::StrCat("error ", result) : std::string(text)));
}

absl::StatusOr<Handle> CudaGpu::Driver::FunctionOf(const emit::Kernel& kernel) {
  LoadedKernel& loaded = functions[&kernel];
  if (loaded.function != nullptr) return loaded.function;
  const std::string what = absl::StrCat("load the kernel ", kernel.name);
  if (loaded.module == nullptr) {
    HLO_INDEXING_RETURN_IF_ERROR(Check(module_load(&loaded.module, kernel.text.c_str()), what));
  }
  HLO_INDEXING_RETURN_IF_ERROR(
      Check(module_function(&loaded.function, loaded.module, kernel.name.c_str()), what));
  return loaded.function;
}

CudaGpu::CudaGpu(std::unique_ptr<Driver> driver) : driver_(std::move(driver)) {}
CudaGpu::~CudaGpu() = default;

absl::StatusOr<std::unique_ptr<CudaGpu>> CudaGpu::Open(const CudaOptions& options) {
  std::unique_ptr<CudaGpu> gpu(new CudaGpu(std::make_unique<Driver>()));
  Driver& driver = *gpu->driver_;
  HLO_INDEXING_RETURN_IF_ERROR(driver.Load(options.driver));
  int count = 0;
  const Result initialized = driver.init(0);
  if (initialized == 0) driver.device_count(&count);
  if (options.device < 0 || options.device >= count) {
    const absl::Status status = driver.Check(initialized, "begin");
    return absl::UnavailableError(status.ok() ? absl::StrCat("there is no GPU ", options.device,
                                                             ": the CUDA driver has ", count)
                                              : std::string(status.message()));
  }
  int major = 0;
  int minor = 0;
  Handle context = nullptr;
  HLO_INDEXING_RETURN_IF_ERROR(
      driver.Check(driver.device_get(&driver.device, options.device), "open the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(driver.Check(
      driver.device_attribute(&major, kComputeCapabilityMajor, driver.device), "ask the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(driver.Check(
      driver.device_attribute(&minor, kComputeCapabilityMinor, driver.device), "ask the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(
      driver.Check(driver.retain_context(&context, driver.device), "open a context"));
  driver.has_context = true;
  HLO_INDEXING_RETURN_IF_ERROR(driver.Check(driver.set_context(context), "open a context"));
  gpu->architecture_ = major * 10 + minor;
  return gpu;
}

absl::StatusOr<uint64_t> CudaGpu::Allocate(int64_t bytes, const std::string& name) {
  DevicePointer address = 0;
  const auto size = static_cast<size_t>(std::max<int64_t>(bytes, emit::kBufferAlignment));
  HLO_INDEXING_RETURN_IF_ERROR(driver_->Check(
      driver_->allocate(&address, size), absl::StrCat("allocate ", bytes, " bytes for ", name)));
  return address;
}

absl::Status CudaGpu::Free(uint64_t address) {
  return driver_->Check(driver_->free(address), "free memory");
}

absl::Status CudaGpu::Write(uint64_t to, llvm::ArrayRef<uint8_t> from) {
  if (from.empty()) return absl::OkStatus();
  return driver_->Check(driver_->copy_to_device(to, from.data(), from.size()), "copy to the GPU");
}

absl::Status CudaGpu::Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) {
  // Errors of kernels come up here.
  HLO_INDEXING_RETURN_IF_ERROR(driver_->Check(driver_->synchronize(), "run the kernels"));
  if (to.empty()) return absl::OkStatus();
  return driver_->Check(driver_->copy_to_host(to.data(), from, to.size()), "copy from the GPU");
}

absl::Status CudaGpu::Copy(uint64_t from, uint64_t to, int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  return driver_->Check(driver_->copy_on_device(to, from, static_cast<size_t>(bytes)),
                        "copy on the GPU");
}

absl::StatusOr<int64_t> CudaGpu::Launch(const emit::Kernel& kernel,
                                        llvm::ArrayRef<uint64_t> arguments, int64_t /*max_steps*/) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Handle function, driver_->FunctionOf(kernel));
  std::vector<DevicePointer> values(arguments.begin(), arguments.end());
  std::vector<void*> parameters;
  for (DevicePointer& value : values) parameters.push_back(&value);
  const auto size = [](int64_t n) { return static_cast<unsigned>(n); };
  const auto& [blocks, threads] = kernel.launch;
  HLO_INDEXING_RETURN_IF_ERROR(driver_->Check(
      driver_->launch(function, size(blocks[0]), size(blocks[1]), size(blocks[2]), size(threads[0]),
                      size(threads[1]), size(threads[2]), 0, nullptr, parameters.data(), nullptr),
      absl::StrCat("launch the kernel ", kernel.name)));
  return 0;
}

}  // namespace hlo_indexing::program
