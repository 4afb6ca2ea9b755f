// A mode on its way through the modes of a layout that it is composed with: where CuTe cuts it.
#ifndef HLO_INDEXING_LAYOUT_CUTE_WALK_H_
#define HLO_INDEXING_LAYOUT_CUTE_WALK_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "layout/cute_modes.h"
#include "layout/int_tuple.h"

namespace hlo_indexing::layout {

/// The integer without its axes. *_4@1 -> _4*
inline TupleInteger WithoutAxes(TupleInteger integer) {
  integer.axes = {};
  return integer;
}

inline TupleInteger DynamicInteger(int64_t value) { return {value, IntegerKind::kDynamic, 1, {}}; }

/// A mode of B on its way through the modes of A: what is left of its extent, and its stride in
/// units of the mode that is next. As in CuTe only static numbers decide which modes are passed by,
/// so that the profile of the result depends on types and not on values.
class Walk {
 public:
  explicit Walk(const CuteMode& mode) : rest_(mode.extent), stride_(WithoutAxes(mode.stride)) {}

  bool IsDone() const { return rest_.is_static(1); }
  const TupleInteger& rest() const { return rest_; }
  const TupleInteger& stride() const { return stride_; }

  /// Passes a mode of A by, where nothing of it is taken.
  bool PassBy(const TupleInteger& extent) {
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

  /// How much of the extent fits into the mode; nothing where it does not divide.
  std::optional<TupleInteger> Take(const TupleInteger& extent) {
    const bool is_known = extent.is_static() && stride_.is_static();
    const int64_t step = stride_.value;
    if (step < 0) return std::nullopt;
    const bool fits_whole =
        step == 0 || rest_.value <= 1 || QuickQuotient(extent.value - 1, step) >= rest_.value - 1;
    TupleInteger taken = rest_;
    if (!fits_whole || !is_known || !rest_.is_static()) {
      const std::optional<TupleInteger> part = TakePart(extent, fits_whole);
      if (!part) return std::nullopt;
      taken = *part;
    }
    if (taken == rest_ && is_known && rest_.is_static()) {
      rest_ = StaticInteger(1);
    } else {
      TupleInteger left = DividedRoundingUp(rest_, taken);
      rest_ = taken.is_static() && rest_.is_static() ? left : DynamicInteger(left.value);
    }
    if (is_known) {
      next_stride_ = StaticInteger(1);
    } else if (stride_.is_static(1)) {
      next_stride_ = stride_;
    } else {
      next_stride_ =
          DynamicInteger(step >= extent.value ? step / extent.value : std::min<int64_t>(step, 1));
    }
    return taken;
  }
  /// Goes on to the next mode, after Take.
  void Advance() { stride_ = next_stride_; }

 private:
  std::optional<TupleInteger> TakePart(const TupleInteger& extent, bool fits_whole) const {
    const bool is_known = extent.is_static() && stride_.is_static();
    const int64_t step = stride_.value;
    if (is_known) {
      if (step == 0 || QuickRemainder(extent.value, step) != 0) return std::nullopt;
      const TupleInteger fits = StaticInteger(QuickQuotient(extent.value, step));
      if (rest_.is_static() || rest_.divisor % fits.value == 0) {
        if (QuickRemainder(rest_.value, fits.value) != 0) return std::nullopt;
        return fits;
      }
      if (fits_whole) return DynamicInteger(rest_.value);
      if (rest_.value % fits.value != 0) return std::nullopt;
      return DynamicInteger(fits.value);
    }
    if (fits_whole) return DynamicInteger(rest_.value);
    if (step >= extent.value) {
      if (step % extent.value != 0) return std::nullopt;
      return DynamicInteger(1);
    }
    if (extent.value % step != 0 || rest_.value % (extent.value / step) != 0) return std::nullopt;
    return DynamicInteger(extent.value / step);
  }

  TupleInteger rest_;
  TupleInteger stride_;
  TupleInteger next_stride_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_WALK_H_
