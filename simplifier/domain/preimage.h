// The values of a variable that bounds on an expression of it leave. Ends beyond 64 bits bound
// nothing; a set that lies beyond is empty.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_PREIMAGE_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_PREIMAGE_H_

#include <cstdint>

#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// { x : x + constant in bounds }. Example: [0, 5], 2 -> [-2, 3]
Interval PreimageOfAdd(Interval bounds, int64_t constant);

/// { x : factor * x in bounds }, for a factor other than 0; the smallest such interval of integers.
/// Example: [1, 7], 3 -> [1, 2]
Interval PreimageOfMultiply(Interval bounds, int64_t factor);

/// { x : (x - offset) floordiv divisor in bounds }, for a divisor above 0.
/// Example: [1, 2], divisor 4, offset 5 -> [9, 16]
Interval PreimageOfFloorDiv(Interval bounds, int64_t divisor, int64_t offset);

/// { x : x floordiv divisor in bounds }, for a divisor above 0, of numbers x that may have more
/// than 64 bits: an end that does not fit is no bound, even if all of the set lies beyond it.
/// Example: [1, 2], divisor 4 -> [4, 11]
Interval PreimageOfWideFloorDiv(Interval bounds, int64_t divisor);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_PREIMAGE_H_
