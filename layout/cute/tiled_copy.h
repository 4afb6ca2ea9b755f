#ifndef HLO_INDEXING_LAYOUT_CUTE_TILED_COPY_H_
#define HLO_INDEXING_LAYOUT_CUTE_TILED_COPY_H_

#include "layout/cute/copy_atom.h"
#include "layout/cute/tensor_partition.h"

// TiledCopy: a tile copied by many threads, each by one copy atom or several.
//
//   auto copy_a = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
//                                 Layout<Shape<_32, _8>>{},   // threads, 32 x 8
//                                 Layout<Shape<_4, _1>>{});   // values of a thread, 4 x 1
//   auto thread_copy = copy_a.get_slice(threadIdx.x);
//   copy(copy_a, thread_copy.partition_S(gA), thread_copy.partition_D(sA));
//
// The tile is given by TV, which maps (thread, value) to an index of it, and by its shape. Values
// are counted as the reference layout of the atom counts them; partition_S and partition_D go on to
// what the atom's threads read and write.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// f(layout), behind the function of a composed layout.
template <class S, class D, class F>
HLO_CUTE_INLINE constexpr auto OnPlainLayout(Layout<S, D> const& l, F&& f) {
  return f(l);
}
template <class A, class O, class B, class F>
HLO_CUTE_INLINE constexpr auto OnPlainLayout(ComposedLayout<A, O, B> const& l, F&& f) {
  return make_composed_layout(l.layout_a(), l.offset(), f(l.layout_b()));
}

// How the values of one thread lie in the tile, after the first `vector` of them: the extents of
// the grid of vectors by modes of the tile, and a layout from the number of a vector to its place
// in that grid, the first mode fastest.
struct VectorGridOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& vectors,
                                        ModeTree<N> const& tiler) {
    const Modes<N> modes = vectors.Leaves();
    const Modes<N> tile = tiler.Leaves();
    Modes<N> split{};
    int axis[N] = {};
    for (int i = 0; i < modes.count; ++i) {
      SplitAtModesOfTile(o.program, modes.mode[i], tile, split, axis);
    }
    o.tree.AddTuple(split.count);
    for (int i = 0; i < split.count; ++i) {
      int64_t stride = 1;
      for (int k = 0; k < split.count; ++k) {
        const bool before =
            axis[k] < axis[i] ||
            (axis[k] == axis[i] && split.mode[k].stride.value < split.mode[i].stride.value);
        if (before) stride *= split.mode[k].shape.value;
      }
      Mode mode{};
      mode.shape = split.mode[i].shape;
      mode.stride = Known(stride);
      o.tree.AddLeaf(mode);
    }
  }
  // A mode as modes each of which stays in one mode of the tile.
  template <int N>
  HLO_CUTE_HD static constexpr void SplitAtModesOfTile(Program<N>& p, Mode const& mode,
                                                       Modes<N> const& tile, Modes<N>& split,
                                                       int* axis) {
    int64_t extent = mode.shape.value;
    int64_t stride = mode.stride.value;
    int64_t end = 1;
    for (int a = 0; a < tile.count && extent > 1; ++a) {
      end *= tile.mode[a].shape.value;
      if (stride >= end && a + 1 < tile.count) continue;
      const int64_t fits = a + 1 == tile.count ? extent : end / stride;
      const int64_t taken = extent < fits ? extent : fits;
      if (taken > 1) {
        if (split.count < N) axis[split.count] = a;
        Push(p, split, Known(taken), Known(stride));
      }
      extent /= taken;
      stride *= taken;
    }
  }
};
// The extents of the grid.
struct VectorGridShapeOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& vectors,
                                        ModeTree<N> const& tiler) {
    const Modes<N> modes = vectors.Leaves();
    const Modes<N> tile = tiler.Leaves();
    Modes<N> split{};
    int axis[N] = {};
    for (int i = 0; i < modes.count; ++i) {
      VectorGridOperation::SplitAtModesOfTile(o.program, modes.mode[i], tile, split, axis);
    }
    o.tree.AddTuple(tile.count);
    for (int a = 0; a < tile.count; ++a) {
      int64_t extent = 1;
      for (int i = 0; i < split.count; ++i) {
        if (axis[i] == a) extent *= split.mode[i].shape.value;
      }
      Mode mode{};
      mode.shape = Known(extent);
      o.tree.AddLeaf(mode);
    }
  }
};

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorTiledCopyAtom() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("TiledCopy<Atom, TV, Tiler>: the threads or values of TV are no "
                                  "multiple of those of the atom."));
}

}  // namespace detail

template <class TiledCopy_, class Index>
struct ThrCopy;

template <class Atom, class TV, class Tiler>
struct TiledCopy : Atom {
  using TiledLayout_TV = TV;
  using Tiler_MN = Tiler;
  using AtomLayoutSrc = typename Atom::ValLayoutSrc;
  using AtomLayoutDst = typename Atom::ValLayoutDst;
  using AtomLayoutRef = typename Atom::ValLayoutRef;
  using AtomNumThr = decltype(size<0>(AtomLayoutRef{}));
  using AtomNumVal = decltype(size<1>(AtomLayoutRef{}));
  using TiledNumThr = decltype(size<0>(TV{}));
  using TiledNumVal = decltype(size<1>(TV{}));

  TiledCopy() = default;
  HLO_CUTE_INLINE constexpr TiledCopy(Atom const& atom) : Atom(atom) {}

  template <class... Arguments>
  HLO_CUTE_INLINE constexpr auto with(Arguments const&... arguments) const {
    using With = std::decay_t<decltype(static_cast<Atom const&>(*this).with(arguments...))>;
    return TiledCopy<With, TV, Tiler>(static_cast<Atom const&>(*this).with(arguments...));
  }

  /// ((thread), (values), (tiles...)) of what threads read, and of what they write.
  template <class L>
  HLO_CUTE_INLINE static constexpr auto tidfrg_S(L const& l) {
    return Partitioned(l, composition(right_inverse(AtomLayoutRef{}), AtomLayoutSrc{}));
  }
  template <class L>
  HLO_CUTE_INLINE static constexpr auto tidfrg_D(L const& l) {
    return Partitioned(l, composition(right_inverse(AtomLayoutRef{}), AtomLayoutDst{}));
  }
  HLO_CUTE_INLINE static constexpr auto get_layoutS_TV() { return LayoutOfTile(AtomLayoutSrc{}); }
  HLO_CUTE_INLINE static constexpr auto get_layoutD_TV() { return LayoutOfTile(AtomLayoutDst{}); }

  /// A thread's registers, arranged for another partition of the same tile (V,Rest...), as this
  /// copy takes them: (values of the atom, atoms), rests.
  template <class T>
  HLO_CUTE_INLINE static constexpr auto retile(T&& tensor) {
    constexpr int64_t vector = size_v<decltype(shape<0>(tensor))>;
    constexpr int64_t values = TiledNumVal::value;
    static_assert(values % vector == 0,
                  "retile(tensor): the values of a thread are no multiple of the tensor's mode 0.");
    if constexpr (values % vector != 0) {
      return tensor;
    } else {
      return Retiled<vector>(tensor);
    }
  }

  template <class Index>
  HLO_CUTE_INLINE constexpr auto get_slice(Index const& index) const {
    return ThrCopy<TiledCopy, Index>{index};
  }
  template <class Index>
  HLO_CUTE_INLINE constexpr auto get_thread_slice(Index const& index) const {
    return get_slice(index);
  }

 private:
  template <int64_t vector, class T>
  HLO_CUTE_INLINE static constexpr auto Retiled(T& tensor) {
    constexpr int r = std::decay_t<T>::rank;
    constexpr int64_t values = TiledNumVal::value;
    using Vectors = decltype(composition(layout<1>(TV{}),
                                         Layout<StaticInt<values / vector>, StaticInt<vector>>{}));
    using Modes = decltype(product_each(Tiler{}));
    using Grid = decltype(detail::Evaluate<detail::VectorGridOperation>(Vectors{}, Modes{}));
    using Extents =
        decltype(detail::Evaluate<detail::VectorGridShapeOperation>(Vectors{}, Modes{}).shape());
    // From the number of a value to its element in (V, grid...).
    const auto places =
        make_layout(Layout<StaticInt<vector>>{},
                    make_layout(Grid{}.shape(), transform_leaf(Grid{}.stride(), [](auto d) {
                                  return d * StaticInt<vector>{};
                                })));
    const auto by_atom = zipped_divide(make_layout(places), make_tile(AtomNumVal{}));
    const auto tiles =
        zipped_divide(tensor.layout(),
                      prepend(take<0, r - 1>(append<r>(Extents{}, C<1>{})), StaticInt<vector>{}));
    return detail::WithLayout(
        tensor, Opened(make_layout(composition(layout<0>(tiles), by_atom), layout<1>(tiles)),
                       make_seq<r - 1>{}));
  }
  // ((thread, rest), (value, rest)) -> index of the tile, of what the atom's threads move.
  template <class RefToTarget>
  HLO_CUTE_INLINE static constexpr auto ThreadsAndValues(RefToTarget const& target) {
    constexpr bool fits =
        TiledNumThr::value % AtomNumThr::value == 0 && TiledNumVal::value % AtomNumVal::value == 0;
    if constexpr (!fits) {
      detail::ErrorTiledCopyAtom<HLO_CUTE_NAMED(TV), HLO_CUTE_NAMED(AtomLayoutRef)>();
    }
    const auto atoms = zipped_divide(TV{}, make_tile(AtomNumThr{}, AtomNumVal{}));
    const auto moved = composition(layout<0>(atoms), target);
    return make_layout(make_layout(layout<0>(moved), layout<1, 0>(atoms)),
                       make_layout(coalesce(layout<1>(moved)), layout<1, 1>(atoms)));
  }
  template <class L>
  HLO_CUTE_INLINE static constexpr auto LayoutOfTile(L const& l) {
    return ThreadsAndValues(composition(right_inverse(AtomLayoutRef{}), l));
  }
  template <class L, class RefToTarget>
  HLO_CUTE_INLINE static constexpr auto Partitioned(L const& l, RefToTarget const& target) {
    return detail::OnPlainLayout(l, [&](auto const& plain) {
      const auto tiles = zipped_divide(plain, Tiler{});
      const auto tv = composition(layout<0>(tiles), ThreadsAndValues(target));
      return make_layout(layout<0>(tv), layout<1>(tv), layout<1>(tiles));
    });
  }
  template <class L, int... I>
  HLO_CUTE_INLINE static constexpr auto Opened(L const& l, seq<I...>) {
    return make_layout(layout<0>(l), layout<1, I + 1>(l)...);
  }
};

/// The part of a tiled copy that one thread does.
template <class Copy_, class Index>
struct ThrCopy : Copy_ {
  Index thr_idx_;
  HLO_CUTE_INLINE constexpr ThrCopy(Index const& index) : thr_idx_(index) {}

  /// (values, tiles...) of what the thread reads of a tensor, and of what it writes.
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_S(T&& tensor) const {
    return Part(tensor, Copy_::tidfrg_S(tensor.layout()));
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_D(T&& tensor) const {
    return Part(tensor, Copy_::tidfrg_D(tensor.layout()));
  }
  template <class T>
  HLO_CUTE_INLINE static constexpr auto retile_S(T&& tensor) {
    return Copy_::retile(tensor);
  }
  template <class T>
  HLO_CUTE_INLINE static constexpr auto retile_D(T&& tensor) {
    return Copy_::retile(tensor);
  }

 private:
  template <class T, class L>
  HLO_CUTE_INLINE constexpr auto Part(T& tensor, L const& l) const {
    auto threads = detail::WithLayout(tensor, l);
    return threads(thr_idx_, _, repeat<decltype(rank<2>(l))::value>(_));
  }
};
template <class Copy_, class Index>
ThrCopy(Copy_, Index) -> ThrCopy<Copy_, Index>;

template <class Atom, class TV, class Tiler>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_impl(Atom const& atom, TV const&, Tiler const&) {
  return TiledCopy<Atom, TV, Tiler>(atom);
}
/// Threads and the values of each, both as layouts over the tile: a thread has a block of values.
/// Example: threads (32,8):(1,32), values (4,1):(1,4) -> a tile (128,8)
template <class Op, class T, class Threads, class Values = Layout<C<1>>>
HLO_CUTE_INLINE constexpr auto make_tiled_copy(Copy_Atom<Op, T> const& atom, Threads const& threads,
                                               Values const& values = {}) {
  const auto tv = make_layout_tv(threads, values);
  using Ref = typename Copy_Atom<Op, T>::ValLayoutRef;
  constexpr int64_t atom_threads = size_v<decltype(layout<0>(Ref{}))>;
  constexpr int64_t atom_values = size_v<decltype(layout<1>(Ref{}))>;
  using TV = std::decay_t<decltype(get<1>(tv))>;
  if constexpr (size_v<decltype(layout<0>(TV{}))> % atom_threads != 0 ||
                size_v<decltype(layout<1>(TV{}))> % atom_values != 0) {
    detail::ErrorTiledCopyAtom<HLO_CUTE_NAMED(TV), HLO_CUTE_NAMED(Ref)>();
    return make_tiled_copy_impl(atom, Ref{}, Tile<StaticInt<atom_threads * atom_values>>{});
  } else {
    return make_tiled_copy_impl(atom, get<1>(tv), get<0>(tv));
  }
}
/// A copy of the tile of another one, by threads and values as that reads or writes them.
template <class Op, class T, class Copy_>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_S(Copy_Atom<Op, T> const& atom, Copy_ const& other) {
  return make_tiled_copy_impl(atom, other.get_layoutS_TV(), typename Copy_::Tiler_MN{});
}
template <class Op, class T, class Copy_>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_D(Copy_Atom<Op, T> const& atom, Copy_ const& other) {
  return make_tiled_copy_impl(atom, other.get_layoutD_TV(), typename Copy_::Tiler_MN{});
}

/// The number of threads.
template <int... I, class Atom, class TV, class Tiler>
HLO_CUTE_INLINE constexpr auto size(TiledCopy<Atom, TV, Tiler> const&) {
  return typename TiledCopy<Atom, TV, Tiler>::TiledNumThr{};
}
template <int I, class Atom, class TV, class Tiler>
HLO_CUTE_INLINE constexpr auto tile_size(TiledCopy<Atom, TV, Tiler> const&) {
  return size<I>(product_each(Tiler{}));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TILED_COPY_H_
