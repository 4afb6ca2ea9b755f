// One step from an element of an instruction to the elements that it is made of. Private to
// codegen.
//
// An element is named by an instruction and a map from the variables of a thread to its index. Of
// pad at (th_x), low padding 3, these are the operand at (th_x - 3) where th_x >= 3, and elsewhere
// the padding value.
#ifndef HLO_INDEXING_CODEGEN_PLAN_ELEMENT_STEPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_ELEMENT_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/conditions.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::plan {

/// An element of an array of an instruction's output; those of all lanes, if the index depends on
/// the lane (lane_maps.h).
struct PlannedElement {
  const hlo::Instruction* instruction = nullptr;
  int64_t leaf = 0;
  IndexingMap index;

  friend bool operator==(const PlannedElement&, const PlannedElement&) = default;
};

struct PlannedElementHash {
  size_t operator()(const PlannedElement& element) const {
    return llvm::hash_combine(element.instruction, element.leaf, hash_value(element.index));
  }
};

/// How deep branches and loops may nest in the code of an element.
inline constexpr size_t kMaxElementDepth = 48;
/// How many elements the code of a thread computes. Each branch computes its own, so that updates
/// at indices which further updates give double them.
inline constexpr int64_t kMostElementsOfThread = int64_t{1} << 13;

/// The index of a scalar, from the same variables.
IndexingMap ScalarIndex(const IndexingMap& like);

/// The element of an operand that an element of a tuple, a get-tuple-element or a barrier is
/// (optimization-barrier, domain, add-dependency), or a select between two that are the same one,
/// moved: of select(p, x, reshape(x)) x. nullopt of other instructions.
std::optional<PlannedElement> AliasOf(const PlannedElement& element, PlanContext& plans);

/// Whether an element is one of an operand, or computed of one of each, by no loop and in no
/// branch.
bool IsStraight(const PlannedElement& element);

/// The operand of an instruction, at the index that its own map says; a known empty one if it is
/// not read. nullopt if that is not one exact map.
std::optional<PlannedElement> OperandAt(const PlannedElement& element, size_t operand,
                                        PlanContext& plans);

/// An element that another one is where conditions hold, and no alternative before it is.
struct ElementAlternative {
  PlannedElement element;
  /// None for the last.
  Conditions conditions;
  /// Whether the index is that of the element itself: the conditions of those before it are not in
  /// its domain.
  bool is_rest = false;
};

/// Whether an element is one of several, by its index: of pad, concatenate, dynamic-update-slice.
bool HasAlternatives(hlo::Opcode opcode);

/// Whether it takes loops to make an element of an instruction, or perhaps some of its alternatives
/// that are known without values of run time. Where loops of another element read one that is the
/// same in all turns, it is made before them.
bool IsMadeBeforeLoops(const hlo::Instruction& instruction);

/// What an element of such an instruction is; one alternative if it is
/// known which. kUnimplemented, with the end of a sentence about the instruction, if its maps do
/// not say; kResourceExhausted beyond 256 operands.
absl::StatusOr<std::vector<ElementAlternative>> AlternativesOf(const PlannedElement& element,
                                                               PlanContext& plans);

/// Neighbouring lanes that are elements of the same alternative, as vectors of their own.
struct LaneRun {
  PlannedElement element;
  int64_t count = 0;
};

/// The lanes in order; empty if it depends on the thread which alternative a lane is.
std::vector<LaneRun> RunsOfLanes(llvm::ArrayRef<ElementAlternative> alternatives, int64_t lanes,
                                 MapTable& maps);

/// The variables of a map with the values that the launch gives them, the first range with these
/// turns; of a vector all lanes.
IndexingMap AsLaunched(const Launch& launch, const IndexingMap& map, int64_t vector_elements,
                       std::optional<indexing_analysis::Interval> turns = std::nullopt);

/// An index that all turns of loops have alike, and the conditions under which a thread has a turn.
struct IndexBeforeLoops {
  IndexingMap index;
  Conditions conditions;
};

/// Of the loops of a pass, `count` ranges of an index from `first_loop` on, whose turns have
/// conditions (or that are written out): what is loaded at the index is loaded before them. nullopt
/// if it is another one in each turn, if it is not known before them which threads have a turn, or
/// if that differs from lane to lane.
std::optional<IndexBeforeLoops> BeforeLoops(const IndexingMap& index, size_t first_loop,
                                            size_t count, int64_t vector_elements,
                                            const Launch& launch, MapTable& maps,
                                            LoopForm form = LoopForm::kLoop);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ELEMENT_STEPS_H_
