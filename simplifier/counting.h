// Counting with parameters: how many points a domain has, as a function of some of its variables.
//
// Example: in  { (d0, d1) : d1 <= d0, d0 in [0, 9], d1 in [0, 4] }  d0 has
//
//     d0 + 1  values of d1  where d0 in [0, 3],   5  where d0 in [4, 9]
//
// Variables are counted one after the other: the sum of a polynomial in x, over all x between two
// bounds, is a polynomial in the bounds. Which of several lower bounds is the largest, and which
// upper bound the smallest, makes cases.
#ifndef HLO_INDEXING_SIMPLIFIER_COUNTING_H_
#define HLO_INDEXING_SIMPLIFIER_COUNTING_H_

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "simplifier/digit_context.h"
#include "simplifier/polynomial.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// A number for each point of the domain of a map: a polynomial in its results there, 0 elsewhere.
struct PartialCount {
  QuasiAffineMap map;
  std::vector<Monomial> terms;
};

/// The number of points is the sum of the parts, whose domains may overlap; no part mentions a
/// counted variable. Without an answer there is a reason.
struct ParametricCount {
  std::vector<PartialCount> parts;
  std::string reason;
};

/// For each value of the other variables and functions, the number of values of the counted ones
/// together, in the domain of a simplified map, whose results do not matter.
///
/// Digits of a counted variable, and quotients that depend on one, become variables of their own
/// first, so that all bounds are linear in these. What does not depend on the others is counted as
/// an image is (image.h). A bound with a factor above 1 is a quotient again; what is counted after
/// it is split by remainders, up to 64.
ParametricCount CountPoints(DigitContext& context, const QuasiAffineMap& domain,
                            llvm::ArrayRef<VariableId> counted);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_COUNTING_H_
