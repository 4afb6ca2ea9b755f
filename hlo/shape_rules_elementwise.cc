// Shapes of elementwise operations.
#include "hlo/shape_inference.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// A scalar goes with an array of any dimensions.
bool RequireScalarOrSame(ShapeRule& rule, size_t i, size_t j) {
  return rule.operand(i).IsScalar() || rule.RequireSameDimensions(i, j);
}

}  // namespace

bool SameAsOperand(ShapeRule& rule) { return rule.Expect(&rule.operand(0)); }

bool SameUpToPrecision(ShapeRule& rule) {
  return rule.Expect(&rule.operand(0), TypeMatch::kAnyPrecision);
}

bool Unary(ShapeRule& rule) {
  return rule.RequireArray(0) && rule.ExpectLike(rule.operand(0).element_type(), rule.operand(0));
}

bool Binary(ShapeRule& rule) {
  if (!rule.RequireArrays() || !rule.RequireSameDimensions(0, 1) || !rule.RequireMixable(0, 1)) {
    return false;
  }
  return rule.ExpectLike(rule.operand(0).element_type(), rule.operand(0));
}

bool AbsoluteValue(ShapeRule& rule) {
  if (!rule.RequireArray(0)) return false;
  const ElementType type = rule.operand(0).element_type();
  if (ClassOf(type) != ElementClass::kComplex) {
    return rule.ExpectLike(rule.operand(0).element_type(), rule.operand(0));
  }
  return rule.ExpectLike(RealPartType(type), rule.operand(0));
}

bool RealPart(ShapeRule& rule) {
  return rule.RequireArray(0) &&
         rule.ExpectLike(RealPartType(rule.operand(0).element_type()), rule.operand(0));
}

bool Complex(ShapeRule& rule) {
  if (!rule.RequireArrays() || !rule.RequireSameDimensions(0, 1)) return false;
  const bool wide = rule.operand(0).element_type() == ElementType::kF64;
  return rule.ExpectLike(wide ? ElementType::kC128 : ElementType::kC64, rule.operand(0));
}

bool Compare(ShapeRule& rule) {
  if (!rule.RequireArrays() || !rule.RequireSameDimensions(0, 1) || !rule.RequireMixable(0, 1)) {
    return false;
  }
  const auto direction = rule.instruction().Get<Keyword>(AttributeName::kDirection);
  constexpr llvm::StringRef kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  if (!direction || !llvm::is_contained(kDirections, direction->text)) {
    return rule.FailAt(AttributeName::kDirection, "direction must be EQ, NE, GE, GT, LE or LT");
  }
  return rule.ExpectLike(ElementType::kPred, rule.operand(0));
}

bool IsFinite(ShapeRule& rule) {
  return rule.RequireArray(0) && rule.ExpectLike(ElementType::kPred, rule.operand(0));
}

bool Convert(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  if (rule.num_operands() == 2 && !rule.RequireSameDimensions(0, 1)) return false;
  // The target type stands nowhere but in the shape.
  if (rule.declared() == nullptr) return true;
  return rule.ExpectLike(rule.operand(0).element_type(), rule.operand(0), TypeMatch::kAny);
}

bool BitcastConvert(ShapeRule& rule) {
  if (!rule.RequireArray(0)) return false;
  const Shape* declared = rule.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return rule.Fail("bitcast-convert gives an array");
  const Shape& operand = rule.operand(0);
  const int64_t from = ElementBits(operand.element_type());
  const int64_t to = ElementBits(declared->element_type());
  const bool has_predicate = operand.element_type() == ElementType::kPred ||
                             declared->element_type() == ElementType::kPred;
  // Whether a pred counts as one bit or one byte has changed over time; the sizes say which it is.
  if (from == to || (has_predicate && operand.rank() == declared->rank())) {
    return rule.ExpectLike(declared->element_type(), operand);
  }
  llvm::SmallVector<int64_t, 6> sizes(operand.sizes().begin(), operand.sizes().end());
  if (to < from) {
    sizes.push_back(from / to);
  } else {
    if (sizes.empty() || (sizes.back() != to / from && sizes.back() != kUnboundedSize)) {
      return rule.Fail("bitcast-convert from " + operand.ToString() + " to " +
                       ElementTypeName(declared->element_type()).str() +
                       " needs a last dimension of size " + std::to_string(to / from));
    }
    sizes.pop_back();
  }
  return rule.ExpectArray(declared->element_type(), sizes);
}

bool Select(ShapeRule& rule) {
  if (rule.operand(1).IsArray() != rule.operand(0).IsArray()) return rule.RequireArrays();
  if (rule.operand(0).element_type() != ElementType::kPred) {
    return rule.Fail("operand 0 of select must be pred, not " + rule.operand(0).ToString());
  }
  if (!RequireScalarOrSame(rule, 0, 1) || !rule.RequireSameDimensions(1, 2) ||
      !rule.RequireMixable(1, 2)) {
    return false;
  }
  return rule.ExpectLike(rule.operand(1).element_type(), rule.operand(1));
}

bool Clamp(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  if (!RequireScalarOrSame(rule, 0, 1) || !RequireScalarOrSame(rule, 2, 1) ||
      !rule.RequireMixable(0, 1) || !rule.RequireMixable(2, 1)) {
    return false;
  }
  return rule.ExpectLike(rule.operand(1).element_type(), rule.operand(1));
}

// Scalars among arrays are taken for every element.
bool Map(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  llvm::SmallVector<ElementType, 4> types;
  size_t widest = 0;
  for (size_t i = 0; i < rule.num_operands(); ++i) {
    if (rule.operand(i).rank() > rule.operand(widest).rank()) widest = i;
    types.push_back(rule.operand(i).element_type());
  }
  for (size_t i = 0; i < rule.num_operands(); ++i) {
    if (rule.operand(i).rank() != 0 && !rule.RequireSameDimensions(widest, i)) return false;
  }
  const Shape& root = rule.instruction().Callee(AttributeName::kToApply)->root().shape();
  const bool in_tuple = root.IsTuple() && root.elements().size() == 1;
  const Shape& result = in_tuple ? *root.elements()[0] : root;
  if (!rule.RequireScalarFunction(AttributeName::kToApply, types, result.element_type())) {
    return false;
  }
  if (rule.num_operands() == 0) return true;
  return rule.ExpectLike(result.element_type(), rule.operand(widest));
}

}  // namespace hlo_indexing::hlo::shape_rules
