#ifndef HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_H_

#include "layout/cute/error_text.h"
#include "layout/cute/tuple_functions.h"

// Shapes, strides and coordinates: an integer, or a tuple of such.
HLO_CUTE_BEGIN_NAMESPACE

template <int... I, class T, std::enable_if_t<is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto rank(T const&) {
  return Int<1>{};
}
/// The number of members of the mode at I...; an integer has rank 1.
/// Example: rank<1>((4,(2,3))) -> 2
template <int... I, class... T>
HLO_CUTE_INLINE constexpr auto rank(tuple<T...> const& t) {
  if constexpr (sizeof...(I) == 0) {
    return Int<static_cast<int>(sizeof...(T))>{};
  } else {
    return rank(get<I...>(t));
  }
}

namespace detail {

template <class T>
struct DepthOf : C<0> {};
template <class... T>
struct DepthOf<tuple<T...>> {
  static constexpr int Max() {
    int depth = 0;
    ((depth = DepthOf<T>::value > depth ? DepthOf<T>::value : depth), ...);
    return depth + 1;
  }
  static constexpr int value = Max();
};

template <class T>
struct LeafCount : C<1> {};
template <class... T>
struct LeafCount<tuple<T...>> : C<(LeafCount<T>::value + ... + 0)> {};

}  // namespace detail

template <int... I, class T, std::enable_if_t<is_integral<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto depth(T const&) {
  return Int<0>{};
}
/// The height of the tree of tuples; an integer has depth 0.
/// Example: depth((4,(2,3))) -> 2
template <int... I, class... T>
HLO_CUTE_INLINE constexpr auto depth(tuple<T...> const& t) {
  if constexpr (sizeof...(I) == 0) {
    return Int<detail::DepthOf<tuple<T...>>::value>{};
  } else {
    return depth(get<I...>(t));
  }
}

namespace detail {

template <Width width>
HLO_CUTE_INLINE constexpr C<1> WideProductAll() {
  return {};
}
template <Width width, class A>
HLO_CUTE_INLINE constexpr A WideProductAll(A const& a) {
  return a;
}
template <Width width, class A, class B, class... Rest>
HLO_CUTE_INLINE constexpr auto WideProductAll(A const& a, B const& b, Rest const&... rest) {
  return WideProductAll<width>(WideProduct<width>(a, b), rest...);
}

// The static part of a product, taken in one constant expression.
template <class T>
struct StaticProduct {
  static constexpr int64_t value = IntegerTraits<T>::value;
};
template <class... T>
struct StaticProduct<tuple<T...>> {
  static constexpr int64_t value = (StaticProduct<T>::value * ... * 1);
};

// What users see of a number.
template <class T>
HLO_CUTE_LEAF constexpr T PublicNumber(T const& t) {
  return t;
}
HLO_CUTE_LEAF constexpr int64_t PublicNumber(ComputedInt const& t) { return t; }
template <Width width, class T>
HLO_CUTE_LEAF constexpr auto ProductOf(T const& t) {
  if constexpr (!is_tuple_v<T>) {
    return t;
  } else if constexpr (is_static_v<T>) {
    return StaticInt<StaticProduct<T>::value>{};
  } else {
    return apply(t, [](auto const&... member) {
      return WideProductAll<width>(ProductOf<width>(member)...);
    });
  }
}

}  // namespace detail

/// The product of all leaves.
/// Example: product((4,(2,3))) -> 24
template <class T>
HLO_CUTE_LEAF constexpr auto product(T const& t) {
#if HLO_CUTE_NARROW
  using Result = decltype(detail::PublicNumber(detail::ProductOf<detail::Width::k64>(t)));
  return static_cast<Result>(detail::ProductOf<detail::Width::kDevice>(t));
#else
  return detail::PublicNumber(detail::ProductOf<detail::Width::k64>(t));
#endif
}
/// The product of the mode at I...
template <int... I, class... T>
HLO_CUTE_LEAF constexpr auto size(tuple<T...> const& t) {
  if constexpr (sizeof...(I) == 0) {
    return product(t);
  } else {
    return product(get<I...>(t));
  }
}
template <int... I, class T, std::enable_if_t<is_integral<T>::value, int> = 0>
HLO_CUTE_LEAF constexpr T size(T const& t) {
  return t;
}
namespace detail {
template <class N>
HLO_CUTE_HD constexpr auto StaticValue() {
  static_assert(
      is_constant_integer<N>::value,
      "size_v, cosize_v: this is known at run time only; size(x), cosize(x) give it then.");
  if constexpr (is_constant_integer<N>::value) {
    return N::value;
  } else {
    return 1;
  }
}
}  // namespace detail
template <class T>
constexpr auto size_v = detail::StaticValue<decltype(size(std::declval<T const&>()))>();
template <class T>
constexpr int rank_v = decltype(rank(std::declval<T const&>()))::value;
template <class T>
constexpr int depth_v = decltype(depth(std::declval<T const&>()))::value;

/// The product of each member.
/// Example: product_each((4,(2,3))) -> (4,6)
template <class T>
HLO_CUTE_INLINE constexpr auto product_each(T const& t) {
  return transform(wrap(t), [](auto const& member) { return product(member); });
}
/// The products of what lies below the leaves of the guide.
/// Example: product_like(((2,3),(4,5)), ((1,1),1)) -> ((2,3),20)
template <class T, class Guide>
HLO_CUTE_INLINE constexpr auto product_like(T const& t, Guide const& guide) {
  if constexpr (detail::is_tuple_v<Guide>) {
    return transform(t, guide, [](auto const& a, auto const& b) { return product_like(a, b); });
  } else {
    return product(t);
  }
}

namespace detail {

// a + b in 64 bits, if both are dynamic integers; debug builds check that it fits.
template <Width width = Width::k64, class A, class B>
HLO_CUTE_LEAF constexpr auto WideSum(A const& a, B const& b) {
  if constexpr (is_dynamic_integer_v<A> && is_dynamic_integer_v<B>) {
    using Sum = typename WidthOf<width, A, B>::type;
#if HLO_INDEXING_CUTE_DEBUG && !defined(__CUDA_ARCH__)
    PlainOf<Sum> result = 0;
    HLO_CUTE_CHECK(
        !__builtin_add_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &result),
        "a size or an offset does not fit 64 bits");
    return Sum{result};
#else
    return Sum{static_cast<PlainOf<Sum>>(a) + static_cast<PlainOf<Sum>>(b)};
#endif
  } else {
    return a + b;
  }
}
template <Width width = Width::k64>
HLO_CUTE_INLINE constexpr C<0> WideSumAll() {
  return {};
}
template <Width width = Width::k64, class A>
HLO_CUTE_INLINE constexpr A WideSumAll(A const& a) {
  return a;
}
template <Width width = Width::k64, class A, class B, class... Rest>
HLO_CUTE_INLINE constexpr auto WideSumAll(A const& a, B const& b, Rest const&... rest) {
  return WideSumAll<width>(WideSum<width>(a, b), rest...);
}

}  // namespace detail

/// The sum of all leaves.
template <class T>
HLO_CUTE_INLINE constexpr auto sum(T const& t) {
  if constexpr (detail::is_tuple_v<T>) {
    return apply(t, [](auto const&... member) { return detail::WideSumAll(sum(member)...); });
  } else {
    return t;
  }
}
/// The sum of the products of all leaves.
/// Example: inner_product((1,(2,3)), (4,(5,6))) -> 32, which is 1*4 + 2*5 + 3*6
template <class T, class U>
HLO_CUTE_LEAF constexpr auto inner_product(T const& t, U const& u) {
  if constexpr (detail::is_tuple_v<T>) {
    static_assert(tuple_size_v<T> == tuple_size_v<U>,
                  "inner_product: the tuples have different ranks.");
    return sum(transform(t, u, [](auto const& a, auto const& b) { return inner_product(a, b); }));
  } else {
    return detail::WideProduct(t, u);
  }
}

namespace detail {

template <class A, class B>
HLO_CUTE_INLINE constexpr auto Maximum(A const& a, B const& b) {
  if constexpr (IntegerTraits<A>::is_static && IntegerTraits<B>::is_static) {
    return StaticInt<(IntegerTraits<A>::value > IntegerTraits<B>::value
                          ? IntegerTraits<A>::value
                          : IntegerTraits<B>::value)>{};
  } else {
    using T =
        std::common_type_t<typename IntegerTraits<A>::Dynamic, typename IntegerTraits<B>::Dynamic>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
  }
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto Minimum(A const& a, B const& b) {
  if constexpr (IntegerTraits<A>::is_static && IntegerTraits<B>::is_static) {
    return StaticInt<(IntegerTraits<A>::value < IntegerTraits<B>::value
                          ? IntegerTraits<A>::value
                          : IntegerTraits<B>::value)>{};
  } else {
    using T =
        std::common_type_t<typename IntegerTraits<A>::Dynamic, typename IntegerTraits<B>::Dynamic>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
  }
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto GreatestDivisor(A const& a, B const& b) {
  if constexpr (IntegerTraits<A>::is_static && IntegerTraits<B>::is_static) {
    return StaticInt<Gcd(IntegerTraits<A>::value, IntegerTraits<B>::value)>{};
  } else {
    using T =
        std::common_type_t<typename IntegerTraits<A>::Dynamic, typename IntegerTraits<B>::Dynamic>;
    return static_cast<T>(Gcd(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  }
}

template <class A, class B>
HLO_CUTE_INLINE constexpr auto LeastMultiple(A const& a, B const& b) {
  if constexpr (IntegerTraits<A>::is_static && IntegerTraits<B>::is_static) {
    constexpr int64_t divisor = Gcd(IntegerTraits<A>::value, IntegerTraits<B>::value);
    return StaticInt<divisor == 0 ? 0
                                  : IntegerTraits<A>::value / (divisor == 0 ? 1 : divisor) *
                                        IntegerTraits<B>::value>{};
  } else {
    const int64_t divisor = Gcd(static_cast<int64_t>(a), static_cast<int64_t>(b));
    return divisor == 0 ? int64_t{0} : static_cast<int64_t>(a) / divisor * static_cast<int64_t>(b);
  }
}

}  // namespace detail

// Maximum, minimum, greatest common divisor and least common multiple of all leaves of all
// arguments.
#define HLO_CUTE_LEAF_REDUCTION(name, Function)                                    \
  template <class T>                                                               \
  HLO_CUTE_INLINE constexpr auto name(T const& t);                                 \
  template <class T0, class T1, class... T>                                        \
  HLO_CUTE_INLINE constexpr auto name(T0 const& t0, T1 const& t1, T const&... t) { \
    if constexpr (sizeof...(T) == 0) {                                             \
      return detail::Function(name(t0), name(t1));                                 \
    } else {                                                                       \
      return name(detail::Function(name(t0), name(t1)), t...);                     \
    }                                                                              \
  }                                                                                \
  template <class T>                                                               \
  HLO_CUTE_INLINE constexpr auto name(T const& t) {                                \
    if constexpr (detail::is_tuple_v<T>) {                                         \
      return apply(t, [](auto const&... member) { return name(member...); });      \
    } else {                                                                       \
      return t;                                                                    \
    }                                                                              \
  }
HLO_CUTE_LEAF_REDUCTION(max, Maximum)
HLO_CUTE_LEAF_REDUCTION(min, Minimum)
HLO_CUTE_LEAF_REDUCTION(gcd, GreatestDivisor)
HLO_CUTE_LEAF_REDUCTION(lcm, LeastMultiple)
#undef HLO_CUTE_LEAF_REDUCTION

namespace detail {

// A quotient rounded up, of the type of the dividend: it is never larger.
template <class A, class B>
HLO_CUTE_INLINE constexpr auto CeilDivide(A const& a, B const& b) {
  using TA = IntegerTraits<A>;
  using TB = IntegerTraits<B>;
  if constexpr (TB::is_static) {
    static_assert(TB::value != 0, "Division of a shape by 0.");
  } else {
    HLO_CUTE_CHECK(static_cast<int64_t>(b) != 0, "division of a shape by 0");
  }
  if constexpr (TA::is_static && TB::is_static) {
    return StaticInt<(TA::value + TB::value - (TB::value > 0 ? 1 : -1)) / TB::value>{};
  } else if constexpr (TB::is_static && TB::value == 1) {
    return a;
  } else if constexpr (TB::is_static && TA::divisor % (TB::is_static ? TB::value : 1) == 0) {
    return a / b;
  } else {
    using T = std::common_type_t<typename TA::Dynamic, typename TB::Dynamic>;
    const T x = static_cast<T>(a);
    const T y = static_cast<T>(b);
#if HLO_CUTE_NARROW
    return static_cast<typename TA::Dynamic>((x + y - 1) / y);
#else
    return static_cast<typename TA::Dynamic>(x / y + static_cast<T>(x % y != 0));
#endif
  }
}

}  // namespace detail

namespace detail {

// Divides a tuple from the left: what is left of the divisor goes to the next member.
template <class Divide, int I, class T, class B>
HLO_CUTE_INLINE constexpr auto FoldDivide(T const& t, B const& b) {
  if constexpr (I == tuple_size_v<T>) {
    return tuple<>{};
  } else {
    const auto quotient = Divide::Apply(get<I>(t), b);
    const auto rest = CeilDivide(b, product(get<I>(t)));
    return tuple_cat(make_tuple(quotient), FoldDivide<Divide, I + 1>(t, rest));
  }
}

struct CeilDivideShape {
  template <class A, class B>
  HLO_CUTE_INLINE static constexpr auto Apply(A const& a, B const& b);
};
struct ExactDivideShape {
  template <class A, class B>
  HLO_CUTE_INLINE static constexpr auto Apply(A const& a, B const& b);
};

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorShapeDiv() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("shape_div(a, b): neither of the integers divides the other."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorDivisorModes() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("The divisor of a shape has more modes than the shape."));
}

template <class Divide, class A, class B>
HLO_CUTE_INLINE constexpr auto DivideShape(A const& a, B const& b) {
  if constexpr (is_tuple_v<A>) {
    if constexpr (is_tuple_v<B>) {
      if constexpr (tuple_size_v<A> >= tuple_size_v<B>) {
        const auto divided =
            transform(take<0, tuple_size_v<B>>(a), b,
                      [](auto const& x, auto const& y) { return Divide::Apply(x, y); });
        return tuple_cat(divided, take<tuple_size_v<B>, tuple_size_v<A>>(a));
      } else {
        ErrorDivisorModes<HLO_CUTE_NAMED(A), HLO_CUTE_NAMED(B)>();
        return a;
      }
    } else {
      return FoldDivide<Divide, 0>(a, b);
    }
  } else {
    if constexpr (is_tuple_v<B>) {
      return Divide::Apply(a, product(b));
    } else {
      if constexpr (std::is_same<Divide, ExactDivideShape>::value && IntegerTraits<A>::is_static &&
                    IntegerTraits<B>::is_static) {
        constexpr int64_t x = IntegerTraits<A>::value;
        constexpr int64_t y = IntegerTraits<B>::value;
        if constexpr (y == 0 || (x % y != 0 && (x == 0 || y % x != 0))) {
          ErrorShapeDiv<HLO_CUTE_NAMED(A), HLO_CUTE_NAMED(B)>();
        }
      }
      return CeilDivide(a, b);
    }
  }
}

template <class A, class B>
HLO_CUTE_INLINE constexpr auto CeilDivideShape::Apply(A const& a, B const& b) {
  return DivideShape<CeilDivideShape>(a, b);
}
template <class A, class B>
HLO_CUTE_INLINE constexpr auto ExactDivideShape::Apply(A const& a, B const& b) {
  return DivideShape<ExactDivideShape>(a, b);
}

}  // namespace detail

/// How many tiles of b cover a, by modes for tuples; an integer divides a tuple from the left.
/// Example: ceil_div(1000, 128) -> 8
/// Example: ceil_div((4,5,6), 40) -> (1,1,3)
template <class A, class B>
HLO_CUTE_INLINE constexpr auto ceil_div(A const& a, B const& b) {
  return detail::DivideShape<detail::CeilDivideShape>(a, b);
}
/// As ceil_div, of integers one of which divides the other: a static pair that does not is an
/// error.
template <class A, class B>
HLO_CUTE_INLINE constexpr auto shape_div(A const& a, B const& b) {
  return detail::DivideShape<detail::ExactDivideShape>(a, b);
}
/// The least multiple of b that is at least a, by modes.
/// Example: round_up((5,7), (4,4)) -> (8,8)
template <class A, class B>
HLO_CUTE_INLINE constexpr auto round_up(A const& a, B const& b) {
  if constexpr (detail::is_tuple_v<A> && detail::is_tuple_v<B>) {
    constexpr int n = tuple_size_v<A>;
    return transform(a, append<n>(b, C<1>{}),
                     [](auto const& x, auto const& y) { return round_up(x, y); });
  } else {
    return detail::WideProduct(ceil_div(a, b), b);
  }
}
/// The products of the leaves of a with all of b below them.
/// Example: elem_scale((2,3), (4,(5,2))) -> (8,30)
template <class A, class B>
HLO_CUTE_INLINE constexpr auto elem_scale(A const& a, B const& b) {
  if constexpr (detail::is_tuple_v<A>) {
    return transform(a, b, [](auto const& x, auto const& y) { return elem_scale(x, y); });
  } else {
    return detail::WideProduct(a, product(b));
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_INT_TUPLE_H_
