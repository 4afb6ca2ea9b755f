#include "hlo/shape_inference/shape_context.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::hlo {

bool MayMix(ElementType a, ElementType b) {
  return a == b || (ClassOf(a) == ElementClass::kFloat && ClassOf(b) == ElementClass::kFloat);
}

bool ShapesAgree(const Shape& a, const Shape& b, TypeMatch match) {
  if (&a == &b) return true;
  if (match == TypeMatch::kSame) return Compatible(a, b, ShapeAspects::kTypeAndDimensions);
  if (match == TypeMatch::kAny) return Compatible(a, b, ShapeAspects::kDimensions);
  if (a.IsArray() && b.IsArray()) {
    return MayMix(a.element_type(), b.element_type()) &&
           Compatible(a, b, ShapeAspects::kDimensions);
  }
  if (a.element_type() != b.element_type() || a.elements().size() != b.elements().size()) {
    return false;
  }
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!ShapesAgree(*a.elements()[i], *b.elements()[i], match)) return false;
  }
  return true;
}

bool ShapeContext::FailAt(AttributeName attribute, std::string message) {
  if (!error_) error_ = ShapeError{std::move(message), attribute};
  return false;
}

bool ShapeContext::Expect(const Shape* shape, TypeMatch match) {
  if (shape == nullptr) return Fail("the size of the array in bytes does not fit in 64 bits");
  shape_ = shape;
  match_ = match;
  return true;
}

bool ShapeContext::ExpectLike(ElementType type, const Shape& like, TypeMatch match) {
  if (declared_ != nullptr && declared_->element_type() == type &&
      declared_->sizes() == like.sizes()) {
    return true;
  }
  llvm::SmallVector<Dimension, 6> dimensions;
  for (int64_t i = 0; i < like.rank(); ++i) {
    dimensions.push_back({like.sizes()[static_cast<size_t>(i)], like.IsDynamic(i)});
  }
  return Expect(pool_.Array(type, dimensions), match);
}

bool ShapeContext::ExpectArray(ElementType type, llvm::ArrayRef<int64_t> sizes, TypeMatch match) {
  if (declared_ != nullptr && declared_->element_type() == type && declared_->sizes() == sizes) {
    return true;
  }
  return Expect(pool_.Array(type, sizes), match);
}

bool ShapeContext::ExpectEach(llvm::ArrayRef<const Shape*> shapes) {
  if (llvm::is_contained(shapes, nullptr)) return Expect(nullptr);
  if (shapes.size() == 1 &&
      (declared_ == nullptr || declared_->IsTuple() == shapes[0]->IsTuple())) {
    return Expect(shapes[0], TypeMatch::kAnyPrecision);
  }
  const Shape* tuple = pool_.Tuple(shapes);
  if (tuple == nullptr) return Fail("the tuple has too many elements or nests too deep");
  return Expect(tuple, TypeMatch::kAnyPrecision);
}

bool ShapeContext::RequireArray(size_t i) {
  if (operand(i).IsArray()) return true;
  return Fail("operand " + std::to_string(i) + " of " + OpcodeName(instruction_.opcode()).str() +
              " must be an array, not " + operand(i).ToString());
}

bool ShapeContext::RequireArrays() {
  for (size_t i = 0; i < num_operands(); ++i) {
    if (!RequireArray(i)) return false;
  }
  return true;
}

bool ShapeContext::RequireScalar(size_t i, llvm::StringRef role) {
  if (operand(i).IsScalar()) return true;
  return Fail(role.str() + " of " + OpcodeName(instruction_.opcode()).str() +
              " must be a scalar, not " + operand(i).ToString());
}

bool ShapeContext::RequireMixable(size_t i, size_t j) {
  const ElementType a = operand(i).element_type();
  const ElementType b = operand(j).element_type();
  if (MayMix(a, b)) return true;
  return Fail(OpcodeName(instruction_.opcode()).str() + " cannot mix element types " +
              ElementTypeName(a).str() + " and " + ElementTypeName(b).str());
}

bool ShapeContext::RequireSameDimensions(size_t i, size_t j) {
  if (ShapesAgree(operand(i), operand(j), TypeMatch::kAny)) return true;
  return Fail("operands " + std::to_string(i) + " and " + std::to_string(j) + " of " +
              OpcodeName(instruction_.opcode()).str() + " must have the same dimensions, not " +
              operand(i).ToString() + " and " + operand(j).ToString());
}

bool ShapeContext::RequireDimensions(AttributeName attribute, int64_t rank) {
  const llvm::ArrayRef<int64_t> dimensions = instruction_.Integers(attribute);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= rank) {
      return FailAt(attribute, AttributeText(attribute).str() + " names dimension " +
                                   std::to_string(dimensions[i]) + " of an array of rank " +
                                   std::to_string(rank));
    }
    if (llvm::is_contained(dimensions.take_front(i), dimensions[i])) {
      return FailAt(attribute, AttributeText(attribute).str() + " names dimension " +
                                   std::to_string(dimensions[i]) + " twice");
    }
  }
  return true;
}

bool ShapeContext::RequireDisjoint(AttributeName a, AttributeName b) {
  for (const int64_t dimension : instruction_.Integers(a)) {
    if (!llvm::is_contained(instruction_.Integers(b), dimension)) continue;
    return FailAt(b, "dimension " + std::to_string(dimension) + " is in both " +
                         AttributeText(a).str() + " and " + AttributeText(b).str());
  }
  return true;
}

bool ShapeContext::RequireOneDimension(int64_t rank) {
  if (instruction_.Integers(AttributeName::kDimensions).size() == 1) {
    return RequireDimensions(AttributeName::kDimensions, rank);
  }
  return FailAt(AttributeName::kDimensions,
                OpcodeName(instruction_.opcode()).str() + " needs exactly one dimension");
}

bool ShapeContext::RequireParameters(AttributeName attribute, size_t count) {
  const Computation* callee = instruction_.Callee(attribute);
  return callee == nullptr || RequireParameters(attribute, *callee, count);
}

bool ShapeContext::RequireParameters(AttributeName attribute, const Computation& callee,
                                     size_t count) {
  if (callee.parameters().size() == count) return true;
  return FailAt(attribute, "computation '" + callee.name().str() + "' has " +
                               std::to_string(callee.parameters().size()) + " parameters, " +
                               OpcodeName(instruction_.opcode()).str() + " gives it " +
                               std::to_string(count));
}

bool ShapeContext::RequireAscending(AttributeName attribute) {
  if (llvm::is_sorted(instruction_.Integers(attribute))) return true;
  return FailAt(attribute, AttributeText(attribute).str() + " must be in ascending order");
}

bool ShapeContext::RequireScalarFunction(AttributeName attribute,
                                         llvm::ArrayRef<ElementType> parameters,
                                         llvm::ArrayRef<ElementType> results) {
  const Computation* callee = instruction_.Callee(attribute);
  if (callee == nullptr) return true;
  if (!RequireParameters(attribute, parameters.size())) return false;
  const auto fits = [](const Shape& shape, ElementType type) {
    return shape.IsScalar() && MayMix(shape.element_type(), type);
  };
  const auto needs = [this](ElementType type) {
    return ", " + OpcodeName(instruction_.opcode()).str() + " needs " +
           ElementTypeName(type).str() + "[]";
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = callee->parameters()[i]->shape();
    if (fits(shape, parameters[i])) continue;
    return FailAt(attribute, "parameter " + std::to_string(i) + " of computation '" +
                                 callee->name().str() + "' has shape " + shape.ToString() +
                                 needs(parameters[i]));
  }
  const Shape& root = callee->root().shape();
  llvm::SmallVector<const Shape*, 4> given = {&root};
  if (root.IsTuple()) given.assign(root.elements().begin(), root.elements().end());
  if (given.size() != results.size()) {
    return FailAt(attribute, "computation '" + callee->name().str() + "' gives " + root.ToString() +
                                 ", " + OpcodeName(instruction_.opcode()).str() + " needs " +
                                 std::to_string(results.size()) + " scalars");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (fits(*given[i], results[i])) continue;
    return FailAt(attribute, "computation '" + callee->name().str() + "' gives " +
                                 given[i]->ToString() + needs(results[i]));
  }
  return true;
}

bool ShapeContext::RequireReducer(AttributeName attribute, llvm::ArrayRef<ElementType> types) {
  llvm::SmallVector<ElementType, 8> parameters(types.begin(), types.end());
  parameters.append(types.begin(), types.end());
  return RequireScalarFunction(attribute, parameters, types);
}

}  // namespace hlo_indexing::hlo
