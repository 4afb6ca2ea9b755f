#ifndef HLO_INDEXING_LAYOUT_CUTE_EVENLY_DIVIDES_H_
#define HLO_INDEXING_LAYOUT_CUTE_EVENLY_DIVIDES_H_

#include "layout/cute/layout.h"

// evenly_divides(shape, tiler): whether tiles cover a shape without a rest.
//
//   evenly_divides(Shape<_8, _6>{}, Shape<_2, _3>{})   // true_type
//   evenly_divides(_32{}, Layout<_8, _3>{})            // false_type: a tile spans 24, and 24 does
//                                                      // not divide 32
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// The leaves of a layout as numbers.
template <int capacity>
struct NumberedModes {
  int64_t shape[capacity];
  int64_t stride[capacity];
  int count;

  HLO_CUTE_HD constexpr void Add(int64_t extent, int64_t step) {
    if (extent == 1) return;
    int at = count++;
    for (; at > 0 && stride[at - 1] > step; --at) {
      shape[at] = shape[at - 1];
      stride[at] = stride[at - 1];
    }
    shape[at] = extent;
    stride[at] = step;
  }
  // Whether copies cover `size` exactly: each mode begins at a multiple of what the smaller strides
  // span, and the size is a multiple of what all span.
  HLO_CUTE_HD constexpr bool CoversEvenly(int64_t size) const {
    int64_t covered = 1;
    for (int i = 0; i < count; ++i) {
      if (shape[i] <= 0 || stride[i] <= 0 || stride[i] % covered != 0) return false;
      covered = shape[i] * stride[i];
    }
    return size % covered == 0;
  }
};
template <int capacity, class S, class D>
HLO_CUTE_HD constexpr void CollectNumbers(NumberedModes<capacity>& modes, S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    for_each(zip(s, d),
             [&](auto const& mode) { CollectNumbers(modes, get<0>(mode), get<1>(mode)); });
  } else {
    modes.Add(static_cast<int64_t>(s), static_cast<int64_t>(d));
  }
}
template <class Size, class S, class D>
HLO_CUTE_HD constexpr bool CoversEvenly(Size const& size, Layout<S, D> const& tile) {
  NumberedModes<LeafCount<S>::value> modes{};
  CollectNumbers(modes, tile.shape(), tile.stride());
  return modes.CoversEvenly(static_cast<int64_t>(size));
}

template <class A, class B>
HLO_CUTE_INLINE constexpr auto ModeDividesEvenly(A const& shape, B const& tiler) {
  const auto extent = size(shape);
  using Size = std::decay_t<decltype(extent)>;
  if constexpr (!is_layout_v<B>) {
    return extent % size(tiler) == C<0>{};
  } else if constexpr (is_static_v<Size> && is_static_v<B>) {
    return C<CoversEvenly(Size{}, B{})>{};
  } else {
    return CoversEvenly(extent, tiler);
  }
}

}  // namespace detail

/// Whether a divide of the shape by the tiler, of integers, layouts and `_`, has as many elements
/// as the shape. An integer is a shape of one mode.
/// Example: evenly_divides((8,6), (2,4)) -> false
template <class A, class B>
HLO_CUTE_INLINE constexpr auto evenly_divides(A const& shape, B const& tiler) {
  if constexpr (detail::is_underscore_v<B>) {
    return true_type{};
  } else if constexpr (!detail::is_tuple_v<B>) {
    return detail::ModeDividesEvenly(shape, tiler);
  } else if constexpr (tuple_size_v<B> > tuple_size_v<A>) {
    return false_type{};
  } else {
    return detail::AllMembers(take<0, tuple_size_v<B>>(wrap(shape)), tiler,
                              [](auto const& x, auto const& y) { return evenly_divides(x, y); });
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_EVENLY_DIVIDES_H_
