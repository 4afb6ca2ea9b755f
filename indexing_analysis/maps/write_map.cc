#include "indexing_analysis/maps/write_map.h"

#include <string>
#include <utility>

#include "indexing_analysis/maps/expression_limits.h"
#include "indexing_analysis/maps/reduced_remainders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/affine_bridge.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::AffineWriter;
using simplifier::Atom;
using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::Quotients;
using simplifier::Sum;

namespace {

// The sums in shortest form. nullopt if one overflows or is too long.
std::optional<llvm::SmallVector<mlir::AffineExpr>> WriteResults(llvm::ArrayRef<Sum> results,
                                                                AffineWriter& writer) {
  llvm::SmallVector<mlir::AffineExpr> written;
  for (const Sum& result : results) {
    const std::optional<mlir::AffineExpr> expression = writer.Write(result, kMaxWrittenOperations);
    if (!expression || !IsWithinLimits(*expression)) return std::nullopt;
    written.push_back(*expression);
  }
  return written;
}

// Adds the divisions and remainders of the expression to `divisions`.
void CollectDivisions(mlir::AffineExpr expression,
                      llvm::SmallDenseSet<mlir::AffineExpr, 16>& divisions) {
  expression.walk([&](mlir::AffineExpr part) {
    const mlir::AffineExprKind kind = part.getKind();
    if (kind == mlir::AffineExprKind::FloorDiv || kind == mlir::AffineExprKind::CeilDiv ||
        kind == mlir::AffineExprKind::Mod) {
      divisions.insert(part);
    }
  });
}

size_t NumDivisions(llvm::ArrayRef<mlir::AffineExpr> expressions) {
  llvm::SmallDenseSet<mlir::AffineExpr, 16> divisions;
  for (const mlir::AffineExpr expression : expressions) CollectDivisions(expression, divisions);
  return divisions.size();
}

// The constraints in shortest form: a constant belongs to the bounds, unless that overflows.
std::optional<llvm::SmallVector<MapConstraint, 2>> WriteConstraints(
    llvm::ArrayRef<Constraint> constraints, AffineWriter& writer) {
  llvm::SmallVector<MapConstraint, 2> written;
  for (const Constraint& constraint : constraints) {
    auto parts = writer.WriteParts(constraint.expression, kMaxWrittenOperations);
    if (!parts) return std::nullopt;
    Interval bounds = constraint.bounds;
    if (const auto shifted = SubtractExactly(bounds, parts->constant)) {
      bounds = *shifted;
      parts->constant = 0;
    }
    const std::optional<mlir::AffineExpr> expression = writer.Join(*parts);
    if (!expression || !IsWithinLimits(*expression)) return std::nullopt;
    written.push_back({*expression, bounds});
  }
  return written;
}

// Brings the constraints into the order of their texts. Only a map knows the names in these.
void SortConstraints(const IndexingMap& map, llvm::MutableArrayRef<MapConstraint> constraints) {
  llvm::SmallVector<std::pair<std::string, MapConstraint>, 4> by_text;
  for (const MapConstraint& constraint : constraints) {
    by_text.emplace_back(map.ToString(constraint.expression), constraint);
  }
  llvm::sort(by_text, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < constraints.size(); ++i) constraints[i] = by_text[i].second;
}

}  // namespace

std::optional<IndexingMap> WriteMap(DigitContext& context, llvm::ArrayRef<Sum> results,
                                    llvm::ArrayRef<Constraint> constraints, MapVariables variables,
                                    VariableNumber number, mlir::MLIRContext* mlir_context,
                                    AdjustExpressions adjust) {
  const size_t num_dimensions = variables.dimensions.size();
  const auto leaf = [&](const Atom& atom) {
    const size_t i = number(atom);
    return i < num_dimensions
               ? mlir::getAffineDimExpr(static_cast<unsigned>(i), mlir_context)
               : mlir::getAffineSymbolExpr(static_cast<unsigned>(i - num_dimensions), mlir_context);
  };
  AffineWriter writer(context, mlir_context, leaf);
  auto expressions = WriteResults(results, writer);
  if (expressions && writer.CouldBeShorter()) {
    AffineWriter shorter(context, mlir_context, leaf, Quotients::kShortest);
    auto shortest = WriteResults(results, shorter);
    if (shortest && NumDivisions(*shortest) < NumDivisions(*expressions)) expressions = shortest;
  }
  auto written = WriteConstraints(constraints, writer);
  if (!expressions || !written) return std::nullopt;
  if (writer.HasReducibleRemainders()) ReduceRemainders(*expressions, *written);
  if (adjust) adjust(*expressions, *written);
  const auto num_symbols =
      static_cast<unsigned>(variables.ranges.size() + variables.runtime.size());
  const mlir::AffineMap affine_map = mlir::AffineMap::get(static_cast<unsigned>(num_dimensions),
                                                          num_symbols, *expressions, mlir_context);
  if (written->size() > 1) {
    SortConstraints(
        IndexingMap(affine_map, variables.dimensions, variables.ranges, variables.runtime, {}),
        *written);
  }
  return IndexingMap(affine_map, std::move(variables.dimensions), std::move(variables.ranges),
                     std::move(variables.runtime), *written);
}

}  // namespace hlo_indexing::indexing_analysis
