// How each of XLA's emitters launches a kernel and which elements its threads compute. Private to
// the folder.
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_

#include <cstdint>

#include "codegen/plan/emitters.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/shape.h"

namespace hlo_indexing::plan {

/// The launch of a loop over an array, each thread computing so many elements.
Launch LoopLaunch(const hlo::Shape& shape, int64_t elements_per_thread);

/// How many elements each thread computes of a loop over `shape`.
int64_t UnrollFactor(const EmitterInput& input, const hlo::Shape& shape);

/// The elements of `shape` that the threads of a loop go over, in the order of memory.
IndexingMap LoopMap(const Launch& launch, const hlo::Shape& shape, int64_t elements_per_thread,
                    PlanContext& plans);

const Emitters& XlaEmitters();

// The plans without `instruction` and `roots`.
KernelPlan PlanLoop(const EmitterInput& input);
KernelPlan PlanConcatenate(const EmitterInput& input);
KernelPlan PlanDynamicUpdateSlice(const EmitterInput& input);
KernelPlan PlanScatter(const EmitterInput& input);
KernelPlan PlanReduction(const EmitterInput& input);
KernelPlan PlanTranspose(const EmitterInput& input);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
