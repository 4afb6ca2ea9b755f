#ifndef HLO_INDEXING_LAYOUT_CUTE_LAYOUT_RECAST_H_
#define HLO_INDEXING_LAYOUT_CUTE_LAYOUT_RECAST_H_

#include "layout/cute/numeric_types.h"
#include "layout/cute/swizzle.h"

// Layouts in units of wider or narrower elements, and what a layout says about alignment.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorUpcast() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "upcast<n>: an extent is not a multiple of what n elements need, or n and a stride "
          "do not divide each other."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorPartsOfSeveralModes() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("upcast<n> or downcast<n>: several modes run through the parts "
                                  "of an element, or one runs through them backwards."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorDowncast() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE(
                    "downcast<n>: no mode has the static stride 1, so the parts of an element have "
                    "none."));
}

template <int64_t n, class T>
HLO_CUTE_INLINE constexpr auto ExactQuotient(T const& x) {
  if constexpr (IntegerTraits<T>::is_static) {
    return StaticInt<IntegerTraits<T>::value / n>{};
  } else {
    if constexpr (IntegerTraits<T>::divisor % n != 0) {
      HLO_CUTE_CHECK(static_cast<int64_t>(x) % n == 0,
                     "upcast<n>: an extent or a stride is not a multiple of what n elements need");
    }
    return x / StaticInt<n>{};
  }
}

// How many modes run through the parts of an element: extents above 1 with strides that are no
// multiples of n. One that runs backwards counts twice, for it is never right.
template <int n>
HLO_CUTE_HD constexpr int PartModes(int64_t extent, int64_t stride) {
  if (extent < 2 || stride % n == 0) return 0;
  return stride < 0 ? 2 : 1;
}
// Those that are known statically, and all.
template <int n, class S, class D>
struct StaticPartModes {
  static constexpr int value = [] {
    if constexpr (!is_scaled_basis<D>::value && is_static_v<S> && is_static_v<D>) {
      return PartModes<n>(IntegerTraits<S>::value, IntegerTraits<D>::value);
    } else {
      return 0;
    }
  }();
};
template <int n, class... S, class... D>
struct StaticPartModes<n, tuple<S...>, tuple<D...>> {
  static constexpr int value = (StaticPartModes<n, S, D>::value + ... + 0);
};
template <int n, class S, class D>
HLO_CUTE_HD constexpr int CountPartModes(S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    return apply(
        transform(s, d, [](auto const& x, auto const& y) { return CountPartModes<n>(x, y); }),
        [](auto const&... count) { return (count + ... + 0); });
  } else if constexpr (is_scaled_basis<D>::value) {
    return 0;
  } else {
    return PartModes<n>(static_cast<int64_t>(s), static_cast<int64_t>(d));
  }
}

// 16:1 -> 8:1, 16:4 -> 16:2 for n = 2.
template <int n, class S, class D>
HLO_CUTE_INLINE constexpr Layout<S, D> UpcastDynamicMode(S s, D d) {
  if (d % n == 0) return {s, static_cast<D>(d / n)};
  const D step = d < 0 ? static_cast<D>(-d) : d;  // only an extent of 1 comes with d < 0
  const S parts = static_cast<S>(n / step);
  HLO_CUTE_CHECK(n % step == 0 && s % parts == 0,
                 "upcast<n>: an extent or a stride is not a multiple of what n elements need");
  return {static_cast<S>(s / parts), static_cast<D>(1)};
}

template <int n, class S, class D>
HLO_CUTE_INLINE constexpr auto UpcastMode(S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    return apply(transform(s, d, [](auto const& x, auto const& y) { return UpcastMode<n>(x, y); }),
                 [](auto const&... mode) { return make_layout(mode...); });
  } else if constexpr (n == 1 || is_constant<0, D>::value || is_scaled_basis<D>::value) {
    return make_layout(s, d);
  } else if constexpr (IntegerTraits<D>::is_static) {
    constexpr int64_t stride = IntegerTraits<D>::value;
    constexpr int64_t step = stride < 0 ? -stride : stride;
    if constexpr (step % n == 0) {
      return make_layout(s, StaticInt<stride / n>{});
    } else {
      constexpr int64_t parts = n % step == 0 ? n / step : 1;
      if constexpr (n % step != 0 ||
                    (IntegerTraits<S>::is_static && IntegerTraits<S>::value % parts != 0)) {
        using L = Layout<S, D>;
        ErrorUpcast<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<n>)>();
      }
      return make_layout(ExactQuotient<parts>(s), C<1>{});
    }
  } else if constexpr (IntegerTraits<S>::is_static || IntegerTraits<D>::divisor % n == 0) {
    // The extent stays static, so the stride has to be a multiple.
    return make_layout(s, ExactQuotient<n>(d));
  } else {
    return UpcastDynamicMode<n>(static_cast<typename IntegerTraits<S>::Dynamic>(s),
                                static_cast<typename IntegerTraits<D>::Dynamic>(d));
  }
}
// Which modes of stride 1 are taken apart: those that may have elements, or any if none has.
enum class UnitModes { kOfElements, kAny };

template <UnitModes which, class S, class D>
struct IsTakenApart {
  static constexpr int value = [] {
    const bool has_elements = which == UnitModes::kAny || !is_constant<1, S>::value;
    return is_constant<1, D>::value && has_elements ? 1 : 0;
  }();
};
// How many of the modes are.
template <UnitModes which, class... S, class... D>
struct IsTakenApart<which, tuple<S...>, tuple<D...>> {
  static constexpr int value = (IsTakenApart<which, S, D>::value + ... + 0);
};

template <int n, UnitModes which, class S, class D>
HLO_CUTE_INLINE constexpr auto DowncastMode(S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    return apply(
        transform(s, d, [](auto const& x, auto const& y) { return DowncastMode<n, which>(x, y); }),
        [](auto const&... mode) { return make_layout(mode...); });
  } else if constexpr (IsTakenApart<which, S, D>::value != 0) {
    return make_layout(WideProduct(s, C<n>{}), d);
  } else {
    return make_layout(s, ScaleStride(C<n>{}, d));
  }
}

// How many modes of elements have the stride 1. One of stride -1 counts twice, for it is never
// right.
template <class S, class D>
HLO_CUTE_HD constexpr int CountUnitModes(S const& s, D const& d) {
  if constexpr (is_tuple_v<S>) {
    return apply(transform(s, d, [](auto const& x, auto const& y) { return CountUnitModes(x, y); }),
                 [](auto const&... count) { return (count + ... + 0); });
  } else if constexpr (is_scaled_basis<D>::value) {
    return 0;
  } else {
    const auto stride = static_cast<int64_t>(d);
    if (static_cast<int64_t>(s) < 2 || (stride != 1 && stride != -1)) return 0;
    return stride < 0 ? 2 : 1;
  }
}

}  // namespace detail

/// The layout in elements n times as wide. An error if several modes, or one backwards, run through
/// the n parts of an element.
/// Example: upcast<4>((8,16):(1,8)) -> (2,16):(1,2)
template <int n, class S, class D>
HLO_CUTE_INLINE constexpr auto upcast(Layout<S, D> const& l) {
  if constexpr (detail::StaticPartModes<n, S, D>::value > 1) {
    using L = Layout<S, D>;
    detail::ErrorPartsOfSeveralModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<n>)>();
    return l;
  } else {
    if constexpr (!is_static_v<Layout<S, D>>) {
      HLO_CUTE_CHECK(detail::CountPartModes<n>(l.shape(), l.stride()) <= 1,
                     "upcast<n>: several modes run through the parts of an element, or one runs "
                     "through them backwards");
    }
    return detail::UpcastMode<n>(l.shape(), l.stride());
  }
}
/// The layout in elements of which n make one. An error if several modes have the stride 1, or one
/// has the stride -1.
/// Example: downcast<4>((8,16):(1,8)) -> (32,16):(1,32)
template <int n, class S, class D>
HLO_CUTE_INLINE constexpr auto downcast(Layout<S, D> const& l) {
  if constexpr (n == 1) {
    return l;
  } else {
    using detail::UnitModes;
    using L = Layout<S, D>;
    constexpr bool has_elements = detail::IsTakenApart<UnitModes::kOfElements, S, D>::value > 0;
    constexpr UnitModes which = has_elements ? UnitModes::kOfElements : UnitModes::kAny;
    constexpr int num_taken_apart = detail::IsTakenApart<which, S, D>::value;
    if constexpr (num_taken_apart == 0) {
      detail::ErrorDowncast<HLO_CUTE_NAMED(L)>();
    } else if constexpr (num_taken_apart > 1) {
      detail::ErrorPartsOfSeveralModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<n>)>();
    } else if constexpr (is_static_v<L>) {
      if constexpr (detail::CountUnitModes(S{}, D{}) > 1) {
        detail::ErrorPartsOfSeveralModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<n>)>();
      }
    } else {
      HLO_CUTE_CHECK(detail::CountUnitModes(l.shape(), l.stride()) <= 1,
                     "downcast<n>: several modes run through the parts of an element, or one runs "
                     "through them backwards");
    }
    return detail::DowncastMode<n, which>(l.shape(), l.stride());
  }
}
namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorUpcastSwizzle() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("upcast<n>: the swizzle takes the n elements apart."));
}
HLO_CUTE_HD constexpr int Log2(int n) {
  int log = 0;
  while (n > 1) {
    n /= 2;
    ++log;
  }
  return log;
}

}  // namespace detail

/// The same behind a swizzle, which must leave the n elements together: upcast<8> of
/// Sw<3,3,3> o _0 o (8,64):(64,1) is Sw<3,0,3> o _0 o (8,8):(8,1), and downcast<8> the way back.
template <int n, int b, int m, int s, class O, class B>
HLO_CUTE_INLINE constexpr auto upcast(ComposedLayout<Swizzle<b, m, s>, O, B> const& l) {
  constexpr int log = detail::Log2(n);
  if constexpr (b > 0 && (log > m || n != 1 << log)) {
    using L = ComposedLayout<Swizzle<b, m, s>, O, B>;
    detail::ErrorUpcastSwizzle<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<n>)>();
    return l;
  } else {
    constexpr int base = m > log ? m - log : 0;
    return make_composed_layout(Swizzle<b, base, s>{}, detail::ExactQuotient<n>(l.offset()),
                                upcast<n>(l.layout_b()));
  }
}
template <int n, int b, int m, int s, class O, class B>
HLO_CUTE_INLINE constexpr auto downcast(ComposedLayout<Swizzle<b, m, s>, O, B> const& l) {
  static_assert(b == 0 || n == 1 << detail::Log2(n),
                "downcast<n>: behind a swizzle n must be a power of 2.");
  return make_composed_layout(Swizzle<b, m + detail::Log2(n), s>{},
                              detail::ScaleStride(l.offset(), C<n>{}), downcast<n>(l.layout_b()));
}
namespace detail {
template <int n, class L>
struct HasPartsInSeveralModes : C<false> {};
// Whether a static mode ends or steps inside of an element of n parts.
template <int n, class S, class D>
struct BreaksElements {
  HLO_CUTE_HD static constexpr bool Get() {
    if constexpr (n > 1 && is_static_v<S> && is_static_v<D> && !is_scaled_basis<D>::value) {
      constexpr int64_t step = D::value < 0 ? -D::value : D::value;
      if constexpr (step == 0) return false;
      return step % n != 0 && (n % (step | (step == 0)) != 0 || S::value * step % n != 0);
    } else {
      return false;
    }
  }
  static constexpr bool value = Get();
};
template <int n, class... S, class... D>
struct BreaksElements<n, tuple<S...>, tuple<D...>>
    : bool_constant<(BreaksElements<n, S, D>::value || ...)> {};
template <int n, class L>
struct HasBrokenElements : C<false> {};
template <int n, class S, class D>
struct HasBrokenElements<n, Layout<S, D>> : BreaksElements<n, S, D> {};
template <int n, class S, class D>
struct HasPartsInSeveralModes<n, Layout<S, D>> : C<(StaticPartModes<n, S, D>::value > 1)> {};
}  // namespace detail
/// The layout of the same memory as elements of another type.
template <class Old, class New, class L>
HLO_CUTE_INLINE constexpr auto recast_layout(L const& l) {
  constexpr int from = sizeof_bits_v<Old>;
  constexpr int to = sizeof_bits_v<New>;
  if constexpr (to % from == 0) {
    if constexpr (detail::HasPartsInSeveralModes<to / from, L>::value) {
      detail::ErrorPartsOfSeveralModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<to / from>)>();
      return l;
    } else if constexpr (detail::HasBrokenElements<to / from, L>::value) {
      detail::ErrorUpcast<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(C<to / from>)>();
      return l;
    } else {
      return upcast<to / from>(l);
    }
  } else if constexpr (from % to == 0) {
    return downcast<from / to>(l);
  } else {
    constexpr int common = static_cast<int>(detail::Gcd(from, to));
    return upcast<to / common>(downcast<from / common>(l));
  }
}

/// How many elements at the start of memory the layout fills without a gap: an alignment to which
/// its parts can be cut.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto max_alignment(Layout<S, D> const& l) {
  using Filled = decltype(size(right_inverse(l)));
  // Nothing is known of a dynamic extent.
  return std::conditional_t<is_static_v<Filled>, Filled, C<1>>{};
}

namespace detail {

struct DistributeOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& shape,
                                        ModeTree<N> const& count) {
    const Modes<N> modes = shape.Leaves();
    Number rest = count.mode[0].shape;
    Number before = Known(1);
    Modes<N> result{};
    for (int i = 0; i < modes.count; ++i) {
      Number const& extent = modes.mode[i].shape;
      if (!extent.known() || !rest.known()) return o.Fail(Problem::kDynamicStride);
      const int64_t part = Gcd(extent.value, rest.value);
      Push(o.program, result, Known(part), before);
      rest = Known(rest.value / part);
      before = Known(before.value * extent.value);
    }
    o.tree.AddModes(Coalesced(o.program, result, LastMode::kLikeOthers));
  }
};

}  // namespace detail

/// A layout of n elements (or as many as divide) over the modes of a shape, first modes first.
/// Example: domain_distribute((15,14), 6) -> (3,2):(1,15)
template <class S, class N>
HLO_CUTE_INLINE constexpr auto domain_distribute(S const& shape, N const& n) {
  static_assert(detail::problem_v<detail::DistributeOperation, S, N> == detail::Problem::kNone,
                "domain_distribute(shape, n): shape and n must be static.");
  return detail::Evaluate<detail::DistributeOperation>(shape, n);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_LAYOUT_RECAST_H_
