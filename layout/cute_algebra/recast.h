// Layouts in units of wider or narrower elements.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_RECAST_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_RECAST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tensor.h"

namespace hlo_indexing::layout {

/// The layout in elements n times as wide. An error if an extent or a stride is not a multiple of
/// what n elements need, and if two modes run through the n parts of an element.
/// Example: (8,16):(1,8), 4 -> (2,16):(1,2)
absl::StatusOr<CuteLayout> Upcast(const CuteLayout& layout, int64_t n);

/// The layout in elements of which n make one. An error if no mode has the stride 1, for the parts
/// of an element then have none, if several have it, and if one has the stride -1: the parts
/// of an element follow each other upwards.
/// Example: (8,16):(1,8), 4 -> (32,16):(1,32)
absl::StatusOr<CuteLayout> Downcast(const CuteLayout& layout, int64_t n);

/// The layout of the same memory as elements of another width, in bits.
/// Example: (8,16):(1,8), 8, 32 -> (2,16):(1,2)
absl::StatusOr<CuteLayout> Recast(const CuteLayout& layout, int64_t old_bits, int64_t new_bits);

/// The same of layouts that begin at an offset, which is in units of elements too, and behind a
/// swizzle, which then begins log2(n) bits lower or higher. Further errors: n elements do not begin
/// at the offset; n is no power of two, or the swizzle would move the parts of an element apart; a
/// layout is composed with another function.
/// Example: Sw<3,3,3> o _0 o (_8,_64):(_64,_1), 8 -> Sw<3,0,3> o _0 o (_8,_8):(_8,_1)
absl::StatusOr<CuteTensor> Upcast(const CuteTensor& tensor, int64_t n);
/// Example: Sw<3,0,3> o _0 o (_8,_8):(_8,_1), 8 -> Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
absl::StatusOr<CuteTensor> Downcast(const CuteTensor& tensor, int64_t n);
absl::StatusOr<CuteTensor> Recast(const CuteTensor& tensor, int64_t old_bits, int64_t new_bits);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_RECAST_H_
