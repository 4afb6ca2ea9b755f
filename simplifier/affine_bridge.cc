#include "simplifier/affine_bridge.h"

#include "simplifier/arithmetic.h"

namespace hlo_indexing::simplifier {

using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

Sum AffineReader::Read(AffineExpr expression) {
  switch (expression.getKind()) {
    case AffineExprKind::Constant:
      return Constant(llvm::cast<mlir::AffineConstantExpr>(expression).getValue());
    case AffineExprKind::DimId:
      return dims_[llvm::cast<mlir::AffineDimExpr>(expression).getPosition()];
    case AffineExprKind::SymbolId:
      return symbols_[llvm::cast<mlir::AffineSymbolExpr>(expression).getPosition()];
    default:
      break;
  }
  if (const auto known = memo_.find(expression); known != memo_.end()) return known->second;
  const Sum sum = expression.getKind() == AffineExprKind::Add
                      ? ReadSum(expression)
                      : ReadBinary(llvm::cast<AffineBinaryOpExpr>(expression));
  memo_[expression] = sum;
  return sum;
}

// Additions nest to the left, as deep as a sum is long: gather the terms without recursion.
Sum AffineReader::ReadSum(AffineExpr expression) {
  llvm::SmallVector<ScaledSum, 8> parts;
  llvm::SmallVector<AffineExpr, 8> pending = {expression};
  while (!pending.empty()) {
    const AffineExpr next = pending.pop_back_val();
    if (next.getKind() == AffineExprKind::Add) {
      const auto add = llvm::cast<AffineBinaryOpExpr>(next);
      pending.push_back(add.getRHS());
      pending.push_back(add.getLHS());
    } else {
      parts.push_back({Read(next), 1});
    }
  }
  return Linear(context_, parts);
}

Sum AffineReader::ReadBinary(AffineBinaryOpExpr expression) {
  const Sum lhs = Read(expression.getLHS());
  const Sum rhs = Read(expression.getRHS());
  switch (expression.getKind()) {
    case AffineExprKind::Mul:
      return Multiply(context_, lhs, rhs);
    case AffineExprKind::FloorDiv:
      return FloorDiv(context_, lhs, rhs);
    case AffineExprKind::CeilDiv:
      return CeilDiv(context_, lhs, rhs);
    default:
      return Mod(context_, lhs, rhs);
  }
}

AffineExpr AffineWriter::Write(const LinearForm& form) {
  AffineExpr sum;
  for (const auto& [coefficient, factor] : form.parts) {
    const AffineExpr product = WriteFactor(*factor) * coefficient;
    sum = sum ? sum + product : product;
  }
  if (!sum) return mlir::getAffineConstantExpr(form.constant, mlir_context_);
  return form.constant == 0 ? sum : sum + form.constant;
}

AffineExpr AffineWriter::WriteFactor(const Factor& factor) {
  if (const auto known = memo_.find(&factor); known != memo_.end()) return known->second;
  AffineExpr result;
  switch (factor.kind) {
    case FactorKind::kLeaf:
      result = leaf_(*factor.atom);
      break;
    case FactorKind::kFloorDiv:
      result = Write(factor.operand);
      if (factor.divisor != 1) result = result.floorDiv(factor.divisor);
      break;
    case FactorKind::kMod:
      result = Write(factor.operand) % factor.divisor;
      break;
    case FactorKind::kBinary: {
      const AffineExpr lhs = Write(factor.operand);
      const AffineExpr rhs = Write(factor.second);
      switch (factor.atom->operation) {
        case OpaqueOperation::kAdd:
          result = lhs + rhs;
          break;
        case OpaqueOperation::kMultiply:
          result = lhs * rhs;
          break;
        case OpaqueOperation::kFloorDiv:
          result = lhs.floorDiv(rhs);
          break;
        default:
          result = lhs % rhs;
          break;
      }
      break;
    }
  }
  memo_[&factor] = result;
  return result;
}

}  // namespace hlo_indexing::simplifier
