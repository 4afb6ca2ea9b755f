// The largest or smallest elements of lines, with their places: `topk`, and the custom call that
// XLA writes for it. Private to `codegen`.
#ifndef HLO_INDEXING_CODEGEN_PLAN_TOP_K_H_
#define HLO_INDEXING_CODEGEN_PLAN_TOP_K_H_

#include <cstdint>
#include <optional>

#include "hlo/module.h"

namespace hlo_indexing::plan {

/// (values, places), of the last dimension, in order; of equal ones the first comes first.
struct TopK {
  int64_t count = 0;
  bool is_largest = true;
};

/// nullopt for other instructions, and for what only has the name.
std::optional<TopK> TopKOf(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_TOP_K_H_
