#ifndef HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_RELATIONS_H_
#define HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_RELATIONS_H_

#include "layout/cute/int_tuple.h"

// How shapes and coordinates relate: profiles, compatibility, orders.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <class A, class B>
struct Congruent : C<!is_tuple_v<A> && !is_tuple_v<B>> {};
template <class... A, class... B>
struct Congruent<tuple<A...>, tuple<B...>> {
  template <bool same, class = void>
  struct Members : C<false> {};
  template <class Unused>
  struct Members<true, Unused> : C<(Congruent<A, B>::value && ...)> {};
  static constexpr bool value = Members<sizeof...(A) == sizeof...(B)>::value;
};

template <class A, class B>
struct WeaklyCongruent : C<!is_tuple_v<A>> {};
template <class... A, class... B>
struct WeaklyCongruent<tuple<A...>, tuple<B...>> {
  template <bool same, class = void>
  struct Members : C<false> {};
  template <class Unused>
  struct Members<true, Unused> : C<(WeaklyCongruent<A, B>::value && ...)> {};
  static constexpr bool value = Members<sizeof...(A) == sizeof...(B)>::value;
};

}  // namespace detail

/// Whether the profiles are equal.
/// Example: congruent((4,(2,3)), (1,(1,1))) -> true
template <class A, class B>
HLO_CUTE_INLINE constexpr auto congruent(A const&, B const&) {
  return bool_constant<detail::Congruent<A, B>::value>{};
}
/// Whether b has the profile of a or refines it.
/// Example: weakly_congruent(24, (4,6)) -> true
template <class A, class B>
HLO_CUTE_INLINE constexpr auto weakly_congruent(A const&, B const&) {
  return bool_constant<detail::WeaklyCongruent<A, B>::value>{};
}
template <class A, class B>
using is_congruent = bool_constant<detail::Congruent<A, B>::value>;
template <class A, class B>
using is_weakly_congruent = bool_constant<detail::WeaklyCongruent<A, B>::value>;

namespace detail {

// All of the conditions, static if they are.
HLO_CUTE_INLINE constexpr C<true> All() { return {}; }
template <class A, class... Rest>
HLO_CUTE_INLINE constexpr auto All(A const& a, Rest const&... rest) {
  if constexpr (is_constant<0, A>::value) {
    return C<false>{};
  } else {
    const auto others = All(rest...);
    if constexpr (is_constant<0, decltype(others)>::value) {
      return C<false>{};
    } else if constexpr (is_constant_integer<A>::value) {
      return others;
    } else {
      return static_cast<bool>(a) && static_cast<bool>(others);
    }
  }
}
template <class A, class B, class F>
HLO_CUTE_INLINE constexpr auto AllMembers(A const& a, B const& b, F&& f) {
  if constexpr (tuple_size_v<A> != tuple_size_v<B>) {
    return C<false>{};
  } else {
    return apply(transform(a, b, f), [](auto const&... member) { return All(member...); });
  }
}

}  // namespace detail

/// Whether every coordinate into a is one into b: at every leaf of a, b has the same size.
template <class A, class B>
HLO_CUTE_INLINE constexpr auto compatible(A const& a, B const& b) {
  if constexpr (!detail::is_tuple_v<A>) {
    return a == size(b);
  } else if constexpr (!detail::is_tuple_v<B>) {
    return false_type{};
  } else {
    return detail::AllMembers(a, b, [](auto const& x, auto const& y) { return compatible(x, y); });
  }
}
/// Lexicographic, colexicographic and elementwise order. elem_less(coord, shape) is the test
/// whether a coordinate lies inside a shape.
template <class A, class B>
HLO_CUTE_INLINE constexpr auto elem_less(A const& a, B const& b) {
  if constexpr (detail::is_tuple_v<A> && detail::is_tuple_v<B>) {
    static_assert(tuple_size_v<A> <= tuple_size_v<B>, "elem_less(a, b): a has more modes than b.");
    return detail::AllMembers(a, take<0, tuple_size_v<A>>(b),
                              [](auto const& x, auto const& y) { return elem_less(x, y); });
  } else {
    return size(a) < size(b);
  }
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto elem_leq(A const& a, B const& b) {
  if constexpr (detail::is_tuple_v<A> && detail::is_tuple_v<B>) {
    return detail::AllMembers(a, b, [](auto const& x, auto const& y) { return elem_leq(x, y); });
  } else {
    return a <= b;
  }
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto elem_gtr(A const& a, B const& b) {
  return elem_less(b, a);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto elem_geq(A const& a, B const& b) {
  return elem_leq(b, a);
}

namespace detail {

template <int I, int step, class A, class B>
HLO_CUTE_INLINE constexpr bool OrderedLess(A const& a, B const& b) {
  if constexpr (!is_tuple_v<A> || !is_tuple_v<B>) {
    return static_cast<bool>(a < b);
  } else {
    static_assert(tuple_size_v<A> == tuple_size_v<B>, "The compared tuples have different ranks.");
    constexpr int n = tuple_size_v<A>;
    if constexpr (I < 0 || I >= n) {
      return false;
    } else {
      constexpr int first = step > 0 ? 0 : tuple_size_v<decltype(get<I>(a))> - 1;
      if (OrderedLess<first, step>(get<I>(a), get<I>(b))) return true;
      if (!static_cast<bool>(get<I>(a) == get<I>(b))) return false;
      return OrderedLess<I + step, step>(a, b);
    }
  }
}

}  // namespace detail

template <class A, class B>
HLO_CUTE_INLINE constexpr auto lex_less(A const& a, B const& b) {
  return detail::OrderedLess<0, 1>(a, b);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto colex_less(A const& a, B const& b) {
  return detail::OrderedLess<tuple_size_v<A> - 1, -1>(a, b);
}

template <class A, class B>
HLO_CUTE_INLINE constexpr auto lex_gtr(A const& a, B const& b) {
  return lex_less(b, a);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto lex_leq(A const& a, B const& b) {
  return !lex_less(b, a);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto lex_geq(A const& a, B const& b) {
  return !lex_less(a, b);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto colex_gtr(A const& a, B const& b) {
  return colex_less(b, a);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto colex_leq(A const& a, B const& b) {
  return !colex_less(b, a);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto colex_geq(A const& a, B const& b) {
  return !colex_less(a, b);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_RELATIONS_H_
