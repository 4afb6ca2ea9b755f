// Residue classes: integers with a known remainder.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_CONGRUENCE_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_CONGRUENCE_H_

#include <cstdint>
#include <optional>

#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// The integers x with x mod modulus = residue; 0 <= residue < modulus. A modulus of 1 stands for
/// all integers.
struct Congruence {
  int64_t modulus = 1;
  int64_t residue = 0;

  friend bool operator==(const Congruence&, const Congruence&) = default;
};

/// Whether no integer is in both classes.
/// Example: x mod 4 = 1 and x mod 6 = 2 -> true
bool AreDisjoint(const Congruence& a, const Congruence& b);

/// The integers in both classes, which must not be disjoint, by the Chinese remainder theorem.
/// Nullopt if the modulus does not fit 64 bits.
/// Example: x mod 6 = 3 and x mod 7 = 5 -> x mod 42 = 33
std::optional<Congruence> Intersect(const Congruence& a, const Congruence& b);

/// The x with (factor * x + offset) mod modulus = residue, for a modulus above 0; nullopt if there
/// are none.
/// Example: (3 * x + 2) mod 4 = 0 -> x mod 4 = 2
std::optional<Congruence> SolveCongruence(int64_t factor, int64_t offset, int64_t modulus,
                                          int64_t residue);

/// The smallest interval with the same members of the class.
/// Example: [0, 100] and x mod 42 = 33 -> [33, 75]
Interval RoundInward(Interval interval, const Congruence& congruence);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_CONGRUENCE_H_
