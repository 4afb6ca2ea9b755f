#ifndef HLO_INDEXING_LAYOUT_CUTE_BIT_MATH_H_
#define HLO_INDEXING_LAYOUT_CUTE_BIT_MATH_H_

#include "layout/cute/int_tuple.h"

// Functions of integers, bit by bit and else: of static integers they are static.
//
//   bit_width(_5{})   // _3
//   log_2(n)          // the position of the highest bit of n
//   divmod(n, 7)      // {n / 7, n % 7}
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// Counts all bits in parallel, in fields of 2, 4 and 8 bits and on.
HLO_CUTE_HD constexpr int OnesOf(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>(x * 0x0101010101010101u >> 56);
}
HLO_CUTE_HD constexpr int BitWidth(uint64_t x) {
  for (int shift = 1; shift < 64; shift *= 2) x |= x >> shift;
  return OnesOf(x);
}
template <class T>
HLO_CUTE_LEAF constexpr uint64_t UnsignedValue(T x) {
  if constexpr (std::is_same<T, bool>::value) {
    return x;
  } else {
    return static_cast<std::make_unsigned_t<T>>(x);
  }
}
template <class T>
constexpr int bits_of_v = static_cast<int>(8 * sizeof(T));
// The value of a static integer in its own type, a bool as an int.
template <auto v>
using BitsOf = std::conditional_t<std::is_same<std::decay_t<decltype(v)>, bool>::value, int,
                                  std::decay_t<decltype(v)>>;

}  // namespace detail

#define HLO_CUTE_STATIC_FUNCTION(name)                                                 \
  template <auto v>                                                                    \
  HLO_CUTE_INLINE constexpr auto name(C<v>) {                                          \
    return StaticInt<static_cast<int64_t>(name(static_cast<detail::BitsOf<v>>(v)))>{}; \
  }
#define HLO_CUTE_IF_INTEGER(T) std::enable_if_t<std::is_integral<T>::value, int> = 0

/// The least number of bits that x can be written with.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int bit_width(T x) {
  return detail::BitWidth(detail::UnsignedValue(x));
}
HLO_CUTE_STATIC_FUNCTION(bit_width)
/// The number of bits that are 1.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int popcount(T x) {
  return detail::OnesOf(detail::UnsignedValue(x));
}
HLO_CUTE_STATIC_FUNCTION(popcount)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
HLO_CUTE_STATIC_FUNCTION(has_single_bit)
/// The largest power of two that is not above x, and the smallest that is not below it.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T bit_floor(T x) {
  return x == 0 ? T{0} : static_cast<T>(T{1} << (bit_width(x) - 1));
}
HLO_CUTE_STATIC_FUNCTION(bit_floor)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T bit_ceil(T x) {
  return x <= 1 ? T{1} : static_cast<T>(T{1} << bit_width(static_cast<T>(x - 1)));
}
HLO_CUTE_STATIC_FUNCTION(bit_ceil)
/// How many bits are 0, or 1, before the first other one, from the highest bit or from the lowest.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int countl_zero(T x) {
  return detail::bits_of_v<T> - bit_width(x);
}
HLO_CUTE_STATIC_FUNCTION(countl_zero)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int countl_one(T x) {
  return countl_zero(static_cast<T>(~x));
}
HLO_CUTE_STATIC_FUNCTION(countl_one)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int countr_zero(T x) {
  return x == 0 ? detail::bits_of_v<T>
                : popcount(static_cast<T>(static_cast<T>(x & static_cast<T>(~x + 1)) - 1));
}
HLO_CUTE_STATIC_FUNCTION(countr_zero)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int countr_one(T x) {
  return countr_zero(static_cast<T>(~x));
}
HLO_CUTE_STATIC_FUNCTION(countr_one)
/// The position of the highest bit.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int log_2(T x) {
  return bit_width(x) - 1;
}
HLO_CUTE_STATIC_FUNCTION(log_2)
/// -1, 0 or 1.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr int signum(T x) {
  return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
}
HLO_CUTE_STATIC_FUNCTION(signum)
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T abs(T x) {
  return x < 0 ? static_cast<T>(-x) : x;
}
HLO_CUTE_STATIC_FUNCTION(abs)
#undef HLO_CUTE_STATIC_FUNCTION

/// The bits of x moved to the left, or right; what falls out comes in again.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T rotl(T x, int n) {
  using U = std::make_unsigned_t<T>;
  constexpr int bits = detail::bits_of_v<T>;
  const int k = (n % bits + bits) % bits;
  return k == 0 ? x
                : static_cast<T>(static_cast<U>(static_cast<U>(x) << k) |
                                 static_cast<U>(static_cast<U>(x) >> (bits - k)));
}
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T rotr(T x, int n) {
  return rotl(x, -(n % detail::bits_of_v<T>));
}
/// x * 2^n, with a negative n as a shift to the right; and the other way round.
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T shiftl(T x, int n) {
  return static_cast<T>(n >= 0 ? x << n : x >> -n);
}
template <class T, HLO_CUTE_IF_INTEGER(T)>
HLO_CUTE_INLINE constexpr T shiftr(T x, int n) {
  return static_cast<T>(n >= 0 ? x >> n : x << -n);
}
#undef HLO_CUTE_IF_INTEGER

/// a / b, where b divides a: checked if both are static, and in debug builds.
template <auto a, auto b>
HLO_CUTE_INLINE constexpr auto safe_div(C<a>, C<b>) {
  static_assert(a % b == 0, "safe_div(a, b): b does not divide a.");
  return C<a>{} / C<b>{};
}
template <
    class A, class B,
    std::enable_if_t<!(detail::IntegerTraits<A>::is_static && detail::IntegerTraits<B>::is_static),
                     int> = 0>
HLO_CUTE_INLINE constexpr auto safe_div(A const& a, B const& b) {
  HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(a) % static_cast<int64_t>(b) == 0,
                       "safe_div(a, b): b does not divide a");
  return a / b;
}

template <class Quotient, class Remainder>
struct DivModReturnType {
  Quotient div_;
  Remainder mod_;
};
/// Quotient and remainder: auto [q, r] = divmod(n, 7).
template <class A, class B>
HLO_CUTE_INLINE constexpr auto divmod(A const& a, B const& b) {
  return DivModReturnType<std::decay_t<decltype(a / b)>, std::decay_t<decltype(a % b)>>{a / b,
                                                                                        a % b};
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_BIT_MATH_H_
