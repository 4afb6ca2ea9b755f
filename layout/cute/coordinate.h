#ifndef HLO_INDEXING_LAYOUT_CUTE_COORDINATE_H_
#define HLO_INDEXING_LAYOUT_CUTE_COORDINATE_H_

#include "layout/cute/arithmetic_tuple.h"

// Coordinates and indices, and the coordinate `_` that keeps a mode.
HLO_CUTE_BEGIN_NAMESPACE

/// The coordinate that keeps a mode whole: tensor(_, 3).
struct Underscore : Int<0> {};
HLO_CUTE_CONSTANT Underscore _;
using X = Underscore;

namespace detail {

template <>
struct IntegerTraits<Underscore> : IntegerTraits<C<0>> {};

template <class T>
struct HasUnderscore : C<false> {};
template <>
struct HasUnderscore<Underscore> : C<true> {};
template <class... T>
struct HasUnderscore<tuple<T...>> : C<(HasUnderscore<T>::value || ...)> {
  static constexpr bool is_nested = (is_tuple_v<T> || ...);
};

// Whether a coordinate has the modes of a shape, as far as it has tuples.
template <class Coordinate, class S>
struct FitsShape : C<!is_tuple_v<Coordinate>> {};
template <class... Cs, class... Ss>
struct FitsShape<tuple<Cs...>, tuple<Ss...>> {
  HLO_CUTE_HD static constexpr bool Fits() {
    if constexpr (sizeof...(Cs) != sizeof...(Ss)) {
      return false;
    } else if constexpr (HasUnderscore<tuple<Cs...>>::is_nested) {
      return (FitsShape<Cs, Ss>::value && ...);
    } else {
      return true;
    }
  }
  static constexpr bool value = Fits();
};
template <class... Cs, class... Ss>
struct FitsShape<ArithmeticTuple<Cs...>, tuple<Ss...>> : FitsShape<tuple<Cs...>, tuple<Ss...>> {};

template <class T>
constexpr bool is_underscore_v = std::is_same<T, Underscore>::value;

}  // namespace detail

template <class T>
struct is_underscore : bool_constant<detail::is_underscore_v<detail::Plain<T>>> {};
template <class T>
struct has_underscore : bool_constant<detail::HasUnderscore<detail::Plain<T>>::value> {};

namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorCoordinateRank() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("The coordinate has another rank than the shape."));
}

// The quotient and the rest by which a one-dimensional index runs through the modes of a shape.
template <class A, class B>
HLO_CUTE_LEAF constexpr auto IndexRest(A const& index, B const& extent) {
  if constexpr (is_constant<0, A>::value || is_constant<1, B>::value || is_constant<0, B>::value) {
    return C<0>{};  // also where there are no elements, so that loops over none of them compile
  } else {
    return index % extent;
  }
}
template <class A, class B>
HLO_CUTE_LEAF constexpr auto IndexQuotient(A const& index, B const& extent) {
  if constexpr (is_constant<0, A>::value) {
    return C<0>{};
  } else if constexpr (is_constant<1, B>::value || is_constant<0, B>::value) {
    return index;
  } else {
    return index / extent;
  }
}

// A number with as many bits as what is computed from it.
template <Width width, class T>
HLO_CUTE_LEAF constexpr auto NumberOf(T const& t) {
  if constexpr (IsDevice(width) && IntegerTraits<T>::is_computed) {
    return static_cast<int>(static_cast<int64_t>(t));
  } else {
    return t;
  }
}

template <Width width, class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto CoordinateToIndex(Index const& c, S const& s, D const& d);

template <Width width, int I, class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto IndexToIndex(Index const& c, S const& s, D const& d) {
  if constexpr (I + 1 == tuple_size_v<S>) {
    return CoordinateToIndex<width>(c, get<I>(s), get<I>(d));
  } else {
    const auto extent = NumberOf<width>(ProductOf<width>(get<I>(s)));
    return WideSum<width>(CoordinateToIndex<width>(IndexRest(c, extent), get<I>(s), get<I>(d)),
                          IndexToIndex<width, I + 1>(IndexQuotient(c, extent), s, d));
  }
}
template <Width width, class Index, class S, class D, int... I>
HLO_CUTE_INLINE constexpr auto SumOfModes(Index const& c, S const& s, D const& d, seq<I...>) {
  HLO_CUTE_RETURN(WideSumAll<width>(CoordinateToIndex<width>(get<I>(c), get<I>(s), get<I>(d))...));
}

template <Width width, class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto CoordinateToIndex(Index const& c, S const& s, D const& d) {
  if constexpr (is_tuple_v<Index>) {
    if constexpr (tuple_size_v<Index> != tuple_size_v<S> || !is_tuple_v<S>) {
      ErrorCoordinateRank<HLO_CUTE_NAMED(Index), HLO_CUTE_NAMED(S)>();
      return C<0>{};
    } else if constexpr (tuple_size_v<S> > 0) {
      return SumOfModes<width>(c, s, d, make_seq<tuple_size_v<S>>{});
    } else {
      return C<0>{};
    }
  } else if constexpr (is_constant<0, Index>::value) {
    return C<0>{};
  } else if constexpr (is_tuple_v<S>) {
    if constexpr (tuple_size_v<S> == 0) {
      return C<0>{};
    } else {
      return IndexToIndex<width, 0>(c, s, d);
    }
  } else {
    return ScaleStride<width>(c, d);
  }
}

// How far the offsets of a static layout reach from 0, and whether that is seen to fit an int.
template <class S, class D>
struct StaticReach {
  static constexpr bool fits = false;
};
template <auto s, auto d>
struct StaticReach<C<s>, C<d>> {
  static constexpr int64_t value =
      (int64_t{s} > 0 ? int64_t{s} - 1 : 0) * (int64_t{d} < 0 ? -int64_t{d} : int64_t{d});
  static constexpr bool fits = int64_t{s} <= INT32_MAX && int64_t{d} <= INT32_MAX &&
                               int64_t{d} >= -INT32_MAX && value <= INT32_MAX;
};
template <class... S, class... D>
struct StaticReach<tuple<S...>, tuple<D...>> {
  HLO_CUTE_HD static constexpr int64_t Sum() {
    if constexpr ((StaticReach<S, D>::fits && ...)) {
      return (StaticReach<S, D>::value + ... + 0);
    } else {
      return -1;
    }
  }
  static constexpr int64_t value = Sum();
  static constexpr bool fits = value >= 0 && value <= INT32_MAX;
};

// Whether a stride is static and negative: then offsets may be below 0, for unsigned coordinates
// too.
template <class D>
struct HasNegative : C<IntegerTraits<D>::is_negative> {};
template <class... D>
struct HasNegative<tuple<D...>> : C<(HasNegative<D>::value || ...)> {};

template <class Coordinate, class S, class D>
HLO_CUTE_LEAF constexpr auto OffsetOf(Coordinate const& coord, S const& shape, D const& stride) {
  if constexpr (StaticReach<S, D>::fits) {
    return CoordinateToIndex<Width::kSignedShort>(coord, shape, stride);
  } else {
#if HLO_CUTE_NARROW
    using Result = decltype(PublicNumber(CoordinateToIndex<Width::k64>(coord, shape, stride)));
    return static_cast<Result>(CoordinateToIndex<Width::kSignedDevice>(coord, shape, stride));
#else
    return PublicNumber(CoordinateToIndex<Width::k64>(coord, shape, stride));
#endif
  }
}

// The strides of a compact layout. An extent that is statically 1 has stride 0.
template <int step, int I, class S, class Current>
HLO_CUTE_INLINE constexpr auto CompactModes(S const& s, Current const& current);
template <int step, class S, class Current>
HLO_CUTE_INLINE constexpr auto CompactStride(S const& s, Current const& current) {
  if constexpr (is_tuple_v<S>) {
    return CompactModes<step, (step > 0 ? 0 : tuple_size_v<S> - 1)>(s, current);
  } else if constexpr (is_constant<1, S>::value) {
    return C<0>{};
  } else {
    return current;
  }
}
template <int step, int I, class S, class Current>
HLO_CUTE_INLINE constexpr auto CompactModes(S const& s, Current const& current) {
  if constexpr (I < 0 || I >= tuple_size_v<S>) {
    return tuple<>{};
  } else {
    const auto mode = CompactStride<step>(get<I>(s), current);
    const auto others = CompactModes<step, I + step>(s, WideProduct(current, product(get<I>(s))));
    if constexpr (step > 0) {
      return tuple_cat(make_tuple(mode), others);
    } else {
      return tuple_cat(others, make_tuple(mode));
    }
  }
}

}  // namespace detail
/// Example: compact_col_major((4,(2,3))) -> (1,(4,8))
template <class S, class Current = C<1>>
HLO_CUTE_INLINE constexpr auto compact_col_major(S const& shape, Current const& current = {}) {
  return detail::CompactStride<1>(shape, current);
}
/// Example: compact_row_major((4,(2,3))) -> (6,(3,1))
template <class S, class Current = C<1>>
HLO_CUTE_INLINE constexpr auto compact_row_major(S const& shape, Current const& current = {}) {
  return detail::CompactStride<-1>(shape, current);
}

/// The strides with the first mode fastest, and with the last mode fastest.
struct LayoutLeft {
  template <class S>
  using Apply = decltype(compact_col_major(std::declval<S const&>()));
};
struct LayoutRight {
  template <class S>
  using Apply = decltype(compact_row_major(std::declval<S const&>()));
};
using GenColMajor = LayoutLeft;
using GenRowMajor = LayoutRight;

/// The offset of a coordinate. An integer if the shape has a tuple counts with the first mode
/// fastest, and past the end on in the last mode.
/// Example: crd2idx((1,(1,2)), (3,(2,3)), (3,(12,1))) -> 17
template <class Coordinate, class S, class D>
HLO_CUTE_LEAF constexpr auto crd2idx(Coordinate const& coord, S const& shape, D const& stride) {
  HLO_CUTE_RETURN(detail::OffsetOf(coord, shape, stride));
}
template <class Coordinate, class S>
HLO_CUTE_INLINE constexpr auto crd2idx(Coordinate const& coord, S const& shape) {
  HLO_CUTE_RETURN(detail::OffsetOf(coord, shape, compact_col_major(shape)));
}

namespace detail {

template <class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto IndexToCoordinate(Index const& i, S const& s, D const& d) {
  if constexpr (is_tuple_v<Index>) {
    static_assert(tuple_size_v<Index> == tuple_size_v<S>,
                  "idx2crd: the index has another rank than the shape.");
    return TransformApply(
        i, s, d,
        [](auto const& a, auto const& b, auto const& c) { return IndexToCoordinate(a, b, c); },
        make_seq<tuple_size_v<S>>{});
  } else if constexpr (is_tuple_v<S>) {
    if constexpr (is_tuple_v<D>) {
      return transform(s, d,
                       [&](auto const& a, auto const& b) { return IndexToCoordinate(i, a, b); });
    } else {
      return IndexToCoordinate(i, s, compact_col_major(s, d));
    }
  } else if constexpr (is_constant<1, S>::value) {
    return C<0>{};
  } else {
    if constexpr (!IntegerTraits<D>::is_static) {
      // A mode of stride 0 has one coordinate per offset.
      if (static_cast<int64_t>(d) == 0) return static_cast<decltype((i / d) % s)>(0);
    }
    return IndexQuotient(i, d) % s;
  }
}

}  // namespace detail

namespace detail {

template <int I, class Index, class S>
HLO_CUTE_INLINE constexpr auto IndexToModes(Index const& i, S const& s);
template <class Index, class S>
HLO_CUTE_INLINE constexpr auto IndexToMode(Index const& i, S const& s) {
  if constexpr (is_tuple_v<S>) {
    return IndexToModes<0>(i, s);
  } else {
    return i;
  }
}
template <int I, class Index, class S>
HLO_CUTE_INLINE constexpr auto IndexToModes(Index const& i, S const& s) {
  if constexpr (I + 1 == tuple_size_v<S>) {
    return make_tuple(IndexToMode(i, get<I>(s)));
  } else {
    const auto extent = product(get<I>(s));
    return tuple_cat(make_tuple(IndexToMode(IndexRest(i, extent), get<I>(s))),
                     IndexToModes<I + 1>(IndexQuotient(i, extent), s));
  }
}

}  // namespace detail

/// The coordinate of an index, in the profile of the shape. With strides, the coordinate of an
/// offset in a compact layout: (i / stride) % shape by modes.
/// Example: idx2crd(16, (3,(2,3))) -> (1,(1,2))
template <class Index, class S>
HLO_CUTE_INLINE constexpr auto idx2crd(Index const& index, S const& shape) {
  if constexpr (detail::is_tuple_v<Index>) {
    static_assert(tuple_size_v<Index> == tuple_size_v<S>,
                  "idx2crd: the index has another rank than the shape.");
    return transform(index, shape, [](auto const& i, auto const& s) { return idx2crd(i, s); });
  } else {
    return detail::IndexToMode(index, shape);
  }
}
template <class Index, class S, class D>
HLO_CUTE_INLINE constexpr auto idx2crd(Index const& index, S const& shape, D const& stride) {
  HLO_CUTE_RETURN(detail::IndexToCoordinate(index, shape, stride));
}
/// A coordinate of one shape as one of another shape with as many elements.
template <class Coordinate, class From, class To>
HLO_CUTE_INLINE constexpr auto crd2crd(Coordinate const& coord, From const& from, To const& to) {
  if constexpr (detail::is_tuple_v<Coordinate> && detail::is_tuple_v<From> &&
                detail::is_tuple_v<To>) {
    return detail::TransformApply(
        coord, from, to,
        [](auto const& c, auto const& f, auto const& t) { return crd2crd(c, f, t); },
        make_seq<tuple_size_v<Coordinate>>{});
  } else {
    return idx2crd(crd2idx(coord, from), to);
  }
}

namespace detail {

// Where the members of a flat coordinate are `_` and where not, as sequences of their places.
template <class Coordinate>
struct UnderscorePlaces;
template <class... Cs>
struct UnderscorePlaces<tuple<Cs...>> {
  static constexpr int count = (is_underscore_v<Cs> + ... + 0);
  struct Places {
    int place[sizeof...(Cs) + 1];
  };
  HLO_CUTE_HD static constexpr Places Find(bool underscore) {
    Places places{};
    const bool is_underscore[] = {is_underscore_v<Cs>..., false};
    for (int i = 0, next = 0; i < static_cast<int>(sizeof...(Cs)); ++i) {
      if (is_underscore[i] == underscore) places.place[next++] = i;
    }
    return places;
  }
  template <bool underscore, class I>
  struct Sequence;
  template <bool underscore, int... I>
  struct Sequence<underscore, seq<I...>> {
    static constexpr Places places = Find(underscore);
    using type = seq<places.place[I]...>;
  };
  using Kept = typename Sequence<true, make_seq<count>>::type;
  using Fixed = typename Sequence<false, make_seq<static_cast<int>(sizeof...(Cs)) - count>>::type;
};
// A tuple without tuples inside.
template <class Coordinate>
struct IsFlat : C<false> {};
template <class... Cs>
struct IsFlat<tuple<Cs...>> : C<!(is_tuple_v<Cs> || ...)> {};

template <class Coordinate, class T>
HLO_CUTE_LEAF constexpr auto LiftSlice(Coordinate const& c, T const& t);
template <class Coordinate, class T, int... I>
HLO_CUTE_INLINE constexpr auto LiftSliceModes(Coordinate const& c, T const& t, seq<I...>) {
  HLO_CUTE_RETURN(tuple_cat(LiftSlice(get<I>(c), get<I>(t))...));
}
template <class Coordinate, class T>
HLO_CUTE_LEAF constexpr auto LiftSlice(Coordinate const& c, T const& t) {
  if constexpr (is_underscore_v<Coordinate>) {
    return make_tuple(t);
  } else if constexpr (!HasUnderscore<Coordinate>::value) {
    return tuple<>{};
  } else if constexpr (tuple_size_v<Coordinate> != tuple_size_v<T>) {
    ErrorCoordinateRank<HLO_CUTE_NAMED(Coordinate), HLO_CUTE_NAMED(T)>();
    return tuple<>{};
  } else if constexpr (IsFlat<Coordinate>::value) {
    return Select(t, typename UnderscorePlaces<Coordinate>::Kept{});
  } else {
    HLO_CUTE_RETURN(LiftSliceModes(c, t, make_seq<tuple_size_v<T>>{}));
  }
}
template <class Coordinate, class T>
HLO_CUTE_INLINE constexpr auto LiftDice(Coordinate const& c, T const& t);
template <class Coordinate, class T, int... I>
HLO_CUTE_INLINE constexpr auto LiftDiceModes(Coordinate const& c, T const& t, seq<I...>) {
  HLO_CUTE_RETURN(tuple_cat(LiftDice(get<I>(c), get<I>(t))...));
}
template <class Coordinate, class T>
HLO_CUTE_INLINE constexpr auto LiftDice(Coordinate const& c, T const& t) {
  if constexpr (is_underscore_v<Coordinate>) {
    return tuple<>{};
  } else if constexpr (!is_tuple_v<Coordinate>) {
    return make_tuple(t);
  } else if constexpr (tuple_size_v<Coordinate> != tuple_size_v<T>) {
    ErrorCoordinateRank<HLO_CUTE_NAMED(Coordinate), HLO_CUTE_NAMED(T)>();
    return tuple<>{};
  } else if constexpr (IsFlat<Coordinate>::value) {
    return Select(t, typename UnderscorePlaces<Coordinate>::Fixed{});
  } else {
    HLO_CUTE_RETURN(LiftDiceModes(c, t, make_seq<tuple_size_v<T>>{}));
  }
}

}  // namespace detail

/// What is paired with `_`.
/// Example: slice((2,_), (a,(b,c))) -> ((b,c)); slice(_, x) -> x
template <class Coordinate, class T,
          std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto slice(Coordinate const& coord, T const& t) {
  if constexpr (detail::is_underscore_v<Coordinate>) {
    return t;
  } else {
    return detail::LiftSlice(coord, t);
  }
}
/// What is paired with integers.
/// Example: dice((2,_), (a,(b,c))) -> (a)
template <class Coordinate, class T,
          std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto dice(Coordinate const& coord, T const& t) {
  if constexpr (detail::is_underscore_v<Coordinate>) {
    return tuple<>{};
  } else if constexpr (detail::is_tuple_v<Coordinate>) {
    return detail::LiftDice(coord, t);
  } else {
    return t;
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COORDINATE_H_
