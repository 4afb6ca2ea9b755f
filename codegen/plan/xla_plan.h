// What XLA launches for a fusion, or for an instruction by itself, on a GPU.
//
// Example: the plan of `ROOT r = f32[64] reduce(p, c), dimensions={0}` of f32[2048,64] on an RTX
// A6000 is a column reduction: one block of 1,024 threads, which reads
//
//   (th_x, ..., bl_z)[s0, s1] -> (s0 * 32 + th_x floordiv 32, (th_x mod 32) * 2 + s1)
//
// The rules are those of XLA of August 2026: which emitter, which launch, how many elements a
// thread takes. Where XLA has no map of its own (concatenate, in-place updates, scatters), the maps
// are those of the code that it emits.
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_PLAN_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::plan {

/// The plan of a fusion or of another instruction that is a kernel of its own. kUnimplemented says
/// which instructions are none: those that move no data, run on other devices, call libraries, or
/// are fusions for Triton or a library; and arrays whose sizes are not known.
absl::StatusOr<KernelPlan> PlanLikeXla(const hlo::Instruction& instruction, PlanContext& plans);

/// The plan of a computation that is itself what a fusion would call; `instruction` of the plan is
/// its root.
absl::StatusOr<KernelPlan> PlanLikeXla(const hlo::Computation& computation, PlanContext& plans);

/// Why an instruction of a computation that runs on a GPU is no kernel of its own.
enum class NoKernel : uint8_t {
  kNoData,
  kOtherComputations,
  kSeveralKernels,
  kCopyEngine,
  kCollective,
  kRuntimeValue,
  kLibrary,
  kExpanded,
};

/// Example: kLibrary -> "is the call of a library"
llvm::StringRef NoKernelReason(NoKernel reason);

/// nullopt if it is one.
std::optional<NoKernel> WhyNoKernel(const hlo::Instruction& instruction);

/// The same as a message with the instruction's name.
absl::Status HasKernel(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_PLAN_H_
