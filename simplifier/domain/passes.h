// The passes that tighten a domain, one function each, in the order in which quasi_affine_map.cc
// runs them to a fixed point.
//
// A pass takes a map that is not known to be empty (unless it says otherwise) and keeps its set of
// points, and the results at each of them. It sets `map.empty` if it finds that there is no point;
// then the other members mean nothing. A box that becomes narrower sets `bounds_changed`. The
// atoms of sums speak of the boxes that variables had before the round: that they may have more
// values than the variable has now costs precision and no correctness, and SubstituteBounds ends
// it.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_PASSES_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_PASSES_H_

#include "simplifier/domain/tightening.h"

namespace hlo_indexing::simplifier {

/// Brings every constraint into normal form: no constant, coprime coefficients, the first term
/// positive (unless an end of the bounds would be lost), bounds no wider than the range of the
/// expression. Drops what always holds, and makes one constraint of two on equal expressions. If
/// the map `may_narrow`, a bound on the top digit of a variable becomes a bound on its box, and one
/// on the top digit of a quotient variable one on its sum. Terms that are too small to decide
/// whether the others are in bounds go, and so do constraints that follow from one other, whose sum
/// is a part of theirs or has theirs as a part.
/// Afterwards every constraint is in normal form, and there are no two with equal expressions.
/// Example: d0 * 2 + 6 in [6, 13], d0 in [0, 9] -> no constraint, d0 in [0, 3]
/// Example: d0 * 4 + d1 in [0, 39], d0 in [0, 20], d1 in [0, 3] -> d0 in [0, 9]
void NormalizeConstraints(Tightening& tightening);

/// Joins what constraints say of the remainders of each variable and function into one constraint
/// `leaf mod m in [r, r]`, by the Chinese remainder theorem, and, if the map `may_narrow`, rounds
/// boxes inward to values of that residue class. Constraints must be in normal form; those on
/// remainders come last afterwards, and need not be in normal form. They stay as they are if the
/// common modulus does not fit 64 bits.
/// Returns whether a constraint has changed and the map `may_narrow`: then the constraints are to
/// be normalized before bounds are propagated.
/// Example: d0 mod 6 in [3, 3], d0 mod 7 in [5, 5], d0 in [0, 100]
///          -> d0 mod 42 in [33, 33], d0 in [33, 75]
bool JoinResidues(Tightening& tightening);

/// Narrows the box of every variable, and the known bounds of every quotient variable, that is
/// alone in a term of a constraint by the constraint's bounds and the range of its other terms, and
/// every variable that has a digit there; the sum of a quotient variable has the bounds of that.
/// Each constraint is used once, with the boxes of the beginning of the round. Constraints must be
/// in normal form and do not change.
/// Example: d0 * 6 + d1 in [0, 13], d0, d1 in [0, 9] -> d0 in [0, 2]
/// Example: d0 mod 32 in [0, 9], d0 in [0, 255] -> d0 in [0, 233]
void PropagateBounds(Tightening& tightening);

/// Tries all points of the constraints that share variables or functions, if they are few
/// (small_domain.h): boxes become the smallest that hold the domain, and constraints that others
/// imply are dropped.
/// Constraints must be in normal form, and stay so.
/// Example: (d0 * 3 + 2) mod 4 in [0, 0], d0 in [0, 5] -> no constraint, d0 in [2, 2]
void EnumerateSmallComponents(Tightening& tightening);

/// Collects the constraints on a function alone in `function_bounds`. They stay, as the range of a
/// function is what its value is clamped to. Returns whether there is a new one, or other bounds.
/// Example: f0() in [2, 3] -> function_bounds has f0() -> [2, 3]
bool CollectFunctionBounds(Tightening& tightening);

/// Adds a multiple of each equality to every other constraint, and every result, that has fewer
/// terms then. A constraint that is shortened may be left with a constant. Returns whether a
/// constraint has changed.
/// Example: d0 + d1 in [5, 5], result d0 + d1 + d2 -> result d2 + 5
bool UseEqualities(Tightening& tightening);

/// Makes every sum speak of the variables in their present boxes, and replaces a function that has
/// one value on the domain by that value, but for the constraint that says so. Sums that depend on
/// these are computed anew.
/// Example: d0 narrowed from [0, 9] to [0, 3], result d0 floordiv 4 -> result 0
void SubstituteBounds(Tightening& tightening);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_PASSES_H_
