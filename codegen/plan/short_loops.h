// Short loops of reductions, windows and products, which code has turn by turn. Private to codegen.
//
// Of rows p of 4 elements, sum(p / max(p)) reads each element once, though there are two loops:
// what a turn of the sum reads, a turn of the maximum has read.
#ifndef HLO_INDEXING_CODEGEN_PLAN_SHORT_LOOPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_SHORT_LOOPS_H_

#include <optional>
#include <vector>

#include "codegen/plan/conditions.h"
#include "codegen/plan/element_steps.h"
#include "codegen/plan/plan_context.h"

namespace hlo_indexing::plan {

/// What a reduction, a window or a product reads in one turn of its loops.
struct ShortTurn {
  /// Of each array.
  std::vector<PlannedElement> elements;
  /// All must hold for them to be read at all; none is empty.
  std::vector<Conditions> conditions;
};

/// The turns of loops that code has one after the other: at most 16, and at most 64 with those of
/// the loops that each turn makes anew. Those that read nothing are missing. nullopt if the loops
/// stay loops.
std::optional<std::vector<ShortTurn>> ShortTurnsOf(const PlannedElement& element,
                                                   PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_SHORT_LOOPS_H_
