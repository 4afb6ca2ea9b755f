// Where the elements of an array lie by a CuTe layout, for relayouts.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_ELEMENT_POSITIONS_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_ELEMENT_POSITIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/relayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::layout {

/// The positions in an array without empty dimensions by a layout with a mode for each of them: the
/// index along a dimension is that of the mode, which may be larger. An error if the modes are
/// fewer, more, or smaller than the dimensions, or an offset is negative or a coordinate.
/// Example: [3,5] by ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)) -> the positions of {1,0:T(2,2)}
absl::StatusOr<ElementPositions> PositionsOf(simplifier::DigitContext& context,
                                             llvm::ArrayRef<int64_t> sizes,
                                             const CuteLayout& layout, int64_t element_bits);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_ELEMENT_POSITIONS_H_
