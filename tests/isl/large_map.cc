#include "tests/isl/large_map.h"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::EvaluateExpression;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::AffineExprKind;

// The variables of a map that is being made. No two calls of Add may be for the same variable.
class Variables {
 public:
  Variables(Random& random, mlir::MLIRContext* context) : random_(random), context_(context) {}

  AffineExpr AddDimension(Interval bounds) {
    dimensions_.push_back({bounds, ""});
    return mlir::getAffineDimExpr(static_cast<unsigned>(dimensions_.size() - 1), context_);
  }

  AffineExpr AddRange(Interval bounds) {
    ranges_.push_back({bounds, ""});
    return mlir::getAffineSymbolExpr(static_cast<unsigned>(ranges_.size() - 1), context_);
  }

  // Keeps the values of an expression near the one it has at a random point, or at some distance:
  // then there may be no point left.
  void Constrain(AffineExpr expression) {
    llvm::SmallVector<int64_t> dimensions;
    llvm::SmallVector<int64_t> symbols;
    for (const Variable& v : dimensions_) dimensions.push_back(Inside(v.bounds));
    for (const Variable& v : ranges_) symbols.push_back(Inside(v.bounds));
    int64_t value = *EvaluateExpression(expression, dimensions, symbols);
    if (random_.OneIn(4)) value += random_.Between(-2000, 2000);
    const int64_t width = random_.Between(0, random_.OneIn(2) ? 10 : 100000);
    constraints_.push_back({expression, {value - random_.Between(0, width), value + width}});
  }

  void Constrain(AffineExpr expression, Interval bounds) {
    constraints_.push_back({expression, bounds});
  }

  IndexingMap MakeMap(llvm::ArrayRef<AffineExpr> results) const {
    const auto affine_map =
        mlir::AffineMap::get(static_cast<unsigned>(dimensions_.size()),
                             static_cast<unsigned>(ranges_.size()), results, context_);
    return IndexingMap(affine_map, dimensions_, ranges_, {}, constraints_);
  }

 private:
  int64_t Inside(Interval bounds) { return random_.Between(bounds.lower, bounds.upper); }

  Random& random_;
  mlir::MLIRContext* context_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  std::vector<MapConstraint> constraints_;
};

// Sizes of which most have no common divisor.
int64_t RandomSize(Random& random) {
  static const std::vector<int64_t> sizes = {2,   3,   4,   5,   6,   7,   8,   10,  11,  12,  13,
                                             16,  17,  24,  31,  32,  48,  60,  64,  97,  100, 127,
                                             128, 251, 256, 360, 509, 512, 768, 997, 1000};
  return random.Pick(sizes);
}

// Follows an element of an array backwards through data movement: its index in ever earlier arrays.
class Movement {
 public:
  Movement(Random& random, mlir::MLIRContext* context)
      : random_(random), context_(context), variables_(random, context) {
    int64_t points = 1;
    while (points < 1000 || (sizes_.size() < 3 && random.OneIn(2))) {
      const int64_t size = RandomSize(random);
      if (points > 1000000000 / size) break;
      points *= size;
      sizes_.push_back(size);
      const bool is_range = sizes_.size() > 1 && random.OneIn(4);
      const Interval bounds = {0, size - 1};
      index_.push_back(is_range ? variables_.AddRange(bounds) : variables_.AddDimension(bounds));
    }
  }

  IndexingMap Run(int64_t max_reshapes) {
    const int64_t reshapes = random_.Between(1, max_reshapes);
    for (int64_t i = 0; i < reshapes; ++i) {
      if (random_.OneIn(2)) Move();
      Reshape();
    }
    if (random_.OneIn(2)) Move();
    if (random_.OneIn(4)) variables_.Constrain(random_.Pick(index_));
    return variables_.MakeMap(index_);
  }

 private:
  // From an array of other sizes, at least as large.
  void Reshape() {
    AffineExpr place = mlir::getAffineConstantExpr(0, context_);
    int64_t total = 1;
    for (size_t i = sizes_.size(); i-- > 0;) {
      place = index_[i] * total + place;
      total *= sizes_[i];
    }
    std::vector<int64_t> inner;
    const int64_t rank = random_.Between(1, 3);
    int64_t rows = total;
    while (static_cast<int64_t>(inner.size()) + 1 < rank && rows > 1) {
      inner.push_back(std::min(RandomSize(random_), rows));
      rows = (rows + inner.back() - 1) / inner.back();
    }
    index_.clear();
    sizes_.clear();
    int64_t stride = 1;
    for (const int64_t size : inner) {
      index_.insert(index_.begin(), place.floorDiv(stride) % size);
      sizes_.insert(sizes_.begin(), size);
      stride *= size;
    }
    index_.insert(index_.begin(), place.floorDiv(stride));
    sizes_.insert(sizes_.begin(), rows);
  }

  void Move() {
    const auto d = static_cast<size_t>(random_.Between(0, static_cast<int64_t>(sizes_.size()) - 1));
    AffineExpr& index = index_[d];
    int64_t& size = sizes_[d];
    switch (random_.Between(0, 3)) {
      case 0: {  // slice
        const int64_t start = random_.Between(0, 40);
        const int64_t stride = random_.Between(1, 3);
        index = index * stride + start;
        size = start + (size - 1) * stride + 1 + random_.Between(0, 20);
        break;
      }
      case 1: {  // pad
        const int64_t low = random_.Between(0, size - 1);
        const int64_t step = random_.Between(1, 3);
        size = random_.Between(0, (size - 1 - low) / step) + 1;
        variables_.Constrain(index - low, {0, (size - 1) * step});
        if (step > 1) variables_.Constrain((index - low) % step, {0, 0});
        index = (index - low).floorDiv(step);
        break;
      }
      case 2:  // reverse
        index = -index + (size - 1);
        break;
      default:  // transpose
        std::swap(index, index_.front());
        std::swap(size, sizes_.front());
        break;
    }
  }

  Random& random_;
  mlir::MLIRContext* context_;
  Variables variables_;
  std::vector<AffineExpr> index_;
  std::vector<int64_t> sizes_;
};

// Any expressions over given variables.
class ExpressionMaker {
 public:
  ExpressionMaker(Random& random, mlir::MLIRContext* context, llvm::ArrayRef<AffineExpr> leaves)
      : random_(random), context_(context), leaves_(leaves) {}

  AffineExpr Make(int depth) {
    if (depth == 0 || random_.OneIn(6)) return Leaf();
    const AffineExpr operand = Make(depth - 1);
    switch (random_.Between(0, 5)) {
      case 0:
        return operand + Make(depth - 1);
      case 1:
        return operand - Make(depth - 1);
      case 2:
        return operand * random_.Between(-9, 9);
      case 3:
        return operand.floorDiv(Divisor());
      case 4:
        return operand.ceilDiv(Divisor());
      default:
        return operand % Divisor();
    }
  }

 private:
  AffineExpr Leaf() {
    if (!random_.OneIn(8)) {
      return leaves_[static_cast<size_t>(
          random_.Between(0, static_cast<int64_t>(leaves_.size()) - 1))];
    }
    return mlir::getAffineConstantExpr(random_.Between(-1000, 1000), context_);
  }

  // MLIR folds a division by -1 without care, and one by 1 to nothing.
  int64_t Divisor() { return random_.OneIn(6) ? -RandomSize(random_) : RandomSize(random_); }

  Random& random_;
  mlir::MLIRContext* context_;
  llvm::ArrayRef<AffineExpr> leaves_;
};

// An expression with some of its divisions written in other ways, each equal to the one it
// replaces.
class Rewriter {
 public:
  explicit Rewriter(Random& random) : random_(random) {}

  AffineExpr Rewrite(AffineExpr expression) {
    const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
    if (!binary) return expression;
    const AffineExpr a = Rewrite(binary.getLHS());
    const AffineExpr b = binary.getRHS();
    const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(b);
    const bool divides = expression.getKind() == AffineExprKind::FloorDiv ||
                         expression.getKind() == AffineExprKind::Mod;
    if (!divides || !constant || constant.getValue() <= 0) {
      return mlir::getAffineBinaryOpExpr(expression.getKind(), a, Rewrite(b));
    }
    const int64_t divisor = constant.getValue();
    if (expression.getKind() == AffineExprKind::FloorDiv) return Quotient(a, divisor);
    return random_.OneIn(2) ? a % divisor : a - Quotient(a, divisor) * divisor;
  }

 private:
  AffineExpr Quotient(AffineExpr a, int64_t divisor) {
    switch (random_.Between(0, 3)) {
      case 0:
        return (a * 2 + 1).floorDiv(divisor * 2);
      case 1:
        return (a + divisor * 3).floorDiv(divisor) - 3;
      case 2:
        return -((-a + (divisor - 1)).floorDiv(divisor));
      default:
        return a.floorDiv(divisor);
    }
  }

  Random& random_;
};

IndexingMap WithResults(const IndexingMap& map, llvm::ArrayRef<AffineExpr> results) {
  const auto affine_map = mlir::AffineMap::get(
      map.affine_map().getNumDims(), map.affine_map().getNumSymbols(), results, map.context());
  return IndexingMap(affine_map, map.dimensions(), map.ranges(), map.runtime(), map.constraints());
}

}  // namespace

IndexingMap RandomMovement(Random& random, mlir::MLIRContext* context, int64_t max_reshapes) {
  return Movement(random, context).Run(max_reshapes);
}

IndexingMap RandomDivisions(Random& random, mlir::MLIRContext* context) {
  static const std::vector<int64_t> widths = {1000, 4096, 65537, 1000003, 1 << 24, 1000000000};
  Variables variables(random, context);
  llvm::SmallVector<AffineExpr> leaves;
  for (int64_t i = random.Between(1, 3); i > 0; --i) {
    const int64_t lower = random.OneIn(3) ? random.Between(-1000000, 1000) : 0;
    const Interval bounds = {lower, lower + random.Pick(widths) - 1};
    const bool is_range = !leaves.empty() && random.OneIn(4);
    leaves.push_back(is_range ? variables.AddRange(bounds) : variables.AddDimension(bounds));
  }
  ExpressionMaker maker(random, context, leaves);
  llvm::SmallVector<AffineExpr> results;
  for (int64_t i = random.Between(1, 2); i > 0; --i) results.push_back(maker.Make(4));
  for (int64_t i = random.OneIn(2) ? random.Between(1, 2) : 0; i > 0; --i) {
    variables.Constrain(maker.Make(2));
  }
  return variables.MakeMap(results);
}

IndexingMap RandomWindow(Random& random, mlir::MLIRContext* context) {
  Variables variables(random, context);
  const auto box = [&] {
    const int64_t lower = random.Between(0, 3) * 1000;
    return Interval{lower, lower + random.Between(1, 4) * 1000000 - 1};
  };
  const AffineExpr d0 = variables.AddDimension(box());
  const AffineExpr d1 = variables.AddDimension(box());
  const AffineExpr s0 = variables.AddRange(box());
  const std::vector<AffineExpr> choices = {
      d0 + s0, d0, s0, d0 * 2 + s0, s0 * 2, (d0 + s0).floorDiv(64), d0 + d1, d1 + s0};
  const AffineExpr results[] = {random.Pick(choices), random.Pick(choices)};
  if (random.OneIn(3)) variables.Constrain(d0 + s0, {random.Between(0, 4) * 1000, 4000000});
  if (random.OneIn(4)) variables.Constrain(s0 % 2, {0, 0});
  return variables.MakeMap(results);
}

IndexingMap Narrowed(Random& random, const IndexingMap& map) {
  const auto narrow = [&](Variable& variable) {
    Interval& bounds = variable.bounds;
    const int64_t half = (bounds.upper - bounds.lower) / 2;
    if (random.OneIn(4)) bounds.lower += random.Between(0, half);
    if (random.OneIn(4)) bounds.upper -= random.Between(0, half);
  };
  std::vector<Variable> dimensions(map.dimensions());
  std::vector<Variable> ranges(map.ranges());
  for (Variable& variable : dimensions) narrow(variable);
  for (Variable& variable : ranges) narrow(variable);
  return IndexingMap(map.affine_map(), dimensions, ranges, map.runtime(), map.constraints());
}

IndexingMap Rewritten(Random& random, const IndexingMap& map) {
  Rewriter rewriter(random);
  llvm::SmallVector<AffineExpr> results;
  for (const AffineExpr result : map.affine_map().getResults()) {
    results.push_back(rewriter.Rewrite(result));
  }
  return WithResults(map, results);
}

IndexingMap ChangedAtTheEnd(Random& random, const IndexingMap& map) {
  const auto d =
      static_cast<size_t>(random.Between(0, static_cast<int64_t>(map.num_dimensions()) - 1));
  const Interval bounds = map.dimensions()[d].bounds;
  const AffineExpr dimension = mlir::getAffineDimExpr(static_cast<unsigned>(d), map.context());
  llvm::SmallVector<AffineExpr> results(map.affine_map().getResults());
  const int64_t last = bounds.upper - bounds.lower;
  if (last > 0) results.front() = results.front() + (dimension - bounds.lower).floorDiv(last);
  return WithResults(map, results);
}

}  // namespace hlo_indexing::testing
