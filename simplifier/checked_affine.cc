#include "simplifier/checked_affine.h"

#include <cstdint>
#include <utility>

#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

std::optional<int64_t> ConstantValue(AffineExpr expression) {
  const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression);
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}

// `x op constant` as (x, constant), anything else as (expression, neutral). MLIR keeps constants on
// the right.
std::pair<AffineExpr, int64_t> SplitConstant(AffineExpr expression, AffineExprKind kind,
                                             int64_t neutral) {
  const auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary || binary.getKind() != kind) return {expression, neutral};
  const std::optional<int64_t> constant = ConstantValue(binary.getRHS());
  return constant ? std::pair(binary.getLHS(), *constant) : std::pair(expression, neutral);
}

std::pair<AffineExpr, int64_t> SplitAddend(AffineExpr expression) {
  if (const auto constant = ConstantValue(expression)) return {AffineExpr(), *constant};
  return SplitConstant(expression, AffineExprKind::Add, 0);
}

bool IsConstant(AffineExpr expression, int64_t value) { return ConstantValue(expression) == value; }

}  // namespace

std::optional<AffineExpr> CheckedAdd(AffineExpr a, AffineExpr b) {
  const auto [a_rest, a_constant] = SplitAddend(a);
  const auto [b_rest, b_constant] = SplitAddend(b);
  if (!support::CheckedAdd(a_constant, b_constant)) return std::nullopt;
  if (a_rest && b_rest) {
    // MLIR adds up the coefficients of equal factors.
    const auto [a_factor, a_coefficient] = SplitConstant(a_rest, AffineExprKind::Mul, 1);
    const auto [b_factor, b_coefficient] = SplitConstant(b_rest, AffineExprKind::Mul, 1);
    if (a_factor == b_factor && !support::CheckedAdd(a_coefficient, b_coefficient)) {
      return std::nullopt;
    }
  }
  return a + b;
}

std::optional<AffineExpr> CheckedMul(AffineExpr a, AffineExpr b) {
  if (ConstantValue(a)) std::swap(a, b);
  const std::optional<int64_t> factor = ConstantValue(b);
  if (!factor) return a * b;
  if (const std::optional<int64_t> value = ConstantValue(a)) {
    if (!support::CheckedMul(*value, *factor)) return std::nullopt;
    return a * b;
  }
  if (!support::CheckedMul(SplitConstant(a, AffineExprKind::Mul, 1).second, *factor)) {
    return std::nullopt;
  }
  // If what divides all values does not fit then, no value but 0 does. MLIR would multiply the
  // divisors all the same, and take the product, which is 0 if it is 2^64, for a multiple of
  // whatever it is divided by.
  const int64_t divisor = a.getLargestKnownDivisor();
  if (divisor != 0 && !support::CheckedMul(divisor, *factor)) return std::nullopt;
  return a * b;
}

std::optional<AffineExpr> CheckedFloorDiv(AffineExpr a, AffineExpr b) {
  if (IsConstant(b, 0)) return std::nullopt;
  return IsConstant(b, -1) ? CheckedMul(a, b) : a.floorDiv(b);
}

std::optional<AffineExpr> CheckedCeilDiv(AffineExpr a, AffineExpr b) {
  if (IsConstant(b, 0)) return std::nullopt;
  return IsConstant(b, -1) ? CheckedMul(a, b) : a.ceilDiv(b);
}

std::optional<AffineExpr> CheckedMod(AffineExpr a, AffineExpr b) {
  if (IsConstant(b, 0)) return std::nullopt;
  return IsConstant(b, -1) ? mlir::getAffineConstantExpr(0, a.getContext()) : a % b;
}

}  // namespace hlo_indexing::simplifier
