// Instructions that move elements and compute nothing.
#ifndef HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_
#define HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_

#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hlo_indexing::plan {

/// Whether each element of the result is one of operand 0, found by the index alone, as bits stay.
bool IsMovement(hlo::Opcode opcode);

/// Inputs and constants between whose elements a select chooses before anything is computed from
/// them: LLVM makes one load of the two, unless they are of vectors.
/// Example: p and q of select(c, p, transpose(q))
llvm::SmallPtrSet<const hlo::Instruction*, 4> AlternativesOfSelects(const KernelPlan& plan);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_
