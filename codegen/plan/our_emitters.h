// How our own emitters launch a kernel and which elements its threads compute. Private to the
// folder.
//
// What they do otherwise than XLA's: vectors of 16 bytes for the widest array whenever every
// multiprocessor still has a block, the rest of an array that is no whole vectors apart; transposes
// through tiles of words, padded or behind a swizzle, without bank conflicts; reductions of rows of
// any length in vectors, of columns without turning them, both by several blocks for a result where
// there are few; products of matrices, which XLA leaves to others.
#ifndef HLO_INDEXING_CODEGEN_PLAN_OUR_EMITTERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_OUR_EMITTERS_H_

#include <cstdint>
#include <optional>

#include "codegen/plan/emitters.h"
#include "codegen/plan/kernel_plan.h"

namespace hlo_indexing::plan {

// The plans without `instruction` and `roots`.
KernelPlan PlanOurLoop(const EmitterInput& input);
KernelPlan PlanOurConcatenate(const EmitterInput& input);
KernelPlan PlanOurDynamicUpdateSlice(const EmitterInput& input);
KernelPlan PlanOurReduction(const EmitterInput& input);
KernelPlan PlanOurTranspose(const EmitterInput& input);
KernelPlan PlanOurScatter(const EmitterInput& input);
std::optional<KernelPlan> PlanOurRows(const EmitterInput& input);
std::optional<KernelPlan> PlanOurProducts(const EmitterInput& input);
KernelPlan PlanOurSort(const EmitterInput& input);
KernelPlan PlanOurScan(const EmitterInput& input);
KernelPlan PlanOurNormalization(const EmitterInput& input);
KernelPlan PlanOurMatrices(const EmitterInput& input);

/// The most elements that are one access of 16 bytes of the widest input or output, and that may be
/// taken; a power of two. Inputs that have few elements for those that are computed do not count.
int64_t WidestVector(const EmitterInput& input);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_OUR_EMITTERS_H_
