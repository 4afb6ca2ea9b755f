// A layout as a function that is linear between bends: what composition decides by.
#ifndef HLO_INDEXING_LAYOUT_CUTE_BENDS_H_
#define HLO_INDEXING_LAYOUT_CUTE_BENDS_H_

#include <cstddef>
#include <cstdint>

#include "layout/cute_modes.h"
#include "layout/int_tuple.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// Wide enough for a number of digits times strides.
using Wide = __int128;

/// A place of A at which the digits of a mode begin: where the function bends.
struct Place {
  /// P_k.
  int64_t value;
  /// c_k; never 0.
  Wide bend;
};

/// A jump of floor(i * rest / place) by 1 for every step of `place / rest`.
struct Rate {
  int64_t rest;
  int64_t place;
  Wide bend;

  bool SameAs(const Rate& other) const {
    return static_cast<Wide>(rest) * other.place == static_cast<Wide>(other.rest) * place;
  }
  /// The least i with floor(i * rest / place) >= count; rest is not 0.
  Wide StepOf(Wide count) const { return (count * place + rest - 1) / rest; }
};

/// Adds up what bends alike; what cancels is left out.
void MergeRates(llvm::SmallVectorImpl<Rate>& rates);

/// Whether all bends are of one sign, so that they cannot cancel.
template <class Bends>
bool HaveOneSign(const Bends& bends) {
  return llvm::all_of(bends, [](const auto& x) { return x.bend > 0; }) ||
         llvm::all_of(bends, [](const auto& x) { return x.bend < 0; });
}

/// The left layout, or the mode of it that an axis picks.
class LeftSide {
 public:
  /// The modes must be coalesced, the last one kept.
  explicit LeftSide(CuteModes modes);

  llvm::ArrayRef<CuteMode> modes() const { return modes_; }
  int64_t place(size_t mode) const { return places_[mode]; }
  /// Whether an index is multiplied by the first stride, whatever it is.
  bool IsLinear() const {
    return axes_.size() == 1 &&
           llvm::all_of(bends_, [](const auto& bends) { return bends.empty(); });
  }
  bool IsEmpty() const {
    return llvm::any_of(modes_, [](const CuteMode& mode) { return mode.extent.value == 0; });
  }
  /// Where the function bends, for each axis along which it counts.
  llvm::ArrayRef<llvm::SmallVector<Place, 4>> bends() const { return bends_; }

  /// The digit of an index in a mode.
  int64_t Digit(int64_t index, size_t mode) const {
    const int64_t above = index / places_[mode];
    return mode + 1 == modes_.size() ? above : above % modes_[mode].extent.value;
  }

  /// The offset of an index along an axis; wide enough for any.
  Wide Evaluate(int64_t index, AxisPath axis) const;
  llvm::ArrayRef<AxisPath> axes() const { return axes_; }

  /// How many leading modes an index below `end` reaches.
  size_t ModesBelow(Wide end) const {
    size_t count = 1;
    while (count < modes_.size() && places_[count] < end) ++count;
    return count;
  }
  /// Whether the extents of that many modes are static.
  bool ExtentsAreStatic(size_t count) const {
    return llvm::all_of(llvm::ArrayRef(modes_).take_front(count),
                        [](const CuteMode& mode) { return mode.extent.is_static(); });
  }

 private:
  void AddBend(size_t axis, size_t mode, Wide bend);

  CuteModes modes_;
  llvm::SmallVector<int64_t, 6> places_;
  llvm::SmallVector<AxisPath, 1> axes_;
  llvm::SmallVector<llvm::SmallVector<Place, 4>, 1> bends_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_BENDS_H_
