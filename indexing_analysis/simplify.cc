// Simplifying a map whose variables stay.
#include <utility>

#include "indexing_analysis/access.h"
#include "indexing_analysis/indexing_map.h"
#include "indexing_analysis/read_map.h"
#include "indexing_analysis/write_map.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;

bool IsDivision(mlir::AffineExpr expression) {
  const mlir::AffineExprKind kind = expression.getKind();
  return kind == mlir::AffineExprKind::FloorDiv || kind == mlir::AffineExprKind::CeilDiv ||
         kind == mlir::AffineExprKind::Mod;
}

// Nothing where an expression is too long or overflows.
std::optional<IndexingMap> Export(DigitContext& context, const QuasiAffineMap& simplified,
                                  const IndexingMap& map) {
  const size_t num_dimensions = map.num_dimensions();
  const auto leaf = [&](const Atom& atom) {
    return atom.variable < num_dimensions
               ? mlir::getAffineDimExpr(atom.variable, map.context())
               : mlir::getAffineSymbolExpr(atom.variable - static_cast<unsigned>(num_dimensions),
                                           map.context());
  };
  simplifier::AffineWriter writer(context, map.context(), leaf);
  const auto results = WriteResults(simplified.results, writer);
  auto constraints = WriteConstraints(simplified.constraints, writer);
  if (!results || !constraints) return std::nullopt;
  SortConstraints(map, *constraints);
  std::vector<Variable> dimensions(map.dimensions());
  std::vector<Variable> ranges(map.ranges());
  for (size_t i = 0; i < dimensions.size(); ++i) dimensions[i].bounds = simplified.boxes[i];
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].bounds = simplified.boxes[num_dimensions + i];
  }
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) variable.index = Simplify(variable.index);
  const mlir::AffineMap affine_map = mlir::AffineMap::get(
      map.affine_map().getNumDims(), map.affine_map().getNumSymbols(), *results, map.context());
  return IndexingMap(affine_map, std::move(dimensions), std::move(ranges), std::move(runtime),
                     *constraints);
}

IndexingMap SimplifyOnce(const IndexingMap& map) {
  DigitContext context;
  QuasiAffineMap imported = ReadMap(context, map, RuntimeVariablesAs::kFunctions);
  if (!imported.empty) simplifier::Simplify(context, imported);
  if (imported.empty) return IndexingMap::KnownEmpty(map);
  std::optional<IndexingMap> simplified = Export(context, imported, map);
  return simplified ? std::move(*simplified) : map;
}

}  // namespace

bool HasDivisions(const IndexingMap& map) {
  bool found = false;
  const auto look = [&found](mlir::AffineExpr part) { found |= IsDivision(part); };
  for (const mlir::AffineExpr result : map.affine_map().getResults()) result.walk(look);
  for (const MapConstraint& constraint : map.constraints()) constraint.expression.walk(look);
  return found;
}

// The shortest form of a sum, read again, may be another sum that has a shorter one: where
// boundaries do not divide each other, equal functions may have several sums. So this goes on until
// nothing changes, which makes it idempotent.
IndexingMap Simplify(const IndexingMap& map) {
  if (map.IsUnknown() || map.IsKnownEmpty()) return map;
  constexpr int kMaxRounds = 6;
  IndexingMap current = SimplifyOnce(map);
  for (int round = 1; round < kMaxRounds && HasDivisions(current); ++round) {
    IndexingMap next = SimplifyOnce(current);
    if (next == current) break;
    current = std::move(next);
  }
  return current;
}

}  // namespace hlo_indexing::indexing_analysis
