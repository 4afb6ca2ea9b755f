// Affine maps with the points at which they hold: what a layout looks like to MLIR.
#ifndef HLO_INDEXING_LAYOUT_BOUNDED_AFFINE_MAP_H_
#define HLO_INDEXING_LAYOUT_BOUNDED_AFFINE_MAP_H_

#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "simplifier/interval.h"

namespace hlo_indexing::layout {

/// An affine map on the points that lie within the bounds and meet the constraints.
/// Example: (d0) -> (d0 floordiv 4, d0 mod 4), d0 in [0, 23], d0 mod 4 in [0, 2]
struct BoundedAffineMap {
  mlir::AffineMap map;
  /// Of each dimension; empty intervals for an array or a layout without elements.
  llvm::SmallVector<simplifier::Interval, 6> dimension_bounds;
  llvm::SmallVector<std::pair<mlir::AffineExpr, simplifier::Interval>, 2> constraints;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_BOUNDED_AFFINE_MAP_H_
