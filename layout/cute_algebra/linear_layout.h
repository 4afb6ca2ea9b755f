// CuTe layouts as linear layouts: matrices over the field of two elements, given by the images of
// the powers of two, as Triton has them.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LINEAR_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LINEAR_LAYOUT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// The offsets of the indices 1, 2, 4, ..., where the layout has 2^n elements and the offset of an
/// index is the xor of those of its bits. FailedPrecondition if it is not: the size is no power of
/// two, a mode carries, or index 0 is not at 0; ResourceExhausted for a layout behind a layout of
/// more than 2^20 elements. A swizzle is linear itself.
/// Example: Sw<1,2,3> o _0 o (_4,_4,_4):(_16,_4,_1) -> {16, 36, 4, 8, 1, 2}
absl::StatusOr<llvm::SmallVector<int64_t, 8>> LinearBases(const CuteTensor& tensor);

/// The layout with these bases. FailedPrecondition if two have a bit in common: a swizzle, say, no
/// layout has them.
/// Example: {2, 4, 1} -> (_4,_2):(_2,_1)
absl::StatusOr<CuteLayout> LayoutOfBases(llvm::ArrayRef<int64_t> bases);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_LINEAR_LAYOUT_H_
