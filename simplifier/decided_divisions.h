// Expressions whose divisions are decided by the ranges of the variables: the short way through
// what comes up most often, maps of reshapes whose boundaries divide each other.
#ifndef HLO_INDEXING_SIMPLIFIER_DECIDED_DIVISIONS_H_
#define HLO_INDEXING_SIMPLIFIER_DECIDED_DIVISIONS_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// The expressions without their divisions and remainders, as AffineWriter writes them. Nullopt
/// unless in each division all terms but multiples of the divisor stay inside one multiple of it;
/// and if a box is empty or has no end, or an expression has a product of variables, a divisor
/// below 1, values beyond 64 bits, or is long. `boxes` are those of the dimensions, then those of
/// the symbols. Example: (d0 * 4 + d1) floordiv 4, d1 mod 4 with d1 in [0, 3] -> d0, d1
std::optional<llvm::SmallVector<mlir::AffineExpr>> DecideDivisions(
    llvm::ArrayRef<mlir::AffineExpr> expressions, size_t num_dimensions,
    llvm::ArrayRef<Interval> boxes);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DECIDED_DIVISIONS_H_
