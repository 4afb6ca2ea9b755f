// From which target on an instruction is there.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TARGET_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TARGET_H_

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// An error if the instruction, or one of its modifiers, is of later targets than the module's.
/// Example: `ldmatrix` in a module of `.target sm_70`
absl::Status CheckTarget(const InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TARGET_H_
