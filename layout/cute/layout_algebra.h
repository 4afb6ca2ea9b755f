#ifndef HLO_INDEXING_LAYOUT_CUTE_LAYOUT_ALGEBRA_H_
#define HLO_INDEXING_LAYOUT_CUTE_LAYOUT_ALGEBRA_H_

#include "layout/cute/layout_evaluate.h"

// The algebra on layouts: coalesce, composition, complement, inverses.
//
// An operation without a result is a compile error that begins with the sentence why; if the
// answer depends on run-time values it is a check (see config.h). No operation returns a layout
// that breaks its contract.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// A comparison; compilers explain one that is written in the assertion at length.
template <Problem a, Problem b>
constexpr bool differ_v = a != b;

// Reports a problem once, and gives callers something to go on with, so that nothing else is
// reported.
template <Problem problem, class... Layouts>
HLO_CUTE_INLINE constexpr void ReportComposition() {
  static_assert(
      differ_v<problem, Problem::kTooLarge>,
      HLO_CUTE_SENTENCE("composition: the layouts have too many modes (the limit is 128 nodes)."));
  static_assert(
      differ_v<problem, Problem::kStrideDoesNotDivide>,
      HLO_CUTE_SENTENCE(
          "composition(A, B): there is no such layout. A stride of B falls between the modes "
          "of A: it is neither a multiple nor a divisor of an extent of A."));
  static_assert(
      differ_v<problem, Problem::kShapeDoesNotDivide>,
      HLO_CUTE_SENTENCE(
          "composition(A, B): there is no such layout. An extent of B falls between the modes "
          "of A: it is not a multiple of what is left of an extent of A."));
  static_assert(
      differ_v<problem, Problem::kModesCarry>,
      HLO_CUTE_SENTENCE(
          "composition(A, B): there is no such layout. Modes of B meet in a mode of A and "
          "their sum carries over into its next mode."));
  static_assert(differ_v<problem, Problem::kNegativeStride>,
                HLO_CUTE_SENTENCE("composition(A, B): there is no such layout. B has positive and "
                                  "negative strides, and A is not linear."));
  static_assert(
      differ_v<problem, Problem::kCoordinateStride>,
      HLO_CUTE_SENTENCE("composition(A, B): a stride of B names a mode that A does not have."));
}
template <Problem problem, class... Layouts>
HLO_CUTE_INLINE constexpr void ReportComplement() {
  static_assert(
      differ_v<problem, Problem::kNotInjective>,
      HLO_CUTE_SENTENCE("complement(L, M): there is none. A mode of L begins inside of what its "
                        "smaller strides reach."));
  static_assert(differ_v<problem, Problem::kEmpty>,
                HLO_CUTE_SENTENCE("complement(L, M): there is none. L has no elements."));
  static_assert(
      differ_v<problem, Problem::kDynamicStride>,
      HLO_CUTE_SENTENCE(
          "complement(L, M): a layout of more than one mode needs static strides, and static "
          "extents but for the last."));
  static_assert(differ_v<problem, Problem::kNegativeStride>,
                HLO_CUTE_SENTENCE("complement(L, M): L has a negative stride."));
  static_assert(
      differ_v<problem, Problem::kCoordinateStride>,
      HLO_CUTE_SENTENCE(
          "complement(L, M): the strides of L are coordinates, and integers are needed."));
  static_assert(
      differ_v<problem, Problem::kTooLarge>,
      HLO_CUTE_SENTENCE("complement: the layouts have too many modes (the limit is 128 nodes)."));
}
template <Problem problem, class... Layouts>
HLO_CUTE_INLINE constexpr void ReportInverse() {
  static_assert(
      differ_v<problem, Problem::kInverseGap>,
      HLO_CUTE_SENTENCE(
          "left_inverse(L): a stride of L is not a multiple of what the smaller ones cover."));
  static_assert(differ_v<problem, Problem::kDynamicStride>,
                HLO_CUTE_SENTENCE("left_inverse(L): L needs static strides."));
  static_assert(differ_v<problem, Problem::kNegativeStride>,
                HLO_CUTE_SENTENCE("left_inverse(L): L has positive and negative strides."));
  static_assert(differ_v<problem, Problem::kCoordinateStride>,
                HLO_CUTE_SENTENCE(
                    "left_inverse(L): the strides of L are coordinates, and integers are needed."));
  static_assert(
      differ_v<problem, Problem::kTooLarge>,
      HLO_CUTE_SENTENCE("left_inverse: the layout has too many modes (the limit is 128 nodes)."));
}

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorTilerModes() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE(
                    "composition, divide or product: the tiler has more modes than the layout."));
}

template <class Operation, class... T>
constexpr Problem problem_v = Evaluated<Operation, T...>::outcome.problem;

}  // namespace detail

/// The fewest modes with the same function.
/// Example: coalesce((2,(1,6)):(1,(6,2))) -> 12:1
template <class S, class D>
HLO_CUTE_INLINE constexpr auto coalesce(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(detail::Evaluate<detail::CoalesceOperation>(l));
}
/// The same in each mode that the profile names: coalesce(l, Step<_1,_1>{}) keeps rank 2.
template <class S, class D, class Profile>
HLO_CUTE_INLINE constexpr auto coalesce(Layout<S, D> const& l, Profile const& profile);
template <class S, class D>
HLO_CUTE_INLINE constexpr auto filter(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(detail::Evaluate<detail::FilterOperation>(l));
}

namespace detail {

// (f(mode, tiler mode)..., modes beyond the tiler...) as one layout.
template <class L, class T, class F, int... I, int... J>
HLO_CUTE_INLINE constexpr auto TransformModes(L const& l, T const& t, F&& f, seq<I...>, seq<J...>) {
  HLO_CUTE_RETURN(make_layout(f(layout<I>(l), get<I>(t))..., layout<J>(l)...));
}

}  // namespace detail

template <class S, class D, class Profile>
HLO_CUTE_INLINE constexpr auto coalesce(Layout<S, D> const& l, Profile const& profile) {
  if constexpr (detail::is_tuple_v<Profile>) {
    static_assert(tuple_size_v<Profile> <= tuple_size_v<S>,
                  "coalesce(L, profile): the profile has more modes than L.");
    return detail::TransformModes(
        l, profile, [](auto const& mode, auto const& p) { return coalesce(mode, p); },
        make_seq<tuple_size_v<Profile>>{}, make_range<tuple_size_v<Profile>, tuple_size_v<S>>{});
  } else {
    return coalesce(l);
  }
}
template <class S, class D, class Profile>
HLO_CUTE_INLINE constexpr auto filter(Layout<S, D> const& l, Profile const& profile) {
  if constexpr (detail::is_tuple_v<Profile>) {
    static_assert(tuple_size_v<Profile> <= tuple_size_v<S>,
                  "filter(L, profile): the profile has more modes than L.");
    return detail::TransformModes(
        l, profile, [](auto const& mode, auto const& p) { return filter(mode, p); },
        make_seq<tuple_size_v<Profile>>{}, make_range<tuple_size_v<Profile>, tuple_size_v<S>>{});
  } else {
    return filter(l);
  }
}

/// composition(A, B)(c) = A(B(c)), in the profile of B.
/// Example: composition((10,2):(16,4), (5,4):(1,5)) -> (5,(2,2)):(16,(80,4))
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto composition(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  constexpr auto problem =
      detail::problem_v<detail::ComposeOperation, Layout<SA, DA>, Layout<SB, DB>>;
  if constexpr (problem == detail::Problem::kNone) {
    return detail::Evaluate<detail::ComposeOperation>(a, b);
  } else {
    using A = Layout<SA, DA>;
    using B = Layout<SB, DB>;
    detail::ReportComposition<problem, HLO_CUTE_NAMED(A), HLO_CUTE_NAMED(B)>();
    return a;
  }
}
/// By modes, with a tiler of layouts, integers n (for n:1) and `_` (which keeps the mode). Modes
/// beyond the tiler are dropped.
template <class S, class D, class Tiler,
          std::enable_if_t<is_tuple<Tiler>::value || is_integral<Tiler>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto composition(Layout<S, D> const& l, Tiler const& tiler) {
  if constexpr (detail::is_underscore_v<Tiler>) {
    return l;
  } else if constexpr (detail::is_tuple_v<Tiler>) {
    if constexpr (tuple_size_v<Tiler> <= tuple_size_v<S>) {
      return detail::TransformModes(
          l, tiler, [](auto const& mode, auto const& t) { return composition(mode, t); },
          make_seq<tuple_size_v<Tiler>>{}, seq<>{});
    } else {
      using L = Layout<S, D>;
      detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
      return l;
    }
  } else {
    return composition(l, Layout<Tiler, C<1>>(tiler));
  }
}

/// The layout of what L leaves out of [0, size(M)).
/// Example: complement(4:2, 24) -> (2,3):(1,8)
template <class S, class D, class M>
HLO_CUTE_INLINE constexpr auto complement(Layout<S, D> const& l, M const& cotarget) {
  if constexpr (is_layout<M>::value) {
    return complement(l, cosize(cotarget));
  } else {
    constexpr auto problem = detail::problem_v<detail::ComplementOperation, Layout<S, D>, M>;
    if constexpr (problem == detail::Problem::kNone) {
      return detail::Evaluate<detail::ComplementOperation>(l, cotarget);
    } else {
      using L = Layout<S, D>;
      detail::ReportComplement<problem, HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(M)>();
      return l;
    }
  }
}
template <class S, class D>
HLO_CUTE_INLINE constexpr auto complement(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(complement(l, cosize(filter(l))));
}

/// The largest R with L(R(i)) = i.
/// Example: right_inverse((8,4):(4,1)) -> (4,8):(8,1)
template <class S, class D>
HLO_CUTE_INLINE constexpr auto right_inverse(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(detail::Evaluate<detail::RightInverseOperation>(l));
}
HLO_CUTE_INLINE constexpr Underscore right_inverse(Underscore const&) { return {}; }
/// R with L(R(L(i))) = L(i).
/// Example: left_inverse(4:2) -> (2,4):(0,1)
template <class S, class D>
HLO_CUTE_INLINE constexpr auto left_inverse(Layout<S, D> const& l) {
  constexpr auto problem = detail::problem_v<detail::LeftInverseOperation, Layout<S, D>>;
  if constexpr (problem == detail::Problem::kNone) {
    return detail::Evaluate<detail::LeftInverseOperation>(l);
  } else {
    using L = Layout<S, D>;
    detail::ReportInverse<problem, HLO_CUTE_NAMED(L)>();
    return l;
  }
}
HLO_CUTE_INLINE constexpr Underscore left_inverse(Underscore const&) { return {}; }
/// The coordinates that L maps to 0 for a stride of 0.
/// Example: nullspace((2,4):(3,0)) -> 4:2
template <class S, class D>
HLO_CUTE_INLINE constexpr auto nullspace(Layout<S, D> const& l) {
  HLO_CUTE_RETURN(detail::Evaluate<detail::NullSpaceOperation>(l));
}

/// The part of A's domain that A and B map alike, as a layout from B's (and A's) offsets.
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto max_common_layout(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(detail::Evaluate<detail::CommonOperation>(a, b));
}
/// How many elements, from the first one on, are adjacent and in the same order in both.
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto max_common_vector(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  HLO_CUTE_RETURN(size(max_common_layout(a, b)));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_LAYOUT_ALGEBRA_H_
