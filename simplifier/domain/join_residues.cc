#include "llvm/ADT/MapVector.h"
#include "simplifier/domain/passes.h"
#include "simplifier/domain/residue.h"

namespace hlo_indexing::simplifier {
namespace {

using ConstraintResidues = llvm::SmallVector<std::optional<KnownResidue>, 4>;
using ResidueOfLeaf = llvm::MapVector<const Atom*, KnownResidue>;

// The constraints without a residue as they are, then one for each leaf with one.
void ReplaceConstraints(DigitContext& context, const ConstraintResidues& residues,
                        const ResidueOfLeaf& joined, QuasiAffineMap& map) {
  llvm::SmallVector<Constraint, 2> constraints;
  for (size_t i = 0; i < residues.size(); ++i) {
    if (!residues[i]) constraints.push_back(map.constraints[i]);
  }
  for (const auto& [leaf, residue] : joined) {
    if (residue.values.modulus > 1) constraints.push_back(ResidueConstraint(context, residue));
  }
  map.constraints = std::move(constraints);
}

}  // namespace

bool JoinResidues(Tightening& tightening) {
  QuasiAffineMap& map = tightening.map;
  ConstraintResidues residues;
  for (const Constraint& constraint : map.constraints) residues.push_back(ResidueOf(constraint));
  if (llvm::none_of(residues, [](const auto& residue) { return residue.has_value(); })) {
    return false;
  }
  ResidueOfLeaf joined;
  bool changed = false;
  for (size_t i = 0; i < residues.size(); ++i) {
    if (!residues[i]) continue;
    const KnownResidue& residue = *residues[i];
    const auto [known, is_new] = joined.insert({residue.leaf, residue});
    map.empty |= residue.values.modulus == 0;
    map.empty |= !is_new && AreDisjoint(known->second.values, residue.values);
    if (map.empty) return false;
    changed |= !is_new || residue.values.modulus == 1 ||
               !(map.constraints[i] == ResidueConstraint(tightening.context, residue));
    if (is_new) continue;
    const std::optional<Congruence> both = Intersect(known->second.values, residue.values);
    // The variable has fewer values than the modulus then: both constraints stay.
    if (!both) return false;
    known->second.values = *both;
  }
  for (const auto& [leaf, residue] : joined) {
    if (leaf->kind != AtomKind::kVariable || !tightening.may_narrow) continue;
    tightening.NarrowBox(leaf->variable, RoundInward(map.boxes[leaf->variable], residue.values));
  }
  if (!changed || map.empty) return false;
  ReplaceConstraints(tightening.context, residues, joined, map);
  return tightening.may_narrow;
}

}  // namespace hlo_indexing::simplifier
