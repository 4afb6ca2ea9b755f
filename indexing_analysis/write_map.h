// Sums and constraints as the expressions of an IndexingMap.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_WRITE_MAP_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_WRITE_MAP_H_

#include <optional>

#include "indexing_analysis/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::indexing_analysis {

/// The sums in shortest form. Nothing where an expression overflows or is so long that nobody could
/// read it.
std::optional<llvm::SmallVector<mlir::AffineExpr>> WriteResults(
    llvm::ArrayRef<simplifier::Sum> results, simplifier::AffineWriter& writer);

/// The constraints in shortest form: a constant belongs to the bounds, unless that overflows.
/// Nothing as for WriteResults.
std::optional<llvm::SmallVector<MapConstraint, 2>> WriteConstraints(
    llvm::ArrayRef<simplifier::Constraint> constraints, simplifier::AffineWriter& writer);

/// Brings the constraints of `map` into a canonical order, whatever the order in which they were
/// met.
void SortConstraints(const IndexingMap& map, llvm::MutableArrayRef<MapConstraint> constraints);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_WRITE_MAP_H_
