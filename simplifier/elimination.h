// Elimination of variables: a domain as seen from the other variables.
#ifndef HLO_INDEXING_SIMPLIFIER_ELIMINATION_H_
#define HLO_INDEXING_SIMPLIFIER_ELIMINATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Maps whose domains have together exactly the points of the simplified map's, with any value for
/// `variable`; none of them mentions it. No result may mention it.
///
/// Whether there is a value is a question about its bounds: the constraints in which the variable
/// stands whole say that it is at least ceil(l / a) for some pairs (l, a), and at most floor(u / b)
/// for others. If a is 1 for all of them, or b, b * l <= a * u says that there is one (Fourier and
/// Motzkin); else the smallest upper or the largest lower bound must be a value, and each is tried.
/// A variable of which digits or quotients are mentioned is first a multiple and a remainder, for
/// each remainder. nullopt if that makes more than `max_pieces` maps, or the variable stands in a
/// product, in a runtime value's index, or has no bounds.
/// Example: d1 from  d0 - d1 * 3 in [0, 1], d0 in [0, 9], d1 in [0, 2]
///          -> d0 in [0, 7], d0 mod 3 in [0, 1]
std::optional<std::vector<QuasiAffineMap>> Eliminate(DigitContext& context,
                                                     const QuasiAffineMap& map, VariableId variable,
                                                     size_t max_pieces);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_ELIMINATION_H_
