// What a layout leaves out, and layouts that undo it: complement, inverses, null space, and what
// two layouts have in common.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INVERSE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INVERSE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"

namespace hlo_indexing::layout {

/// What a complement does if strides do not divide each other, so that some offsets cannot be
/// covered.
enum class Gaps : uint8_t { kRefused, kSkipped };

/// The layout of what `layout` leaves out of [0, target): increasing, disjoint from it but for 0,
/// and both together reach `target` at least, rounded up to what the layout spans. With
/// Gaps::kRefused both together have each offset up to there exactly once. FailedPrecondition if
/// there is none: two coordinates have one offset, or strides lie inside of what smaller ones span;
/// InvalidArgument for negative strides and for layouts that map to coordinates. The target is a
/// shape, of which static extents that come first stay a mode of their own.
/// Example: _4:_2, _24 -> (_2,_3):(_1,_8)
absl::StatusOr<CuteLayout> Complement(const CuteLayout& layout, const IntTuple& target,
                                      Gaps gaps = Gaps::kSkipped);

/// Where copies of the layout lie that have no offset in common: `count` of them, first in its
/// gaps, then behind what all of its modes span. What strides leave free that do not divide each
/// other stays free. Errors are those of Complement. Example: (_3,_6):(_1,_10), _6 ->
/// (_3,_2):(_3,_60)
absl::StatusOr<CuteLayout> PlacesOfCopies(const CuteLayout& layout, const TupleInteger& count);

/// The layout R with layout(R(i)) = i for i below its size: the modes of strides 1, 1 * extent, and
/// so on, as far as these are static. A layout with a dynamic stride is taken by its values.
/// `_1:_0` if no stride is 1.
/// Example: (_8,_4):(_4,_1) -> (_4,_8):(_8,_1)
absl::StatusOr<CuteLayout> RightInverse(const CuteLayout& layout);

/// A layout R with layout(R(layout(i))) = layout(i) for every index. FailedPrecondition if the
/// strides do not allow one, InvalidArgument for coordinates and for strides of both signs.
/// Example: 4:2 -> (2,4):(_0,_1); _4:_-1 -> _4:_-1
absl::StatusOr<CuteLayout> LeftInverse(const CuteLayout& layout);

/// The modes of static stride 0, as a layout of indices that the layout maps to 0.
/// Example: (2,4):(3,_0) -> 4:2
absl::StatusOr<CuteLayout> NullSpace(const CuteLayout& layout);

/// The elements, from offset 0 on, that lie adjacent and in the same order in both: a layout of
/// indices. `_1:_0` if only the first does, or more are not known statically.
/// Example: (_4,_3):(_1,_4), (_4,_3):(_1,_12) -> _4:_1
absl::StatusOr<CuteLayout> MaxCommonLayout(const CuteLayout& a, const CuteLayout& b);
/// How many these are.
absl::StatusOr<TupleInteger> MaxCommonVector(const CuteLayout& a, const CuteLayout& b);

/// How many elements at the start of memory the layout fills without a gap, as far as is known
/// statically.
/// Example: (_16,_2):(_2,_1) -> _32
absl::StatusOr<TupleInteger> MaxAlignment(const CuteLayout& layout);

/// A layout of n elements, or of as many as divide, over the modes of a shape, first modes first.
/// Example: (15,14), 6 -> (3,2):(_1,15)
absl::StatusOr<CuteLayout> DomainDistribute(const IntTuple& shape, const TupleInteger& n);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INVERSE_H_
