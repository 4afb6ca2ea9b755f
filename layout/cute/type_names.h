#ifndef HLO_INDEXING_LAYOUT_CUTE_TYPE_NAMES_H_
#define HLO_INDEXING_LAYOUT_CUTE_TYPE_NAMES_H_

#include "layout/cute/layout_tiling.h"
#include "layout/cute/numeric_types.h"
#include "layout/cute/tensor_core.h"

// Types of results, questions about types, and words of so many bits, by the names that they have
// in CuTe.
HLO_CUTE_BEGIN_NAMESPACE

/// The types of rank(x), depth(x) and cosize(x).
template <class T>
using rank_t = decltype(rank(std::declval<T const&>()));
template <class T>
using depth_t = decltype(depth(std::declval<T const&>()));
template <class T>
using cosize_t = decltype(cosize(std::declval<T const&>()));

template <class T>
constexpr bool is_tensor_v = is_tensor<detail::Plain<T>>::value;

/// Whether a tree has the leaf, or nothing else.
template <class T, class Leaf>
struct has_elem : bool_constant<std::is_same<T, Leaf>::value> {};
template <class... T, class Leaf>
struct has_elem<tuple<T...>, Leaf> : bool_constant<(has_elem<T, Leaf>::value || ...)> {};
template <class T, class Leaf>
struct all_elem : bool_constant<std::is_same<T, Leaf>::value> {};
template <class... T, class Leaf>
struct all_elem<tuple<T...>, Leaf> : bool_constant<(all_elem<T, Leaf>::value && ...)> {};
template <class T>
using all_underscore = all_elem<T, Underscore>;
template <class T>
using has_int0 = has_elem<T, C<0>>;
template <class T>
using has_int1 = has_elem<T, C<1>>;

/// Strides without gaps, by LayoutLeft or LayoutRight, or in an order as make_ordered_layout has
/// it.
template <class Major, class S, class Current = C<1>>
HLO_CUTE_INLINE constexpr auto compact_major(S const& shape, Current const& current = {}) {
  static_assert(std::is_same<Major, LayoutLeft>::value || std::is_same<Major, LayoutRight>::value,
                "compact_major<Major>(shape): Major is LayoutLeft or LayoutRight.");
  if constexpr (std::is_same<Major, LayoutLeft>::value) {
    return compact_col_major(shape, current);
  } else {
    return compact_row_major(shape, current);
  }
}
template <class S, class Order>
HLO_CUTE_INLINE constexpr auto compact_order(S const& shape, Order const& order) {
  return make_ordered_layout(shape, order).stride();
}

/// The signed word of so many bits, or bytes, and both as traits.
template <int bits>
struct uint_bit {
  using type = uint_bit_t<bits>;
};
template <int bytes>
using uint_byte = uint_bit<8 * bytes>;
template <int bits>
struct int_bit {
  using type = std::make_signed_t<uint_bit_t<bits>>;
};
template <>
struct int_bit<2> {
  using type = int2_t;
};
template <>
struct int_bit<4> {
  using type = int4_t;
};
template <int bits>
using int_bit_t = typename int_bit<bits>::type;
template <int bytes>
using int_byte = int_bit<8 * bytes>;
template <int bytes>
using int_byte_t = int_bit_t<8 * bytes>;

/// Whether an address is a multiple of n bytes, a power of two.
template <int n>
HLO_CUTE_INLINE bool is_byte_aligned(void const* pointer) {
  static_assert(n > 0 && (n & (n - 1)) == 0, "is_byte_aligned<n>: n is no power of 2.");
  return (reinterpret_cast<std::uintptr_t>(pointer) & (n - 1)) == 0;
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TYPE_NAMES_H_
