// Loops around what a map is of: ranges in front of its own.
#ifndef HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_
#define HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_

#include <cstddef>
#include <optional>

#include "codegen/plan/plan_context.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::plan {

using indexing_analysis::IndexingMap;

/// Whether what the map says depends on one of its ranges: its results, or its constraints.
bool DependsOnRange(const IndexingMap& map, size_t range);

/// The map with more range variables, before its own.
IndexingMap WithRangesInFront(const IndexingMap& map,
                              llvm::ArrayRef<indexing_analysis::Variable> ranges);
/// The map that is such with these ranges; nullopt if what it says depends on one of them.
std::optional<IndexingMap> WithoutRangesInFront(const IndexingMap& map,
                                                llvm::ArrayRef<indexing_analysis::Variable> ranges);

/// Bounds of the one result by those of the variables, whatever the constraints.
indexing_analysis::Interval RangeOfResult(const IndexingMap& map);

/// Where results are the same in all turns of loops, the first `count` ranges, though the turns
/// have conditions: the index in the first turn, if all threads that have a later one have that.
/// nullopt where turns have no conditions, too. Example: (d0)[s0] -> (d0 floordiv 2), d0 + s0 * 32
/// in [0, 61], s0 in [0, 1]
///       -> (d0)[s0] -> (d0 floordiv 2), d0 in [0, 31]
std::optional<IndexingMap> IndexOfFirstTurn(const IndexingMap& index, size_t first_loop,
                                            size_t count, MapTable& maps);

/// The expressions alone of what is loaded, for any values of the variables, without loops in front
/// that they do not depend on: inside of each other's loops, two loads of an array with the same
/// ones are of the same element. Of vectors, whose last range is the lane, one lane or all.
IndexingMap LoadedElements(const IndexingMap& index, bool has_lane);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_
