#include "codegen/plan/our_plan.h"

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/xla_emitters.h"

namespace hlo_indexing::plan {
namespace {

constexpr Emitters kOurEmitters = {PlanOurLoop,        PlanOurTranspose,          PlanOurReduction,
                                   PlanOurConcatenate, PlanOurDynamicUpdateSlice, PlanScatter};

}  // namespace

absl::StatusOr<KernelPlan> PlanKernel(const hlo::Instruction& instruction, PlanContext& plans) {
  return PlanWith(kOurEmitters, instruction, plans);
}

absl::StatusOr<KernelPlan> PlanKernel(const hlo::Computation& computation, PlanContext& plans) {
  return PlanWith(kOurEmitters, computation, plans);
}

}  // namespace hlo_indexing::plan
