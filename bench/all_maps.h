// The work of benchmarks of whole modules and computations.
#ifndef HLO_INDEXING_BENCH_ALL_MAPS_H_
#define HLO_INDEXING_BENCH_ALL_MAPS_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"

namespace hlo_indexing::bench {

enum class Directions : uint8_t { kBoth, kOutputToInput };

/// Computes the maps of all instructions, each output array with all operands. The number of maps.
int64_t ComputeMapsOf(const hlo::Computation& computation, Directions directions,
                      indexing_analysis::IndexingAnalysis& analysis);
/// In both directions.
int64_t ComputeAllMaps(const hlo::Module& module, indexing_analysis::IndexingAnalysis& analysis);

}  // namespace hlo_indexing::bench

#endif  // HLO_INDEXING_BENCH_ALL_MAPS_H_
