#ifndef HLO_INDEXING_LAYOUT_CUTE_TILED_MMA_H_
#define HLO_INDEXING_LAYOUT_CUTE_TILED_MMA_H_

#include "layout/cute/mma_atom.h"
#include "layout/cute/tiled_copy.h"

// TiledMMA: a tile of a matrix product by many threads, each group of which has one MMA atom.
//
//   auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{},
//                             Layout<Shape<_2, _2>>{},     // 2 x 2 warps
//                             Tile<_32, _32, _16>{});      // a tile of 32 x 32 x 16
//   auto thread_mma = mma.get_slice(threadIdx.x);
//   Tensor tCrA = thread_mma.partition_fragment_A(sA);     // (V,M,K)
//   Tensor tCrC = thread_mma.make_fragment_C(thread_mma.partition_C(gC));
//   gemm(mma, tCrA, tCrB, tCrC);
//
// Atoms repeat over the matrix; a permutation, an integer or a layout for each of M, N and K, says
// in which order its elements are dealt out to them.
HLO_CUTE_BEGIN_NAMESPACE

template <class Mma, class ThrVMNK>
struct ThrMMA;

template <class Atom, class AtomLayoutMNK,
          class PermutationMNK = Tile<Underscore, Underscore, Underscore>>
struct TiledMMA : Atom {
  using AtomShape = typename Atom::AtomShape_MNK;
  using ThrLayoutVMNK = decltype(tiled_product(typename Atom::AtomThrID{}, AtomLayoutMNK{}));

  TiledMMA() = default;
  HLO_CUTE_INLINE constexpr TiledMMA(Atom const& atom) : Atom(atom) {}

  HLO_CUTE_INLINE static constexpr auto get_thr_layout_vmnk() { return ThrLayoutVMNK{}; }

  /// ((threads V, (threads of both modes)), (values V, (rests))) of a matrix C (M,N), A (M,K) or B
  /// (N,K).
  template <class L>
  HLO_CUTE_INLINE static constexpr auto thrfrg_C(L const& l) {
    return Partitioned<0, 1>(l, typename Atom::AtomLayoutC_TV{});
  }
  template <class L>
  HLO_CUTE_INLINE static constexpr auto thrfrg_A(L const& l) {
    return Partitioned<0, 2>(l, typename Atom::AtomLayoutA_TV{});
  }
  template <class L>
  HLO_CUTE_INLINE static constexpr auto thrfrg_B(L const& l) {
    return Partitioned<1, 2>(l, typename Atom::AtomLayoutB_TV{});
  }

  /// From (thread, value) to the index of the tile of that matrix.
  HLO_CUTE_INLINE static constexpr auto get_layoutC_TV() {
    return LayoutOfTile<0, 1>(typename Atom::AtomLayoutC_TV{});
  }
  HLO_CUTE_INLINE static constexpr auto get_layoutA_TV() {
    return LayoutOfTile<0, 2>(typename Atom::AtomLayoutA_TV{});
  }
  HLO_CUTE_INLINE static constexpr auto get_layoutB_TV() {
    return LayoutOfTile<1, 2>(typename Atom::AtomLayoutB_TV{});
  }

  /// The extent of the tile in mode I of (M,N,K).
  template <int I>
  HLO_CUTE_INLINE static constexpr auto tile_size_mnk() {
    using P = tuple_element_t<I, PermutationMNK>;
    if constexpr (detail::is_underscore_v<P>) {
      return size<I>(AtomShape{}) * size<I + 1>(ThrLayoutVMNK{});
    } else {
      return size(P{});
    }
  }
  template <int I>
  HLO_CUTE_INLINE static constexpr auto permutation_mnk() {
    return get<I>(PermutationMNK{});
  }

  template <class Index>
  HLO_CUTE_INLINE constexpr auto get_slice(Index const& index) const {
    static_assert(!std::is_pointer<Index>::value, "mma.get_slice(thread): no number of a thread.");
    if constexpr (std::is_pointer<Index>::value) {
      const auto coord = ThrLayoutVMNK{}.get_flat_coord(0);
      return ThrMMA<TiledMMA, std::decay_t<decltype(coord)>>{coord};
    } else {
      const auto coord = ThrLayoutVMNK{}.get_flat_coord(index);
      return ThrMMA<TiledMMA, std::decay_t<decltype(coord)>>{coord};
    }
  }
  template <class Index>
  HLO_CUTE_INLINE constexpr auto get_thread_slice(Index const& index) const {
    return get_slice(index);
  }

 private:
  template <int I>
  HLO_CUTE_INLINE static constexpr auto TileOrPermutation() {
    if constexpr (detail::is_underscore_v<tuple_element_t<I, PermutationMNK>>) {
      return tile_size_mnk<I>();
    } else {
      return get<I>(PermutationMNK{});
    }
  }
  template <int I, int J, class L, class TV>
  HLO_CUTE_INLINE static constexpr auto Partitioned(L const& l, TV const& tv) {
    return detail::OnPlainLayout(l, [&](auto const& plain) { return Dealt<I, J>(plain, tv); });
  }
  template <int I, int J, class L, class TV>
  HLO_CUTE_INLINE static constexpr auto Dealt(L const& l, TV const& tv) {
    // Tiles first, where there is no permutation as well: what hangs over the edge has coordinates
    // of its own then, and threads that have nothing inside know it.
    const auto ordered =
        logical_divide(l, make_tile(TileOrPermutation<I>(), TileOrPermutation<J>()));
    const auto atoms = zipped_divide(
        ordered, make_tile(make_layout(get<I>(AtomShape{})), make_layout(get<J>(AtomShape{}))));
    const auto values = composition(layout<0>(atoms), tv);
    const auto rests =
        zipped_divide(layout<1>(atoms), make_tile(make_layout(size<I + 1>(ThrLayoutVMNK{})),
                                                  make_layout(size<J + 1>(ThrLayoutVMNK{}))));
    return make_layout(make_layout(layout<0>(values), layout<0>(rests)),
                       make_layout(layout<1>(values), layout<1>(rests)));
  }
  template <int I, int J, class TV>
  HLO_CUTE_INLINE static constexpr auto LayoutOfTile(TV const& tv) {
    const auto tile = make_layout(make_shape(tile_size_mnk<I>(), tile_size_mnk<J>()));
    const auto parts = Dealt<I, J>(tile, tv);
    // Threads of the third mode have the same part.
    const auto none = [](auto extent) { return make_layout(extent, C<0>{}); };
    constexpr int third = 3 - I - J;
    const auto other = none(size<third + 1>(ThrLayoutVMNK{}));
    const auto a = layout<0, 1, 0>(parts);
    const auto b = layout<0, 1, 1>(parts);
    const auto threads = ThreadModes<third>(layout<0, 0>(parts), a, b, other);
    return make_layout(composition(threads, right_inverse(ThrLayoutVMNK{})), layout<1>(parts));
  }
  template <int third, class V, class A, class B, class Other>
  HLO_CUTE_INLINE static constexpr auto ThreadModes(V const& v, A const& a, B const& b,
                                                    Other const& other) {
    if constexpr (third == 0) {
      return make_layout(v, other, a, b);
    } else if constexpr (third == 1) {
      return make_layout(v, a, other, b);
    } else {
      return make_layout(v, a, b, other);
    }
  }
};

/// The part of a tiled product that one thread has.
namespace detail {
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorMmaRank() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("partition_A, partition_B, partition_C: the tensor has fewer than "
                        "two modes."));
}
}  // namespace detail
template <class Mma, class ThrVMNK>
struct ThrMMA : Mma {
  ThrVMNK thr_vmnk_;
  HLO_CUTE_INLINE constexpr ThrMMA(ThrVMNK const& coord) : thr_vmnk_(coord) {}

  /// (V,M,N), (V,M,K) and (V,N,K) of the thread.
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_C(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (L::rank < 2) {
      detail::ErrorMmaRank<HLO_CUTE_NAMED(L)>();
      return detail::WithLayout(tensor, tensor.layout());
    } else {
      return Part<1, 2>(tensor, Mma::thrfrg_C(tensor.layout()));
    }
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_A(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (L::rank < 2) {
      detail::ErrorMmaRank<HLO_CUTE_NAMED(L)>();
      return detail::WithLayout(tensor, tensor.layout());
    } else {
      return Part<1, 3>(tensor, Mma::thrfrg_A(tensor.layout()));
    }
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_B(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (L::rank < 2) {
      detail::ErrorMmaRank<HLO_CUTE_NAMED(L)>();
      return detail::WithLayout(tensor, tensor.layout());
    } else {
      return Part<2, 3>(tensor, Mma::thrfrg_B(tensor.layout()));
    }
  }
  /// Registers for these.
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_fragment_C(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (!is_static_v<decltype(tensor.layout().shape())>) {
      detail::ErrorDynamicLike<HLO_CUTE_NAMED(L)>();
      return make_tensor<typename std::decay_t<T>::value_type>(Layout<C<1>, C<0>>{});
    } else {
      return Mma::make_fragment_C(partition_C(tensor));
    }
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_fragment_A(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (!is_static_v<decltype(tensor.layout().shape())>) {
      detail::ErrorDynamicLike<HLO_CUTE_NAMED(L)>();
      return make_tensor<typename std::decay_t<T>::value_type>(Layout<C<1>, C<0>>{});
    } else {
      return Mma::make_fragment_A(partition_A(tensor));
    }
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto partition_fragment_B(T&& tensor) const {
    using L = typename std::decay_t<T>::layout_type;
    if constexpr (!is_static_v<decltype(tensor.layout().shape())>) {
      detail::ErrorDynamicLike<HLO_CUTE_NAMED(L)>();
      return make_tensor<typename std::decay_t<T>::value_type>(Layout<C<1>, C<0>>{});
    } else {
      return Mma::make_fragment_B(partition_B(tensor));
    }
  }

 private:
  template <int I, int J, class T, class L>
  HLO_CUTE_INLINE constexpr auto Part(T& tensor, L const& l) const {
    auto parts = detail::WithLayout(tensor, l);
    const auto thread =
        make_coord(get<0>(thr_vmnk_), make_coord(get<I>(thr_vmnk_), get<J>(thr_vmnk_)));
    return parts(thread, make_coord(_, repeat<decltype(rank<1, 1>(l))::value>(_)));
  }
};

/// Threads as a layout of atoms (M,N,K), and a permutation of each mode.
template <class Op, class Threads = Layout<Shape<C<1>, C<1>, C<1>>>,
          class Permutations = Tile<Underscore, Underscore, Underscore>>
HLO_CUTE_INLINE constexpr auto make_tiled_mma(MMA_Atom<Op> const& atom, Threads const& threads = {},
                                              Permutations const& permutations = {}) {
  static_assert(detail::is_layout_v<Threads>,
                "make_tiled_mma(atom, threads, permutations): the threads are no layout.");
  if constexpr (detail::is_layout_v<Threads>) {
    const auto atoms = append<3>(threads, Layout<C<1>, C<0>>{});
    const auto order = append<3>(permutations, _);
    return TiledMMA<MMA_Atom<Op>, std::decay_t<decltype(atoms)>, std::decay_t<decltype(order)>>(
        atom);
  } else {
    using One = Layout<Shape<C<1>, C<1>, C<1>>>;
    return TiledMMA<MMA_Atom<Op>, One, Tile<Underscore, Underscore, Underscore>>(atom);
  }
}
template <class Op, class Threads = Layout<Shape<C<1>, C<1>, C<1>>>,
          class Permutations = Tile<Underscore, Underscore, Underscore>>
HLO_CUTE_INLINE constexpr auto make_tiled_mma(Op const&, Threads const& threads = {},
                                              Permutations const& permutations = {}) {
  return make_tiled_mma(MMA_Atom<Op>{}, threads, permutations);
}

/// The number of threads, and the extents of the tile.
template <int... I, class Atom, class L, class P>
HLO_CUTE_INLINE constexpr auto size(TiledMMA<Atom, L, P> const& mma) {
  return size(mma.get_thr_layout_vmnk());
}
template <int I, class Atom, class L, class P>
HLO_CUTE_INLINE constexpr auto tile_size(TiledMMA<Atom, L, P> const& mma) {
  return mma.template tile_size_mnk<I>();
}
template <class Atom, class L, class P>
HLO_CUTE_INLINE constexpr auto tile_shape(TiledMMA<Atom, L, P> const& mma) {
  return make_shape(tile_size<0>(mma), tile_size<1>(mma), tile_size<2>(mma));
}
/// The shape of a thread's part of a matrix of the shape.
template <class Atom, class L, class P, class S>
HLO_CUTE_INLINE constexpr auto partition_shape_C(TiledMMA<Atom, L, P> const& mma,
                                                 S const& shape_mn) {
  const auto parts = mma.thrfrg_C(make_layout(shape_mn));
  constexpr int r = decltype(rank<1, 1>(parts))::value;
  return shape(parts(C<0>{}, make_coord(_, repeat<r>(_))));
}
template <class Atom, class L, class P, class S>
HLO_CUTE_INLINE constexpr auto partition_fragment_C(TiledMMA<Atom, L, P> const& mma,
                                                    S const& shape_mn) {
  return make_tensor<typename Atom::FrgTypeC>(partition_shape_C(mma, shape_mn));
}

/// Copies of the tiles of A, B and C by the threads that multiply them.
template <class Op, class T, class Mma>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_A(Copy_Atom<Op, T> const& atom, Mma const& mma) {
  return make_tiled_copy_impl(atom, mma.get_layoutA_TV(),
                              make_shape(tile_size<0>(mma), tile_size<2>(mma)));
}
template <class Op, class T, class Mma>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_B(Copy_Atom<Op, T> const& atom, Mma const& mma) {
  return make_tiled_copy_impl(atom, mma.get_layoutB_TV(),
                              make_shape(tile_size<1>(mma), tile_size<2>(mma)));
}
template <class Op, class T, class Mma>
HLO_CUTE_INLINE constexpr auto make_tiled_copy_C(Copy_Atom<Op, T> const& atom, Mma const& mma) {
  return make_tiled_copy_impl(atom, mma.get_layoutC_TV(),
                              make_shape(tile_size<0>(mma), tile_size<1>(mma)));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TILED_MMA_H_
