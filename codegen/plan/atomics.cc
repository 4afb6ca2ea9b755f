#include "codegen/plan/atomics.h"

#include "hlo/opcode.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

using hlo::Computation;
using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

AtomicOperation AtomicOperationOf(const Computation& combiner, size_t array, size_t num_arrays) {
  const Instruction* root = &combiner.root();
  if (root->opcode() == Opcode::kTuple) root = &root->operand(array);
  const auto is_parameter = [](const Instruction& instruction, size_t number) {
    return instruction.opcode() == Opcode::kParameter &&
           instruction.parameter_number() == static_cast<int64_t>(number);
  };
  const size_t update = array + num_arrays;
  if (is_parameter(*root, update)) return AtomicOperation::kReplace;
  if (root->operands().size() != 2) return AtomicOperation::kOther;
  const bool is_in_order =
      is_parameter(root->operand(0), array) && is_parameter(root->operand(1), update);
  const bool is_swapped =
      is_parameter(root->operand(1), array) && is_parameter(root->operand(0), update);
  if (!is_in_order && !is_swapped) return AtomicOperation::kOther;
  switch (root->opcode()) {
    case Opcode::kAdd:
      return AtomicOperation::kAdd;
    case Opcode::kMinimum:
      return AtomicOperation::kMinimum;
    case Opcode::kMaximum:
      return AtomicOperation::kMaximum;
    case Opcode::kAnd:
      return AtomicOperation::kAnd;
    case Opcode::kOr:
      return AtomicOperation::kOr;
    case Opcode::kXor:
      return AtomicOperation::kXor;
    default:
      return AtomicOperation::kOther;
  }
}

bool HasAtomicInstruction(AtomicOperation operation, ElementType type) {
  const int64_t bits = hlo::ElementBits(type);
  const ElementClass kind = hlo::ClassOf(type);
  if ((bits != 32 && bits != 64) || operation == AtomicOperation::kOther) return false;
  if (operation == AtomicOperation::kReplace) return true;
  if (kind == ElementClass::kFloat) return operation == AtomicOperation::kAdd;
  return kind == ElementClass::kSigned || kind == ElementClass::kUnsigned;
}

llvm::SmallDenseSet<int64_t, 4> ParametersOf(const Instruction& instruction) {
  llvm::SmallDenseSet<int64_t, 4> parameters;
  llvm::SmallPtrSet<const Instruction*, 8> seen = {&instruction};
  llvm::SmallVector<const Instruction*, 8> pending = {&instruction};
  while (!pending.empty()) {
    const Instruction* const next = pending.pop_back_val();
    if (next->parameter_number() >= 0) parameters.insert(next->parameter_number());
    for (const Instruction* operand : next->operands()) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return parameters;
}

}  // namespace hlo_indexing::plan
