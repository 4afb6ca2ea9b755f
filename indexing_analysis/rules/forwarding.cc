#include "indexing_analysis/rules/forwarding.h"

#include "indexing_analysis/rules/rule_table.h"

namespace hlo_indexing::indexing_analysis {

std::optional<OperandArray> ForwardedOperand(const hlo::Instruction& instruction, int64_t leaf) {
  switch (TraitsOf(instruction.opcode()).forwarding) {
    case Forwarding::kNone:
    case Forwarding::kNoOperand:
      return std::nullopt;
    case Forwarding::kFirstOperand:
      return OperandArray{0, leaf};
    case Forwarding::kTuple: {
      const int64_t element = instruction.shape().ElementOfLeaf(leaf);
      return OperandArray{static_cast<size_t>(element),
                          leaf - instruction.shape().FirstLeafOfElement(element)};
    }
    case Forwarding::kGetTupleElement: {
      const int64_t index = instruction.Required<int64_t>(hlo::AttributeName::kIndex);
      return OperandArray{0, instruction.operand(0).shape().FirstLeafOfElement(index) + leaf};
    }
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::indexing_analysis
