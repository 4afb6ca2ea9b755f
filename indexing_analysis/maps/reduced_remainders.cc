#include "indexing_analysis/maps/reduced_remainders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

bool Divides(AffineExprKind kind) {
  return kind == AffineExprKind::FloorDiv || kind == AffineExprKind::CeilDiv ||
         kind == AffineExprKind::Mod;
}

class RemainderReducer {
 public:
  // What `expression` divides counts as shared if another division divides it, too.
  void Collect(AffineExpr expression) {
    expression.walk([this](AffineExpr part) {
      if (!Divides(part.getKind()) || !divisions_.insert(part).second) return;
      ++times_divided_[llvm::cast<AffineBinaryOpExpr>(part).getLHS()];
    });
  }

  // Recurses as deep as products and divisions nest; sums, which are longer, are taken term by
  // term.
  AffineExpr Reduce(AffineExpr expression) {
    const auto operation = llvm::dyn_cast<AffineBinaryOpExpr>(expression);
    if (!operation) return expression;
    if (const auto known = reduced_.find(expression); known != reduced_.end()) return known->second;
    const AffineExpr result = ReduceOperation(operation);
    reduced_[expression] = result;
    return result;
  }

 private:
  AffineExpr ReduceOperation(AffineBinaryOpExpr operation) {
    if (operation.getKind() == AffineExprKind::Add) {
      return MapTerms(operation, [this](AffineExpr term) { return Reduce(term); });
    }
    const AffineExpr lhs = Reduce(operation.getLHS());
    const AffineExpr rhs = Reduce(operation.getRHS());
    const auto divisor = llvm::dyn_cast<mlir::AffineConstantExpr>(rhs);
    if (operation.getKind() == AffineExprKind::Mod && divisor && divisor.getValue() > 0 &&
        times_divided_.lookup(operation.getLHS()) == 1) {
      return MapTerms(lhs, [&](AffineExpr term) { return Modulo(term, divisor.getValue()); }) % rhs;
    }
    if (lhs == operation.getLHS() && rhs == operation.getRHS()) return operation;
    return mlir::getAffineBinaryOpExpr(operation.getKind(), lhs, rhs);
  }

  // The sum of function(term) for all terms of a sum; these lean to the left.
  static AffineExpr MapTerms(AffineExpr sum, llvm::function_ref<AffineExpr(AffineExpr)> function) {
    llvm::SmallVector<AffineExpr> terms;
    bool has_changed = false;
    const auto take = [&](AffineExpr term) {
      terms.push_back(function(term));
      has_changed |= terms.back() != term;
    };
    AffineExpr rest = sum;
    while (rest.getKind() == AffineExprKind::Add) {
      const auto add = llvm::cast<AffineBinaryOpExpr>(rest);
      take(add.getRHS());
      rest = add.getLHS();
    }
    take(rest);
    if (!has_changed) return sum;
    AffineExpr result = terms.pop_back_val();
    while (!terms.empty()) result = result + terms.pop_back_val();
    return result;
  }

  // The term with its coefficient reduced, which keeps its sign unless it could be 1.
  static AffineExpr Modulo(AffineExpr term, int64_t divisor) {
    if (term.getKind() != AffineExprKind::Mul) return term;
    const auto product = llvm::cast<AffineBinaryOpExpr>(term);
    const auto factor = llvm::dyn_cast<mlir::AffineConstantExpr>(product.getRHS());
    if (!factor) return term;
    const int64_t reduced = factor.getValue() % divisor;
    if (reduced == 1 - divisor) return product.getLHS();
    return reduced == factor.getValue() ? term : product.getLHS() * reduced;
  }

  llvm::SmallDenseSet<AffineExpr, 16> divisions_;
  llvm::SmallDenseMap<AffineExpr, int, 16> times_divided_;
  llvm::SmallDenseMap<AffineExpr, AffineExpr, 16> reduced_;
};

}  // namespace

void ReduceRemainders(llvm::MutableArrayRef<AffineExpr> results,
                      llvm::MutableArrayRef<MapConstraint> constraints) {
  RemainderReducer reducer;
  for (const AffineExpr result : results) reducer.Collect(result);
  for (const MapConstraint& constraint : constraints) reducer.Collect(constraint.expression);
  for (AffineExpr& result : results) result = reducer.Reduce(result);
  for (MapConstraint& constraint : constraints) {
    constraint.expression = reducer.Reduce(constraint.expression);
  }
}

}  // namespace hlo_indexing::indexing_analysis
