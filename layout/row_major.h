// Row-major positions of indices, and back: what a reshape does, and each level of a tiling.
#ifndef HLO_INDEXING_LAYOUT_ROW_MAJOR_H_
#define HLO_INDEXING_LAYOUT_ROW_MAJOR_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::layout {

/// The product of the sizes; nullopt if it does not fit in 64 bits.
std::optional<int64_t> Product(llvm::ArrayRef<int64_t> sizes);

/// The row-major position of an index into an array of these sizes; nullopt if their product does
/// not fit in 64 bits.
/// Example: (d0, d1), {3, 5} -> 5 * d0 + d1
std::optional<simplifier::Sum> Linearize(simplifier::DigitContext& context,
                                         llvm::ArrayRef<simplifier::Sum> index,
                                         llvm::ArrayRef<int64_t> sizes);

/// The index at a position, which must lie inside the array: the leading coordinate is the plain
/// quotient.
/// Example: d0 in [0, 14], {3, 5} -> (d0 floordiv 5, d0 mod 5)
llvm::SmallVector<simplifier::Sum, 6> Delinearize(simplifier::DigitContext& context,
                                                  simplifier::Sum position,
                                                  llvm::ArrayRef<int64_t> sizes);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_ROW_MAJOR_H_
