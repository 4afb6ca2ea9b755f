#ifndef HLO_INDEXING_LAYOUT_CUTE_ARITHMETIC_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ARITHMETIC_TUPLE_H_

#include "layout/cute/error_text.h"
#include "layout/cute/int_tuple_relations.h"

// Coordinates as values of layouts: strides that count along one axis, and tuples that can be
// added.
//
// A ScaledBasis<T, 1, 0> is T times the unit vector of axis 0 within axis 1; it prints as T@0@1. A
// layout with such strides maps to coordinates instead of offsets; predication is built from it.
HLO_CUTE_BEGIN_NAMESPACE

template <class T, int... N>
struct ScaledBasis : private tuple<T> {
  HLO_CUTE_INLINE constexpr ScaledBasis(T const& value = {}) : tuple<T>(value) {}
  HLO_CUTE_INLINE constexpr decltype(auto) value() const { return detail::Slot<0, T>::Get(); }
  HLO_CUTE_INLINE static constexpr auto mode() { return tuple<Int<N>...>{}; }
};
template <int... N>
using E = ScaledBasis<C<1>, N...>;

template <class T>
struct is_scaled_basis : false_type {};
template <class T, int... N>
struct is_scaled_basis<ScaledBasis<T, N...>> : true_type {};

template <class... T>
struct ArithmeticTuple : tuple<T...> {
  ArithmeticTuple() = default;
  HLO_CUTE_INLINE constexpr ArithmeticTuple(tuple<T...> const& t) : tuple<T...>(t) {}
  HLO_CUTE_INLINE constexpr ArithmeticTuple(T const&... t) : tuple<T...>(t...) {}
};
template <>
struct ArithmeticTuple<> : tuple<> {
  ArithmeticTuple() = default;
  HLO_CUTE_INLINE constexpr ArithmeticTuple(tuple<> const&) {}
};

namespace detail {
template <class... T>
struct TupleTraits<ArithmeticTuple<T...>> : TupleTraits<tuple<T...>> {};

template <class... T>
HLO_CUTE_INLINE constexpr ArithmeticTuple<T...> AsArithmetic(tuple<T...> const& t) {
  return {t};
}
template <class T>
HLO_CUTE_INLINE constexpr T AsArithmetic(T const& t) {
  return t;
}
// value at the path N..., and zeros before it.
template <class T>
HLO_CUTE_INLINE constexpr T Unit(T const& value, seq<>) {
  return value;
}
template <class T, int N0, int... N>
HLO_CUTE_INLINE constexpr auto Unit(T const& value, seq<N0, N...>) {
  return AsArithmetic(append<N0 + 1>(tuple_repeat<N0>(C<0>{}), Unit(value, seq<N...>{})));
}

// The sum of two coordinates; the shorter one has zeros where it has nothing.
template <class A, class B>
HLO_CUTE_INLINE constexpr auto Add(A const& a, B const& b) {
  if constexpr (is_tuple_v<A> && is_tuple_v<B>) {
    constexpr int n = tuple_size_v<A> > tuple_size_v<B> ? tuple_size_v<A> : tuple_size_v<B>;
    return AsArithmetic(transform(append<n>(a, C<0>{}), append<n>(b, C<0>{}),
                                  [](auto const& x, auto const& y) { return Add(x, y); }));
  } else if constexpr (is_constant<0, A>::value) {
    return b;
  } else if constexpr (is_constant<0, B>::value) {
    return a;
  } else {
    return a + b;
  }
}

}  // namespace detail

template <class T, int... N>
HLO_CUTE_INLINE constexpr auto as_arithmetic_tuple(ScaledBasis<T, N...> const& basis) {
  return detail::Unit(basis.value(), seq<N...>{});
}
template <class... T>
HLO_CUTE_INLINE constexpr ArithmeticTuple<T...> as_arithmetic_tuple(tuple<T...> const& t) {
  return {t};
}
template <class... T>
HLO_CUTE_INLINE constexpr ArithmeticTuple<T...> make_arithmetic_tuple(T const&... t) {
  return {t...};
}

template <class... T, class... U>
HLO_CUTE_INLINE constexpr auto operator+(ArithmeticTuple<T...> const& a,
                                         ArithmeticTuple<U...> const& b) {
  return detail::Add(a, b);
}
template <class... T, class... U>
HLO_CUTE_INLINE constexpr auto operator+(ArithmeticTuple<T...> const& a, tuple<U...> const& b) {
  return detail::Add(a, as_arithmetic_tuple(b));
}
template <class... T, class U, int... N>
HLO_CUTE_INLINE constexpr auto operator+(ArithmeticTuple<T...> const& a,
                                         ScaledBasis<U, N...> const& b) {
  return detail::Add(a, as_arithmetic_tuple(b));
}
template <class... T, class U, int... N>
HLO_CUTE_INLINE constexpr auto operator+(ScaledBasis<U, N...> const& a,
                                         ArithmeticTuple<T...> const& b) {
  return detail::Add(as_arithmetic_tuple(a), b);
}
template <class T, int... M, class U, int... N>
HLO_CUTE_INLINE constexpr auto operator+(ScaledBasis<T, M...> const& a,
                                         ScaledBasis<U, N...> const& b) {
  return detail::Add(as_arithmetic_tuple(a), as_arithmetic_tuple(b));
}
template <class... T>
HLO_CUTE_INLINE constexpr ArithmeticTuple<T...> operator+(C<0>, ArithmeticTuple<T...> const& a) {
  return a;
}
template <class... T>
HLO_CUTE_INLINE constexpr ArithmeticTuple<T...> operator+(ArithmeticTuple<T...> const& a, C<0>) {
  return a;
}
template <class T, int... N>
HLO_CUTE_INLINE constexpr ScaledBasis<T, N...> operator+(C<0>, ScaledBasis<T, N...> const& a) {
  return a;
}
template <class T, int... N>
HLO_CUTE_INLINE constexpr ScaledBasis<T, N...> operator+(ScaledBasis<T, N...> const& a, C<0>) {
  return a;
}
template <class A, class T, int... N, std::enable_if_t<is_integral<A>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto operator*(A const& factor, ScaledBasis<T, N...> const& basis) {
  // A coordinate that lies inside of an extent fits what the extent fits.
  using Value = decltype(detail::WideProduct<detail::Width::kShort>(factor, basis.value()));
  return ScaledBasis<Value, N...>(
      detail::WideProduct<detail::Width::kShort>(factor, basis.value()));
}
template <class A, class T, int... N, std::enable_if_t<is_integral<A>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto operator*(ScaledBasis<T, N...> const& basis, A const& factor) {
  return factor * basis;
}
template <class T, int... M, class U, int... N>
HLO_CUTE_INLINE constexpr auto operator==(ScaledBasis<T, M...> const& a,
                                          ScaledBasis<U, N...> const& b) {
  if constexpr (std::is_same<seq<M...>, seq<N...>>::value) {
    return a.value() == b.value();
  } else {
    return false_type{};
  }
}

namespace detail {

// coordinate * stride, for integers of both kinds and coordinates.
template <Width width = Width::k64, class A, class B>
HLO_CUTE_LEAF constexpr auto ScaleStride(A const& coordinate, B const& stride) {
  if constexpr (is_scaled_basis<B>::value) {
    return coordinate * stride;
  } else {
    return WideProduct<width>(coordinate, stride);
  }
}

}  // namespace detail

/// The iterator of a coordinate tensor: *it is a coordinate, it + offset another one.
template <class Coordinate>
struct ArithmeticTupleIterator {
  using value_type = Coordinate;
  using element_type = Coordinate;
  using reference = Coordinate;
  Coordinate coord_;

  HLO_CUTE_INLINE constexpr ArithmeticTupleIterator(Coordinate const& coord = {}) : coord_(coord) {}
  HLO_CUTE_LEAF constexpr Coordinate operator*() const { return coord_; }
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto operator+(Offset const& offset) const {
    using Sum = std::decay_t<decltype(coord_ + offset)>;
    return ArithmeticTupleIterator<Sum>(coord_ + offset);
  }
  template <class Offset>
  HLO_CUTE_LEAF constexpr auto operator[](Offset const& offset) const {
    return *(*this + offset);
  }
};

template <class Tuple>
HLO_CUTE_INLINE constexpr auto make_inttuple_iter(Tuple const& t) {
  using Coordinate = std::decay_t<decltype(detail::AsArithmetic(t))>;
  return ArithmeticTupleIterator<Coordinate>(detail::AsArithmetic(t));
}

HLO_CUTE_END_NAMESPACE

template <class... T>
struct std::tuple_size<hlo_indexing::layout::cute::ArithmeticTuple<T...>>
    : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, hlo_indexing::layout::cute::ArithmeticTuple<T...>>
    : std::tuple_element<I, hlo_indexing::layout::cute::tuple<T...>> {};

#endif  // HLO_INDEXING_LAYOUT_CUTE_ARITHMETIC_TUPLE_H_
