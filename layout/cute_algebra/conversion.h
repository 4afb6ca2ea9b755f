// CuTe layouts to and from sums of digits, affine maps, and XLA's tiled layouts.
//
// A CuTe layout is a sum of digits of its index: the mode e:d with the product P of the extents
// before it is d * ((index floordiv P) mod e). The other way, a sum of digits of box variables is a
// layout with a mode for each variable, where the digits of each divide its extent one after the
// other.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CONVERSION_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CONVERSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/layout.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/AffineMap.h"
#include "simplifier/digit_context.h"
#include "simplifier/interval.h"

namespace hlo_indexing::layout {

/// The offset of an index, which must lie in [0, size). An error for a layout of size 0, or that
/// maps to coordinates.
/// Example: (4,8):(8,1), x -> 8 * (x mod 4) + x floordiv 4
absl::StatusOr<simplifier::Sum> OffsetSum(simplifier::DigitContext& context,
                                          const CuteLayout& layout, const simplifier::Sum& index);

/// The layout with a mode for each of the variables 0, 1, ..., which lie in [0, extent), that has
/// the values of the sum. All its numbers are static. FailedPrecondition if none is found whose
/// modes are digits of the variables: the sum has a constant, digits of sums, or digits that do not
/// divide an extent.
/// Example: 8 * (d0 mod 4) + d0 floordiv 4 + 32 * d1, extents {8, 2} -> ((_4,_2),_2):((_8,_1),_32)
absl::StatusOr<CuteLayout> LayoutOfSum(const simplifier::Sum& sum, llvm::ArrayRef<int64_t> extents);

/// The layout with a mode for each dimension of a map with one result and no symbols.
/// Example: (d0, d1) -> (d0 * 8 + d1), extents {4, 8} -> (_4,_8):(_8,_1)
absl::StatusOr<CuteLayout> LayoutOfAffineMap(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents);

/// An XLA layout as one of CuTe: mode i counts along dimension i, and offsets are positions in
/// elements.
struct CuteOfXla {
  CuteLayout layout;
  /// The array itself, if tiles overrun it and the modes of the layout count the padding too.
  llvm::SmallVector<int64_t, 6> dimensions;
  bool is_padded = false;
};
/// Looked for are layouts whose modes are the digits of the indices of the padded array, and then
/// of the array itself, where the modes may count padding of an inner tile. FailedPrecondition if
/// none is found: a tile combines dimensions whose extents do not divide it, say.
/// Example: [3,5]{1,0:T(2,2)} -> ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)), padded
absl::StatusOr<CuteOfXla> CuteLayoutOfXla(llvm::ArrayRef<int64_t> dimensions, const Layout& layout);

/// The XLA layout of an array with a dimension for each mode, that has the offsets as positions: an
/// order of dimensions, tiled once or not. FailedPrecondition if there is none.
/// Example: ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)) -> {1,0:T(2,2)}
absl::StatusOr<Layout> XlaLayoutOfCute(const CuteLayout& layout);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CONVERSION_H_
