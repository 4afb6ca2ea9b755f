// The virtual GPU: memory, and launches of kernels.
#ifndef HLO_INDEXING_CODEGEN_PTX_DEVICE_H_
#define HLO_INDEXING_CODEGEN_PTX_DEVICE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/module.h"

namespace hlo_indexing::ptx {

/// The bytes of one kernel argument.
struct Argument {
  std::vector<std::byte> bytes;

  /// Example: Argument::Of(2.5f) has 4 bytes, Argument::Of(address) 8
  template <typename T>
  static Argument Of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Argument argument;
    argument.bytes.resize(sizeof(T));
    std::memcpy(argument.bytes.data(), &value, sizeof(T));
    return argument;
  }
};

/// What a launch has come to.
struct LaunchResult {
  /// OK where all threads have ended. kAborted: a trap, a deadlock, a fault that nothing can
  /// follow; kDeadlineExceeded: LaunchOptions::max_warp_instructions; kCancelled:
  /// LaunchOptions::keep_running.
  absl::Status status;
  /// Of all checks, by block.
  std::vector<Finding> findings;
  /// What the checks could not look at to its end, and why; empty if nothing. Example: "races of
  /// blocks in global memory: the host has no memory to keep who accesses the 4096 bytes of x"
  std::string unchecked;
  uint64_t warp_instructions = 0;
  /// What vprintf wrote.
  std::string output;
  /// Of LaunchOptions::profile: counts by number of the operation.
  std::unique_ptr<Profile> profile;
  /// The kernel as it was executed: `program->functions[f].operations[i].source` is the instruction
  /// that an operation stands for. Views the module.
  std::shared_ptr<const Program> program;
};

class Device {
 public:
  explicit Device(GlobalMemoryOptions options = {}) : memory_(options) {}

  /// Global memory. Addresses are the device's; see GlobalMemory for alignment and errors.
  absl::StatusOr<uint64_t> Allocate(uint64_t bytes, std::string_view name) {
    return memory_.Allocate(bytes, name);
  }
  absl::Status Free(uint64_t address) { return memory_.Free(address); }
  absl::Status Write(uint64_t address, const void* from, uint64_t bytes) {
    return memory_.Write(address, from, bytes);
  }
  absl::Status Read(uint64_t address, void* to, uint64_t bytes) const {
    return memory_.Read(address, to, bytes);
  }
  absl::Status Fill(uint64_t address, uint8_t value, uint64_t bytes) {
    return memory_.Fill(address, value, bytes);
  }
  GlobalMemory& memory() { return memory_; }

  /// The address of a `.global` variable, or the offset in constant memory of a `.const` one, which
  /// lives as long as the device. Loads the module where that has not been done.
  absl::StatusOr<uint64_t> VariableAddress(const Module& module, std::string_view variable);

  /// Executes a kernel to its end. An error: arguments or sizes that do not fit the kernel, or PTX
  /// that is not supported (with its place). What goes wrong while it runs is in the result.
  absl::StatusOr<LaunchResult> Launch(const Module& module, std::string_view kernel,
                                      std::span<const Argument> arguments,
                                      const LaunchOptions& options);
  absl::StatusOr<LaunchResult> Launch(const Module& module, std::string_view kernel,
                                      std::initializer_list<Argument> arguments,
                                      const LaunchOptions& options) {
    return Launch(module, kernel, std::span(arguments.begin(), arguments.size()), options);
  }

 private:
  struct Loaded {
    /// Keeps the text alive that all else views.
    std::unique_ptr<Module> module;
    LoadedModule loaded;
    std::map<uint32_t, std::shared_ptr<const Program>> programs;
  };

  absl::StatusOr<Loaded*> Load(const Module& module);
  absl::Status Initialize(const LoadedModule& loaded);

  /// Zeros for the barrier of a grid, made at the first cooperative launch.
  absl::StatusOr<uint64_t> GridBarrier();

  GlobalMemory memory_;
  uint64_t grid_barrier_ = 0;
  /// By the parsed module.
  std::map<const syntax::Module*, std::unique_ptr<Loaded>> modules_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_DEVICE_H_
