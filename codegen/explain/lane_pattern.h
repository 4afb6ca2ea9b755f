// What the first warp of a kernel does by an access: for people, who see a pattern in it. Counts of
// all warps are those of queries/coalescing.h. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_LANE_PATTERN_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_LANE_PATTERN_H_

#include <array>
#include <cstdint>
#include <optional>

#include "indexing_analysis/maps/indexing_map.h"

namespace hlo_indexing::explain {

/// The positions of the lanes of one warp as runs of neighbours. Example: lanes that read 0, 1, 2,
/// 3, 128, 129, ... -> runs of 4, 128 apart
struct LanePattern {
  /// From the first lane to the second one, in elements; nullopt if there is no second one.
  std::optional<int64_t> stride;
  /// How many lanes from the first one on are `stride` apart, and how far the next run begins from
  /// the first, if there is one.
  int64_t run = 1;
  std::optional<int64_t> run_stride;
};

/// Of the first warp of block 0, in the first iteration of all loops: `position` is a map from
/// threads, blocks and loops to one result.
LanePattern PatternOfFirstWarp(const indexing_analysis::IndexingMap& position,
                               const std::array<int64_t, 3>& threads);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_LANE_PATTERN_H_
