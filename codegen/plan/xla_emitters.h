// How each of XLA's emitters launches a kernel and which elements its threads compute. Private to
// the folder; xla_plan.cc chooses between them.
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_

#include <cstdint>
#include <vector>

#include "codegen/plan/fused_computation.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::plan {

/// What every emitter looks at.
struct EmitterInput {
  const FusedComputation& fused;
  /// The hero of each root.
  std::vector<const hlo::Instruction*> heroes;
  PlanContext& plans;
};

/// The launch of a loop over an array, each thread computing so many elements.
Launch LoopLaunch(const hlo::Shape& shape, int64_t elements_per_thread);

/// How many elements each thread computes of a loop over `shape`.
int64_t UnrollFactor(const EmitterInput& input, const hlo::Shape& shape);

/// The elements of `shape` that the threads of a loop go over, in the order of memory.
IndexingMap LoopMap(const Launch& launch, const hlo::Shape& shape, int64_t elements_per_thread,
                    PlanContext& plans);

/// What elements of an instruction, given by a map from threads, read of one of its operands;
/// unknown unless that is one map.
IndexingMap ReadOfOperand(const EmitterInput& input, const IndexingMap& elements,
                          const hlo::Instruction& instruction, int64_t leaf, size_t operand);

/// Where elements of an operand, given by a map from threads, go in the output of an instruction;
/// unknown unless that is one map.
IndexingMap PlaceOfOperand(const EmitterInput& input, const IndexingMap& elements,
                           const hlo::Instruction& instruction, int64_t leaf, size_t operand);

/// A pass that computes elements of an instruction and keeps them.
ElementPass LoadPass(const hlo::Instruction& instruction, const IndexingMap& map,
                     int64_t vector_elements);
/// A pass that stores elements that the thread has.
ElementPass StorePass(const hlo::Instruction& instruction, int64_t leaf, int64_t output,
                      const IndexingMap& map, int64_t vector_elements);

// The plans without `instruction`.
KernelPlan PlanLoop(const EmitterInput& input);
KernelPlan PlanConcatenate(const EmitterInput& input);
KernelPlan PlanDynamicUpdateSlice(const EmitterInput& input);
KernelPlan PlanScatter(const EmitterInput& input);
KernelPlan PlanReduction(const EmitterInput& input);
KernelPlan PlanTranspose(const EmitterInput& input);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
