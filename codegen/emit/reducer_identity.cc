#include "codegen/emit/reducer_identity.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::emit {

using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::optional<hlo::Element> IdentityOf(const hlo::Computation& reducer) {
  const Instruction& root = reducer.root();
  if (root.operands().size() != 2 || root.operand(0).opcode() != Opcode::kParameter ||
      root.operand(1).opcode() != Opcode::kParameter ||
      root.operand(0).parameter_number() == root.operand(1).parameter_number()) {
    return std::nullopt;
  }
  const ElementType type = root.shape().element_type();
  const bool is_float = hlo::ClassOf(type) == ElementClass::kFloat;
  const bool is_predicate = type == ElementType::kPred;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  hlo::Element identity;
  switch (root.opcode()) {
    case Opcode::kAdd:
      // 0 would change -0.
      identity.real = identity.imag = -0.0;
      return identity;
    case Opcode::kMultiply:
      if (IsComplex(type)) return std::nullopt;
      return hlo::Element{.integer = 1, .real = 1};
    case Opcode::kMaximum:
      if (is_float) return hlo::FloatElement(-kInfinity);
      return hlo::IntegerElement(is_predicate ? 0 : hlo::SmallestInteger(type));
    case Opcode::kMinimum:
      if (is_float) return hlo::FloatElement(kInfinity);
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
  // Some of these have neither infinity nor a sign of zero.
  if (IsSmallFloat(type)) return std::nullopt;
  std::vector<uint8_t> bytes(16);
  hlo::StoreElement(type, *identity, bytes.data());
  bytes.resize(static_cast<size_t>(std::max<int64_t>(8, hlo::ElementBits(type)) / 8));
  return NumberOfBytes(builder, type, bytes);
}

}  // namespace hlo_indexing::emit
