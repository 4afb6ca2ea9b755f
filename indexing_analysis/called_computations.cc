#include "indexing_analysis/called_computations.h"

#include "indexing_analysis/passed_on.h"
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
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kOptimizationBarrier: {
        const std::optional<OperandLeaf> from = PassedOn(*instruction, leaf);
        instruction = &instruction->operand(from->operand);
        leaf = from->leaf;
        break;
      }
      case Opcode::kCopy:
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
