// Constraints on few values, decided by trying all of them, or by intervals if these are exact.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_SMALL_DOMAIN_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_SMALL_DOMAIN_H_

#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"
#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// What all points together say.
struct SmallDomain {
  /// Whether no point meets all constraints; then the other members mean nothing.
  bool empty = false;
  /// Variables and the smallest bounds that hold all their values on the domain, if these are
  /// tighter than the variable's own.
  llvm::SmallVector<std::pair<const Atom*, Interval>, 4> narrowed;
  /// Constraints that describe, together with the narrowed bounds, the same points as the ones
  /// given.
  llvm::SmallVector<Constraint, 2> constraints;
};

/// Decides the constraints: those that share variables or functions together, and only if they
/// have few points. Others stay as they are, and so does one alone that is a sum of variables and
/// functions up to sign: propagating bounds through it says the same. A constraint that the others
/// imply is left out; one on a function alone may take the place of others.
/// Example: (d0 * 3 + 2) mod 4 in [0, 0], d0 in [0, 5] -> d0 in [2, 2], no constraint
SmallDomain DecideSmallDomain(DigitContext& context, llvm::ArrayRef<Constraint> constraints);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_SMALL_DOMAIN_H_
