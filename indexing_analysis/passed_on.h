// Which array an instruction hands on unchanged. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PASSED_ON_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PASSED_ON_H_

#include <cstdint>
#include <optional>

#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis {

/// Whether the rule does not look at the access: the instruction hands an array on, or reads none.
inline bool PassesOn(ReadRule rule) {
  return rule == read_rules::Tuple || rule == read_rules::GetTupleElement ||
         rule == read_rules::FirstOperand || rule == read_rules::NoOperands;
}

/// An array of an operand.
struct OperandLeaf {
  size_t operand = 0;
  int64_t leaf = 0;
};

/// What output array `output_leaf` is, where PassesOn; nothing where no array is read.
/// *get-tuple-element((f32[2], f32[3]) t), index=1 -> operand 0, leaf 1*
std::optional<OperandLeaf> PassedOn(const hlo::Instruction& instruction, int64_t output_leaf);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PASSED_ON_H_
