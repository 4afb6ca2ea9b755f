// Layouts in units of wider or narrower elements.
#ifndef HLO_INDEXING_LAYOUT_CUTE_RECAST_H_
#define HLO_INDEXING_LAYOUT_CUTE_RECAST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_layout.h"

namespace hlo_indexing::layout {

/// The layout in elements n times as wide. An error where an extent or a stride is not a multiple
/// of what n elements need, and where two modes run through the n parts of an element.
/// *(8,16):(1,8), 4 -> (2,16):(1,2)*
absl::StatusOr<CuteLayout> Upcast(const CuteLayout& layout, int64_t n);

/// The layout in elements of which n make one. An error where no mode has the stride 1 or -1, for
/// the parts of an element then have none, and where several have it. *(8,16):(1,8), 4 ->
/// (32,16):(1,32)*
absl::StatusOr<CuteLayout> Downcast(const CuteLayout& layout, int64_t n);

/// The layout of the same memory as elements of another width, in bits.
/// *(8,16):(1,8), 8, 32 -> (2,16):(1,2)*
absl::StatusOr<CuteLayout> Recast(const CuteLayout& layout, int64_t old_bits, int64_t new_bits);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_RECAST_H_
