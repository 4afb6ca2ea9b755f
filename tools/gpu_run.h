// Running modules on a GPU, the virtual one or one of NVIDIA's: what `run --backend=` does besides
// the interpreter.
#ifndef HLO_INDEXING_TOOLS_GPU_RUN_H_
#define HLO_INDEXING_TOOLS_GPU_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/program/gpu.h"
#include "codegen/program/program.h"
#include "codegen/program/virtual_gpu.h"
#include "codegen/ptx/device_model.h"
#include "codegen/ptx/machine/launch_state.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/module.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

enum class GpuKind : uint8_t { kVirtual, kCuda };

class GpuRun {
 public:
  /// Kernels are planned for the device. With `checks` the virtual GPU looks for these faults, and
  /// each buffer is memory of its own.
  struct Options {
    GpuKind kind = GpuKind::kVirtual;
    ptx::DeviceModel device;
    std::optional<ptx::Checks> checks;
    /// The defaults are those of ExecuteOptions.
    std::optional<int64_t> max_steps;
    std::optional<int64_t> max_bytes;
  };
  explicit GpuRun(Options options) : options_(std::move(options)) {}

  /// Makes the program of the module, with progress on a terminal, until Ctrl-C. The file is for
  /// messages.
  absl::Status Compile(const std::string& file, const hlo::Module& module);
  /// Runs it.
  absl::StatusOr<hlo::Value> Evaluate(const std::string& file, const hlo::Arguments& arguments);

  const program::Program& program() const { return *program_; }
  /// What the checks have found in all runs.
  std::vector<ptx::Finding> findings() const;

 private:
  absl::Status Open();

  Options options_;
  std::optional<emit::PtxBackend> backend_;
  // Kernels are remembered by the GPU that they run on.
  std::optional<program::Program> program_;
  std::unique_ptr<program::Gpu> gpu_;
  // The same, if it is virtual.
  program::VirtualGpu* virtual_gpu_ = nullptr;
  int architecture_ = 90;
};

/// The buffers of a program as the attribute "buffers" of an object.
llvm::json::Value BuffersJson(const program::Program& program);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_GPU_RUN_H_
