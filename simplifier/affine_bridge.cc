#include "simplifier/affine_bridge.h"

#include <utility>

#include "llvm/ADT/DenseSet.h"
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
  constexpr int kMaxNesting = 10;
  if (nesting_ == kMaxNesting) ReadInside(expression);
  ++nesting_;
  const Sum sum = expression.getKind() == AffineExprKind::Add
                      ? ReadSum(expression)
                      : ReadBinary(llvm::cast<AffineBinaryOpExpr>(expression));
  --nesting_;
  memo_[expression] = sum;
  return sum;
}

// Reads what is inside of an expression from the inside out, so that reading the expression itself
// need not go deep. Sums inside of sums are left to ReadSum.
void AffineReader::ReadInside(AffineExpr expression) {
  struct Visit {
    AffineExpr expression;
    bool is_part_of_sum = false;
    // Whether its operands have been visited.
    bool is_ready = false;
  };
  llvm::SmallVector<Visit, 16> to_visit;
  const auto visit_operands = [&](AffineExpr parent) {
    const auto binary = llvm::cast<AffineBinaryOpExpr>(parent);
    for (const AffineExpr operand : {binary.getLHS(), binary.getRHS()}) {
      const bool both_add =
          binary.getKind() == AffineExprKind::Add && operand.getKind() == AffineExprKind::Add;
      to_visit.push_back({operand, both_add});
    }
  };
  const int nesting = std::exchange(nesting_, 0);
  llvm::DenseSet<AffineExpr> seen;
  visit_operands(expression);
  while (!to_visit.empty()) {
    const Visit visit = to_visit.pop_back_val();
    if (visit.is_ready) {
      (void)Read(visit.expression);
      continue;
    }
    if (!llvm::isa<AffineBinaryOpExpr>(visit.expression) || memo_.contains(visit.expression) ||
        !seen.insert(visit.expression).second) {
      continue;
    }
    if (!visit.is_part_of_sum) to_visit.push_back({visit.expression, false, /*is_ready=*/true});
    visit_operands(visit.expression);
  }
  nesting_ = nesting;
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

std::optional<AffineExpr> AffineWriter::Write(const Sum& sum, int max_operations) {
  const std::optional<Parts> parts = WriteParts(sum, max_operations);
  return parts ? Join(*parts) : std::nullopt;
}

std::optional<AffineWriter::Parts> AffineWriter::WriteParts(const Sum& sum, int max_operations) {
  const bool is_linear = llvm::all_of(
      sum.terms, [](const Term& term) { return term.IsWhole() && term.atom->IsLeaf(); });
  const std::optional<Parts> linear = is_linear ? WriteLinear(sum) : std::nullopt;
  if (linear) return linear;
  if (DepthOf(sum) > kMaxDepth) return std::nullopt;
  if (!shortest_form_) shortest_form_.emplace(context_, quotients_);
  const LinearForm form = shortest_form_->Write(sum);
  return form.operations > max_operations ? std::nullopt : WriteParts(form);
}

std::optional<AffineExpr> AffineWriter::Join(const Parts& parts) const {
  if (parts.varying && parts.constant == 0) return parts.varying;
  const AffineExpr constant = mlir::getAffineConstantExpr(parts.constant, mlir_context_);
  return parts.varying ? CheckedAdd(parts.varying, constant) : constant;
}

// Of whole leaves, in the order of ShortestForm: there is nothing to shorten. Nullopt on overflow.
std::optional<AffineWriter::Parts> AffineWriter::WriteLinear(const Sum& sum) {
  TermVector terms(sum.terms.begin(), sum.terms.end());
  llvm::sort(terms,
             [](const Term& a, const Term& b) { return StructurallyLess(*a.atom, *b.atom); });
  Parts parts = {AffineExpr(), sum.constant};
  for (const Term& term : terms) {
    const auto shift = support::CheckedMul(term.atom->lower, term.coefficient);
    const auto shifted = shift ? support::CheckedSub(parts.constant, *shift) : std::nullopt;
    if (!shifted) return std::nullopt;
    parts.constant = *shifted;
    AffineExpr value = leaf_(*term.atom);
    if (term.coefficient != 1) {
      value = value * mlir::getAffineConstantExpr(term.coefficient, mlir_context_);
    }
    parts.varying = parts.varying ? parts.varying + value : value;
  }
  return parts;
}

std::optional<AffineWriter::Parts> AffineWriter::WriteParts(const LinearForm& form) {
  Parts parts = {AffineExpr(), form.constant};
  for (const auto& [coefficient, factor] : form.parts) {
    std::optional<AffineExpr> value = WriteFactor(*factor);
    if (value && coefficient != 1) {
      value = CheckedMul(*value, mlir::getAffineConstantExpr(coefficient, mlir_context_));
    }
    if (value && parts.varying) value = CheckedAdd(parts.varying, *value);
    if (!value) return std::nullopt;
    parts.varying = *value;
  }
  return parts;
}

std::optional<AffineExpr> AffineWriter::Write(const LinearForm& form) {
  const std::optional<Parts> parts = WriteParts(form);
  return parts ? Join(*parts) : std::nullopt;
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
