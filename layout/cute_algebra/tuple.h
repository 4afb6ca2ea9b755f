// What CuTe does with nested tuples of integers: shapes divided by shapes, compact strides,
// coordinates and indices, and which profiles fit each other.
//
// Kinds follow CuTe's types: a result is static if everything that decides it is. Errors are
// InvalidArgument if profiles do not fit, OutOfRange if a number does not fit in 64 bits.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TUPLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::layout {

/// The product of all integers, or an error that names the tuple.
/// Example: (_4,(_2,8)) -> 64
absl::StatusOr<TupleInteger> SizeOf(const IntTuple& shape);

/// How many tiles of b cover a, by modes for tuples; an integer divides a tuple from the left.
/// Example: 1000, 128 -> 8; (4,5,6), 40 -> (1,1,3)
absl::StatusOr<IntTuple> CeilDivide(const IntTuple& a, const IntTuple& b);
/// As CeilDivide, but an error for static integers of which neither divides the other.
absl::StatusOr<IntTuple> ShapeDivide(const IntTuple& a, const IntTuple& b);

/// The strides of the compact layout whose leftmost mode is fastest. A mode of static extent 1 gets
/// stride 0.
/// Example: (4,(2,3)) -> (_1,(4,8))
absl::StatusOr<IntTuple> CompactColumnMajor(const IntTuple& shape);
/// The strides of the compact layout whose rightmost mode is fastest.
/// Example: (4,(2,3)) -> (6,(3,_1))
absl::StatusOr<IntTuple> CompactRowMajor(const IntTuple& shape);
/// The strides of the compact layout whose modes grow in the given order: static numbers by value,
/// then dynamic ones from left to right. Of a nested mode with one number the first leaf is
/// fastest. Example: (2,2,2,2), (_0,_2,_3,_1) -> (_1,4,8,2) Example: ((2,2),3), (_1,_0) ->
/// ((3,6),_1)
absl::StatusOr<IntTuple> OrderedStrides(const IntTuple& shape, const IntTuple& order);

/// Whether b has the profile of a or refines it.
/// Example: 24, (4,6) -> true
bool IsWeaklyCongruent(const IntTuple& a, const IntTuple& b);
/// Whether every coordinate of a shape a is one of b: at every leaf of a, b has the same size. 1 or
/// 0, static if it does not depend on dynamic numbers.
/// Example: 24, (4,6) -> 1
absl::StatusOr<TupleInteger> IsCompatible(const IntTuple& a, const IntTuple& b);
/// The offset of a coordinate; if the strides count along axes, the coordinate that they give.
/// An integer in place of a tuple counts with the first mode fastest, and past the end on in the
/// last mode.
/// Example: (1,(1,2)), (3,(2,3)), (3,(12,1)) -> 17
absl::StatusOr<IntTuple> CoordinateToIndex(const IntTuple& coordinate, const IntTuple& shape,
                                           const IntTuple& stride);
/// The coordinate of an index, in the profile of the shape.
/// Example: 16, (3,(2,3)) -> (1,(1,2))
absl::StatusOr<IntTuple> IndexToCoordinate(const IntTuple& index, const IntTuple& shape);
/// The coordinate of an offset in a compact layout: (offset / stride) mod extent, by modes.
/// Example: 16, (4,8), (8,1) -> (2,0)
absl::StatusOr<IntTuple> OffsetToCoordinate(const IntTuple& offset, const IntTuple& shape,
                                            const IntTuple& stride);

/// How much of the tile at a coordinate lies inside of the shape, mode by mode.
/// Example: (41,55), (4,8), (10,6) -> (1,7)
absl::StatusOr<IntTuple> TileExtent(const IntTuple& shape, const IntTuple& tiler,
                                    const IntTuple& coordinate);

/// Whether all numbers of a coordinate are less than the extents; an integer in place of a tuple
/// counts its elements. The extents have the profile of the coordinate or refine it.
/// Example: (3,5), (4,(2,3)) -> true; (3,6), (4,(2,3)) -> false
bool IsBelow(const IntTuple& coordinate, const IntTuple& extents);

/// The mode at an index: of an integer, 0 is itself.
/// Example: ((_4,_2),8), 1 -> 8
absl::StatusOr<IntTuple> ModeAt(const IntTuple& tuple, int64_t index);
/// The members of a tuple; an integer is its only one.
/// Example: 8 -> {8}
llvm::ArrayRef<IntTuple> Modes(const IntTuple& tuple);
/// A tuple of all leaves; an integer stays one.
/// Example: (_4,(_2,8)) -> (_4,_2,8)
IntTuple Flattened(const IntTuple& tuple);
/// The sizes of the modes.
/// Example: ((_4,_2),8) -> (_8,8)
absl::StatusOr<IntTuple> ProductEach(const IntTuple& shape);
/// f of every leaf, in the same profile.
IntTuple TransformLeaves(const IntTuple& tuple,
                         llvm::function_ref<TupleInteger(const TupleInteger&)> f);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TUPLE_H_
