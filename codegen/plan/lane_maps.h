// Maps whose last range variable, the lane, is the place of an element in a vector. Private to
// codegen.
//
// A thread computes the elements of a vector together: what does not depend on the lane is computed
// once, and what is read at neighbouring places for neighbouring lanes is one access.
#ifndef HLO_INDEXING_CODEGEN_PLAN_LANE_MAPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_LANE_MAPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan/conditions.h"
#include "codegen/plan/plan_context.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;

/// The map with these results in place of its own, of the same variables.
IndexingMap WithResults(const IndexingMap& map, llvm::ArrayRef<mlir::AffineExpr> results);

/// Whether the results are those of `index`, which depend on dimensions alone, wherever the map has
/// any. Example: (d0)[s0] -> ((d0 * 4 + s0) floordiv 4), s0 in [0, 3] and (d0) -> (d0)
bool HasResultsOf(const IndexingMap& map, const IndexingMap& index, MapTable& maps);

/// Whether a result, or a value known at run time that a result or constraint mentions, depends on
/// the last range variable.
bool DependsOnLane(const IndexingMap& map);

/// The map for one lane: the last range variable has that value only. Known empty if it is not one
/// of its values.
IndexingMap AtLane(const IndexingMap& map, int64_t lane, MapTable& maps);

/// The map for some neighbouring lanes, which are numbered from 0 on then. Known empty if none is
/// one of its values.
IndexingMap OfLanes(const IndexingMap& map, int64_t first, int64_t count, MapTable& maps);

/// What divides the one result, and of powers of two up to `most` each that does, though the terms
/// may hide it: 4 divides (d0 mod 4) * 2 + (d0 mod 2) * 6. nullopt for a constant 0.
std::optional<int64_t> DivisorOfResult(const IndexingMap& map, int64_t most, MapTable& maps);

/// How far the one result is from that of lane 0, for each lane; nullopt if that is not the same
/// for all elements. Example: (d0)[s0] -> (d0 * 4 + s0), 4 lanes -> 0, 1, 2, 3
std::optional<llvm::SmallVector<int64_t, 16>> LaneOffsets(const IndexingMap& map, int64_t lanes,
                                                          MapTable& maps);

/// The largest power of two, below the number of lanes, of neighbouring lanes that lie side by side
/// from a multiple of it on, whichever of these groups they are. 1 if there is none, or values
/// known at run time say where. Example: (d0)[s0] -> ((d0 * 4 + s0) mod 50), 4 lanes -> 2
int64_t LanesSideBySide(const IndexingMap& map, int64_t lanes, MapTable& maps);

/// Neighbouring lanes.
struct LaneRange {
  size_t first_lane = 0;
  size_t count = 1;
};

/// Parts lanes into as few accesses as possible: each of a power of two of elements that lie side
/// by side, at most 16 bytes, aligned to their size. The position of lane 0 without its offset is a
/// multiple of the divisor, and the array of so many bytes.
/// Example: offsets 0, 1, 2, 3, divisor 2, 32 bits -> {0, 1}, {2, 3}
std::vector<LaneRange> VectorsOf(llvm::ArrayRef<int64_t> offsets, int64_t divisor,
                                 int64_t element_bits, int64_t alignment);

/// What must be tested besides what `known` says for a point to be in the domain of `narrowed`,
/// which has the same dimension and range variables, and the runtime variables of `known` last: the
/// expressions have the variables of `narrowed` in the bounds of `known`.
Conditions ConditionsOf(const IndexingMap& narrowed, const IndexingMap& known);

/// The conditions, where they hold for all lanes or for none, without the lane; nullopt if some
/// lanes may meet them and others not.
std::optional<Conditions> SameForAllLanes(const Conditions& conditions, int64_t lanes,
                                          MapTable& maps);

/// Whether the conditions hold for one lane; nullopt if that depends on more than the lane.
std::optional<bool> HoldAtLane(const Conditions& conditions, int64_t lane, MapTable& maps);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_LANE_MAPS_H_
