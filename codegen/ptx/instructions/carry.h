// Extended-precision arithmetic (PTX ISA 9.7.2): add.cc, addc, sub.cc, subc, mad.cc, madc. The
// carry flag of each thread, CC.CF, is a predicate of the activation that has no name.
//
// Differences are sums with the complement: a - b = a + ~b + 1, and the flag is what is carried out
// of that addition, so it is 1 where nothing is borrowed. The ISA speaks of a borrow there; which
// one it is shows only where instructions of both kinds follow each other, as in the 128-bit
// division of nvcc, which counts on what devices do.
//
// Example: add.cc.u32 of 0xffffffff and 1 gives 0 and sets the flag; sub.cc.u32 of 5 and 6 clears
// it.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// What is done with the carry.
enum class CarryOf : uint8_t { kAdd, kSub, kMadLow, kMadHigh };

/// Decodes the operands and emits. `reads`: the flag is added; `writes`: it becomes what is carried
/// out of the last addition.
absl::Status DecodeCarry(InstructionDecoder& d, CarryOf operation, Type type, bool reads,
                         bool writes);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CARRY_H_
