// The address operand of a memory instruction, from the text to the addresses of the lanes.
//
// Example: of `atom.shared.add.u32 %r1, [%r2+8], 1`, DecodeMemoryOperand(d, 1, Space::kShared)
// gives the operand; when a warp executes it, SetAddresses fills in the space and, for each lane,
// the value of %r2 plus 8.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_OPERAND_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_OPERAND_H_

#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

struct MemoryOperand {
  AddressOperand address;
  /// What the instruction names, or where it names none the space of the operand's variable.
  Space space = Space::kGeneric;
};

/// The state space that the instruction names, kGeneric where it names none. `.shared::cluster` is
/// the block's own shared memory, there being no clusters.
Space TakeAccessSpace(InstructionDecoder& d);

/// The address operand `operand` of an instruction with the state space `space` (kGeneric: none
/// named). An error if the operand names a variable of another space.
absl::StatusOr<MemoryOperand> DecodeMemoryOperand(InstructionDecoder& d, int operand, Space space);

/// Fills in `space`, `lanes` and `addresses` of the access for the executing lanes.
void SetAddresses(const MemoryOperand& operand, const Execution& execution, WarpAccess& access);

/// For instructions of shared memory, after SetAddresses: lanes whose generic addresses are of
/// other memory are reported and leave the access.
void KeepShared(const Operation& operation, const Execution& execution, WarpAccess& access);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_OPERAND_H_
