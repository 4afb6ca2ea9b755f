// Extended-precision arithmetic (PTX ISA 9.7.2): add.cc, addc, sub.cc, subc, mad.cc, madc. The
// carry flag of each thread, CC.CF, is a predicate of the activation that has no name.
//
// Example: add.cc.u32 of 0xffffffff and 1 gives 0 and sets the flag; sub.cc sets it as a borrow.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// What is done with the carry.
enum class CarryOf : uint8_t { kAdd, kSub, kMadLow, kMadHigh };

/// Decodes the operands and emits. `reads`: the flag is added (a borrow: subtracted); `writes`: it
/// becomes what is carried out of the last addition.
absl::Status DecodeCarry(InstructionDecoder& d, CarryOf operation, Type type, bool reads,
                         bool writes);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_
