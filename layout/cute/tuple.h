#ifndef HLO_INDEXING_LAYOUT_CUTE_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_TUPLE_H_

#include "layout/cute/integral.h"

// A tuple whose static members take no space, and the tools to take tuples apart.
//
// The members are flat bases, so that get<I> is one overload resolution and needs no recursion; an
// all-static tuple is an empty class.
HLO_CUTE_BEGIN_NAMESPACE

template <int... I>
struct seq {};
namespace detail {
#if defined(__has_builtin)
#if __has_builtin(__make_integer_seq)
#define HLO_CUTE_MAKE_INTEGER_SEQ 1
#endif
#endif
#ifdef HLO_CUTE_MAKE_INTEGER_SEQ
template <class, int... I>
struct SeqOf {
  using type = seq<I...>;
};
template <int n>
using MakeSeq = typename __make_integer_seq<SeqOf, int, n>::type;
#undef HLO_CUTE_MAKE_INTEGER_SEQ
#else
template <int... I>
seq<I...> SeqOf(std::integer_sequence<int, I...>);
template <int n>
using MakeSeq = decltype(SeqOf(std::make_integer_sequence<int, n>{}));
#endif
template <int begin, class S>
struct ShiftedSeq;
template <int begin, int... I>
struct ShiftedSeq<begin, seq<I...>> {
  using type = seq<(begin + I)...>;
};
}  // namespace detail
template <int n>
using make_seq = detail::MakeSeq<n>;
template <int begin, int end>
using make_range = typename detail::ShiftedSeq<begin, make_seq<end - begin>>::type;

namespace detail {

template <int I, class T, bool empty = std::is_empty<T>::value>
struct Slot {
  Slot() = default;
  HLO_CUTE_LEAF constexpr Slot(T const&) {}
};
template <int I, class T>
struct Slot<I, T, false> {
  Slot() = default;
  HLO_CUTE_LEAF constexpr Slot(T const& t) : value(t) {}
  T value{};
};

template <int I, class T>
HLO_CUTE_LEAF constexpr T GetSlot(Slot<I, T, true> const&) {
  return T{};
}
template <int I, class T>
HLO_CUTE_LEAF constexpr T const& GetSlot(Slot<I, T, false> const& slot) {
  return slot.value;
}
template <int I, class T>
HLO_CUTE_LEAF constexpr T& GetSlot(Slot<I, T, false>& slot) {
  return slot.value;
}

template <class S, class... T>
struct TupleBase;
template <int... I, class... T>
struct TupleBase<seq<I...>, T...> : Slot<I, T>... {
  TupleBase() = default;
  HLO_CUTE_LEAF constexpr TupleBase(T const&... t) : Slot<I, T>(t)... {}
};
template <>
struct TupleBase<seq<>> {};

}  // namespace detail

template <class... T>
struct tuple : detail::TupleBase<make_seq<sizeof...(T)>, T...> {
  using Base = detail::TupleBase<make_seq<sizeof...(T)>, T...>;
  tuple() = default;
  HLO_CUTE_LEAF constexpr tuple(T const&... t) : Base(t...) {}
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
template <class T>
constexpr bool is_tuple_v = TupleTraits<T>::is_tuple;

}  // namespace detail

template <class T>
struct is_tuple : bool_constant<detail::is_tuple_v<std::decay_t<T>>> {};
template <class T>
struct tuple_size : Int<detail::TupleTraits<std::decay_t<T>>::size> {};
template <class T>
constexpr int tuple_size_v = detail::TupleTraits<std::decay_t<T>>::size;

/// Whether everything in T is known at compile time.
template <class T>
struct is_static
    : bool_constant<std::is_empty<std::remove_cv_t<std::remove_reference_t<T>>>::value> {};
template <class T>
constexpr bool is_static_v = is_static<T>::value;

/// The member at the path I...: get<1,0>(((a,b),(c,d))) -> c. An integer is its own member 0.
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(tuple<T...> const& t) {
  static_assert(0 <= I && I < static_cast<int>(sizeof...(T)),
                "get<I>: the tuple has fewer members than I + 1.");
  return detail::GetSlot<I>(t);
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(tuple<T...>& t) {
  static_assert(0 <= I && I < static_cast<int>(sizeof...(T)),
                "get<I>: the tuple has fewer members than I + 1.");
  return detail::GetSlot<I>(t);
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr auto get(tuple<T...>&& t) {
  HLO_CUTE_RETURN(detail::GetSlot<I>(t));
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
  using type = std::decay_t<decltype(get<I>(std::declval<T const&>()))>;
};
template <int I, class T>
using tuple_element_t = typename tuple_element<I, T>::type;

template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_tuple(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_shape(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_stride(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_step(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_coord(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_tile(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
    return {};
  } else {
    return {t...};
  }
}
template <class... T>
HLO_CUTE_INLINE constexpr tuple<T...> make_int_tuple(T const&... t) {
  if constexpr ((std::is_empty<T>::value && ...)) {
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

/// Replaces every leaf of nested tuples: transform_leaf((1,(2,3)), f) -> (f(1),(f(2),f(3))).
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

namespace detail {

template <class T, int... I>
HLO_CUTE_INLINE constexpr auto Select(T const& t, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(get<I>(t)...));
}

// Which member of which argument the i-th member of a concatenation is.
template <int count>
struct CatIndex {
  int argument[count > 0 ? count : 1] = {};
  int member[count > 0 ? count : 1] = {};
};
template <int count, int... sizes>
HLO_CUTE_HD constexpr CatIndex<count> MakeCatIndex() {
  CatIndex<count> index;
  const int size[] = {sizes..., 0};
  int next = 0;
  for (int a = 0; a < static_cast<int>(sizeof...(sizes)); ++a) {
    for (int m = 0; m < size[a]; ++m) {
      index.argument[next] = a;
      index.member[next++] = m;
    }
  }
  return index;
}
template <int... sizes>
struct CatPlan {
  static constexpr auto index = MakeCatIndex<(sizes + ... + 0), sizes...>();
};
template <class Plan, class T, int... I>
HLO_CUTE_INLINE constexpr auto Cat(T const& t, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(get<Plan::index.member[I]>(get<Plan::index.argument[I]>(t))...));
}

}  // namespace detail

/// tuple_cat((a,b),(c)) -> (a,b,c)
HLO_CUTE_INLINE constexpr tuple<> tuple_cat() { return {}; }
template <class T>
HLO_CUTE_INLINE constexpr T tuple_cat(T const& t) {
  return t;
}
template <class T0, class T1, class... T>
HLO_CUTE_INLINE constexpr auto tuple_cat(T0 const& t0, T1 const& t1, T const&... t) {
  using Plan = detail::CatPlan<tuple_size_v<T0>, tuple_size_v<T1>, tuple_size_v<T>...>;
  constexpr int count = tuple_size_v<T0> + tuple_size_v<T1> + (tuple_size_v<T> + ... + 0);
  return detail::Cat<Plan>(tuple<T0, T1, T...>(t0, t1, t...), make_seq<count>{});
}

/// (a,(b,c)) -> (a,b,c); an integer n -> (n)
template <class T>
HLO_CUTE_INLINE constexpr auto flatten_to_tuple(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return apply(t, [](auto const&... member) { return tuple_cat(flatten_to_tuple(member)...); });
  } else {
    return tuple<T>(t);
  }
}
/// (a,(b,c)) -> (a,b,c); an integer stays one.
template <class T>
HLO_CUTE_INLINE constexpr auto flatten(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return flatten_to_tuple(t);
  } else {
    return t;
  }
}

/// The members begin to end-1: take<1,3>((a,b,c,d)) -> (b,c)
template <int begin, int end, class T>
HLO_CUTE_INLINE constexpr auto take(T const& t) {
  static_assert(0 <= begin && begin <= end && end <= tuple_size_v<T>,
                "take<begin,end>: the range is not inside the tuple.");
  return detail::Select(t, make_range<begin, end>{});
}
/// select<2,0>((a,b,c)) -> (c,a)
template <int... I, class T>
HLO_CUTE_INLINE constexpr auto select(T const& t) {
  HLO_CUTE_RETURN(make_tuple(get<I>(t)...));
}
template <class T>
HLO_CUTE_INLINE constexpr auto front(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return front(get<0>(t));
  } else {
    return t;
  }
}
template <class T>
HLO_CUTE_INLINE constexpr auto back(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return back(get<tuple_size_v<T> - 1>(t));
  } else {
    return t;
  }
}
/// wrap(n) -> (n); a tuple stays one.
template <class T>
HLO_CUTE_INLINE constexpr auto wrap(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return t;
  } else {
    return tuple<T>(t);
  }
}
/// unwrap(((n))) -> n
template <class T>
HLO_CUTE_INLINE constexpr auto unwrap(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    if constexpr (tuple_size_v<T> == 1) {
      return unwrap(get<0>(t));
    } else {
      return t;
    }
  } else {
    return t;
  }
}

namespace detail {

template <class X, int... I>
HLO_CUTE_INLINE constexpr auto Repeat(X const& x, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple((static_cast<void>(I), x)...));
}

}  // namespace detail

/// repeat<3>(x) -> (x,x,x); repeat<1>(x) -> x
template <int n, class X>
HLO_CUTE_INLINE constexpr auto repeat(X const& x) {
  if constexpr (n == 1) {
    return x;
  } else {
    return detail::Repeat(x, make_seq<n>{});
  }
}
template <int n, class X>
HLO_CUTE_INLINE constexpr auto tuple_repeat(X const& x) {
  HLO_CUTE_RETURN(detail::Repeat(x, make_seq<n>{}));
}
/// repeat_like(((a,b),c), x) -> ((x,x),x)
template <class T, class X>
HLO_CUTE_INLINE constexpr auto repeat_like(T const& t, X const& x) {
  return transform_leaf(t, [&](auto const&) { return x; });
}

/// group<1,3>((a,b,c,d)) -> (a,(b,c),d)
template <int begin, int end, class T>
HLO_CUTE_INLINE constexpr auto group(T const& t) {
  constexpr int last = end < 0 ? tuple_size_v<T> : end;
  return tuple_cat(take<0, begin>(t), make_tuple(take<begin, last>(t)),
                   take<last, tuple_size_v<T>>(t));
}
/// replace<1>((a,b,c), x) -> (a,x,c)
template <int I, class T, class X>
HLO_CUTE_INLINE constexpr auto replace(T const& t, X const& x) {
  if constexpr (detail::is_tuple_v<T>) {
    return tuple_cat(take<0, I>(t), make_tuple(x), take<I + 1, tuple_size_v<T>>(t));
  } else {
    static_assert(I == 0, "replace<I>: an integer has one member, 0.");
    return x;
  }
}
/// append((a,b), x) -> (a,b,x); append<4>((a,b), x) -> (a,b,x,x)
template <class T, class X>
HLO_CUTE_INLINE constexpr auto append(T const& t, X const& x) {
  HLO_CUTE_RETURN(tuple_cat(wrap(t), make_tuple(x)));
}
template <int n, class T, class X>
HLO_CUTE_INLINE constexpr auto append(T const& t, X const& x) {
  if constexpr (tuple_size_v<T> >= n) {
    static_assert(tuple_size_v<T> == n, "append<n>: the tuple has more than n members.");
    return t;
  } else {
    return tuple_cat(wrap(t), tuple_repeat<n - tuple_size_v<T>>(x));
  }
}
template <class T, class X>
HLO_CUTE_INLINE constexpr auto prepend(T const& t, X const& x) {
  HLO_CUTE_RETURN(tuple_cat(make_tuple(x), wrap(t)));
}
template <int n, class T, class X>
HLO_CUTE_INLINE constexpr auto prepend(T const& t, X const& x) {
  if constexpr (tuple_size_v<T> >= n) {
    static_assert(tuple_size_v<T> == n, "prepend<n>: the tuple has more than n members.");
    return t;
  } else {
    return tuple_cat(tuple_repeat<n - tuple_size_v<T>>(x), wrap(t));
  }
}

namespace detail {

template <class T, class U, int... I>
HLO_CUTE_INLINE constexpr bool EqualMembers(T const& t, U const& u, seq<I...>) {
  return (static_cast<bool>(get<I>(t) == get<I>(u)) && ...);
}

template <int I, class T, int... J>
HLO_CUTE_INLINE constexpr auto ZipColumn(T const& t, seq<J...>) {
  HLO_CUTE_RETURN(make_tuple(get<I>(get<J>(t))...));
}
template <class T, int... I>
HLO_CUTE_INLINE constexpr auto Zip(T const& t, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(ZipColumn<I>(t, make_seq<tuple_size_v<T>>{})...));
}

}  // namespace detail

/// zip(((a,b),(c,d))) -> ((a,c),(b,d))
template <class T>
HLO_CUTE_INLINE constexpr auto zip(T const& t) {
  HLO_CUTE_RETURN(detail::Zip(t, make_seq<tuple_size_v<decltype(get<0>(t))>>{}));
}
template <class T0, class T1, class... T>
HLO_CUTE_INLINE constexpr auto zip(T0 const& t0, T1 const& t1, T const&... t) {
  HLO_CUTE_RETURN(zip(make_tuple(t0, t1, t...)));
}

template <class... T, class... U>
HLO_CUTE_INLINE constexpr auto operator==(tuple<T...> const& t, tuple<U...> const& u) {
  if constexpr (sizeof...(T) != sizeof...(U)) {
    return false_type{};
  } else if constexpr (is_static_v<tuple<T...>> && is_static_v<tuple<U...>>) {
    return C<detail::EqualMembers(tuple<T...>{}, tuple<U...>{}, make_seq<sizeof...(T)>{})>{};
  } else {
    return detail::EqualMembers(t, u, make_seq<sizeof...(T)>{});
  }
}
template <class... T, class U, std::enable_if_t<is_integral<U>::value, int> = 0>
HLO_CUTE_INLINE constexpr false_type operator==(tuple<T...> const&, U const&) {
  return {};
}
template <class U, class... T, std::enable_if_t<is_integral<U>::value, int> = 0>
HLO_CUTE_INLINE constexpr false_type operator==(U const&, tuple<T...> const&) {
  return {};
}
template <class... T, class U>
HLO_CUTE_INLINE constexpr auto operator!=(tuple<T...> const& t, U const& u) {
  HLO_CUTE_RETURN(!(t == u));
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
