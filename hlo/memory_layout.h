// Where the elements of an array lie in memory.
#ifndef HLO_INDEXING_HLO_MEMORY_LAYOUT_H_
#define HLO_INDEXING_HLO_MEMORY_LAYOUT_H_

#include "absl/status/statusor.h"
#include "hlo/shape.h"
#include "layout/tiled_layout.h"
#include "layout/xla_layout.h"

namespace hlo_indexing::hlo {

/// The layout that the text of an array's shape has, or the one in which the last dimension is the
/// most minor.
/// Example: f32[2,3] -> {1,0}
layout::Layout LayoutOrDefault(const Shape& shape);

/// That layout with the sizes of the array and its bits of an element in memory; an error if they
/// do not fit each other. Example: s4[2,3]{1,0:E(4)} -> 6 positions of 4 bits, 3 bytes
absl::StatusOr<layout::TiledLayout> MemoryLayoutOf(const Shape& shape);

/// Whether any bits in the memory of such an array are elements: not of pred, whose bytes are 0 or
/// 1, nor of types that are narrower than what an element takes, as s4 in a byte.
bool AnyBitsAreElements(const Shape& array);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_MEMORY_LAYOUT_H_
