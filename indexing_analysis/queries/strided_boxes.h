// Parts of an array as strided boxes: products of progressions, as slices are.
//
// What two slices of f32[10] leave is the difference of boxes:
//
//   std::vector<StridedBox> unread = {WholeArray({10})};
//   Subtract(SliceOf({.offset = 0, .size = 5, .stride = 2}), 100, unread);  // 0, 2, 4, 6, 8
//   Subtract(SliceOf({.offset = 7, .size = 3, .stride = 1}), 100, unread);  // 7, 8, 9
//
// gives [1:6:2], the elements 1, 3 and 5.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_STRIDED_BOXES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_STRIDED_BOXES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/sum_set.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::Progression;

/// The elements whose index in each dimension is in a progression. Of no dimension: one element.
struct StridedBox {
  llvm::SmallVector<Progression, 4> sides;

  /// How many elements it has.
  llvm::DynamicAPInt NumElements() const;

  /// Writes a slice in the notation of HLO, start, limit and stride, which is left out where it is
  /// 1: `[0:4, 1:6:2]`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const StridedBox&, const StridedBox&) = default;
};

/// The numbers in both progressions; nullopt if there are none.
/// Example: 0, 2, ..., 10 and 1, 4, 7, 10 -> 4, 10
std::optional<Progression> Intersect(const Progression& a, const Progression& b);

/// The box of all elements; sizes are at least 1.
StridedBox WholeArray(llvm::ArrayRef<int64_t> sizes);

/// Takes the elements of a box away from boxes that share none: in place of each that it meets,
/// what is left of it. False if that would be more than `max_boxes`; then the boxes are of no use.
bool Subtract(const StridedBox& box, size_t max_boxes, std::vector<StridedBox>& boxes);

/// Joins boxes that share no element, where two differ in one dimension and the progressions there
/// are one together, and sorts them by their first elements. Leaves more than a thousand alone.
/// Example: [0:2, 0:4] and [2:5, 0:4] -> [0:5, 0:4]
void Join(std::vector<StridedBox>& boxes);

/// How many elements boxes have that share none.
llvm::DynamicAPInt NumElements(llvm::ArrayRef<StridedBox> boxes);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_STRIDED_BOXES_H_
