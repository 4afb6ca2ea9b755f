#include "indexing_analysis/maps/indexing_map.h"

#include <algorithm>

#include "indexing_analysis/maps/index_range.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

// Evaluates an expression once for each distinct part.
class ExpressionEvaluator {
 public:
  ExpressionEvaluator(llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols)
      : dimensions_(dimensions), symbols_(symbols) {}

  std::optional<int64_t> Evaluate(AffineExpr expression) {
    switch (expression.getKind()) {
      case AffineExprKind::Constant:
        return llvm::cast<mlir::AffineConstantExpr>(expression).getValue();
      case AffineExprKind::DimId:
        return dimensions_[llvm::cast<mlir::AffineDimExpr>(expression).getPosition()];
      case AffineExprKind::SymbolId:
        return symbols_[llvm::cast<mlir::AffineSymbolExpr>(expression).getPosition()];
      default:
        return EvaluateBinary(llvm::cast<AffineBinaryOpExpr>(expression));
    }
  }

 private:
  std::optional<int64_t> EvaluateBinary(AffineBinaryOpExpr expression) {
    if (const auto known = memo_.find(expression); known != memo_.end()) return known->second;
    const std::optional<int64_t> lhs = Evaluate(expression.getLHS());
    const std::optional<int64_t> rhs = Evaluate(expression.getRHS());
    std::optional<int64_t> value;
    if (lhs && rhs) value = Apply(expression.getKind(), *lhs, *rhs);
    memo_[expression] = value;
    return value;
  }

  static std::optional<int64_t> Apply(AffineExprKind kind, int64_t lhs, int64_t rhs) {
    switch (kind) {
      case AffineExprKind::Add:
        return support::CheckedAdd(lhs, rhs);
      case AffineExprKind::Mul:
        return support::CheckedMul(lhs, rhs);
      case AffineExprKind::FloorDiv:
        return support::CheckedFloorDiv(lhs, rhs);
      case AffineExprKind::CeilDiv:
        return support::CheckedCeilDiv(lhs, rhs);
      default:
        return support::CheckedFloorMod(lhs, rhs);
    }
  }

  llvm::ArrayRef<int64_t> dimensions_;
  llvm::ArrayRef<int64_t> symbols_;
  llvm::SmallDenseMap<AffineExpr, std::optional<int64_t>, 8> memo_;
};

bool SameBounds(llvm::ArrayRef<Variable> a, llvm::ArrayRef<Variable> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Variable& x, const Variable& y) { return x.bounds == y.bounds; });
}

bool SameConstraints(llvm::ArrayRef<MapConstraint> a, llvm::ArrayRef<MapConstraint> b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

llvm::hash_code HashBounds(llvm::ArrayRef<Variable> variables) {
  llvm::hash_code hash = llvm::hash_value(variables.size());
  for (const Variable& variable : variables) {
    hash = llvm::hash_combine(hash, variable.bounds.lower, variable.bounds.upper);
  }
  return hash;
}

// Whether the expression mentions a dimension or symbol from these numbers on.
bool MentionsBeyond(AffineExpr expression, size_t num_dimensions, size_t num_symbols) {
  bool beyond = false;
  expression.walk([&](AffineExpr part) {
    if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(part)) {
      beyond |= dimension.getPosition() >= num_dimensions;
    }
    if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part)) {
      beyond |= symbol.getPosition() >= num_symbols;
    }
  });
  return beyond;
}

}  // namespace

IndexingMap::IndexingMap(mlir::AffineMap affine_map, std::vector<Variable> dimensions,
                         std::vector<Variable> ranges, std::vector<RuntimeVariable> runtime,
                         llvm::ArrayRef<MapConstraint> constraints)
    : affine_map_(affine_map) {
  const auto domain = std::make_shared<Domain>();
  domain->dimensions = std::move(dimensions);
  domain->ranges = std::move(ranges);
  domain->runtime = std::move(runtime);
  for (const MapConstraint& constraint : constraints) {
    if (Interval* bounds = domain->NarrowableBounds(constraint.expression)) {
      *bounds = bounds->Intersect(constraint.bounds);
    } else {
      domain->constraints.push_back(constraint);
    }
  }
  domain_ = domain;
}

Interval* IndexingMap::Domain::NarrowableBounds(AffineExpr expression) {
  if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    const size_t i = dimension.getPosition();
    return i < dimensions.size() ? &dimensions[i].bounds : nullptr;
  }
  if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
    const size_t i = symbol.getPosition();
    return i < ranges.size() ? &ranges[i].bounds : nullptr;
  }
  return nullptr;
}

IndexingMap IndexingMap::WithResults(mlir::AffineMap affine_map) const {
  return IndexingMap(affine_map, domain_);
}

IndexingMap IndexingMap::FromSizes(mlir::AffineMap affine_map, llvm::ArrayRef<int64_t> sizes) {
  std::vector<Variable> dimensions;
  dimensions.reserve(sizes.size());
  for (const int64_t size : sizes) dimensions.push_back({IndexRange(size), ""});
  return IndexingMap(affine_map, std::move(dimensions), {}, {}, {});
}

IndexingMap IndexingMap::KnownEmpty(const IndexingMap& like) {
  const auto domain = std::make_shared<Domain>();
  if (like.domain_ != nullptr) *domain = *like.domain_;
  for (Variable& variable : domain->dimensions) variable.bounds = Interval::Empty();
  for (Variable& variable : domain->ranges) variable.bounds = Interval::Empty();
  for (RuntimeVariable& variable : domain->runtime) variable.bounds = Interval::Empty();
  domain->constraints.clear();
  domain->known_empty = true;
  const mlir::AffineMap map = like.affine_map_;
  const llvm::SmallVector<AffineExpr> zeros(map.getNumResults(),
                                            mlir::getAffineConstantExpr(0, map.getContext()));
  return IndexingMap(
      mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), zeros, map.getContext()), domain);
}

std::string IndexingMap::DimensionName(size_t i) const {
  const std::string& name = dimensions()[i].name;
  return name.empty() ? "d" + std::to_string(i) : name;
}

std::string IndexingMap::SymbolName(size_t i) const {
  const bool is_range = i < ranges().size();
  const size_t number = is_range ? i : i - ranges().size();
  const std::string& name = is_range ? ranges()[number].name : runtime()[number].name;
  return name.empty() ? (is_range ? "s" : "rt") + std::to_string(number) : name;
}

absl::Status IndexingMap::Verify() const {
  if (IsUnknown()) return absl::OkStatus();
  const size_t num_symbols = ranges().size() + runtime().size();
  if (affine_map_.getNumDims() != dimensions().size() ||
      affine_map_.getNumSymbols() != num_symbols) {
    return absl::InvalidArgumentError(
        "the affine map has " + std::to_string(affine_map_.getNumDims()) + " dimensions and " +
        std::to_string(affine_map_.getNumSymbols()) + " symbols, the indexing map " +
        std::to_string(dimensions().size()) + " dimension, " + std::to_string(ranges().size()) +
        " range and " + std::to_string(runtime().size()) + " runtime variables");
  }
  for (const AffineExpr result : affine_map_.getResults()) {
    if (MentionsBeyond(result, dimensions().size(), num_symbols)) {
      return absl::InvalidArgumentError("a result mentions a variable that the map has not");
    }
  }
  for (const MapConstraint& constraint : constraints()) {
    if (MentionsBeyond(constraint.expression, dimensions().size(), num_symbols)) {
      return absl::InvalidArgumentError("a constraint mentions a variable that the map has not");
    }
  }
  for (const RuntimeVariable& variable : runtime()) {
    const IndexingMap& index = variable.index;
    if (absl::Status status = index.Verify(); !status.ok()) return status;
    if (index.IsUnknown()) continue;
    if (index.num_dimensions() != num_dimensions() || index.num_ranges() != num_ranges()) {
      return absl::InvalidArgumentError(
          "the map of a runtime variable must have the dimension and range variables of its owner");
    }
  }
  return absl::OkStatus();
}

bool IndexingMap::DomainContains(llvm::ArrayRef<int64_t> dimensions,
                                 llvm::ArrayRef<int64_t> symbols) const {
  if (IsKnownEmpty()) return false;
  const auto all_inside = [](const auto& variables, llvm::ArrayRef<int64_t> values) {
    for (size_t i = 0; i < variables.size(); ++i) {
      if (!variables[i].bounds.Contains(values[i])) return false;
    }
    return true;
  };
  if (!all_inside(this->dimensions(), dimensions) || !all_inside(ranges(), symbols) ||
      !all_inside(runtime(), symbols.drop_front(num_ranges()))) {
    return false;
  }
  ExpressionEvaluator evaluator(dimensions, symbols);
  for (const MapConstraint& constraint : constraints()) {
    const std::optional<int64_t> value = evaluator.Evaluate(constraint.expression);
    if (!value || !constraint.bounds.Contains(*value)) return false;
  }
  return true;
}

std::optional<llvm::SmallVector<int64_t>> IndexingMap::Evaluate(
    llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) const {
  llvm::SmallVector<int64_t> results;
  ExpressionEvaluator evaluator(dimensions, symbols);
  for (const AffineExpr result : affine_map_.getResults()) {
    const std::optional<int64_t> value = evaluator.Evaluate(result);
    if (!value) return std::nullopt;
    results.push_back(*value);
  }
  return results;
}

bool IndexingMap::SameDomain(const IndexingMap& a, const IndexingMap& b) {
  return a.IsKnownEmpty() == b.IsKnownEmpty() && SameBounds(a.dimensions(), b.dimensions()) &&
         SameBounds(a.ranges(), b.ranges()) && a.runtime() == b.runtime() &&
         SameConstraints(a.constraints(), b.constraints());
}

bool operator==(const RuntimeVariable& a, const RuntimeVariable& b) {
  return a.bounds == b.bounds && a.instruction == b.instruction && a.leaf == b.leaf &&
         a.calls == b.calls && a.index == b.index;
}

llvm::hash_code hash_value(const IndexingMap& map) {
  if (map.IsUnknown()) return llvm::hash_value(0);
  llvm::hash_code hash = llvm::hash_combine(mlir::hash_value(map.affine_map_),
                                            HashBounds(map.dimensions()), HashBounds(map.ranges()));
  for (const RuntimeVariable& variable : map.runtime()) {
    hash = llvm::hash_combine(hash, variable.bounds.lower, variable.bounds.upper,
                              variable.instruction, variable.leaf);
  }
  size_t constraints = 0;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints += llvm::hash_combine(mlir::hash_value(constraint.expression),
                                      constraint.bounds.lower, constraint.bounds.upper);
  }
  return llvm::hash_combine(hash, constraints);
}

std::optional<int64_t> EvaluateExpression(AffineExpr expression, llvm::ArrayRef<int64_t> dimensions,
                                          llvm::ArrayRef<int64_t> symbols) {
  return ExpressionEvaluator(dimensions, symbols).Evaluate(expression);
}

}  // namespace hlo_indexing::indexing_analysis
