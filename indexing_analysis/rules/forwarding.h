// Which array of an operand an instruction passes through unchanged. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_FORWARDING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_FORWARDING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hlo/module.h"
#include "indexing_analysis/maps/operand_array.h"

namespace hlo_indexing::indexing_analysis {

/// The operand array that output array `leaf` of an instruction is, by the opcode's Forwarding;
/// nullopt if it is none.
///
/// Example: get-tuple-element((f32[2], f32[3]) t), index=1 -> operand 0, array 1
std::optional<OperandArray> ForwardedOperand(const hlo::Instruction& instruction, int64_t leaf);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_FORWARDING_H_
