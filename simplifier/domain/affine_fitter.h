// Affine functions, and quotients of them, that have the values of a sum on a small domain.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_AFFINE_FITTER_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_AFFINE_FITTER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "simplifier/affine_fit.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Whether the sum is affine in its variables and functions.
bool IsAffine(const Sum& sum);

/// Replaces sums, or digits in them, by the affine functions that they are at all points of a small
/// box or domain, and digits by what they are the remainder of where that is all below the modulus.
/// All points are tried, so what is tried for one map is limited to a few milliseconds: up to 2,048
/// points for a sum, and 2^17 evaluated digits together. What is too much stays as it is.
class AffineFitter {
 public:
  /// What is tried: all points of the box of the variables and functions in a sum, or those that
  /// meet the constraints that these are in. The latter only before a constraint is changed.
  enum class Domain : uint8_t { kBox, kConstrained };

  /// `map` must outlive the fitter.
  AffineFitter(DigitContext& context, const QuasiAffineMap& map);

  /// The affine function that the sum is, or the sum with such functions for digits of it.
  /// Example: ((d0 * 6 mod 8) mod 3) floordiv 2 on d0 in [0, 2] -> 0
  Sum Fit(const Sum& sum, Domain domain);

  /// The quotient of an affine function that a sum of one variable or function is at all points of
  /// its constrained domain, at most 64; nullopt if there is none.
  /// Example: (d0 * 38 - d0 mod 6 + 5) floordiv 72 on d0 in [0, 8] -> d0 floordiv 2
  std::optional<Sum> FitQuotient(const Sum& sum);

 private:
  using Leaves = llvm::SmallSetVector<const Atom*, 4>;

  // The box of `leaves`, those of a sum first, and what its points must meet.
  struct Points {
    Leaves leaves;
    size_t num_leaves = 0;
    llvm::SmallVector<const Constraint*, 2> constraints;
    int64_t count = 0;
  };

  const Leaves& LeavesOf(const Atom& atom);
  Leaves LeavesOf(const Sum& sum);

  std::optional<Sum> FitDigit(const Term& term, Domain domain);
  std::optional<Sum> ComputeFitDigit(const Term& term, Domain domain);
  std::optional<Sum> FitQuotientDigit(const Term& digit, Domain domain);
  std::optional<Sum> ReducedRemainder(const Term& digit);
  std::optional<Sum> FitWhole(const Sum& sum, Domain domain);
  std::optional<Points> PointsOf(const Sum& sum, Domain domain);
  bool TryPoints(const Sum& sum, const Points& points,
                 llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t)> visit);
  std::optional<Sum> Solve(const AffineFit& fit, const Points& points);
  void AddConstraints(Leaves& leaves, llvm::SmallVectorImpl<const Constraint*>& constraints) const;

  DigitContext& context_;
  const QuasiAffineMap& map_;
  // The leaves of an atom are found once, however many sums share it.
  llvm::SmallDenseMap<const Atom*, std::unique_ptr<Leaves>, 8> leaves_of_atoms_;
  std::vector<Leaves> leaves_of_constraints_;
  // Results of FitDigit by atom, lo and extent: on the box, and on the constrained domain, which
  // stays the same as long as these are read.
  std::array<llvm::SmallDenseMap<std::tuple<const Atom*, int64_t, int64_t>, std::optional<Sum>, 4>,
             2>
      fitted_digits_;
  // Evaluated so far.
  int64_t digits_ = 0;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_AFFINE_FITTER_H_
