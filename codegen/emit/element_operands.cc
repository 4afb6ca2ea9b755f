// Elements that are elements of operands: the same, moved, or one of several.
#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "codegen/emit/element_emitter.h"
#include "codegen/emit/elementwise.h"
#include "hlo/attribute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using mlir::AffineMap;
using mlir::Value;

namespace {

// The value that the operation of a new value, which is no operand, comes to, as negate(negate(x))
// to x. The conversion to LLVM's dialect would find that as well, but for each value it then
// follows all that it has replaced before: of a chain the square of its length.
mlir::Value Folded(mlir::Value value, llvm::ArrayRef<Number> operands) {
  // An operand's own operation may have no use yet.
  const bool is_operand = llvm::any_of(operands, [&](const Number& operand) {
    return operand.value == value || operand.imaginary == value;
  });
  mlir::Operation* const operation =
      value == nullptr || is_operand ? nullptr : value.getDefiningOp();
  if (operation == nullptr || operation->getNumResults() != 1 || !operation->use_empty()) {
    return value;
  }
  llvm::SmallVector<mlir::OpFoldResult, 1> results;
  mlir::Value folded;
  llvm::APInt constant;
  llvm::APInt inner_constant;
  // not(not(x)): what is folded by itself has to be one constant, and not two that are equal.
  if (auto outer = mlir::dyn_cast<mlir::arith::XOrIOp>(operation)) {
    auto inner = outer.getLhs().getDefiningOp<mlir::arith::XOrIOp>();
    if (inner && mlir::matchPattern(outer.getRhs(), mlir::m_ConstantInt(&constant)) &&
        mlir::matchPattern(inner.getRhs(), mlir::m_ConstantInt(&inner_constant)) &&
        constant == inner_constant) {
      folded = inner.getLhs();
    }
  }
  if (folded == nullptr && mlir::succeeded(operation->fold(results)) && results.size() == 1) {
    folded = mlir::dyn_cast<mlir::Value>(results.front());
  }
  if (folded == nullptr || folded == value) return value;
  operation->erase();
  return folded;
}

}  // namespace

ElementEmitter::Step ElementEmitter::StepOfElementwise(const Element& element) {
  const Instruction& instruction = *element.instruction;
  if (!IsElementwise(instruction.opcode())) {
    return Failed(element, "has no code in a kernel");
  }
  Step step;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    step.operands.push_back(OperandBeside(element, i));
  }
  step.make = [this, &instruction](llvm::ArrayRef<const Lanes*> operands) {
    size_t count = 1;
    for (const Lanes* operand : operands) count = std::max(count, operand->size());
    Lanes lanes;
    for (size_t lane = 0; lane < count; ++lane) {
      llvm::SmallVector<Number, 3> numbers;
      for (const Lanes* operand : operands) {
        numbers.push_back((*operand)[operand->size() == 1 ? 0 : lane]);
      }
      absl::StatusOr<Number> number = EmitElementwise(builder_, instruction, numbers);
      if (!number.ok()) {
        Fail(instruction, std::string(number.status().message()));
        number = ZeroOf(builder_, instruction.shape().element_type());
      }
      number->value = Folded(number->value, numbers);
      number->imaginary = Folded(number->imaginary, numbers);
      lanes.push_back(*number);
    }
    return lanes;
  };
  return step;
}

// Between elements of different widths: the most minor dimension has the parts of the wider ones,
// the lowest bits first.
ElementEmitter::Step ElementEmitter::StepOfBitcastConvert(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const ElementType from = instruction.operand(0).shape().element_type();
  const ElementType to = instruction.shape().element_type();
  const AffineMap affine = element.index.affine_map();
  const auto at = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return Element{element.frame, &instruction.operand(0), 0,
                   element.index.WithResults(AffineMap::get(
                       affine.getNumDims(), affine.getNumSymbols(), results, plans_.mlir_context))};
  };
  Step step;
  llvm::SmallVector<mlir::AffineExpr, 6> index(affine.getResults());
  if (instruction.shape().rank() < instruction.operand(0).shape().rank()) {
    const int64_t num_parts = instruction.operand(0).shape().sizes().back();
    for (int64_t i = 0; i < num_parts; ++i) {
      index.push_back(mlir::getAffineConstantExpr(i, plans_.mlir_context));
      step.operands.push_back(at(index));
      index.pop_back();
    }
    step.make = [this, element, from, to](llvm::ArrayRef<const Lanes*> parts_of) {
      size_t count = 1;
      for (const Lanes* part : parts_of) count = std::max(count, part->size());
      Lanes lanes;
      for (size_t lane = 0; lane < count; ++lane) {
        Lanes parts;
        for (const Lanes* part : parts_of) parts.push_back((*part)[part->size() == 1 ? 0 : lane]);
        lanes.push_back(EmitJoinedBits(builder_, parts, from, to));
      }
      return lanes;
    };
    return step;
  }
  const mlir::AffineExpr place = index.pop_back_val();
  step.operands.push_back(at(index));
  const IndexingMap places =
      element.index.WithResults(AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), place));
  step.make = [this, element, places, from, to](llvm::ArrayRef<const Lanes*> operands) {
    const Lanes& whole = *operands.front();
    const bool differ = num_lanes_ > 1 && DependsOnLane(places);
    Lanes lanes;
    for (size_t lane = 0; lane < (differ ? CountOf(element) : whole.size()); ++lane) {
      const IndexingMap at_lane =
          differ ? AtLane(places, static_cast<int64_t>(lane), plans_.maps) : places;
      const Value index_of_part = EmitIndex(at_lane.IsKnownEmpty() ? places : at_lane);
      lanes.push_back(
          EmitBitsAt(builder_, whole[whole.size() == 1 ? 0 : lane], index_of_part, from, to));
    }
    return lanes;
  };
  return step;
}

ElementEmitter::Step ElementEmitter::StepOfMap(const Element& element) {
  const Instruction& instruction = *element.instruction;
  Step step;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    step.operands.push_back(OperandBeside(element, i));
  }
  step.make = [this, element, &instruction](llvm::ArrayRef<const Lanes*> operands) {
    std::vector<Lanes> parameters;
    for (const Lanes* operand : operands) parameters.push_back(*operand);
    return Apply(*instruction.Callee(AttributeName::kToApply), std::move(parameters),
                 element.index)[static_cast<size_t>(element.leaf)];
  };
  return step;
}

ElementEmitter::Step ElementEmitter::StepOfMovement(const Element& element) {
  std::optional<Element> operand = OperandAt(element, 0);
  if (!operand.has_value()) return Failed(element, "does not read one element of its operand");
  const ElementType from = ShapeOf(*operand).element_type();
  const ElementType to = ShapeOf(element).element_type();
  if (hlo::ElementBits(from) != hlo::ElementBits(to) ||
      (from != to && (from == ElementType::kPred || to == ElementType::kPred))) {
    return Failed(element, "changes the size of elements");
  }
  if (operand->index.IsKnownEmpty()) return NeverComputed(element);
  if (from == to) return Alias(*std::move(operand));
  return {{*std::move(operand)}, [this, from, to](llvm::ArrayRef<const Lanes*> operands) {
            Lanes lanes;
            for (const Number& number : *operands.front()) {
              lanes.push_back(EmitJoinedBits(builder_, {number}, from, to));
            }
            return lanes;
          }};
}

ElementEmitter::Step ElementEmitter::LaneByLane(const Element& element) {
  Step step;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    Element at = element;
    at.index = AtLane(element.index, lane, plans_.maps);
    if (at.index.IsKnownEmpty()) at.index = AtLane(element.index, 0, plans_.maps);
    step.operands.push_back(std::move(at));
  }
  step.make = [](llvm::ArrayRef<const Lanes*> operands) {
    Lanes lanes;
    for (const Lanes* operand : operands) lanes.push_back(operand->front());
    return lanes;
  };
  return step;
}

ElementEmitter::Step ElementEmitter::RunsOfLanes(
    const Element& element, llvm::ArrayRef<plan::ElementAlternative> alternatives) {
  // Applied computations get all lanes from outside.
  for (const Frame* frame = element.frame; frame != nullptr; frame = frame->caller) {
    if (frame->has_parameters) return LaneByLane(element);
  }
  const std::vector<plan::LaneRun> runs = plan::RunsOfLanes(alternatives, num_lanes_, plans_.maps);
  if (runs.empty()) return LaneByLane(element);
  if (runs.size() == 1) return Alias(InFrame(element.frame, runs.front().element));
  return {{}, [this, frame = element.frame, runs](llvm::ArrayRef<const Lanes*>) {
            Lanes lanes;
            for (const plan::LaneRun& run : runs) {
              const Scope scope(*this, Scope::Kind::kLanes);
              const int64_t all = std::exchange(num_lanes_, run.count);
              llvm::append_range(lanes, Replicate(Compute(InFrame(frame, run.element)),
                                                  static_cast<size_t>(run.count)));
              num_lanes_ = all;
            }
            return lanes;
          }};
}

ElementEmitter::Step ElementEmitter::FirstThatHolds(
    const Element& element, std::vector<plan::ElementAlternative> alternatives) {
  if (alternatives.size() == 1) return Alias(InFrame(element.frame, alternatives.front().element));
  if (num_lanes_ > 1 && DependsOnLane(element.index)) {
    std::vector<Conditions> of_all_lanes;
    for (const plan::ElementAlternative& alternative : alternatives) {
      std::optional<Conditions> same =
          SameForAllLanes(alternative.conditions, num_lanes_, plans_.maps);
      if (!same.has_value()) return RunsOfLanes(element, alternatives);
      of_all_lanes.push_back(*std::move(same));
    }
    for (size_t i = 0; i < alternatives.size(); ++i) {
      alternatives[i].conditions = std::move(of_all_lanes[i]);
    }
  }
  return {{}, [this, element, alternatives](llvm::ArrayRef<const Lanes*>) {
            return EmitAlternatives(element, alternatives, CountOf(element));
          }};
}

Lanes ElementEmitter::EmitAlternatives(const Element& element,
                                       llvm::ArrayRef<plan::ElementAlternative> alternatives,
                                       size_t count) {
  const ElementType type = ShapeOf(element).element_type();
  const auto compute = [&](const plan::ElementAlternative& alternative) -> Lanes {
    return InScope(
        [&] { return Replicate(Compute(InFrame(element.frame, alternative.element)), count); });
  };
  const std::function<Lanes(size_t)> from = [&](size_t i) -> Lanes {
    const plan::ElementAlternative& alternative = alternatives[i];
    if (i + 1 == alternatives.size()) return compute(alternative);
    const Value condition = EmitConditions(alternative.conditions);
    return IfLanes(
        condition, type, count, [&] { return compute(alternative); },
        [&] {
          const Scope scope(*this, Scope::Kind::kAlternative);
          return from(i + 1);
        });
  };
  return from(0);
}

Lanes ElementEmitter::IfLanes(Value condition, ElementType type, size_t count,
                              llvm::function_ref<Lanes()> then,
                              llvm::function_ref<Lanes()> otherwise) {
  if (condition == nullptr) return then();
  const bool is_vector = count > 1 && !IsComplex(type);
  const auto values_of = [&](const Lanes& lanes) -> Values {
    if (is_vector) return {builder_.Vector(Flatten(lanes))};
    return Flatten(lanes);
  };
  const Values values = builder_.If(
      condition, [&] { return values_of(then()); }, [&] { return values_of(otherwise()); });
  if (!is_vector) return Unflatten(values, type);
  Lanes lanes;
  for (size_t i = 0; i < count; ++i) {
    lanes.push_back({builder_.Extract(values.front(), static_cast<int64_t>(i)), Value()});
  }
  return lanes;
}

ElementEmitter::Step ElementEmitter::StepOfAlternatives(const Element& element) {
  absl::StatusOr<std::vector<plan::ElementAlternative>> alternatives =
      plan::AlternativesOf({element.instruction, element.leaf, element.index}, plans_);
  if (!alternatives.ok()) return Failed(element, std::string(alternatives.status().message()));
  return FirstThatHolds(element, *std::move(alternatives));
}

}  // namespace hlo_indexing::emit
