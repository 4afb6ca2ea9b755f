// Simplifying a map whose variables stay.
#include <algorithm>
#include <utility>

#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/maps/write_map.h"
#include "simplifier/decided_divisions.h"
#include "simplifier/domain/scaling.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;

// Divisions and remainders of expressions, written out as trees. Shared parts are looked at once.
class DivisionCounter {
 public:
  // Stops counting at kMany.
  int64_t Count(mlir::AffineExpr expression) {
    const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
    if (!binary) return 0;
    if (const auto known = counts_.find(expression); known != counts_.end()) return known->second;
    const mlir::AffineExprKind kind = expression.getKind();
    const bool divides = kind == mlir::AffineExprKind::FloorDiv ||
                         kind == mlir::AffineExprKind::CeilDiv || kind == mlir::AffineExprKind::Mod;
    const int64_t operands = Count(binary.getLHS()) + Count(binary.getRHS());
    const int64_t count = std::min(operands + (divides ? 1 : 0), kMany);
    counts_[expression] = count;
    return count;
  }

  int64_t Count(llvm::ArrayRef<MapConstraint> constraints) {
    int64_t count = 0;
    for (const MapConstraint& constraint : constraints) count += Count(constraint.expression);
    return count;
  }

 private:
  static constexpr int64_t kMany = int64_t{1} << 32;
  llvm::SmallDenseMap<mlir::AffineExpr, int64_t, 16> counts_;
};

// Finds operations other than sums of variables with constant coefficients.
class LinearityCheck {
 public:
  bool IsLinear(mlir::AffineExpr expression) {
    const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
    if (!binary) return true;
    if (expression.getKind() == mlir::AffineExprKind::Mul) {
      return !llvm::isa<mlir::AffineBinaryOpExpr>(binary.getLHS()) &&
             llvm::isa<mlir::AffineConstantExpr>(binary.getRHS());
    }
    if (expression.getKind() != mlir::AffineExprKind::Add) return false;
    // Shared parts are looked at once.
    return !sums_.insert(expression).second ||
           (IsLinear(binary.getLHS()) && IsLinear(binary.getRHS()));
  }

 private:
  llvm::SmallDenseSet<mlir::AffineExpr, 16> sums_;
};

// The results and constraints of a map with the values of variables that have but one.
class WithKnownValues {
 public:
  WithKnownValues(const IndexingMap& map, llvm::ArrayRef<Interval> boxes) {
    const auto value_or = [&](size_t variable, mlir::AffineExpr expression) {
      const bool is_known =
          variable < boxes.size() && boxes[variable].lower == boxes[variable].upper;
      return is_known ? mlir::getAffineConstantExpr(boxes[variable].lower, map.context())
                      : expression;
    };
    for (unsigned i = 0; i < map.affine_map().getNumDims(); ++i) {
      dimensions_.push_back(value_or(i, mlir::getAffineDimExpr(i, map.context())));
    }
    for (unsigned i = 0; i < map.affine_map().getNumSymbols(); ++i) {
      const bool is_range = i < map.num_ranges();
      symbols_.push_back(value_or(is_range ? map.num_dimensions() + i : boxes.size(),
                                  mlir::getAffineSymbolExpr(i, map.context())));
    }
  }

  mlir::AffineExpr Of(mlir::AffineExpr expression) const {
    return expression.replaceDimsAndSymbols(dimensions_, symbols_);
  }

 private:
  llvm::SmallVector<mlir::AffineExpr, 8> dimensions_;
  llvm::SmallVector<mlir::AffineExpr, 8> symbols_;
};

// Where boundaries do not divide each other, a sum may take more divisions than its author found.
// What was given is as right then, and shorter.
void KeepShorter(const IndexingMap& map, llvm::ArrayRef<Interval> boxes,
                 llvm::MutableArrayRef<mlir::AffineExpr> results,
                 llvm::SmallVectorImpl<MapConstraint>& constraints) {
  DivisionCounter counter;
  for (size_t i = 0; i < results.size(); ++i) {
    const int64_t count = counter.Count(results[i]);
    if (count == 0) continue;
    const mlir::AffineExpr given = map.affine_map().getResult(static_cast<unsigned>(i));
    if (counter.Count(given) < count) results[i] = WithKnownValues(map, boxes).Of(given);
  }
  const int64_t count = counter.Count(constraints);
  if (count > 0 && counter.Count(map.constraints()) < count) {
    const WithKnownValues with_known_values(map, boxes);
    constraints.clear();
    for (const MapConstraint& given : map.constraints()) {
      constraints.push_back({with_known_values.Of(given.expression), given.bounds});
    }
  }
}

enum class Ranges : uint8_t { kKeep, kRescale };

// nullopt if an expression is too long or overflows.
std::optional<IndexingMap> Write(DigitContext& context, const QuasiAffineMap& simplified,
                                 const IndexingMap& map, Ranges range_variables) {
  const size_t num_dimensions = map.num_dimensions();
  MapVariables variables = {map.dimensions(), map.ranges(), map.runtime()};
  for (size_t i = 0; i < num_dimensions; ++i) variables.dimensions[i].bounds = simplified.boxes[i];
  for (size_t i = 0; i < variables.ranges.size(); ++i) {
    variables.ranges[i].bounds = simplified.boxes[num_dimensions + i];
  }
  for (RuntimeVariable& variable : variables.runtime) variable.index = Simplify(variable.index);
  const auto keep_shorter = [&](llvm::MutableArrayRef<mlir::AffineExpr> results,
                                llvm::SmallVectorImpl<MapConstraint>& constraints) {
    if (range_variables == Ranges::kKeep) KeepShorter(map, simplified.boxes, results, constraints);
  };
  return WriteMap(
      context, simplified.results, simplified.constraints, std::move(variables),
      [](const Atom& atom) -> size_t { return atom.variable; }, map.context(), keep_shorter);
}

IndexingMap SimplifyOnce(const IndexingMap& map, Ranges ranges) {
  DigitContext context;
  QuasiAffineMap imported = ReadMap(context, map, RuntimeVariablesAs::kFunctions);
  if (!imported.empty) simplifier::Simplify(context, imported);
  if (!imported.empty && ranges == Ranges::kRescale) {
    const auto first_range = static_cast<simplifier::VariableId>(map.num_dimensions());
    simplifier::RescaleByResidue(context, imported, first_range);
  }
  if (imported.empty) return IndexingMap::KnownEmpty(map);
  return Write(context, imported, map, ranges).value_or(map);
}

// The simplified results; nullopt if that takes a normal form.
std::optional<llvm::SmallVector<mlir::AffineExpr>> ResultsByRanges(const IndexingMap& map) {
  if (!map.constraints().empty() || map.num_runtime() > 0) return std::nullopt;
  llvm::SmallVector<Interval, 8> boxes;
  for (const Variable& dimension : map.dimensions()) boxes.push_back(dimension.bounds);
  for (const Variable& range : map.ranges()) boxes.push_back(range.bounds);
  return simplifier::DecideDivisions(map.affine_map().getResults(), map.num_dimensions(), boxes);
}

}  // namespace

bool IsLinear(const IndexingMap& map) {
  LinearityCheck check;
  return llvm::all_of(map.affine_map().getResults(),
                      [&](mlir::AffineExpr result) { return check.IsLinear(result); }) &&
         llvm::all_of(map.constraints(), [&](const MapConstraint& constraint) {
           return check.IsLinear(constraint.expression);
         });
}

// The shortest form of a sum, read again, may be another sum that has a shorter one: if
// boundaries do not divide each other, equal functions may have several sums; and what overflows
// when it is multiplied out may no longer do so next to another constant. So this goes on until
// nothing changes, which makes it idempotent. A linear map has one form.
IndexingMap Simplify(const IndexingMap& map) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  if (const auto results = ResultsByRanges(map)) {
    const mlir::AffineMap given = map.affine_map();
    if (llvm::equal(*results, given.getResults())) return map;
    const mlir::AffineMap simplified =
        mlir::AffineMap::get(given.getNumDims(), given.getNumSymbols(), *results, map.context());
    return map.WithResults(simplified);
  }
  constexpr int kMaxRounds = 6;
  IndexingMap current = SimplifyOnce(map, Ranges::kKeep);
  for (int round = 1; round < kMaxRounds && !IsLinear(current); ++round) {
    IndexingMap next = SimplifyOnce(current, Ranges::kKeep);
    if (next == current) break;
    current = std::move(next);
  }
  return current;
}

IndexingMap RescaleRanges(const IndexingMap& map) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  const bool has_index = llvm::any_of(
      map.runtime(), [](const RuntimeVariable& variable) { return !variable.index.IsUnknown(); });
  return Simplify(SimplifyOnce(map, has_index ? Ranges::kKeep : Ranges::kRescale));
}

}  // namespace hlo_indexing::indexing_analysis
