#ifndef HLO_INDEXING_LAYOUT_CUTE_MIXED_BITS_H_
#define HLO_INDEXING_LAYOUT_CUTE_MIXED_BITS_H_

#include "layout/cute/swizzle.h"

// Integers of which some bits are known at compile time: MixedBits<4, 3> has bit 2, perhaps bits 0
// and 1, and no others.
//
//   auto m = make_mixed_bits(_4{}, n, _3{});   // 4 | (n & 3)
//   m & _4{}                                   // what is known of it: M_4|(0&0)=4
//
// &, | and ^ keep what is known, sums and comparisons are those of integers.
HLO_CUTE_BEGIN_NAMESPACE

/// static_bits | (n & flags). A bit that is in both is known.
template <auto static_bits, class T, auto flags>
HLO_CUTE_INLINE constexpr auto make_mixed_bits(C<static_bits>, T const& n, C<flags>) {
  constexpr int64_t unknown = int64_t{flags} & ~int64_t{static_bits};
  if constexpr (unknown == 0) {
    return C<static_bits>{};
  } else if constexpr (detail::IntegerTraits<T>::is_static) {
    return StaticInt<(int64_t{static_bits} | (detail::IntegerTraits<T>::value & unknown))>{};
  } else {
    using Bits = MixedBits<int64_t{static_bits}, unknown>;
    return Bits{static_cast<typename Bits::Plain>(n)};
  }
}

namespace detail {

// Which bits are known to be 1, and which are not known.
template <class T>
struct KnownBits {
  static constexpr int64_t ones = 0;
  static constexpr int64_t unknown = -1;
};
template <auto v>
struct KnownBits<C<v>> {
  static constexpr int64_t ones = static_cast<int64_t>(v);
  static constexpr int64_t unknown = 0;
};
template <int64_t s, int64_t f>
struct KnownBits<MixedBits<s, f>> {
  static constexpr int64_t ones = s;
  static constexpr int64_t unknown = f & ~s;
};

template <int64_t ones, int64_t unknown, class Compute>
HLO_CUTE_INLINE constexpr auto MixedResult(Compute&& compute) {
  if constexpr (unknown == 0) {
    return StaticInt<ones>{};
  } else {
    using Bits = MixedBits<ones, unknown>;
    return Bits{static_cast<typename Bits::Plain>(compute())};
  }
}
template <class A, class B>
constexpr bool is_mixed_pair_v = false;
template <int64_t s, int64_t f, class B>
constexpr bool is_mixed_pair_v<MixedBits<s, f>, B> = is_integral<B>::value;
template <class A, int64_t s, int64_t f>
constexpr bool is_mixed_pair_v<A, MixedBits<s, f>> = is_integral<A>::value;
template <int64_t s, int64_t f, int64_t t, int64_t g>
constexpr bool is_mixed_pair_v<MixedBits<s, f>, MixedBits<t, g>> = true;

}  // namespace detail

template <class A, class B, std::enable_if_t<detail::is_mixed_pair_v<A, B>, int> = 0>
HLO_CUTE_INLINE constexpr auto operator&(A const& a, B const& b) {
  using KnownA = detail::KnownBits<A>;
  using KnownB = detail::KnownBits<B>;
  return detail::MixedResult<(KnownA::ones & KnownB::ones),
                             ((KnownA::ones & KnownB::unknown) | (KnownA::unknown & KnownB::ones) |
                              (KnownA::unknown & KnownB::unknown))>(
      [&] { return static_cast<int64_t>(a) & static_cast<int64_t>(b); });
}
template <class A, class B, std::enable_if_t<detail::is_mixed_pair_v<A, B>, int> = 0>
HLO_CUTE_INLINE constexpr auto operator|(A const& a, B const& b) {
  using KnownA = detail::KnownBits<A>;
  using KnownB = detail::KnownBits<B>;
  return detail::MixedResult<(KnownA::ones | KnownB::ones), ((KnownA::unknown | KnownB::unknown) &
                                                             ~(KnownA::ones | KnownB::ones))>(
      [&] { return static_cast<int64_t>(a) | static_cast<int64_t>(b); });
}
template <class A, class B, std::enable_if_t<detail::is_mixed_pair_v<A, B>, int> = 0>
HLO_CUTE_INLINE constexpr auto operator^(A const& a, B const& b) {
  using KnownA = detail::KnownBits<A>;
  using KnownB = detail::KnownBits<B>;
  return detail::MixedResult<((KnownA::ones ^ KnownB::ones) & ~(KnownA::unknown | KnownB::unknown)),
                             (KnownA::unknown | KnownB::unknown)>(
      [&] { return static_cast<int64_t>(a) ^ static_cast<int64_t>(b); });
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MIXED_BITS_H_
