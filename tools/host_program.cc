#include "tools/host_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/run/buffer_contents.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/status_macros.h"

namespace hlo_indexing::tools {
namespace {

constexpr llvm::StringRef kHead =
    R"program(// Launches the kernels of this folder through the CUDA driver, one after the other.
//
//   c++ -std=c++17 -O2 launch.cc -ldl -o launch
//   ./launch [--kernel=NAME] [--repeat=N] [--driver=LIBRARY] [FOLDER]
//
// Argument i of a kernel has the bytes of FOLDER/NAME.i.bin if there is such a file, else zeros; what
// an output has in the end is written to FOLDER/NAME.i.out.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

struct Argument {
  const char* description;
  size_t bytes;
  bool is_output;
  int updates;  // begins with the contents of that argument; -1 if with its own
};
struct Kernel {
  const char* name;
  const char* file;
  unsigned grid[3];
  unsigned block[3];
  std::vector<Argument> arguments;
};

)program";

constexpr llvm::StringRef kTail = R"program(
// What of the driver is used ("CUDA Driver API").
using Address = unsigned long long;
struct Driver {
  int (*init)(unsigned);
  int (*device)(int*, int);
  int (*retain)(void**, int);
  int (*release_context)(int);
  int (*set_context)(void*);
  int (*synchronize)();
  int (*load)(void**, const void*);
  int (*unload)(void*);
  int (*function)(void**, void*, const char*);
  int (*allocate)(Address*, size_t);
  int (*release)(Address);
  int (*to_device)(Address, const void*, size_t);
  int (*to_host)(void*, Address, size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);
  int (*error_text)(int, const char**);

  explicit Driver(const std::string& name) {
    void* const library = dlopen(name.c_str(), RTLD_NOW);
    if (library == nullptr) Stop(std::string("there is no CUDA driver: ") + dlerror());
    const auto find = [&](auto& to, const char* symbol) {
      void* const found = dlsym(library, symbol);
      if (found == nullptr) Stop(std::string("the driver has no ") + symbol);
      std::memcpy(&to, &found, sizeof(found));
    };
    find(init, "cuInit");
    find(device, "cuDeviceGet");
    find(retain, "cuDevicePrimaryCtxRetain");
    find(release_context, "cuDevicePrimaryCtxRelease_v2");
    find(set_context, "cuCtxSetCurrent");
    find(synchronize, "cuCtxSynchronize");
    find(load, "cuModuleLoadData");
    find(unload, "cuModuleUnload");
    find(function, "cuModuleGetFunction");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(to_device, "cuMemcpyHtoD_v2");
    find(to_host, "cuMemcpyDtoH_v2");
    find(launch, "cuLaunchKernel");
    find(error_text, "cuGetErrorString");
  }

  static void Stop(const std::string& reason) {
    std::fprintf(stderr, "launch: %s\n", reason.c_str());
    std::exit(1);
  }
  void Check(int error, const std::string& what) const {
    if (error == 0) return;
    const char* text = nullptr;
    error_text(error, &text);
    Stop(what + ": " + (text == nullptr ? "unknown error" : text));
  }
};

std::vector<char> ReadFile(const std::string& path, bool must_be_there) {
  std::ifstream file(path, std::ios::binary);
  if (!file && must_be_there) Driver::Stop(path + " cannot be read");
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

void Run(const Driver& driver, const Kernel& kernel, const std::string& folder, int repeat) {
  std::vector<char> code = ReadFile(folder + "/" + kernel.file, true);
  code.push_back('\0');
  void* module = nullptr;
  void* function = nullptr;
  driver.Check(driver.load(&module, code.data()), kernel.file);
  driver.Check(driver.function(&function, module, kernel.name), kernel.name);
  const auto path = [&](size_t i, const char* ending) {
    return folder + "/" + kernel.name + "." + std::to_string(i) + ending;
  };
  // Arrays begin at multiples of 16 bytes, and may be read up to the next one.
  std::vector<Address> addresses;
  std::vector<void*> parameters;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    const size_t bytes = (argument.bytes + 16) / 16 * 16;
    std::vector<char> contents =
        ReadFile(path(argument.updates < 0 ? i : static_cast<size_t>(argument.updates), ".bin"), false);
    contents.resize(bytes);
    addresses.push_back(0);
    driver.Check(driver.allocate(&addresses.back(), bytes), argument.description);
    driver.Check(driver.to_device(addresses.back(), contents.data(), bytes), argument.description);
  }
  for (Address& address : addresses) parameters.push_back(&address);
  const auto launch = [&] {
    driver.Check(driver.launch(function, kernel.grid[0], kernel.grid[1], kernel.grid[2],
                               kernel.block[0], kernel.block[1], kernel.block[2], 0, nullptr,
                               parameters.data(), nullptr),
                 kernel.name);
  };
  launch();
  driver.Check(driver.synchronize(), kernel.name);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (!kernel.arguments[i].is_output) continue;
    std::vector<char> contents(kernel.arguments[i].bytes);
    driver.Check(driver.to_host(contents.data(), addresses[i], contents.size()), "an output");
    std::ofstream(path(i, ".out"), std::ios::binary).write(contents.data(), contents.size());
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeat; ++i) launch();
  driver.Check(driver.synchronize(), kernel.name);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  std::printf("%s: launched", kernel.name);
  if (repeat > 0) std::printf(", %.1f us each of %d more", time.count() / repeat, repeat);
  std::printf("\n");
  for (const Address address : addresses) driver.Check(driver.release(address), "an array");
  driver.Check(driver.unload(module), kernel.file);
}

int main(int argc, char** argv) {
  std::string folder = ".";
  std::string library = "libcuda.so.1";
  std::string only;
  int repeat = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value_of = [&](const char* option) {
      return argument.rfind(option, 0) == 0 ? argument.c_str() + std::strlen(option) : nullptr;
    };
    if (const char* value = value_of("--kernel=")) {
      only = value;
    } else if (const char* value = value_of("--repeat=")) {
      repeat = std::atoi(value);
    } else if (const char* value = value_of("--driver=")) {
      library = value;
    } else {
      folder = argument;
    }
  }
  const Driver driver(library);
  int device = 0;
  void* context = nullptr;
  driver.Check(driver.init(0), "the driver");
  driver.Check(driver.device(&device, 0), "the device");
  driver.Check(driver.retain(&context, device), "the device");
  driver.Check(driver.set_context(context), "the device");
  for (const Kernel& kernel : kKernels) {
    if (only.empty() || only == kernel.name) Run(driver, kernel, folder, repeat);
  }
  driver.Check(driver.release_context(device), "the device");
  return 0;
}
)program";

// A literal of C++; names of files and kernels, and shapes, have printable characters only.
std::string Quoted(llvm::StringRef text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string DescriptionOf(const emit::KernelArgument& argument) {
  if (argument.is_scratch()) {
    return absl::StrCat("scratch memory of ", argument.scratch_bytes, " bytes, ",
                        argument.is_zeros ? "zeros before and after" : "of any contents");
  }
  std::string text = argument.operand.has_value()
                         ? absl::StrCat("operand ", *argument.operand,
                                        argument.leaf > 0 ? absl::StrCat(", array ", argument.leaf)
                                                          : std::string())
                         : absl::StrCat("output ", argument.leaf);
  return absl::StrCat(text, ", ", argument.shape->ToString());
}

absl::StatusOr<HostedKernel> HostedKernelOf(const emit::Kernel& kernel, std::string file) {
  HostedKernel hosted = {kernel.name, std::move(file), kernel.launch, {}};
  for (const emit::KernelArgument& argument : kernel.arguments) {
    int64_t bytes = argument.scratch_bytes;
    if (!argument.is_scratch()) {
      HLO_INDEXING_ASSIGN_OR_RETURN(bytes, run::BufferBytes(*argument.shape));
    }
    hosted.arguments.push_back(
        {DescriptionOf(argument), bytes, argument.is_output(),
         argument.updates.has_value() ? static_cast<int64_t>(*argument.updates) : -1});
  }
  return hosted;
}

std::string HostProgram(const std::vector<HostedKernel>& kernels) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << kHead << "const std::vector<Kernel> kKernels = {\n";
  const auto sizes = [&](const std::array<int64_t, 3>& of) {
    out << '{' << of[0] << ", " << of[1] << ", " << of[2] << '}';
  };
  for (const HostedKernel& kernel : kernels) {
    out << "    {" << Quoted(kernel.name) << ",\n     " << Quoted(kernel.file) << ",\n     ";
    sizes(kernel.launch.blocks);
    out << ",\n     ";
    sizes(kernel.launch.threads);
    out << ",\n     {";
    for (const HostedKernel::Argument& argument : kernel.arguments) {
      out << "\n         {" << Quoted(argument.description) << ", " << argument.bytes << ", "
          << (argument.is_output ? "true" : "false") << ", " << argument.updates << "},";
    }
    out << "}},\n";
  }
  out << "};\n" << kTail;
  return text;
}

}  // namespace hlo_indexing::tools
