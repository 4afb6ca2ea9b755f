// Affine expressions without wrap-around.
//
// MLIR's operators fold constants as they build an expression, modulo 2^64: (d0 * 2^62) * 4 becomes
// 0. These functions give nullopt if a folded constant does not fit 64 bits, and for a division by
// 0. They also keep divisions by -1 away from MLIR, which divides the smallest integer by them.
#ifndef HLO_INDEXING_SIMPLIFIER_CHECKED_AFFINE_H_
#define HLO_INDEXING_SIMPLIFIER_CHECKED_AFFINE_H_

#include <optional>

#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::simplifier {

/// a + b.
/// Example: (d0 + 1, 2) -> d0 + 3; (d0 + 2^62, 2^62) -> nullopt
std::optional<mlir::AffineExpr> CheckedAdd(mlir::AffineExpr a, mlir::AffineExpr b);
/// a * b.
std::optional<mlir::AffineExpr> CheckedMul(mlir::AffineExpr a, mlir::AffineExpr b);
/// a floordiv b.
std::optional<mlir::AffineExpr> CheckedFloorDiv(mlir::AffineExpr a, mlir::AffineExpr b);
/// a ceildiv b.
std::optional<mlir::AffineExpr> CheckedCeilDiv(mlir::AffineExpr a, mlir::AffineExpr b);
/// a mod b.
std::optional<mlir::AffineExpr> CheckedMod(mlir::AffineExpr a, mlir::AffineExpr b);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_CHECKED_AFFINE_H_
