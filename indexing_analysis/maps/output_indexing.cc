#include "indexing_analysis/maps/output_indexing.h"

#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::indexing_analysis {

llvm::StringRef MapDirectionName(MapDirection direction) {
  return direction == MapDirection::kOutputToInput ? "output_to_input" : "input_to_output";
}

llvm::StringRef ExactnessName(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kSuperset:
      return "superset";
    case Exactness::kUnknown:
      break;
  }
  return "unknown";
}

OperandMap OperandMap::WithDeviceApart(const IndexingMap& map) {
  const mlir::AffineMap all = map.affine_map();
  const auto with_results = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return map.WithResults(
        mlir::AffineMap::get(all.getNumDims(), all.getNumSymbols(), results, map.context()));
  };
  return {with_results(all.getResults().drop_back()), with_results(all.getResults().take_back())};
}

void OperandMap::Print(llvm::raw_ostream& out) const {
  map.Print(out);
  if (!replica_map) return;
  out << " on replica ";
  replica_map->Print(out);
}

void OperandIndexing::Print(llvm::raw_ostream& out) const {
  array_.Print(out);
  out << ":";
  if (exactness_ != Exactness::kExact) out << ' ' << ExactnessName(exactness_) << ": " << *reason_;
  const bool on_one_line = exactness_ == Exactness::kExact && maps_.size() == 1;
  for (const OperandMap& map : maps_) {
    out << (on_one_line ? " " : "\n  ");
    map.Print(out);
  }
}

void OutputIndexing::Print(llvm::raw_ostream& out) const {
  if (IsUnknown()) {
    out << "all operands: unknown: " << unknown_reason();
  } else if (operands().empty()) {
    out << "reads nothing";
  } else {
    llvm::interleave(
        operands(), [&](const OperandIndexing& operand) { operand.Print(out); },
        [&] { out << '\n'; });
  }
}

}  // namespace hlo_indexing::indexing_analysis
