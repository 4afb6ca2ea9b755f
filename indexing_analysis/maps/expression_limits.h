// How long and how deep the expressions of maps may be: what is written parses back, and functions
// that recurse over an expression fit on the stack of a thread.
//
//   if (!IsWithinLimits(expression)) return std::nullopt;  // too long to be written down
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EXPRESSION_LIMITS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EXPRESSION_LIMITS_H_

#include <string>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::indexing_analysis {

/// The most divisions and remainders of one expression, written out as a tree. Beyond that nobody
/// reads it: it is "too long to be written down".
inline constexpr int kMaxWrittenOperations = 2000;

/// The most operators of one expression as a text: what has no more divisions than may be written
/// has fewer.
inline constexpr int kMaxOperators = 10'000;

/// How deep operations nest in an expression.
struct ExpressionDepth {
  /// Any of them: a sum of n terms has n - 1.
  int all = 0;
  /// All but sums.
  int products = 0;
  /// Divisions, remainders and products of expressions.
  int divisions = 0;

  /// Whether a stack of 512 KiB is enough for whatever recurses over the expression.
  bool IsWithinLimits() const;
};

/// "sums nested deeper than 2500, products than 250 or divisions than 100 levels"
std::string DepthLimitsText();

/// The depth of expressions that are put together from the leaves up.
class ExpressionDepths {
 public:
  /// Of an expression whose operands have been asked about before.
  /// Example: (d0 * 4 + d1) floordiv 3 -> 3, 2, 1
  ExpressionDepth Of(mlir::AffineExpr expression);

 private:
  llvm::DenseMap<mlir::AffineExpr, ExpressionDepth> known_;
};

/// Whether an expression has no more operators than kMaxOperators, a minus in front of a number or
/// variable counted as one, and a depth within the limits.
bool IsWithinLimits(mlir::AffineExpr expression);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EXPRESSION_LIMITS_H_
