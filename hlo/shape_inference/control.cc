// Shapes of tuples, calls, control flow and async operations.
#include "hlo/async.h"
#include "hlo/shape_inference/rule_table.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The first `count` operands from `first` on fit the first parameters of the computation.
bool RequireLeadingArguments(ShapeContext& context, AttributeName attribute,
                             const Computation& callee, size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Shape& parameter = callee.parameters()[i]->shape();
    if (ShapesAgree(parameter, context.operand(first + i), TypeMatch::kSame)) continue;
    return context.FailAt(
        attribute, "parameter " + std::to_string(i) + " of computation '" + callee.name().str() +
                       "' has shape " + parameter.ToString() + ", operand " +
                       std::to_string(first + i) + " has " + context.operand(first + i).ToString());
  }
  return true;
}

// The operands of a call, from `first` on, fit the parameters of the computation.
bool RequireArguments(ShapeContext& context, AttributeName attribute, const Computation& callee,
                      size_t first, size_t count) {
  return context.RequireParameters(attribute, callee, count) &&
         RequireLeadingArguments(context, attribute, callee, first, count);
}

// pred[] for two branches, s32[] for any number.
bool RequireSelector(ShapeContext& context, size_t num_branches) {
  const Shape& selector = context.operand(0);
  const bool selects_two = selector.IsScalar() && selector.element_type() == ElementType::kPred;
  if (selects_two && num_branches == 2) return true;
  if (selector.IsScalar() && selector.element_type() == ElementType::kS32) return true;
  return context.Fail(
      "the selector of a conditional must be s32[], or pred[] for two branches, not " +
      selector.ToString());
}

}  // namespace

bool Tuple(ShapeContext& context) {
  llvm::SmallVector<const Shape*, 8> shapes;
  for (size_t i = 0; i < context.num_operands(); ++i) shapes.push_back(&context.operand(i));
  const Shape* shape = context.pool().Tuple(shapes);
  if (shape == nullptr) return context.Fail("the tuple has too many elements or nests too deep");
  return context.Expect(shape);
}

bool GetTupleElement(ShapeContext& context) {
  const int64_t index = context.instruction().Required<int64_t>(AttributeName::kIndex);
  const Shape& tuple = context.operand(0);
  if (!tuple.IsTuple()) {
    return context.Fail("operand 0 of get-tuple-element must be a tuple, not " + tuple.ToString());
  }
  if (index < 0 || index >= static_cast<int64_t>(tuple.elements().size())) {
    return context.FailAt(AttributeName::kIndex,
                          "index " + std::to_string(index) + " is outside a tuple of " +
                              std::to_string(tuple.elements().size()) + " elements");
  }
  return context.Expect(tuple.elements()[static_cast<size_t>(index)]);
}

bool Call(ShapeContext& context) {
  const bool is_fusion = context.instruction().opcode() == Opcode::kFusion;
  const auto kind = context.instruction().Get<Keyword>(AttributeName::kKind);
  constexpr llvm::StringRef kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
  if (is_fusion && kind && !llvm::is_contained(kKinds, kind->text)) {
    return context.FailAt(AttributeName::kKind, "kind must be kLoop, kInput, kOutput or kCustom");
  }
  const AttributeName attribute = is_fusion ? AttributeName::kCalls : AttributeName::kToApply;
  const Computation* callee = context.instruction().Callee(attribute);
  return RequireArguments(context, attribute, *callee, 0, context.num_operands()) &&
         context.Expect(&callee->root().shape());
}

bool While(ShapeContext& context) {
  const Computation& condition = *context.instruction().Callee(AttributeName::kCondition);
  const Computation& body = *context.instruction().Callee(AttributeName::kBody);
  if (!RequireArguments(context, AttributeName::kCondition, condition, 0, 1) ||
      !RequireArguments(context, AttributeName::kBody, body, 0, 1)) {
    return false;
  }
  const Shape& decision = condition.root().shape();
  if (!decision.IsScalar() || decision.element_type() != ElementType::kPred) {
    return context.FailAt(AttributeName::kCondition,
                          "the condition must give pred[], not " + decision.ToString());
  }
  if (!ShapesAgree(body.root().shape(), context.operand(0), TypeMatch::kSame)) {
    return context.FailAt(AttributeName::kBody, "the body gives " + body.root().shape().ToString() +
                                                    ", the loop carries " +
                                                    context.operand(0).ToString());
  }
  return context.Expect(&context.operand(0));
}

bool Conditional(ShapeContext& context) {
  const llvm::SmallVector<const Computation*, 4> branches = context.instruction().Branches();
  if (branches.empty()) {
    return context.Fail(
        "conditional needs true_computation and false_computation, or branch_computations");
  }
  if (context.num_operands() != branches.size() + 1) {
    return context.Fail("conditional with " + std::to_string(branches.size()) +
                        " branches needs the selector and an operand for each branch");
  }
  if (!RequireSelector(context, branches.size())) return false;
  const bool are_listed = context.instruction().Find(AttributeName::kBranchComputations) != nullptr;
  for (size_t i = 0; i < branches.size(); ++i) {
    const AttributeName attribute = are_listed ? AttributeName::kBranchComputations
                                    : i == 0   ? AttributeName::kTrueComputation
                                               : AttributeName::kFalseComputation;
    if (!RequireArguments(context, attribute, *branches[i], i + 1, 1)) return false;
    if (!ShapesAgree(branches[0]->root().shape(), branches[i]->root().shape(), TypeMatch::kSame)) {
      return context.FailAt(attribute, "the branches of a conditional must give the same shape");
    }
  }
  return context.Expect(&branches[0]->root().shape());
}

bool AfterAll(ShapeContext& context) { return context.Expect(context.pool().Token()); }

// The target, the source, and what tells how far it is: (T, T, u32[]), in two layouts.
bool CopyStart(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  const Shape& source = context.operand(0);
  const auto is_copy = [&](const Shape* shape) {
    return shape->IsArray() && ShapesAgree(*shape, source, TypeMatch::kSame);
  };
  const bool fits = declared->IsTuple() && declared->elements().size() == 3 &&
                    is_copy(declared->elements()[0]) && is_copy(declared->elements()[1]) &&
                    declared->elements()[2]->IsArray();
  return fits || context.Fail("copy-start gives (" + source.ToString() + ", " + source.ToString() +
                              ", u32[]), not " + declared->ToString());
}

bool FirstElementOfOperand(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  if (!operand.IsTuple() || operand.elements().empty()) {
    return context.Fail("operand 0 of " + OpcodeName(context.instruction().opcode()).str() +
                        " must be a tuple, not " + operand.ToString());
  }
  return context.Expect(operand.elements()[0]);
}

bool SecondElementOfOperand(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  if (!operand.IsTuple() || operand.elements().size() < 2) {
    return context.Fail("operand 0 of " + OpcodeName(context.instruction().opcode()).str() +
                        " must be (operands, result, ...), not " + operand.ToString());
  }
  return context.Expect(operand.elements()[1]);
}

// ((operands), result, ...). Parameters of the computation that are not given yet are bound by
// async-update.
bool AsyncStart(ShapeContext& context) {
  const Computation* callee = context.instruction().Callee(AttributeName::kCalls);
  const Shape* declared = context.declared();
  if (callee == nullptr || declared == nullptr) return true;
  const size_t count = context.num_operands();
  if (count > callee->parameters().size() &&
      !context.RequireParameters(AttributeName::kCalls, count)) {
    return false;
  }
  if (!RequireLeadingArguments(context, AttributeName::kCalls, *callee, 0, count)) return false;
  if (!declared->IsTuple() || declared->elements().size() < 2 ||
      !declared->elements()[0]->IsTuple()) {
    return context.Fail("async-start gives ((operands), result, ...), not " + declared->ToString());
  }
  llvm::SmallVector<const Shape*, 4> operands;
  for (size_t i = 0; i < count; ++i) operands.push_back(&context.operand(i));
  const Shape* bound = context.pool().Tuple(operands);
  if (bound == nullptr) return context.Fail("the tuple has too many elements or nests too deep");
  const Shape& first = *declared->elements()[0];
  if (!ShapesAgree(first, *bound, TypeMatch::kSame)) {
    return context.Fail("async-start gives operands " + first.ToString() + ", it has " +
                        bound->ToString());
  }
  const Shape& result = *declared->elements()[1];
  if (ShapesAgree(result, callee->root().shape(), TypeMatch::kSame)) return true;
  return context.Fail("async-start gives " + result.ToString() + ", its computation " +
                      callee->root().shape().ToString());
}

// The operand's shape; further operands are bound to parameters and join the operands in it.
bool AsyncUpdate(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  if (!operand.IsTuple() || operand.elements().size() < 2 || !operand.elements()[0]->IsTuple()) {
    return context.Fail("operand 0 of async-update must be ((operands), result, ...), not " +
                        operand.ToString());
  }
  llvm::SmallVector<const Shape*, 4> bound(operand.elements()[0]->elements());
  if (const Computation* callee = CalleeOfAsync(context.instruction())) {
    if (bound.size() + context.num_operands() - 1 > callee->parameters().size()) {
      return context.Fail("async-update binds more operands than computation '" +
                          callee->name().str() + "' has parameters");
    }
    for (size_t i = 1; i < context.num_operands(); ++i) {
      const Shape& parameter = callee->parameters()[bound.size() + i - 1]->shape();
      if (ShapesAgree(parameter, context.operand(i), TypeMatch::kSame)) continue;
      return context.Fail("parameter " + std::to_string(bound.size() + i - 1) +
                          " of computation '" + callee->name().str() + "' has shape " +
                          parameter.ToString() + ", operand " + std::to_string(i) + " has " +
                          context.operand(i).ToString());
    }
  }
  for (size_t i = 1; i < context.num_operands(); ++i) bound.push_back(&context.operand(i));
  llvm::SmallVector<const Shape*, 4> elements(operand.elements());
  elements[0] = context.pool().Tuple(bound);
  const Shape* shape = elements[0] == nullptr ? nullptr : context.pool().Tuple(elements);
  if (shape == nullptr) return context.Fail("the tuple has too many elements");
  return context.Expect(shape);
}

bool DeviceId(ShapeContext& context) {
  const Shape* declared = context.declared();
  const bool has_other_integers =
      declared != nullptr && declared->IsScalar() && IsIntegral(declared->element_type());
  return context.Expect(has_other_integers ? declared : context.pool().Scalar(ElementType::kU32));
}

}  // namespace hlo_indexing::hlo::shape_rules
