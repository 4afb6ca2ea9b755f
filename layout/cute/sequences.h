#ifndef HLO_INDEXING_LAYOUT_CUTE_SEQUENCES_H_
#define HLO_INDEXING_LAYOUT_CUTE_SEQUENCES_H_

#include "layout/cute/int_tuple.h"

// More sequences of integers, and algorithms over tuples that kernels seldom need.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {
template <class T, T begin, class S>
struct ShiftedSequence;
template <class T, T begin, T... I>
struct ShiftedSequence<T, begin, std::integer_sequence<T, I...>> {
  using type = std::integer_sequence<T, (begin + I)...>;
};
template <class S>
struct ReversedSequence;
template <class T, T... I>
struct ReversedSequence<std::integer_sequence<T, I...>> {
  using type = std::integer_sequence<T, (static_cast<T>(sizeof...(I)) - 1 - I)...>;
};
}  // namespace detail

/// begin, begin + 1, ..., end - 1.
template <class T, T begin, T end>
using make_integer_range =
    typename detail::ShiftedSequence<T, begin, std::make_integer_sequence<T, end - begin>>::type;
template <std::size_t begin, std::size_t end>
using make_index_range = make_integer_range<std::size_t, begin, end>;
/// n - 1, ..., 1, 0.
template <class T, T n>
using make_integer_sequence_reverse =
    typename detail::ReversedSequence<std::make_integer_sequence<T, n>>::type;
template <int n>
using make_int_rsequence = make_integer_sequence_reverse<int, n>;
template <int n>
using make_rseq = make_int_rsequence<n>;
template <std::size_t n>
using make_index_rsequence = make_integer_sequence_reverse<std::size_t, n>;
/// The indices of the members of a tuple, and these backwards.
template <class T>
using tuple_seq = make_seq<tuple_size_v<T>>;
template <class T>
using tuple_rseq = make_rseq<tuple_size_v<T>>;

/// f(leaf) for each leaf, from left to right.
template <class T, class F>
HLO_CUTE_INLINE constexpr void for_each_leaf(T const& t, F&& f) {
  if constexpr (is_tuple<T>::value) {
    for_each(t, [&](auto const& member) { for_each_leaf(member, f); });
  } else {
    f(t);
  }
}
/// f(...f(f(a, b), c)..., z) over the members of (a,b,c,...,z).
template <class T, class F>
HLO_CUTE_INLINE constexpr auto fold_first(T const& t, F&& f) {
  if constexpr (is_tuple<T>::value) {
    return fold(take<1, tuple_size_v<T>>(t), get<0>(t), f);
  } else {
    return t;
  }
}

/// Whether no member is a tuple.
template <class T>
struct is_flat : true_type {};
template <class... T>
struct is_flat<tuple<T...>> : bool_constant<(!is_tuple<T>::value && ...)> {};

/// Example: replace_front((a,b,c), x) -> (x,b,c); replace_back((a,b,c), x) -> (a,b,x)
template <class T, class X>
HLO_CUTE_INLINE constexpr auto replace_front(T const& t, X const& x) {
  return replace<0>(t, x);
}
template <class T, class X>
HLO_CUTE_INLINE constexpr auto replace_back(T const& t, X const& x) {
  return replace<tuple_size_v<T> - 1>(t, x);
}

namespace detail {
template <bool inclusive, int I, class T, class V, class F>
HLO_CUTE_INLINE constexpr auto Scan(T const& t, V const& v, F&& f) {
  if constexpr (I == tuple_size_v<T>) {
    return tuple<>{};
  } else {
    const auto next = f(v, get<I>(t));
    if constexpr (inclusive) {
      return tuple_cat(make_tuple(next), Scan<inclusive, I + 1>(t, next, f));
    } else {
      return tuple_cat(make_tuple(v), Scan<inclusive, I + 1>(t, next, f));
    }
  }
}
}  // namespace detail
/// What a fold from v on has after each member, and what it has before each.
/// Example: iscan((a,b,c), v, +) -> (v+a,v+a+b,v+a+b+c); escan((a,b,c), v, +) -> (v,v+a,v+a+b)
template <class T, class V, class F>
HLO_CUTE_INLINE constexpr auto iscan(T const& t, V const& v, F&& f) {
  return detail::Scan<true, 0>(t, v, f);
}
template <class T, class V, class F>
HLO_CUTE_INLINE constexpr auto escan(T const& t, V const& v, F&& f) {
  return detail::Scan<false, 0>(t, v, f);
}

namespace detail {
template <class T, class Guide, int... I, int... J>
HLO_CUTE_INLINE constexpr auto Zip2By(T const& t, Guide const& guide, seq<I...>, seq<J...>);
}
/// The members at the leaves of a guide are pairs; their first parts and their second parts, with
/// what the guide does not reach behind the second.
/// Example: zip2_by(((A,a),((B,b),(C,c)),d), (X,(X,X))) -> ((A,(B,C)),(a,(b,c),d))
template <class T, class Guide>
HLO_CUTE_INLINE constexpr auto zip2_by(T const& t, Guide const& guide) {
  if constexpr (is_tuple<Guide>::value) {
    constexpr int guided = tuple_size_v<Guide>;
    static_assert(guided <= tuple_size_v<T>, "zip2_by(t, guide): the guide is longer than t.");
    return detail::Zip2By(t, guide, make_seq<guided>{}, make_range<guided, tuple_size_v<T>>{});
  } else {
    static_assert(tuple_size_v<T> == 2, "zip2_by(t, guide): a member is no pair.");
    return t;
  }
}
namespace detail {
template <class T, class Guide, int... I, int... J>
HLO_CUTE_INLINE constexpr auto Zip2By(T const& t, Guide const& guide, seq<I...>, seq<J...>) {
  const auto pairs = make_tuple(zip2_by(get<I>(t), get<I>(guide))...);
  return make_tuple(make_tuple(get<0>(get<I>(pairs))...),
                    make_tuple(get<1>(get<I>(pairs))..., get<J>(t)...));
}
}  // namespace detail

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_SEQUENCES_H_
