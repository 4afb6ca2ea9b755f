// Expressions that are linear in the variables of a map. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LINEAR_FUNCTION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LINEAR_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"
#include "mlir/IR/AffineExpr.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

/// A linear function of the variables of a map: its coefficients, dimensions before ranges.
struct LinearFunction {
  llvm::SmallVector<int64_t, 8> coefficients;
  int64_t constant = 0;

  /// Adds the multiple of an expression; false if that is not linear, or does not fit 64 bits.
  bool Add(mlir::AffineExpr expression, int64_t factor, size_t num_dimensions) {
    const auto add_to = [&](int64_t& sum) {
      const std::optional<int64_t> result = support::CheckedAdd(sum, factor);
      if (result.has_value()) sum = *result;
      return result.has_value();
    };
    if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
      return add_to(coefficients[dimension.getPosition()]);
    }
    if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
      return add_to(coefficients[num_dimensions + symbol.getPosition()]);
    }
    if (const auto number = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
      const std::optional<int64_t> product = support::CheckedMul(number.getValue(), factor);
      if (!product.has_value()) return false;
      factor = *product;
      return add_to(constant);
    }
    const auto operation = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
    if (operation.getKind() == mlir::AffineExprKind::Add) {
      return Add(operation.getLHS(), factor, num_dimensions) &&
             Add(operation.getRHS(), factor, num_dimensions);
    }
    const auto number = llvm::dyn_cast<mlir::AffineConstantExpr>(operation.getRHS());
    if (operation.getKind() != mlir::AffineExprKind::Mul || !number) return false;
    const std::optional<int64_t> product = support::CheckedMul(number.getValue(), factor);
    return product.has_value() && Add(operation.getLHS(), *product, num_dimensions);
  }
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_LINEAR_FUNCTION_H_
