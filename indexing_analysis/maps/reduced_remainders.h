// Remainders with coefficients below their divisor: (d0 * 7 + d1) mod 3 is (d0 + d1) mod 3.
//
// The normal form keeps the 7, as (d0 * 7 + d1) floordiv 3 floordiv 2 is one quotient with it; so
// maps are written this way at the end.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_REDUCED_REMAINDERS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_REDUCED_REMAINDERS_H_

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::indexing_analysis {

/// Reduces the coefficients of remainders modulo their divisors, in all expressions of a map. A
/// coefficient keeps its sign unless it could be 1: (-d0) mod 2 is d0 mod 2. Remainders of what
/// other divisions of the map divide, too, stay as they are: x floordiv 3 and x mod 3 share their
/// x.
/// Example: ((d0 * 8 - d1 * 5) mod 3, (d0 * 7) mod 2, (d0 * 7) floordiv 2)
///       -> ((d0 * 2 - d1 * 2) mod 3, (d0 * 7) mod 2, (d0 * 7) floordiv 2)
void ReduceRemainders(llvm::MutableArrayRef<mlir::AffineExpr> results,
                      llvm::MutableArrayRef<MapConstraint> constraints);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_REDUCED_REMAINDERS_H_
