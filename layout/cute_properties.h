// What is asked of layouts as functions: are they equal, is each offset taken once, are all taken.
#ifndef HLO_INDEXING_LAYOUT_CUTE_PROPERTIES_H_
#define HLO_INDEXING_LAYOUT_CUTE_PROPERTIES_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "layout/cute_layout.h"
#include "layout/cute_tensor.h"
#include "support/answer.h"

namespace hlo_indexing::layout {

/// The first index at which two layouts have different offsets, marks and nesting aside; where one
/// is longer, its first index beyond the other. Nothing where they are the same function. Exact for
/// layouts of any size: coalesced by value, equal functions have equal modes.
/// *(_2,6):(1,2), 12:1 -> nothing; (4,2):(1,8), 8:1 -> 4*
std::optional<int64_t> FirstDifference(const CuteLayout& a, const CuteLayout& b);
/// The same of tensors. Composed layouts are compared element by element; an error where they have
/// more than 2^20.
absl::StatusOr<std::optional<int64_t>> FirstDifference(const CuteTensor& a, const CuteTensor& b);

/// How many different offsets, or coordinates, the layout has; nothing where that is too hard to
/// count (strides that do not nest, over a range of many millions). *(4,4):(1,2) -> 10*
std::optional<int64_t> NumberOfOffsets(const CuteLayout& layout);
/// Whether different indices have different offsets.
support::Answer IsInjective(const CuteLayout& layout);
/// Whether the offsets are all of 0 to extent - 1, and no others. *(4,4):(1,2), 10 -> yes*
support::Answer IsOnto(const CuteLayout& layout, int64_t extent);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_PROPERTIES_H_
