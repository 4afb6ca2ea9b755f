#ifndef HLO_INDEXING_LAYOUT_CUTE_PACKED_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_PACKED_TUPLE_H_

#include "layout/cute/tuple_functions.h"

// A tuple that may be copied to a device as bytes: a standard-layout type, which tuple is not with
// two members that have state. Empty members take no space here either.
//
//   packed_tuple<int, _8, double> t{7, _8{}, 1.5};   // sizeof(t) == sizeof(struct{int; double;})
//   get<2>(t) = 2.5;
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// The members that have state, one inside the other: all data of a standard-layout class belongs
// to one class.
template <class... T>
struct PackedMembers {};
template <class T>
struct PackedMembers<T> {
  T first{};
};
template <class T, class Next, class... Rest>
struct PackedMembers<T, Next, Rest...> {
  T first{};
  PackedMembers<Next, Rest...> rest{};
};
template <int I, class Members>
HLO_CUTE_LEAF constexpr auto& PackedMember(Members& members) {
  if constexpr (I == 0) {
    return members.first;
  } else {
    return PackedMember<I - 1>(members.rest);
  }
}

template <class Kept, class... T>
struct PackedBase;
template <class... Kept>
struct PackedBase<tuple<Kept...>> {
  using type = PackedMembers<Kept...>;
};
template <class... Kept, class T, class... Rest>
struct PackedBase<tuple<Kept...>, T, Rest...>
    : std::conditional_t<__is_empty(T), PackedBase<tuple<Kept...>, Rest...>,
                         PackedBase<tuple<Kept..., T>, Rest...>> {};

// Which of the members that have state the member I is.
template <int I, class... T>
constexpr int PackedIndex() {
  const bool has_state[] = {!__is_empty(T)..., false};
  int index = 0;
  for (int i = 0; i < I; ++i) index += has_state[i];
  return index;
}
template <int I, class... T>
using MemberType = std::decay_t<decltype(get<I>(std::declval<tuple<T...> const&>()))>;

template <class Members>
HLO_CUTE_LEAF constexpr Members PackMembers() {
  return {};
}
template <class Members, class T, class... Rest>
HLO_CUTE_LEAF constexpr Members PackMembers(T const& t, Rest const&... rest) {
  if constexpr (__is_empty(T)) {
    return PackMembers<Members>(rest...);
  } else if constexpr ((__is_empty(Rest) && ...)) {
    return Members{t};
  } else {
    return Members{t, PackMembers<decltype(Members::rest)>(rest...)};
  }
}

}  // namespace detail

template <class... T>
struct packed_tuple : detail::PackedBase<tuple<>, T...>::type {
  using Members = typename detail::PackedBase<tuple<>, T...>::type;
  packed_tuple() = default;
  HLO_CUTE_LEAF constexpr packed_tuple(T const&... t)
      : Members(detail::PackMembers<Members, T...>(t...)) {}
};
template <>
struct packed_tuple<> {};

template <class... T>
HLO_CUTE_LEAF constexpr packed_tuple<T...> make_packed_tuple(T const&... t) {
  return {t...};
}

namespace detail {
template <class... T>
struct TupleTraits<packed_tuple<T...>> {
  static constexpr bool is_tuple = true;
  static constexpr int size = sizeof...(T);
};
}  // namespace detail

template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(packed_tuple<T...> const& t) {
  static_assert(0 <= I && I < static_cast<int>(sizeof...(T)),
                "get<I>: the tuple has fewer members than I + 1.");
  using Member = detail::MemberType<I, T...>;
  if constexpr (__is_empty(Member)) {
    return Member{};
  } else {
    using Members = typename packed_tuple<T...>::Members;
    return detail::PackedMember<detail::PackedIndex<I, T...>()>(static_cast<Members const&>(t));
  }
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(packed_tuple<T...>& t) {
  static_assert(0 <= I && I < static_cast<int>(sizeof...(T)),
                "get<I>: the tuple has fewer members than I + 1.");
  using Member = detail::MemberType<I, T...>;
  if constexpr (__is_empty(Member)) {
    return Member{};
  } else {
    using Members = typename packed_tuple<T...>::Members;
    return detail::PackedMember<detail::PackedIndex<I, T...>()>(static_cast<Members&>(t));
  }
}
template <int I, class... T>
HLO_CUTE_LEAF constexpr decltype(auto) get(packed_tuple<T...>&& t) {
  using Lvalue = decltype(get<I>(t));
  if constexpr (std::is_reference_v<Lvalue>) {
    return static_cast<std::remove_reference_t<Lvalue>&&>(get<I>(t));
  } else {
    return Lvalue{};
  }
}

HLO_CUTE_END_NAMESPACE

template <class... T>
struct std::tuple_size<hlo_indexing::layout::cute::packed_tuple<T...>>
    : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, hlo_indexing::layout::cute::packed_tuple<T...>> {
  using type = hlo_indexing::layout::cute::detail::MemberType<static_cast<int>(I), T...>;
};

#endif  // HLO_INDEXING_LAYOUT_CUTE_PACKED_TUPLE_H_
