// Arrays that lie in memory by a CuTe layout, for relayouts.
#ifndef HLO_INDEXING_LAYOUT_CUTE_PLACEMENT_H_
#define HLO_INDEXING_LAYOUT_CUTE_PLACEMENT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_layout.h"
#include "layout/relayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::layout {

/// The placement of an array without empty dimensions by a layout with a mode for each of them: the
/// index along a dimension is that of the mode, which may be larger. An error where the modes are
/// fewer, more, or smaller than the dimensions, and where an offset is negative or a coordinate.
/// *[3,5] by ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)) lies as {1,0:T(2,2)} has it*
absl::StatusOr<ElementPlacement> PlacementOf(simplifier::DigitContext& context,
                                             llvm::ArrayRef<int64_t> sizes,
                                             const CuteLayout& layout, int64_t element_bits);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_PLACEMENT_H_
