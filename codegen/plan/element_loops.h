// Instructions whose elements a thread computes by loops, and what is read in which loop.
//
// Of rows p, sum(p - max(p)) reads p twice, each time in a loop of its own; the maps from the
// result to p are the same:
//
//   in the loops of the sum       (d0)[s0] -> (d0, s0)
//   in the loops of the maximum   (d0)[s0] -> (d0, s0)
#ifndef HLO_INDEXING_CODEGEN_PLAN_ELEMENT_LOOPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_ELEMENT_LOOPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::plan {

/// Whether a thread goes over elements of the operands for each element of such an instruction.
bool HasElementLoops(hlo::Opcode opcode);

/// Why the loops of such an instruction read other elements, or more often, than its maps say;
/// empty if they do not.
std::string WhyReadsVary(hlo::Opcode opcode);

/// Whether the maps of such an instruction say what its loops read, but not in which turn: the
/// windows of a select-and-scatter begin at other places for each element.
bool HasMapsWithoutTurns(hlo::Opcode opcode);

/// Whether one stands before the instruction in its computation, other than what is `available`:
/// then what the instruction reads may be read in loops of others.
bool HasElementLoopsBefore(const hlo::Instruction& instruction,
                           llvm::ArrayRef<const hlo::Instruction*> available = {});

/// The loops that an element of an instruction takes, at the index of a map from the pass; all
/// arrays of the instruction are made in them.
struct ElementLoop {
  const hlo::Instruction* instruction = nullptr;
  IndexingMap map;

  friend bool operator==(const ElementLoop&, const ElementLoop&) = default;
};

/// Loops inside of loops, from the outermost; empty outside of loops.
using LoopNest = std::vector<ElementLoop>;

/// What the elements of a pass read of a parameter or a constant.
struct LoopRead {
  /// Where it is read.
  LoopNest nest;
  /// A constant, or if this is null a parameter.
  const hlo::Instruction* constant = nullptr;
  size_t parameter = 0;
  int64_t leaf = 0;
  /// From the variables of the pass, loops of elements in front of its ranges; unknown with a
  /// reason.
  IndexingMap map;
  /// See MemoryAccess.
  int64_t repetitions = 1;
  /// Why the map is not exact; empty if it is.
  std::string reason;
};

/// How many turns of the loops of a pass read the same in loops of their own: those around what
/// does not depend on them. The index is of a read in the loops of an element, which stand in front
/// of the ranges of the pass. 1 where that depends on values.
int64_t RepeatedTurns(const ElementPass& pass, const IndexingMap& index);

/// Of a pass whose map is known: each instruction with loops is computed once for all that reads it
/// at the same index; in each turn of a loop that reads it, but before it where all turns read the
/// same. `constants` are those that are in memory.
std::vector<LoopRead> ReadsByLoop(const ElementPass& pass,
                                  llvm::ArrayRef<const hlo::Instruction*> constants,
                                  PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ELEMENT_LOOPS_H_
