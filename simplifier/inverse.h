// The inverse of a map: from values of the results to the variables.
#ifndef HLO_INDEXING_SIMPLIFIER_INVERSE_H_
#define HLO_INDEXING_SIMPLIFIER_INVERSE_H_

#include <cstddef>

#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// { (y, x) : x in the domain of a map f, f(x) = y } as a map from y. Its variable j, for j below
/// the number of results of f, is the value of result j; the others are *free*: they take all their
/// values, and give all the x of one y. Result i is the value of variable i of f.
struct InverseMap {
  QuasiAffineMap map;
  size_t num_free = 0;
};

/// The inverse relation, exactly: for every y, the points of the map's domain with this y have the
/// results that f maps to y. Each equation `sum of digits = y` is solved by the division that reads
/// the digits off y; if digits overlap, as in `d0 * 2 + d1` with d1 above 1, those of smallest
/// extent become free. A variable of `f` from number `num_wanted` on has no result, and only counts
/// if it is needed to say which y there are. The map is simplified.
/// Example: (d0, d1) -> (d0 * 4 + d1), d0 in [0, 9], d1 in [0, 3] gives (y) -> (y floordiv 4, y mod
/// 4)
InverseMap Invert(DigitContext& context, const QuasiAffineMap& f, size_t num_wanted);

/// Divisions, and products of variables, in the results of a map that is inverted for people: time
/// and memory grow with the square of their number.
inline constexpr size_t kMostInvertedDivisions = 256;
bool HasManyDivisions(const QuasiAffineMap& f);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_INVERSE_H_
