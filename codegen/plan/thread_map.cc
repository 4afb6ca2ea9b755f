#include "codegen/plan/thread_map.h"

#include <utility>
#include <vector>

#include "codegen/plan/lane_maps.h"
#include "codegen/plan/loop_ranges.h"
#include "hlo/memory_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/AffineMap.h"

namespace hlo_indexing::plan {

using indexing_analysis::Interval;
using indexing_analysis::RuntimeVariable;
using indexing_analysis::Variable;
using mlir::AffineExpr;

Sizes PhysicalDimensions(const hlo::Shape& shape) {
  const layout::Layout order = hlo::LayoutOrDefault(shape);
  return Sizes(order.minor_to_major.rbegin(), order.minor_to_major.rend());
}

bool HaveSamePlaces(const hlo::Shape& a, const hlo::Shape& b) {
  if (a.StorageBits() != b.StorageBits()) return false;
  const auto places_of = [](const hlo::Shape& shape) {
    layout::Layout places = hlo::LayoutOrDefault(shape);
    places.element_size_in_bits = 0;
    places.memory_space = 0;
    return places;
  };
  return places_of(a) == places_of(b);
}

Sizes PhysicalSizes(const hlo::Shape& shape) {
  Sizes sizes;
  for (const int64_t dimension : PhysicalDimensions(shape)) {
    sizes.push_back(shape.sizes()[static_cast<size_t>(dimension)]);
  }
  return sizes;
}

AffineExpr Linearize(llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<int64_t> sizes,
                     mlir::MLIRContext* context) {
  AffineExpr position = mlir::getAffineConstantExpr(0, context);
  for (size_t i = 0; i < sizes.size(); ++i) position = position * sizes[i] + index[i];
  return position;
}

Expressions Delinearize(AffineExpr position, llvm::ArrayRef<int64_t> sizes) {
  Expressions index(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = position.floorDiv(stride);
    if (i != 0) index[i] = index[i] % sizes[i];
    stride *= sizes[i];
  }
  return index;
}

ThreadMapBuilder::ThreadMapBuilder(const Launch& launch, PlanContext& plans)
    : launch_(launch), plans_(plans) {
  for (size_t i = 0; i < kThreadDimensionNames.size(); ++i) {
    const int64_t size = i < 3 ? launch.threads[i] : launch.blocks[i - 3];
    dimensions_.push_back({{0, size - 1}, kThreadDimensionNames[i].str()});
  }
}

AffineExpr ThreadMapBuilder::Dimension(ThreadDimension dimension) const {
  return mlir::getAffineDimExpr(dimension, context());
}

AffineExpr ThreadMapBuilder::Block() const {
  return Dimension(kBlockY) * launch_.blocks[0] + Dimension(kBlockX);
}

AffineExpr ThreadMapBuilder::Loop(int64_t count) {
  loops_.push_back({{0, count - 1}, ""});
  return mlir::getAffineSymbolExpr(static_cast<unsigned>(loops_.size() - 1), context());
}

AffineExpr ThreadMapBuilder::LoopOrZero(int64_t count) {
  return count == 1 ? mlir::getAffineConstantExpr(0, context()) : Loop(count);
}

void ThreadMapBuilder::Bound(ThreadDimension dimension, Interval bounds) {
  dimensions_[dimension].bounds = bounds;
}

void ThreadMapBuilder::Constrain(AffineExpr expression, Interval bounds) {
  constraints_.push_back({expression, bounds});
}

Expressions ThreadMapBuilder::ElementAt(AffineExpr position, const hlo::Shape& shape) {
  return ElementAt(position, shape.sizes(), PhysicalDimensions(shape));
}

Expressions ThreadMapBuilder::ElementAt(AffineExpr position, llvm::ArrayRef<int64_t> sizes,
                                        llvm::ArrayRef<int64_t> order) {
  Sizes in_order;
  for (const int64_t dimension : order) {
    in_order.push_back(sizes[static_cast<size_t>(dimension)]);
  }
  const Expressions physical = Delinearize(position, in_order);
  Expressions index(order.size());
  for (size_t i = 0; i < order.size(); ++i) index[static_cast<size_t>(order[i])] = physical[i];
  return index;
}

IndexingMap ThreadMapBuilder::Build(llvm::ArrayRef<AffineExpr> results) const {
  const auto map = mlir::AffineMap::get(static_cast<unsigned>(dimensions_.size()),
                                        static_cast<unsigned>(loops_.size()), results, context());
  return plans_.maps.Simplified(IndexingMap(map, dimensions_, loops_, {}, constraints_));
}

namespace {

// The index of the same place in an array of other sizes, both row-major. Only dimensions whose
// boundaries lie elsewhere are put together and cut again: an index that a constraint keeps inside
// of its dimension needs no division then.
Expressions Reshape(llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<int64_t> from,
                    llvm::ArrayRef<int64_t> to, mlir::MLIRContext* context) {
  Expressions result;
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() || j < to.size()) {
    const size_t first_from = i;
    const size_t first_to = j;
    int64_t from_size = i < from.size() ? from[i++] : 1;
    int64_t to_size = j < to.size() ? to[j++] : 1;
    while (from_size != to_size) {
      int64_t& smaller = from_size < to_size ? from_size : to_size;
      smaller *= from_size < to_size ? from[i++] : to[j++];
    }
    const size_t num_from = i - first_from;
    const size_t num_to = j - first_to;
    if (num_from == 1 && num_to == 1) {
      result.push_back(index[first_from]);
      continue;
    }
    const AffineExpr position =
        Linearize(index.slice(first_from, num_from), from.slice(first_from, num_from), context);
    llvm::append_range(result, Delinearize(position, to.slice(first_to, num_to)));
  }
  return result;
}

}  // namespace

IndexingMap Bitcast(const IndexingMap& map, llvm::ArrayRef<int64_t> from, const hlo::Shape& to) {
  const mlir::AffineMap affine = map.affine_map();
  const Expressions in_memory =
      Reshape(affine.getResults(), from, PhysicalSizes(to), map.context());
  const Sizes dimensions = PhysicalDimensions(to);
  Expressions index(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    index[static_cast<size_t>(dimensions[i])] = in_memory[i];
  }
  return Simplify(map.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), index, map.context())));
}

IndexingMap Bitcast(const IndexingMap& map, const hlo::Shape& from, const hlo::Shape& to) {
  const mlir::AffineMap affine = map.affine_map();
  Expressions in_memory;
  for (const int64_t dimension : PhysicalDimensions(from)) {
    in_memory.push_back(affine.getResult(static_cast<unsigned>(dimension)));
  }
  const auto physical =
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), in_memory, map.context());
  return Bitcast(map.WithResults(physical), PhysicalSizes(from), to);
}

namespace {

// The same in what values known at run time depend on.
IndexingMap WithRangeAt(const IndexingMap& map, size_t range, int64_t value) {
  std::vector<Variable> ranges(map.ranges());
  ranges[range].bounds = Interval::Point(value);
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) {
    if (!variable.index.IsUnknown()) variable.index = WithRangeAt(variable.index, range, value);
  }
  const mlir::AffineMap affine = map.affine_map();
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols.push_back(i == range ? mlir::getAffineConstantExpr(value, map.context())
                                 : mlir::getAffineSymbolExpr(i, map.context()));
  }
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) {
    results.push_back(result.replaceSymbols(symbols));
  }
  std::vector<indexing_analysis::MapConstraint> constraints;
  for (const indexing_analysis::MapConstraint& constraint : map.constraints()) {
    constraints.push_back({constraint.expression.replaceSymbols(symbols), constraint.bounds});
  }
  return {mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, map.context()),
          map.dimensions(), std::move(ranges), std::move(runtime), constraints};
}

}  // namespace

IndexingMap AtRange(const IndexingMap& map, size_t range, int64_t value, MapTable& maps) {
  const Interval values = map.ranges()[range].bounds;
  if (value < values.lower || value > values.upper) return IndexingMap::KnownEmpty(map);
  return maps.Simplified(WithRangeAt(map, range, value));
}

std::vector<indexing_analysis::MapConstraint> ConstraintsWithoutRuntime(const IndexingMap& map) {
  const auto first = static_cast<unsigned>(map.num_ranges());
  const auto count = static_cast<unsigned>(map.num_runtime());
  std::vector<indexing_analysis::MapConstraint> constraints;
  for (const indexing_analysis::MapConstraint& constraint : map.constraints()) {
    bool has_runtime = false;
    for (unsigned i = first; i < first + count; ++i) {
      has_runtime |= constraint.expression.isFunctionOfSymbol(i);
    }
    if (!has_runtime) constraints.push_back(constraint);
  }
  return constraints;
}

IndexingMap WithConditionsOf(const IndexingMap& map, const IndexingMap& other, MapTable& maps) {
  const bool has_both = !map.IsUnknown() && !map.IsKnownEmpty() && !other.IsUnknown() &&
                        !other.IsKnownEmpty() && map.num_dimensions() == other.num_dimensions() &&
                        map.num_ranges() == other.num_ranges();
  if (!has_both) return map;
  std::vector<indexing_analysis::MapConstraint> constraints(map.constraints());
  bool is_new = false;
  for (const indexing_analysis::MapConstraint& constraint : ConstraintsWithoutRuntime(other)) {
    if (llvm::is_contained(constraints, constraint)) continue;
    constraints.push_back(constraint);
    is_new = true;
  }
  std::vector<Variable> dimensions(map.dimensions());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Interval both = dimensions[i].bounds.Intersect(other.dimensions()[i].bounds);
    is_new |= !(both == dimensions[i].bounds);
    dimensions[i].bounds = both;
  }
  if (!is_new) return map;
  return maps.Simplified(
      {map.affine_map(), std::move(dimensions), map.ranges(), map.runtime(), constraints});
}

Interval BoundsOfLane(Interval lanes) { return {-1 - lanes.upper, -1 - lanes.lower}; }

IndexingMap WithoutConditions(const IndexingMap& map, bool has_lane) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  mlir::AffineMap affine = map.affine_map();
  std::vector<Variable> dimensions(map.dimensions());
  std::vector<Variable> ranges(map.ranges());
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (Variable& variable : dimensions) variable.bounds = Interval::Point(0);
  bool uses_ranges = false;
  for (unsigned i = 0; i < ranges.size(); ++i) {
    const bool is_used = affine.isFunctionOfSymbol(i);
    if (!is_used) ranges[i].bounds = Interval::Point(0);
    uses_ranges |= is_used;
  }
  for (RuntimeVariable& variable : runtime) {
    variable.index = WithoutConditions(variable.index, has_lane);
  }
  if (runtime.empty() && !uses_ranges) {
    ranges.clear();
    affine = mlir::AffineMap::get(affine.getNumDims(), 0, affine.getResults(), map.context());
  }
  const auto lane = static_cast<unsigned>(ranges.size()) - 1;
  if (has_lane && !ranges.empty() && affine.isFunctionOfSymbol(lane)) {
    ranges[lane].bounds = BoundsOfLane(ranges[lane].bounds);
  }
  return {affine, std::move(dimensions), std::move(ranges), std::move(runtime), {}};
}

namespace {

IndexingMap DomainOf(const IndexingMap& map) {
  const mlir::AffineMap affine = map.affine_map();
  return map.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), map.context()));
}

// Whether a constraint on dimensions alone holds for all of a map's.
bool FollowsFromBounds(const indexing_analysis::MapConstraint& constraint, const IndexingMap& map) {
  bool has_symbols = false;
  constraint.expression.walk([&](mlir::AffineExpr part) {
    has_symbols = has_symbols || mlir::isa<mlir::AffineSymbolExpr>(part);
  });
  return !has_symbols &&
         constraint.bounds.Contains(RangeOfResult(WithResults(map, {constraint.expression})));
}

}  // namespace

bool AreSamePositions(const IndexingMap& position, const IndexingMap& other, MapTable& maps) {
  const mlir::AffineMap affine = position.affine_map();
  if (affine.getNumSymbols() != other.affine_map().getNumSymbols()) return false;
  const mlir::AffineExpr distance = affine.getResult(0) - other.affine_map().getResult(0);
  const IndexingMap simplified = maps.Simplified(position.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), distance)));
  return !simplified.IsKnownEmpty() && simplified.affine_map().getResult(0) == 0;
}

bool HasDomainWithin(const IndexingMap& map, const IndexingMap& other) {
  for (size_t i = 0; i < other.num_dimensions(); ++i) {
    if (!other.dimensions()[i].bounds.Contains(map.dimensions()[i].bounds)) return false;
  }
  return llvm::all_of(other.constraints(), [&](const indexing_analysis::MapConstraint& constraint) {
    return llvm::is_contained(map.constraints(), constraint) || FollowsFromBounds(constraint, map);
  });
}

bool HaveSameDomain(const IndexingMap& a, const IndexingMap& b) {
  return !a.IsUnknown() && !b.IsUnknown() && DomainOf(a) == DomainOf(b);
}

llvm::hash_code HashOfDomain(const IndexingMap& map) {
  return map.IsUnknown() ? llvm::hash_code(0) : hash_value(DomainOf(map));
}

}  // namespace hlo_indexing::plan
