#include "codegen/plan/scatter_windows.h"

#include <utility>
#include <vector>

#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using indexing_analysis::MapConstraint;
using indexing_analysis::RuntimeVariable;
using mlir::AffineExpr;
using mlir::AffineMap;

ScatterWindows::ScatterWindows(const Instruction& scatter)
    : scatter_(scatter), indices_(scatter.operand(scatter.operands().size() / 2)) {
  const hlo::Shape& updates = scatter.operand(scatter.operands().size() / 2 + 1).shape();
  vector_dimension_ = scatter.Required<int64_t>(AttributeName::kIndexVectorDim);
  const llvm::ArrayRef<int64_t> components =
      scatter.Integers(AttributeName::kScatterDimsToOperandDims);
  num_components_ = static_cast<int64_t>(components.size());
  const llvm::ArrayRef<int64_t> window = scatter.Integers(AttributeName::kUpdateWindowDims);
  const llvm::ArrayRef<int64_t> inserted = scatter.Integers(AttributeName::kInsertedWindowDims);
  const llvm::ArrayRef<int64_t> batching = scatter.Integers(AttributeName::kInputBatchingDims);
  const llvm::ArrayRef<int64_t> of_indices =
      scatter.Integers(AttributeName::kScatterIndicesBatchingDims);
  for (int64_t i = 0; i < updates.rank(); ++i) {
    const bool is_window = llvm::is_contained(window, i);
    batch_of_update_.push_back(is_window ? -1 : static_cast<int64_t>(batch_sizes_.size()));
    if (!is_window) batch_sizes_.push_back(updates.sizes()[static_cast<size_t>(i)]);
  }
  size_t next_window = 0;
  for (int64_t i = 0; i < scatter.operand(0).shape().rank(); ++i) {
    Dimension& dimension = dimensions_.emplace_back();
    if (!llvm::is_contained(inserted, i) && !llvm::is_contained(batching, i)) {
      dimension.update_dimension = window[next_window++];
      dimension.extent = updates.sizes()[static_cast<size_t>(dimension.update_dimension)];
    }
    if (const auto* const found = llvm::find(components, i); found != components.end()) {
      dimension.component = found - components.begin();
    }
    if (const auto* const found = llvm::find(batching, i); found != batching.end()) {
      const int64_t of_index = of_indices[static_cast<size_t>(found - batching.begin())];
      dimension.batch_dimension = of_index < vector_dimension_ ? of_index : of_index - 1;
    }
  }
}

IndexingMap ScatterWindows::WithStarts(const IndexingMap& map, llvm::ArrayRef<AffineExpr> batch,
                                       Expressions& starts) const {
  const AffineMap affine = map.affine_map();
  const auto num_symbols = affine.getNumSymbols();
  std::vector<RuntimeVariable> runtime(map.runtime());
  starts.assign(dimensions_.size(), mlir::getAffineConstantExpr(0, map.context()));
  for (int64_t k = 0; k < num_components_; ++k) {
    Expressions index(batch);
    if (vector_dimension_ < indices_.shape().rank()) {
      index.insert(index.begin() + vector_dimension_,
                   mlir::getAffineConstantExpr(k, map.context()));
    }
    RuntimeVariable& start = runtime.emplace_back();
    start.instruction = &indices_;
    start.index =
        map.WithResults(AffineMap::get(affine.getNumDims(), num_symbols, index, map.context()));
    for (size_t i = 0; i < dimensions_.size(); ++i) {
      if (dimensions_[i].component != k) continue;
      const int64_t last = scatter_.shape().ArrayLeaf(0).sizes()[i] - dimensions_[i].extent;
      start.bounds = {-1, last + 1};
      starts[i] = mlir::getAffineSymbolExpr(num_symbols + static_cast<unsigned>(k), map.context());
    }
  }
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].batch_dimension < 0) continue;
    starts[i] = batch[static_cast<size_t>(dimensions_[i].batch_dimension)];
  }
  return {AffineMap::get(affine.getNumDims(), num_symbols + static_cast<unsigned>(num_components_),
                         affine.getResults(), map.context()),
          map.dimensions(), map.ranges(), std::move(runtime), map.constraints()};
}

ScatterWindows::Reached ScatterWindows::Inside(const IndexingMap& map,
                                               llvm::ArrayRef<AffineExpr> results,
                                               llvm::ArrayRef<AffineExpr> starts,
                                               Expressions tested,
                                               llvm::SmallVector<Interval, 4> bounds) const {
  const auto with = [&](llvm::ArrayRef<AffineExpr> expressions) {
    return AffineMap::get(map.affine_map().getNumDims(), map.affine_map().getNumSymbols(),
                          expressions, map.context());
  };
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].component < 0) continue;
    tested.push_back(starts[i]);
    bounds.push_back({0, scatter_.shape().ArrayLeaf(0).sizes()[i] - dimensions_[i].extent});
  }
  Reached reached;
  if (!tested.empty()) {
    reached.conditions.expressions = map.WithResults(with(tested));
    reached.conditions.bounds = std::move(bounds);
  }
  // Where the conditions hold, the narrower bounds clamp nothing.
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& start :
       llvm::MutableArrayRef(runtime).take_back(static_cast<size_t>(num_components_))) {
    start.bounds = {0, start.bounds.upper - 1};
  }
  reached.index = {with(results), map.dimensions(), map.ranges(), std::move(runtime),
                   map.constraints()};
  return reached;
}

ScatterWindows::Reached ScatterWindows::UpdateOf(const IndexingMap& element,
                                                 llvm::ArrayRef<AffineExpr> batch) const {
  Expressions starts;
  const IndexingMap map = WithStarts(element, batch, starts);
  Expressions results(batch_of_update_.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (batch_of_update_[i] >= 0) results[i] = batch[static_cast<size_t>(batch_of_update_[i])];
  }
  Expressions tested;
  llvm::SmallVector<Interval, 4> bounds;
  for (unsigned i = 0; i < dimensions_.size(); ++i) {
    const AffineExpr in_window = element.affine_map().getResult(i) - starts[i];
    if (dimensions_[i].update_dimension >= 0) {
      results[static_cast<size_t>(dimensions_[i].update_dimension)] = in_window;
    }
    tested.push_back(in_window);
    bounds.push_back({0, dimensions_[i].extent - 1});
  }
  return Inside(map, results, starts, std::move(tested), std::move(bounds));
}

ScatterWindows::Reached ScatterWindows::PlaceOf(const IndexingMap& update) const {
  Expressions batch(batch_sizes_.size());
  for (unsigned i = 0; i < batch_of_update_.size(); ++i) {
    if (batch_of_update_[i] < 0) continue;
    batch[static_cast<size_t>(batch_of_update_[i])] = update.affine_map().getResult(i);
  }
  Expressions starts;
  const IndexingMap map = WithStarts(update, batch, starts);
  Expressions results;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    results.push_back(starts[i]);
    if (dimensions_[i].update_dimension < 0) continue;
    results.back() = results.back() + update.affine_map().getResult(
                                          static_cast<unsigned>(dimensions_[i].update_dimension));
  }
  return Inside(map, results, starts, {}, {});
}

namespace {

// These results where the update reaches an element: a value that is out of bounds is not clamped.
IndexingMap WhereReached(const ScatterWindows::Reached& place, llvm::ArrayRef<AffineExpr> results) {
  const IndexingMap& domain = place.conditions.empty() ? place.index : place.conditions.expressions;
  std::vector<MapConstraint> constraints(domain.constraints());
  for (unsigned i = 0; i < place.conditions.bounds.size(); ++i) {
    constraints.push_back({domain.affine_map().getResult(i), place.conditions.bounds[i]});
  }
  const AffineMap affine = place.index.affine_map();
  return {
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, place.index.context()),
      domain.dimensions(), domain.ranges(), domain.runtime(), constraints};
}

}  // namespace

IndexingMap ScatterWindows::PlacesOf(const IndexingMap& update) const {
  const Reached place = PlaceOf(update);
  return WhereReached(place, place.index.affine_map().getResults());
}

IndexingMap ScatterWindows::ReachingUpdates(const IndexingMap& update) const {
  return WhereReached(PlaceOf(update), update.affine_map().getResults());
}

}  // namespace hlo_indexing::plan
