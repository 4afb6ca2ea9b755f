// How this library's own emitters launch a fusion, or an instruction by itself, on a GPU.
//
// Example: the plan of `ROOT t = f32[1024,1024] transpose(p), dimensions={1,0}` has blocks of 256
// threads, each of which moves a tile of 64 x 64 floats through shared memory, where they lie as
//
//   Sw<3,2,6> o _0 o (_64,_64):(_64,_1)
//
// so that neither the rows that are stored nor the columns that are loaded meet in one bank.
#ifndef HLO_INDEXING_CODEGEN_PLAN_OUR_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_OUR_PLAN_H_

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"

namespace hlo_indexing::plan {

/// OK for a fusion, of whatever kind XLA says that it is, and for another instruction that has a
/// kernel of ours by itself; else kUnimplemented with the reason. Besides those that have one of
/// XLA's (xla_plan.h) these are the calls of libraries that are sums of products or transforms, and
/// sorts.
absl::Status HasOurKernel(const hlo::Instruction& instruction);

/// The plan of such an instruction. The kind of kernel and its heroes are those that XLA chooses;
/// blocks, vectors, tiles and thread maps are ours (our_emitters.h). Scatters that can be updated
/// in place are planned as XLA plans them.
absl::StatusOr<KernelPlan> PlanKernel(const hlo::Instruction& instruction, PlanContext& plans);

/// The same of a computation that is itself what a fusion would call.
absl::StatusOr<KernelPlan> PlanKernel(const hlo::Computation& computation, PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_OUR_PLAN_H_
