#include "codegen/plan/element_steps.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/movement.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::Variable;

namespace {

// Branches of a concatenate, each inside of the one before.
constexpr size_t kMaxAlternatives = 256;

absl::Status NotOneElement(const char* of) {
  return absl::UnimplementedError(std::string("does not read one element of ") + of);
}

// An element of neighbouring operands of a concatenate that are one array again and again, from
// `first` of the dimension on: that of the array at the index modulo its size.
PlannedElement OfRepeated(const PlannedElement& element, size_t operand, size_t count,
                          int64_t first, PlanContext& plans) {
  const Instruction& array = element.instruction->operand(operand);
  const auto dimension =
      static_cast<size_t>(element.instruction->Integers(hlo::AttributeName::kDimensions).front());
  const int64_t size = array.shape().sizes()[dimension];
  const mlir::AffineMap map = element.index.affine_map();
  llvm::SmallVector<mlir::AffineExpr, 6> results(map.getResults());
  const mlir::AffineExpr place = results[dimension];
  results[dimension] = (place - first) % size;
  std::vector<indexing_analysis::MapConstraint> constraints(element.index.constraints());
  constraints.push_back({place, {first, first + static_cast<int64_t>(count) * size - 1}});
  return {&array, 0,
          plans.maps.Simplified({WithResults(element.index, results).affine_map(),
                                 element.index.dimensions(), element.index.ranges(),
                                 element.index.runtime(), constraints})};
}

absl::StatusOr<std::vector<ElementAlternative>> OfConcatenate(const PlannedElement& element,
                                                              PlanContext& plans) {
  std::vector<ElementAlternative> alternatives;
  const llvm::ArrayRef<const Instruction*> operands = element.instruction->operands();
  const auto dimension =
      static_cast<size_t>(element.instruction->Integers(hlo::AttributeName::kDimensions).front());
  int64_t first = 0;
  size_t count = 0;
  for (size_t i = 0; i < operands.size(); i += count) {
    count = 1;
    while (i + count < operands.size() && operands[i + count] == operands[i]) ++count;
    const int64_t size = operands[i]->shape().sizes()[dimension];
    std::optional<PlannedElement> operand = count > 1 && size > 0
                                                ? OfRepeated(element, i, count, first, plans)
                                                : OperandAt(element, i, plans);
    first += static_cast<int64_t>(count) * size;
    if (!operand.has_value()) return NotOneElement("an operand");
    if (operand->index.IsKnownEmpty()) continue;
    Conditions conditions = ConditionsOf(operand->index, element.index);
    if (conditions.empty()) return std::vector<ElementAlternative>{{*std::move(operand), {}}};
    if (alternatives.size() == kMaxAlternatives) {
      return absl::ResourceExhaustedError("has more than " + std::to_string(kMaxAlternatives) +
                                          " operands");
    }
    alternatives.push_back({*std::move(operand), std::move(conditions)});
  }
  if (alternatives.empty()) return absl::UnimplementedError("has no element that is computed");
  // What is no element of the others is one of the last.
  alternatives.back().conditions = Conditions();
  return alternatives;
}

// Of an instruction that passes arrays on.
std::optional<PlannedElement> ForwardedOf(const PlannedElement& element) {
  const Instruction& instruction = *element.instruction;
  const auto alias = [&](size_t operand, int64_t leaf) -> PlannedElement {
    return {&instruction.operand(operand), leaf, element.index};
  };
  switch (instruction.opcode()) {
    case Opcode::kTuple: {
      const int64_t operand = instruction.shape().ElementOfLeaf(element.leaf);
      const int64_t first = instruction.shape().FirstLeafOfElement(operand);
      return alias(static_cast<size_t>(operand), element.leaf - first);
    }
    case Opcode::kGetTupleElement: {
      const auto i = instruction.Required<int64_t>(hlo::AttributeName::kIndex);
      return alias(0, instruction.operand(0).shape().FirstLeafOfElement(i) + element.leaf);
    }
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return alias(0, element.leaf);
    default:
      return std::nullopt;
  }
}

// The element of an operand that is the same in all but place; nullopt of one that is computed, or
// one of several.
std::optional<PlannedElement> MovedOf(const PlannedElement& element, PlanContext& plans) {
  const Instruction& instruction = *element.instruction;
  if (std::optional<PlannedElement> forwarded = ForwardedOf(element)) return forwarded;
  if (HasAlternatives(instruction.opcode()) && instruction.operands().size() <= 2) {
    absl::StatusOr<std::vector<ElementAlternative>> alternatives = AlternativesOf(element, plans);
    if (!alternatives.ok() || alternatives->size() > 1) return std::nullopt;
    return std::move(alternatives->front().element);
  }
  const bool is_moved =
      IsMovement(instruction.opcode()) ||
      (instruction.opcode() == Opcode::kConvert &&
       instruction.shape().element_type() == instruction.operand(0).shape().element_type());
  return is_moved ? OperandAt(element, 0, plans) : std::nullopt;
}

// Whether two operands are the same element, as far as it was moved a few times only.
bool AreSame(const PlannedElement& element, size_t a, size_t b, PlanContext& plans) {
  constexpr int kMostMoves = 8;
  const auto source_of = [&](size_t operand) {
    std::optional<PlannedElement> source = OperandAt(element, operand, plans);
    for (int i = 0; source.has_value() && i < kMostMoves; ++i) {
      if (source->index.IsUnknown() || source->index.IsKnownEmpty()) break;
      std::optional<PlannedElement> moved = MovedOf(*source, plans);
      if (!moved.has_value()) break;
      source = std::move(moved);
    }
    return source;
  };
  const std::optional<PlannedElement> source = source_of(a);
  return source.has_value() && !source->index.IsUnknown() && source == source_of(b);
}

}  // namespace

IndexingMap ScalarIndex(const IndexingMap& like) {
  const mlir::AffineMap map = like.affine_map();
  return like.WithResults(
      mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), like.context()));
}

std::optional<PlannedElement> AliasOf(const PlannedElement& element, PlanContext& plans) {
  if (element.instruction->opcode() != Opcode::kSelect) return ForwardedOf(element);
  return AreSame(element, 1, 2, plans) ? OperandAt(element, 1, plans) : std::nullopt;
}

bool IsStraight(const PlannedElement& element) {
  const Instruction& instruction = *element.instruction;
  if (instruction.opcode() == Opcode::kBitcastConvert) {
    // Of elements of another size, it is several, or a part.
    return instruction.shape().rank() == instruction.operand(0).shape().rank();
  }
  if (ForwardedOf(element).has_value() || IsMovement(instruction.opcode())) return true;
  const indexing_analysis::RuleTraits& traits = indexing_analysis::TraitsOf(instruction.opcode());
  return traits.is_elementwise && !traits.reads_other_devices;
}

bool IsMadeBeforeLoops(const Instruction& instruction) {
  if (HasElementLoops(instruction.opcode())) return true;
  constexpr size_t kFirstStart = 2;
  const bool is_known =
      instruction.opcode() != Opcode::kDynamicUpdateSlice ||
      llvm::all_of(instruction.operands().drop_front(kFirstStart),
                   [](const Instruction* start) { return start->opcode() == Opcode::kConstant; });
  return HasAlternatives(instruction.opcode()) && is_known && HasElementLoopsBefore(instruction);
}

std::optional<PlannedElement> OperandAt(const PlannedElement& element, size_t operand,
                                        PlanContext& plans) {
  const Instruction& instruction = *element.instruction;
  const OutputIndexing reads = plans.analysis.OutputToInput(instruction, element.leaf);
  for (const OperandIndexing& read : reads.operands()) {
    if (read.operand() != operand) continue;
    const bool is_one_map = read.exactness() == indexing_analysis::Exactness::kExact &&
                            read.maps().size() == 1 && !read.maps()[0].replica_map.has_value();
    if (!is_one_map) break;
    // The same index stays as it is written, and so the same element.
    const IndexingMap& map = read.maps()[0].map;
    const Instruction& array = instruction.operand(operand);
    if (!map.IsUnknown() && map.affine_map().isIdentity() && map.constraints().empty() &&
        array.shape().ArrayLeaf(read.leaf()).sizes() ==
            instruction.shape().ArrayLeaf(element.leaf).sizes()) {
      return PlannedElement{&array, read.leaf(), element.index};
    }
    return PlannedElement{&instruction.operand(operand), read.leaf(),
                          plans.maps.Compose(element.index, read.maps()[0].map)};
  }
  const bool is_read = reads.IsUnknown() || llvm::any_of(reads.operands(), [&](const auto& read) {
                         return read.operand() == operand;
                       });
  if (is_read) return std::nullopt;
  return PlannedElement{&instruction.operand(operand), 0, IndexingMap::KnownEmpty(element.index)};
}

bool HasAlternatives(Opcode opcode) {
  return opcode == Opcode::kPad || opcode == Opcode::kConcatenate ||
         opcode == Opcode::kDynamicUpdateSlice;
}

absl::StatusOr<std::vector<ElementAlternative>> AlternativesOf(const PlannedElement& element,
                                                               PlanContext& plans) {
  if (element.instruction->opcode() == Opcode::kConcatenate) return OfConcatenate(element, plans);
  const bool is_pad = element.instruction->opcode() == Opcode::kPad;
  // What is inside of a pad, or of an update; and the padding, or what is updated.
  std::optional<PlannedElement> inside = OperandAt(element, is_pad ? 0 : 1, plans);
  if (!inside.has_value()) return NotOneElement(is_pad ? "its operand" : "its update");
  PlannedElement rest = {&element.instruction->operand(is_pad ? 1 : 0), 0,
                         is_pad ? ScalarIndex(element.index) : element.index};
  if (inside->index.IsKnownEmpty()) return std::vector<ElementAlternative>{{std::move(rest), {}}};
  Conditions conditions = ConditionsOf(inside->index, element.index);
  if (conditions.empty()) return std::vector<ElementAlternative>{{*std::move(inside), {}}};
  return std::vector<ElementAlternative>{{*std::move(inside), std::move(conditions)},
                                         {std::move(rest), {}, /*is_rest=*/true}};
}

std::vector<LaneRun> RunsOfLanes(llvm::ArrayRef<ElementAlternative> alternatives, int64_t lanes,
                                 MapTable& maps) {
  std::vector<LaneRun> runs;
  std::optional<size_t> last;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const auto holds = [&](const ElementAlternative& alternative) {
      return HoldAtLane(alternative.conditions, lane, maps);
    };
    size_t chosen = 0;
    while (chosen + 1 < alternatives.size() && holds(alternatives[chosen]) == false) ++chosen;
    if (chosen + 1 < alternatives.size() && !holds(alternatives[chosen]).has_value()) return {};
    if (last == chosen) {
      ++runs.back().count;
      continue;
    }
    last = chosen;
    runs.push_back({alternatives[chosen].element, 1});
  }
  int64_t first = 0;
  for (LaneRun& run : runs) {
    run.element.index = OfLanes(run.element.index, first, run.count, maps);
    if (run.element.index.IsKnownEmpty()) return {};
    first += run.count;
  }
  return runs;
}

IndexingMap AsLaunched(const Launch& launch, const IndexingMap& map, int64_t vector_elements,
                       std::optional<indexing_analysis::Interval> turns) {
  std::vector<Variable> dimensions(map.dimensions());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t count = i < 3 ? launch.threads[i] : launch.blocks[i - 3];
    dimensions[i].bounds = {0, count - 1};
  }
  std::vector<Variable> ranges(map.ranges());
  if (turns.has_value()) ranges.front().bounds = *turns;
  // That some lanes are no elements is a condition.
  if (vector_elements > 1) ranges.back().bounds = {0, vector_elements - 1};
  return {map.affine_map(), std::move(dimensions), std::move(ranges), map.runtime(), {}};
}

std::optional<IndexBeforeLoops> BeforeLoops(const IndexingMap& index, size_t first_loop,
                                            size_t count, int64_t vector_elements,
                                            const Launch& launch, MapTable& maps, LoopForm form) {
  std::optional<IndexingMap> first = IndexOfFirstTurn(index, first_loop, count, maps, form);
  if (!first.has_value()) return std::nullopt;
  Conditions conditions = ConditionsOf(*first, AsLaunched(launch, *first, vector_elements));
  if (vector_elements > 1) {
    std::optional<Conditions> same = SameForAllLanes(conditions, vector_elements, maps);
    if (!same.has_value()) return std::nullopt;
    conditions = *std::move(same);
  }
  return IndexBeforeLoops{*std::move(first), std::move(conditions)};
}

}  // namespace hlo_indexing::plan
