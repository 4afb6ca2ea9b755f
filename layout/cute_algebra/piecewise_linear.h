// A layout as a piecewise linear function of its index: what composition decides by.
//
// Let A have the modes (e_k, a_k), neighbours that continue each other joined, and let P_k be the
// product of the extents before mode k. Then
//
//   A(x) = a_0 * x + sum over k > 0 of c_k * floor(x / P_k),   c_k = a_k - e_(k-1) * a_(k-1) != 0:
//
// a line that jumps by c_k at each multiple of P_k.
//
// Example: A = (10,2):(16,4) is 16 * x - 156 * floor(x / 10), for c_1 = 4 - 10 * 16.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PIECEWISE_LINEAR_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PIECEWISE_LINEAR_H_

#include <cstddef>
#include <cstdint>

#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/modes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// Wide enough for a number of digits times strides.
using Wide = __int128;

/// The breakpoints at which the digits of one mode count up: jump * floor(x / period).
struct Breakpoints {
  /// P_k: the breakpoints are its multiples.
  int64_t period;
  /// c_k; never 0.
  Wide jump;
};

/// What breakpoints add to the function i -> A(i * d): jump * floor(i * residue / period), where
/// residue = d mod period.
struct FloorTerm {
  int64_t residue;
  int64_t period;
  Wide jump;

  bool HasSlopeOf(const FloorTerm& other) const {
    return static_cast<Wide>(residue) * other.period == static_cast<Wide>(other.residue) * period;
  }
  /// The least i with floor(i * residue / period) >= count; residue is not 0.
  Wide FirstReaching(Wide count) const { return (count * period + residue - 1) / residue; }
};

/// Adds up the jumps of terms of equal slope; terms that cancel are dropped.
void CombineLikeTerms(llvm::SmallVectorImpl<FloorTerm>& terms);

/// Whether all jumps are of one sign, so that they cannot cancel.
template <class Range>
bool JumpsHaveOneSign(const Range& range) {
  return llvm::all_of(range, [](const auto& x) { return x.jump > 0; }) ||
         llvm::all_of(range, [](const auto& x) { return x.jump < 0; });
}

/// A layout, or the mode of it that an axis picks.
class PiecewiseLinearLayout {
 public:
  /// The modes must be coalesced, the last one kept.
  explicit PiecewiseLinearLayout(CuteModes modes);

  llvm::ArrayRef<CuteMode> modes() const { return modes_; }
  /// P_k: how far the index goes for each step of the mode's coordinate.
  int64_t index_stride(size_t mode) const { return index_strides_[mode]; }
  /// Whether an index is multiplied by the first stride, whatever it is.
  bool IsLinear() const {
    return axes_.size() == 1 &&
           llvm::all_of(breakpoints_, [](const auto& along_axis) { return along_axis.empty(); });
  }
  bool IsEmpty() const {
    return llvm::any_of(modes_, [](const CuteMode& mode) { return mode.extent.value == 0; });
  }
  /// For each of axes(), the breakpoints of the function along it.
  llvm::ArrayRef<llvm::SmallVector<Breakpoints, 4>> breakpoints() const { return breakpoints_; }

  /// The digit of an index in a mode.
  int64_t Digit(int64_t index, size_t mode) const {
    const int64_t above = index / index_strides_[mode];
    return mode + 1 == modes_.size() ? above : above % modes_[mode].extent.value;
  }

  /// The offset of an index along an axis; wide enough for any.
  Wide Evaluate(int64_t index, AxisPath axis) const;
  llvm::ArrayRef<AxisPath> axes() const { return axes_; }

  /// How many leading modes have digits that differ from 0 at some index below `end`.
  size_t ModesBelow(Wide end) const {
    size_t count = 1;
    while (count < modes_.size() && index_strides_[count] < end) ++count;
    return count;
  }
  /// Whether the extents of that many modes are static.
  bool ExtentsAreStatic(size_t count) const {
    return llvm::all_of(llvm::ArrayRef(modes_).take_front(count),
                        [](const CuteMode& mode) { return mode.extent.is_static(); });
  }

 private:
  void AddBreakpoints(size_t axis, size_t mode, Wide jump);

  CuteModes modes_;
  llvm::SmallVector<int64_t, 6> index_strides_;
  llvm::SmallVector<AxisPath, 1> axes_;
  llvm::SmallVector<llvm::SmallVector<Breakpoints, 4>, 1> breakpoints_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PIECEWISE_LINEAR_H_
