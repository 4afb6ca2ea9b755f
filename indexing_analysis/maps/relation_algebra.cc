#include "indexing_analysis/maps/relation_algebra.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/projection.h"
#include "indexing_analysis/maps/relation_steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineExpr;
using Expressions = llvm::SmallVector<AffineExpr, 8>;
using Conditions = std::vector<MapConstraint>;

absl::Status HaveSameSpaces(const IndexingMap& a, const IndexingMap& b) {
  const auto mismatch = [](const char* what, size_t of_a, size_t of_b) {
    return absl::InvalidArgumentError("the maps have different numbers of " + std::string(what) +
                                      ": " + std::to_string(of_a) + " and " + std::to_string(of_b));
  };
  if (a.num_dimensions() != b.num_dimensions()) {
    return mismatch("dimensions", a.num_dimensions(), b.num_dimensions());
  }
  const unsigned results_of_a = a.affine_map().getNumResults();
  const unsigned results_of_b = b.affine_map().getNumResults();
  if (results_of_a != results_of_b) return mismatch("results", results_of_a, results_of_b);
  if (a.num_runtime() != b.num_runtime()) {
    return mismatch("runtime variables", a.num_runtime(), b.num_runtime());
  }
  for (size_t i = 0; i < a.num_runtime(); ++i) {
    const RuntimeVariable& of_a = a.runtime()[i];
    const RuntimeVariable& of_b = b.runtime()[i];
    if (of_a == of_b) continue;
    const std::string bounds = of_a.bounds == of_b.bounds
                                   ? ""
                                   : ", as they have other bounds: " + of_a.bounds.ToString() +
                                         " and " + of_b.bounds.ToString();
    return absl::InvalidArgumentError("the runtime variables " + a.SymbolName(a.num_ranges() + i) +
                                      " and " + b.SymbolName(b.num_ranges() + i) +
                                      " are different values" + bounds);
  }
  return absl::OkStatus();
}

// The dimensions and results of a map: a pair that it relates.
Expressions PairOf(const IndexingMap& map) {
  Expressions pair;
  for (unsigned i = 0; i < map.num_dimensions(); ++i) {
    pair.push_back(mlir::getAffineDimExpr(i, map.context()));
  }
  const mlir::AffineMap affine = map.affine_map();
  pair.append(affine.getResults().begin(), affine.getResults().end());
  return pair;
}

// When a map relates a pair: the inverse of its pairs, whose dimensions are those of the pair.
absl::StatusOr<IndexingMap> MembershipOf(const IndexingMap& map) {
  const mlir::AffineMap affine = map.affine_map();
  return Inverse(map.WithResults(mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(),
                                                      PairOf(map), map.context())));
}

// `map` with more ranges and constraints, simplified.
IndexingMap Restrict(const IndexingMap& map, llvm::ArrayRef<Variable> more_ranges,
                     llvm::ArrayRef<MapConstraint> conditions) {
  mlir::MLIRContext* context = map.context();
  const auto num_old = static_cast<unsigned>(map.num_ranges());
  const auto num_new = static_cast<unsigned>(more_ranges.size());
  const mlir::AffineMap affine = map.affine_map();
  // The runtime variables come behind the ranges.
  Expressions symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(i < num_old ? i : i + num_new, context));
  }
  const auto moved = [&](AffineExpr expression) { return expression.replaceSymbols(symbols); };
  Expressions results;
  for (const AffineExpr result : affine.getResults()) results.push_back(moved(result));
  std::vector<Variable> ranges = map.ranges().vec();
  ranges.insert(ranges.end(), more_ranges.begin(), more_ranges.end());
  Conditions constraints = conditions;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({moved(constraint.expression), constraint.bounds});
  }
  return Simplify(IndexingMap(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols() + num_new, results, context),
      map.dimensions().vec(), std::move(ranges), map.runtime().vec(), constraints));
}

// What must hold of a pair of `a` for `membership` to have it, in the variables of `a` and, behind
// its ranges, those of the membership.
Conditions ConditionsOn(const IndexingMap& a, const IndexingMap& membership) {
  mlir::MLIRContext* context = a.context();
  const auto num_old = static_cast<unsigned>(a.num_ranges());
  const auto num_new = static_cast<unsigned>(membership.num_ranges());
  Expressions symbols_of_a;
  for (unsigned i = 0; i < a.affine_map().getNumSymbols(); ++i) {
    symbols_of_a.push_back(mlir::getAffineSymbolExpr(i < num_old ? i : i + num_new, context));
  }
  Expressions pair = PairOf(a);
  for (AffineExpr& coordinate : pair) coordinate = coordinate.replaceSymbols(symbols_of_a);
  Expressions symbols;
  for (unsigned i = 0; i < membership.affine_map().getNumSymbols(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(num_old + i, context));
  }
  Conditions conditions;
  for (size_t i = 0; i < pair.size(); ++i) {
    conditions.push_back({pair[i], membership.dimensions()[i].bounds});
  }
  for (const MapConstraint& constraint : membership.constraints()) {
    conditions.push_back(
        {constraint.expression.replaceDimsAndSymbols(pair, symbols), constraint.bounds});
  }
  return conditions;
}

// Adds the parts of `a` that fail a condition of the membership. Each meets the conditions before
// one, and fails that one on one side.
absl::Status AppendFailing(const IndexingMap& a, const IndexingMap& membership,
                           RelationSteps& steps, std::vector<IndexingMap>& pieces) {
  Conditions met;
  for (const MapConstraint& condition : ConditionsOn(a, membership)) {
    const auto& [expression, bounds] = condition;
    constexpr int kSides = 2;
    if (absl::Status status = steps.Take(a, kSides); !status.ok()) return status;
    const auto add = [&](Interval side) {
      Conditions conditions = met;
      conditions.push_back({expression, side});
      IndexingMap piece = Restrict(a, {}, conditions);
      if (!piece.IsKnownEmpty()) pieces.push_back(std::move(piece));
    };
    if (bounds.lower != Interval::kMinusInfinity) {
      add({Interval::kMinusInfinity, bounds.lower - 1});
    }
    if (bounds.upper != Interval::kPlusInfinity) add({bounds.upper + 1, Interval::kPlusInfinity});
    met.push_back(condition);
  }
  return absl::OkStatus();
}

constexpr size_t kMaxMaps = 1024;

absl::Status CheckCount(size_t num_maps) {
  if (num_maps <= kMaxMaps) return absl::OkStatus();
  return absl::ResourceExhaustedError("the answer has more than " + std::to_string(kMaxMaps) +
                                      " maps");
}

}  // namespace

// The map relates a pair if one of the answers has it.
absl::StatusOr<std::vector<IndexingMap>> PairsOf(const IndexingMap& map) {
  if (map.IsUnknown()) return absl::UnimplementedError("a map is unknown");
  if (map.IsKnownEmpty()) return std::vector<IndexingMap>();
  absl::StatusOr<IndexingMap> membership = MembershipOf(map);
  if (!membership.ok()) return membership.status();
  if (membership->IsKnownEmpty()) return std::vector<IndexingMap>();
  const mlir::AffineMap affine = membership->affine_map();
  IndexingMap pairs = membership->WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), {}, map.context()));
  if (pairs.num_ranges() == 0) return std::vector<IndexingMap>{std::move(pairs)};
  absl::StatusOr<std::vector<IndexingMap>> ways = EliminateRanges(pairs);
  if (!ways.ok()) return ways.status();
  if (llvm::any_of(*ways, [](const IndexingMap& way) { return way.num_ranges() != 0; })) {
    return absl::UnimplementedError(
        "whether the map relates a pair depends on values of ranges that cannot be "
        "eliminated");
  }
  return ways;
}

absl::StatusOr<IndexingMap> Intersect(const IndexingMap& a, const IndexingMap& b) {
  RelationSteps steps;
  return Intersect(a, b, steps);
}

absl::StatusOr<IndexingMap> Intersect(const IndexingMap& a, const IndexingMap& b,
                                      RelationSteps& steps) {
  if (a.IsUnknown() || b.IsUnknown()) return IndexingMap();
  if (absl::Status status = HaveSameSpaces(a, b); !status.ok()) return status;
  if (a.IsKnownEmpty() || b.IsKnownEmpty()) return IndexingMap::KnownEmpty(a);
  const absl::StatusOr<IndexingMap> membership = MembershipOf(b);
  if (!membership.ok()) return membership.status();
  if (membership->IsKnownEmpty()) return IndexingMap::KnownEmpty(a);
  if (absl::Status status = steps.Take(*membership, 1); !status.ok()) return status;
  return Restrict(a, membership->ranges(), ConditionsOn(a, *membership));
}

namespace {

absl::StatusOr<std::vector<IndexingMap>> SubtractOne(const IndexingMap& a, const IndexingMap& b,
                                                     RelationSteps& steps) {
  if (a.IsUnknown() || b.IsUnknown()) return absl::UnimplementedError("a map is unknown");
  if (absl::Status status = HaveSameSpaces(a, b); !status.ok()) return status;
  std::vector<IndexingMap> pieces;
  if (a.IsKnownEmpty()) return pieces;
  const absl::StatusOr<std::vector<IndexingMap>> memberships = PairsOf(b);
  if (!memberships.ok()) return memberships.status();
  IndexingMap whole = Simplify(a);
  if (!whole.IsKnownEmpty()) pieces.push_back(std::move(whole));
  for (const IndexingMap& membership : *memberships) {
    std::vector<IndexingMap> next;
    for (const IndexingMap& piece : pieces) {
      absl::Status status = AppendFailing(piece, membership, steps, next);
      if (!status.ok()) return status;
    }
    pieces = std::move(next);
    if (absl::Status status = CheckCount(pieces.size()); !status.ok()) return status;
  }
  return pieces;
}

}  // namespace

absl::StatusOr<std::vector<IndexingMap>> Subtract(const IndexingMap& a, const IndexingMap& b) {
  RelationSteps steps;
  return SubtractOne(a, b, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Intersect(llvm::ArrayRef<IndexingMap> a,
                                                   llvm::ArrayRef<IndexingMap> b) {
  RelationSteps steps;
  std::vector<IndexingMap> pairs;
  for (const IndexingMap& of_a : a) {
    for (const IndexingMap& of_b : b) {
      absl::StatusOr<IndexingMap> both = Intersect(of_a, of_b, steps);
      if (!both.ok()) return both.status();
      if (!both->IsKnownEmpty()) pairs.push_back(*std::move(both));
      if (absl::Status status = CheckCount(pairs.size()); !status.ok()) return status;
    }
  }
  return Joined(pairs, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Subtract(llvm::ArrayRef<IndexingMap> a,
                                                  llvm::ArrayRef<IndexingMap> b) {
  RelationSteps steps;
  return Subtract(a, b, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Subtract(llvm::ArrayRef<IndexingMap> a,
                                                  llvm::ArrayRef<IndexingMap> b,
                                                  RelationSteps& steps) {
  std::vector<IndexingMap> left(a);
  for (const IndexingMap& of_b : b) {
    std::vector<IndexingMap> next;
    for (const IndexingMap& of_a : left) {
      absl::StatusOr<std::vector<IndexingMap>> pieces = SubtractOne(of_a, of_b, steps);
      if (!pieces.ok()) return pieces.status();
      next.insert(next.end(), pieces->begin(), pieces->end());
      if (absl::Status status = CheckCount(next.size()); !status.ok()) return status;
    }
    left = std::move(next);
  }
  return Joined(left, steps);
}

absl::StatusOr<std::vector<IndexingMap>> Unite(llvm::ArrayRef<IndexingMap> a,
                                               llvm::ArrayRef<IndexingMap> b) {
  std::vector<IndexingMap> all(a);
  all.insert(all.end(), b.begin(), b.end());
  if (absl::Status status = CheckCount(all.size()); !status.ok()) return status;
  const auto first = llvm::find_if(all, [](const IndexingMap& map) { return !map.IsUnknown(); });
  for (const IndexingMap& map : all) {
    if (map.IsUnknown()) continue;
    if (absl::Status status = HaveSameSpaces(*first, map); !status.ok()) return status;
  }
  RelationSteps steps;
  return Joined(all, steps);
}

}  // namespace hlo_indexing::indexing_analysis
