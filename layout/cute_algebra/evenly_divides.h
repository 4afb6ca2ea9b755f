// Whether tiles cover a shape without a rest.
//
//   evenly_divides((8,6), (2,3))  ->  1
//   evenly_divides(32, _8:_3)     ->  0: three times eight elements span 24, and 24 does not divide
//   32
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_EVENLY_DIVIDES_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_EVENLY_DIVIDES_H_

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/tree.h"

namespace hlo_indexing::layout {

/// Whether a divide of the shape by the tiler, of integers, layouts and `_`, has as many elements
/// as the shape: 1 or 0, static if it does not depend on dynamic numbers. Example: (8,6), (2,4) ->
/// 0
absl::StatusOr<TupleInteger> EvenlyDivides(const IntTuple& shape, const CuteTree& tiler);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_EVENLY_DIVIDES_H_
