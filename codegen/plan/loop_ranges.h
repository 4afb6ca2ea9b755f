// Loops around what a map is of: ranges in front of its own.
#ifndef HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_
#define HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_

#include <cstddef>
#include <cstdint>
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

/// Of an index of an array of these sizes that is read in loops, ranges in front of those of
/// `outside`: where the same element is read before the loops, by all that are in the domain of
/// `outside`. What only some turns read, behind conditions, is read as well if it is an element
/// there. Values known at run time that the index does not speak of are dropped. nullopt if it is
/// another element in each turn, or none without the conditions.
/// Example: (d0)[s0] -> (), d0 + s0 in [1, 40]; outside (d0) -> (d0 * 2) -> (d0) -> ()
std::optional<IndexingMap> IndexOutsideLoops(const IndexingMap& index,
                                             llvm::ArrayRef<indexing_analysis::Variable> loops,
                                             const IndexingMap& outside,
                                             llvm::ArrayRef<int64_t> sizes, MapTable& maps);

/// Bounds of the one result by those of the variables, whatever the constraints.
indexing_analysis::Interval RangeOfResult(const IndexingMap& map);

/// Whether the turns are a loop of the code, or stand one behind the other.
enum class LoopForm : uint8_t { kLoop, kWrittenOut };

/// Where results are the same in all turns of loops, the first `count` ranges, though the turns
/// have conditions: the index in the first turn, if all threads that have a later one have that.
/// nullopt where turns have no conditions, too. Example: (d0)[s0] -> (d0 floordiv 2), d0 + s0 * 32
/// in [0, 61], s0 in [0, 1]
///       -> (d0)[s0] -> (d0 floordiv 2), d0 in [0, 31]
/// Of turns that are written out, without conditions as well: LLVM finds what they have in common
/// in short code only.
std::optional<IndexingMap> IndexOfFirstTurn(const IndexingMap& index, size_t first_loop,
                                            size_t count, MapTable& maps,
                                            LoopForm form = LoopForm::kLoop);

/// The expressions alone of what is loaded, for any values of the variables, without loops in front
/// that they do not depend on: inside of each other's loops, two loads of an array with the same
/// ones are of the same element. Of vectors, whose last range is the lane (BoundsOfLane), one lane
/// or all.
IndexingMap LoadedElements(const IndexingMap& index, bool has_lane);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_LOOP_RANGES_H_
