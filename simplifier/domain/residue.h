// Constraints that give the remainder of a variable.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_RESIDUE_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_RESIDUE_H_

#include <optional>

#include "simplifier/digit_context.h"
#include "simplifier/domain/congruence.h"

namespace hlo_indexing::simplifier {

/// A variable or function whose value lies in a residue class.
struct KnownResidue {
  const Atom* leaf = nullptr;
  /// Of the value, `lower` of the atom included. An empty class has modulus 0.
  Congruence values;
};

/// What a constraint `(factor * leaf + offset) mod m in [r, r]` says; nullopt for others.
/// Example: (3 * d0 + 2) mod 4 in [0, 0] -> d0 mod 4 = 2
std::optional<KnownResidue> ResidueOf(const Constraint& constraint);

/// The plainest constraint that says that: `leaf mod modulus in [r, r]`.
Constraint ResidueConstraint(DigitContext& context, const KnownResidue& residue);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_RESIDUE_H_
