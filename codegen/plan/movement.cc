#include "codegen/plan/movement.h"

#include "codegen/plan/constants.h"
#include "hlo/element_type.h"
#include "hlo/shape.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

bool IsMovement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCopy:
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kBitcast:
      return true;
    default:
      return false;
  }
}

namespace {

// Whether what a load gives is the element, and not what it is made from.
bool IsLoadedAsItIs(const Shape& shape) {
  const hlo::ElementType type = shape.element_type();
  return shape.StorageBits() >= 8 && type != hlo::ElementType::kPred &&
         hlo::ClassOf(type) != hlo::ElementClass::kComplex;
}

// The input or constant whose elements an instruction has; null if it computes them, or if they are
// needed elsewhere.
const Instruction* SourceOf(const KernelPlan& plan, const Instruction& moved) {
  const Instruction* source = &moved;
  while (!plan.InputNumber(*source).has_value() && !IsConstantInMemory(*source)) {
    if (!IsMovement(source->opcode()) || source->users().size() > 1) return nullptr;
    source = &source->operand(0);
  }
  return source;
}

}  // namespace

llvm::SmallPtrSet<const Instruction*, 4> AlternativesOfSelects(const KernelPlan& plan) {
  llvm::SmallPtrSet<const Instruction*, 4> alternatives;
  const auto add = [&](const Instruction& select) {
    if (select.opcode() != Opcode::kSelect || !IsLoadedAsItIs(select.shape())) return;
    const Instruction* const on_true = SourceOf(plan, select.operand(1));
    const Instruction* const on_false = SourceOf(plan, select.operand(2));
    if (on_true == nullptr || on_false == nullptr) return;
    alternatives.insert(on_true);
    alternatives.insert(on_false);
  };
  if (const hlo::Computation* const computation = plan.Composed()) {
    for (const Instruction* instruction : computation->instructions()) add(*instruction);
  } else {
    add(*plan.instruction);
  }
  return alternatives;
}

}  // namespace hlo_indexing::plan
