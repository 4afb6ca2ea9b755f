// Boxes whose sides move with values known at run time: what a dynamic-update-slice leaves of its
// array, whatever its start is. Private to the folder.
//
// Example: f32[20] updated from rt0 to rt0 + 4, rt0 in [0, 15], is read by
//
//   (d0){rt0} -> (d0), d0 - rt0 in [-15, -1]  and  (d0){rt0} -> (d0), d0 - rt0 in [5, 19]
//
// of rt0 and 15 - rt0 elements: 15 together. The sizes of boxes are products of lengths, each
// affine in one value, so their sum is smallest and largest where all values are at ends of their
// bounds.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_MOVING_BOXES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_MOVING_BOXES_H_

#include <optional>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

/// What maps reach together, from the fewest to the most of all choices, each of which is some
/// choice's; a map may come more than once, and then only its points count again. nullopt unless
/// all values are uniform, all maps are such boxes, and no two of them ever share an element.
std::optional<ReachPerChoice> ReachOfMovingBoxes(llvm::ArrayRef<IndexingMap> maps);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_MOVING_BOXES_H_
