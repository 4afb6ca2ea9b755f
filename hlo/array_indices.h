// Iteration over the indices of arrays. Private to the folder.
#ifndef HLO_INDEXING_HLO_ARRAY_INDICES_H_
#define HLO_INDEXING_HLO_ARRAY_INDICES_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo {

using Index = llvm::SmallVector<int64_t, 8>;

/// The row-major strides of an array. Those of an array without elements may not fit; nothing is at
/// them.
/// Example: {2, 3, 4} -> {12, 4, 1}
inline Index RowMajorStrides(llvm::ArrayRef<int64_t> sizes) {
  Index strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = support::CheckedMul(strides[i], sizes[i]).value_or(0);
  }
  return strides;
}

/// The row-major position of an index.
inline int64_t PositionOf(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) position += index[i] * strides[i];
  return position;
}

/// The index of a row-major position.
inline Index IndexOf(int64_t position, llvm::ArrayRef<int64_t> sizes) {
  Index index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = position % sizes[i];
    position /= sizes[i];
  }
  return index;
}

/// The product of the sizes; the largest integer if it does not fit.
inline int64_t NumIndices(llvm::ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, int64_t{0})) return 0;
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count = support::CheckedMul(count, size).value_or(support::kInt64Max);
  }
  return count;
}

/// Calls `visit(index)` for every index below the sizes, in row-major order, until it returns
/// false; whether it never did. One empty index if there are no dimensions.
template <typename Visit>
bool ForEachIndex(llvm::ArrayRef<int64_t> sizes, Visit visit) {
  for (const int64_t size : sizes) {
    if (size <= 0) return true;
  }
  Index index(sizes.size(), 0);
  while (true) {
    if (!visit(llvm::ArrayRef<int64_t>(index))) return false;
    size_t i = sizes.size();
    while (i > 0 && ++index[i - 1] == sizes[i - 1]) index[--i] = 0;
    if (i == 0) return true;
  }
}

/// Calls `visit(number, position)` for every index below the sizes in row-major order: its number,
/// and `start` plus the sum of its coordinates times the strides.
/// Example: sizes {2, 2}, strides {1, 2} -> (0, 0) (1, 2) (2, 1) (3, 3)
template <typename Visit>
void ForEachStrided(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides, int64_t start,
                    Visit visit) {
  for (const int64_t size : sizes) {
    if (size <= 0) return;
  }
  Index index(sizes.size(), 0);
  int64_t position = start;
  for (int64_t number = 0;; ++number) {
    visit(number, position);
    size_t i = sizes.size();
    while (i > 0) {
      --i;
      position += strides[i];
      if (++index[i] < sizes[i]) break;
      position -= strides[i] * sizes[i];
      index[i] = 0;
      if (i == 0) return;
    }
    if (sizes.empty()) return;
  }
}

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_ARRAY_INDICES_H_
