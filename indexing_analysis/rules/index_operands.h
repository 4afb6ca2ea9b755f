// The operands that say where an instruction reads or writes. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_INDEX_OPERANDS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_INDEX_OPERANDS_H_

#include <cstddef>
#include <cstdint>

#include "hlo/module.h"

namespace hlo_indexing::indexing_analysis {

/// Where an instruction takes its indices from: operands [first, first + count).
struct IndexOperands {
  size_t first = 0;
  size_t count = 0;
  /// The dimension of these arrays along which the components of one index lie; their rank if they
  /// hold single numbers.
  int64_t vector_dimension = 0;
};

namespace index_operands {

/// Example: dynamic-slice(x, i, j) -> operands [1, 3), dimension 0
IndexOperands DynamicSlice(const hlo::Instruction& instruction);
/// Example: dynamic-update-slice(x, update, i, j) -> operands [2, 4), dimension 0
IndexOperands DynamicUpdateSlice(const hlo::Instruction& instruction);
/// Example: gather(x, s32[5,2]), index_vector_dim=1 -> operands [1, 2), dimension 1
IndexOperands Gather(const hlo::Instruction& instruction);
/// Example: scatter(x, y, s32[5], updates of x, updates of y) -> operands [2, 3), dimension 1
IndexOperands Scatter(const hlo::Instruction& instruction);

}  // namespace index_operands

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_INDEX_OPERANDS_H_
