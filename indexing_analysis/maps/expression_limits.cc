#include "indexing_analysis/maps/expression_limits.h"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {
namespace {

constexpr int kMaxNesting = 2500;
constexpr int kMaxNestedProducts = 250;
constexpr int kMaxNestedDivisions = 100;

bool IsScaling(mlir::AffineBinaryOpExpr expression) {
  return expression.getKind() == mlir::AffineExprKind::Mul &&
         llvm::isa<mlir::AffineConstantExpr>(expression.getRHS());
}

// The depth of what holds operands of this depth.
ExpressionDepth Around(ExpressionDepth depth, mlir::AffineBinaryOpExpr expression) {
  const bool is_sum = expression.getKind() == mlir::AffineExprKind::Add;
  ++depth.all;
  depth.products += is_sum ? 0 : 1;
  depth.divisions += is_sum || IsScaling(expression) ? 0 : 1;
  return depth;
}

}  // namespace

bool ExpressionDepth::IsWithinLimits() const {
  return all <= kMaxNesting && products <= kMaxNestedProducts && divisions <= kMaxNestedDivisions;
}

std::string DepthLimitsText() {
  return "sums nested deeper than " + std::to_string(kMaxNesting) + ", products than " +
         std::to_string(kMaxNestedProducts) + " or divisions than " +
         std::to_string(kMaxNestedDivisions) + " levels";
}

ExpressionDepth ExpressionDepths::Of(mlir::AffineExpr expression) {
  const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
  if (!binary) return {};
  if (const auto known = known_.find(expression); known != known_.end()) return known->second;
  const ExpressionDepth lhs = Of(binary.getLHS());
  const ExpressionDepth rhs = Of(binary.getRHS());
  const ExpressionDepth depth =
      Around({std::max(lhs.all, rhs.all), std::max(lhs.products, rhs.products),
              std::max(lhs.divisions, rhs.divisions)},
             binary);
  known_[expression] = depth;
  return depth;
}

bool IsWithinLimits(mlir::AffineExpr expression) {
  int operators = 0;
  // Each with the depth of what it is inside of.
  llvm::SmallVector<std::pair<mlir::AffineExpr, ExpressionDepth>, 16> to_visit = {{expression, {}}};
  while (!to_visit.empty()) {
    const auto [next, outside] = to_visit.pop_back_val();
    const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(next);
    if (!binary) continue;
    const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
    operators += constant && constant.getValue() < 0 ? 2 : 1;
    const ExpressionDepth depth = Around(outside, binary);
    if (operators > kMaxOperators || !depth.IsWithinLimits()) return false;
    to_visit.emplace_back(binary.getLHS(), depth);
    to_visit.emplace_back(binary.getRHS(), depth);
  }
  return true;
}

}  // namespace hlo_indexing::indexing_analysis
