// Pictures of tiled layouts: the array with the position of every element, and its memory with the
// element at every position.
#ifndef HLO_INDEXING_LAYOUT_TILED_PICTURE_H_
#define HLO_INDEXING_LAYOUT_TILED_PICTURE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "layout/picture/picture.h"
#include "layout/tiled_layout.h"

namespace hlo_indexing::layout {

struct TiledPictureOptions {
  std::string title;
  /// The most cells of the whole picture.
  int64_t max_cells = 1 << 16;
};

/// The array, one grid for every index of all dimensions but the last two, and the memory. Elements
/// of one tile have one colour (without tiles: those of one line along the fastest dimension), each
/// level of tiling has its borders, padding is hatched. An error if there are too many cells.
absl::StatusOr<Picture> PictureOf(const TiledLayout& layout, const TiledPictureOptions& options);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_TILED_PICTURE_H_
