// Which instruction makes neighbouring lanes read far apart. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_STRIDE_ORIGIN_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_STRIDE_ORIGIN_H_

#include "codegen/plan/accesses.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"

namespace hlo_indexing::explain {

/// The instruction on the way from what the threads compute to the input that `load` reads, whose
/// own operand is read with a stride while its own elements are neighbours. Null if there is none:
/// then the order in which the emitter goes over the elements brings the stride in. A transpose and
/// an elementwise operation whose operand has another layout are both found. The first 1,000
/// steps of all ways back are tried, those whose elements are read by at most 32 loops.
const hlo::Instruction* OriginOfStride(const plan::KernelPlan& plan, const plan::KernelAccess& load,
                                       plan::PlanContext& plans);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_STRIDE_ORIGIN_H_
