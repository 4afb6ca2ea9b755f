#include "tools/gpu_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/program/compile.h"
#include "codegen/program/cuda_gpu.h"
#include "codegen/program/execute.h"
#include "hlo/opcode.h"
#include "support/status_macros.h"
#include "tools/interruption.h"
#include "tools/progress.h"

namespace hlo_indexing::tools {
namespace {

constexpr int kOldestArchitecture = 80;
constexpr int kArchitecture = 90;

std::string NameOf(const hlo::Instruction& instruction) {
  return absl::StrCat(instruction.name().str(), " (", hlo::OpcodeName(instruction.opcode()).str(),
                      ")");
}

}  // namespace

absl::Status GpuRun::Open() {
  program_.reset();
  if (options_.kind == GpuKind::kVirtual) {
    ptx::LaunchOptions launch;
    launch.max_warp_instructions = std::numeric_limits<uint64_t>::max();
    launch.checks = options_.checks.value_or(ptx::Checks{.synccheck = false});
    launch.keep_running = [](uint64_t, uint64_t) { return !Interruption::IsRequested(); };
    auto gpu = std::make_unique<program::VirtualGpu>(launch);
    virtual_gpu_ = gpu.get();
    gpu_ = std::move(gpu);
    return absl::OkStatus();
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(std::unique_ptr<program::CudaGpu> gpu, program::CudaGpu::Open());
  if (gpu->architecture() < kOldestArchitecture) {
    return absl::UnimplementedError(absl::StrCat("the GPU is sm_", gpu->architecture(),
                                                 ", kernels are made for sm_", kOldestArchitecture,
                                                 " and later"));
  }
  // Later ones run what is made for earlier ones.
  architecture_ = std::min(gpu->architecture(), kArchitecture);
  gpu_ = std::move(gpu);
  return absl::OkStatus();
}

absl::Status GpuRun::Compile(const std::string& file, const hlo::Module& module) {
  HLO_INDEXING_RETURN_IF_ERROR(Open());
  if (!backend_.has_value()) backend_.emplace();
  ProgressLine progress;
  program::CompileOptions options;
  options.lowering.architecture = architecture_;
  options.keep_running = [&](const hlo::Instruction& instruction, int64_t kernels) {
    progress.Update([&] {
      return absl::StrCat(file, ": ", kernels, " kernels compiled, now ", NameOf(instruction));
    });
    TellEnvironment("kernels compiled", kernels, 0);
    return !Interruption::IsRequested();
  };
  HLO_INDEXING_ASSIGN_OR_RETURN(program_,
                                program::Compile(module, options_.device, *backend_, options));
  return absl::OkStatus();
}

absl::StatusOr<hlo::Value> GpuRun::Evaluate(const std::string& file,
                                            const hlo::Arguments& arguments) {
  ProgressLine progress;
  program::ExecuteOptions options;
  options.separate_buffers = options_.checks.has_value();
  if (options_.max_steps.has_value()) options.max_steps = *options_.max_steps;
  if (options_.max_bytes.has_value()) options.max_bytes = *options_.max_bytes;
  options.keep_running = [&](const hlo::Instruction& instruction, int64_t steps) {
    progress.Update([&] {
      return absl::StrCat(file, ": step ", steps, " of the program, ", NameOf(instruction));
    });
    TellEnvironment("steps of the program", steps, 0);
    return !Interruption::IsRequested();
  };
  return program::Execute(*program_, *gpu_, arguments, options);
}

std::vector<ptx::Finding> GpuRun::findings() const {
  return virtual_gpu_ == nullptr ? std::vector<ptx::Finding>() : virtual_gpu_->findings();
}

llvm::json::Value BuffersJson(const program::Program& program) {
  llvm::json::Array computations;
  for (const program::CompiledComputation& compiled : program.computations) {
    llvm::json::Array buffers;
    for (const program::FrameBuffer& buffer : compiled.frame) {
      buffers.push_back(
          llvm::json::Object{{"instruction", llvm::json::fixUTF8(buffer.instruction->name())},
                             {"content", program::ContentName(buffer.content)},
                             {"bytes", buffer.bytes},
                             {"offset", buffer.offset},
                             {"first_step", static_cast<int64_t>(buffer.first_step)},
                             {"last_step", static_cast<int64_t>(buffer.last_step)}});
    }
    computations.push_back(
        llvm::json::Object{{"computation", llvm::json::fixUTF8(compiled.computation->name())},
                           {"steps", static_cast<int64_t>(compiled.steps.size())},
                           {"frame_bytes", compiled.frame_bytes},
                           {"live_bytes", compiled.live_bytes},
                           {"buffers", std::move(buffers)}});
  }
  int64_t constants = 0;
  for (const program::Constant& constant : program.constants) {
    constants += static_cast<int64_t>(constant.bytes.size());
  }
  return llvm::json::Object{{"kernels", static_cast<int64_t>(program.kernels.size())},
                            {"constant_bytes", constants},
                            {"computations", std::move(computations)}};
}

}  // namespace hlo_indexing::tools
