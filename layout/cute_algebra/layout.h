// CuTe layouts as values: a shape and a stride of the same nesting, a function from coordinates to
// offsets.
//
//   (_4,(_2,8)):(_1,(_4,_8))    the coordinate (3,(1,2)) has the offset 3*1 + 1*4 + 2*8 = 23
//
// A coordinate may be coarser than the shape: an integer in place of a tuple counts its elements
// colexicographically, the leftmost mode fastest; (3,5) is (3,(1,2)), and 23 is both of them.
// Layouts of layout/cute/, where shapes and strides are types, become such values by
// layout/cute_algebra/bridge.h.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "layout/bounded_affine_map.h"
#include "layout/cute_algebra/int_tuple.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/interval.h"

namespace hlo_indexing::layout {

/// A layout of CuTe. Size and offsets of every value fit in 64 bits.
class CuteLayout {
 public:
  /// An error if shape and stride differ in nesting, an extent is negative, some strides count
  /// along axes and others along none, or the size or the offset of an element does not fit in 64
  /// bits.
  /// Example: (_4,8), (_1,_4) -> (_4,8):(_1,_4)
  static absl::StatusOr<CuteLayout> Create(IntTuple shape, IntTuple stride);

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }

  /// The number of modes; 1 for a layout that is a single integer mode.
  int64_t rank() const { return shape_.rank(); }
  int64_t depth() const { return shape_.depth(); }
  /// The number of coordinates.
  /// Example: (_4,(_2,8)):(_1,(_4,_8)) -> 64
  int64_t size() const { return size_; }
  /// Whether strides count along axes: the layout then maps to coordinates, not to offsets.
  /// Example: (4,8):(_1@0,_1@1) -> true
  bool has_axes() const { return has_axes_; }
  /// The smallest and the largest offset; empty for a layout of size 0, and for one that maps to
  /// coordinates.
  /// Example: _4:_-2 -> [-6, 0]
  const simplifier::Interval& offsets() const { return offsets_; }
  /// The number of elements of the smallest array that has room for all offsets, gaps included: 1 +
  /// largest - smallest offset; 0 for a layout of size 0. Of a layout that maps to coordinates, the
  /// size of the smallest box that holds them. Nullopt if it does not fit in 64 bits.
  /// Example: (_4,_8):(_2,_16) -> 119
  std::optional<int64_t> cosize() const;

  /// The offset of the element at an index: the linear one, leftmost mode fastest. An error if the
  /// index is outside of [0, size), or the layout maps to coordinates.
  /// Example: (_4,_8):(_8,_1), 6 -> 17
  absl::StatusOr<int64_t> Offset(int64_t index) const;
  /// The offset of a coordinate, of the shape's nesting or coarser; whether its integers are static
  /// does not matter. An error if it does not fit the shape or is outside of it.
  /// Example: (_4,(_2,8)):(_1,(_4,_8)), (3,5) -> 23
  absl::StatusOr<int64_t> Offset(const IntTuple& coordinate) const;

  /// CuTe's text.
  /// Example: (_4,(_2,8)):(_1,(_4,_8))
  std::string ToString() const;

  /// Whether shape and stride are the same, kinds included; not whether the functions are.
  friend bool operator==(const CuteLayout&, const CuteLayout&) = default;

 private:
  static absl::StatusOr<CuteLayout> CreateWithChecks(IntTuple shape, IntTuple stride);

  CuteLayout(IntTuple shape, IntTuple stride, int64_t size, simplifier::Interval offsets,
             bool has_axes)
      : shape_(std::move(shape)),
        stride_(std::move(stride)),
        size_(size),
        offsets_(offsets),
        has_axes_(has_axes) {}

  IntTuple shape_;
  IntTuple stride_;
  int64_t size_;
  simplifier::Interval offsets_;
  bool has_axes_;
};

/// What the dimensions of a layout's affine map are.
enum class LayoutDomain : uint8_t {
  /// One dimension: the linear index, leftmost mode fastest.
  kIndex,
  /// A dimension for each integer of the shape, from left to right.
  kFlatModes,
};

/// The layout as an affine map. Neighbouring modes that continue each other are one digit of the
/// index. Of a layout of size 0 the map is constant 0, over nothing. A layout that maps to
/// coordinates gives a result for each integer of them.
/// Example: (_4,_8):(_8,_1), kIndex -> (d0) -> ((d0 mod 4) * 8 + d0 floordiv 4), d0 in [0, 31]
/// Example: (_4,(_2,8)):(_1,(_4,_8)), kFlatModes -> (d0, d1, d2) -> (d0 + d1 * 4 + d2 * 8)
BoundedAffineMap ToAffineMap(const CuteLayout& layout, LayoutDomain domain,
                             mlir::MLIRContext* context);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LAYOUT_H_
