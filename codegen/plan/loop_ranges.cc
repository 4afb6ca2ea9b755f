#include "codegen/plan/loop_ranges.h"

#include <utility>
#include <vector>

#include "codegen/plan/lane_maps.h"
#include "codegen/plan/thread_map.h"
#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::plan {

using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;
using indexing_analysis::RuntimeVariable;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::AffineMap;

bool DependsOnRange(const IndexingMap& map, size_t range) {
  const auto symbol = static_cast<unsigned>(range);
  return map.affine_map().isFunctionOfSymbol(symbol) ||
         llvm::any_of(map.constraints(), [&](const MapConstraint& constraint) {
           return constraint.expression.isFunctionOfSymbol(symbol);
         });
}

IndexingMap WithRangesInFront(const IndexingMap& map, llvm::ArrayRef<Variable> ranges) {
  const auto count = static_cast<unsigned>(ranges.size());
  const AffineMap affine = map.affine_map();
  const auto shifted = [&](AffineExpr expression) {
    return expression.shiftSymbols(affine.getNumSymbols(), count);
  };
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) results.push_back(shifted(result));
  std::vector<MapConstraint> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({shifted(constraint.expression), constraint.bounds});
  }
  std::vector<Variable> all(ranges);
  llvm::append_range(all, map.ranges());
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) {
    if (!variable.index.IsUnknown()) variable.index = WithRangesInFront(variable.index, ranges);
  }
  return {
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols() + count, results, map.context()),
      map.dimensions(), std::move(all), std::move(runtime), constraints};
}

std::optional<IndexingMap> WithoutRangesInFront(const IndexingMap& map,
                                                llvm::ArrayRef<Variable> ranges) {
  const auto count = static_cast<unsigned>(ranges.size());
  const AffineMap affine = map.affine_map();
  if (map.num_ranges() < count) return std::nullopt;
  const auto depends = [&](AffineExpr expression) {
    for (unsigned i = 0; i < count; ++i) {
      if (expression.isFunctionOfSymbol(i)) return true;
    }
    return false;
  };
  const auto is_narrower = [](const Variable& a, const Variable& b) {
    return !(a.bounds == b.bounds);
  };
  for (unsigned i = 0; i < count; ++i) {
    if (is_narrower(map.ranges()[i], ranges[i])) return std::nullopt;
  }
  llvm::SmallVector<AffineExpr, 8> symbols(affine.getNumSymbols());
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols[i] = mlir::getAffineSymbolExpr(i < count ? i : i - count, map.context());
  }
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) {
    if (depends(result)) return std::nullopt;
    results.push_back(result.replaceSymbols(symbols));
  }
  std::vector<MapConstraint> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    if (depends(constraint.expression)) return std::nullopt;
    constraints.push_back({constraint.expression.replaceSymbols(symbols), constraint.bounds});
  }
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) {
    if (variable.index.IsUnknown()) continue;
    std::optional<IndexingMap> index = WithoutRangesInFront(variable.index, ranges);
    if (!index.has_value()) return std::nullopt;
    variable.index = *std::move(index);
  }
  return IndexingMap(
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols() - count, results, map.context()),
      map.dimensions(), std::vector<Variable>(map.ranges().drop_front(count)), std::move(runtime),
      constraints);
}

namespace {

// The map without values known at run time, where it speaks of none.
IndexingMap WithoutUnusedRuntime(const IndexingMap& map) {
  const AffineMap affine = map.affine_map();
  const auto num_ranges = static_cast<unsigned>(map.num_ranges());
  if (map.num_runtime() == 0) return map;
  // Their symbols stand behind those of the ranges.
  for (unsigned i = num_ranges; i < affine.getNumSymbols(); ++i) {
    if (DependsOnRange(map, i)) return map;
  }
  return {AffineMap::get(affine.getNumDims(), num_ranges, affine.getResults(), map.context()),
          map.dimensions(),
          map.ranges(),
          {},
          map.constraints()};
}

// The variables of a map but for values known at run time, and what is said of them alone.
IndexingMap DomainWithoutRuntime(const IndexingMap& map) {
  const auto num_ranges = static_cast<unsigned>(map.num_ranges());
  return {AffineMap::get(map.affine_map().getNumDims(), num_ranges, map.context()),
          map.dimensions(),
          map.ranges(),
          {},
          ConstraintsWithoutRuntime(map)};
}

}  // namespace

std::optional<IndexingMap> IndexOutsideLoops(const IndexingMap& index,
                                             llvm::ArrayRef<Variable> loops,
                                             const IndexingMap& outside,
                                             llvm::ArrayRef<int64_t> sizes, MapTable& maps) {
  const IndexingMap in_loops = WithoutUnusedRuntime(index);
  std::optional<IndexingMap> without = WithoutRangesInFront(in_loops, loops);
  if (without.has_value() && HaveSameDomain(*without, outside)) return without;
  if (in_loops.num_runtime() > 0) return std::nullopt;
  const IndexingMap domain = DomainWithoutRuntime(outside);
  const auto count = static_cast<unsigned>(loops.size());
  const AffineMap affine = in_loops.affine_map();
  if (affine.getNumSymbols() != domain.affine_map().getNumSymbols() + count) return std::nullopt;
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    for (const AffineExpr result : affine.getResults()) {
      if (i < count && result.isFunctionOfSymbol(i)) return std::nullopt;
    }
    symbols.push_back(mlir::getAffineSymbolExpr(i < count ? i : i - count, domain.context()));
  }
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) {
    results.push_back(result.replaceSymbols(symbols));
    const Interval values = RangeOfResult(WithResults(domain, {results.back()}));
    if (!Interval{0, sizes[results.size() - 1] - 1}.Contains(values)) return std::nullopt;
  }
  const AffineMap map = domain.affine_map();
  return maps.Simplified(domain.WithResults(
      AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, domain.context())));
}

Interval RangeOfResult(const IndexingMap& map) {
  simplifier::DigitContext context;
  const simplifier::QuasiAffineMap read =
      ReadMap(context, map, indexing_analysis::RuntimeVariablesAs::kVariables);
  return read.empty ? Interval::Empty() : simplifier::Range(context, read.results.front());
}

std::optional<IndexingMap> IndexOfFirstTurn(const IndexingMap& index, size_t first_loop,
                                            size_t count, MapTable& maps, LoopForm form) {
  if (index.IsUnknown() || index.IsKnownEmpty() || index.num_runtime() > 0) return std::nullopt;
  if (count == 0 || index.num_ranges() < first_loop + count) return std::nullopt;
  const AffineMap affine = index.affine_map();
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(i, index.context()));
  }
  const auto depends = [&](AffineExpr expression) {
    for (size_t i = first_loop; i < first_loop + count; ++i) {
      if (expression.isFunctionOfSymbol(static_cast<unsigned>(i))) return true;
    }
    return false;
  };
  if (llvm::any_of(affine.getResults(), depends)) return std::nullopt;
  for (size_t i = first_loop; i < first_loop + count; ++i) {
    symbols[i] = mlir::getAffineConstantExpr(index.ranges()[i].bounds.lower, index.context());
  }
  bool has_conditions = false;
  for (const MapConstraint& constraint : index.constraints()) {
    if (!depends(constraint.expression)) continue;
    has_conditions = true;
    // Turns only go up, and are not cut off below; or the other way round.
    const AffineExpr first = constraint.expression.replaceSymbols(symbols);
    const Interval further = RangeOfResult(WithResults(index, {constraint.expression - first}));
    const Interval values = RangeOfResult(WithResults(index, {first}));
    const Interval bounds = constraint.bounds;
    const bool only_up = further.lower >= 0 && values.lower >= bounds.lower;
    const bool only_down = further.upper <= 0 && values.upper <= bounds.upper;
    if (!only_up && !only_down) return std::nullopt;
  }
  if (!has_conditions && form == LoopForm::kLoop) return std::nullopt;
  IndexingMap first = index;
  for (size_t i = first_loop; i < first_loop + count && !first.IsKnownEmpty(); ++i) {
    first = AtRange(first, i, index.ranges()[i].bounds.lower, maps);
  }
  if (first.IsKnownEmpty()) return std::nullopt;
  return first;
}

IndexingMap LoadedElements(const IndexingMap& index, bool has_lane) {
  const AffineMap affine = index.affine_map();
  size_t first = 0;
  size_t end = index.num_ranges();
  const auto is_used = [&](size_t range) {
    return affine.isFunctionOfSymbol(static_cast<unsigned>(range));
  };
  const bool is_vector = has_lane && end > 0 && is_used(end - 1);
  if (has_lane && end > 0 && !is_vector) --end;
  while (first < end && !is_used(first)) ++first;
  std::vector<Variable> dimensions(index.dimensions());
  for (Variable& variable : dimensions) variable.bounds = indexing_analysis::Interval::Point(0);
  std::vector<Variable> ranges;
  llvm::SmallVector<AffineExpr, 8> symbols(affine.getNumSymbols());
  for (size_t i = 0; i < symbols.size(); ++i) {
    const size_t place = i < first ? i : i - first;
    symbols[i] = mlir::getAffineSymbolExpr(static_cast<unsigned>(place), index.context());
    if (i < first || i >= end) continue;
    ranges.push_back(index.ranges()[i]);
    if (!is_used(i)) ranges.back().bounds = indexing_analysis::Interval::Point(0);
  }
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) {
    results.push_back(result.replaceSymbols(symbols));
  }
  if (is_vector) ranges.back().bounds = BoundsOfLane(ranges.back().bounds);
  return {AffineMap::get(affine.getNumDims(), static_cast<unsigned>(ranges.size()), results,
                         index.context()),
          std::move(dimensions),
          std::move(ranges),
          {},
          {}};
}

}  // namespace hlo_indexing::plan
