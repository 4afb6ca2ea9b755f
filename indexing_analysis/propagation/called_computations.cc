#include "indexing_analysis/propagation/called_computations.h"

#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

}  // namespace

bool HasControlFlow(const Instruction& instruction) {
  return TraitsOf(instruction.opcode()).control_flow != ControlFlow::kNone;
}

const Computation* CalleeOf(const Instruction& instruction) {
  switch (TraitsOf(instruction.opcode()).control_flow) {
    case ControlFlow::kFusion:
    case ControlFlow::kAsyncStart:
      return instruction.Callee(AttributeName::kCalls);
    case ControlFlow::kCall:
      return instruction.Callee(AttributeName::kToApply);
    case ControlFlow::kNone:
    case ControlFlow::kConditional:
    case ControlFlow::kWhile:
      return nullptr;
  }
  return nullptr;
}

std::optional<int64_t> ForwardedParameter(const Computation& computation, int64_t leaf) {
  const Instruction* instruction = &computation.root();
  while (instruction->opcode() != Opcode::kParameter) {
    const RuleTraits& traits = TraitsOf(instruction->opcode());
    const bool is_element = traits.forwarding == Forwarding::kTuple ||
                            traits.forwarding == Forwarding::kGetTupleElement;
    if (is_element) {
      const std::optional<OperandArray> from = ForwardedOperand(*instruction, leaf);
      instruction = &instruction->operand(from->operand);
      leaf = from->leaf;
    } else if (traits.is_identity) {
      instruction = &instruction->operand(0);
    } else {
      return std::nullopt;
    }
  }
  return leaf;
}

bool IsUnbounded(const Instruction& instruction, int64_t leaf) {
  if (instruction.shape().ArrayLeaf(leaf).HasUnboundedDimension()) return true;
  // Each array of a tuple reads one operand, of the same shape.
  return TraitsOf(instruction.opcode()).forwarding != Forwarding::kTuple &&
         llvm::any_of(instruction.operands(), [](const Instruction* operand) {
           return operand->shape().IsArray() && operand->shape().HasUnboundedDimension();
         });
}

}  // namespace hlo_indexing::indexing_analysis
