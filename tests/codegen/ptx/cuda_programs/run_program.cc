// Runs a CUDA program on the virtual GPU: a shared library that nvcc has made without its runtime,
// and the PTX of its kernels. What the program calls of the CUDA runtime is here, as much as CUB
// needs, and is found by the dynamic linker.
//
//   ptx_run_program LIBRARY.so FILE.ptx
//
// The library has `extern "C" int RunProgram()`, which gives the number of its failures. All checks
// are made; findings are printed and are failures too. initcheck is left out for merge sorts, which
// read an element behind those that they have written and do not use it (docs/ptx.md).
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"

namespace {

namespace ptx = hlo_indexing::ptx;

constexpr int kSuccess = 0;          // cudaSuccess
constexpr int kInvalidValue = 1;     // cudaErrorInvalidValue
constexpr int kLaunchFailure = 719;  // cudaErrorLaunchFailure

/// CUDA's dim3.
struct Dim3 {
  unsigned x;
  unsigned y;
  unsigned z;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  size_t shared_bytes;
  void* stream;
};

struct Runtime {
  ptx::Device device;
  absl::StatusOr<ptx::Module> module = absl::UnknownError("no module");
  /// The kernel of each function of the host that stands for it.
  std::map<const void*, std::string> kernels;
  /// Between <<<...>>> and the call of the function.
  std::vector<Launch> pushed;
  int num_launches = 0;
  int failures = 0;
  int error = kSuccess;
};

Runtime& State() {
  static Runtime runtime;
  return runtime;
}

int ErrorOf(const absl::Status& status) {
  if (status.ok()) return kSuccess;
  std::cout << status << '\n';
  ++State().failures;
  return State().error = kInvalidValue;
}

int Execute(const void* function, const Launch& launch, void** values) {
  Runtime& runtime = State();
  const std::string& kernel = runtime.kernels[function];
  const absl::StatusOr<uint32_t> index = runtime.module->FindKernel(kernel);
  if (!index.ok()) return ErrorOf(index.status());
  std::vector<ptx::Argument> arguments;
  for (const auto& parameter : runtime.module->Summarize(*index).parameters) {
    ptx::Argument& argument = arguments.emplace_back();
    argument.bytes.resize(parameter.bytes);
    std::memcpy(argument.bytes.data(), values[arguments.size() - 1], parameter.bytes);
  }
  ptx::LaunchOptions options;
  options.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  options.block = {launch.block.x, launch.block.y, launch.block.z};
  options.dynamic_shared_bytes = launch.shared_bytes;
  options.num_host_threads = 1;
  // Another order of warps and blocks for each launch.
  options.schedule = static_cast<uint64_t>(runtime.num_launches);
  options.checks = {.initcheck = kernel.find("merge_sort") == std::string::npos,
                    .racecheck = true,
                    .synccheck = true};
  const auto result = runtime.device.Launch(*runtime.module, kernel, arguments, options);
  ++runtime.num_launches;
  if (!result.ok()) return ErrorOf(result.status());
  for (const ptx::Finding& finding : result->findings) {
    std::cout << finding.ToString() << '\n';
    ++runtime.failures;
  }
  if (result->status.ok()) return kSuccess;
  ErrorOf(result->status);
  return runtime.error = kLaunchFailure;
}

}  // namespace

// The names and types are those of the CUDA runtime's binary interface.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {

// --- What nvcc's code for the host calls.

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*,
                            Dim3*, Dim3*, int*) {
  State().kernels[host] = name;
}
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared_bytes, void* stream) {
  State().pushed.push_back({grid, block, shared_bytes, stream});
  return 0;
}
int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared_bytes, void* stream) {
  const Launch launch = State().pushed.back();
  State().pushed.pop_back();
  *grid = launch.grid;
  *block = launch.block;
  *shared_bytes = launch.shared_bytes;
  *static_cast<void**>(stream) = launch.stream;
  return kSuccess;
}
int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** values,
                     size_t shared_bytes, void* stream) {
  return Execute(function, {grid, block, shared_bytes, stream}, values);
}
// A kernel of the library is the function of the host that stands for it.
int __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return kSuccess;
}
int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** values,
                       size_t shared_bytes, void* stream) {
  return Execute(kernel, {grid, block, shared_bytes, stream}, values);
}

/// The beginning of cudaLaunchConfig_t; attributes of a launch do not matter here.
int cudaLaunchKernelExC(const Launch* config, const void* function, void** values) {
  return Execute(function, *config, values);
}

// --- The device: one with compute capability 8.0.

int cudaGetDeviceCount(int* count) {
  *count = 1;
  return kSuccess;
}
int cudaGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}
int cudaSetDevice(int) { return kSuccess; }
int cudaGetLastError() {
  const int error = State().error;
  State().error = kSuccess;
  return error;
}
int cudaPeekAtLastError() { return State().error; }
int cudaDeviceSynchronize() { return State().error; }
int cudaStreamSynchronize(void*) { return State().error; }
int cudaDeviceGetAttribute(int* value, int attribute, int) {
  // By the numbers of cudaDeviceAttr.
  static const std::map<int, int> kAttributes = {
      {1, 1024},                      // threads of a block
      {5, 2147483647},                // blocks of a grid in x
      {8, 49152},                     // shared memory of a block
      {10, 32},                       // lanes of a warp
      {16, 4},                        // multiprocessors: few, for short tests
      {39, 2048},                     // threads of a multiprocessor
      {75, 8},                        // compute capability
      {76, 0},         {81, 167936},  // shared memory of a multiprocessor
      {97, 166912},                   // shared memory of a block that asks for it
  };
  const auto found = kAttributes.find(attribute);
  if (found == kAttributes.end()) {
    std::cout << "the device has no attribute " << attribute << '\n';
    ++State().failures;
    return kInvalidValue;
  }
  *value = found->second;
  return kSuccess;
}

/// The beginning of cudaFuncAttributes.
struct FunctionAttributes {
  size_t shared_bytes;
  size_t constant_bytes;
  size_t local_bytes;
  int most_threads;
  int num_registers;
  int ptx_version;
  int binary_version;
};
int cudaFuncGetAttributes(FunctionAttributes* attributes, const void*) {
  *attributes = {.shared_bytes = 0,
                 .constant_bytes = 0,
                 .local_bytes = 0,
                 .most_threads = 1024,
                 .num_registers = 32,
                 .ptx_version = 80,
                 .binary_version = 80};
  return kSuccess;
}
int cudaFuncSetAttribute(const void*, int, int) { return kSuccess; }
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t,
                                                           unsigned) {
  *blocks = 2;
  return kSuccess;
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 2;
  return kSuccess;
}

// --- Memory.

int cudaMalloc(void** pointer, size_t bytes) {
  const absl::StatusOr<uint64_t> address = State().device.Allocate(bytes, "memory of cudaMalloc");
  if (!address.ok()) return ErrorOf(address.status());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the device are pointers to the program.
  *pointer = reinterpret_cast<void*>(*address);
  return kSuccess;
}
int cudaFree(void* pointer) {
  return ErrorOf(State().device.Free(reinterpret_cast<uint64_t>(pointer)));
}
/// `kind` by cudaMemcpyKind: 1 to the device, 2 from it, 3 within it.
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  ptx::Device& device = State().device;
  if (bytes == 0) return kSuccess;
  if (kind == 1) return ErrorOf(device.Write(reinterpret_cast<uint64_t>(to), from, bytes));
  if (kind == 2) return ErrorOf(device.Read(reinterpret_cast<uint64_t>(from), to, bytes));
  if (kind != 3) return ErrorOf(absl::UnimplementedError("a kind of cudaMemcpy"));
  std::vector<std::byte> data(bytes);
  const int error = ErrorOf(device.Read(reinterpret_cast<uint64_t>(from), data.data(), bytes));
  return error != kSuccess
             ? error
             : ErrorOf(device.Write(reinterpret_cast<uint64_t>(to), data.data(), bytes));
}
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void*) {
  return cudaMemcpy(to, from, bytes, kind);
}
int cudaMemsetAsync(void* pointer, int value, size_t bytes, void*) {
  return ErrorOf(
      State().device.Fill(reinterpret_cast<uint64_t>(pointer), static_cast<uint8_t>(value), bytes));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: ptx_run_program LIBRARY.so FILE.ptx\n";
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  State().module = ptx::Module::Parse(text.str(), argv[2]);
  if (!State().module.ok()) {
    std::cerr << State().module.status() << '\n';
    return 1;
  }
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::cerr << dlerror() << '\n';
    return 1;
  }
  auto* program = reinterpret_cast<int (*)()>(dlsym(library, "RunProgram"));
  if (program == nullptr) {
    std::cerr << "the library has no RunProgram\n";
    return 1;
  }
  const int failures = program();
  std::cout << State().num_launches << " launches, " << failures + State().failures << " failures\n"
            << std::flush;
  return failures + State().failures == 0 ? 0 : 1;
}
