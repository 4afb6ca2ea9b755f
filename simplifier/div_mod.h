// The one division: quotient and remainder of a sum by a positive constant, simplified together.
#ifndef HLO_INDEXING_SIMPLIFIER_DIV_MOD_H_
#define HLO_INDEXING_SIMPLIFIER_DIV_MOD_H_

#include <cstdint>

#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {

/// sum = divisor * quotient + remainder with 0 <= remainder < divisor, for divisor >= 1, wherever
/// the variables are in their boxes and the facts of the context hold. The laws are in digit_sum.h.
/// Example: (100 * d0 + 10 * d1 + d2 on [0, 9]^3) by 100 -> quotient d0, remainder 10 * d1 + d2
Division DivMod(DigitContext& context, const Sum& sum, int64_t divisor);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DIV_MOD_H_
