// What a tiling does to the bounds of an array, step by step.
//
// A layout lists the dimensions from slowest to fastest varying; each of its tiles then pads,
// reshapes and transposes what it finds. f32[3,5]{1,0:T(2,2)}:
//
//     array [3,5]      in the order of memory, major to minor
//     pad [4,6]        to multiples of the tile
//     reshape [2,2,3,2]    each tiled dimension in two: number of tiles, index in the tile
//     transpose [2,3,2,2]  the indices in the tile behind the numbers of tiles
//
// and the result is row-major. Source: XLA's "Tiled layout" document.
#ifndef HLO_INDEXING_LAYOUT_TILING_H_
#define HLO_INDEXING_LAYOUT_TILING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "layout/xla_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// Sizes of the dimensions of an array in memory, major to minor.
using Bounds = llvm::SmallVector<int64_t, 8>;

/// One tile with the bounds that it meets and those that it leaves.
struct TilingLevel {
  /// The bounds met, behind so many leading ones that the tile has no more dimensions.
  Bounds before;
  size_t num_leading_ones = 0;
  /// The bounds after dimensions under a `*` are joined with the next more minor ones, and how
  /// many of `before` each of them joins.
  /// Example: (*,*,2,*,3) on [2,7,8,11,10] -> [112,110], of 3 and 2
  Bounds combined;
  llvm::SmallVector<size_t, 8> group_sizes;
  /// The sizes of the tile without `*`; they tile the last dimensions of `combined`.
  Bounds tile;
  /// `combined` with its tiled dimensions raised to multiples of the tile.
  /// Example: [3,5] -> [4,6]
  Bounds padded;
  /// Each tiled dimension in two.
  /// Example: [2,2,3,2]
  Bounds reshaped;
  /// Which dimension of `reshaped` comes first, second, ...
  /// Example: 0, 2, 1, 3
  llvm::SmallVector<size_t, 8> permutation;
  /// The bounds left: untiled dimensions, numbers of tiles, the tile.
  /// Example: [2,3,2,2]
  Bounds after;

  /// How many dimensions come before the tiled ones.
  size_t num_untiled() const { return combined.size() - tile.size(); }
};

/// The sizes of the dimensions in the order of memory.
/// Example: [3,5]{0,1} -> [5,3]
Bounds PhysicalOrder(llvm::ArrayRef<int64_t> dimensions, const Layout& layout);

/// The tilings of a layout, which must be valid for the rank (FindLayoutError), in order. Nullopt
/// if a number of elements does not fit in 64 bits.
std::optional<llvm::SmallVector<TilingLevel, 2>> TilingLevels(llvm::ArrayRef<int64_t> dimensions,
                                                              const Layout& layout);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_TILING_H_
