#include "codegen/emit/reducer_identity.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hlo/element_type.h"
#include "hlo/interpreter/element_value.h"
#include "llvm/ADT/APFloat.h"

namespace hlo_indexing::emit {

using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

double ToDouble(llvm::APFloat value) {
  bool loses_information = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &loses_information);
  return value.convertToDouble();
}

// Infinity, if the type has that.
double Largest(const llvm::fltSemantics& semantics) {
  return ToDouble(llvm::APFloat::semanticsHasInf(semantics) ? llvm::APFloat::getInf(semantics)
                                                            : llvm::APFloat::getLargest(semantics));
}

double Least(const llvm::fltSemantics& semantics) {
  if (llvm::APFloat::semanticsHasSignedRepr(semantics)) return -Largest(semantics);
  return ToDouble(llvm::APFloat::getSmallest(semantics));
}

bool HasNegativeZero(ElementType type) {
  return type != ElementType::kF8E4M3B11FNUZ && type != ElementType::kF8E4M3FNUZ &&
         type != ElementType::kF8E5M2FNUZ;
}

std::optional<hlo::Element> IdentityOf(const hlo::Computation& reducer) {
  const Instruction& root = reducer.root();
  if (root.operands().size() != 2 || root.operand(0).opcode() != Opcode::kParameter ||
      root.operand(1).opcode() != Opcode::kParameter ||
      root.operand(0).parameter_number() == root.operand(1).parameter_number()) {
    return std::nullopt;
  }
  const ElementType type = root.shape().element_type();
  const llvm::fltSemantics* const semantics = hlo::FloatSemantics(type);
  const bool is_float = hlo::ClassOf(type) == ElementClass::kFloat;
  const bool is_predicate = type == ElementType::kPred;
  hlo::Element identity;
  switch (root.opcode()) {
    case Opcode::kAdd:
      if (is_float && !llvm::APFloat::semanticsHasZero(*semantics)) return std::nullopt;
      // 0 would change -0, where there is one.
      identity.real = identity.imag = HasNegativeZero(type) ? -0.0 : 0.0;
      return identity;
    case Opcode::kMultiply:
      return hlo::Element{.integer = 1, .real = 1};
    case Opcode::kMaximum:
      if (is_float) return hlo::FloatElement(Least(*semantics));
      return hlo::IntegerElement(is_predicate ? 0 : hlo::SmallestInteger(type));
    case Opcode::kMinimum:
      if (is_float) return hlo::FloatElement(Largest(*semantics));
      return hlo::IntegerElement(is_predicate ? 1 : hlo::LargestInteger(type));
    case Opcode::kAnd:
      return hlo::IntegerElement(is_predicate ? 1 : -1);
    case Opcode::kOr:
    case Opcode::kXor:
      return hlo::IntegerElement(0);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Number> EmitIdentity(KernelBuilder& builder, const hlo::Computation& reducer) {
  const std::optional<hlo::Element> identity = IdentityOf(reducer);
  if (!identity.has_value()) return std::nullopt;
  const ElementType type = reducer.root().shape().element_type();
  std::vector<uint8_t> bytes(16);
  hlo::StoreElement(type, *identity, bytes.data());
  bytes.resize(static_cast<size_t>(std::max<int64_t>(8, hlo::ElementBits(type)) / 8));
  return NumberOfBytes(builder, type, bytes);
}

}  // namespace hlo_indexing::emit
