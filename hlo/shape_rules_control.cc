// Shapes of tuples, calls, control flow, async operations and collectives.
#include "hlo/shape_inference.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The operands of a call, from `first` on, fit the parameters of the computation.
bool RequireArguments(ShapeRule& rule, AttributeName attribute, const Computation& callee,
                      size_t first, size_t count) {
  if (callee.parameters().size() != count) {
    return rule.FailAt(attribute, "computation '" + callee.name().str() + "' has " +
                                      std::to_string(callee.parameters().size()) + " parameters, " +
                                      OpcodeName(rule.instruction().opcode()).str() + " gives it " +
                                      std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape& parameter = callee.parameters()[i]->shape();
    if (Compatible(parameter, rule.operand(first + i), ShapeAspects::kTypeAndDimensions)) continue;
    return rule.FailAt(attribute, "parameter " + std::to_string(i) + " of computation '" +
                                      callee.name().str() + "' has shape " + parameter.ToString() +
                                      ", operand " + std::to_string(first + i) + " has " +
                                      rule.operand(first + i).ToString());
  }
  return true;
}

// true_computation and false_computation, or branch_computations.
llvm::SmallVector<const Computation*, 4> Branches(const Instruction& conditional) {
  using Computations = llvm::ArrayRef<const Computation*>;
  const Computations branches =
      conditional.Get<Computations>(AttributeName::kBranchComputations).value_or(Computations());
  if (!branches.empty()) return {branches.begin(), branches.end()};
  const Computation* on_true = conditional.Callee(AttributeName::kTrueComputation);
  const Computation* on_false = conditional.Callee(AttributeName::kFalseComputation);
  if (on_true == nullptr || on_false == nullptr) return {};
  return {on_true, on_false};
}

}  // namespace

bool Tuple(ShapeRule& rule) {
  llvm::SmallVector<const Shape*, 8> shapes;
  for (size_t i = 0; i < rule.num_operands(); ++i) shapes.push_back(&rule.operand(i));
  const Shape* shape = rule.pool().Tuple(shapes);
  if (shape == nullptr) return rule.Fail("the tuple has too many elements or nests too deep");
  return rule.Expect(shape);
}

bool GetTupleElement(ShapeRule& rule) {
  const int64_t index = rule.instruction().Required<int64_t>(AttributeName::kIndex);
  const Shape& tuple = rule.operand(0);
  if (!tuple.IsTuple()) {
    return rule.Fail("operand 0 of get-tuple-element must be a tuple, not " + tuple.ToString());
  }
  if (index < 0 || index >= static_cast<int64_t>(tuple.elements().size())) {
    return rule.FailAt(AttributeName::kIndex,
                       "index " + std::to_string(index) + " is outside a tuple of " +
                           std::to_string(tuple.elements().size()) + " elements");
  }
  return rule.Expect(tuple.elements()[static_cast<size_t>(index)]);
}

bool Call(ShapeRule& rule) {
  const bool is_fusion = rule.instruction().opcode() == Opcode::kFusion;
  const AttributeName attribute = is_fusion ? AttributeName::kCalls : AttributeName::kToApply;
  const Computation* callee = rule.instruction().Callee(attribute);
  return RequireArguments(rule, attribute, *callee, 0, rule.num_operands()) &&
         rule.Expect(&callee->root().shape());
}

bool While(ShapeRule& rule) {
  const Computation& condition = *rule.instruction().Callee(AttributeName::kCondition);
  const Computation& body = *rule.instruction().Callee(AttributeName::kBody);
  if (!RequireArguments(rule, AttributeName::kCondition, condition, 0, 1) ||
      !RequireArguments(rule, AttributeName::kBody, body, 0, 1)) {
    return false;
  }
  if (!Compatible(body.root().shape(), rule.operand(0), ShapeAspects::kTypeAndDimensions)) {
    return rule.FailAt(AttributeName::kBody, "the body gives " + body.root().shape().ToString() +
                                                 ", the loop carries " +
                                                 rule.operand(0).ToString());
  }
  return rule.Expect(&rule.operand(0));
}

bool Conditional(ShapeRule& rule) {
  const llvm::SmallVector<const Computation*, 4> branches = Branches(rule.instruction());
  if (branches.empty()) {
    return rule.Fail(
        "conditional needs true_computation and false_computation, or branch_computations");
  }
  if (rule.num_operands() != branches.size() + 1) {
    return rule.Fail("conditional with " + std::to_string(branches.size()) +
                     " branches needs the selector and an operand for each branch");
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!RequireArguments(rule, AttributeName::kBranchComputations, *branches[i], i + 1, 1)) {
      return false;
    }
    if (!Compatible(branches[0]->root().shape(), branches[i]->root().shape(),
                    ShapeAspects::kTypeAndDimensions)) {
      return rule.FailAt(AttributeName::kBranchComputations,
                         "the branches of a conditional must give the same shape");
    }
  }
  return rule.Expect(&branches[0]->root().shape());
}

bool AfterAll(ShapeRule& rule) { return rule.Expect(rule.pool().Token()); }

bool FirstElementOfOperand(ShapeRule& rule) {
  const Shape& operand = rule.operand(0);
  if (!operand.IsTuple() || operand.elements().empty()) {
    return rule.Fail("operand 0 of " + OpcodeName(rule.instruction().opcode()).str() +
                     " must be a tuple, not " + operand.ToString());
  }
  return rule.Expect(operand.elements()[0]);
}

// ((operands), result, ...)
bool AsyncStart(ShapeRule& rule) {
  const Computation* callee = rule.instruction().Callee(AttributeName::kCalls);
  const Shape* declared = rule.declared();
  if (callee == nullptr || declared == nullptr) return true;
  if (!RequireArguments(rule, AttributeName::kCalls, *callee, 0, rule.num_operands())) return false;
  if (!declared->IsTuple() || declared->elements().size() < 2) {
    return rule.Fail("async-start gives ((operands), result, ...), not " + declared->ToString());
  }
  const Shape& result = *declared->elements()[1];
  if (Compatible(result, callee->root().shape(), ShapeAspects::kTypeAndDimensions)) return true;
  return rule.Fail("async-start gives " + result.ToString() + ", its computation " +
                   callee->root().shape().ToString());
}

bool AsyncDone(ShapeRule& rule) {
  const Shape& operand = rule.operand(0);
  if (!operand.IsTuple() || operand.elements().size() < 2) {
    return rule.Fail("operand 0 of async-done must be ((operands), result, ...), not " +
                     operand.ToString());
  }
  return rule.Expect(operand.elements()[1]);
}

bool SameAsOperands(ShapeRule& rule) {
  if (rule.num_operands() == 1) return rule.Expect(&rule.operand(0));
  return Tuple(rule);
}

bool AllGather(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  return rule.RequireDimensions(AttributeName::kDimensions, rule.operand(0).rank());
}

bool ReduceScatter(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  return rule.RequireDimensions(AttributeName::kDimensions, rule.operand(0).rank());
}

bool DeviceId(ShapeRule& rule) {
  return rule.Expect(rule.pool().Scalar(ElementType::kU32), ShapeAspects::kDimensions);
}

}  // namespace hlo_indexing::hlo::shape_rules
