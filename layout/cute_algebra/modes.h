// Layouts as flat lists of modes, the form in which the algebra computes, and the operations that
// are simple in it: coalesce, filter, and modes taken, grouped and put together.
//
// What is merged and dropped depends on static numbers alone, as in CuTe's templates: the profile
// of a result is what a kernel's types say, whatever its dynamic numbers are. AsStatic makes
// all numbers static, so that the algebra goes by their values.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODES_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tree.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// A mode without nesting.
struct CuteMode {
  TupleInteger extent;
  TupleInteger stride;

  /// Whether it has one offset, whether that is static or not.
  bool IsConstant() const { return extent.value == 1 || stride.value == 0; }
  /// Whether that is known statically.
  bool IsStaticallyConstant() const {
    return (extent.is_static() && extent.value == 1) || (stride.is_static() && stride.value == 0);
  }
  /// Example: _4:_1
  std::string ToString() const;
};
using CuteModes = llvm::SmallVector<CuteMode, 6>;

/// a mod b and a / b, for a >= 0 and b > 0. A division of 64 bits takes several times as long as
/// one of 32, which is nearly always enough.
inline int64_t QuickRemainder(int64_t a, int64_t b) {
  if (a < b) return a;
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
  return a % b;
}
inline int64_t QuickQuotient(int64_t a, int64_t b) {
  if (a < b) return 0;
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

/// The modes from left to right, nesting forgotten.
/// Example: (4,(2,3)):(6,(1,2)) -> 4:6, 2:1, 3:2
CuteModes FlatModes(const CuteLayout& layout);
/// The same of a shape and strides of one nesting.
CuteModes FlatModes(const IntTuple& shape, const IntTuple& stride);
/// One mode as it is, several as a tuple, none as `_1:_0`.
absl::StatusOr<CuteLayout> LayoutOf(llvm::ArrayRef<CuteMode> modes);

/// What becomes of a last mode of extent 1, in which an index past the end counts on.
enum class LastMode : uint8_t { kLikeOthers, kKept };
/// The least modes with the same function, as far as static numbers tell: modes of static extent 1
/// are left out, and static modes that continue each other are one. `_1:_0` if none is left.
/// Example: _2:_1, _1:_6, _6:_2 -> _12:_1; 2:1, 6:2 as they are
absl::StatusOr<CuteModes> CoalescedModes(llvm::ArrayRef<CuteMode> modes, LastMode last);

/// The same by values, whether static or not.
/// Example: 2:1, 1:6, 6:2 -> 12:1
absl::StatusOr<CuteModes> CoalescedByValue(llvm::ArrayRef<CuteMode> modes);

/// The same layout with every number static.
/// Example: (2,6):(1,2) -> (_2,_6):(_1,_2)
CuteLayout AsStatic(const CuteLayout& layout);

/// The same layout with every number dynamic.
/// Example: (_2,6):(_1,2) -> (2,6):(1,2)
CuteLayout AsDynamic(const CuteLayout& layout);

/// The layout with the fewest modes that has the same offsets, as far as static numbers tell.
/// Example: (_2,(_1,_6)):(_1,(_6,_2)) -> _12:_1
absl::StatusOr<CuteLayout> Coalesce(const CuteLayout& layout);
/// The same in each mode of which the profile has an integer; modes beyond the profile stay.
/// Example: (9,(2,6)):(1,(9,18)), (_1,_1) -> (9,12):(1,9)
absl::StatusOr<CuteLayout> Coalesce(const CuteLayout& layout, const IntTuple& profile);
/// Without the modes that a static stride of 0 or a static extent of 1 makes constant, coalesced.
/// Example: (2,3):(3,_0) -> 2:3
absl::StatusOr<CuteLayout> Filter(const CuteLayout& layout);
absl::StatusOr<CuteLayout> Filter(const CuteLayout& layout, const IntTuple& profile);
/// Modes of static stride 0 as modes of extent 1.
/// Example: (2,3):(3,_0) -> (2,_1):(3,_0)
absl::StatusOr<CuteLayout> FilterZeros(const CuteLayout& layout);

/// The layout of a shape with the leftmost mode fastest.
/// Example: (4,(2,3)) -> (4,(2,3)):(_1,(4,8))
absl::StatusOr<CuteLayout> ColumnMajor(const IntTuple& shape);
/// Example: (4,(2,3)) -> (4,(2,3)):(6,(3,_1))
absl::StatusOr<CuteLayout> RowMajor(const IntTuple& shape);
/// The layout that maps each coordinate of the shape to itself.
/// Example: (4,(2,3)) -> (4,(2,3)):(_1@0,(_1@0@1,_1@1@1))
absl::StatusOr<CuteLayout> IdentityLayout(const IntTuple& shape);
/// A compact layout of the same shape whose modes grow in the order of the strides of the layout.
/// Modes of static stride 0 keep it.
/// Example: (4,8):(32,1) -> (4,8):(_1,4)
absl::StatusOr<CuteLayout> CompactLike(const CuteLayout& layout);

/// The cosize, static if every number that it depends on is. OutOfRange if it does not fit in 64
/// bits.
/// Example: (_4,_8):(_2,_16) -> _119
absl::StatusOr<TupleInteger> CosizeWithKind(const CuteLayout& layout);

/// The mode at an index.
/// Example: (4,(2,3)):(6,(1,2)), 1 -> (2,3):(1,2)
absl::StatusOr<CuteLayout> ModeOf(const CuteLayout& layout, int64_t index);
/// All modes, each as a layout; the only one of a layout that is an integer mode.
absl::StatusOr<std::vector<CuteLayout>> ModesOf(const CuteLayout& layout);
/// The layout whose modes are the given ones.
absl::StatusOr<CuteLayout> Concatenate(llvm::ArrayRef<CuteLayout> modes);
/// At least `rank` modes, by appending `_1:_0`.
/// Example: 4:1, 2 -> (4,_1):(1,_0)
absl::StatusOr<CuteLayout> PaddedTo(const CuteLayout& layout, int64_t rank);
/// Nesting forgotten.
/// Example: (4,(2,3)):(6,(1,2)) -> (4,2,3):(6,1,2)
absl::StatusOr<CuteLayout> Flattened(const CuteLayout& layout);

/// Which modes of a layout an operation takes, or makes one.
struct ModeRange {
  int64_t begin = 0;
  int64_t end = 0;
};
/// The modes begin to end - 1.
/// Example: (4,5,6):(1,4,20), {1, 3} -> (5,6):(4,20)
absl::StatusOr<CuteLayout> TakeModes(const CuteLayout& layout, ModeRange range);
/// The modes begin to end - 1 as one.
/// Example: (4,5,6):(1,4,20), {1, 3} -> (4,(5,6)):(1,(4,20))
absl::StatusOr<CuteLayout> GroupModes(const CuteLayout& layout, ModeRange range);

/// The modes that a coordinate pairs with `_`, each a mode; a `_` for everything keeps the layout.
/// Example: ((3,2),8):((4,1),6), (_,5) -> ((3,2)):((4,1))
absl::StatusOr<CuteLayout> SliceModes(const CuteLayout& layout, const CuteTree& coordinate);
/// The modes that a coordinate pairs with integers.
/// Example: (4,8):(8,1), (_,1) -> (8):(1)
absl::StatusOr<CuteLayout> DiceModes(const CuteLayout& layout, const CuteTree& coordinate);
/// The same for tuples: what is paired with integers.
/// Example: (_4,8), (_,1) -> (8)
absl::StatusOr<CuteTree> DiceTree(const CuteTree& tree, const CuteTree& coordinate);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODES_H_
