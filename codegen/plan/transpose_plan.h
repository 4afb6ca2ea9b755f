// The plan of a transpose through shared memory from the maps of its tiles, whoever cuts them.
// Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_PLAN_TRANSPOSE_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_TRANSPOSE_PLAN_H_

#include <cstdint>

#include "codegen/plan/emitters.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/xla_heroes.h"

namespace hlo_indexing::plan {

/// The transpose of the heroes, in the fewest dimensions, and the most bits of their elements.
struct TransposeHeroes {
  NormalizedTranspose transpose;
  int64_t element_bits = 0;
};
TransposeHeroes HeroesOfTranspose(const EmitterInput& input);

/// How the threads go over a transpose, in its normalized dimensions.
struct TransposeMaps {
  IndexingMap input;
  IndexingMap output;
  int64_t vector = 1;
  /// But for its hero and the bits of its elements.
  SharedTile tile;
  /// Whether other outputs are stored where the output is written, not where the input is read.
  bool side_outputs_with_output = false;
};
KernelPlan AssembleTranspose(const EmitterInput& input, const NormalizedTranspose& transpose,
                             const Launch& launch, const TransposeMaps& maps, const char* variant);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_TRANSPOSE_PLAN_H_
