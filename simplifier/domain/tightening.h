// What the passes on a domain (passes.h) share.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_TIGHTENING_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_TIGHTENING_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// A map whose domain is being tightened, and what is known of the domain beyond the map's own
/// boxes and constraints.
///
/// Example: with f0() in [0, 9] and the constraint f0() in [2, 3], a function keeps its range, as
/// that says how its value is clamped; `function_bounds` has f0() -> [2, 3], and RangeOf
/// (d0 + f0()) for d0 in [0, 4] is [2, 7].
struct Tightening {
  Tightening(DigitContext& digits, QuasiAffineMap& tightened) : context(digits), map(tightened) {}

  DigitContext& context;
  QuasiAffineMap& map;

  /// Whether boxes may become narrower, and constraints on one variable become its box. If not,
  /// constraints are only brought into normal form and shortened.
  bool may_narrow = true;
  /// Whether the box of a variable or the bounds of a quotient variable have become narrower in
  /// this round.
  bool bounds_changed = false;

  /// The bounds that constraints on a function atom alone give it, without its `lower`.
  llvm::SmallDenseMap<const Atom*, Interval, 4> function_bounds;
  /// The bounds of quotient variables that follow from the constraints. They are no constraints of
  /// their own, and narrow others.
  llvm::MapVector<const Atom*, Interval> quotient_bounds;

  /// Intersects the box of a variable with `bounds`; sets `map.empty` if nothing is left.
  void NarrowBox(VariableId variable, Interval bounds);
  /// The same for the known bounds of a quotient variable.
  void NarrowQuotient(const Atom& quotient, Interval bounds);

  /// The values of a sum of terms: NaturalRange by `function_bounds` too; without these for a bound
  /// on a function alone, which would follow from itself.
  Interval RangeOf(llvm::ArrayRef<Term> terms) const;
  /// RangeOf by `quotient_bounds` too. Not to drop a constraint by, as these may come from it.
  Interval KnownRangeOf(llvm::ArrayRef<Term> terms) const;
};

/// Whether the terms are one function atom, whole and once: a constraint on them bounds a function
/// alone.
bool IsOneFunction(llvm::ArrayRef<Term> terms);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_TIGHTENING_H_
