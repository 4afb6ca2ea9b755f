// One element as the index of several slices. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CLAMPED_VALUES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CLAMPED_VALUES_H_

#include "indexing_analysis/maps/access.h"

namespace hlo_indexing::indexing_analysis {

/// Slices and updates clamp their starts to bounds that depend on their sizes, so that one element
/// x of an array becomes several runtime values. Where the constraints of a simplified access say
/// that two of them are equal, one takes the place of the other, and the access is simplified
/// again.
///
/// Example: rt0 is x in [0, 3], rt1 the same x in [0, 1]. From rt1 in [0, 0] follows that x is at
/// most 0, so that rt0 is 0, too: (d0) -> (d0 + rt0), rt1 in [0, 0] becomes (d0) -> (d0), rt0 in
/// [0, 0].
void MergeClampedValues(DigitContext& digits, const RuntimeTable& table, Access& access);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CLAMPED_VALUES_H_
