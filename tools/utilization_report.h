// What is read of the operands of an instruction, as text and as JSON.
#ifndef HLO_INDEXING_TOOLS_UTILIZATION_REPORT_H_
#define HLO_INDEXING_TOOLS_UTILIZATION_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/queries/utilization.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// What an instruction reads.
struct InstructionUtilization {
  const hlo::Instruction* instruction = nullptr;
  /// What its computation by itself reads of its parameters, of which it is the root.
  bool is_of_computation = false;
  /// Of every operand array, by all outputs.
  std::vector<indexing_analysis::OperandUtilization> together;
  /// By each output array, of the operand arrays that it depends on.
  std::vector<std::vector<indexing_analysis::OperandUtilization>> by_output;

  /// The operands of which it speaks, or the parameters.
  llvm::ArrayRef<const hlo::Instruction*> Inputs() const {
    return is_of_computation ? instruction->parent().parameters() : instruction->operands();
  }
};

/// Writes the instruction with a line for each operand array and, where outputs differ, for these:
///
///   %f = f32[4] fusion(%x)
///     operand 0 (x): 4 of 8 elements (50.0 %), 16 bytes, 4 reads
///       not read: [0:8:2]
void WriteUtilizationText(const InstructionUtilization& utilization, llvm::raw_ostream& out);

/// Writes an object on a line for each operand array, then those for each output:
/// `{"kind":"utilization",...}`; docs/command_line.md says what they hold.
void WriteUtilizationJson(const std::string& file, const InstructionUtilization& utilization,
                          llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_UTILIZATION_REPORT_H_
