#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_PARTITION_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_PARTITION_H_

#include "layout/cute/tensor_core.h"

// Tensors taken apart: composition and the divides, and partitions, which are a divide and a slice.
//
// Products of tensors do not exist: they would reach elements far outside of the data.
//
// The functions repeat each other on purpose: a helper or a macro between a call and the sentence
// that says what is wrong with it adds three lines to each compiler's message.
HLO_CUTE_BEGIN_NAMESPACE

namespace detail {
// Whether a tiler has no more modes than a layout.
template <class L, class Tiler>
constexpr bool tiler_fits_v = !is_tuple_v<Tiler> || tuple_size_v<Tiler> <= L::rank;
}  // namespace detail

/// Composition and the divides of a tensor: those of its layout, with the data as they are.
/// Example: zipped_divide(t with (24,8):(1,24), (8,4)) -> t with ((8,4),(3,2)):((1,24),(8,96))
template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto composition(T&& t, Tiler const& tiler) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (detail::tiler_fits_v<L, Tiler>) {
    return detail::WithLayout(t, composition(t.layout(), tiler));
  } else {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  }
}
template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto logical_divide(T&& t, Tiler const& tiler) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (detail::tiler_fits_v<L, Tiler>) {
    return detail::WithLayout(t, logical_divide(t.layout(), tiler));
  } else {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  }
}
template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto zipped_divide(T&& t, Tiler const& tiler) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (detail::tiler_fits_v<L, Tiler>) {
    return detail::WithLayout(t, zipped_divide(t.layout(), tiler));
  } else {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  }
}
template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto tiled_divide(T&& t, Tiler const& tiler) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (detail::tiler_fits_v<L, Tiler>) {
    return detail::WithLayout(t, tiled_divide(t.layout(), tiler));
  } else {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  }
}
template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto flat_divide(T&& t, Tiler const& tiler) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (detail::tiler_fits_v<L, Tiler>) {
    return detail::WithLayout(t, flat_divide(t.layout(), tiler));
  } else {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  }
}

namespace detail {
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorTensorProduct() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "products of tensors do not exist, for they would reach elements outside of the "
          "data. Multiply the layout instead."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorPartitionCoordinate() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "inner_partition, outer_partition, local_tile: the coordinate has more modes than "
          "the grid of tiles, or than the tile."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorProjection() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("local_tile, local_partition: the projection has another rank than "
                        "the tiler, the coordinate or the threads."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorProjectionModes() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("local_tile, local_partition: the projection keeps more modes than "
                        "the tensor has."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorThreadIndex() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE(
                    "local_partition(t, threads, index): the index of the thread is no integer."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorThreads() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE(
                    "local_partition(t, threads, index): the threads are not given as a layout."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorThreadModes() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("local_partition(t, threads, index): the layout of the threads has "
                        "more modes than the tensor."));
}
// How many modes a projection keeps, and whether it has as many as what it is applied to.
template <class Projection>
struct KeptModes : C<(is_underscore_v<Projection> ? 0 : 1)> {};
template <class... P>
struct KeptModes<tuple<P...>> : C<(KeptModes<P>::value + ... + 0)> {};
template <class Projection, class T>
constexpr bool projects_v =
    is_tuple_v<Projection> && is_tuple_v<T> && tuple_size_v<Projection> == tuple_size_v<T>;
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorTileExtent() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("tile_extent(shape, tiler, coord): they have different ranks."));
}
}  // namespace detail

#define HLO_CUTE_NO_TENSOR_PRODUCT(name)                                                         \
  template <class T, class Tiler, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0> \
  HLO_CUTE_INLINE constexpr void name(T&&, Tiler const&) {                                       \
    detail::ErrorTensorProduct<HLO_CUTE_NAMED(typename std::decay_t<T>::layout_type),            \
                               HLO_CUTE_NAMED(Tiler)>();                                         \
  }
HLO_CUTE_NO_TENSOR_PRODUCT(logical_product)
HLO_CUTE_NO_TENSOR_PRODUCT(zipped_product)
HLO_CUTE_NO_TENSOR_PRODUCT(tiled_product)
HLO_CUTE_NO_TENSOR_PRODUCT(flat_product)
HLO_CUTE_NO_TENSOR_PRODUCT(blocked_product)
HLO_CUTE_NO_TENSOR_PRODUCT(raked_product)
#undef HLO_CUTE_NO_TENSOR_PRODUCT

template <class Engine, class LayoutType>
template <class... Tilers>
HLO_CUTE_INLINE constexpr auto Tensor<Engine, LayoutType>::compose(Tilers const&... tilers) const {
  return detail::WithLayout(*this, layout().compose(tilers...));
}
template <class Engine, class LayoutType>
template <class... Tilers>
HLO_CUTE_INLINE constexpr auto Tensor<Engine, LayoutType>::tile(Tilers const&... tilers) const {
  return detail::WithLayout(*this, layout().tile(tilers...));
}

namespace detail {

// A tile of ((tile),(grid)), and what has one place in all tiles; `_` fills coordinates up.
template <class T, class Coordinate>
HLO_CUTE_INLINE constexpr auto TileOf(T const& tiled, Coordinate const& coord) {
  constexpr int tiles = decltype(rank<0>(tiled))::value;
  constexpr int grid = decltype(rank<1>(tiled))::value;
  if constexpr (!is_tuple_v<Coordinate>) {
    return tiled(repeat<tiles>(_), coord);
  } else if constexpr (tuple_size_v<Coordinate> <= grid) {
    return tiled(repeat<tiles>(_), append<grid>(coord, _));
  } else {
    using L = typename T::layout_type;
    ErrorPartitionCoordinate<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Coordinate)>();
    return tiled;
  }
}
template <class T, class Coordinate>
HLO_CUTE_INLINE constexpr auto ElementsOf(T const& tiled, Coordinate const& coord) {
  constexpr int tiles = decltype(rank<0>(tiled))::value;
  constexpr int grid = decltype(rank<1>(tiled))::value;
  if constexpr (!is_tuple_v<Coordinate>) {
    return tiled(coord, repeat<grid>(_));
  } else if constexpr (tuple_size_v<Coordinate> <= tiles) {
    return tiled(append<tiles>(coord, _), repeat<grid>(_));
  } else {
    using L = typename T::layout_type;
    ErrorPartitionCoordinate<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Coordinate)>();
    return tiled;
  }
}

}  // namespace detail

/// The tile at a coordinate, inside the grid of tiles: the inner modes are kept. A coordinate may
/// have `_`, and has it if it is shorter than the grid.
/// Example: inner_partition((24,8):(1,24), (8,4), (1,1)) -> (8,4):(1,24) at offset 104
template <class T, class Tiler, class Coordinate,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto inner_partition(T&& t, Tiler const& tiler, Coordinate const& coord) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!detail::tiler_fits_v<L, Tiler>) {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  } else {
    return detail::TileOf(zipped_divide(t, tiler), coord);
  }
}
/// The element at a coordinate inside of each tile: the outer modes are kept.
/// Example: outer_partition((24,8):(1,24), (8,4), 10) -> (3,2):(8,96) at offset 26
template <class T, class Tiler, class Coordinate,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto outer_partition(T&& t, Tiler const& tiler, Coordinate const& coord) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!detail::tiler_fits_v<L, Tiler>) {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  } else {
    return detail::ElementsOf(zipped_divide(t, tiler), coord);
  }
}

/// inner_partition, as kernels call it. With a projection, only its modes with integers take part:
/// local_tile(t, (BM,BN,BK), (m,n,k), Step<_1,X,_1>{}).
template <class T, class Tiler, class Coordinate,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto local_tile(T&& t, Tiler const& tiler, Coordinate const& coord) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!detail::tiler_fits_v<L, Tiler>) {
    detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
    return detail::WithLayout(t, t.layout());
  } else {
    return detail::TileOf(zipped_divide(t, tiler), coord);
  }
}
template <class T, class Tiler, class Coordinate, class Projection,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto local_tile(T&& t, Tiler const& tiler, Coordinate const& coord,
                                          Projection const& projection) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!detail::projects_v<Projection, Tiler> ||
                !detail::projects_v<Projection, Coordinate>) {
    detail::ErrorProjection<HLO_CUTE_NAMED(Tiler), HLO_CUTE_NAMED(Coordinate),
                            HLO_CUTE_NAMED(Projection)>();
    return detail::WithLayout(t, t.layout());
  } else if constexpr (detail::KeptModes<Projection>::value > L::rank) {
    detail::ErrorProjectionModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Projection)>();
    return detail::WithLayout(t, t.layout());
  } else {
    return local_tile(t, dice(projection, tiler), dice(projection, coord));
  }
}

namespace detail {

// get_flat_coord is right for the threads of a compact layout.
template <class S, class D, class Index>
HLO_CUTE_INLINE constexpr void CheckThread(Layout<S, D> const& threads, Index const& index) {
  static_cast<void>(threads);
  static_cast<void>(index);
  HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(index) >= 0 &&
                           static_cast<int64_t>(index) < static_cast<int64_t>(cosize(threads)),
                       "local_partition(t, threads, index): the index is not one of a thread");
  HLO_CUTE_DEBUG_CHECK(
      static_cast<int64_t>(threads(threads.get_flat_coord(index))) == static_cast<int64_t>(index),
      "local_partition(t, threads, index): the layout of the threads is not compact");
}

}  // namespace detail

/// The elements of one of the threads that a layout of threads tiles the tensor with.
/// Example: local_partition((24,8):(1,24), 8x4 threads, 10) -> (3,2):(8,96) at offset 26
template <class T, class S, class D, class Index,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto local_partition(T&& t, Layout<S, D> const& threads,
                                               Index const& index) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!is_integral<Index>::value) {
    detail::ErrorThreadIndex<HLO_CUTE_NAMED(L)>();
    return detail::WithLayout(t, t.layout());
  } else if constexpr (tuple_size_v<S> > L::rank) {
    detail::ErrorThreadModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Layout<S, D>)>();
    return detail::WithLayout(t, t.layout());
  } else {
    detail::CheckThread(threads, index);
    return outer_partition(t, product_each(threads.shape()), threads.get_flat_coord(index));
  }
}
template <
    class T, class Threads, class Index,
    std::enable_if_t<is_tensor<detail::Plain<T>>::value && !is_layout<Threads>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto local_partition(T&& t, Threads const&, Index const&) {
  using L = typename std::decay_t<T>::layout_type;
  detail::ErrorThreads<HLO_CUTE_NAMED(L)>();
  return detail::WithLayout(t, t.layout());
}
template <class T, class S, class D, class Index, class Projection,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto local_partition(T&& t, Layout<S, D> const& threads,
                                               Index const& index, Projection const& projection) {
  using L = typename std::decay_t<T>::layout_type;
  if constexpr (!is_integral<Index>::value) {
    detail::ErrorThreadIndex<HLO_CUTE_NAMED(L)>();
    return detail::WithLayout(t, t.layout());
  } else if constexpr (!detail::projects_v<Projection, S>) {
    detail::ErrorProjection<HLO_CUTE_NAMED(Layout<S, D>), HLO_CUTE_NAMED(Projection)>();
    return detail::WithLayout(t, t.layout());
  } else if constexpr (detail::KeptModes<Projection>::value > L::rank) {
    detail::ErrorProjectionModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Projection)>();
    return detail::WithLayout(t, t.layout());
  } else {
    // The index counts all threads, those of the modes that are left out as well.
    detail::CheckThread(threads, index);
    const auto projected = dice(projection, threads);
    return outer_partition(t, product_each(projected.shape()), projected.get_flat_coord(index));
  }
}

/// How much of a tile lies inside the shape, mode by mode: the last tiles of modes that the tiler
/// does not divide are smaller. Guard accesses to them with elem_less(coord, tile_extent(...)).
/// Example: tile_extent((41,55), (4,8), (10,6)) -> (1,7)
template <class S, class Tiler, class Coordinate>
HLO_CUTE_INLINE constexpr auto tile_extent(S const& shape, Tiler const& tiler,
                                           Coordinate const& coord) {
  if constexpr (detail::is_tuple_v<Tiler>) {
    if constexpr (tuple_size_v<Tiler> == tuple_size_v<S> &&
                  tuple_size_v<Tiler> == tuple_size_v<Coordinate>) {
      return detail::TransformApply(
          shape, tiler, coord,
          [](auto const& s, auto const& t, auto const& c) { return tile_extent(s, t, c); },
          make_seq<tuple_size_v<Tiler>>{});
    } else {
      detail::ErrorTileExtent<HLO_CUTE_NAMED(S), HLO_CUTE_NAMED(Tiler),
                              HLO_CUTE_NAMED(Coordinate)>();
      return shape;
    }
  } else {
    const int64_t extent = static_cast<int64_t>(size(shape));
    const int64_t tile = static_cast<int64_t>(size(tiler));
    const int64_t rest = extent - static_cast<int64_t>(coord) * tile;
    return static_cast<int>(rest < 0 ? 0 : (rest < tile ? rest : tile));
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_PARTITION_H_
