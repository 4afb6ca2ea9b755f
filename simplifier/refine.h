// Shorter sums by what is known of a domain, beyond the ranges that divisions look at.
#ifndef HLO_INDEXING_SIMPLIFIER_REFINE_H_
#define HLO_INDEXING_SIMPLIFIER_REFINE_H_

#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Rewrites the results and constraints of a tightened map by what its domain says of their values:
///   - where a constraint gives the remainder of a variable, as `d0 mod 6 in [3, 3]` does, the
///     variable is 6 * w + 3 with w in a box, and sums are simplified as sums of w;
///   - a sum or a digit that has, at all points of a small domain, the values of an affine function
///     becomes that function.
/// Each is taken where it has fewer divisions. A constraint is rewritten by the box, and by the
/// remainders that other constraints give.
/// Returns whether something has changed, so that the map may be tightened further.
/// *(d0 * 6 mod 8 mod 3) floordiv 2 on d0 in [0, 2] -> 0*
bool Refine(DigitContext& context, QuasiAffineMap& map);

/// Replaces every variable from number `first` on whose remainder is known by a new one with the
/// same number: v mod m = r becomes v = m * v' + lower. The set of results at a point of the other
/// variables stays the same. The map must be simplified.
/// *s0 in [0, 100], s0 mod 42 in [33, 33] -> s0 in [0, 1], 42 * s0 + 33 in its place*
void RescalePinned(DigitContext& context, QuasiAffineMap& map, VariableId first);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_REFINE_H_
