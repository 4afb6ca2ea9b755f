#ifndef HLO_INDEXING_LAYOUT_CUTE_TUPLE_FUNCTIONS_H_
#define HLO_INDEXING_LAYOUT_CUTE_TUPLE_FUNCTIONS_H_

#include "layout/cute/tuple.h"

// Tuples from tuples: concatenated, flattened, cut, grouped, zipped; and their equality.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// The chosen members. Functions with an explicit type cost nothing where only that is asked for.
template <class T, int... I>
HLO_CUTE_INLINE constexpr auto Select(T const& t, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(get<I>(t)...));
}
template <class... T, int... I>
HLO_CUTE_INLINE constexpr tuple<typename SlotOf<I, tuple<T...>>::Member...> Select(
    tuple<T...> const& t, seq<I...>) {
  static_cast<void>(t);
  if constexpr (__is_empty(tuple<typename SlotOf<I, tuple<T...>>::Member...>)) {
    return {};
  } else {
    return {get<I>(t)...};
  }
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

template <class R, class T, class U, int... I, int... J>
HLO_CUTE_LEAF constexpr R CatTwo(T const& t, U const& u, seq<I...>, seq<J...>) {
  static_cast<void>(t);
  static_cast<void>(u);
  return R(get<I>(t)..., get<J>(u)...);
}

}  // namespace detail
/// Example: tuple_cat((a,b),(c)) -> (a,b,c)
HLO_CUTE_LEAF constexpr tuple<> tuple_cat() { return {}; }
template <class T>
HLO_CUTE_LEAF constexpr T tuple_cat(T const& t) {
  return t;
}
template <class... T, class... U>
HLO_CUTE_LEAF constexpr tuple<T..., U...> tuple_cat(tuple<T...> const& t, tuple<U...> const& u) {
  if constexpr (__is_empty(tuple<T..., U...>)) {
    return {};
  } else if constexpr (sizeof...(T) == 0) {
    return u;
  } else if constexpr (sizeof...(U) == 0) {
    return t;
  } else {
    return detail::CatTwo<tuple<T..., U...>>(t, u, make_seq<sizeof...(T)>{},
                                             make_seq<sizeof...(U)>{});
  }
}
template <class T0, class T1, class... T>
HLO_CUTE_LEAF constexpr auto tuple_cat(T0 const& t0, T1 const& t1, T const&... t) {
  using Plan = detail::CatPlan<tuple_size_v<T0>, tuple_size_v<T1>, tuple_size_v<T>...>;
  constexpr int count = tuple_size_v<T0> + tuple_size_v<T1> + (tuple_size_v<T> + ... + 0);
  return detail::Cat<Plan>(tuple<T0, T1, T...>(t0, t1, t...), make_seq<count>{});
}
/// Example: (a,(b,c)) -> (a,b,c); an integer n -> (n)
template <class T>
HLO_CUTE_INLINE constexpr auto flatten_to_tuple(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return apply(t, [](auto const&... member) { return tuple_cat(flatten_to_tuple(member)...); });
  } else {
    return tuple<T>(t);
  }
}
/// Example: (a,(b,c)) -> (a,b,c); an integer stays one.
template <class T>
HLO_CUTE_INLINE constexpr auto flatten(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return flatten_to_tuple(t);
  } else {
    return t;
  }
}

/// The members begin to end-1.
/// Example: take<1,3>((a,b,c,d)) -> (b,c)
template <int begin, int end, class T>
HLO_CUTE_LEAF constexpr auto take(T const& t) {
  constexpr bool exists = 0 <= begin && begin <= end && end <= tuple_size_v<T>;
  static_assert(exists, "take<begin,end>: the range is not inside the tuple.");
  if constexpr (exists) {
    return detail::Select(t, make_range<begin, end>{});
  } else {
    return t;
  }
}
/// Example: select<2,0>((a,b,c)) -> (c,a)
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
/// Example: wrap(n) -> (n); a tuple stays one.
template <class T>
HLO_CUTE_INLINE constexpr auto wrap(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return t;
  } else {
    return tuple<T>(t);
  }
}
/// Example: unwrap(((n))) -> n
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
/// Example: repeat<3>(x) -> (x,x,x); repeat<1>(x) -> x
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
/// Example: repeat_like(((a,b),c), x) -> ((x,x),x)
template <class T, class X>
HLO_CUTE_INLINE constexpr auto repeat_like(T const& t, X const& x) {
  return transform_leaf(t, [&](auto const&) { return x; });
}
/// Example: group<1,3>((a,b,c,d)) -> (a,(b,c),d)
template <int begin, int end, class T>
HLO_CUTE_INLINE constexpr auto group(T const& t) {
  constexpr int last = end < 0 ? tuple_size_v<T> : end;
  constexpr bool exists = 0 <= begin && begin <= last && last <= tuple_size_v<T>;
  static_assert(exists,
                "group<begin,end>, group_modes<begin,end>: there are fewer modes than end.");
  if constexpr (exists) {
    return tuple_cat(take<0, begin>(t), make_tuple(take<begin, last>(t)),
                     take<last, tuple_size_v<T>>(t));
  } else {
    return t;
  }
}
/// Example: replace<1>((a,b,c), x) -> (a,x,c)
template <int I, class T, class X>
HLO_CUTE_INLINE constexpr auto replace(T const& t, X const& x) {
  if constexpr (detail::is_tuple_v<T>) {
    return tuple_cat(take<0, I>(t), make_tuple(x), take<I + 1, tuple_size_v<T>>(t));
  } else {
    static_assert(I == 0, "replace<I>: an integer has one member, 0.");
    return x;
  }
}
/// Example: append((a,b), x) -> (a,b,x); append<4>((a,b), x) -> (a,b,x,x)
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
/// Example: zip(((a,b),(c,d))) -> ((a,c),(b,d))
template <class T>
HLO_CUTE_INLINE constexpr auto zip(T const& t) {
  HLO_CUTE_RETURN(detail::Zip(t, make_seq<tuple_size_v<decltype(get<0>(t))>>{}));
}
template <class T0, class T1, class... T>
HLO_CUTE_INLINE constexpr auto zip(T0 const& t0, T1 const& t1, T const&... t) {
  HLO_CUTE_RETURN(zip(make_tuple(t0, t1, t...)));
}

namespace detail {

template <int I, class T, class V, class F>
HLO_CUTE_INLINE constexpr auto Fold(T const& t, V const& v, F&& f) {
  if constexpr (I == tuple_size_v<T>) {
    return v;
  } else {
    return Fold<I + 1>(t, f(v, get<I>(t)), f);
  }
}
template <class T, int... I>
HLO_CUTE_INLINE constexpr auto Reverse(T const& t, seq<I...>) {
  HLO_CUTE_RETURN(make_tuple(get<static_cast<int>(sizeof...(I)) - 1 - I>(t)...));
}

}  // namespace detail

/// f(...f(f(v, a), b)..., z) over the members of (a,b,...,z); an integer is one member.
template <class T, class V, class F>
HLO_CUTE_INLINE constexpr auto fold(T const& t, V const& v, F&& f) {
  return detail::Fold<0>(t, v, f);
}
/// g(f(a), f(b), ...)
template <class T, class F, class G>
HLO_CUTE_INLINE constexpr auto transform_apply(T const& t, F&& f, G&& g) {
  return apply(t, [&](auto const&... member) { return g(f(member)...); });
}
/// The members of all the tuples that f makes of the members.
/// Example: filter_tuple((a,b), x -> (x,x)) -> (a,a,b,b)
template <class T, class F>
HLO_CUTE_INLINE constexpr auto filter_tuple(T const& t, F&& f) {
  return transform_apply(t, f, [](auto const&... made) { return tuple_cat(made...); });
}
/// Whether f(member) is true for all, for some, for none of the members.
template <class T, class F>
HLO_CUTE_INLINE constexpr auto all_of(T const& t, F&& f) {
  return fold(t, true_type{}, [&](auto const& so_far, auto const& x) { return so_far && f(x); });
}
template <class T, class F>
HLO_CUTE_INLINE constexpr auto any_of(T const& t, F&& f) {
  return fold(t, false_type{}, [&](auto const& so_far, auto const& x) { return so_far || f(x); });
}
template <class T, class F>
HLO_CUTE_INLINE constexpr auto none_of(T const& t, F&& f) {
  return !any_of(t, f);
}
namespace detail {

template <int I, class T, class F>
HLO_CUTE_INLINE constexpr auto FindFrom(T const& t, F&& f) {
  if constexpr (I == tuple_size_v<T>) {
    return C<I>{};
  } else if constexpr (is_constant<1, decltype(f(get<I>(t)))>::value) {
    return C<I>{};
  } else {
    static_assert(is_constant<0, decltype(f(get<I>(t)))>::value,
                  "find, find_if: whether a member is meant has to be known at compile time.");
    return FindFrom<I + 1>(t, f);
  }
}

}  // namespace detail
/// The index of the first member for which f is true, or the number of members if there is none.
/// Example: find_if((_2,_8,_4), x -> x > _3) -> 1
template <class T, class F>
HLO_CUTE_INLINE constexpr auto find_if(T const& t, F&& f) {
  return detail::FindFrom<0>(t, f);
}
/// The index of the first member that is x.
/// Example: find((_2,_8,_4), _4) -> 2
template <class T, class X>
HLO_CUTE_INLINE constexpr auto find(T const& t, X const& x) {
  return detail::FindFrom<0>(t, [&](auto const& member) { return member == x; });
}
namespace detail {

template <class X, class... T>
constexpr int FirstOfType(tuple<T...>*) {
  const bool is_x[] = {std::is_same<X, T>::value..., true};
  int i = 0;
  while (!is_x[i]) ++i;
  return i;
}
template <class T, int... I>
tuple<std::decay_t<decltype(get<I>(std::declval<T const&>()))>...> PlainTuple(T const&, seq<I...>);

}  // namespace detail
/// The index of the first member of type X: find<int>(t) is _1 for a t of (_2,8,_4).
template <class X, class T>
HLO_CUTE_INLINE constexpr auto find(T const& t) {
  using Members = decltype(detail::PlainTuple(t, make_seq<tuple_size_v<T>>{}));
  return C<detail::FirstOfType<X>(static_cast<Members*>(nullptr))>{};
}
/// Example: reverse((a,b,c)) -> (c,b,a)
template <class T, std::enable_if_t<is_tuple<T>::value || is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto reverse(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return detail::Reverse(t, make_seq<tuple_size_v<T>>{});
  } else {
    return t;
  }
}
/// Example: remove<1>((a,b,c)) -> (a,c)
template <int I, class T>
HLO_CUTE_INLINE constexpr auto remove(T const& t) {
  return tuple_cat(take<0, I>(t), take<I + 1, tuple_size_v<T>>(t));
}
/// Example: insert<1>((a,b), x) -> (a,x,b)
template <int I, class T, class X>
HLO_CUTE_INLINE constexpr auto insert(T const& t, X const& x) {
  return tuple_cat(take<0, I>(t), make_tuple(x), take<I, tuple_size_v<T>>(t));
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

#endif  // HLO_INDEXING_LAYOUT_CUTE_TUPLE_FUNCTIONS_H_
