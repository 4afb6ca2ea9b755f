#include "codegen/plan/lane_maps.h"

#include <numeric>
#include <utility>
#include <vector>

#include "codegen/plan/thread_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using indexing_analysis::RuntimeVariable;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::AffineMap;

namespace {

unsigned LaneSymbol(const IndexingMap& map) { return static_cast<unsigned>(map.num_ranges() - 1); }

// Whether the expression mentions the lane, or a runtime variable that depends on it.
bool MentionsLane(AffineExpr expression, const IndexingMap& map) {
  const unsigned lane = LaneSymbol(map);
  if (expression.isFunctionOfSymbol(lane)) return true;
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    const RuntimeVariable& variable = map.runtime()[i];
    if (!expression.isFunctionOfSymbol(lane + 1 + static_cast<unsigned>(i))) continue;
    if (!variable.index.IsUnknown() && DependsOnLane(variable.index)) return true;
  }
  return false;
}

// The expression for lane 0.
AffineExpr AtLaneZero(AffineExpr expression, const IndexingMap& map) {
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < map.num_ranges() + map.num_runtime(); ++i) {
    symbols.push_back(i == LaneSymbol(map) ? mlir::getAffineConstantExpr(0, map.context())
                                           : mlir::getAffineSymbolExpr(i, map.context()));
  }
  return expression.replaceSymbols(symbols);
}

// The lanes from one on, of which the first is 0.
IndexingMap FromLane(const IndexingMap& map, int64_t first, Interval lanes) {
  const AffineMap affine = map.affine_map();
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(i, map.context()));
  }
  symbols[LaneSymbol(map)] = symbols[LaneSymbol(map)] + first;
  const auto shifted = [&](AffineExpr expression) { return expression.replaceSymbols(symbols); };
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) results.push_back(shifted(result));
  std::vector<MapConstraint> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({shifted(constraint.expression), constraint.bounds});
  }
  std::vector<Variable> ranges(map.ranges());
  ranges.back().bounds = lanes;
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) {
    if (!variable.index.IsUnknown()) variable.index = FromLane(variable.index, first, lanes);
  }
  return {AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, map.context()),
          map.dimensions(), std::move(ranges), std::move(runtime), constraints};
}

}  // namespace

IndexingMap WithResults(const IndexingMap& map, llvm::ArrayRef<AffineExpr> results) {
  const AffineMap affine = map.affine_map();
  return map.WithResults(
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, map.context()));
}

bool DependsOnLane(const IndexingMap& map) {
  if (map.num_ranges() == 0) return false;
  return llvm::any_of(map.affine_map().getResults(),
                      [&](AffineExpr result) { return MentionsLane(result, map); });
}

bool HasResultsOf(const IndexingMap& map, const IndexingMap& index, MapTable& maps) {
  const AffineMap expected = index.affine_map();
  const AffineMap affine = map.affine_map();
  for (unsigned i = 0; i < expected.getNumSymbols(); ++i) {
    if (expected.isFunctionOfSymbol(i)) return false;
  }
  if (expected.getResults() == affine.getResults()) return true;
  if (expected.getNumResults() != affine.getNumResults()) return false;
  llvm::SmallVector<AffineExpr, 6> distances;
  for (unsigned i = 0; i < affine.getNumResults(); ++i) {
    distances.push_back(affine.getResult(i) - expected.getResult(i));
  }
  const IndexingMap distance = maps.Simplified(WithResults(map, distances));
  return distance.IsKnownEmpty() ||
         llvm::all_of(distance.affine_map().getResults(), [](AffineExpr by) { return by == 0; });
}

IndexingMap AtLane(const IndexingMap& map, int64_t lane, MapTable& maps) {
  return AtRange(map, map.num_ranges() - 1, lane, maps);
}

IndexingMap OfLanes(const IndexingMap& map, int64_t first, int64_t count, MapTable& maps) {
  const Interval values = map.ranges().back().bounds;
  const Interval lanes = {std::max<int64_t>(values.lower - first, 0),
                          std::min(values.upper - first, count - 1)};
  if (lanes.lower > lanes.upper) return IndexingMap::KnownEmpty(map);
  return maps.Simplified(FromLane(map, first, lanes));
}

std::optional<int64_t> DivisorOfResult(const IndexingMap& map, int64_t most, MapTable& maps) {
  const AffineMap affine = map.affine_map();
  int64_t divisor = affine.getResult(0).getLargestKnownDivisor();
  if (divisor == 0) return std::nullopt;
  int64_t power = divisor & -divisor;
  for (int64_t wanted = most; wanted > power && !affine.isConstant(); wanted /= 2) {
    const IndexingMap remainder = maps.Simplified(WithResults(map, {affine.getResult(0) % wanted}));
    if (remainder.affine_map().getResult(0) != 0) continue;
    divisor *= wanted / power;
    power = wanted;
  }
  return divisor;
}

namespace {

// The expression for any lane may hide what those of the lanes say: that
// ((d0 + 1024) floordiv 250) * 1000 + ... + (d0 * 4 + s0 + 6) mod 10 is d0 * 4 + 4097 at lane 1.
std::optional<llvm::SmallVector<int64_t, 16>> OffsetsByLane(const IndexingMap& map, int64_t lanes,
                                                            MapTable& maps) {
  const IndexingMap first = AtLane(map, 0, maps);
  if (first.IsKnownEmpty() || map.num_runtime() > 0) return std::nullopt;
  llvm::SmallVector<int64_t, 16> offsets = {0};
  for (int64_t lane = 1; lane < lanes; ++lane) {
    const IndexingMap at = AtLane(map, lane, maps);
    if (at.IsKnownEmpty()) return std::nullopt;
    const AffineExpr distance = at.affine_map().getResult(0) - first.affine_map().getResult(0);
    const IndexingMap simplified = maps.Simplified(WithResults(at, {distance}));
    if (simplified.IsKnownEmpty() || !simplified.affine_map().isConstant()) return std::nullopt;
    offsets.push_back(simplified.affine_map().getConstantResults().front());
  }
  return offsets;
}

}  // namespace

std::optional<llvm::SmallVector<int64_t, 16>> LaneOffsets(const IndexingMap& map, int64_t lanes,
                                                          MapTable& maps) {
  const AffineExpr result = map.affine_map().getResult(0);
  // A value known at run time may be another one for each lane.
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    const RuntimeVariable& variable = map.runtime()[i];
    if (!result.isFunctionOfSymbol(LaneSymbol(map) + 1 + static_cast<unsigned>(i))) continue;
    if (!variable.index.IsUnknown() && DependsOnLane(variable.index)) return std::nullopt;
  }
  const AffineExpr distance = result - AtLaneZero(result, map);
  const IndexingMap distances = maps.Simplified(WithResults(map, {distance}));
  if (distances.IsKnownEmpty()) return llvm::SmallVector<int64_t, 16>(static_cast<size_t>(lanes));
  const AffineExpr simplified = distances.affine_map().getResult(0);
  llvm::SmallVector<int64_t, 8> dimensions(map.num_dimensions(), 0);
  llvm::SmallVector<int64_t, 8> symbols(map.num_ranges() + map.num_runtime(), 0);
  for (unsigned i = 0; i < map.num_dimensions(); ++i) {
    if (simplified.isFunctionOfDim(i)) return OffsetsByLane(map, lanes, maps);
  }
  for (unsigned i = 0; i < symbols.size(); ++i) {
    if (i != LaneSymbol(map) && simplified.isFunctionOfSymbol(i)) {
      return OffsetsByLane(map, lanes, maps);
    }
  }
  llvm::SmallVector<int64_t, 16> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    symbols[LaneSymbol(map)] = lane;
    const std::optional<int64_t> offset =
        indexing_analysis::EvaluateExpression(simplified, dimensions, symbols);
    if (!offset.has_value()) return std::nullopt;
    offsets.push_back(*offset);
  }
  return offsets;
}

int64_t LanesSideBySide(const IndexingMap& map, int64_t lanes, MapTable& maps) {
  if (map.num_runtime() > 0) return 1;
  const auto are_side_by_side = [&](int64_t first, int64_t count) {
    const IndexingMap group = OfLanes(map, first, count, maps);
    if (group.IsKnownEmpty()) return false;
    const auto offsets = LaneOffsets(group, count, maps);
    if (!offsets.has_value()) return false;
    for (int64_t lane = 0; lane < count; ++lane) {
      if ((*offsets)[static_cast<size_t>(lane)] != lane) return false;
    }
    return DivisorOfResult(AtLane(group, 0, maps), count, maps).value_or(count) % count == 0;
  };
  for (auto count = static_cast<int64_t>(llvm::bit_floor(static_cast<size_t>(lanes))); count > 1;
       count /= 2) {
    bool are_all = lanes % count == 0 && count < lanes;
    for (int64_t first = 0; are_all && first < lanes; first += count) {
      are_all = are_side_by_side(first, count);
    }
    if (are_all) return count;
  }
  return 1;
}

std::vector<LaneRange> VectorsOf(llvm::ArrayRef<int64_t> offsets, int64_t divisor,
                                 int64_t element_bits, int64_t alignment) {
  constexpr int64_t kMaxAccessBits = 128;
  std::vector<LaneRange> vectors;
  for (size_t lane = 0; lane < offsets.size();) {
    const int64_t aligned_to = std::gcd(divisor, offsets[lane]);
    size_t count = 1;
    const auto fits = [&](size_t wider) {
      const int64_t bits = static_cast<int64_t>(wider) * element_bits;
      if (lane + wider > offsets.size() || bits > kMaxAccessBits) return false;
      if (aligned_to % static_cast<int64_t>(wider) != 0 || bits > alignment * 8) return false;
      for (size_t i = 1; i < wider; ++i) {
        if (offsets[lane + i] != offsets[lane] + static_cast<int64_t>(i)) return false;
      }
      return true;
    };
    while (fits(count * 2)) count *= 2;
    vectors.push_back({lane, count});
    lane += count;
  }
  return vectors;
}

namespace {

// Of the values in the bounds, from the first to the last that the constraints on remainders of
// the variable allow.
// Example: [0, 255], where d0 mod 32 in [0, 0] -> [0, 224]
Interval WithinRemainders(Interval bounds, AffineExpr variable, const IndexingMap& map) {
  if (bounds.lower == INT64_MIN || bounds.upper == INT64_MAX) return bounds;
  for (const MapConstraint& constraint : map.constraints()) {
    const auto remainder = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(constraint.expression);
    if (!remainder || remainder.getKind() != mlir::AffineExprKind::Mod) continue;
    const auto divisor = mlir::dyn_cast<mlir::AffineConstantExpr>(remainder.getRHS());
    if (remainder.getLHS() != variable || !divisor || divisor.getValue() <= 0) continue;
    const int64_t of = divisor.getValue();
    const auto [least, most] = constraint.bounds;
    if (least < 0 || least > most || most >= of) continue;
    const int64_t of_first = bounds.lower - support::FloorDiv(bounds.lower, of) * of;
    const int64_t of_last = bounds.upper - support::FloorDiv(bounds.upper, of) * of;
    if (of_first < least) bounds.lower += least - of_first;
    if (of_first > most) bounds.lower += of - of_first + least;
    if (of_last > most) bounds.upper -= of_last - most;
    if (of_last < least) bounds.upper -= of_last + of - most;
  }
  return bounds;
}

}  // namespace

Conditions ConditionsOf(const IndexingMap& narrowed, const IndexingMap& known) {
  Conditions conditions;
  llvm::SmallVector<AffineExpr, 6> expressions;
  const auto require = [&](AffineExpr expression, Interval bounds) {
    expressions.push_back(expression);
    conditions.bounds.push_back(bounds);
  };
  mlir::MLIRContext* const context = narrowed.context();
  // Bounds that follow from what is required of a remainder are not.
  const auto require_bounds = [&](AffineExpr variable, Interval bounds, Interval known_bounds) {
    if (bounds == known_bounds) return;
    if (bounds == WithinRemainders(known_bounds, variable, narrowed)) return;
    require(variable, bounds);
  };
  for (unsigned i = 0; i < narrowed.num_dimensions(); ++i) {
    require_bounds(mlir::getAffineDimExpr(i, context), narrowed.dimensions()[i].bounds,
                   known.dimensions()[i].bounds);
  }
  for (unsigned i = 0; i < narrowed.num_ranges(); ++i) {
    require_bounds(mlir::getAffineSymbolExpr(i, context), narrowed.ranges()[i].bounds,
                   known.ranges()[i].bounds);
  }
  // What is known, with its runtime variables numbered as in `narrowed`.
  const auto num_ranges = static_cast<unsigned>(narrowed.num_ranges());
  const auto num_new = static_cast<unsigned>(narrowed.num_runtime() - known.num_runtime());
  // Code reads the values where it tests the conditions, which may not hold there: at the indices
  // of `known`, as those of `narrowed` are simplified for where they do.
  std::vector<indexing_analysis::RuntimeVariable> runtime(narrowed.runtime());
  llvm::copy(known.runtime(), runtime.begin() + num_new);
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < known.num_ranges() + known.num_runtime(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(i < num_ranges ? i : i + num_new, context));
  }
  llvm::SmallVector<MapConstraint, 4> is_known;
  for (const MapConstraint& constraint : known.constraints()) {
    is_known.push_back({constraint.expression.replaceSymbols(symbols), constraint.bounds});
  }
  for (const MapConstraint& constraint : narrowed.constraints()) {
    if (llvm::is_contained(is_known, constraint)) continue;
    require(constraint.expression, constraint.bounds);
  }
  conditions.expressions =
      IndexingMap(AffineMap::get(static_cast<unsigned>(narrowed.num_dimensions()),
                                 num_ranges + static_cast<unsigned>(narrowed.num_runtime()),
                                 expressions, context),
                  known.dimensions(), known.ranges(), std::move(runtime), {});
  return conditions;
}

std::optional<Conditions> SameForAllLanes(const Conditions& conditions, int64_t lanes,
                                          MapTable& maps) {
  if (conditions.empty()) return conditions;
  const IndexingMap& map = conditions.expressions;
  llvm::SmallVector<AffineExpr, 6> expressions;
  for (size_t i = 0; i < conditions.bounds.size(); ++i) {
    const AffineExpr expression = map.affine_map().getResult(static_cast<unsigned>(i));
    if (!MentionsLane(expression, map)) {
      expressions.push_back(expression);
      continue;
    }
    const auto offsets = LaneOffsets(WithResults(map, {expression}), lanes, maps);
    if (!offsets.has_value()) return std::nullopt;
    // Lane 0 has multiples of the divisor: the others must be on the same side of each bound.
    const IndexingMap first = maps.Simplified(WithResults(map, {AtLaneZero(expression, map)}));
    const AffineExpr of_first = first.affine_map().getResult(0);
    const int64_t divisor =
        DivisorOfResult(first, static_cast<int64_t>(llvm::bit_floor(static_cast<size_t>(lanes))),
                        maps)
            .value_or(0);
    const Interval bounds = conditions.bounds[i];
    for (const int64_t offset : *offsets) {
      if (divisor <= 0) return std::nullopt;
      // x + offset >= lower if and only if x >= lower, and the same of upper.
      const bool same_lower =
          bounds.lower == INT64_MIN || support::CeilDiv(bounds.lower - offset, divisor) ==
                                           support::CeilDiv(bounds.lower, divisor);
      const bool same_upper =
          bounds.upper == INT64_MAX || support::FloorDiv(bounds.upper - offset, divisor) ==
                                           support::FloorDiv(bounds.upper, divisor);
      if (!same_lower || !same_upper) return std::nullopt;
    }
    expressions.push_back(of_first);
  }
  return Conditions{WithResults(map, expressions), conditions.bounds};
}

std::optional<bool> HoldAtLane(const Conditions& conditions, int64_t lane, MapTable& maps) {
  if (conditions.empty()) return true;
  const IndexingMap at = AtLane(conditions.expressions, lane, maps);
  if (at.IsKnownEmpty()) return std::nullopt;
  bool is_known = true;
  for (size_t i = 0; i < conditions.bounds.size(); ++i) {
    const auto value = mlir::dyn_cast<mlir::AffineConstantExpr>(
        at.affine_map().getResult(static_cast<unsigned>(i)));
    if (!value) {
      is_known = false;
    } else if (!conditions.bounds[i].Contains(Interval::Point(value.getValue()))) {
      return false;
    }
  }
  return is_known ? std::optional<bool>(true) : std::nullopt;
}

}  // namespace hlo_indexing::plan
