// Constraints that give the remainder of a variable.
#ifndef HLO_INDEXING_SIMPLIFIER_PINNED_H_
#define HLO_INDEXING_SIMPLIFIER_PINNED_H_

#include <optional>

#include "simplifier/congruence.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {

/// A variable or function whose value lies in a residue class.
struct Pinned {
  const Atom* leaf = nullptr;
  /// Of the value, `lower` of the atom included. An empty class has modulus 0.
  Congruence values;
};

/// What a constraint `(factor * leaf + offset) mod m in [r, r]` says; nothing for others.
/// *(3 * d0 + 2) mod 4 in [0, 0] -> d0 mod 4 = 2*
std::optional<Pinned> PinnedBy(const Constraint& constraint);

/// The plainest form of what `pinned` says: `leaf mod modulus in [r, r]`.
Constraint PlainConstraint(DigitContext& context, const Pinned& pinned);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_PINNED_H_
