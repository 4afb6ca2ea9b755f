#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGORITHM_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGORITHM_H_

#include "layout/cute/tensor_partition.h"

// Algorithms on the elements of tensors: for_each, transform, fill, clear, axpby.
//
// Destinations may be temporaries: fill(tensor(_, 0), 1). Debug builds check that a destination
// does not map two coordinates to one element, but for modes of stride 0.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <class T>
constexpr bool is_tensor_v = is_tensor<std::decay_t<T>>::value;

#if HLO_INDEXING_CUTE_DEBUG

constexpr int64_t kMaxAliasCheck = 4096;

// Whether a layout without modes of stride 0 is injective, by comparing all pairs. Larger layouts
// than kMaxAliasCheck are not looked at.
template <class L>
HLO_CUTE_HD constexpr bool IsInjective(L const& l) {
  const int64_t count = static_cast<int64_t>(size(l));
  if (count > kMaxAliasCheck) return true;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < i; ++k) {
      if (static_cast<int64_t>(l(i)) == static_cast<int64_t>(l(k))) return false;
    }
  }
  return true;
}
template <class T>
HLO_CUTE_HD constexpr void CheckDestination(T const& dst) {
  using L = typename T::layout_type;
  if constexpr (is_layout_v<L>) {
    const auto filtered = filter(dst.layout());
    using Filtered = std::decay_t<decltype(filtered)>;
    if constexpr (is_static_v<Filtered>) {
      // A complement exists only for injective layouts.
      if constexpr (problem_v<ComplementOperation, Filtered, C<1>> != Problem::kNone) {
        HLO_CUTE_CHECK(IsInjective(filtered),
                       "the destination maps two coordinates to one element");
      }
    } else {
      HLO_CUTE_CHECK(IsInjective(filtered), "the destination maps two coordinates to one element");
    }
  }
}

#else

template <class T>
HLO_CUTE_INLINE constexpr void CheckDestination(T const&) {}

#endif

// The type of an index into a tensor: int where its size is static.
template <class T>
using IndexOf =
    std::conditional_t<is_static_v<decltype(size(std::declval<T const&>()))>, int, int64_t>;

template <class T>
HLO_CUTE_INLINE constexpr bool IsZero(T const& x) {
  if constexpr (is_constant_integer<T>::value) {
    return T::value == 0;
  } else {
    return x == T(0);
  }
}

}  // namespace detail

/// f(element) for each element.
template <class T, class F, std::enable_if_t<detail::is_tensor_v<T>, int> = 0>
HLO_CUTE_HD constexpr void for_each(T&& t, F&& f) {
  using I = detail::IndexOf<std::decay_t<T>>;
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) f(t(i));
}
/// t(i) = f(t(i))
template <class T, class F, std::enable_if_t<detail::is_tensor_v<T>, int> = 0>
HLO_CUTE_HD constexpr void transform(T&& t, F&& f) {
  using I = detail::IndexOf<std::decay_t<T>>;
  detail::CheckDestination(t);
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) t(i) = f(t(i));
}
/// out(i) = f(in(i))
template <class In, class Out, class F,
          std::enable_if_t<detail::is_tensor_v<In> && detail::is_tensor_v<Out>, int> = 0>
HLO_CUTE_HD constexpr void transform(In const& in, Out&& out, F&& f) {
  using I = detail::IndexOf<std::decay_t<Out>>;
  detail::CheckDestination(out);
  const I count = static_cast<I>(size(out));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) out(i) = f(in(i));
}
/// out(i) = f(a(i), b(i))
template <class A, class B, class Out, class F,
          std::enable_if_t<detail::is_tensor_v<A> && detail::is_tensor_v<B>, int> = 0>
HLO_CUTE_HD constexpr void transform(A const& a, B const& b, Out&& out, F&& f) {
  using I = detail::IndexOf<std::decay_t<Out>>;
  detail::CheckDestination(out);
  const I count = static_cast<I>(size(out));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) out(i) = f(a(i), b(i));
}

namespace lazy {

/// The iterator of a tensor whose elements are f of those of another, computed when they are read.
template <class F, class Iter>
struct transform_iterator {
  using value_type = std::decay_t<decltype(std::declval<F const&>()(*std::declval<Iter const&>()))>;
  using element_type = value_type;
  using reference = value_type;
  F f_;
  Iter iter_;
  HLO_CUTE_INLINE constexpr value_type operator*() const { return f_(*iter_); }
  template <class Offset>
  HLO_CUTE_INLINE constexpr value_type operator[](Offset const& i) const {
    return f_(iter_[i]);
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto operator+(Offset const& i) const {
    using Moved = std::decay_t<decltype(iter_ + i)>;
    return transform_iterator<F, Moved>{f_, iter_ + i};
  }
};

template <class T, class F>
HLO_CUTE_INLINE constexpr auto transform(T&& t, F const& f) {
  using Iter = std::decay_t<decltype(t.data())>;
  return cute::detail::View(transform_iterator<F, Iter>{f, t.data()}, t.layout(), t.range());
}

}  // namespace lazy

/// t(i) = value
template <class T, class Value>
HLO_CUTE_HD constexpr void fill(T&& t, Value const& value) {
  using I = detail::IndexOf<std::decay_t<T>>;
  detail::CheckDestination(t);
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) t(i) = static_cast<typename std::decay_t<T>::value_type>(value);
}
/// t(i) = 0
template <class T>
HLO_CUTE_HD constexpr void clear(T&& t) {
  fill(t, typename std::decay_t<T>::value_type{});
}

/// y(i) = alpha * x(i) + beta * y(i). Where beta is 0, y is not read.
template <class Alpha, class TX, class Beta, class TY>
HLO_CUTE_HD constexpr void axpby(Alpha const& alpha, TX const& x, Beta const& beta, TY&& y) {
  using I = detail::IndexOf<std::decay_t<TY>>;
  using Value = typename std::decay_t<TY>::value_type;
  detail::CheckDestination(y);
  const I count = static_cast<I>(size(y));
  const bool overwrite = detail::IsZero(beta);
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) {
    y(i) = static_cast<Value>(overwrite ? alpha * x(i) : alpha * x(i) + beta * y(i));
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGORITHM_H_
