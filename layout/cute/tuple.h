#ifndef HLO_INDEXING_LAYOUT_CUTE_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_TUPLE_H_

#include "layout/cute/integral.h"

// A tuple whose static members take no space, and the tools to take tuples apart.
//
// The members are flat bases, so that get<I> is one overload resolution and needs no recursion; an
// all-static tuple is an empty class.
HLO_CUTE_BEGIN_NAMESPACE

template <class... T>
struct tuple;
template <int... I>
using seq = std::integer_sequence<int, I...>;
namespace detail {
template <int begin, class S>
struct ShiftedSeq;
template <int begin, int... I>
struct ShiftedSeq<begin, seq<I...>> {
  using type = seq<(begin + I)...>;
};
}  // namespace detail
template <int n>
using make_seq = std::make_integer_sequence<int, n>;
template <int begin, int end>
using make_range = typename detail::ShiftedSeq<begin, make_seq<end - begin>>::type;
template <int... I>
using int_sequence = seq<I...>;
template <int n>
using make_int_sequence = make_seq<n>;
template <int begin, int end>
using make_int_range = make_range<begin, end>;
using std::index_sequence;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_integer_sequence;

namespace detail {

// The members are aggregates, for a constructor of each would be a function to compile. Two bases
// of one class may not lie at one address: Shape<_1, Shape<_1, int>> would have 8 bytes if both its
// empty members were the same class. So those of a tuple that has state are classes of this tuple.
template <int I, class T, bool empty = __is_empty(T), class Owner = void>
struct Slot {
  using Member = T;
  static constexpr bool is_empty = true;
  Slot() = default;
  HLO_CUTE_LEAF constexpr Slot(T const&) {}
  HLO_CUTE_LEAF constexpr T Get() const { return {}; }
};
template <int I, class T>
struct Slot<I, T, false, void> {
  using Member = T;
  static constexpr bool is_empty = false;
  T value{};
  HLO_CUTE_LEAF constexpr T const& Get() const { return value; }
};

// Only declared: the slot of member I.
template <int I, class T, bool empty, class Owner>
Slot<I, T, empty, Owner> SlotAt(Slot<I, T, empty, Owner> const&);
template <int I, class T>
using SlotOf = decltype(SlotAt<I>(std::declval<T const&>()));

template <bool condition>
struct OnlyIf {
  template <class T>
  using Type = T;
};
template <>
struct OnlyIf<false> {
  template <class T>
  using Type = void;
};

template <class S, class Owner, class... T>
struct TupleBase;
template <int... I, class Owner, class... T>
struct TupleBase<seq<I...>, Owner, T...>
    : Slot<I, T, __is_empty(T), typename OnlyIf<__is_empty(T)>::template Type<Owner>>... {};
template <class Owner>
struct TupleBase<seq<>, Owner> {};

template <class... T>
using TupleBaseOf =
    TupleBase<make_seq<sizeof...(T)>,
              typename OnlyIf<!(__is_empty(T) && ...)>::template Type<tuple<T...>>, T...>;

}  // namespace detail

template <class... T>
struct tuple : detail::TupleBaseOf<T...> {
  using Base = detail::TupleBaseOf<T...>;
  tuple() = default;
  HLO_CUTE_LEAF constexpr tuple(T const&... t) : Base{{t}...} {}
};
template <>
struct tuple<> {};

template <class... T>
using Shape = tuple<T...>;
template <class... T>
using Stride = tuple<T...>;
template <class... T>
using Step = tuple<T...>;
template <class... T>
using Coord = tuple<T...>;
template <class... T>
using Tile = tuple<T...>;
template <class... T>
using IntTuple = tuple<T...>;

namespace detail {

template <class T>
struct TupleTraits {
  static constexpr bool is_tuple = false;
  static constexpr int size = 1;
};
template <class... T>
struct TupleTraits<tuple<T...>> {
  static constexpr bool is_tuple = true;
  static constexpr int size = sizeof...(T);
};
template <class T, T... I>
struct TupleTraits<std::integer_sequence<T, I...>> {
  static constexpr bool is_tuple = true;
  static constexpr int size = sizeof...(I);
};
template <class... T>
struct TupleTraits<std::tuple<T...>> {
  static constexpr bool is_tuple = true;
  static constexpr int size = sizeof...(T);
};
template <class T>
constexpr bool is_tuple_v = TupleTraits<T>::is_tuple;

}  // namespace detail

template <class T>
struct is_tuple : bool_constant<detail::is_tuple_v<detail::Plain<T>>> {};
template <class T>
struct tuple_size : Int<detail::TupleTraits<detail::Plain<T>>::size> {};
template <class T>
constexpr int tuple_size_v = detail::TupleTraits<detail::Plain<T>>::size;

/// Whether everything in T is known at compile time.
template <class T>
struct is_static : bool_constant<__is_empty(detail::Plain<T>)> {};
template <class T>
constexpr bool is_static_v = is_static<T>::value;

// A sequence of integers is the tuple of these as static integers: for_each(make_seq<3>{}, f) calls
// f(Int<0>{}), f(Int<1>{}), f(Int<2>{}).
template <int I, class T, T... N>
HLO_CUTE_LEAF constexpr auto get(std::integer_sequence<T, N...> const&) {
  static_assert(0 <= I && I < static_cast<int>(sizeof...(N)),
                "get<I>: the sequence has fewer members than I + 1.");
  constexpr T members[] = {N...};
  return C<members[I]>{};
}

namespace detail {
// Whether what has so many modes has the first of a path.
HLO_CUTE_HD constexpr bool HasModes(int) { return true; }
template <int I, class... Is>
HLO_CUTE_HD constexpr bool HasModes(int rank, C<I>, Is...) {
  return 0 <= I && I < rank;
}
}  // namespace detail

// A pointer to a member does what nvcc does not see otherwise, that `t` is not null: it compares
// the address of a reference with null where that becomes one to a base behind others, and a tuple
// whose address is compared stays in memory.

/// The member at the path I...; an integer is its own member 0.
/// Example: get<1,0>(((a,b),(c,d))) -> c
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(tuple<T...> const& t) {
  constexpr bool exists = 0 <= I && I < static_cast<int>(sizeof...(T));
  static_assert(exists, "get<I>, size<I>, shape<I>, select<I>: there are fewer modes than I + 1.");
  if constexpr (exists) {
    using S = decltype(detail::SlotAt<I>(t));
    if constexpr (S::is_empty) {
      return typename S::Member{};
    } else {
      constexpr typename S::Member tuple<T...>::* member = &S::value;
      return (t.*member);
    }
  } else {
    return C<0>{};
  }
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(tuple<T...>& t) {
  constexpr bool exists = 0 <= I && I < static_cast<int>(sizeof...(T));
  static_assert(exists, "get<I>, size<I>, shape<I>, select<I>: there are fewer modes than I + 1.");
  if constexpr (exists) {
    using S = decltype(detail::SlotAt<I>(t));
    if constexpr (S::is_empty) {
      return typename S::Member{};
    } else {
      constexpr typename S::Member tuple<T...>::* member = &S::value;
      return (t.*member);
    }
  } else {
    return C<0>{};
  }
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(tuple<T...>&& t) {
  using Lvalue = decltype(get<I>(t));
  if constexpr (std::is_reference_v<Lvalue>) {
    return static_cast<std::remove_reference_t<Lvalue>&&>(get<I>(t));
  } else {
    return Lvalue{};
  }
}
template <int I, class T, std::enable_if_t<detail::IntegerTraits<T>::is_integer, int> = 0>
HLO_CUTE_LEAF constexpr T get(T const& t) {
  static_assert(I == 0, "get<I>: an integer has one member, 0.");
  return t;
}
template <int I0, int I1, int... I, class T>
HLO_CUTE_LEAF constexpr decltype(auto) get(T const& t) {
  return get<I1, I...>(get<I0>(t));
}

template <int I, class T>
struct tuple_element {
  using type = detail::Plain<decltype(get<I>(std::declval<T const&>()))>;
};
template <int I, class T>
using tuple_element_t = typename tuple_element<I, T>::type;

template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_tuple(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_shape(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_stride(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_step(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_coord(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_tile(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_int_tuple(T const&... t) {
  if constexpr ((__is_empty(T) && ...)) {
    return {};
  } else {
    return {t...};
  }
}

namespace detail {

template <class T, class F, int... I>
HLO_CUTE_INLINE constexpr auto Apply(T const& t, F&& f, seq<I...>) {
  HLO_CUTE_RETURN(f(get<I>(t)...));
}
template <class T, class F, int... I>
HLO_CUTE_INLINE constexpr auto TransformApply(T const& t, F&& f, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(f(get<I>(t))...));
}
template <class T, class U, class F, int... I>
HLO_CUTE_INLINE constexpr auto TransformApply(T const& t, U const& u, F&& f, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(f(get<I>(t), get<I>(u))...));
}
template <class T, class U, class V, class F, int... I>
HLO_CUTE_INLINE constexpr auto TransformApply(T const& t, U const& u, V const& v, F&& f,
                                              seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(f(get<I>(t), get<I>(u), get<I>(v))...));
}

}  // namespace detail

/// f(members...); an integer is one member.
template <class T, class F>
HLO_CUTE_INLINE constexpr auto apply(T const& t, F&& f) {
  HLO_CUTE_RETURN(detail::Apply(t, f, make_seq<tuple_size_v<T>>{}));
}

/// The tuple of f applied to each member; f(t) for an integer.
template <class T, class F, std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto transform(T const& t, F&& f) {
  if constexpr (detail::is_tuple_v<T>) {
    return detail::TransformApply(t, f, make_seq<tuple_size_v<T>>{});
  } else {
    return f(t);
  }
}
template <class T, class U, class F,
          std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto transform(T const& t, U const& u, F&& f) {
  if constexpr (detail::is_tuple_v<T>) {
    static_assert(tuple_size_v<T> == tuple_size_v<U>,
                  "transform: the tuples have different ranks.");
    return detail::TransformApply(t, u, f, make_seq<tuple_size_v<T>>{});
  } else {
    return f(t, u);
  }
}

/// f(member) for each member, in order.
template <class T, class F, std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr void for_each(T const& t, F&& f) {
  if constexpr (detail::is_tuple_v<T>) {
    apply(t, [&](auto const&... member) {
      (static_cast<void>(f(member)), ...);
      return 0;
    });
  } else {
    f(t);
  }
}

/// Replaces every leaf of nested tuples.
/// Example: transform_leaf((1,(2,3)), f) -> (f(1),(f(2),f(3)))
template <class T, class F>
HLO_CUTE_INLINE constexpr auto transform_leaf(T const& t, F&& f) {
  if constexpr (detail::is_tuple_v<T>) {
    return transform(t, [&](auto const& member) { return transform_leaf(member, f); });
  } else {
    return f(t);
  }
}
template <class T, class U, class F>
HLO_CUTE_INLINE constexpr auto transform_leaf(T const& t, U const& u, F&& f) {
  if constexpr (detail::is_tuple_v<T>) {
    static_assert(tuple_size_v<T> == tuple_size_v<U>,
                  "transform_leaf: the tuples differ in profile.");
    return transform(t, u, [&](auto const& a, auto const& b) { return transform_leaf(a, b, f); });
  } else {
    return f(t, u);
  }
}

HLO_CUTE_END_NAMESPACE

// Structured bindings: auto [m, n] = shape;
template <class... T>
struct std::tuple_size<hlo_indexing::layout::cute::tuple<T...>>
    : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, hlo_indexing::layout::cute::tuple<T...>> {
  using type = hlo_indexing::layout::cute::tuple_element_t<static_cast<int>(I),
                                                           hlo_indexing::layout::cute::tuple<T...>>;
};

#endif  // HLO_INDEXING_LAYOUT_CUTE_TUPLE_H_
