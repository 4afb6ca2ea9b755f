#include "indexing_analysis/maps/evaluator.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;

llvm::SmallVector<const Atom*, 8> FindLeaves(DigitContext& context, const QuasiAffineMap& map,
                                             llvm::SmallVectorImpl<size_t>& variables) {
  llvm::SmallVector<const Atom*, 8> leaves;
  for (simplifier::VariableId i = 0; !map.empty && i < map.boxes.size(); ++i) {
    const Sum variable = map.Variable(context, i);
    // A variable with one value has no atom.
    if (variable.IsConstant()) continue;
    leaves.push_back(variable.terms.front().atom);
    variables.push_back(i);
  }
  return leaves;
}

llvm::SmallVector<Sum, 8> FindSums(const QuasiAffineMap& map) {
  llvm::SmallVector<Sum, 8> sums;
  if (map.empty) return sums;
  for (const Constraint& constraint : map.constraints) sums.push_back(constraint.expression);
  sums.append(map.results.begin(), map.results.end());
  return sums;
}

}  // namespace

MapEvaluator::MapEvaluator(DigitContext& context, const QuasiAffineMap& map)
    : map_(map),
      leaves_(FindLeaves(context, map, variables_)),
      evaluator_(leaves_, FindSums(map)),
      values_(map.constraints.size() + map.results.size()) {}

std::optional<bool> MapEvaluator::Contains(llvm::ArrayRef<int64_t> values_of_leaves) {
  if (map_.empty) return false;
  if (!evaluator_.Evaluate(values_of_leaves, values_)) return std::nullopt;
  for (size_t k = 0; k < map_.constraints.size(); ++k) {
    if (!map_.constraints[k].bounds.Contains(values_[k])) return false;
  }
  return true;
}

}  // namespace hlo_indexing::indexing_analysis
