// The expressions of an IndexingMap as sums.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_READ_MAP_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_READ_MAP_H_

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {

/// What the runtime variables of a map become.
enum class RuntimeVariablesAs : uint8_t {
  kFunctions,  // functions without arguments: their bounds are never narrowed
  kVariables,  // variables after the ranges
};

/// The map with its dimensions, then its ranges, as variables 0, 1, ...; runtime variables have the
/// numbers after them. Not simplified.
simplifier::QuasiAffineMap ReadMap(simplifier::DigitContext& context, const IndexingMap& map,
                                   RuntimeVariablesAs runtime_variables);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_READ_MAP_H_
