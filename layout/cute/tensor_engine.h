#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_ENGINE_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_ENGINE_H_

#include "layout/cute/layout_recast.h"
#include "layout/cute/pointer.h"
#include "layout/cute/swizzle_algebra.h"

// Engines: what a tensor holds of its data. An ArrayEngine owns an array, a ViewEngine has an
// iterator.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

constexpr int kArrayAlignment = 16;

template <class T>
constexpr std::size_t array_alignment_v = alignof(T) > static_cast<std::size_t>(kArrayAlignment)
                                              ? alignof(T)
                                              : kArrayAlignment;

}  // namespace detail

/// n elements, aligned for vector accesses of 128 bits; elements of fewer than 8
/// bits are packed. Copying it copies the elements.
template <class T, int64_t n, bool packed = is_subbyte_v<T>>
struct ArrayEngine {
  using iterator = T*;
  using const_iterator = T const*;
  using value_type = T;
  using element_type = T;
  using reference = T&;
  alignas(detail::array_alignment_v<T>) T storage_[n > 0 ? n : 1];
  HLO_CUTE_INLINE constexpr T* begin() { return storage_; }
  HLO_CUTE_INLINE constexpr T const* begin() const { return storage_; }
};
template <class T, int64_t n>
struct ArrayEngine<T, n, true> {
  using iterator = subbyte_iterator<T>;
  using const_iterator = subbyte_iterator<T const>;
  using value_type = T;
  using element_type = T;
  using reference = subbyte_reference<T>;
  static constexpr std::size_t bytes = (n * sizeof_bits_v<T> + 7) / 8 > 0
                                           ? (n* sizeof_bits_v<T> + 7) / 8
                                           : 1;
  // For words as wide as divide it, so that the array is not larger than its elements.
  static constexpr std::size_t alignment = (bytes & -bytes) < 16 ? (bytes & -bytes) : 16;
  alignas(alignment) uint8_t storage_[bytes];
  HLO_CUTE_INLINE iterator begin() { return {storage_, 0}; }
  HLO_CUTE_INLINE const_iterator begin() const { return {storage_, 0}; }
};

/// Anything that can be dereferenced and indexed. Copying it does not copy elements.
template <class Iterator>
struct ViewEngine {
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = iter_value_t<Iterator>;
  using element_type = iter_element_t<Iterator>;
  using reference = iter_reference_t<Iterator>;
  Iterator storage_{};
  HLO_CUTE_INLINE constexpr Iterator const& begin() const { return storage_; }
};
template <class Iterator>
struct ConstViewEngine {
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = iter_value_t<Iterator>;
  using element_type = value_type const;
  using reference = iter_reference_t<Iterator>;
  Iterator storage_{};
  HLO_CUTE_INLINE constexpr Iterator const& begin() const { return storage_; }
};

namespace detail {

template <class Engine>
struct IsOwning : C<false> {};
template <class T, int64_t n, bool packed>
struct IsOwning<ArrayEngine<T, n, packed>> : C<true> {};

#if HLO_INDEXING_CUTE_DEBUG

// Debug builds: the offsets, from the beginning of the tensor, that the memory it was made of has.
struct OffsetRange {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  HLO_CUTE_HD constexpr OffsetRange Moved(int64_t by) const {
    return low == INT64_MIN ? *this : OffsetRange{low - by, high - by};
  }
  HLO_CUTE_HD constexpr bool Contains(int64_t offset) const {
    return low <= offset && offset <= high;
  }
};

template <class S, class D>
HLO_CUTE_LEAF constexpr void AddOffsetRange(OffsetRange& range, S const& s, D const& d);
template <class S, class D, int... I>
HLO_CUTE_HD constexpr void AddOffsetRanges(OffsetRange& range, S const& s, D const& d, seq<I...>) {
  (AddOffsetRange(range, get<I>(s), get<I>(d)), ...);
}
HLO_CUTE_HD constexpr void AddReach(OffsetRange& range, int64_t extent, int64_t stride) {
  int64_t reach = 0;
  int64_t& end = (extent < 1) == (stride < 0) ? range.high : range.low;
  const bool overflows = __builtin_mul_overflow(extent - 1, stride, &reach) ||
                         (range.low != INT64_MIN && __builtin_add_overflow(end, reach, &end));
  HLO_CUTE_CHECK(!overflows, "a size or an offset does not fit 64 bits");
}
template <class S, class D>
HLO_CUTE_LEAF constexpr void AddOffsetRange(OffsetRange& range, S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    AddOffsetRanges(range, s, d, make_seq<tuple_size_v<S>>{});
  } else if constexpr (is_scaled_basis<D>::value) {
    range = OffsetRange{};
  } else {
    AddReach(range, static_cast<int64_t>(s), static_cast<int64_t>(d));
  }
}
template <class S, class D>
HLO_CUTE_HD constexpr OffsetRange RangeOf(Layout<S, D> const& l) {
  OffsetRange range{0, 0};
  AddOffsetRange(range, l.shape(), l.stride());
  return range;
}
template <class L>
HLO_CUTE_HD constexpr OffsetRange RangeOf(L const&) {
  return {};
}

// Whether a coordinate lies inside a shape, mode by mode.
HLO_CUTE_HD constexpr bool IsBelow(int64_t c, int64_t extent) { return c >= 0 && c < extent; }
template <class Coordinate, class S>
HLO_CUTE_LEAF constexpr bool Inside(Coordinate const& c, S const& s);
template <class Coordinate, class S, int... I>
HLO_CUTE_HD constexpr bool InsideModes(Coordinate const& c, S const& s, seq<I...>) {
  return (... && Inside(get<I>(c), get<I>(s)));
}
template <class Coordinate, class S>
HLO_CUTE_LEAF constexpr bool Inside(Coordinate const& c, S const& s) {
  if constexpr (is_underscore_v<Coordinate>) {
    return true;
  } else if constexpr (is_tuple_v<Coordinate>) {
    if constexpr (is_tuple_v<S> && tuple_size_v<S> == tuple_size_v<Coordinate>) {
      return InsideModes(c, s, make_seq<tuple_size_v<S>>{});
    } else {
      return true;  // a compile error elsewhere
    }
  } else {
    return IsBelow(static_cast<int64_t>(c), static_cast<int64_t>(size(s)));
  }
}

#else

// Without checks a tensor has no range.
struct OffsetRange {
  HLO_CUTE_HD constexpr OffsetRange Moved(int64_t) const { return {}; }
};
template <class L>
HLO_CUTE_INLINE constexpr OffsetRange RangeOf(L const&) {
  return {};
}

#endif  // HLO_INDEXING_CUTE_DEBUG

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_ENGINE_H_
