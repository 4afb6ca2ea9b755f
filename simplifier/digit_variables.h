// Digits as variables: a domain in which some variables stand in no division. Private to the
// folder.
#ifndef HLO_INDEXING_SIMPLIFIER_DIGIT_VARIABLES_H_
#define HLO_INDEXING_SIMPLIFIER_DIGIT_VARIABLES_H_

#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Replaces each of `variables` of which digits are mentioned by variables for its digits, and
/// makes variables of the digits of every quotient that depends on one of them, with an equation
/// that says of what they are the digits. Each new variable is determined by the old ones and the
/// other way round, so the domain has as many points. What has boundaries that do not divide each
/// other stays. `variables` are the new ones then. The map's results must mention none of them.
/// Example: d0 in [0, 9], d0 mod 4 + d1 in [0, 2] by d0
///          -> d2 in [0, 2], d3 in [0, 3], d2 * 4 + d3 in [0, 9], d3 + d1 in [0, 2]
void MakeDigitsVariables(DigitContext& context, QuasiAffineMap& map,
                         llvm::SmallVectorImpl<VariableId>& variables);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DIGIT_VARIABLES_H_
