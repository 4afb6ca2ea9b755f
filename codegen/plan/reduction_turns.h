// Short loops of reductions and windows, which code has turn by turn. Private to codegen.
//
// Of rows p of 4 elements, sum(p / max(p)) reads each element once, though there are two loops:
// what a turn of the sum reads, a turn of the maximum has read.
#ifndef HLO_INDEXING_CODEGEN_PLAN_REDUCTION_TURNS_H_
#define HLO_INDEXING_CODEGEN_PLAN_REDUCTION_TURNS_H_

#include <optional>
#include <vector>

#include "codegen/plan/conditions.h"
#include "codegen/plan/element_steps.h"
#include "codegen/plan/plan_context.h"

namespace hlo_indexing::plan {

/// What a reduction or a window reads in one turn of its loops.
struct ReductionTurn {
  /// Of each array.
  std::vector<PlannedElement> elements;
  /// Where it is read at all.
  Conditions conditions;
};

/// The turns of loops that code has one after the other: at most 16, and at most 64 with those of
/// the reductions that each turn makes anew. Those that read nothing are missing. nullopt if the
/// loops stay loops.
std::optional<std::vector<ReductionTurn>> ReductionTurns(const PlannedElement& element,
                                                         PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_REDUCTION_TURNS_H_
