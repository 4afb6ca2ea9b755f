// What is left of a mode while it is split at the modes of the layout that it is composed with, in
// the way CuTe splits it.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_REMAINING_MODE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_REMAINING_MODE_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/modes.h"

namespace hlo_indexing::layout {

/// The integer without its axes.
/// Example: _4@1 -> _4
inline TupleInteger WithoutAxes(TupleInteger integer) {
  integer.axes = {};
  return integer;
}

inline TupleInteger DynamicInteger(int64_t value) { return {value, IntegerKind::kDynamic, 1, {}}; }

/// What the first modes of A have left of a mode of B: an extent, and a stride in units of the next
/// mode of A. As in CuTe only static numbers decide which modes of A are skipped, so that the
/// profile of the result depends on types and not on values.
class RemainingMode {
 public:
  explicit RemainingMode(const CuteMode& mode)
      : extent_(mode.extent), stride_(WithoutAxes(mode.stride)) {}

  bool IsDone() const { return extent_.is_static(1); }
  const TupleInteger& extent() const { return extent_; }
  const TupleInteger& stride() const { return stride_; }

  /// Goes on behind a mode of A, of that extent, if the stride steps over it; false if not.
  bool Skip(const TupleInteger& extent) {
    const bool is_known = extent.is_static() && stride_.is_static();
    if (IsDone()) {
      // A mode of one element gets the stride that it would have further on.
      stride_ =
          is_known && stride_.value > 0 ? DividedRoundingUp(stride_, extent) : StaticInteger(0);
      return true;
    }
    if (!is_known || stride_.value < extent.value) return false;
    const int64_t quotient = QuickQuotient(stride_.value, extent.value);
    if (quotient * extent.value != stride_.value) return false;
    stride_ = StaticInteger(quotient);
    return true;
  }

  /// The part of the extent that fits into a mode of A, split off; nullopt if it does not divide.
  std::optional<TupleInteger> SplitOff(const TupleInteger& extent) {
    const bool is_known = extent.is_static() && stride_.is_static();
    const int64_t step = stride_.value;
    if (step < 0) return std::nullopt;
    const bool fits_whole = step == 0 || extent_.value <= 1 ||
                            QuickQuotient(extent.value - 1, step) >= extent_.value - 1;
    TupleInteger part = extent_;
    if (!fits_whole || !is_known || !extent_.is_static()) {
      const std::optional<TupleInteger> fit = PartialFit(extent, fits_whole);
      if (!fit) return std::nullopt;
      part = *fit;
    }
    if (part == extent_ && is_known && extent_.is_static()) {
      extent_ = StaticInteger(1);
    } else {
      TupleInteger left = DividedRoundingUp(extent_, part);
      extent_ = part.is_static() && extent_.is_static() ? left : DynamicInteger(left.value);
    }
    if (is_known) {
      next_stride_ = StaticInteger(1);
    } else if (stride_.is_static(1)) {
      next_stride_ = stride_;
    } else {
      next_stride_ =
          DynamicInteger(step >= extent.value ? step / extent.value : std::min<int64_t>(step, 1));
    }
    return part;
  }
  /// Goes on to the next mode of A, after SplitOff.
  void Advance() { stride_ = next_stride_; }

 private:
  std::optional<TupleInteger> PartialFit(const TupleInteger& extent, bool fits_whole) const {
    const bool is_known = extent.is_static() && stride_.is_static();
    const int64_t step = stride_.value;
    if (is_known) {
      if (step == 0 || QuickRemainder(extent.value, step) != 0) return std::nullopt;
      const TupleInteger fits = StaticInteger(QuickQuotient(extent.value, step));
      if (extent_.is_static() || extent_.divisor % fits.value == 0) {
        if (QuickRemainder(extent_.value, fits.value) != 0) return std::nullopt;
        return fits;
      }
      if (fits_whole) return DynamicInteger(extent_.value);
      if (extent_.value % fits.value != 0) return std::nullopt;
      return DynamicInteger(fits.value);
    }
    if (fits_whole) return DynamicInteger(extent_.value);
    if (step >= extent.value) {
      if (step % extent.value != 0) return std::nullopt;
      return DynamicInteger(1);
    }
    if (extent.value % step != 0 || extent_.value % (extent.value / step) != 0) return std::nullopt;
    return DynamicInteger(extent.value / step);
  }

  TupleInteger extent_;
  TupleInteger stride_;
  TupleInteger next_stride_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_REMAINING_MODE_H_
