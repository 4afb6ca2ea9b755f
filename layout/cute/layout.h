#ifndef HLO_INDEXING_LAYOUT_CUTE_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_CUTE_LAYOUT_H_

#include "layout/cute/coordinate.h"

// Layout: a shape and a stride of the same profile; a function from coordinates to offsets.
//
//   auto layout = make_layout(make_shape(Int<4>{}, n), LayoutRight{});   // (_4,n):(n,_1)
//   layout(2, 3), layout(make_coord(2, 3)), layout(14)                   // offsets
//   layout(2, _)                                                        // a layout: the slice
HLO_CUTE_BEGIN_NAMESPACE

namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorProfile() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("A layout's shape and stride must have the same profile."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorLayoutCoordinates() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "layout(c0, c1, ...): the number of coordinates is not the rank of the layout."));
}

}  // namespace detail

template <class S, class D = LayoutLeft::Apply<S>>
struct Layout : private detail::Slot<0, S>, private detail::Slot<1, D> {
  static_assert(detail::Congruent<S, D>::value,
                "A layout's shape and stride must have the same profile (see the types S and D).");
  static constexpr int rank = tuple_size_v<S>;

  HLO_CUTE_LEAF constexpr Layout(S const& s = {}, D const& d = {})
      : detail::Slot<0, S>{s}, detail::Slot<1, D>{d} {}

  HLO_CUTE_LEAF constexpr Layout& layout() { return *this; }
  HLO_CUTE_LEAF constexpr Layout const& layout() const { return *this; }
  template <int... I>
  HLO_CUTE_LEAF constexpr decltype(auto) shape() const {
    if constexpr (sizeof...(I) > 0) {
      return get<I...>(shape());
    } else if constexpr (__is_empty(S)) {
      return S{};
    } else {
      return static_cast<S const&>(detail::Slot<0, S>::value);
    }
  }
  template <int... I>
  HLO_CUTE_LEAF constexpr decltype(auto) stride() const {
    if constexpr (sizeof...(I) > 0) {
      return get<I...>(stride());
    } else if constexpr (__is_empty(D)) {
      return D{};
    } else {
      return static_cast<D const&>(detail::Slot<1, D>::value);
    }
  }

  /// The offset of a coordinate, or the layout of the modes that a coordinate with `_` keeps.
  template <class Coordinate>
  HLO_CUTE_LEAF constexpr auto operator()(Coordinate const& coord) const {
    if constexpr (detail::is_tuple_v<Coordinate> && !detail::FitsShape<Coordinate, S>::value) {
      detail::ErrorCoordinateRank<HLO_CUTE_NAMED(Coordinate), HLO_CUTE_NAMED(Layout)>();
      return C<0>{};
    } else if constexpr (detail::HasUnderscore<Coordinate>::value) {
      using KeptShape = decltype(cute_slice(coord, shape()));
      using KeptStride = decltype(cute_slice(coord, stride()));
      if constexpr (is_static_v<KeptShape> && is_static_v<KeptStride>) {
        return Layout<KeptShape, KeptStride>{};
      } else {
        return Layout<KeptShape, KeptStride>(cute_slice(coord, shape()),
                                             cute_slice(coord, stride()));
      }
    } else {
      return crd2idx(coord, shape(), stride());
    }
  }
  template <class C0, class C1, class... Cs>
  HLO_CUTE_LEAF constexpr auto operator()(C0 const& c0, C1 const& c1, Cs const&... cs) const {
    if constexpr (2 + sizeof...(Cs) == rank) {
      return operator()(make_coord(c0, c1, cs...));
    } else {
      using Coordinate = tuple<C0, C1, Cs...>;
      detail::ErrorLayoutCoordinates<HLO_CUTE_NAMED(Layout), HLO_CUTE_NAMED(Coordinate)>();
      return C<0>{};
    }
  }

  /// composition with a layout or tiler, or with the tiler of several.
  template <class Other>
  HLO_CUTE_INLINE constexpr auto compose(Other const& other) const {
    return composition(*this, other);
  }
  template <class T0, class T1, class... Ts>
  HLO_CUTE_INLINE constexpr auto compose(T0 const& t0, T1 const& t1, Ts const&... ts) const {
    return composition(*this, make_tile(t0, t1, ts...));
  }
  template <class Other>
  HLO_CUTE_INLINE constexpr auto with_shape(Other const& shape) const {
    return composition(*this, make_layout(shape));
  }
  template <class S0, class S1, class... Ss>
  HLO_CUTE_INLINE constexpr auto with_shape(S0 const& s0, S1 const& s1, Ss const&... ss) const {
    return with_shape(make_shape(s0, s1, ss...));
  }
  /// tiled_divide by a layout or tiler, or by the tiler of several.
  template <class Other>
  HLO_CUTE_INLINE constexpr auto tile(Other const& other) const {
    return tiled_divide(*this, other);
  }
  template <class T0, class T1, class... Ts>
  HLO_CUTE_INLINE constexpr auto tile(T0 const& t0, T1 const& t1, Ts const&... ts) const {
    return tiled_divide(*this, make_tile(t0, t1, ts...));
  }

  /// The coordinate of an offset, for compact layouts: in the profile of the layout, of rank
  /// `rank`, and as an index.
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto get_hier_coord(Offset const& offset) const {
    return idx2crd(offset, shape(), stride());
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto get_flat_coord(Offset const& offset) const {
    if constexpr (detail::is_tuple_v<S>) {
      return transform(get_hier_coord(offset), shape(),
                       [](auto const& c, auto const& s) { return crd2idx(c, s); });
    } else {
      return get_hier_coord(offset);
    }
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto get_1d_coord(Offset const& offset) const {
    return crd2idx(get_hier_coord(offset), shape());
  }

 private:
  template <class Coordinate, class T>
  HLO_CUTE_LEAF static constexpr auto cute_slice(Coordinate const& coord, T const& t) {
    if constexpr (detail::is_underscore_v<Coordinate>) {
      return t;
    } else {
      return detail::LiftSlice(coord, t);
    }
  }
};

template <class T>
struct is_layout : false_type {};
template <class S, class D>
struct is_layout<Layout<S, D>> : true_type {};
namespace detail {
template <class T>
constexpr bool is_layout_v = is_layout<T>::value;
}  // namespace detail

/// make_layout(shape), (shape, stride), (shape, LayoutRight{}), (layout, layout, ...)
template <class S, class D,
          std::enable_if_t<!is_layout<S>::value && !std::is_same<D, LayoutLeft>::value &&
                               !std::is_same<D, LayoutRight>::value,
                           int> = 0>
HLO_CUTE_LEAF constexpr auto make_layout(S const& shape, D const& stride) {
  if constexpr (detail::Congruent<S, D>::value) {
    return Layout<S, D>(shape, stride);
  } else {
    detail::ErrorProfile<HLO_CUTE_NAMED(S), HLO_CUTE_NAMED(D)>();
    return Layout<C<1>, C<0>>{};
  }
}
namespace detail {
template <class S>
struct HasIntegers : C<IntegerTraits<S>::is_integer || is_tuple_v<S>> {};
template <class... S>
struct HasIntegers<tuple<S...>> : C<(HasIntegers<S>::value && ...)> {};
}  // namespace detail
template <class S, std::enable_if_t<is_tuple<S>::value || is_integral<S>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto make_layout(S const& shape, LayoutLeft = {}) {
  static_assert(detail::HasIntegers<S>::value, "make_layout(shape): an extent is not an integer.");
  using D = LayoutLeft::Apply<S>;
  return Layout<S, D>(shape, compact_col_major(shape));
}
template <class S, std::enable_if_t<is_tuple<S>::value || is_integral<S>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto make_layout(S const& shape, LayoutRight) {
  static_assert(detail::HasIntegers<S>::value, "make_layout(shape): an extent is not an integer.");
  using D = LayoutRight::Apply<S>;
  return Layout<S, D>(shape, compact_row_major(shape));
}
template <class S, std::enable_if_t<std::is_pointer<S>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto make_layout(S const&) {
  static_assert(detail::never_v<S>, "make_layout(shape): a pointer is no shape.");
  return Layout<C<1>, C<0>>{};
}
template <class S0, class D0, class... S, class... D>
HLO_CUTE_LEAF constexpr Layout<tuple<S0, S...>, tuple<D0, D...>> make_layout(
    Layout<S0, D0> const& l0, Layout<S, D> const&... l) {
  if constexpr (__is_empty(Layout<tuple<S0, S...>, tuple<D0, D...>>)) {
    return {};
  } else {
    return {tuple<S0, S...>(l0.shape(), l.shape()...), tuple<D0, D...>(l0.stride(), l.stride()...)};
  }
}
template <class S>
HLO_CUTE_INLINE constexpr auto make_layout_right(S const& shape) {
  HLO_CUTE_RETURN(make_layout(shape, LayoutRight{}));
}

// The tuple functions, for layouts: each acts on shape and stride alike. layout<I...> is a mode.
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto layout(Layout<S, D> const& l) {
  if constexpr (sizeof...(I) == 0) {
    return l;
  } else {
    using Mode = Layout<detail::Plain<decltype(get<I...>(std::declval<S const&>()))>,
                        detail::Plain<decltype(get<I...>(std::declval<D const&>()))>>;
    if constexpr (__is_empty(Mode)) {
      return Mode{};
    } else {
      return Mode(l.template shape<I...>(), l.template stride<I...>());
    }
  }
}
template <int I, int... Is, class S, class D>
HLO_CUTE_INLINE constexpr auto get(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(layout<I, Is...>(l));
}
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto shape(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(l.template shape<I...>());
}
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto stride(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(l.template stride<I...>());
}
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto rank(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(rank<I...>(l.shape()));
}
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto depth(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(depth<I...>(l.shape()));
}
template <int... I, class S, class D>
HLO_CUTE_LEAF constexpr auto size(Layout<S, D> const& l) {
  static_assert(detail::HasModes(Layout<S, D>::rank, C<I>{}...),
                "size<I>(layout): there are fewer modes than I + 1.");
  if constexpr (detail::HasModes(Layout<S, D>::rank, C<I>{}...)) {
    HLO_CUTE_RETURN(size<I...>(l.shape()));
  } else {
    return C<1>{};
  }
}
// shape<I...> of a shape itself.
template <int... I, class T, std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto shape(T const& t) {
  if constexpr (sizeof...(I) == 0) {
    return t;
  } else {
    return get<I...>(t);
  }
}

namespace detail {

template <class A>
HLO_CUTE_INLINE constexpr auto AbsoluteValue(A const& a) {
  if constexpr (IntegerTraits<A>::is_static) {
    return StaticInt<(IntegerTraits<A>::value < 0 ? -IntegerTraits<A>::value
                                                  : IntegerTraits<A>::value)>{};
  } else {
    return a < 0 ? static_cast<A>(-a) : static_cast<A>(a);
  }
}

// What a mode adds to the codomain: (shape - 1) * |stride|.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto Extension(S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    return apply(transform(s, d, [](auto const& a, auto const& b) { return Extension(a, b); }),
                 [](auto const&... part) { return WideSumAll(part...); });
  } else if constexpr (is_constant<0, D>::value || is_constant<1, S>::value) {
    return C<0>{};
  } else if constexpr (is_scaled_basis<D>::value) {
    return (s - C<1>{}) * d;
  } else {
    return WideProduct(s - C<1>{}, AbsoluteValue(d));
  }
}

template <class T>
HLO_CUTE_INLINE constexpr auto PlusOne(T const& t) {
  if constexpr (is_scaled_basis<T>::value) {
    return PlusOne(as_arithmetic_tuple(t));
  } else if constexpr (is_tuple_v<T>) {
    return transform_leaf(t, [](auto const& leaf) { return leaf + C<1>{}; });
  } else {
    return t + C<1>{};
  }
}

}  // namespace detail

/// One more than the largest offset less the smallest; of coordinate layouts by axes.
/// Example: coshape(((4,4),(1,2)):((4,0),(0,16))) -> 29
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto coshape(Layout<S, D> const& l) {
  const auto mode = layout<I...>(l);
  return detail::PlusOne(detail::Extension(mode.shape(), mode.stride()));
}
/// The number of elements that an array needs to hold the layout's image.
template <int... I, class S, class D>
HLO_CUTE_LEAF constexpr auto cosize(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(size(coshape<I...>(l)));
}
template <class T>
constexpr auto cosize_v = detail::StaticValue<decltype(cosize(std::declval<T const&>()))>();

template <int begin, int end, class S, class D>
HLO_CUTE_LEAF constexpr auto take(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(take<begin, end>(l.shape()), take<begin, end>(l.stride())));
}
template <int... I, class S, class D>
HLO_CUTE_INLINE constexpr auto select(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(select<I...>(l.shape()), select<I...>(l.stride())));
}
template <class S, class D>
HLO_CUTE_INLINE constexpr auto flatten(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(flatten(l.shape()), flatten(l.stride())));
}
template <int begin, int end, class S, class D>
HLO_CUTE_INLINE constexpr auto group(Layout<S, D> const& l) {
  constexpr bool exists =
      0 <= begin && begin <= (end < 0 ? Layout<S, D>::rank : end) && end <= Layout<S, D>::rank;
  static_assert(exists,
                "group<begin,end>, group_modes<begin,end>: there are fewer modes than end.");
  if constexpr (exists) {
    HLO_CUTE_RETURN(make_layout(group<begin, end>(l.shape()), group<begin, end>(l.stride())));
  } else {
    return l;
  }
}
template <int begin, int end, class S, class D>
HLO_CUTE_INLINE constexpr auto group_modes(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(group<begin, end>(l));
}
template <class S, class D, class S2 = C<1>, class D2 = C<0>>
HLO_CUTE_INLINE constexpr auto append(Layout<S, D> const& l, Layout<S2, D2> const& x = {}) {
  return make_layout(append(l.shape(), x.shape()), append(l.stride(), x.stride()));
}
template <int n, class S, class D, class S2 = C<1>, class D2 = C<0>>
HLO_CUTE_INLINE constexpr auto append(Layout<S, D> const& l, Layout<S2, D2> const& x = {}) {
  return make_layout(append<n>(l.shape(), x.shape()), append<n>(l.stride(), x.stride()));
}
template <class S, class D, class S2 = C<1>, class D2 = C<0>>
HLO_CUTE_INLINE constexpr auto prepend(Layout<S, D> const& l, Layout<S2, D2> const& x = {}) {
  return make_layout(prepend(l.shape(), x.shape()), prepend(l.stride(), x.stride()));
}
template <int n, class S, class D, class S2 = C<1>, class D2 = C<0>>
HLO_CUTE_INLINE constexpr auto prepend(Layout<S, D> const& l, Layout<S2, D2> const& x = {}) {
  return make_layout(prepend<n>(l.shape(), x.shape()), prepend<n>(l.stride(), x.stride()));
}
template <int I, class S, class D, class S2, class D2>
HLO_CUTE_INLINE constexpr auto replace(Layout<S, D> const& l, Layout<S2, D2> const& x) {
  HLO_CUTE_RETURN(
      make_layout(replace<I>(l.shape(), x.shape()), replace<I>(l.stride(), x.stride())));
}

template <class S, class D>
HLO_CUTE_INLINE constexpr auto reverse(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(reverse(l.shape()), reverse(l.stride())));
}

namespace detail {

template <class T, class Flat>
HLO_CUTE_INLINE constexpr auto UnflattenFrom(Flat const& flat, T const& profile);
template <int begin, int I, class T, class Flat>
HLO_CUTE_INLINE constexpr auto UnflattenModes(Flat const& flat, T const& profile) {
  if constexpr (I == tuple_size_v<T>) {
    return tuple<>{};
  } else {
    using Profile = tuple_element_t<I, T>;
    constexpr int leaves = LeafCount<Profile>::value;
    return tuple_cat(make_tuple(UnflattenFrom(take<begin, begin + leaves>(flat), get<I>(profile))),
                     UnflattenModes<begin + leaves, I + 1>(flat, profile));
  }
}
template <class T, class Flat>
HLO_CUTE_INLINE constexpr auto UnflattenFrom(Flat const& flat, T const& profile) {
  if constexpr (is_tuple_v<T>) {
    return UnflattenModes<0, 0>(flat, profile);
  } else {
    return get<0>(flat);
  }
}

}  // namespace detail

/// The flat tuple in the profile of another.
/// Example: unflatten((a,b,c), (0,(0,0))) -> (a,(b,c))
template <class T, class Profile>
HLO_CUTE_INLINE constexpr auto unflatten(T const& flat, Profile const& profile) {
  HLO_CUTE_RETURN(detail::UnflattenFrom(wrap(flat), profile));
}
template <class S, class D, class Profile>
HLO_CUTE_INLINE constexpr auto unflatten(Layout<S, D> const& l, Profile const& profile) {
  HLO_CUTE_RETURN(make_layout(unflatten(l.shape(), profile), unflatten(l.stride(), profile)));
}

namespace detail {
template <class D, class S>
HLO_CUTE_INLINE constexpr auto FilterShape(D const& d, S const& s) {
  if constexpr (is_tuple_v<D>) {
    return transform(d, s, [](auto const& x, auto const& y) { return FilterShape(x, y); });
  } else if constexpr (is_constant<0, D>::value) {
    return C<1>{};
  } else {
    return s;
  }
}
}  // namespace detail

/// Modes of static stride 0 as modes of size 1.
/// Example: (2,3):(3,0) -> (2,1):(3,0)
template <class S, class D>
HLO_CUTE_INLINE constexpr auto filter_zeros(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(detail::FilterShape(l.stride(), l.shape()), l.stride()));
}

/// The slice, and the offset of its first element: slice_and_offset((2,_), layout).
template <class Coordinate, class S, class D>
HLO_CUTE_INLINE constexpr auto slice_and_offset(Coordinate const& coord, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_tuple(l(coord), crd2idx(coord, l.shape(), l.stride())));
}
template <class Coordinate, class S, class D>
HLO_CUTE_INLINE constexpr auto slice(Coordinate const& coord, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(slice(coord, l.shape()), slice(coord, l.stride())));
}
template <class Coordinate, class S, class D>
HLO_CUTE_INLINE constexpr auto dice(Coordinate const& coord, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_layout(dice(coord, l.shape()), dice(coord, l.stride())));
}
/// The layout, and the offset that moves its origin to the coordinate.
template <class Coordinate, class S, class D>
HLO_CUTE_INLINE constexpr auto domain_offset(Coordinate const& coord, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(make_tuple(l, l(coord)));
}

/// The coordinate of an index, an integer of any kind, in the profile of the layout; and the index
/// that a coordinate of the layout is mapped to: crd2idx(c, l) = l(c).
template <class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto idx2crd(Index const& index, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(idx2crd(index, l.shape()));
}
template <class Coordinate, class S, class D>
HLO_CUTE_INLINE constexpr auto crd2idx(Coordinate const& coord, Layout<S, D> const& l) {
  HLO_CUTE_RETURN(crd2idx(coord, l.shape(), l.stride()));
}

template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto operator==(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(detail::All(a.shape() == b.shape(), a.stride() == b.stride()));
}
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto operator!=(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(!(a == b));
}

template <class A, class SB, class DB>
HLO_CUTE_INLINE constexpr auto compatible(A const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(compatible(a, b.shape()));
}
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto compatible(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(compatible(a.shape(), b.shape()));
}
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto congruent(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(congruent(a.shape(), b.shape()));
}
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto weakly_congruent(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(weakly_congruent(a.shape(), b.shape()));
}

/// The layout that maps coordinates to themselves.
/// Example: (8,4) -> (8,4):(_1@0,_1@1)
namespace detail {
template <int... N, class S, int... I>
HLO_CUTE_INLINE constexpr auto BasisModes(S const& s, seq<I...>);
template <int... N, class S>
HLO_CUTE_INLINE constexpr auto BasisLike(S const& s) {
  if constexpr (is_tuple_v<S>) {
    return BasisModes<N...>(s, make_seq<tuple_size_v<S>>{});
  } else if constexpr (sizeof...(N) == 0) {
    return C<1>{};
  } else {
    return ScaledBasis<C<1>, N...>{};
  }
}
template <int... N, class S, int... I>
HLO_CUTE_INLINE constexpr auto BasisModes(S const& s, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(BasisLike<N..., I>(get<I>(s))...));
}
}  // namespace detail
template <class S>
HLO_CUTE_INLINE constexpr auto make_basis_like(S const& shape) {
  HLO_CUTE_RETURN(detail::BasisLike<>(shape));
}
template <class S>
HLO_CUTE_INLINE constexpr auto make_identity_layout(S const& shape) {
  HLO_CUTE_RETURN(make_layout(shape, make_basis_like(shape)));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_LAYOUT_H_
