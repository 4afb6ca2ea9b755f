#include "bench/all_maps.h"

namespace hlo_indexing::bench {

using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OutputIndexing;

namespace {

int64_t NumMaps(const OutputIndexing& indexing) {
  int64_t maps = 0;
  for (const auto& operand : indexing.operands()) {
    maps += static_cast<int64_t>(operand.maps().size());
  }
  return maps;
}

}  // namespace

int64_t ComputeMapsOf(const hlo::Computation& computation, Directions directions,
                      IndexingAnalysis& analysis) {
  int64_t maps = 0;
  for (const hlo::Instruction* instruction : computation.instructions()) {
    const int64_t leaves = instruction->shape().num_array_leaves();
    for (int64_t leaf = 0; leaf < leaves; ++leaf) {
      maps += NumMaps(analysis.OutputToInput(*instruction, leaf));
      if (directions == Directions::kBoth) {
        maps += NumMaps(analysis.InputToOutput(*instruction, leaf));
      }
    }
  }
  return maps;
}

int64_t ComputeAllMaps(const hlo::Module& module, IndexingAnalysis& analysis) {
  int64_t maps = 0;
  for (const hlo::Computation* computation : module.computations()) {
    maps += ComputeMapsOf(*computation, Directions::kBoth, analysis);
  }
  return maps;
}

}  // namespace hlo_indexing::bench
