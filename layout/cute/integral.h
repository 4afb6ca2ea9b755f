#ifndef HLO_INDEXING_LAYOUT_CUTE_INTEGRAL_H_
#define HLO_INDEXING_LAYOUT_CUTE_INTEGRAL_H_

#include "layout/cute/config.h"

// Integers that are known at compile time, and their arithmetic with integers that are not.
//
//   Int<8>{}, _8{}, 8_c      static; prints as _8
//   8                        dynamic; prints as 8
//   assume<8>(n)             dynamic, known to be a multiple of 8; prints as 24{div=8}
//
// What follows from static operands alone is static: Int<2>{} * Int<3>{} is Int<6>, Int<0>{} * n is
// Int<0>. Static results have type int if they fit and int64_t otherwise; products of dynamic
// extents are computed in 64 bits, so that a shape of (65536,65536) has its true size.
HLO_CUTE_BEGIN_NAMESPACE

template <auto v>
struct C {
  using type = C;
  using value_type = std::remove_const_t<decltype(v)>;
  static constexpr value_type value = v;
  HLO_CUTE_LEAF constexpr operator value_type() const noexcept { return v; }
  HLO_CUTE_LEAF constexpr value_type operator()() const noexcept { return v; }
};

template <int v>
using Int = C<v>;
template <class T, T v>
using constant = C<v>;
template <class T, T v>
using integral_constant = C<v>;
template <bool v>
using bool_constant = C<v>;
using true_type = C<true>;
using false_type = C<false>;

namespace detail {

// 64 bits that hold a product or a sum of integers of 32 bits, which a layout then has as a stride
// or an extent: a type of its own beside the int64_t that a user has written, for device code
// computes with its lower half (config.h). In halves, so that nothing is left of the other one
// there, and with their alignment, so that an integer before it and the lower half are one word to
// load where a kernel is passed both.
struct ComputedInt {
  int32_t low;
  int32_t high;
  ComputedInt() = default;
  HLO_CUTE_LEAF constexpr ComputedInt(int64_t v)
      : low(static_cast<int32_t>(v)), high(static_cast<int32_t>(v >> 32)) {}
  HLO_CUTE_LEAF constexpr operator int64_t() const {
#if HLO_CUTE_NARROW
    return low;
#else
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                                static_cast<uint32_t>(low));
#endif
  }
};
template <class T>
using PlainOf = std::conditional_t<std::is_same<T, ComputedInt>::value, int64_t, T>;

}  // namespace detail

/// A dynamic integer that is a multiple of `divisor`.
template <int64_t divisor, class T = int>
struct Multiple {
  T value{};
  HLO_CUTE_INLINE constexpr operator detail::PlainOf<T>() const noexcept { return value; }
};

namespace detail {

// How many bits a product or a sum has. One of 32 bits is unsigned if a part is and the other part
// is not static and negative, as in C++, unless the width says that it is signed.
enum class Width {
  k64,            // 64
  kShort,         // 32, if its parts have no more: the caller knows that it fits
  kSignedShort,   // the same, signed
  kDevice,        // 32, if its parts have no more or are a ComputedInt
  kSignedDevice,  // the same, signed
};
HLO_CUTE_HD constexpr bool IsDevice(Width width) {
  return width == Width::kDevice || width == Width::kSignedDevice;
}
HLO_CUTE_HD constexpr bool IsSigned(Width width) {
  return width == Width::kSignedShort || width == Width::kSignedDevice;
}

template <int64_t v, bool fits = (v >= INT32_MIN && v <= INT32_MAX)>
struct StaticIntOf {
  using type = C<static_cast<int>(v)>;
};
template <int64_t v>
struct StaticIntOf<v, false> {
  using type = C<v>;
};

// What is no integer. Integers are listed: a question to the standard library takes several classes
// for each type that it is asked of.
template <class T>
struct IntegerTraits {
  static constexpr bool is_computed = false;
  static constexpr bool is_integer = false;
  static constexpr bool is_static = false;
  static constexpr int64_t value = 0;
  static constexpr int64_t divisor = 1;
  static constexpr bool is_wide = false;
  static constexpr bool is_unsigned = false;
  static constexpr bool is_negative = false;
  using Dynamic = T;
};
template <class T>
struct DynamicIntegerTraits {
  static constexpr bool is_computed = std::is_same<T, ComputedInt>::value;
  static constexpr bool is_integer = true;
  static constexpr bool is_static = false;
  static constexpr int64_t value = 0;
  static constexpr int64_t divisor = 1;
  static constexpr bool is_wide = sizeof(T) > 4;
  static constexpr bool is_unsigned = std::is_same<T, unsigned>::value;
  static constexpr bool is_negative = false;
  using Dynamic = PlainOf<T>;
};
#define HLO_CUTE_INTEGER(...) \
  template <>                 \
  struct IntegerTraits<__VA_ARGS__> : DynamicIntegerTraits<__VA_ARGS__> {};
HLO_CUTE_INTEGER(bool)
HLO_CUTE_INTEGER(char)
HLO_CUTE_INTEGER(signed char)
HLO_CUTE_INTEGER(unsigned char)
HLO_CUTE_INTEGER(wchar_t)
#ifdef __cpp_char8_t
HLO_CUTE_INTEGER(char8_t)
#endif
HLO_CUTE_INTEGER(char16_t)
HLO_CUTE_INTEGER(char32_t)
HLO_CUTE_INTEGER(short)
HLO_CUTE_INTEGER(unsigned short)
HLO_CUTE_INTEGER(int)
HLO_CUTE_INTEGER(unsigned)
HLO_CUTE_INTEGER(long)
HLO_CUTE_INTEGER(unsigned long)
HLO_CUTE_INTEGER(long long)
HLO_CUTE_INTEGER(unsigned long long)
HLO_CUTE_INTEGER(ComputedInt)
#undef HLO_CUTE_INTEGER
template <auto v>
struct IntegerTraits<C<v>> {
  static constexpr bool is_integer = true;
  static constexpr bool is_static = true;
  static constexpr int64_t value = static_cast<int64_t>(v);
  static constexpr int64_t divisor = value;
  static constexpr bool is_wide = value < INT32_MIN || value > INT32_MAX;
  static constexpr bool is_computed = false;
  static constexpr bool is_unsigned = false;
  static constexpr bool is_negative = value < 0;
  using Dynamic = typename C<v>::value_type;
};
template <int64_t d, class T>
struct IntegerTraits<Multiple<d, T>> {
  static constexpr bool is_integer = true;
  static constexpr bool is_static = false;
  static constexpr int64_t value = 0;
  static constexpr int64_t divisor = d;
  static constexpr bool is_wide = sizeof(T) > 4;
  static constexpr bool is_computed = std::is_same<T, ComputedInt>::value;
  static constexpr bool is_unsigned = std::is_same<T, unsigned>::value;
  static constexpr bool is_negative = false;
  using Dynamic = PlainOf<T>;
};
// The type of a product or sum.
template <Width width, class A, class B>
struct WidthOf {
  using TA = IntegerTraits<A>;
  using TB = IntegerTraits<B>;
  static constexpr bool is_given =
      (TA::is_wide && !TA::is_computed) || (TB::is_wide && !TB::is_computed);
  static constexpr bool is_short = IsDevice(width)       ? !is_given
                                   : width == Width::k64 ? false
                                                         : !TA::is_wide && !TB::is_wide;
  static constexpr bool is_unsigned = !IsSigned(width) && (TA::is_unsigned || TB::is_unsigned) &&
                                      !TA::is_negative && !TB::is_negative;
  using Short = std::conditional_t<is_unsigned, unsigned, int>;
  using type =
      std::conditional_t<is_short, Short, std::conditional_t<is_given, int64_t, ComputedInt>>;
};

HLO_CUTE_HD constexpr int64_t Gcd(int64_t a, int64_t b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace detail

/// Int<v>, or C<v> of 64 bits if v does not fit an int.
template <int64_t v>
using StaticInt = typename detail::StaticIntOf<v>::type;

/// n, of which the caller knows that it is a multiple of `divisor`.
/// Example: assume<8>(24) -> 24{div=8}
template <int64_t divisor, class T>
HLO_CUTE_INLINE constexpr auto assume(T const& n) {
  static_assert(divisor > 0, "assume<divisor>(n) needs a positive divisor.");
  if constexpr (detail::IntegerTraits<T>::is_static) {
    static_assert(T::value % divisor == 0, "assume<divisor>(n): n is not a multiple of divisor.");
    return n;
  } else {
    using Dynamic = typename detail::IntegerTraits<T>::Dynamic;
    HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(n) % divisor == 0,
                         "assume<divisor>(n): n is not a multiple of divisor");
    return Multiple<divisor, Dynamic>{static_cast<Dynamic>(n)};
  }
}

template <class T>
struct is_integral : bool_constant<detail::IntegerTraits<detail::Plain<T>>::is_integer> {};
template <class T>
struct is_std_integral : bool_constant<std::is_integral<detail::Plain<T>>::value> {};
template <class T>
struct is_constant_integer : bool_constant<detail::IntegerTraits<detail::Plain<T>>::is_static> {};
/// Whether T is the static integer n.
template <int64_t n, class T>
struct is_constant : bool_constant<detail::IntegerTraits<detail::Plain<T>>::is_static &&
                                   detail::IntegerTraits<detail::Plain<T>>::value == n> {};

template <int64_t n, class T>
constexpr bool is_constant_v = is_constant<n, T>::value;
template <class T>
constexpr bool is_integral_v = is_integral<T>::value;

#define HLO_CUTE_STATIC_BINARY(op)                                                          \
  template <auto a, auto b>                                                                 \
  HLO_CUTE_INLINE constexpr StaticInt<(int64_t{a} op int64_t{b})> operator op(C<a>, C<b>) { \
    return {};                                                                              \
  }
HLO_CUTE_STATIC_BINARY(+)
HLO_CUTE_STATIC_BINARY(-)
HLO_CUTE_STATIC_BINARY(*)
HLO_CUTE_STATIC_BINARY(/)
HLO_CUTE_STATIC_BINARY(%)
HLO_CUTE_STATIC_BINARY(&)
HLO_CUTE_STATIC_BINARY(|)
HLO_CUTE_STATIC_BINARY(^)
HLO_CUTE_STATIC_BINARY(<<)
HLO_CUTE_STATIC_BINARY(>>)
#undef HLO_CUTE_STATIC_BINARY

#define HLO_CUTE_STATIC_COMPARISON(op)                                              \
  template <auto a, auto b>                                                         \
  HLO_CUTE_INLINE constexpr C<(int64_t{a} op int64_t{b})> operator op(C<a>, C<b>) { \
    return {};                                                                      \
  }
HLO_CUTE_STATIC_COMPARISON(==)
HLO_CUTE_STATIC_COMPARISON(!=)
HLO_CUTE_STATIC_COMPARISON(<)
HLO_CUTE_STATIC_COMPARISON(<=)
HLO_CUTE_STATIC_COMPARISON(>)
HLO_CUTE_STATIC_COMPARISON(>=)
HLO_CUTE_STATIC_COMPARISON(&&)
HLO_CUTE_STATIC_COMPARISON(||)
#undef HLO_CUTE_STATIC_COMPARISON

template <auto a>
HLO_CUTE_INLINE constexpr StaticInt<-int64_t{a}> operator-(C<a>) {
  return {};
}
template <auto a>
HLO_CUTE_INLINE constexpr C<a> operator+(C<a>) {
  return {};
}
template <auto a>
HLO_CUTE_INLINE constexpr C<!a> operator!(C<a>) {
  return {};
}

namespace detail {

template <class T>
constexpr bool is_dynamic_integer_v = IntegerTraits<T>::is_integer && !IntegerTraits<T>::is_static;

// a * b without overflow: in 64 bits as soon as both factors count.
template <Width width = Width::k64, class A, class B>
HLO_CUTE_LEAF constexpr auto WideProduct(A const& a, B const& b) {
  using TA = IntegerTraits<A>;
  using TB = IntegerTraits<B>;
  if constexpr (TA::is_static && TB::is_static) {
    return StaticInt<TA::value * TB::value>{};
  } else if constexpr ((TA::is_static && TA::value == 0) || (TB::is_static && TB::value == 0)) {
    return C<0>{};
  } else if constexpr (TA::is_static && TA::value == 1) {
    return b;
  } else if constexpr (TB::is_static && TB::value == 1) {
    return a;
  } else {
    using Product = typename WidthOf<width, A, B>::type;
#if HLO_INDEXING_CUTE_DEBUG && !defined(__CUDA_ARCH__)
    PlainOf<Product> plain = 0;
    HLO_CUTE_CHECK(
        !__builtin_mul_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &plain),
        sizeof(Product) == 8 ? "a size or an offset does not fit 64 bits"
                             : "a coordinate or an offset lies outside of what is static");
#else
    const auto plain = static_cast<PlainOf<Product>>(a) * static_cast<PlainOf<Product>>(b);
#endif
    const Product product{plain};
    // Only what the user has assumed becomes part of the type.
    constexpr bool assumed =
        (!TA::is_static && TA::divisor > 1) || (!TB::is_static && TB::divisor > 1);
    constexpr int64_t divisor = TA::divisor * TB::divisor;
    if constexpr (!assumed || divisor == 1 || divisor == -1) {
      return product;
    } else {
      return Multiple<(divisor < 0 ? -divisor : divisor), Product>{product};
    }
  }
}

}  // namespace detail

// Arithmetic of a static with a dynamic integer. Neutral and absorbing elements stay static.
#define HLO_CUTE_IF_DYNAMIC(T) std::enable_if_t<detail::is_dynamic_integer_v<T>, int> = 0
template <auto a, class B, HLO_CUTE_IF_DYNAMIC(B)>
HLO_CUTE_LEAF constexpr auto operator*(C<a> x, B const& y) {
  return detail::WideProduct(x, y);
}
template <class A, auto b, HLO_CUTE_IF_DYNAMIC(A)>
HLO_CUTE_LEAF constexpr auto operator*(A const& x, C<b> y) {
  return detail::WideProduct(x, y);
}
template <class A, auto b, HLO_CUTE_IF_DYNAMIC(A)>
HLO_CUTE_LEAF constexpr auto operator/(A const& x, C<b>) {
  static_assert(b != 0, "Division by the static integer 0.");
  using Dynamic = typename detail::IntegerTraits<A>::Dynamic;
  if constexpr (b == 1) {
    return x;
  } else if constexpr (detail::IntegerTraits<A>::divisor % b == 0 &&
                       detail::IntegerTraits<A>::divisor != b) {
    return Multiple<detail::IntegerTraits<A>::divisor / b, Dynamic>{
        static_cast<Dynamic>(static_cast<Dynamic>(x) / b)};
  } else {
    return static_cast<Dynamic>(static_cast<Dynamic>(x) / static_cast<Dynamic>(b));
  }
}
template <class A, auto b, HLO_CUTE_IF_DYNAMIC(A)>
HLO_CUTE_LEAF constexpr auto operator%(A const& x, C<b>) {
  static_assert(b != 0, "Division by the static integer 0.");
  using Dynamic = typename detail::IntegerTraits<A>::Dynamic;
  if constexpr (detail::IntegerTraits<A>::divisor % b == 0) {
    return C<0>{};
  } else {
    return static_cast<Dynamic>(static_cast<Dynamic>(x) % static_cast<Dynamic>(b));
  }
}
template <class A, auto b, HLO_CUTE_IF_DYNAMIC(A)>
HLO_CUTE_INLINE constexpr auto operator+(A const& x, C<b>) {
  if constexpr (b == 0) {
    return x;
  } else {
    return static_cast<typename detail::IntegerTraits<A>::Dynamic>(x) + b;
  }
}
template <auto a, class B, HLO_CUTE_IF_DYNAMIC(B)>
HLO_CUTE_INLINE constexpr auto operator+(C<a> x, B const& y) {
  return y + x;
}
#undef HLO_CUTE_IF_DYNAMIC

// clang-format off
// The aliases that a person writes: _0 to _1029, and the powers of two above.
#define HLO_CUTE_TEN(p)      \
  using _##p##0 = Int<p##0>; \
  using _##p##1 = Int<p##1>; \
  using _##p##2 = Int<p##2>; \
  using _##p##3 = Int<p##3>; \
  using _##p##4 = Int<p##4>; \
  using _##p##5 = Int<p##5>; \
  using _##p##6 = Int<p##6>; \
  using _##p##7 = Int<p##7>; \
  using _##p##8 = Int<p##8>; \
  using _##p##9 = Int<p##9>;
#define HLO_CUTE_HUNDRED(p) \
  HLO_CUTE_TEN(p##0)        \
  HLO_CUTE_TEN(p##1)        \
  HLO_CUTE_TEN(p##2)        \
  HLO_CUTE_TEN(p##3)        \
  HLO_CUTE_TEN(p##4)        \
  HLO_CUTE_TEN(p##5) HLO_CUTE_TEN(p##6) HLO_CUTE_TEN(p##7) HLO_CUTE_TEN(p##8) HLO_CUTE_TEN(p##9)
using _0 = Int<0>;
using _1 = Int<1>;
using _2 = Int<2>;
using _3 = Int<3>;
using _4 = Int<4>;
using _5 = Int<5>;
using _6 = Int<6>;
using _7 = Int<7>;
using _8 = Int<8>;
using _9 = Int<9>;
HLO_CUTE_TEN(1)
HLO_CUTE_TEN(2)
HLO_CUTE_TEN(3)
HLO_CUTE_TEN(4)
HLO_CUTE_TEN(5)
HLO_CUTE_TEN(6)
HLO_CUTE_TEN(7)
HLO_CUTE_TEN(8)
HLO_CUTE_TEN(9)
HLO_CUTE_HUNDRED(1)
HLO_CUTE_HUNDRED(2)
HLO_CUTE_HUNDRED(3) HLO_CUTE_HUNDRED(4) HLO_CUTE_HUNDRED(5) HLO_CUTE_HUNDRED(6) HLO_CUTE_HUNDRED(7)
    HLO_CUTE_HUNDRED(8) HLO_CUTE_HUNDRED(9) HLO_CUTE_TEN(100) HLO_CUTE_TEN(101) HLO_CUTE_TEN(102)
#undef HLO_CUTE_TEN
#undef HLO_CUTE_HUNDRED
        using _2048 = Int<2048>;
using _4096 = Int<4096>;
using _8192 = Int<8192>;
using _16384 = Int<16384>;
using _32768 = Int<32768>;
using _65536 = Int<65536>;
using _131072 = Int<131072>;
using _262144 = Int<262144>;
using _524288 = Int<524288>;
using _m1 = Int<-1>;
using _m2 = Int<-2>;
using _m3 = Int<-3>;
using _m4 = Int<-4>;
using _m5 = Int<-5>;
using _m6 = Int<-6>;
using _m7 = Int<-7>;
using _m8 = Int<-8>;
using _m9 = Int<-9>;
using _m10 = Int<-10>;
using _m12 = Int<-12>;
using _m16 = Int<-16>;
using _m24 = Int<-24>;
using _m32 = Int<-32>;
using _m64 = Int<-64>;
using _m128 = Int<-128>;

// clang-format on

namespace detail {
template <char... digits>
HLO_CUTE_HD constexpr int64_t ParseDecimal() {
  constexpr char text[] = {digits...};
  int64_t value = 0;
  for (const char digit : text) {
    if (digit != '\'') value = value * 10 + (digit - '0');
  }
  return value;
}
}  // namespace detail
inline namespace literals {
/// 13_c is Int<13>{}.
template <char... digits>
HLO_CUTE_INLINE constexpr StaticInt<detail::ParseDecimal<digits...>()> operator""_c() {
  return {};
}
}  // namespace literals

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_INTEGRAL_H_
