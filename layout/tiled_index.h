// Where an element of a tiled array lies in memory, and which element lies somewhere, as digit
// sums.
//
// A tiling of bounds d by t turns every coordinate e into (e floordiv t, e mod t) and the bounds
// into (ceil(d / t), t), all quotients before all remainders; the next level tiles the result. The
// linear index is row-major over the final bounds. Positions that no element maps to are padding.
// Source of the formulas: XLA's "Tiled layout" document.
#ifndef HLO_INDEXING_LAYOUT_TILED_INDEX_H_
#define HLO_INDEXING_LAYOUT_TILED_INDEX_H_

#include <cstdint>
#include <optional>

#include "layout/xla_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::layout {

/// The position, in elements, of the element at `index` of an array with these dimensions. Nullopt
/// if a size does not fit in 64 bits. The layout must be valid for the rank (FindLayoutError).
/// Example: F32[3,5]{1,0:T(2,2)}, (2, 3) -> 17
std::optional<simplifier::Sum> PhysicalIndex(simplifier::DigitContext& context,
                                             llvm::ArrayRef<simplifier::Sum> index,
                                             llvm::ArrayRef<int64_t> dimensions,
                                             const Layout& layout);

/// The element at a position, and the constraints on the position that exclude padding.
struct LogicalIndexResult {
  llvm::SmallVector<simplifier::Sum, 6> index;
  llvm::SmallVector<simplifier::Constraint, 2> constraints;
};

/// The inverse of PhysicalIndex. `position` must lie inside the array with its padding.
std::optional<LogicalIndexResult> LogicalIndex(simplifier::DigitContext& context,
                                               const simplifier::Sum& position,
                                               llvm::ArrayRef<int64_t> dimensions,
                                               const Layout& layout);

/// The number of elements that the array takes in memory, padding of every tiling and of the tail
/// included. Nullopt if that does not fit in 64 bits.
/// Example: F32[3,5]{1,0:T(2,2)} -> 24
std::optional<int64_t> PhysicalElements(llvm::ArrayRef<int64_t> dimensions, const Layout& layout);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_TILED_INDEX_H_
