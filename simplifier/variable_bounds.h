// What a domain says of one variable, for those who take variables away: its bounds, once it stands
// in no division. Private to the folder.
#ifndef HLO_INDEXING_SIMPLIFIER_VARIABLE_BOUNDS_H_
#define HLO_INDEXING_SIMPLIFIER_VARIABLE_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Whether an atom stands for the variable. Those of the same number stand in several atoms, one
/// for each box that it has had.
inline bool IsVariable(const Atom& atom, VariableId variable) {
  return atom.kind == AtomKind::kVariable && atom.variable == variable;
}

/// Whether the sum depends on the variable.
bool Mentions(const Sum& sum, VariableId variable);

/// The multiples of this number that the variable consists of pass all divisions of the map that
/// mention it: 1 if none does. nullopt if there is no such number, or it is above `max_period`.
/// Example: d0 in  d0 mod 4 + d1 floordiv 8 -> 4;  d0 in (d0 * 2 + d1) floordiv 8 -> 4
std::optional<int64_t> PeriodOf(const QuasiAffineMap& map, VariableId variable, int64_t max_period);

/// The map for each remainder of the variable by `period`, where it now counts the multiples; each
/// simplified, without those that are empty. nullopt if the variable has no lower bound.
/// Example: d0 in [0, 8] by 4 -> d0 * 4 with d0 in [0, 2], d0 * 4 + 1, ..., d0 * 4 + 3 with d0 in
/// [0, 1]
std::optional<std::vector<QuasiAffineMap>> SplitByRemainder(DigitContext& context,
                                                            const QuasiAffineMap& map,
                                                            VariableId variable, int64_t period);

/// A bound on the variable: `factor * variable >= sum`, or `<=`, with a factor above 0.
struct Bound {
  int64_t factor = 1;
  Sum sum;

  friend bool operator==(const Bound&, const Bound&) = default;
};

/// All bounds on a variable that stands in no division.
struct VariableBounds {
  std::vector<Bound> lower;
  std::vector<Bound> upper;
};

/// The bounds that the box and the constraints set, which go from the map. nullopt if the variable
/// stands in a constraint otherwise than whole.
/// Example: d0 from  d0 in [0, 9], d0 * 2 + d1 in [3, 8] -> 0, (3 - d1) / 2 <= d0 <= 9, (8 - d1) /
/// 2
std::optional<VariableBounds> TakeBounds(DigitContext& context, QuasiAffineMap& map,
                                         VariableId variable);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_VARIABLE_BOUNDS_H_
