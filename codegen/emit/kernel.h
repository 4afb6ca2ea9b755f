// Kernels: a plan (codegen/plan/) as PTX.
//
//   emit::PtxBackend backend;
//   plan::PlanContext plans(device, analysis, &mlir_context);
//   HLO_INDEXING_ASSIGN_OR_RETURN(const plan::KernelPlan plan, plan::PlanKernel(fusion, plans));
//   HLO_INDEXING_ASSIGN_OR_RETURN(const emit::Kernel kernel,
//                                 emit::CompileKernel(plan, plans, backend));
//   std::cout << kernel.text;      // PTX; kernel.launch and kernel.arguments say how to launch it
#ifndef HLO_INDEXING_CODEGEN_EMIT_KERNEL_H_
#define HLO_INDEXING_CODEGEN_EMIT_KERNEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/shape.h"

namespace hlo_indexing::emit {

using plan::kBufferAlignment;

/// A pointer that the kernel is launched with: to an array in the layout that its shape says, or to
/// memory that only its blocks use.
struct KernelArgument {
  /// Null for scratch memory.
  const hlo::Shape* shape = nullptr;
  /// The operand of the planned instruction, or parameter of the planned computation, that it is
  /// an array of; nullopt for outputs.
  std::optional<int64_t> operand;
  /// The array of the operand, or of the output.
  int64_t leaf = 0;
  /// Outputs that are written in part only: the number of the argument whose contents the buffer
  /// has before the launch, or that is in the same memory.
  std::optional<size_t> updates;
  /// Of scratch memory, which may have any contents.
  int64_t scratch_bytes = 0;
  /// Scratch memory that must be zeros before the launch, and is zeros again after it.
  bool is_zeros = false;

  bool is_scratch() const { return shape == nullptr; }
  bool is_output() const { return !is_scratch() && !operand.has_value(); }
};

struct Kernel {
  std::string name;
  plan::Launch launch;
  /// Inputs, then outputs, then scratch memory if there is any, that of zeros last.
  std::vector<KernelArgument> arguments;
  /// Of the stage that was asked for.
  std::string text;
};

/// kUnimplemented, with the instruction, for what has no code in a kernel; kInvalidArgument for a
/// launch that CUDA refuses.
absl::StatusOr<Kernel> CompileKernel(const plan::KernelPlan& plan, plan::PlanContext& plans,
                                     PtxBackend& backend, const LoweringOptions& options = {});

/// The name of the kernel of an instruction: its own, in the characters that PTX allows.
/// Example: "loop-fusion.1" -> "loop_fusion_1"
std::string KernelName(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_KERNEL_H_
