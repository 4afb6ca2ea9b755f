#include "indexing_analysis/write_map.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::AffineWriter;
using simplifier::Constraint;
using simplifier::LinearForm;
using simplifier::Sum;

namespace {

// Divisions and remainders in a reported expression, written out as text. Beyond that nobody reads
// it.
constexpr int kMaxOperations = 2000;

}  // namespace

std::optional<llvm::SmallVector<mlir::AffineExpr>> WriteResults(llvm::ArrayRef<Sum> results,
                                                                AffineWriter& writer) {
  llvm::SmallVector<mlir::AffineExpr> written;
  for (const Sum& result : results) {
    const std::optional<mlir::AffineExpr> expression = writer.Write(result, kMaxOperations);
    if (!expression) return std::nullopt;
    written.push_back(*expression);
  }
  return written;
}

std::optional<llvm::SmallVector<MapConstraint, 2>> WriteConstraints(
    llvm::ArrayRef<Constraint> constraints, AffineWriter& writer) {
  llvm::SmallVector<MapConstraint, 2> written;
  for (const Constraint& constraint : constraints) {
    LinearForm form = writer.ShortestFormOf(constraint.expression);
    if (form.operations > kMaxOperations) return std::nullopt;
    Interval bounds = constraint.bounds;
    if (const auto shifted = SubtractExactly(bounds, form.constant)) {
      bounds = *shifted;
      form.constant = 0;
    }
    const std::optional<mlir::AffineExpr> expression = writer.Write(form);
    if (!expression) return std::nullopt;
    written.push_back({*expression, bounds});
  }
  return written;
}

void SortConstraints(const IndexingMap& map, llvm::MutableArrayRef<MapConstraint> constraints) {
  if (constraints.size() < 2) return;
  llvm::sort(constraints, [&](const MapConstraint& a, const MapConstraint& b) {
    return map.ToString(a.expression) < map.ToString(b.expression);
  });
}

}  // namespace hlo_indexing::indexing_analysis
