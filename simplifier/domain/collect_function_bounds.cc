#include "simplifier/domain/passes.h"
#include "simplifier/domain/preimage.h"

namespace hlo_indexing::simplifier {

bool CollectFunctionBounds(Tightening& tightening) {
  bool changed = false;
  for (const Constraint& constraint : tightening.map.constraints) {
    if (!IsOneFunction(constraint.expression.terms)) continue;
    const Atom* atom = constraint.expression.terms.front().atom;
    // What joining residues has left need not be in normal form.
    const Interval bounds = PreimageOfAdd(constraint.bounds, constraint.expression.constant);
    const auto [known, is_new] = tightening.function_bounds.try_emplace(atom, bounds);
    changed |= is_new || known->second != bounds;
    known->second = bounds;
  }
  return changed;
}

}  // namespace hlo_indexing::simplifier
