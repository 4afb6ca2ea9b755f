// Layouts as functions: whether two are equal, and whether one is injective or onto.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PROPERTIES_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PROPERTIES_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tensor.h"
#include "support/answer.h"

namespace hlo_indexing::layout {

/// The first index at which two layouts have different offsets, kinds and nesting aside; if one
/// is longer, its first index beyond the other. Nullopt if they are the same function. Exact for
/// layouts of any size: coalesced by value, equal functions have equal modes.
/// Example: (_2,6):(1,2), 12:1 -> nullopt; (4,2):(1,8), 8:1 -> 4
std::optional<int64_t> FirstDifference(const CuteLayout& a, const CuteLayout& b);
/// The same of tensors. Composed layouts are compared element by element; an error if they have
/// more than 2^20.
absl::StatusOr<std::optional<int64_t>> FirstDifference(const CuteTensor& a, const CuteTensor& b);

/// How many different offsets, or coordinates, the layout has; nullopt if that is too hard to count
/// (strides that do not nest, over a range of many millions).
/// Example: (4,4):(1,2) -> 10
std::optional<int64_t> NumberOfOffsets(const CuteLayout& layout);
/// Whether different indices have different offsets.
support::Answer IsInjective(const CuteLayout& layout);
/// Whether the offsets are all of 0 to extent - 1, and no others.
/// Example: (4,4):(1,2), 10 -> yes
support::Answer IsOnto(const CuteLayout& layout, int64_t extent);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PROPERTIES_H_
