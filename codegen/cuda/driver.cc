#include "codegen/cuda/driver.h"

#include <dlfcn.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "support/status_macros.h"

namespace hlo_indexing::cuda {
namespace {

// What of the CUDA driver API is used; names and types of arguments as its reference has them
// ("CUDA Driver API", modules "Initialization" to "Execution Control").
using Result = int;
using DeviceHandle = int;
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the driver's type

constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
constexpr int kMaxDynamicSharedBytes = 8;
// Options of the compiler of PTX: what it says of errors, and the bytes that there are for it.
constexpr int kErrorLog = 5;
constexpr int kErrorLogBytes = 6;
// A kernel may have so much without being asked for it.
constexpr unsigned kUsualSharedBytes = 48 << 10;

}  // namespace

struct Driver::Functions {
  ~Functions() {
    if (library != nullptr) dlclose(library);
  }
  absl::Status Load(const std::string& name);

  void* library = nullptr;
  Result (*init)(unsigned) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device_get)(DeviceHandle*, int) = nullptr;
  Result (*device_attribute)(int*, int, DeviceHandle) = nullptr;
  Result (*retain_context)(Handle*, DeviceHandle) = nullptr;
  Result (*release_context)(DeviceHandle) = nullptr;
  Result (*set_context)(Handle) = nullptr;
  Result (*synchronize)() = nullptr;
  Result (*module_load)(Handle*, const void*, unsigned, int*, void**) = nullptr;
  Result (*module_unload)(Handle) = nullptr;
  Result (*module_function)(Handle*, Handle, const char*) = nullptr;
  Result (*set_function_attribute)(Handle, int, int) = nullptr;
  Result (*allocate)(DevicePointer*, size_t) = nullptr;
  Result (*free)(DevicePointer) = nullptr;
  Result (*copy_to_device)(DevicePointer, const void*, size_t) = nullptr;
  Result (*copy_to_host)(void*, DevicePointer, size_t) = nullptr;
  Result (*copy_on_device)(DevicePointer, DevicePointer, size_t) = nullptr;
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void**, void**) = nullptr;
  Result (*launch_cooperative)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, Handle, void**) = nullptr;
  Result (*error_string)(Result, const char**) = nullptr;
};

absl::Status Driver::Functions::Load(const std::string& name) {
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
  find(module_load, "cuModuleLoadDataEx");
  find(module_unload, "cuModuleUnload");
  find(module_function, "cuModuleGetFunction");
  find(set_function_attribute, "cuFuncSetAttribute");
  find(allocate, "cuMemAlloc_v2");
  find(free, "cuMemFree_v2");
  find(copy_to_device, "cuMemcpyHtoD_v2");
  find(copy_to_host, "cuMemcpyDtoH_v2");
  find(copy_on_device, "cuMemcpyDtoD_v2");
  find(launch, "cuLaunchKernel");
  find(launch_cooperative, "cuLaunchCooperativeKernel");
  find(error_string, "cuGetErrorString");
  if (missing.empty()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the CUDA driver ", name, " has no ", missing));
}

Driver::Driver() : functions_(std::make_unique<Functions>()) {}

Driver::~Driver() {
  if (has_context_) functions_->release_context(device_);
}

absl::Status Driver::Check(Result result, std::string_view what) const {
  if (result == 0) return absl::OkStatus();
  const char* text = nullptr;
  functions_->error_string(result, &text);
  return absl::InternalError(
      absl::StrCat("the CUDA driver cannot ", std::string(what), ": ",
                   text == nullptr ? absl::StrCat("error ", result) : std::string(text)));
}

absl::StatusOr<std::unique_ptr<Driver>> Driver::Open(const std::string& library, int device) {
  std::unique_ptr<Driver> driver(new Driver());
  Functions& functions = *driver->functions_;
  HLO_INDEXING_RETURN_IF_ERROR(functions.Load(library));
  int count = 0;
  const Result initialized = functions.init(0);
  if (initialized == 0) functions.device_count(&count);
  if (device < 0 || device >= count) {
    const absl::Status status = driver->Check(initialized, "begin");
    return absl::UnavailableError(
        status.ok() ? absl::StrCat("there is no GPU ", device, ": the CUDA driver has ", count)
                    : std::string(status.message()));
  }
  int major = 0;
  int minor = 0;
  Handle context = nullptr;
  HLO_INDEXING_RETURN_IF_ERROR(
      driver->Check(functions.device_get(&driver->device_, device), "open the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(driver->Check(
      functions.device_attribute(&major, kComputeCapabilityMajor, driver->device_), "ask the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(driver->Check(
      functions.device_attribute(&minor, kComputeCapabilityMinor, driver->device_), "ask the GPU"));
  HLO_INDEXING_RETURN_IF_ERROR(
      driver->Check(functions.retain_context(&context, driver->device_), "open a context"));
  driver->has_context_ = true;
  HLO_INDEXING_RETURN_IF_ERROR(driver->Check(functions.set_context(context), "open a context"));
  driver->architecture_ = major * 10 + minor;
  return driver;
}

absl::StatusOr<Handle> Driver::LoadModule(const std::string& image, std::string_view what) {
  std::string log(4096, '\0');
  std::array<int, 2> options = {kErrorLog, kErrorLogBytes};
  // The second one is a number in the place of a pointer, as the driver wants it.
  std::array<void*, 2> values = {
      log.data(), reinterpret_cast<void*>(log.size())};  // NOLINT(performance-no-int-to-ptr)
  Handle module = nullptr;
  const Result result = functions_->module_load(
      &module, image.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  absl::Status status = Check(result, absl::StrCat("load ", std::string(what)));
  if (status.ok()) return module;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  if (log.empty()) return status;
  return absl::InternalError(absl::StrCat(status.message(), "\n", log));
}

void Driver::UnloadModule(Handle module) { functions_->module_unload(module); }

absl::StatusOr<Handle> Driver::FindKernel(Handle module, const std::string& name) {
  Handle kernel = nullptr;
  HLO_INDEXING_RETURN_IF_ERROR(Check(functions_->module_function(&kernel, module, name.c_str()),
                                     absl::StrCat("load the kernel ", name)));
  return kernel;
}

absl::StatusOr<uint64_t> Driver::Allocate(size_t bytes, std::string_view what) {
  DevicePointer address = 0;
  HLO_INDEXING_RETURN_IF_ERROR(
      Check(functions_->allocate(&address, bytes),
            absl::StrCat("allocate ", bytes, " bytes for ", std::string(what))));
  return address;
}

absl::Status Driver::Free(uint64_t address) {
  return Check(functions_->free(address), "free memory");
}

absl::Status Driver::Write(uint64_t to, const void* from, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  return Check(functions_->copy_to_device(to, from, bytes), "copy to the GPU");
}

absl::Status Driver::Read(uint64_t from, void* to, size_t bytes) {
  HLO_INDEXING_RETURN_IF_ERROR(Check(functions_->synchronize(), "run the kernels"));
  if (bytes == 0) return absl::OkStatus();
  return Check(functions_->copy_to_host(to, from, bytes), "copy from the GPU");
}

absl::Status Driver::Copy(uint64_t from, uint64_t to, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  return Check(functions_->copy_on_device(to, from, bytes), "copy on the GPU");
}

absl::Status Driver::Launch(Handle kernel, const LaunchShape& shape,
                            const std::vector<const void*>& parameters, std::string_view what) {
  const std::string doing = absl::StrCat("launch ", std::string(what));
  if (shape.dynamic_shared_bytes > kUsualSharedBytes) {
    HLO_INDEXING_RETURN_IF_ERROR(
        Check(functions_->set_function_attribute(kernel, kMaxDynamicSharedBytes,
                                                 static_cast<int>(shape.dynamic_shared_bytes)),
              doing));
  }
  const auto& [grid, block, shared, is_cooperative] = shape;
  // The driver reads the values and does not write them.
  std::vector<void*> values;
  for (const void* parameter : parameters) values.push_back(const_cast<void*>(parameter));
  if (is_cooperative) {
    return Check(functions_->launch_cooperative(kernel, grid[0], grid[1], grid[2], block[0],
                                                block[1], block[2], shared, nullptr, values.data()),
                 doing);
  }
  return Check(functions_->launch(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                  shared, nullptr, values.data(), nullptr),
               doing);
}

}  // namespace hlo_indexing::cuda
