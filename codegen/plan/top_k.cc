#include "codegen/plan/top_k.h"

#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "hlo/shape.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

bool IsCallOfTopK(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kCustomCall) return false;
  const auto target = instruction.Get<hlo::QuotedString>(AttributeName::kCustomCallTarget);
  return target.has_value() && target->escaped == "TopK";
}

}  // namespace

std::optional<TopK> TopKOf(const Instruction& instruction) {
  const bool is_call = IsCallOfTopK(instruction);
  if (!is_call && instruction.opcode() != Opcode::kTopK) return std::nullopt;
  const Shape& shape = instruction.shape();
  if (instruction.operands().size() != 1 || !shape.IsTuple() || shape.elements().size() != 2) {
    return std::nullopt;
  }
  const Shape& operand = instruction.operand(0).shape();
  const Shape& values = *shape.elements()[0];
  const Shape& places = *shape.elements()[1];
  const bool fits =
      operand.IsArray() && values.IsArray() && places.IsArray() && operand.rank() > 0 &&
      hlo::ClassOf(operand.element_type()) != hlo::ElementClass::kComplex &&
      values.element_type() == operand.element_type() && hlo::IsIntegral(places.element_type()) &&
      values.sizes() == places.sizes() && values.rank() == operand.rank() &&
      values.sizes().drop_back() == operand.sizes().drop_back() &&
      values.sizes().back() <= operand.sizes().back();
  if (!fits) return std::nullopt;
  const bool is_largest = is_call || instruction.Get<bool>(AttributeName::kLargest).value_or(true);
  return TopK{values.sizes().back(), is_largest};
}

}  // namespace hlo_indexing::plan
