// Variables with a known residue as multiples and an offset: d0 mod 6 = 3 says d0 = 6 * w + 3.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_SCALING_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_SCALING_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "simplifier/domain/residue.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// A variable or function with a known residue, and the variable that stands for its quotient:
/// leaf = modulus * quotient + lowest.
struct ScaledLeaf {
  const Atom* leaf = nullptr;
  int64_t modulus = 1;
  /// The smallest value of the leaf in its residue class.
  int64_t lowest = 0;
  /// The variable as a sum; its values start at 0.
  Sum quotient;
};

/// The leaf of `residue`, scaled; `number` is that of the new variable. Nullopt if the leaf has no
/// smallest and largest value, or only one.
/// Example: d0 mod 6 = 3 with d0 in [0, 20], number 1 -> d0 = 6 * d1 + 3, d1 in [0, 2]
std::optional<ScaledLeaf> MakeScaledLeaf(DigitContext& context, const KnownResidue& residue,
                                         VariableId number);

/// Sums in terms of the quotients of some leaves, and back.
class Scaling {
 public:
  /// `leaves` must outlive the scaling.
  Scaling(DigitContext& context, llvm::ArrayRef<ScaledLeaf> leaves)
      : context_(context), leaves_(leaves) {}

  /// The sum with modulus * quotient + lowest for every leaf.
  /// Example: d0 floordiv 2 with d0 = 6 * d1 + 3 -> 3 * d1 + 1
  Sum Apply(const Sum& sum) const;
  /// The sum with (leaf - lowest) / modulus for every quotient; that division is exact.
  /// Example: 6 * d1 + 1 with d0 = 6 * d1 + 3 -> d0 - 2
  Sum Undo(const Sum& sum) const;

 private:
  const ScaledLeaf* FindByQuotient(const Atom& quotient) const;

  DigitContext& context_;
  llvm::ArrayRef<ScaledLeaf> leaves_;
};

/// Replaces every variable from number `first` on whose residue is known by a new one with the same
/// number: v mod m = r becomes v = m * v' + lowest. The set of results at a point of the other
/// variables stays the same. False if there is none. What constraints then say in vain is left to
/// Tighten.
bool ScaleByResidue(DigitContext& context, QuasiAffineMap& map, VariableId first);

/// The same for a simplified map, which is simplified afterwards.
/// Example: s0 in [0, 100], s0 mod 42 in [33, 33] -> s0 in [0, 1], 42 * s0 + 33 for the old s0
void RescaleByResidue(DigitContext& context, QuasiAffineMap& map, VariableId first);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_SCALING_H_
