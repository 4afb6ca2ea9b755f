// The operands that say where an instruction reads or writes. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_INDEX_OPERANDS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_INDEX_OPERANDS_H_

#include <cstddef>
#include <cstdint>

#include "hlo/module.h"

namespace hlo_indexing::indexing_analysis {

/// Where an instruction takes its indices from: operands [first, first + count).
struct IndexOperands {
  size_t first = 0;
  size_t count = 0;
  /// The dimension of these arrays along which the components of one index lie; their rank where
  /// they hold single numbers.
  int64_t vector_dimension = 0;
};

/// Of a dynamic-slice, dynamic-update-slice, gather or scatter.
/// *gather(x, s32[5,2]), index_vector_dim=1 -> operand 1, dimension 1*
inline IndexOperands IndexOperandsOf(const hlo::Instruction& instruction) {
  const size_t num_operands = instruction.operands().size();
  const hlo::Opcode opcode = instruction.opcode();
  if (opcode == hlo::Opcode::kDynamicSlice) return {1, num_operands - 1, 0};
  if (opcode == hlo::Opcode::kDynamicUpdateSlice) return {2, num_operands - 2, 0};
  // (array, indices); (arrays, indices, updates)
  const size_t first = opcode == hlo::Opcode::kGather ? 1 : num_operands / 2;
  const int64_t rank = instruction.operand(first).shape().rank();
  return {first, 1, instruction.Get<int64_t>(hlo::AttributeName::kIndexVectorDim).value_or(rank)};
}

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_INDEX_OPERANDS_H_
