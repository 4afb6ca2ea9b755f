#include "codegen/plan/short_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "codegen/plan/element_loops.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/thread_map.h"
#include "hlo/opcode.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::Variable;

namespace {

// Turns of the loops of one element, and with those inside of them.
constexpr int64_t kMostTurns = 16;
constexpr int64_t kMostNestedTurns = 64;

// What the loops of an element read, the loops in front of the ranges of the element.
struct Loops {
  std::vector<PlannedElement> inputs;
  size_t num_loops = 0;
  int64_t num_turns = 1;

  llvm::ArrayRef<Variable> ranges() const {
    return inputs.front().index.ranges().take_front(num_loops);
  }
};

bool IsReduction(Opcode opcode) {
  return opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow;
}

// nullopt if they have more than the most turns, or read what is not known.
std::optional<Loops> ShortLoopsOf(const PlannedElement& element, PlanContext& plans) {
  const Instruction& instruction = *element.instruction;
  if (element.index.num_runtime() > 0) return std::nullopt;
  const bool is_product =
      instruction.opcode() == Opcode::kDot || instruction.opcode() == Opcode::kConvolution;
  if (!is_product && !IsReduction(instruction.opcode())) return std::nullopt;
  if (is_product && instruction.operands().size() != 2) return std::nullopt;
  const size_t num_arrays = is_product ? 2 : instruction.operands().size() / 2;
  Loops loops;
  for (size_t i = 0; i < num_arrays; ++i) {
    // A computation that combines whole results.
    if (!is_product && !instruction.operand(num_arrays + i).shape().IsScalar()) {
      return std::nullopt;
    }
    std::optional<PlannedElement> input = OperandAt(element, i, plans);
    const bool is_plain = input.has_value() && !input->index.IsUnknown() &&
                          !input->index.IsKnownEmpty() && input->index.num_runtime() == 0;
    if (!is_plain) return std::nullopt;
    if (i > 0 && input->index.num_ranges() != loops.inputs.front().index.num_ranges()) {
      return std::nullopt;
    }
    loops.inputs.push_back(*std::move(input));
  }
  loops.num_loops = loops.inputs.front().index.num_ranges() - element.index.num_ranges();
  for (const Variable& loop : loops.ranges()) {
    const auto size = support::CheckedSub(loop.bounds.upper, loop.bounds.lower);
    if (!size.has_value() || *size >= kMostTurns) return std::nullopt;
    loops.num_turns *= *size + 1;
    if (loops.num_turns > kMostTurns) return std::nullopt;
  }
  return loops;
}

class NestedTurns {
 public:
  explicit NestedTurns(PlanContext& plans) : plans_(plans) {}

  // The turns of these loops, those of reductions that each turn makes anew times theirs. nullopt
  // if an element in them is made in another way that has loops, or is not known.
  std::optional<int64_t> Count(const PlannedElement& element, const Loops& loops, int depth = 0) {
    if (!HasElementLoopsBefore(*element.instruction)) return loops.num_turns;
    if (depth == kMaxDepth) return std::nullopt;
    int64_t inside = 1;
    int64_t before = 1;
    std::unordered_set<PlannedElement, PlannedElementHash> visited;
    std::vector<PlannedElement> pending = loops.inputs;
    while (!pending.empty()) {
      const PlannedElement next = std::move(pending.back());
      pending.pop_back();
      if (next.index.IsKnownEmpty() || !visited.insert(next).second) continue;
      if (++num_visited_ > kMostVisited) return std::nullopt;
      if (!HasElementLoops(next.instruction->opcode())) {
        if (!AddOperands(next, pending)) return std::nullopt;
        continue;
      }
      const std::optional<IndexingMap> index = WithoutRangesInFront(next.index, loops.ranges());
      const bool is_before = index.has_value() && HaveSameDomain(*index, element.index);
      std::optional<int64_t> turns;
      if (const std::optional<Loops> nested = ShortLoopsOf(next, plans_)) {
        turns = Count(next, *nested, depth + 1);
      }
      // Loops that stand before those of this one stay what they are.
      if (!turns.has_value() && !is_before) return std::nullopt;
      int64_t& most = is_before ? before : inside;
      most = std::max(most, turns.value_or(1));
    }
    const int64_t count = std::max(loops.num_turns * inside, before);
    return count <= kMostNestedTurns ? std::optional(count) : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 6;
  static constexpr size_t kMostVisited = 1000;

  // False if it is not known which elements these are.
  bool AddOperands(const PlannedElement& element, std::vector<PlannedElement>& elements) {
    if (element.index.IsUnknown() || element.index.num_runtime() > 0) return false;
    // Code of other computations may have loops of its own.
    if (!element.instruction->Callees().empty()) return false;
    if (std::optional<PlannedElement> alias = AliasOf(element, plans_)) {
      elements.push_back(*std::move(alias));
      return true;
    }
    if (HasAlternatives(element.instruction->opcode())) {
      absl::StatusOr<std::vector<ElementAlternative>> alternatives =
          AlternativesOf(element, plans_);
      if (!alternatives.ok()) return false;
      for (ElementAlternative& alternative : *alternatives) {
        elements.push_back(std::move(alternative.element));
      }
      return true;
    }
    for (size_t i = 0; i < element.instruction->operands().size(); ++i) {
      std::optional<PlannedElement> operand = OperandAt(element, i, plans_);
      if (!operand.has_value()) return false;
      elements.push_back(*std::move(operand));
    }
    return true;
  }

  PlanContext& plans_;
  size_t num_visited_ = 0;
};

// The index in one turn; known empty if nothing is read then, nullopt if it cannot be told.
std::optional<IndexingMap> InTurn(const IndexingMap& index, llvm::ArrayRef<int64_t> turn,
                                  MapTable& maps) {
  IndexingMap at = index;
  for (size_t i = 0; i < turn.size() && !at.IsKnownEmpty(); ++i) at = AtRange(at, i, turn[i], maps);
  if (at.IsKnownEmpty()) return at;
  if (at.num_ranges() != index.num_ranges()) return std::nullopt;
  return WithoutRangesInFront(at, at.ranges().take_front(turn.size()));
}

}  // namespace

std::optional<std::vector<ShortTurn>> ShortTurnsOf(const PlannedElement& element,
                                                   PlanContext& plans) {
  const std::optional<Loops> loops = ShortLoopsOf(element, plans);
  if (!loops.has_value() || !NestedTurns(plans).Count(element, *loops).has_value()) {
    return std::nullopt;
  }
  std::vector<ShortTurn> turns;
  for (int64_t number = 0; number < loops->num_turns; ++number) {
    llvm::SmallVector<int64_t, 4> turn(loops->num_loops);
    int64_t rest = number;
    for (size_t i = loops->num_loops; i-- > 0;) {
      const Interval bounds = loops->ranges()[i].bounds;
      const int64_t size = bounds.upper - bounds.lower + 1;
      turn[i] = bounds.lower + rest % size;
      rest /= size;
    }
    ShortTurn& read = turns.emplace_back();
    bool is_read = true;
    for (const PlannedElement& input : loops->inputs) {
      std::optional<IndexingMap> index = InTurn(input.index, turn, plans.maps);
      if (!index.has_value()) return std::nullopt;
      is_read = is_read && !index->IsKnownEmpty();
      if (!is_read) break;
      Conditions conditions = ConditionsOf(*index, element.index);
      const bool is_new = llvm::none_of(
          read.conditions, [&](const Conditions& other) { return other == conditions; });
      if (!conditions.empty() && is_new) read.conditions.push_back(std::move(conditions));
      read.elements.push_back({input.instruction, input.leaf, *std::move(index)});
    }
    if (!is_read) turns.pop_back();
  }
  return turns;
}

}  // namespace hlo_indexing::plan
