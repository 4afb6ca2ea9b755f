// Pictures of CuTe's layouts: tables of offsets, and which thread holds which element of a tile.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PICTURE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PICTURE_H_

#include "absl/status/statusor.h"
#include "layout/cute_algebra/calculator.h"
#include "layout/cute_algebra/tensor.h"
#include "layout/picture/picture.h"

namespace hlo_indexing::layout {

/// The offsets of a layout, or the coordinates: a row for each coordinate of its first mode and a
/// column for each of the others together; a layout of one mode is one column. Cells of offsets
/// that are equal modulo 8 have one colour. If a mode is nested, borders stand where its first
/// member begins again. An error for more than 65,536 elements.
/// Example: (2,(2,2)):(4,(2,1)) -> 2 rows of 4 offsets
absl::StatusOr<Picture> PictureOf(const CuteTensor& tensor);

/// Thread and value of each element of the tile, a colour for each thread modulo 8. Elements that
/// nobody has are hatched; those of several threads name all of them. An error if the layout has
/// not the modes (thread,value) or reaches outside of the tile.
absl::StatusOr<Picture> PictureOf(const ThreadValueTile& tile);

/// Of a layout or a thread-value tile; an error for other values.
absl::StatusOr<Picture> PictureOf(const CuteValue& value);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PICTURE_H_
