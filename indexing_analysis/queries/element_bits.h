// A bit for each element of an array: which of them maps reach. Private to the folder.
//
// The position of an element is a sum in independent coordinates (coordinates.h). Those on which it
// depends linearly move bits; only the others are tried value by value, apart for each group of
// them that hang together. So a hundred million points cost a few passes over the bits.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_ELEMENT_BITS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_ELEMENT_BITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// Elements of an array of at most 2^30.
class ElementBits {
 public:
  /// Of none. `max_work` is how many points may be tried, and how many words of bits moved, for all
  /// maps together.
  ElementBits(llvm::ArrayRef<int64_t> sizes, int64_t max_work);

  /// Adds what a map reaches for all values of its variables, those known at run time included.
  /// False, and the elements are of no use, if that is too much work or its results leave the
  /// array.
  bool AddImage(const IndexingMap& map);

  int64_t NumElements() const { return static_cast<int64_t>(bits_.count()); }
  /// The elements that no map reaches as boxes that share none; nullopt if there are more than
  /// `max_boxes`.
  /// Example: all but (1, 1) and (1, 2) of a 3 x 3 array -> [1:2, 1:3]
  std::optional<std::vector<StridedBox>> Unreached(size_t max_boxes) const;

 private:
  bool Spend(int64_t work);
  bool AddNumbers(llvm::ArrayRef<Progression> numbers, llvm::BitVector& bits);
  bool SetNumbers(int64_t first, llvm::ArrayRef<Progression> numbers, llvm::BitVector& bits);
  bool AddSteps(int64_t step, int64_t count, llvm::BitVector& bits);
  bool Shift(int64_t distance, const llvm::BitVector& bits, llvm::BitVector& sum);

  llvm::SmallVector<int64_t, 4> sizes_;
  int64_t remaining_work_;
  llvm::BitVector bits_;
};

/// The points of a map's domain, for all values of its variables; nullopt if counting them is too
/// much work, which is measured as above.
/// Example: (d0, d1) -> (d0), d0 and d1 in [0, 999], d0 - d1 in [0, 9] -> 9,955
std::optional<llvm::DynamicAPInt> NumPointsOf(const IndexingMap& map, int64_t max_work);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_ELEMENT_BITS_H_
