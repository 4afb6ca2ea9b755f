// Shorter sums by what is known of a domain, beyond the ranges that divisions look at.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_REFINE_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_REFINE_H_

#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Rewrites the results and constraints of a tightened map by what its domain says of their values:
///   - if a constraint gives the remainder of a variable, as `d0 mod 6 in [3, 3]` does, the
///     variable is 6 * w + 3 with w in a box, and sums are simplified as sums of w;
///   - a digit that is the lowest part of one that a constraint keeps within it is that one, as `d0
///     mod 8` is `d0 mod 16` where that is in [0, 7];
///   - a digit that is a part of one that a constraint bounds is a number if it can be one only, as
///     `(d0 floordiv 8) mod 4` is 0 where `d0 mod 32` is in [0, 7];
///   - a sum or a digit that has, at all points of a small domain, the values of an affine function
///     becomes that function; a result that has those of a quotient of a variable becomes that.
/// The first and the last are taken if they have fewer divisions. A constraint is rewritten by the
/// box, and by the remainders that other constraints give. Returns whether something has changed,
/// so that the map may be tightened further. Example: (d0 * 6 mod 8 mod 3) floordiv 2 on d0 in [0,
/// 2] -> 0
bool Refine(DigitContext& context, QuasiAffineMap& map);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_REFINE_H_
