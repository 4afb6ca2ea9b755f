#ifndef HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_ALGEBRA_H_
#define HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_ALGEBRA_H_

#include "layout/cute/layout_recast.h"
#include "layout/cute/swizzle_slice.h"

// The algebra of composed layouts A o offset o B: compositions in every order, inverses, and what
// they say about alignment.
//
//   auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
//   right_inverse(l)                    // Sw<3,0,-6> o _0 o (_64,_8):(_8,_1)
//   composition(Layout<_512, _2>{}, l)  // Sw<3,4,3> o _0 o (_8,_64):(_128,_2)
//   max_alignment(l)                    // _8
//
// A layout that maps bits to bits passes a swizzle on: L(Sw(x)) = Sw'(L(x)), where Sw' exchanges
// the bits that L makes of those of Sw. What is not of this kind stays a function, (L o _0 o Sw) o
// ...
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// To which bit a layout maps a bit of its index; -1 if to none, or to several.
struct BitMap {
  int to[64];
  int count;  // bits of the index
  bool is_map;
};
template <class S, class D>
HLO_CUTE_HD constexpr BitMap BitMapOf() {
  BitMap map{};
  if (ImageBits<-1, S, D>() < 0) return map;
  Program<kMaxTreeNodes> program{};
  ModeTree<kMaxTreeNodes> tree{};
  EncodeMode(tree, program, TypeTag<S>{}, TypeTag<D>{});
  map.is_map = true;
  for (int i = 0; i < tree.count; ++i) {
    if (tree.arity[i] != 0) continue;
    for (int64_t bit = 1; bit < tree.mode[i].shape.value; bit *= 2) {
      const int64_t image = bit * tree.mode[i].stride.value;
      map.is_map = map.is_map && image != 0 && map.count < 62;
      if (!map.is_map) return map;
      map.to[map.count++] = LowestBit(static_cast<uint64_t>(image));
    }
  }
  return map;
}

// The swizzle behind a layout that does what another does before it; bits < 0 if there is none.
struct PassedSwizzle {
  int bits;
  int base;
  int shift;
};
template <class Sw>
HLO_CUTE_HD constexpr PassedSwizzle PassSwizzle(BitMap const& map) {
  const PassedSwizzle none{-1, 0, 0};
  const int from = Sw::num_base + (Sw::num_shft > 0 ? Sw::num_shft : 0);
  const int to = Sw::num_base - (Sw::num_shft < 0 ? Sw::num_shft : 0);
  const int highest = (from > to ? from : to) + Sw::num_bits;
  if (!map.is_map || Sw::num_bits == 0 || highest > map.count) return none;
  for (int i = 1; i < Sw::num_bits; ++i) {
    if (map.to[from + i] != map.to[from] + i || map.to[to + i] != map.to[to] + i) return none;
  }
  const int shift = map.to[from] - map.to[to];
  return {Sw::num_bits, shift > 0 ? map.to[to] : map.to[from], shift};
}

template <class F>
struct IsSwizzleFunction : C<false> {};
template <int b, int m, int s>
struct IsSwizzleFunction<Swizzle<b, m, s>> : C<true> {};

// Whether a swizzle after another is one: equal shifts, the first reads nothing that the other
// changes, and the bits of both together are adjacent and no more than the shift.
template <class F, class G>
HLO_CUTE_HD constexpr bool SwizzlesMerge() {
  if constexpr (IsSwizzleFunction<F>::value && IsSwizzleFunction<G>::value) {
    if (F::num_bits == 0 || G::num_bits == 0) return true;
    const auto source = static_cast<uint64_t>(F::source_mask ^ G::source_mask);
    const int bits = CountBits(source);
    const bool adjacent = (source >> LowestBit(source)) + 1 == uint64_t{1} << bits;
    const int distance = F::num_shft < 0 ? -F::num_shft : F::num_shft;
    return F::num_shft == G::num_shft && (F::source_mask & G::target_mask) == 0 &&
           (source == 0 || (adjacent && bits <= distance));
  } else {
    return false;
  }
}

// x -> f(g(x)) as a function.
template <class F, class G>
HLO_CUTE_INLINE constexpr auto ComposeFunctions(F const& f, G const& g) {
  if constexpr (SwizzlesMerge<F, G>()) {
    return composition(f, g);
  } else {
    return make_composed_layout(f, C<0>{}, g);
  }
}

template <class T>
struct HasPlainDomain : C<false> {};
template <class S, class D>
struct HasPlainDomain<Layout<S, D>> : C<true> {};
template <class A, class O, class B>
struct HasPlainDomain<ComposedLayout<A, O, B>> : HasPlainDomain<B> {};

}  // namespace detail

/// L o Sw: Sw' o L where the layout maps the bits of the swizzle to bits, and the function itself
/// elsewhere.
/// Example: _8:_2 o Sw<1,0,2> -> Sw<1,1,2> o _0 o _8:_2
template <class S, class D, int b, int m, int s>
HLO_CUTE_INLINE constexpr auto composition(Layout<S, D> const& l, Swizzle<b, m, s> swizzle) {
  if constexpr (b == 0) {
    return l;
  } else if constexpr (is_static_v<Layout<S, D>>) {
    constexpr detail::PassedSwizzle passed =
        detail::PassSwizzle<Swizzle<b, m, s>>(detail::BitMapOf<S, D>());
    if constexpr (passed.bits >= 0) {
      return make_composed_layout(Swizzle<passed.bits, passed.base, passed.shift>{}, C<0>{}, l);
    } else {
      return make_composed_layout(l, C<0>{}, swizzle);
    }
  } else {
    return make_composed_layout(l, C<0>{}, swizzle);
  }
}
/// L o (A o offset o B)
template <class S, class D, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto composition(Layout<S, D> const& l,
                                           ComposedLayout<A, O, B> const& c) {
  if constexpr (detail::IsSwizzleFunction<A>::value && is_constant<0, O>::value) {
    const auto function = composition(l, c.layout_a());
    using F = std::decay_t<decltype(function)>;
    if constexpr (std::is_same<F, Layout<S, D>>::value) {
      return composition(l, c.layout_b());
    } else if constexpr (detail::IsSwizzleFunction<
                             std::decay_t<decltype(function.layout_a())>>::value) {
      return make_composed_layout(function.layout_a(), C<0>{}, composition(l, c.layout_b()));
    } else {
      return make_composed_layout(function, C<0>{}, c.layout_b());
    }
  } else {
    return make_composed_layout(make_composed_layout(l, C<0>{}, c.layout_a()), c.offset(),
                                c.layout_b());
  }
}
/// Sw o (A o offset o B)
template <int b, int m, int s, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto composition(Swizzle<b, m, s> swizzle,
                                           ComposedLayout<A, O, B> const& c) {
  return make_composed_layout(detail::ComposeFunctions(swizzle, c.layout_a()), c.offset(),
                              c.layout_b());
}
/// (A o offset o B) o (A2 o offset2 o B2)
template <class A, class O, class B, class A2, class O2, class B2>
HLO_CUTE_INLINE constexpr auto composition(ComposedLayout<A, O, B> const& c,
                                           ComposedLayout<A2, O2, B2> const& d) {
  return make_composed_layout(c.layout_a(), c.offset(), composition(c.layout_b(), d));
}

namespace detail {

// R o Sw of an inverse R of the part behind a swizzle, less the offset: Sw is its own inverse.
template <class R, class Sw, class O>
HLO_CUTE_INLINE constexpr auto InverseBehind(R const& r, Sw const& swizzle, O const& offset) {
  if constexpr (is_constant<0, O>::value) {
    return composition(r, swizzle);
  } else {
    return make_composed_layout(r, C<0>{} - offset, swizzle);
  }
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorInverseOfFunction() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("right_inverse, left_inverse of A o offset o B: only if A is a "
                                  "swizzle or a layout and B is a layout."));
}

}  // namespace detail

/// R with L(R(i)) = i, as far as the part behind the swizzle has one; and R with L(R(L(i))) = L(i).
/// Of A o offset o B these are the inverses of B o -offset o that of A.
template <class A, class O, class B>
HLO_CUTE_INLINE constexpr auto right_inverse(ComposedLayout<A, O, B> const& l) {
  if constexpr (detail::is_layout_v<A> && detail::is_layout_v<B>) {
    return make_composed_layout(right_inverse(l.layout_b()), C<0>{} - l.offset(),
                                right_inverse(l.layout_a()));
  } else if constexpr (detail::IsSwizzleFunction<A>::value && detail::is_layout_v<B>) {
    return detail::InverseBehind(right_inverse(l.layout_b()), l.layout_a(), l.offset());
  } else {
    using L = ComposedLayout<A, O, B>;
    detail::ErrorInverseOfFunction<HLO_CUTE_NAMED(L)>();
    return l;
  }
}
template <class A, class O, class B>
HLO_CUTE_INLINE constexpr auto left_inverse(ComposedLayout<A, O, B> const& l) {
  if constexpr (detail::is_layout_v<A> && detail::is_layout_v<B>) {
    return make_composed_layout(left_inverse(l.layout_b()), C<0>{} - l.offset(),
                                left_inverse(l.layout_a()));
  } else if constexpr (detail::IsSwizzleFunction<A>::value && detail::is_layout_v<B>) {
    return detail::InverseBehind(left_inverse(l.layout_b()), l.layout_a(), l.offset());
  } else {
    using L = ComposedLayout<A, O, B>;
    detail::ErrorInverseOfFunction<HLO_CUTE_NAMED(L)>();
    return l;
  }
}

namespace detail {

// Up to which power of two an offset is aligned, as far as types say; 0 is aligned to everything.
template <class O>
HLO_CUTE_HD constexpr int64_t OffsetAlignment() {
  const OffsetBits bits = BitsOfOffset<O>::Get();
  if (!bits.known) return 1;
  const int64_t set = bits.value | bits.flags;
  return set == 0 ? 0 : set & -set;
}
template <class Sw, class O>
HLO_CUTE_HD constexpr int64_t SwizzleAlignment() {
  const int64_t kept = Sw::num_bits == 0 ? 0 : int64_t{1} << Sw::num_base;
  return Gcd(kept, OffsetAlignment<O>());
}

}  // namespace detail

/// A swizzle leaves the elements below its base together.
template <int b, int m, int s>
HLO_CUTE_INLINE constexpr auto max_alignment(Swizzle<b, m, s> const&) {
  return StaticInt<(int64_t{1} << m)>{};
}
template <int b, int m, int s, class O, class B>
HLO_CUTE_INLINE constexpr auto max_alignment(ComposedLayout<Swizzle<b, m, s>, O, B> const& l) {
  constexpr int64_t kept = detail::SwizzleAlignment<Swizzle<b, m, s>, O>();
  using Inner = decltype(max_alignment(l.layout_b()));
  static_cast<void>(l);
  return StaticInt<detail::Gcd(kept, Inner::value)>{};
}
template <class A, class O, class B,
          std::enable_if_t<!detail::IsSwizzleFunction<A>::value, int> = 0>
HLO_CUTE_INLINE constexpr C<1> max_alignment(ComposedLayout<A, O, B> const&) {
  return {};
}

/// What lies adjacent and in the same order in both. Behind one swizzle and no offset that is what
/// the layouts say, and elsewhere at most what the swizzles leave together.
template <int b, int m, int s, class O, class B, class S, class D>
HLO_CUTE_INLINE constexpr auto max_common_layout(ComposedLayout<Swizzle<b, m, s>, O, B> const& l,
                                                 Layout<S, D> const& other) {
  const auto common = max_common_layout(l.layout_b(), other);
  constexpr int64_t kept = detail::SwizzleAlignment<Swizzle<b, m, s>, O>();
  return composition(common, Layout<StaticInt<detail::Gcd(kept, size_v<decltype(common)>)>>{});
}
template <int b, int m, int s, class O, class B, class S, class D>
HLO_CUTE_INLINE constexpr auto max_common_layout(Layout<S, D> const& other,
                                                 ComposedLayout<Swizzle<b, m, s>, O, B> const& l) {
  return max_common_layout(l, other);
}
template <int b, int m, int s, class O, class B, int b2, int m2, int s2, class O2, class B2>
HLO_CUTE_INLINE constexpr auto max_common_layout(
    ComposedLayout<Swizzle<b, m, s>, O, B> const& x,
    ComposedLayout<Swizzle<b2, m2, s2>, O2, B2> const& y) {
  constexpr bool same = std::is_same<Swizzle<b, m, s>, Swizzle<b2, m2, s2>>::value &&
                        is_constant<0, O>::value && is_constant<0, O2>::value;
  const auto common = max_common_layout(x.layout_b(), y.layout_b());
  if constexpr (same) {
    return common;
  } else {
    constexpr int64_t kept = detail::Gcd(detail::SwizzleAlignment<Swizzle<b, m, s>, O>(),
                                         detail::SwizzleAlignment<Swizzle<b2, m2, s2>, O2>());
    return composition(common, Layout<StaticInt<detail::Gcd(kept, size_v<decltype(common)>)>>{});
  }
}
template <class A, class O, class B, class L>
HLO_CUTE_INLINE constexpr auto max_common_vector(ComposedLayout<A, O, B> const& l, L const& other) {
  return size(max_common_layout(l, other));
}
template <class S, class D, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto max_common_vector(Layout<S, D> const& other,
                                                 ComposedLayout<A, O, B> const& l) {
  return size(max_common_layout(l, other));
}

/// The offset of a coordinate.
template <class Coordinate, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto crd2idx(Coordinate const& coord, ComposedLayout<A, O, B> const& l) {
  return l(coord);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_ALGEBRA_H_
