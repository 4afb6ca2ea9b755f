// Shapes of elementwise operations.
#include <algorithm>

#include "hlo/shape_inference/rule_table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// A scalar goes with an array of any dimensions.
bool RequireScalarOrSame(ShapeContext& context, size_t i, size_t j) {
  return context.operand(i).IsScalar() || context.RequireSameDimensions(i, j);
}

}  // namespace

bool SameAsOperand(ShapeContext& context) { return context.Expect(&context.operand(0)); }

bool SameUpToPrecision(ShapeContext& context) {
  return context.Expect(&context.operand(0), TypeMatch::kAnyPrecision);
}

// The arrays of a tuple are what they are, in any layout.
bool Copy(ShapeContext& context) {
  return context.operand(0).IsArray() ? SameUpToPrecision(context) : SameAsOperand(context);
}

bool Unary(ShapeContext& context) {
  return context.RequireArray(0) &&
         context.ExpectLike(context.operand(0).element_type(), context.operand(0));
}

bool ReducePrecision(ShapeContext& context) {
  if (!Unary(context)) return false;
  if (ClassOf(context.operand(0).element_type()) != ElementClass::kFloat) {
    return context.Fail("reduce-precision needs floats, not " + context.operand(0).ToString());
  }
  const auto require = [&](AttributeName name, int64_t least) {
    const auto bits = context.instruction().Required<int64_t>(name);
    if (bits >= least && bits <= INT32_MAX) return true;
    return context.FailAt(name, AttributeText(name).str() + " must be from " +
                                    std::to_string(least) + " to " + std::to_string(INT32_MAX));
  };
  return require(AttributeName::kExponentBits, 1) && require(AttributeName::kMantissaBits, 0);
}

bool Binary(ShapeContext& context) {
  if (!context.RequireArrays() || !context.RequireSameDimensions(0, 1) ||
      !context.RequireMixable(0, 1)) {
    return false;
  }
  return context.ExpectLike(context.operand(0).element_type(), context.operand(0));
}

bool AbsoluteValue(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const ElementType type = context.operand(0).element_type();
  if (ClassOf(type) != ElementClass::kComplex) {
    return context.ExpectLike(context.operand(0).element_type(), context.operand(0));
  }
  return context.ExpectLike(RealPartType(type), context.operand(0));
}

bool RealPart(ShapeContext& context) {
  return context.RequireArray(0) &&
         context.ExpectLike(RealPartType(context.operand(0).element_type()), context.operand(0));
}

bool Complex(ShapeContext& context) {
  if (!context.RequireArrays() || !context.RequireSameDimensions(0, 1)) return false;
  for (size_t i = 0; i < 2; ++i) {
    const ElementType type = context.operand(i).element_type();
    if (type == ElementType::kF32 || type == ElementType::kF64) continue;
    return context.Fail("the parts of complex numbers are f32 or f64, not " +
                        context.operand(i).ToString());
  }
  const bool wide = context.operand(0).element_type() == ElementType::kF64;
  return context.ExpectLike(wide ? ElementType::kC128 : ElementType::kC64, context.operand(0));
}

bool Compare(ShapeContext& context) {
  if (!context.RequireArrays() || !context.RequireSameDimensions(0, 1) ||
      !context.RequireMixable(0, 1)) {
    return false;
  }
  const auto direction = context.instruction().Get<Keyword>(AttributeName::kDirection);
  constexpr llvm::StringRef kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  if (!direction || !llvm::is_contained(kDirections, direction->text)) {
    return context.FailAt(AttributeName::kDirection, "direction must be EQ, NE, GE, GT, LE or LT");
  }
  const auto type = context.instruction().Get<Keyword>(AttributeName::kType);
  constexpr llvm::StringRef kTypes[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  if (type && !llvm::is_contained(kTypes, type->text)) {
    return context.FailAt(AttributeName::kType,
                          "type must be FLOAT, TOTALORDER, SIGNED or UNSIGNED");
  }
  return context.ExpectLike(ElementType::kPred, context.operand(0));
}

bool IsFinite(ShapeContext& context) {
  return context.RequireArray(0) && context.ExpectLike(ElementType::kPred, context.operand(0));
}

bool Convert(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  if (context.num_operands() == 2 && !context.RequireSameDimensions(0, 1)) return false;
  // The target type stands nowhere but in the shape.
  if (context.declared() == nullptr) return true;
  return context.ExpectLike(context.operand(0).element_type(), context.operand(0), TypeMatch::kAny);
}

// The random bits are as many as those of an element.
bool StochasticConvert(ShapeContext& context) {
  if (!Convert(context)) return false;
  const ElementType bits = context.operand(1).element_type();
  if (ClassOf(bits) == ElementClass::kUnsigned &&
      ElementBits(bits) == ElementBits(context.operand(0).element_type())) {
    return true;
  }
  return context.Fail("the random bits must be unsigned integers of " +
                      std::to_string(ElementBits(context.operand(0).element_type())) +
                      " bits, not " + context.operand(1).ToString());
}

bool BitcastConvert(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return context.Fail("bitcast-convert gives an array");
  const Shape& operand = context.operand(0);
  const int64_t from = ElementBits(operand.element_type());
  const int64_t to = ElementBits(declared->element_type());
  const bool has_predicate = operand.element_type() == ElementType::kPred ||
                             declared->element_type() == ElementType::kPred;
  // Whether a pred counts as one bit or one byte has changed over time; the sizes say which it is.
  constexpr int64_t kByte = 8;
  const bool is_byte_at_most = std::max(from, to) <= kByte;
  if (from == to || (has_predicate && is_byte_at_most && operand.rank() == declared->rank())) {
    return context.ExpectLike(declared->element_type(), operand);
  }
  llvm::SmallVector<int64_t, 6> sizes(operand.sizes().begin(), operand.sizes().end());
  if (to < from) {
    sizes.push_back(from / to);
  } else {
    if (sizes.empty() || (sizes.back() != to / from && sizes.back() != kUnboundedSize)) {
      return context.Fail("bitcast-convert from " + operand.ToString() + " to " +
                          ElementTypeName(declared->element_type()).str() +
                          " needs a last dimension of size " + std::to_string(to / from));
    }
    sizes.pop_back();
  }
  return context.ExpectArray(declared->element_type(), sizes);
}

bool Select(ShapeContext& context) {
  if (context.operand(1).IsArray() != context.operand(0).IsArray()) return context.RequireArrays();
  if (context.operand(0).element_type() != ElementType::kPred) {
    return context.Fail("operand 0 of select must be pred, not " + context.operand(0).ToString());
  }
  if (!RequireScalarOrSame(context, 0, 1) || !context.RequireSameDimensions(1, 2) ||
      !context.RequireMixable(1, 2)) {
    return false;
  }
  return context.ExpectLike(context.operand(1).element_type(), context.operand(1));
}

bool Clamp(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  if (!RequireScalarOrSame(context, 0, 1) || !RequireScalarOrSame(context, 2, 1) ||
      !context.RequireMixable(0, 1) || !context.RequireMixable(2, 1)) {
    return false;
  }
  return context.ExpectLike(context.operand(1).element_type(), context.operand(1));
}

// Scalars among arrays are taken for every element.
namespace {

// A map goes over all dimensions in their order, whether it says so or not.
bool RequireAllDimensions(ShapeContext& context, int64_t rank) {
  if (context.instruction().Find(AttributeName::kDimensions) == nullptr) return true;
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  if (llvm::equal(dimensions, llvm::seq<int64_t>(0, rank))) return true;
  return context.FailAt(AttributeName::kDimensions, "dimensions must be all of an array of rank " +
                                                        std::to_string(rank) + " in order");
}

}  // namespace

bool Map(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  llvm::SmallVector<ElementType, 4> types;
  size_t widest = 0;
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (context.operand(i).rank() > context.operand(widest).rank()) widest = i;
    types.push_back(context.operand(i).element_type());
  }
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (context.operand(i).rank() != 0 && !context.RequireSameDimensions(widest, i)) return false;
  }
  const Shape& root = context.instruction().Callee(AttributeName::kToApply)->root().shape();
  const bool in_tuple = root.IsTuple() && root.elements().size() == 1;
  const Shape& result = in_tuple ? *root.elements()[0] : root;
  if (!context.RequireScalarFunction(AttributeName::kToApply, types, result.element_type())) {
    return false;
  }
  if (context.num_operands() > 0) {
    return RequireAllDimensions(context, context.operand(widest).rank()) &&
           context.ExpectLike(result.element_type(), context.operand(widest));
  }
  // How many there are stands nowhere but in the shape.
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return context.Fail("map gives an array, not " + declared->ToString());
  return context.ExpectLike(result.element_type(), *declared);
}

}  // namespace hlo_indexing::hlo::shape_rules
