// Divides, which take a layout apart into tiles, and products, which put copies of it together.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TILING_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TILING_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tree.h"

namespace hlo_indexing::layout {

/// How the modes of a tiled layout are arranged: tiles T0, T1, ... and rests R0, R1, ...
enum class TileArrangement : uint8_t {
  /// ((T0,R0),(T1,R1),...), modes beyond the tiler as they are.
  kLogical,
  /// ((T0,T1,...),(R0,R1,...))
  kZipped,
  /// ((T0,T1,...),R0,R1,...)
  kTiled,
  /// (T0,T1,...,R0,R1,...)
  kFlat,
};

/// The layout in tiles: each tile has the elements that the tiler picks, and the rest counts tiles.
/// The tiler is a layout B (then the tile is A o B), an integer n for n:1, `_` for the whole mode,
/// or a tuple of these by modes. If the tiles do not divide the layout, the last ones reach past
/// its end, and DivideBound says which coordinates are inside. FailedPrecondition if no layout has
/// these tiles.
/// Example: (24,8):(1,24), (8,4), kZipped -> ((8,4),(3,2)):((1,24),(8,96))
absl::StatusOr<CuteLayout> Divide(const CuteLayout& layout, const CuteTree& tiler,
                                  TileArrangement arrangement);

/// Which coordinates of a divided layout lie inside of the layout that was divided.
struct DivideBound {
  /// The coordinate (with a tiler that is one layout or integer: the index) in the divided layout
  /// of each coordinate of the result: the identity, divided in the same way.
  CuteLayout coordinates;
  /// A coordinate is inside if all its numbers are less than these, mode by mode.
  IntTuple extents;
  /// Whether all coordinates are inside.
  bool always_inside;

  /// Whether the element at the index of the divided layout is inside. An error if the index is not
  /// one of it.
  /// Example: 24:1 / 5, index 24 -> false
  absl::StatusOr<bool> Contains(int64_t index) const;
};
/// The bound of Divide with the same arguments.
/// Example: 24:1, 5 -> (5,5):(1,5) inside of 24
absl::StatusOr<DivideBound> BoundOfDivide(const CuteLayout& layout, const CuteTree& tiler,
                                          TileArrangement arrangement);

/// Copies of the layout, arranged as the tiler says: ((modes of A),(copies)). A tuple multiplies by
/// modes. FailedPrecondition if the copies do not fit what A leaves free.
/// Example: (2,5):(5,1), (3,4):(1,3), kLogical -> ((2,5),(3,4)):((5,1),(10,30))
absl::StatusOr<CuteLayout> Multiply(const CuteLayout& layout, const CuteTree& tiler,
                                    TileArrangement arrangement);

/// Blocks of A arranged as B, mode by mode.
/// Example: (2,5):(5,1), (3,4):(1,3) -> ((2,3),(5,4)):((5,10),(1,30))
absl::StatusOr<CuteLayout> BlockedProduct(const CuteLayout& a, const CuteLayout& b);
/// The same with the copies interleaved.
/// Example: (2,5):(5,1), (3,4):(1,3) -> ((3,2),(4,5)):((10,5),(30,1))
absl::StatusOr<CuteLayout> RakedProduct(const CuteLayout& a, const CuteLayout& b);

/// Copies of the block that fill the shape; they follow each other in the order of the modes, or in
/// the given one. An error if the block does not divide the shape.
/// Example: (2,2):(2,1), (4,6) -> ((2,2),(2,3)):((2,4),(1,8))
absl::StatusOr<CuteLayout> TileToShape(const CuteLayout& block, const IntTuple& shape,
                                       const std::optional<IntTuple>& order = std::nullopt);

/// A compact layout for registers: the first mode column-major by itself, the others after it in
/// the order of their strides.
/// Example: (_4,_8):(_8,_1) -> (_4,(_8)):(_1,(_4))
absl::StatusOr<CuteLayout> FragmentLike(const CuteLayout& layout);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TILING_H_
