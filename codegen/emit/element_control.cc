// Elements of conditionals and loops inside of a kernel.
#include <algorithm>
#include <functional>
#include <utility>

#include "codegen/emit/element_emitter.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using mlir::Value;
using mlir::ValueRange;

// The selector is a pred, of which true is the first branch, or the number of a branch, the last
// one if there is none of that number. Each branch has one operand.
ElementEmitter::Step ElementEmitter::StepOfConditional(const Element& element) {
  const Instruction& conditional = *element.instruction;
  const Instruction& selector = conditional.operand(0);
  const llvm::SmallVector<const Computation*, 4> branches = conditional.Branches();
  std::vector<Element> of_branches;
  for (size_t i = 0; i < branches.size(); ++i) {
    of_branches.push_back({CallFrame(element, *branches[i], i + 1), &branches[i]->root(),
                           element.leaf, element.index});
  }
  const bool is_pred = selector.shape().element_type() == ElementType::kPred;
  Step step;
  step.operands.push_back({element.frame, &selector, 0, ScalarIndex(element.index)});
  step.make = [=, this](llvm::ArrayRef<const Lanes*> operands) {
    // Lanes select for themselves where the conditional stands in a computation that is applied to
    // several.
    const Lanes& selectors = *operands.front();
    const size_t count = CountOf(element);
    const ElementType type = ShapeOf(element).element_type();
    const auto choose = [&](Value number) {
      const std::function<Values(size_t)> from = [&](size_t i) -> Values {
        const auto compute = [&] {
          return InScope([&] { return Flatten(Replicate(Compute(of_branches[i]), count)); });
        };
        if (i + 1 == of_branches.size()) return compute();
        const Value is_this =
            is_pred ? number
                    : Value(arith::CmpIOp::create(
                          builder_.ops(), arith::CmpIPredicate::eq, number,
                          builder_.Integer(number.getType(), static_cast<int64_t>(i))));
        return builder_.If(is_this, compute, [&] {
          const Scope scope(*this, Scope::Kind::kAlternative);
          return from(i + 1);
        });
      };
      return Unflatten(from(0), type);
    };
    if (selectors.size() == 1) return choose(selectors.front().value);
    Lanes lanes;
    for (size_t lane = 0; lane < count; ++lane) {
      lanes.push_back(choose(selectors[lane].value)[lane]);
    }
    return lanes;
  };
  return step;
}

namespace {

// By array of a loop's state: whether the body gives it on as it is.
std::vector<bool> PassedStates(const Computation& body) {
  const Instruction& root = body.root();
  const Shape& shape = root.shape();
  std::vector<bool> is_passed(static_cast<size_t>(shape.num_array_leaves()), false);
  if (root.opcode() == Opcode::kParameter) is_passed.assign(is_passed.size(), true);
  if (root.opcode() != Opcode::kTuple) return is_passed;
  for (size_t i = 0; i < root.operands().size(); ++i) {
    const Instruction& part = root.operand(i);
    const auto element = static_cast<int64_t>(i);
    if (part.opcode() != Opcode::kGetTupleElement ||
        part.operand(0).opcode() != Opcode::kParameter ||
        part.Required<int64_t>(AttributeName::kIndex) != element) {
      continue;
    }
    const int64_t first = shape.FirstLeafOfElement(element);
    for (int64_t k = 0; k < part.shape().num_array_leaves(); ++k) {
      is_passed[static_cast<size_t>(first + k)] = true;
    }
  }
  return is_passed;
}

}  // namespace

// The thread carries the scalars of the state, and of arrays with as many elements as the one that
// is wanted the element at the same index: the body may not move them. What the body does not
// change may be read anywhere.
ElementEmitter::Step ElementEmitter::StepOfWhile(const Element& element) {
  if (num_lanes_ > 1 && DependsOnLane(element.index)) return LaneByLane(element);
  const Instruction& loop = *element.instruction;
  const Computation& condition = *loop.Callee(AttributeName::kCondition);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const std::vector<bool> is_passed = PassedStates(body);
  const auto wanted = static_cast<size_t>(element.leaf);
  if (is_passed[wanted]) {
    return Alias({element.frame, &loop.operand(0), element.leaf, element.index});
  }
  Step step;
  std::vector<size_t> carried;
  std::vector<ElementType> types;
  size_t place_of_wanted = 0;
  for (size_t i = 0; i < is_passed.size(); ++i) {
    const auto leaf = static_cast<int64_t>(i);
    const Shape& shape = loop.shape().ArrayLeaf(leaf);
    const bool is_beside = shape.sizes() == ShapeOf(element).sizes();
    if (is_passed[i] || (!shape.IsScalar() && !is_beside)) continue;
    if (i == wanted) place_of_wanted = carried.size();
    carried.push_back(i);
    types.push_back(shape.element_type());
    step.operands.push_back({element.frame, &loop.operand(0), leaf,
                             shape.IsScalar() ? ScalarIndex(element.index) : element.index});
  }
  const auto open = [this, element, carried, is_passed](const Computation& computation,
                                                        const std::vector<Lanes>& values) {
    std::vector<Lanes> parameters(is_passed.size());
    for (size_t i = 0; i < carried.size(); ++i) parameters[carried[i]] = values[i];
    Frame* const frame = OpenFrame(computation, std::move(parameters), element.index);
    frame->caller = element.frame;
    frame->call = element.instruction;
    frame->is_passed = is_passed;
    return frame;
  };
  step.make = [=, this, &loop, &condition, &body](llvm::ArrayRef<const Lanes*> operands) {
    size_t count = 1;
    for (const Lanes* operand : operands) count = std::max(count, operand->size());
    const auto index_of = [&](size_t leaf) {
      const bool is_scalar = loop.shape().ArrayLeaf(static_cast<int64_t>(leaf)).IsScalar();
      return is_scalar ? ScalarIndex(element.index) : element.index;
    };
    std::vector<Lanes> lanes(carried.size());
    for (size_t lane = 0; lane < count; ++lane) {
      Values initial;
      for (const Lanes* operand : operands) {
        llvm::append_range(initial, Flatten({(*operand)[operand->size() == 1 ? 0 : lane]}));
      }
      const auto turn = [&](ValueRange state, Value& goes_on) {
        const std::vector<Lanes> values = SplitLanes(state, types);
        goes_on = InScope([&] {
          Frame* const frame = open(condition, values);
          const Lanes lanes_of_pred =
              Compute({frame, &condition.root(), 0, ScalarIndex(element.index)});
          frame->is_open = false;
          return lanes_of_pred.front().value;
        });
        return builder_.If(
            goes_on,
            [&] {
              return InScope([&] {
                Frame* const frame = open(body, values);
                Values next;
                for (const size_t leaf : carried) {
                  const Lanes computed =
                      Compute({frame, &body.root(), static_cast<int64_t>(leaf), index_of(leaf)});
                  llvm::append_range(next, Flatten({computed.front()}));
                }
                frame->is_open = false;
                return next;
              });
            },
            [&] { return Values(state); });
      };
      const Values results = builder_.Repeat(initial, turn);
      const std::vector<Lanes> of_lane = SplitLanes(results, types);
      for (size_t i = 0; i < carried.size(); ++i) lanes[i].push_back(of_lane[i].front());
    }
    for (size_t i = 0; i < carried.size(); ++i) {
      if (i == place_of_wanted) continue;
      Remember({element.frame, &loop, static_cast<int64_t>(carried[i]), index_of(carried[i])},
               lanes[i]);
    }
    return lanes[place_of_wanted];
  };
  return step;
}

}  // namespace hlo_indexing::emit
