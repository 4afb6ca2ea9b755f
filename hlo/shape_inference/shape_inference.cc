#include "hlo/shape_inference/shape_inference.h"

#include "hlo/shape_inference/rule_table.h"
#include "hlo/shape_inference/shape_context.h"

namespace hlo_indexing::hlo {

const Shape* InferShape(const Instruction& instruction, ShapePool& pool, std::string& error) {
  const shape_rules::Rule rule = shape_rules::RuleOf(instruction.opcode());
  if (rule == nullptr) return nullptr;
  ShapeContext context(instruction, pool, /*declared=*/nullptr);
  if (rule(context)) return context.shape();
  if (context.error()) error = context.error()->message;
  return nullptr;
}

std::optional<ShapeError> CheckShape(const Instruction& instruction, ShapePool& pool) {
  const shape_rules::Rule rule = shape_rules::RuleOf(instruction.opcode());
  if (rule == nullptr) return std::nullopt;
  ShapeContext context(instruction, pool, &instruction.shape());
  if (!rule(context)) return context.error();
  const Shape* expected = context.shape();
  if (expected == nullptr || ShapesAgree(*expected, instruction.shape(), context.match())) {
    return std::nullopt;
  }
  return ShapeError{OpcodeName(instruction.opcode()).str() + " has shape " +
                    instruction.shape().ToString() + ", its operands and attributes give " +
                    expected->ToString()};
}

}  // namespace hlo_indexing::hlo
