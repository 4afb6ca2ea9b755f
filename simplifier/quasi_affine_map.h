// Several sums on a common domain: a box of variables and constraints.
#ifndef HLO_INDEXING_SIMPLIFIER_QUASI_AFFINE_MAP_H_
#define HLO_INDEXING_SIMPLIFIER_QUASI_AFFINE_MAP_H_

#include "llvm/ADT/SmallVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {

/// The function `variables -> results` on the points of the box that meet every constraint.
/// Function atoms (values known at run time only) may appear wherever variables may.
struct QuasiAffineMap {
  /// The bounds of variable i, for i in [0, boxes.size()).
  llvm::SmallVector<Interval, 6> boxes;
  llvm::SmallVector<Constraint, 2> constraints;
  llvm::SmallVector<Sum, 6> results;
  /// Whether the domain is known to have no point; then the other members mean nothing.
  bool empty = false;

  /// Writes `(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 9], d1 in [0, 3], d0 + d1 in [0, 10]`;
  /// the domain is `KNOWN EMPTY` if `empty`.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }

  /// Variable i in its box.
  Sum Variable(DigitContext& context, VariableId i) const { return context.Variable(i, boxes[i]); }
};

/// Brings the constraints into normal form (no constant, coprime coefficients, the first term
/// positive, bounds no wider than the expression's range), drops those that the box implies, turns
/// those on one variable into bounds, joins residues, propagates bounds through constraints and
/// shortens sums by equalities, until nothing changes (domain/passes.h). Sets `empty` if that shows
/// that no point is left. Never changes the set of points, nor the results there.
/// Example: d0 * 6 + s0 in [0, 13] with d0, s0 in [0, 9] -> d0 in [0, 2], d0 * 6 + s0 in [0, 13]
void Tighten(DigitContext& context, QuasiAffineMap& map);

/// Tighten, also by trying all points if constraints speak of few and by integer programming if
/// they speak of more; then divides the results again under what the constraints say, and looks for
/// shorter ones (domain/refine.h).
/// Example: d0 mod 4 in [3, 3] with d0 in [0, 6] -> d0 in [3, 3]
void Simplify(DigitContext& context, QuasiAffineMap& map);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_QUASI_AFFINE_MAP_H_
