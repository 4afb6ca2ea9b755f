// The passes of domain/passes.h, run to a fixed point, and with them the simplification of a map.
#include "simplifier/quasi_affine_map.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/domain/feasibility.h"
#include "simplifier/domain/passes.h"
#include "simplifier/domain/refine.h"

namespace hlo_indexing::simplifier {
namespace {

enum class Effort : uint8_t { kIntervals, kAllPoints };

// Rounds of constraints that have one term together; these are divided among all terms, as a round
// takes longer with more of them.
constexpr int kMaxRounds = 4096;
constexpr int kFewRounds = 64;

int RoundsFor(const QuasiAffineMap& map) {
  size_t terms = 1;
  for (const Constraint& constraint : map.constraints) terms += constraint.expression.terms.size();
  return std::max(kFewRounds, kMaxRounds / static_cast<int>(std::min<size_t>(terms, kMaxRounds)));
}

// Runs every pass once. Whether none has changed anything, or the map has turned out empty.
bool RunPasses(Tightening& tightening, Effort effort) {
  const QuasiAffineMap& map = tightening.map;
  tightening.bounds_changed = false;
  NormalizeConstraints(tightening);
  if (map.empty) return true;
  const bool residues_changed = JoinResidues(tightening);
  if (map.empty) return true;
  if (tightening.may_narrow && !residues_changed) {
    PropagateBounds(tightening);
    // The expensive one, when the others are done.
    const bool enumerates = effort == Effort::kAllPoints && !tightening.bounds_changed;
    if (enumerates && !map.empty) EnumerateSmallComponents(tightening);
    if (map.empty) return true;
  }
  const bool functions_changed = CollectFunctionBounds(tightening);
  const bool sums_changed = UseEqualities(tightening);
  if (!tightening.bounds_changed && !residues_changed && !functions_changed && !sums_changed) {
    return true;
  }
  SubstituteBounds(tightening);
  return false;
}

bool ReachesFixedPoint(Tightening& tightening, Effort effort, int max_rounds) {
  for (int round = 0; round < max_rounds; ++round) {
    if (RunPasses(tightening, effort)) return true;
  }
  return false;
}

// Why this ends: the number of rounds is limited. Every round but the last narrows bounds, which
// are integers, joins residues or leaves fewer terms. Nearly all maps are at a fixed point after a
// few rounds, but it may be far away (x < y and y < x take one value a round off each other's
// boxes), and it is not proven that no pass lengthens again what another one has shortened.
//
// If the rounds do not suffice, the work starts again without narrowing: a domain left narrowed
// half way would be narrowed on when the result is simplified again, and a simplified map is to be
// its own simplified map. Without narrowing a round only shortens sums, joins residues and collects
// bounds of functions.
void RunToFixedPoint(DigitContext& context, QuasiAffineMap& map, Effort effort) {
  for (const Interval& box : map.boxes) map.empty |= box.IsEmpty();
  if (map.empty || map.constraints.empty()) return;
  const QuasiAffineMap given = map;
  Tightening narrowing(context, map);
  if (ReachesFixedPoint(narrowing, effort, RoundsFor(map))) return;
  map = given;
  Tightening tightening(context, map);
  tightening.may_narrow = false;
  ReachesFixedPoint(tightening, effort, kFewRounds);
  // The last round may have left constants in constraints, which facts must not have.
  if (!map.empty) NormalizeConstraints(tightening);
}

// The functions of arguments that the constraints speak of.
llvm::SmallVector<const Atom*, 2> FunctionsInConstraints(const QuasiAffineMap& map) {
  llvm::SmallVector<const Atom*, 2> functions;
  llvm::SmallPtrSet<const Atom*, 16> seen;
  for (const Constraint& constraint : map.constraints) {
    ForEachAtom(constraint.expression, seen, [&](const Atom& atom) {
      if (atom.IsFunction() && !atom.arguments.empty()) functions.push_back(&atom);
    });
  }
  return functions;
}

// Whether two functions are one where the facts hold.
bool AreOneFunction(Substitution& divide_again, const Atom& a, const Atom& b) {
  return a.variable == b.variable && a.ValueRange() == b.ValueRange() &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [&](const Sum& x, const Sum& y) {
                      return x == y || divide_again.Apply(x) == divide_again.Apply(y);
                    });
}

// Divides again under what the constraints say. Whether a result has changed. A function that the
// constraints speak of stays as it is there: with other arguments it would be another value.
bool DivideByFacts(DigitContext& context, QuasiAffineMap& map) {
  if (map.constraints.empty()) return false;
  const FactScope facts(context, map.constraints);
  const llvm::SmallVector<const Atom*, 2> functions = FunctionsInConstraints(map);
  const auto no_replacement = [](const Atom&) -> std::optional<Sum> { return std::nullopt; };
  Substitution divide_again(context, no_replacement, UnchangedQuotients::kDivideAgain);
  const auto keep_functions = [&](const Atom& atom) -> std::optional<Sum> {
    if (!atom.IsFunction()) return std::nullopt;
    const auto* const same = llvm::find_if(functions, [&](const Atom* function) {
      return function == &atom || AreOneFunction(divide_again, *function, atom);
    });
    if (same == functions.end()) return std::nullopt;
    return WholeAtom(context, **same);
  };
  Substitution substitution(context, keep_functions, UnchangedQuotients::kDivideAgain);
  bool changed = false;
  for (Sum& result : map.results) {
    const Sum before = result;
    result = substitution.Apply(before);
    changed |= !(result == before);
  }
  return changed;
}

}  // namespace

void Tighten(DigitContext& context, QuasiAffineMap& map) {
  RunToFixedPoint(context, map, Effort::kIntervals);
}

void Simplify(DigitContext& context, QuasiAffineMap& map) {
  // Each round but the last has shortened something.
  constexpr int kMaxRefinements = 4;
  for (int round = 0; round < kMaxRefinements; ++round) {
    RunToFixedPoint(context, map, Effort::kAllPoints);
    map.empty = map.empty || HasNoPoint(map);
    if (map.empty) return;
    const bool divided = DivideByFacts(context, map);
    const bool refined = Refine(context, map);
    if (!divided && !refined) return;
  }
  Tighten(context, map);
}

}  // namespace hlo_indexing::simplifier
