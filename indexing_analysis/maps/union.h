// Several maps between the same tensors as one relation.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_UNION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_UNION_H_

#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "support/answer.h"

namespace hlo_indexing::indexing_analysis {

/// Whether `larger` relates every pair of dimensions and results that `smaller` relates, for equal
/// values of the runtime variables, which correspond in order. kUnknown if a map is unknown or the
/// question is too hard.
/// Example: (d0) -> (d0) on [2, 5] and (d0)[s0] -> (s0) with d0, s0 in [0, 9] -> yes
support::ReasonedAnswer Subsumes(const IndexingMap& larger, const IndexingMap& smaller);

/// Maps that relate together the same pairs as the given ones, simplified: without empty maps and
/// maps that another one subsumes, and with one map in place of two that differ in the bounds of
/// one variable only, if these touch. In the order of the given ones.
std::vector<IndexingMap> Union(llvm::ArrayRef<IndexingMap> maps);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_UNION_H_
