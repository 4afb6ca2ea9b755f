#include "indexing_analysis/maps/read_map.h"

#include "simplifier/affine_bridge.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::VariableId;

QuasiAffineMap ReadMap(DigitContext& context, const IndexingMap& map,
                       RuntimeVariablesAs runtime_variables) {
  QuasiAffineMap read;
  read.empty = map.IsKnownEmpty();
  llvm::SmallVector<Sum, 8> variables;
  const auto add = [&](Interval bounds) {
    read.boxes.push_back(bounds);
    read.empty |= bounds.IsEmpty();
    if (read.empty) return;
    variables.push_back(read.Variable(context, static_cast<VariableId>(variables.size())));
  };
  for (const Variable& dimension : map.dimensions()) add(dimension.bounds);
  for (const Variable& range : map.ranges()) add(range.bounds);
  for (const RuntimeVariable& runtime : map.runtime()) {
    if (runtime_variables == RuntimeVariablesAs::kVariables) {
      add(runtime.bounds);
      continue;
    }
    read.empty |= runtime.bounds.IsEmpty();
    if (read.empty) continue;
    const auto number = static_cast<VariableId>(variables.size());
    variables.push_back(context.Function(number, {}, runtime.bounds));
  }
  if (read.empty) return read;
  const llvm::ArrayRef<Sum> all = variables;
  simplifier::AffineReader reader(context, all.take_front(map.num_dimensions()),
                                  all.drop_front(map.num_dimensions()));
  for (const mlir::AffineExpr result : map.affine_map().getResults()) {
    read.results.push_back(reader.Read(result));
  }
  for (const MapConstraint& constraint : map.constraints()) {
    read.constraints.push_back({reader.Read(constraint.expression), constraint.bounds});
  }
  return read;
}

}  // namespace hlo_indexing::indexing_analysis
