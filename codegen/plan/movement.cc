#include "codegen/plan/movement.h"

namespace hlo_indexing::plan {

using hlo::Opcode;

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

}  // namespace hlo_indexing::plan
