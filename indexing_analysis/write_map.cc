#include "indexing_analysis/write_map.h"

#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::AffineWriter;
using simplifier::Constraint;
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
    auto parts = writer.WriteParts(constraint.expression, kMaxOperations);
    if (!parts) return std::nullopt;
    Interval bounds = constraint.bounds;
    if (const auto shifted = SubtractExactly(bounds, parts->constant)) {
      bounds = *shifted;
      parts->constant = 0;
    }
    const std::optional<mlir::AffineExpr> expression = writer.Join(*parts);
    if (!expression) return std::nullopt;
    written.push_back({*expression, bounds});
  }
  return written;
}

void SortConstraints(const IndexingMap& map, llvm::MutableArrayRef<MapConstraint> constraints) {
  if (constraints.size() < 2) return;
  llvm::SmallVector<std::pair<std::string, MapConstraint>, 4> by_text;
  for (const MapConstraint& constraint : constraints) {
    by_text.emplace_back(map.ToString(constraint.expression), constraint);
  }
  llvm::sort(by_text, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < constraints.size(); ++i) constraints[i] = by_text[i].second;
}

}  // namespace hlo_indexing::indexing_analysis
