// Elements that are made of many: reductions, windows, sums of products.
#include <functional>
#include <utility>

#include "codegen/emit/element_emitter.h"
#include "codegen/emit/elementwise.h"
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

// reduce and reduce-window: arrays, then their initial values.
ElementEmitter::Step ElementEmitter::StepOfReduction(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const size_t num_arrays = instruction.operands().size() / 2;
  Step step;
  for (size_t i = 0; i < num_arrays; ++i) {
    if (!instruction.operand(num_arrays + i).shape().IsScalar()) {
      return Failed(element, "combines arrays");
    }
    step.operands.push_back(
        {element.frame, &instruction.operand(num_arrays + i), 0, ScalarIndex(element.index)});
  }
  std::vector<Element> inputs;
  Conditions conditions;
  size_t num_loops = 0;
  for (size_t i = 0; i < num_arrays; ++i) {
    std::optional<Element> input = OperandAt(element, i);
    if (!input.has_value()) return Failed(element, "is not read by one map");
    if (input->index.IsKnownEmpty()) return Alias(step.operands[static_cast<size_t>(element.leaf)]);
    num_loops = input->index.num_ranges() - element.index.num_ranges();
    const IndexingMap known =
        WithRangesInFront(element.index, input->index.ranges().take_front(num_loops));
    conditions = ConditionsOf(input->index, known);
    inputs.push_back(*std::move(input));
  }
  size_t count = CountOf(element);
  if (count > 1 && !conditions.empty()) {
    std::optional<Conditions> same = SameForAllLanes(conditions, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    conditions = *std::move(same);
  }
  step.make = [=, this, &instruction](llvm::ArrayRef<const Lanes*> initial) {
    // Values of one array after the other, each of `count` lanes.
    std::vector<ElementType> types;
    Values carried;
    for (size_t i = 0; i < num_arrays; ++i) {
      types.push_back(instruction.operand(i).shape().element_type());
      llvm::append_range(carried, Flatten(Replicate(*initial[i], count)));
    }
    const Values results =
        EmitLoops(inputs.front().index, num_loops, carried, [&](ValueRange values) {
          return EmitWhere(conditions, values, [&] {
            std::vector<Lanes> parameters = SplitLanes(values, types, count);
            for (const Element& input : inputs) {
              parameters.push_back(Replicate(Compute(input), count));
            }
            Values combined;
            for (const Lanes& lanes : Apply(*instruction.Callee(AttributeName::kToApply),
                                            std::move(parameters), inputs.front().index)) {
              llvm::append_range(combined, Flatten(Replicate(lanes, count)));
            }
            return combined;
          });
        });
    const std::vector<Lanes> of_arrays = SplitLanes(results, types, count);
    RememberLeaves(element, of_arrays);
    return of_arrays[static_cast<size_t>(element.leaf)];
  };
  return step;
}

// dot and convolution: sums of products.
ElementEmitter::Step ElementEmitter::StepOfProducts(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const ElementType type = ShapeOf(element).element_type();
  if (instruction.operands().size() != 2) return Failed(element, "has sparse operands");
  const auto zero = [this, type](llvm::ArrayRef<const Lanes*>) -> Lanes {
    return {ZeroOf(builder_, type)};
  };
  const std::optional<Element> lhs = OperandAt(element, 0);
  const std::optional<Element> rhs = OperandAt(element, 1);
  if (!lhs.has_value() || !rhs.has_value()) return Failed(element, "is not read by one map");
  if (lhs->index.IsKnownEmpty() || rhs->index.IsKnownEmpty()) return {{}, zero};
  if (lhs->index.num_ranges() != rhs->index.num_ranges()) {
    return Failed(element, "reads its operands along different dimensions");
  }
  const size_t num_loops = lhs->index.num_ranges() - element.index.num_ranges();
  // Of both: each may know more of the ranges than the other.
  std::vector<Conditions> conditions;
  for (const Element* operand : {&*lhs, &*rhs}) {
    const IndexingMap known =
        WithRangesInFront(element.index, lhs->index.ranges().take_front(num_loops));
    conditions.push_back(ConditionsOf(operand->index, known));
  }
  const size_t count = CountOf(element);
  for (Conditions& condition : conditions) {
    if (count == 1 || condition.empty()) continue;
    std::optional<Conditions> same = SameForAllLanes(condition, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    condition = *std::move(same);
  }
  return {{}, [=, this, &instruction](llvm::ArrayRef<const Lanes*>) {
            ProductSum sum(builder_, instruction);
            const Values carried = Flatten(Replicate({sum.Zero()}, count));
            const Values results =
                EmitLoops(lhs->index, num_loops, carried, [&](ValueRange values) {
                  return EmitWhere(conditions[0], values, [&] {
                    return EmitWhere(conditions[1], values, [&] {
                      const Lanes a = Replicate(Compute(*lhs), count);
                      const Lanes b = Replicate(Compute(*rhs), count);
                      Lanes sums = Unflatten(values, sum.type());
                      for (size_t i = 0; i < count; ++i) sums[i] = sum.Add(sums[i], a[i], b[i]);
                      return Flatten(sums);
                    });
                  });
                });
            Lanes lanes;
            for (const Number& number : Unflatten(results, sum.type())) {
              lanes.push_back(sum.Finish(number));
            }
            return lanes;
          }};
}

}  // namespace hlo_indexing::emit
