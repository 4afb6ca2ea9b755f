// An instruction on one line for people, however many arrays it has, and their numbers.
#ifndef HLO_INDEXING_TOOLS_INSTRUCTION_HEAD_H_
#define HLO_INDEXING_TOOLS_INSTRUCTION_HEAD_H_

#include <cstdint>
#include <vector>

#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// Writes the instruction without its attributes. Of the arrays of a tuple, the operands and the
/// elements of a constant, what is too long is left out and counted.
/// Example: "%t = (f32[4], f32[8], ... 98 more) tuple(%a, %b, ... 98 more)", with more of each
void WriteInstructionHead(const hlo::Instruction& instruction, llvm::raw_ostream& out);

/// Operand arrays are numbered in tuple order of all operands: the number of the first one of each.
/// Example: (f32[4], f32[8]), f32[2] -> {0, 2}
std::vector<int64_t> FirstArrayNumbers(llvm::ArrayRef<const hlo::Instruction*> operands);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INSTRUCTION_HEAD_H_
