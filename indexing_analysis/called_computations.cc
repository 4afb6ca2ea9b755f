#include "indexing_analysis/called_computations.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

}  // namespace

bool IsFollowed(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

const Computation* FollowedCallee(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kFusion || instruction.opcode() == Opcode::kAsyncStart) {
    return instruction.Callee(AttributeName::kCalls);
  }
  if (instruction.opcode() == Opcode::kCall) return instruction.Callee(AttributeName::kToApply);
  return nullptr;
}

llvm::SmallVector<const Computation*, 4> BranchesOf(const Instruction& conditional) {
  using Computations = llvm::ArrayRef<const Computation*>;
  const Computations branches =
      conditional.Get<Computations>(AttributeName::kBranchComputations).value_or(Computations());
  if (!branches.empty()) return {branches.begin(), branches.end()};
  return {conditional.Callee(AttributeName::kTrueComputation),
          conditional.Callee(AttributeName::kFalseComputation)};
}

std::optional<int64_t> HandedOn(const Computation& computation, int64_t leaf) {
  const Instruction* instruction = &computation.root();
  while (true) {
    switch (instruction->opcode()) {
      case Opcode::kParameter:
        return leaf;
      case Opcode::kTuple: {
        const int64_t element = instruction->shape().ElementOfLeaf(leaf);
        leaf -= instruction->shape().FirstLeafOfElement(element);
        instruction = &instruction->operand(static_cast<size_t>(element));
        break;
      }
      case Opcode::kGetTupleElement:
        leaf += instruction->operand(0).shape().FirstLeafOfElement(
            instruction->Required<int64_t>(AttributeName::kIndex));
        instruction = &instruction->operand(0);
        break;
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
        instruction = &instruction->operand(0);
        break;
      default:
        return std::nullopt;
    }
  }
}

bool IsUnbounded(const Instruction& instruction, int64_t leaf) {
  if (instruction.shape().ArrayLeaf(leaf).HasUnboundedDimension()) return true;
  // Each array of a tuple reads one operand, of the same shape.
  return instruction.opcode() != Opcode::kTuple &&
         llvm::any_of(instruction.operands(), [](const Instruction* operand) {
           return operand->shape().IsArray() && operand->shape().HasUnboundedDimension();
         });
}

}  // namespace hlo_indexing::indexing_analysis
