#include "simplifier/affine_bridge.h"

#include "simplifier/arithmetic.h"
#include "simplifier/checked_affine.h"

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
      parts.emplace_back(Read(next), 1);
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

LinearForm AffineWriter::ShortestFormOf(const Sum& sum) {
  if (!shortest_form_) shortest_form_.emplace(context_);
  return shortest_form_->Write(sum);
}

std::optional<AffineExpr> AffineWriter::Write(const Sum& sum, int max_operations) {
  const bool is_linear = llvm::all_of(
      sum.terms, [](const Term& term) { return term.IsWhole() && term.atom->IsLeaf(); });
  const std::optional<AffineExpr> linear = is_linear ? WriteLinear(sum) : std::nullopt;
  if (linear) return linear;
  const LinearForm form = ShortestFormOf(sum);
  return form.operations > max_operations ? std::nullopt : Write(form);
}

// Of whole leaves, in the order of ShortestForm: there is nothing to shorten. Nothing on overflow.
std::optional<AffineExpr> AffineWriter::WriteLinear(const Sum& sum) {
  TermVector terms(sum.terms.begin(), sum.terms.end());
  llvm::sort(terms,
             [](const Term& a, const Term& b) { return StructurallyLess(*a.atom, *b.atom); });
  std::optional<AffineExpr> expression;
  int64_t constant = sum.constant;
  for (const Term& term : terms) {
    const auto shift = support::CheckedMul(term.atom->lower, term.coefficient);
    const auto shifted = shift ? support::CheckedSub(constant, *shift) : std::nullopt;
    if (!shifted) return std::nullopt;
    constant = *shifted;
    AffineExpr value = leaf_(*term.atom);
    if (term.coefficient != 1) {
      value = value * mlir::getAffineConstantExpr(term.coefficient, mlir_context_);
    }
    expression = expression ? *expression + value : value;
  }
  if (expression && constant == 0) return expression;
  const AffineExpr offset = mlir::getAffineConstantExpr(constant, mlir_context_);
  return expression ? CheckedAdd(*expression, offset) : offset;
}

std::optional<AffineExpr> AffineWriter::Write(const LinearForm& form) {
  std::optional<AffineExpr> sum;
  for (const auto& [coefficient, factor] : form.parts) {
    const std::optional<AffineExpr> value = WriteFactor(*factor);
    if (!value) return std::nullopt;
    const auto product =
        CheckedMul(*value, mlir::getAffineConstantExpr(coefficient, mlir_context_));
    sum = sum && product ? CheckedAdd(*sum, *product) : product;
    if (!sum) return std::nullopt;
  }
  const AffineExpr constant = mlir::getAffineConstantExpr(form.constant, mlir_context_);
  if (!sum) return constant;
  return form.constant == 0 ? sum : CheckedAdd(*sum, constant);
}

std::optional<AffineExpr> AffineWriter::WriteFactor(const Factor& factor) {
  if (const auto known = memo_.find(&factor); known != memo_.end()) return known->second;
  const std::optional<AffineExpr> result = ComputeFactor(factor);
  memo_[&factor] = result;
  return result;
}

std::optional<AffineExpr> AffineWriter::ComputeFactor(const Factor& factor) {
  if (factor.kind == FactorKind::kLeaf) return leaf_(*factor.atom);
  const std::optional<AffineExpr> operand = Write(factor.operand);
  if (!operand) return std::nullopt;
  const AffineExpr divisor = mlir::getAffineConstantExpr(factor.divisor, mlir_context_);
  if (factor.kind == FactorKind::kFloorDiv) {
    return factor.divisor == 1 ? operand : CheckedFloorDiv(*operand, divisor);
  }
  if (factor.kind == FactorKind::kMod) return CheckedMod(*operand, divisor);
  const std::optional<AffineExpr> second = Write(factor.second);
  if (!second) return std::nullopt;
  switch (factor.atom->operation) {
    case OpaqueOperation::kAdd:
      return CheckedAdd(*operand, *second);
    case OpaqueOperation::kMultiply:
      return CheckedMul(*operand, *second);
    case OpaqueOperation::kFloorDiv:
      return CheckedFloorDiv(*operand, *second);
    default:
      return CheckedMod(*operand, *second);
  }
}

}  // namespace hlo_indexing::simplifier
