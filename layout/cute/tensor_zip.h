#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_ZIP_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_ZIP_H_

#include "layout/cute/tensor_partition.h"

// Several tensors of one shape as a tensor of tuples: its element at a coordinate holds the
// elements of all of them there. Slices, tiles and partitions are those of the members.
//
//   Tensor pairs = make_zip_tensor(values, make_identity_tensor(shape(values)));
//   auto [value, coord] = pairs(3);
//   auto [tile, coords] = unzip_tensor(local_tile(pairs, Shape<_8, _8>{}, make_coord(i, j)));
//
// Elements are values: a member is written through the tensor that unzip_tensor gives back.
HLO_CUTE_BEGIN_NAMESPACE

namespace detail {
template <class T>
HLO_CUTE_LEAF constexpr T ZipValue(T const& x) {
  return x;
}
template <class T>
HLO_CUTE_LEAF auto ZipValue(subbyte_reference<T> const& x) {
  return x.get();
}
}  // namespace detail

template <class... Iters>
struct ZipIterator {
  using value_type = tuple<iter_value_t<Iters>...>;
  using element_type = value_type;
  using reference = value_type;
  tuple<Iters...> iters_;

  HLO_CUTE_INLINE constexpr auto operator*() const {
    return apply(iters_,
                 [](auto const&... iter) { return make_tuple(detail::ZipValue(*iter)...); });
  }
  /// Each iterator has an offset of its own.
  template <class Offsets>
  HLO_CUTE_INLINE constexpr auto operator[](Offsets const& offsets) const {
    return detail::TransformApply(
        iters_, offsets,
        [](auto const& iter, auto const& offset) { return detail::ZipValue(iter[offset]); },
        make_seq<sizeof...(Iters)>{});
  }
  template <class Offsets>
  HLO_CUTE_INLINE constexpr auto operator+(Offsets const& offsets) const {
    return Of(detail::TransformApply(
        iters_, offsets, [](auto const& iter, auto const& offset) { return iter + offset; },
        make_seq<sizeof...(Iters)>{}));
  }

 private:
  template <class... Moved>
  HLO_CUTE_INLINE static constexpr ZipIterator<Moved...> Of(tuple<Moved...> const& iters) {
    return {iters};
  }
};

/// Layouts of one shape: their value at a coordinate is the tuple of the values of all.
template <class... Layouts>
struct ZipLayout {
  static constexpr int rank = tuple_element_t<0, tuple<Layouts...>>::rank;
  static_assert(((Layouts::rank == rank) && ...),
                "make_zip_tensor(t0, t1, ...): the tensors have different ranks.");
  tuple<Layouts...> layouts_;

  template <int... I>
  HLO_CUTE_INLINE constexpr auto shape() const {
    return get<0>(layouts_).template shape<I...>();
  }
  template <class Coordinate>
  HLO_CUTE_INLINE constexpr auto operator()(Coordinate const& coord) const {
    return transform(layouts_, [&](auto const& l) { return l(coord); });
  }
};

namespace detail {

template <class... Layouts>
HLO_CUTE_INLINE constexpr ZipLayout<Layouts...> ZipOf(tuple<Layouts...> const& layouts) {
  return {layouts};
}
// f of each layout, zipped.
template <class... Layouts, class F>
HLO_CUTE_INLINE constexpr auto ZipTransform(ZipLayout<Layouts...> const& l, F&& f) {
  return ZipOf(transform(l.layouts_, f));
}

#if HLO_INDEXING_CUTE_DEBUG
template <class... E, class... L, class First>
HLO_CUTE_HD constexpr bool HaveShape(First const& first, Tensor<E, L> const&... t) {
  return (static_cast<bool>(t.shape() == first.shape()) && ...);
}
#endif

}  // namespace detail

template <class E0, class L0, class... E, class... L>
HLO_CUTE_INLINE constexpr auto make_zip_tensor(Tensor<E0, L0> const& t0, Tensor<E, L> const&... t) {
  HLO_CUTE_DEBUG_CHECK(detail::HaveShape(t0, t...),
                       "make_zip_tensor(t0, t1, ...): the tensors have different shapes");
  const auto iters = make_tuple(t0.data(), t.data()...);
  using Iter = ZipIterator<std::decay_t<decltype(t0.data())>, std::decay_t<decltype(t.data())>...>;
  const ZipLayout<L0, L...> layouts{make_tuple(t0.layout(), t.layout()...)};
  return detail::View(Iter{iters}, layouts, detail::RangeOf(layouts));
}
/// The tuple of the tensors that were zipped.
template <class E, class L>
HLO_CUTE_INLINE constexpr auto unzip_tensor(Tensor<E, L> const& t) {
  return transform(t.data().iters_, t.layout().layouts_,
                   [](auto const& iter, auto const& l) { return make_tensor(iter, l); });
}

template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto shape(ZipLayout<L...> const& l) {
  return l.template shape<I...>();
}
template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto rank(ZipLayout<L...> const& l) {
  return rank<I...>(l.shape());
}
template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto size(ZipLayout<L...> const& l) {
  return size<I...>(l.shape());
}
template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto depth(ZipLayout<L...> const& l) {
  return depth<I...>(l.shape());
}
template <class Coordinate, class... L>
HLO_CUTE_INLINE constexpr auto slice_and_offset(Coordinate const& coord, ZipLayout<L...> const& l) {
  const auto sliced =
      zip(transform(l.layouts_, [&](auto const& m) { return slice_and_offset(coord, m); }));
  return make_tuple(detail::ZipOf(get<0>(sliced)), get<1>(sliced));
}
template <class Coordinate, class... L>
HLO_CUTE_INLINE constexpr auto domain_offset(Coordinate const& coord, ZipLayout<L...> const& l) {
  return make_tuple(l, l(coord));
}

#define HLO_CUTE_ZIP_TILED(name)                                                      \
  template <class... L, class Tiler>                                                  \
  HLO_CUTE_INLINE constexpr auto name(ZipLayout<L...> const& l, Tiler const& tiler) { \
    return detail::ZipTransform(l, [&](auto const& m) { return name(m, tiler); });    \
  }
HLO_CUTE_ZIP_TILED(composition)
HLO_CUTE_ZIP_TILED(logical_divide)
HLO_CUTE_ZIP_TILED(zipped_divide)
HLO_CUTE_ZIP_TILED(tiled_divide)
HLO_CUTE_ZIP_TILED(flat_divide)
#undef HLO_CUTE_ZIP_TILED
template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto layout(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return layout<I...>(m); });
}
template <int begin, int end, class... L>
HLO_CUTE_INLINE constexpr auto group(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return group<begin, end>(m); });
}
template <int begin, int end, class... L>
HLO_CUTE_INLINE constexpr auto take(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return take<begin, end>(m); });
}
template <int... I, class... L>
HLO_CUTE_INLINE constexpr auto select(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return select<I...>(m); });
}
template <class... L>
HLO_CUTE_INLINE constexpr auto flatten(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return flatten(m); });
}
template <int n, class... L>
HLO_CUTE_INLINE constexpr auto append(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return append<n>(m); });
}
template <int n, class... L>
HLO_CUTE_INLINE constexpr auto prepend(ZipLayout<L...> const& l) {
  return detail::ZipTransform(l, [](auto const& m) { return prepend<n>(m); });
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_ZIP_H_
