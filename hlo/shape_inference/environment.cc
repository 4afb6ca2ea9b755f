// Rules of what a program exchanges with its host, with other programs and with a source of random
// numbers. Their results do not follow from operands, but what of them does must fit.
#include <string>

#include "hlo/opcode.h"
#include "hlo/shape_inference/rule_table.h"

namespace hlo_indexing::hlo::shape_rules {

namespace {

bool RequireToken(ShapeContext& context, size_t operand) {
  if (context.num_operands() > operand && context.operand(operand).IsToken()) return true;
  return context.Fail(
      "operand " + std::to_string(operand) + " of " +
      OpcodeName(context.instruction().opcode()).str() + " must be token[]" +
      (context.num_operands() > operand ? ", not " + context.operand(operand).ToString() : ""));
}

bool FailWith(ShapeContext& context, const std::string& form) {
  return context.Fail(OpcodeName(context.instruction().opcode()).str() + " gives " + form +
                      ", not " + context.declared()->ToString());
}

// (what is sent, a context of the transfer, token[]).
bool IsTransfer(const Shape& shape) {
  return shape.IsTuple() && shape.elements().size() == 3 && shape.elements()[1]->IsArray() &&
         shape.elements()[2]->IsToken();
}

}  // namespace

// Old texts have no tokens.
bool Infeed(ShapeContext& context) {
  if (context.num_operands() > 0 && !RequireToken(context, 0)) return false;
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  const bool fits =
      declared->IsTuple() && declared->elements().size() == 2 && declared->elements()[1]->IsToken();
  return fits || FailWith(context, "(data, token[])");
}

bool Outfeed(ShapeContext& context) {
  if (context.num_operands() > 1 && !RequireToken(context, 1)) return false;
  const Shape* shape =
      context.instruction().Get<const Shape*>(AttributeName::kOutfeedShape).value_or(nullptr);
  if (shape != nullptr && !ShapesAgree(*shape, context.operand(0), TypeMatch::kSame)) {
    return context.FailAt(AttributeName::kOutfeedShape, "outfeed_shape is " + shape->ToString() +
                                                            ", operand 0 is " +
                                                            context.operand(0).ToString());
  }
  return context.Expect(context.pool().Token());
}

bool Send(ShapeContext& context) {
  if (!RequireToken(context, 1)) return false;
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  const Shape& data = context.operand(0);
  const bool fits =
      IsTransfer(*declared) && ShapesAgree(*declared->elements()[0], data, TypeMatch::kSame);
  return fits || FailWith(context, "(" + data.ToString() + ", u32[], token[])");
}

bool Recv(ShapeContext& context) {
  if (!RequireToken(context, 0)) return false;
  const Shape* declared = context.declared();
  if (declared == nullptr || IsTransfer(*declared)) return true;
  return FailWith(context, "(data, u32[], token[])");
}

namespace {

bool RequireTransfer(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  return IsTransfer(operand) ||
         context.Fail("operand 0 of " + OpcodeName(context.instruction().opcode()).str() +
                      " must be (data, u32[], token[]), not " + operand.ToString());
}

}  // namespace

bool SendDone(ShapeContext& context) {
  return RequireTransfer(context) && context.Expect(context.pool().Token());
}

bool RecvDone(ShapeContext& context) {
  if (!RequireTransfer(context)) return false;
  const Shape* shape =
      context.pool().Tuple({context.operand(0).elements()[0], context.pool().Token()});
  return shape == nullptr ? context.Fail("the tuple has too many elements") : context.Expect(shape);
}

bool Rng(ShapeContext& context) {
  constexpr size_t kNumParameters = 2;
  if (context.num_operands() != kNumParameters) return context.Fail("rng takes two parameters");
  if (!context.RequireScalar(0, "a parameter of the distribution") ||
      !context.RequireScalar(1, "a parameter of the distribution") ||
      !context.RequireMixable(0, 1)) {
    return false;
  }
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return FailWith(context, "an array");
  return context.ExpectLike(context.operand(0).element_type(), *declared);
}

// The numbers, or (state, numbers).
bool RngBitGenerator(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& state = context.operand(0);
  if (!IsIntegral(state.element_type())) {
    return context.Fail("the state must hold integers, not be " + state.ToString());
  }
  const Shape* declared = context.declared();
  if (declared == nullptr || declared->IsArray()) return true;
  const bool fits = declared->IsTuple() && declared->elements().size() == 2 &&
                    ShapesAgree(*declared->elements()[0], state, TypeMatch::kSame) &&
                    declared->elements()[1]->IsArray();
  return fits || FailWith(context, "numbers, or (" + state.ToString() + ", numbers)");
}

bool RngGetAndUpdateState(ShapeContext& context) {
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  const bool fits = declared->IsArray() && declared->element_type() == ElementType::kU64;
  return fits || FailWith(context, "an array of u64");
}

}  // namespace hlo_indexing::hlo::shape_rules
