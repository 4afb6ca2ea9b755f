// Tensors as far as a compiler needs them: a layout, plain or composed, and the offset at which it
// begins; and their parts: slices, tiles and the elements of a thread.
//
//   t = (24,8):(1,24) at 0
//   LocalTile(t, (8,4), (1,_))          (8,4,2):(1,24,96) at 8
//   LocalPartition(t, 8x4 threads, 10)  (3,2):(8,96) at 26
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TENSOR_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TENSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/swizzle.h"
#include "layout/cute_algebra/tiling.h"
#include "layout/cute_algebra/tree.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::layout {

/// A layout that begins at an offset. Of a layout that maps to coordinates the offset is one too.
struct CuteTensor {
  std::variant<CuteLayout, ComposedLayout> layout;
  IntTuple offset = IntTuple::Static(0);

  /// The plain layout; null for a composed one.
  const CuteLayout* plain() const { return std::get_if<CuteLayout>(&layout); }
  const ComposedLayout* composed() const { return std::get_if<ComposedLayout>(&layout); }
  /// The layout that has the shape: the inner one of a composed layout.
  const CuteLayout& modes() const;
  int64_t size() const { return modes().size(); }
  /// Whether the offset is 0 or a coordinate of zeros.
  bool begins_at_zero() const;

  /// The element at an index: an offset, or a coordinate.
  /// Example: (3,2):(8,96) at 26, 4 -> 130
  absl::StatusOr<IntTuple> At(int64_t index) const;
  /// The element at a coordinate, which may reach past the end.
  absl::StatusOr<IntTuple> At(const IntTuple& coordinate) const;

  /// The layout's text, without the offset.
  std::string LayoutText() const;
};

/// f of the layout, or of the inner layout of a composed one; the offset stays.
absl::StatusOr<CuteTensor> TransformLayout(
    const CuteTensor& tensor, llvm::function_ref<absl::StatusOr<CuteLayout>(const CuteLayout&)> f);

/// The modes that the coordinate pairs with `_`, from the element on that the rest of it names.
/// Example: ((3,2),8):((4,1),6), (_,5) -> ((3,2)):((4,1)) at 30
absl::StatusOr<CuteTensor> Slice(const CuteTensor& tensor, const CuteTree& coordinate);
/// The tensor with its origin at a coordinate.
/// Example: (4,4):(4,1), (1,3) -> (4,4):(4,1) at 7
absl::StatusOr<CuteTensor> DomainOffset(const CuteTensor& tensor, const IntTuple& coordinate);

/// Which elements of a tensor lie inside of the data: tiles may reach past the end.
struct TensorBound {
  /// The coordinate (or the index, as of DivideBound) in the data of each element.
  CuteTensor coordinates;
  /// An element is inside if all its numbers are less than these, mode by mode.
  IntTuple extents;

  /// Whether the element at the index is inside. An error if there is none.
  absl::StatusOr<bool> Contains(int64_t index) const;
};

/// A part of a tensor, and where some of its elements lie outside of the tensor, which do not.
struct PartOfTensor : CuteTensor {
  std::optional<TensorBound> bound;
};

/// The tile at a coordinate of the grid of tiles; `_`, or numbers that are left out, keep a mode of
/// the grid. An error if the grid does not have the coordinate.
/// Example: (24,8):(1,24), (8,4), (1,1) -> (8,4):(1,24) at 104; 10:1, 4, 2 -> 4:1 at 8, of which
/// those with (0,1,2,3) + 8 < 10 are inside
absl::StatusOr<PartOfTensor> InnerPartition(const CuteTensor& tensor, const CuteTree& tiler,
                                            const CuteTree& coordinate);
/// The element at a coordinate of each tile.
/// Example: (24,8):(1,24), (8,4), 10 -> (3,2):(8,96) at 26
absl::StatusOr<PartOfTensor> OuterPartition(const CuteTensor& tensor, const CuteTree& tiler,
                                            const CuteTree& coordinate);
/// InnerPartition; a projection leaves out the modes of tiler and coordinate that it pairs with
/// `_`.
absl::StatusOr<PartOfTensor> LocalTile(const CuteTensor& tensor, const CuteTree& tiler,
                                       const CuteTree& coordinate,
                                       const std::optional<CuteTree>& projection = std::nullopt);
/// The elements of a thread, where a compact layout of threads tiles the tensor. An error if the
/// index is not one of a thread.
/// Example: (24,8):(1,24), (8,4):(1,8), 10 -> (3,2):(8,96) at 26
absl::StatusOr<PartOfTensor> LocalPartition(
    const CuteTensor& tensor, const CuteLayout& threads, const TupleInteger& index,
    const std::optional<CuteTree>& projection = std::nullopt);
/// The values of a thread, where a thread-value layout maps (thread,value) to an index of the
/// tensor. An error if there is no such thread.
/// Example: (4,8):(1,4), ((2,4),(2,2)):((8,1),(4,16)), 1 -> ((2,2)):((4,16)) at 8
absl::StatusOr<CuteTensor> ThreadValuePartition(const CuteTensor& tensor,
                                                const CuteLayout& thread_values,
                                                const CuteTree& thread);

/// The coordinate of an offset in a compact layout, in the layout's profile and by modes.
/// Example: ((2,2),3):((1,2),4), 7 -> ((1,1),1) and (3,1)
absl::StatusOr<IntTuple> HierarchicalCoordinate(const CuteLayout& layout, const IntTuple& offset);
absl::StatusOr<IntTuple> FlatCoordinate(const CuteLayout& layout, const IntTuple& offset);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TENSOR_H_
