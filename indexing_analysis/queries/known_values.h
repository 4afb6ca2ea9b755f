// Accesses whose addresses depend on values that are given: counted by trying all of them. Private
// to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_KNOWN_VALUES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_KNOWN_VALUES_H_

#include "indexing_analysis/queries/coalescing.h"

namespace hlo_indexing::indexing_analysis {

/// Whether the access depends on values known at run time, and all of these are given.
bool AreValuesKnown(const MemoryAccess& access);

/// Puts the exact counts into `coalescing`, which has ranges and the width of vectors: of every
/// lane of every warp in every iteration. Leaves it alone if these are more than
/// `options.max_lane_accesses`, or a value lies outside of its array. Returns whether it counted.
bool CountWithKnownValues(const MemoryAccess& access, const CoalescingOptions& options,
                          Coalescing& coalescing);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_KNOWN_VALUES_H_
