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
constexpr bool is_tensor_v = is_tensor<detail::Plain<T>>::value;

#if HLO_INDEXING_CUTE_DEBUG

// Extents and strides of the modes that have more than one element.
struct AliasModes {
  int64_t extent[kMaxTreeNodes];
  int64_t stride[kMaxTreeNodes];
  int count;
};
template <class S, class D>
HLO_CUTE_HD constexpr void AddAliasModes(AliasModes& modes, S const& s, D const& d);
template <class S, class D, int... I>
HLO_CUTE_HD constexpr void AddAliasModesOf(AliasModes& modes, S const& s, D const& d, seq<I...>) {
  (AddAliasModes(modes, get<I>(s), get<I>(d)), ...);
}
template <class S, class D>
HLO_CUTE_HD constexpr void AddAliasModes(AliasModes& modes, S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    AddAliasModesOf(modes, s, d, make_seq<tuple_size_v<S>>{});
  } else if (static_cast<int64_t>(s) > 1 && modes.count < kMaxTreeNodes) {
    // Kept in the order of the strides.
    const int64_t stride =
        static_cast<int64_t>(d) < 0 ? -static_cast<int64_t>(d) : static_cast<int64_t>(d);
    int at = modes.count++;
    for (; at > 0 && modes.stride[at - 1] > stride; --at) {
      modes.extent[at] = modes.extent[at - 1];
      modes.stride[at] = modes.stride[at - 1];
    }
    modes.extent[at] = static_cast<int64_t>(s);
    modes.stride[at] = stride;
  }
}

// Whether two coordinates of one element exist: of two modes exactly, of more if no two alone
// have any but their reaches overlap, by comparing up to kMaxComparedElements with each other.
constexpr int64_t kMaxComparedElements = 1024;
HLO_CUTE_HD constexpr int64_t AliasOffset(AliasModes const& modes, int64_t index) {
  int64_t offset = 0;
  for (int i = 0; i < modes.count; ++i) {
    offset += index % modes.extent[i] * modes.stride[i];
    index /= modes.extent[i];
  }
  return offset;
}
HLO_CUTE_HD constexpr bool HasAliases(AliasModes const& modes) {
  bool apart = true;
  int64_t reach = 0;
  int64_t size = 1;
  for (int i = 0; i < modes.count; ++i) {
    if (modes.stride[i] == 0) return true;
    for (int k = 0; k < i; ++k) {
      const int64_t divisor = Gcd(modes.stride[i], modes.stride[k]);
      if (modes.stride[i] / divisor < modes.extent[k] &&
          modes.stride[k] / divisor < modes.extent[i])
        return true;
    }
    apart = apart && modes.stride[i] > reach;
    reach += (modes.extent[i] - 1) * modes.stride[i];
    size = size > kMaxComparedElements ? size : size * modes.extent[i];
  }
  if (apart || size > kMaxComparedElements) return false;
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < i; ++k) {
      if (AliasOffset(modes, i) == AliasOffset(modes, k)) return true;
    }
  }
  return false;
}
// Whether a layout maps two coordinates to one offset. Static modes of stride 0 do not count.
template <class L>
HLO_CUTE_HD constexpr bool HasAliasesIn(L const& l) {
  if (static_cast<int64_t>(size(l)) == 0) return false;
  const auto written = filter_zeros(l);
  AliasModes modes{};
  AddAliasModes(modes, written.shape(), written.stride());
  return HasAliases(modes);
}
template <class L>
constexpr bool has_static_aliases_v = HasAliasesIn(L{});
template <class T>
HLO_CUTE_HD constexpr void CheckDestination(T const& dst) {
  using L = typename T::layout_type;
  if constexpr (is_layout_v<L>) {
    if constexpr (is_static_v<L>) {
      HLO_CUTE_CHECK(!has_static_aliases_v<L>,
                     "the destination maps two coordinates to one element");
    } else {
      HLO_CUTE_CHECK(!HasAliasesIn(dst.layout()),
                     "the destination maps two coordinates to one element");
    }
  }
}

#else

template <class T>
HLO_CUTE_INLINE constexpr void CheckDestination(T const&) {}

#endif

// The type of an index into a tensor: int if its size is static, and where offsets are narrow.
template <class T>
using IndexOf =
    std::conditional_t<HLO_CUTE_NARROW || is_static_v<decltype(size(std::declval<T const&>()))>,
                       int, int64_t>;

// A static integer as an element.
template <class Value, class T>
HLO_CUTE_INLINE constexpr auto Scalar(T const& x) {
  if constexpr (is_constant_integer<T>::value) {
    return static_cast<Value>(x);
  } else {
    return x;
  }
}
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
  using I = detail::IndexOf<detail::Plain<T>>;
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) f(t(i));
}
/// t(i) = f(t(i))
template <class T, class F, std::enable_if_t<detail::is_tensor_v<T>, int> = 0>
HLO_CUTE_HD constexpr void transform(T&& t, F&& f) {
  using I = detail::IndexOf<detail::Plain<T>>;
  detail::CheckDestination(t);
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) t(i) = f(t(i));
}
/// out(i) = f(in(i))
template <class In, class Out, class F,
          std::enable_if_t<detail::is_tensor_v<In> && detail::is_tensor_v<Out>, int> = 0>
HLO_CUTE_HD constexpr void transform(In const& in, Out&& out, F&& f) {
  using I = detail::IndexOf<detail::Plain<Out>>;
  detail::CheckDestination(out);
  const I count = static_cast<I>(size(out));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) out(i) = f(in(i));
}
/// out(i) = f(a(i), b(i))
template <class A, class B, class Out, class F,
          std::enable_if_t<detail::is_tensor_v<A> && detail::is_tensor_v<B>, int> = 0>
HLO_CUTE_HD constexpr void transform(A const& a, B const& b, Out&& out, F&& f) {
  using I = detail::IndexOf<detail::Plain<Out>>;
  detail::CheckDestination(out);
  const I count = static_cast<I>(size(out));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) out(i) = f(a(i), b(i));
}

namespace lazy {

/// The iterator of a tensor whose elements are f of those of another, computed when they are read.
template <class F, class Iter>
struct transform_iterator {
  using value_type =
      detail::Plain<decltype(std::declval<F const&>()(*std::declval<Iter const&>()))>;
  using element_type = value_type;
  using reference = value_type;
  F f_;
  Iter iter_;
  HLO_CUTE_LEAF constexpr value_type operator*() const { return f_(*iter_); }
  template <class Offset>
  HLO_CUTE_LEAF constexpr value_type operator[](Offset const& i) const {
    return f_(iter_[i]);
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr auto operator+(Offset const& i) const {
    using Moved = detail::Plain<decltype(iter_ + i)>;
    return transform_iterator<F, Moved>{f_, iter_ + i};
  }
};

template <class T, class F>
HLO_CUTE_INLINE constexpr auto transform(T&& t, F const& f) {
  using Iter = detail::Plain<decltype(t.data())>;
  return cute::detail::View(transform_iterator<F, Iter>{f, t.data()}, t.layout(), t.range());
}

}  // namespace lazy

namespace detail {
template <class T>
struct IsWritable : C<false> {};
template <class E, class L>
struct IsWritable<Tensor<E, L>>
    : bool_constant<
          !std::is_const<std::remove_reference_t<typename Tensor<E, L>::reference>>::value> {};
template <class T>
constexpr bool is_writable_v = IsWritable<detail::Plain<T>>::value;

template <class T, class Value>
HLO_CUTE_INLINE constexpr void FillElements(T& t, Value const& value) {
  using I = IndexOf<detail::Plain<T>>;
  CheckDestination(t);
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) t(i) = static_cast<typename detail::Plain<T>::value_type>(value);
}
}  // namespace detail

/// t(i) = value
template <class T, class Value>
HLO_CUTE_HD constexpr void fill(T&& t, Value const& value) {
  static_assert(detail::is_writable_v<T>,
                "fill(t, value): t is not a tensor, or its elements are const.");
  if constexpr (detail::is_writable_v<T>) detail::FillElements(t, value);
}
/// t(i) = 0
template <class T>
HLO_CUTE_HD constexpr void clear(T&& t) {
  static_assert(detail::is_writable_v<T>,
                "clear(t): t is not a tensor, or its elements are const.");
  if constexpr (detail::is_writable_v<T>) {
    detail::FillElements(t, typename detail::Plain<T>::value_type{});
  }
}

/// y(i) = alpha * x(i) + beta * y(i). If beta is 0, y is not read.
template <class Alpha, class TX, class Beta, class TY>
HLO_CUTE_HD constexpr void axpby(Alpha const& alpha, TX const& x, Beta const& beta, TY&& y) {
  using I = detail::IndexOf<detail::Plain<TY>>;
  using Value = typename detail::Plain<TY>::value_type;
  using SizeOfX = decltype(size(x));
  using SizeOfY = decltype(size(y));
  if constexpr (is_static_v<SizeOfX> && is_static_v<SizeOfY>) {
    static_assert(SizeOfX::value >= SizeOfY::value,
                  "axpby(alpha, x, beta, y): x has fewer elements than y.");
  }
  detail::CheckDestination(y);
  const I count = static_cast<I>(size(y));
  const bool overwrite = detail::IsZero(beta);
  const auto a = detail::Scalar<Value>(alpha);
  const auto b = detail::Scalar<Value>(beta);
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) {
    y(i) = static_cast<Value>(overwrite ? a * x(i) : a * x(i) + b * y(i));
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGORITHM_H_
