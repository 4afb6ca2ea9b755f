#include "indexing_analysis/passed_on.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

std::optional<OperandLeaf> PassedOn(const Instruction& instruction, int64_t output_leaf) {
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  if (rule == read_rules::FirstOperand) return OperandLeaf{0, output_leaf};
  if (rule == read_rules::GetTupleElement) {
    const int64_t index = instruction.Required<int64_t>(hlo::AttributeName::kIndex);
    return OperandLeaf{0, instruction.operand(0).shape().FirstLeafOfElement(index) + output_leaf};
  }
  if (rule == read_rules::Tuple) {
    const int64_t element = instruction.shape().ElementOfLeaf(output_leaf);
    return OperandLeaf{static_cast<size_t>(element),
                       output_leaf - instruction.shape().FirstLeafOfElement(element)};
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::indexing_analysis
