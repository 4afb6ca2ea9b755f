#include "simplifier/domain/passes.h"

namespace hlo_indexing::simplifier {
namespace {

// The variable in its present box, or the one value of a function; nullopt if that is unchanged.
std::optional<Sum> PresentValue(Tightening& tightening, const Atom& atom) {
  const auto bounds = tightening.function_bounds.find(&atom);
  if (bounds != tightening.function_bounds.end()) {
    if (!bounds->second.IsPoint()) return std::nullopt;
    return Constant(bounds->second.lower + atom.lower);
  }
  if (atom.kind != AtomKind::kVariable) return std::nullopt;
  const Interval& box = tightening.map.boxes[atom.variable];
  if (box == atom.ValueRange()) return std::nullopt;
  return tightening.context.Variable(atom.variable, box);
}

// A bound on a function alone stays, although its value may be known: what the function is read at
// is all that changes.
Sum SubstituteArguments(DigitContext& context, Substitution& substitution, const Sum& bounded) {
  const Atom& function = *bounded.terms.front().atom;
  llvm::SmallVector<Sum, 4> arguments;
  bool changed = false;
  for (const Sum& argument : function.arguments) {
    arguments.push_back(substitution.Apply(argument));
    changed |= !(arguments.back() == argument);
  }
  if (!changed) return bounded;
  const Sum value = context.Function(function.variable, arguments, function.ValueRange());
  return Add(context, value, Constant(bounded.constant - function.lower));
}

}  // namespace

void SubstituteBounds(Tightening& tightening) {
  const auto present_value = [&](const Atom& atom) { return PresentValue(tightening, atom); };
  Substitution substitution(tightening.context, present_value);
  for (Constraint& constraint : tightening.map.constraints) {
    Sum& sum = constraint.expression;
    sum = IsOneFunction(sum.terms) ? SubstituteArguments(tightening.context, substitution, sum)
                                   : substitution.Apply(sum);
  }
  for (Sum& result : tightening.map.results) result = substitution.Apply(result);
}

}  // namespace hlo_indexing::simplifier
