// Shapes of tuples, calls, control flow and async operations.
#include "hlo/shape_inference.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The first `count` operands from `first` on fit the first parameters of the computation.
bool RequireLeadingArguments(ShapeRule& rule, AttributeName attribute, const Computation& callee,
                             size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Shape& parameter = callee.parameters()[i]->shape();
    if (ShapesAgree(parameter, rule.operand(first + i), TypeMatch::kSame)) continue;
    return rule.FailAt(attribute, "parameter " + std::to_string(i) + " of computation '" +
                                      callee.name().str() + "' has shape " + parameter.ToString() +
                                      ", operand " + std::to_string(first + i) + " has " +
                                      rule.operand(first + i).ToString());
  }
  return true;
}

// The operands of a call, from `first` on, fit the parameters of the computation.
bool RequireArguments(ShapeRule& rule, AttributeName attribute, const Computation& callee,
                      size_t first, size_t count) {
  return rule.RequireParameters(attribute, count) &&
         RequireLeadingArguments(rule, attribute, callee, first, count);
}

// pred[] for two branches, s32[] for any number.
bool RequireSelector(ShapeRule& rule, size_t num_branches) {
  const Shape& selector = rule.operand(0);
  const bool selects_two = selector.IsScalar() && selector.element_type() == ElementType::kPred;
  if (selects_two && num_branches == 2) return true;
  if (selector.IsScalar() && selector.element_type() == ElementType::kS32) return true;
  return rule.Fail("the selector of a conditional must be s32[], or pred[] for two branches, not " +
                   selector.ToString());
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
  const Shape& decision = condition.root().shape();
  if (!decision.IsScalar() || decision.element_type() != ElementType::kPred) {
    return rule.FailAt(AttributeName::kCondition,
                       "the condition must give pred[], not " + decision.ToString());
  }
  if (!ShapesAgree(body.root().shape(), rule.operand(0), TypeMatch::kSame)) {
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
  if (!RequireSelector(rule, branches.size())) return false;
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!RequireArguments(rule, AttributeName::kBranchComputations, *branches[i], i + 1, 1)) {
      return false;
    }
    if (!ShapesAgree(branches[0]->root().shape(), branches[i]->root().shape(), TypeMatch::kSame)) {
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

bool SecondElementOfOperand(ShapeRule& rule) {
  const Shape& operand = rule.operand(0);
  if (!operand.IsTuple() || operand.elements().size() < 2) {
    return rule.Fail("operand 0 of " + OpcodeName(rule.instruction().opcode()).str() +
                     " must be (operands, result, ...), not " + operand.ToString());
  }
  return rule.Expect(operand.elements()[1]);
}

// ((operands), result, ...). Parameters of the computation that are not given yet are bound by
// async-update.
bool AsyncStart(ShapeRule& rule) {
  const Computation* callee = rule.instruction().Callee(AttributeName::kCalls);
  const Shape* declared = rule.declared();
  if (callee == nullptr || declared == nullptr) return true;
  const size_t count = rule.num_operands();
  if (count > callee->parameters().size() &&
      !rule.RequireParameters(AttributeName::kCalls, count)) {
    return false;
  }
  if (!RequireLeadingArguments(rule, AttributeName::kCalls, *callee, 0, count)) return false;
  if (!declared->IsTuple() || declared->elements().size() < 2 ||
      !declared->elements()[0]->IsTuple()) {
    return rule.Fail("async-start gives ((operands), result, ...), not " + declared->ToString());
  }
  llvm::SmallVector<const Shape*, 4> operands;
  for (size_t i = 0; i < count; ++i) operands.push_back(&rule.operand(i));
  const Shape* bound = rule.pool().Tuple(operands);
  const Shape& first = *declared->elements()[0];
  if (bound != nullptr && !ShapesAgree(first, *bound, TypeMatch::kSame)) {
    return rule.Fail("async-start gives operands " + first.ToString() + ", it has " +
                     bound->ToString());
  }
  const Shape& result = *declared->elements()[1];
  if (ShapesAgree(result, callee->root().shape(), TypeMatch::kSame)) return true;
  return rule.Fail("async-start gives " + result.ToString() + ", its computation " +
                   callee->root().shape().ToString());
}

// The operand's shape; further operands are bound to parameters and join the operands in it.
bool AsyncUpdate(ShapeRule& rule) {
  const Shape& operand = rule.operand(0);
  if (!operand.IsTuple() || operand.elements().size() < 2 || !operand.elements()[0]->IsTuple()) {
    return rule.Fail("operand 0 of async-update must be ((operands), result, ...), not " +
                     operand.ToString());
  }
  llvm::SmallVector<const Shape*, 4> bound(operand.elements()[0]->elements());
  for (size_t i = 1; i < rule.num_operands(); ++i) bound.push_back(&rule.operand(i));
  llvm::SmallVector<const Shape*, 4> elements(operand.elements());
  elements[0] = rule.pool().Tuple(bound);
  const Shape* shape = elements[0] == nullptr ? nullptr : rule.pool().Tuple(elements);
  if (shape == nullptr) return rule.Fail("the tuple has too many elements");
  return rule.Expect(shape);
}

bool DeviceId(ShapeRule& rule) {
  return rule.Expect(rule.pool().Scalar(ElementType::kU32), TypeMatch::kAny);
}

}  // namespace hlo_indexing::hlo::shape_rules
