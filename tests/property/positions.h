// Row-major positions and indices of arrays, for tests that enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_POSITIONS_H_
#define HLO_INDEXING_TESTS_PROPERTY_POSITIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::testing {

/// The index of a row-major position. *(5, {2, 3}) -> {1, 2}*
inline std::vector<int64_t> Unflatten(int64_t position, llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = position % sizes[i];
    position /= sizes[i];
  }
  return index;
}

/// The row-major position of an index; nothing where it lies outside. *({1, 2}, {2, 3}) -> 5*
inline std::optional<int64_t> Flatten(llvm::ArrayRef<int64_t> index,
                                      llvm::ArrayRef<int64_t> sizes) {
  int64_t position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (index[i] < 0 || index[i] >= sizes[i]) return std::nullopt;
    position = position * sizes[i] + index[i];
  }
  return position;
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_POSITIONS_H_
