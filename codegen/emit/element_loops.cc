// Elements that are made of many: reductions and windows.
#include <functional>
#include <unordered_set>
#include <utility>

#include "codegen/emit/element_emitter.h"
#include "codegen/emit/elementwise.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/movement.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using mlir::Value;
using mlir::ValueRange;

Values ElementEmitter::EmitLoops(const IndexingMap& map, size_t count, const Values& carried,
                                 llvm::function_ref<Values(ValueRange)> body) {
  // What LLVM takes for loops grows with the square of their number.
  constexpr int64_t kElementsOfLoop = 16;
  num_elements_ += kElementsOfLoop * static_cast<int64_t>(count);
  Values indices;
  const std::function<Values(size_t, ValueRange)> from = [&](size_t i, ValueRange values) {
    if (i == count) {
      const Values outer = ranges_;
      ranges_ = indices;
      llvm::append_range(ranges_, outer);
      Values results = InScope([&] { return body(values); });
      ranges_ = outer;
      return results;
    }
    const Interval bounds = map.ranges()[i].bounds;
    return builder_.For(bounds.lower, bounds.upper, values,
                        [&](Value index, ValueRange inner) -> Values {
                          indices.push_back(index);
                          Values results = from(i + 1, inner);
                          indices.pop_back();
                          return results;
                        });
  };
  return from(0, carried);
}

Values ElementEmitter::EmitWhere(const Conditions& conditions, ValueRange carried,
                                 llvm::function_ref<Values()> body) {
  if (conditions.empty()) return body();
  return builder_.If(
      EmitConditions(conditions), [&] { return InScope([&] { return body(); }); },
      [&] { return Values(carried); });
}

std::vector<ElementEmitter::Invariant> ElementEmitter::FindInvariants(const Element& element,
                                                                      llvm::ArrayRef<Element> read,
                                                                      size_t num_loops) {
  constexpr size_t kMostVisited = 1000;
  // Computed indices may have loops, too.
  const bool has_runtime =
      llvm::any_of(read, [](const Element& of) { return of.index.num_runtime() > 0; });
  if (!has_runtime && !plan::HasElementLoopsBefore(*element.instruction)) return {};
  std::vector<Invariant> invariants;
  std::unordered_set<Element, ElementHash> visited;
  std::vector<Element> pending(read.begin(), read.end());
  // What is looked at here counts when its code is made.
  const int64_t num_elements = num_elements_;
  while (!pending.empty() && visited.size() < kMostVisited) {
    const Element next = std::move(pending.back());
    pending.pop_back();
    const Instruction& instruction = *next.instruction;
    const bool is_given =
        next.frame == nullptr && (IsProvided(next) || plan_.InputNumber(instruction).has_value());
    if (next.frame != element.frame || next.index.IsKnownEmpty() || !visited.insert(next).second) {
      continue;
    }
    llvm::append_range(pending, RuntimeElements(next.index));
    if (is_given) continue;
    const bool is_made_before = plan::IsMadeBeforeLoops(instruction);
    const plan::PlannedElement planned = {&instruction, next.leaf, next.index};
    if (!is_made_before && (plan::IsStraight(planned) || plan::AliasOf(planned, plans_))) {
      llvm::append_range(pending, StepOf(next).operands);
      continue;
    }
    if (!is_made_before) continue;
    const auto index =
        plan::IndexOutsideLoops(next.index, read.front().index.ranges().take_front(num_loops),
                                element.index, ShapeOf(next).sizes(), plans_.maps);
    if (!index.has_value()) continue;
    invariants.push_back({next, {next.frame, next.instruction, next.leaf, *index}});
  }
  num_elements_ = num_elements;
  return invariants;
}

void ElementEmitter::RememberInvariants(llvm::ArrayRef<Invariant> invariants,
                                        llvm::ArrayRef<const Lanes*> computed) {
  for (size_t i = 0; i < invariants.size(); ++i) Remember(invariants[i].in_turn, *computed[i]);
}

// It is read before the loops that make the element.
std::vector<ElementEmitter::Element> ElementEmitter::RuntimeElements(const IndexingMap& index) {
  std::vector<Element> elements;
  auto symbol = static_cast<unsigned>(index.num_ranges());
  for (const indexing_analysis::RuntimeVariable& variable : index.runtime()) {
    const bool is_read = index.affine_map().isFunctionOfSymbol(symbol++);
    if (!is_read || variable.instruction == nullptr || variable.index.IsUnknown()) continue;
    elements.push_back(ElementOf(variable, index));
  }
  return elements;
}

// The element of each slice that a reduction combines whole, where the element itself is.
ElementEmitter::Element ElementEmitter::OperandOfSlices(const Element& element, size_t operand) {
  const Instruction& array = element.instruction->operand(operand);
  const llvm::ArrayRef<int64_t> reduced = element.instruction->Integers(AttributeName::kDimensions);
  std::vector<indexing_analysis::Variable> loops;
  for (int64_t i = 0; i < array.shape().rank(); ++i) {
    if (!llvm::is_contained(reduced, i)) continue;
    loops.push_back({{0, array.shape().sizes()[static_cast<size_t>(i)] - 1}, ""});
  }
  const IndexingMap in_loops = plan::WithRangesInFront(element.index, loops);
  llvm::SmallVector<mlir::AffineExpr, 6> index;
  unsigned loop = 0;
  unsigned kept = 0;
  for (int64_t i = 0; i < array.shape().rank(); ++i) {
    index.push_back(llvm::is_contained(reduced, i)
                        ? mlir::getAffineSymbolExpr(loop++, plans_.mlir_context)
                        : in_loops.affine_map().getResult(kept++));
  }
  return ElementAt(element, array, in_loops, index);
}

// The turns of short loops one after the other: what several of them read is read once. The
// operands of the step are those of the initial values so far.
ElementEmitter::Step ElementEmitter::StepOfTurns(const Element& element,
                                                 std::vector<plan::ShortTurn> turns, Step step,
                                                 TurnCode code) {
  const size_t num_initial = step.operands.size();
  for (plan::ShortTurn& turn : turns) {
    for (Conditions& conditions : turn.conditions) {
      if (CountOf(element) == 1) break;
      std::optional<Conditions> same = SameForAllLanes(conditions, num_lanes_, plans_.maps);
      if (!same.has_value()) return LaneByLane(element);
      conditions = *std::move(same);
    }
    if (!turn.conditions.empty()) continue;
    for (const plan::PlannedElement& read : turn.elements) {
      step.operands.push_back(InFrame(element.frame, read));
    }
  }
  step.make = [=, this](llvm::ArrayRef<const Lanes*> operands) {
    Values carried = code.initial(operands.take_front(num_initial));
    llvm::ArrayRef<const Lanes*> unconditional = operands.drop_front(num_initial);
    for (const plan::ShortTurn& turn : turns) {
      std::vector<Lanes> read;
      if (turn.conditions.empty()) {
        const size_t count = turn.elements.size();
        for (const Lanes* lanes : unconditional.take_front(count)) read.push_back(*lanes);
        unconditional = unconditional.drop_front(count);
        carried = code.combine(carried, read, element.index);
        continue;
      }
      const std::function<Values(size_t)> where = [&](size_t i) {
        if (i < turn.conditions.size()) {
          return EmitWhere(turn.conditions[i], carried, [&] { return where(i + 1); });
        }
        for (const plan::PlannedElement& of : turn.elements) {
          read.push_back(Compute(InFrame(element.frame, of)));
        }
        return code.combine(carried, read, element.index);
      };
      carried = where(0);
    }
    return code.finish(carried);
  };
  return step;
}

ElementEmitter::TurnCode ElementEmitter::ReductionCode(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const size_t count = CountOf(element);
  std::vector<ElementType> types;
  for (size_t i = 0; i < instruction.operands().size() / 2; ++i) {
    types.push_back(instruction.operand(i).shape().element_type());
  }
  TurnCode code;
  code.initial = [count](llvm::ArrayRef<const Lanes*> initial) {
    Values carried;
    for (const Lanes* lanes : initial) {
      llvm::append_range(carried, Flatten(Replicate(*lanes, count)));
    }
    return carried;
  };
  code.combine = [=, this, &instruction](ValueRange values, llvm::ArrayRef<Lanes> read,
                                         const IndexingMap& index) {
    std::vector<Lanes> parameters = SplitLanes(values, types, count);
    for (const Lanes& lanes : read) parameters.push_back(Replicate(lanes, count));
    Values combined;
    for (const Lanes& lanes :
         Apply(*instruction.Callee(AttributeName::kToApply), std::move(parameters), index)) {
      llvm::append_range(combined, Flatten(Replicate(lanes, count)));
    }
    return combined;
  };
  code.finish = [=, this](ValueRange values) {
    const std::vector<Lanes> of_arrays = SplitLanes(values, types, count);
    RememberLeaves(element, of_arrays);
    return of_arrays[static_cast<size_t>(element.leaf)];
  };
  return code;
}

// reduce and reduce-window: arrays, then their initial values.
ElementEmitter::Step ElementEmitter::StepOfReduction(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const size_t num_arrays = instruction.operands().size() / 2;
  Step step;
  for (size_t i = 0; i < num_arrays; ++i) {
    // An initial value of as many elements as the result: the computation combines whole results.
    const Instruction& initial = instruction.operand(num_arrays + i);
    step.operands.push_back(
        {element.frame, &initial, 0,
         initial.shape().IsScalar() ? ScalarIndex(element.index) : element.index});
  }
  if (auto turns = plan::ShortTurnsOf({&instruction, element.leaf, element.index}, plans_)) {
    return StepOfTurns(element, *std::move(turns), std::move(step), ReductionCode(element));
  }
  std::vector<Element> inputs;
  Conditions conditions;
  size_t num_loops = 0;
  IndexingMap result_in_loops;
  for (size_t i = 0; i < num_arrays; ++i) {
    const bool is_scalar = instruction.operand(num_arrays + i).shape().IsScalar();
    std::optional<Element> input = is_scalar ? OperandAt(element, i) : OperandOfSlices(element, i);
    if (!input.has_value()) return Failed(element, "is not read by one map");
    if (input->index.IsKnownEmpty()) return Alias(step.operands[static_cast<size_t>(element.leaf)]);
    num_loops = input->index.num_ranges() - element.index.num_ranges();
    const IndexingMap known =
        plan::WithRangesInFront(element.index, input->index.ranges().take_front(num_loops));
    conditions = ConditionsOf(input->index, known);
    result_in_loops = known;
    inputs.push_back(*std::move(input));
  }
  size_t count = CountOf(element);
  if (count > 1 && !conditions.empty()) {
    std::optional<Conditions> same = SameForAllLanes(conditions, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    conditions = *std::move(same);
  }
  const std::vector<Invariant> invariants = FindInvariants(element, inputs, num_loops);
  for (const Invariant& invariant : invariants) step.operands.push_back(invariant.before);
  llvm::append_range(step.operands, RuntimeElements(element.index));
  // Initial values, then what is the same in all turns.
  step.make = [=, this, code = ReductionCode(element)](llvm::ArrayRef<const Lanes*> computed) {
    const Values carried = code.initial(computed.take_front(num_arrays));
    const Values results =
        EmitLoops(inputs.front().index, num_loops, carried, [&](ValueRange values) {
          RememberInvariants(invariants, computed.drop_front(num_arrays));
          return EmitWhere(conditions, values, [&] {
            std::vector<Lanes> read;
            for (const Element& input : inputs) read.push_back(Compute(input));
            return code.combine(values, read, result_in_loops);
          });
        });
    return code.finish(results);
  };
  return step;
}

}  // namespace hlo_indexing::emit
