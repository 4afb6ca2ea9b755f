#ifndef HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_H_

#include "layout/cute/layout_tiling.h"

// Swizzles: functions on offsets that exchange bits, so that columns of a tile fall into different
// banks of shared memory.
HLO_CUTE_BEGIN_NAMESPACE

/// x -> x ^ ((x & source bits) >> shift): `bits` bits at base + max(0, shift) are added (xor) to
/// those |shift| below, or above for a negative shift. Prints as Sw<bits,base,shift>.
/// Example: Swizzle<3,0,3>{}(63) -> 56
template <int bits, int base, int shift = bits>
struct Swizzle {
  static_assert(bits >= 0 && base >= 0,
                "Swizzle<bits, base, shift>: bits and base must not be negative.");
  static_assert((shift < 0 ? -shift : shift) >= bits,
                "Swizzle<bits, base, shift>: |shift| must be at least bits.");
  static constexpr int num_bits = bits;
  static constexpr int num_base = base;
  static constexpr int num_shft = shift;
  static constexpr int64_t bit_mask = (int64_t{1} << bits) - 1;
  static constexpr int64_t source_mask = bit_mask << (base + (shift > 0 ? shift : 0));
  static constexpr int64_t target_mask = bit_mask << (base - (shift < 0 ? shift : 0));

  HLO_CUTE_INLINE static constexpr int64_t Moved(int64_t x) {
    if constexpr (shift >= 0) {
      return (x & source_mask) >> shift;
    } else {
      return (x & source_mask) << -shift;
    }
  }
  // The bit of the source that is moved to a bit of the target.
  HLO_CUTE_INLINE static constexpr int64_t MovedBack(int64_t bit) {
    if constexpr (shift >= 0) {
      return bit << shift;
    } else {
      return bit >> -shift;
    }
  }
  template <class Offset>
  HLO_CUTE_INLINE static constexpr auto apply(Offset const& x) {
    if constexpr (is_constant_integer<Offset>::value) {
      constexpr int64_t value = detail::IntegerTraits<Offset>::value;
      return StaticInt<(value ^ Moved(value))>{};
    } else {
      return static_cast<Offset>(x ^ static_cast<Offset>(Moved(x)));
    }
  }
  template <class Offset>
  HLO_CUTE_LEAF constexpr auto operator()(Offset const& x) const {
    return apply(x);
  }
};

template <class T>
struct is_swizzle : false_type {};
template <int b, int m, int s>
struct is_swizzle<Swizzle<b, m, s>> : true_type {};

template <int b, int m, int s, int c, int n, int t>
HLO_CUTE_INLINE constexpr auto operator==(Swizzle<b, m, s>, Swizzle<c, n, t>) {
  return bool_constant<b == c && m == n && s == t>{};
}

namespace detail {

HLO_CUTE_HD constexpr int CountBits(uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
HLO_CUTE_HD constexpr int LowestBit(uint64_t x) {
  int bit = 0;
  while (bit < 63 && (x >> bit & 1) == 0) ++bit;
  return x == 0 ? 0 : bit;
}

}  // namespace detail

/// The swizzle that adds the bits `source` to the bits `target`: make_swizzle<0b1000,0b0010>() ->
/// Swizzle<1,1,2>. Both are as many adjacent bits.
template <uint32_t source, uint32_t target>
HLO_CUTE_INLINE constexpr auto make_swizzle() {
  constexpr int bits = detail::CountBits(source);
  constexpr int from = detail::LowestBit(source);
  constexpr int to = detail::LowestBit(target);
  static_assert(bits == detail::CountBits(target),
                "make_swizzle<Y, Z>: Y and Z have different numbers of bits.");
  static_assert(
      source >> from == (uint32_t{1} << bits) - 1 && target >> to == (uint32_t{1} << bits) - 1,
      "make_swizzle<Y, Z>: the bits of Y and of Z must be adjacent.");
  if constexpr (bits == 0) {
    return Swizzle<0, 4, 3>{};
  } else {
    return Swizzle<bits, (from < to ? from : to), from - to>{};
  }
}

/// The composition of two swizzles of equal shift.
template <int b0, int m0, int s0, int b1, int m1, int s1>
HLO_CUTE_INLINE constexpr auto composition(Swizzle<b0, m0, s0> first, Swizzle<b1, m1, s1> second) {
  if constexpr (b0 == 0) {
    return second;
  } else if constexpr (b1 == 0) {
    return first;
  } else {
    static_assert(s0 == s1, "composition of swizzles: their shifts differ.");
    static_assert(
        (Swizzle<b0, m0, s0>::source_mask & Swizzle<b1, m1, s1>::target_mask) == 0,
        "composition of swizzles: the first reads bits that the second, done before it, changes.");
    constexpr uint64_t y = Swizzle<b0, m0, s0>::source_mask ^ Swizzle<b1, m1, s1>::source_mask;
    constexpr uint64_t z = Swizzle<b0, m0, s0>::target_mask ^ Swizzle<b1, m1, s1>::target_mask;
    return make_swizzle<static_cast<uint32_t>(y), static_cast<uint32_t>(z)>();
  }
}

/// An integer of which `static_bits` are known, and only bits of `flags` may be set besides. Prints
/// as M_s|(d&f)=value.
template <int64_t static_bits, int64_t flags>
struct MixedBits {
  using Plain =
      std::conditional_t<(static_bits >= 0 && flags >= 0 && (static_bits | flags) <= INT32_MAX),
                         int, int64_t>;
  Plain dynamic_bits = 0;
  HLO_CUTE_INLINE constexpr operator Plain() const {
    return static_cast<Plain>(static_bits | (dynamic_bits & flags));
  }
};
template <int64_t s, int64_t f, class B>
HLO_CUTE_INLINE constexpr auto operator+(MixedBits<s, f> const& a, B const& b) {
  if constexpr (is_constant<0, B>::value) {
    return a;
  } else {
    using Plain = typename MixedBits<s, f>::Plain;
    return detail::WideSum<detail::Width::kShort>(static_cast<Plain>(a), b);
  }
}

namespace detail {
// The rank of the shape of a layout; 0 of a function that has none.
template <class B, class = void>
struct RankOfDomain : C<0> {};
template <class B>
struct RankOfDomain<B, std::void_t<decltype(B::rank)>> : C<B::rank> {};
}  // namespace detail

/// A o (offset + B(c)): a function (often a swizzle) behind a layout. It has a shape but no
/// strides.
template <class A, class Offset, class B>
struct ComposedLayout : private detail::Slot<0, A>,
                        private detail::Slot<1, Offset>,
                        private detail::Slot<2, B> {
  static constexpr int rank = detail::RankOfDomain<B>::value;
  ComposedLayout() = default;
  HLO_CUTE_INLINE constexpr ComposedLayout(A const& a, Offset const& offset, B const& b)
      : detail::Slot<0, A>{a}, detail::Slot<1, Offset>{offset}, detail::Slot<2, B>{b} {}

  HLO_CUTE_INLINE constexpr decltype(auto) layout_a() const { return detail::Slot<0, A>::Get(); }
  HLO_CUTE_INLINE constexpr decltype(auto) offset() const { return detail::Slot<1, Offset>::Get(); }
  HLO_CUTE_INLINE constexpr decltype(auto) layout_b() const { return detail::Slot<2, B>::Get(); }
  HLO_CUTE_INLINE constexpr ComposedLayout const& layout() const { return *this; }
  template <int... I>
  HLO_CUTE_INLINE constexpr decltype(auto) shape() const {
    return layout_b().template shape<I...>();
  }

  template <class Coordinate>
  HLO_CUTE_LEAF constexpr auto operator()(Coordinate const& coord) const {
    if constexpr (detail::HasUnderscore<Coordinate>::value) {
      return slice(coord, *this);
    } else {
      return layout_a()(offset() + layout_b()(coord));
    }
  }
  template <class C0, class C1, class... Cs>
  HLO_CUTE_LEAF constexpr auto operator()(C0 const& c0, C1 const& c1, Cs const&... cs) const {
    return operator()(make_coord(c0, c1, cs...));
  }

  /// composition with a layout or tiler, and tiled_divide, behind the function.
  template <class... Tilers>
  HLO_CUTE_INLINE constexpr auto compose(Tilers const&... tilers) const {
    const auto b = layout_b().compose(tilers...);
    return ComposedLayout<A, Offset, std::decay_t<decltype(b)>>(layout_a(), offset(), b);
  }
  template <class... Extents>
  HLO_CUTE_INLINE constexpr auto with_shape(Extents const&... extents) const {
    const auto b = layout_b().with_shape(extents...);
    return ComposedLayout<A, Offset, std::decay_t<decltype(b)>>(layout_a(), offset(), b);
  }
  template <class... Tilers>
  HLO_CUTE_INLINE constexpr auto tile(Tilers const&... tilers) const {
    const auto b = layout_b().tile(tilers...);
    return ComposedLayout<A, Offset, std::decay_t<decltype(b)>>(layout_a(), offset(), b);
  }
};

template <class T>
struct is_composed_layout : false_type {};
template <class A, class O, class B>
struct is_composed_layout<ComposedLayout<A, O, B>> : true_type {};

template <class A, class Offset, class B>
HLO_CUTE_INLINE constexpr ComposedLayout<A, Offset, B> make_composed_layout(A const& a,
                                                                            Offset const& offset,
                                                                            B const& b) {
  return {a, offset, b};
}

template <int b, int m, int s, class S, class D>
HLO_CUTE_INLINE constexpr auto composition(Swizzle<b, m, s> swizzle, Layout<S, D> const& l) {
  return make_composed_layout(swizzle, C<0>{}, l);
}
template <class A, class O, class B, class Tiler>
HLO_CUTE_INLINE constexpr auto composition(ComposedLayout<A, O, B> const& l, Tiler const& tiler) {
  return make_composed_layout(l.layout_a(), l.offset(), composition(l.layout_b(), tiler));
}
template <class A, class Offset, class B>
HLO_CUTE_INLINE constexpr auto composition(A const& a, Offset const& offset, B const& b) {
  return make_composed_layout(a, offset, b);
}

template <class A, class O, class B, class A2, class O2, class B2>
HLO_CUTE_INLINE constexpr auto operator==(ComposedLayout<A, O, B> const& l,
                                          ComposedLayout<A2, O2, B2> const& m) {
  return detail::All(l.layout_a() == m.layout_a(), l.offset() == m.offset(),
                     l.layout_b() == m.layout_b());
}
template <class A, class O, class B, class T>
HLO_CUTE_INLINE constexpr auto compatible(T const& t, ComposedLayout<A, O, B> const& l) {
  return compatible(t, l.layout_b());
}
template <class A, class O, class B, class S, class D>
HLO_CUTE_INLINE constexpr auto compatible(ComposedLayout<A, O, B> const& l, Layout<S, D> const& m) {
  return compatible(l.layout_b(), m);
}
template <class A, class O, class B, class A2, class O2, class B2>
HLO_CUTE_INLINE constexpr auto compatible(ComposedLayout<A, O, B> const& l,
                                          ComposedLayout<A2, O2, B2> const& m) {
  return compatible(l.layout_b(), m.layout_b());
}

/// The swizzle of a layout, and the layout without it.
template <int b, int m, int s, class O, class B>
HLO_CUTE_INLINE constexpr Swizzle<b, m, s> get_swizzle_portion(
    ComposedLayout<Swizzle<b, m, s>, O, B> const&) {
  return {};
}
template <class S, class D>
HLO_CUTE_INLINE constexpr Swizzle<0, 4, 3> get_swizzle_portion(Layout<S, D> const&) {
  return {};
}
template <class A, class O, class B>
HLO_CUTE_INLINE constexpr B get_nonswizzle_portion(ComposedLayout<A, O, B> const& l) {
  return l.layout_b();
}
template <class S, class D>
HLO_CUTE_INLINE constexpr Layout<S, D> get_nonswizzle_portion(Layout<S, D> const& l) {
  return l;
}

#define HLO_CUTE_FORWARD_TO_B(name)                                                   \
  template <class A, class O, class B, class T>                                       \
  HLO_CUTE_INLINE constexpr auto name(ComposedLayout<A, O, B> const& l, T const& t) { \
    return make_composed_layout(l.layout_a(), l.offset(), name(l.layout_b(), t));     \
  }
HLO_CUTE_FORWARD_TO_B(logical_divide)
HLO_CUTE_FORWARD_TO_B(zipped_divide)
HLO_CUTE_FORWARD_TO_B(tiled_divide)
HLO_CUTE_FORWARD_TO_B(flat_divide)
HLO_CUTE_FORWARD_TO_B(logical_product)
HLO_CUTE_FORWARD_TO_B(tile_to_shape)
HLO_CUTE_FORWARD_TO_B(coalesce)
#undef HLO_CUTE_FORWARD_TO_B
template <class A, class O, class B, class T, class Order>
HLO_CUTE_INLINE constexpr auto tile_to_shape(ComposedLayout<A, O, B> const& l, T const& t,
                                             Order const& order) {
  return make_composed_layout(l.layout_a(), l.offset(), tile_to_shape(l.layout_b(), t, order));
}
template <int begin, int end, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto group_modes(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), group_modes<begin, end>(l.layout_b()));
}
template <int begin, int end, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto group(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), group<begin, end>(l.layout_b()));
}
template <int begin, int end, class A, class O, class B>
HLO_CUTE_LEAF constexpr auto take(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), take<begin, end>(l.layout_b()));
}
template <int... I, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto layout(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), layout<I...>(l.layout_b()));
}
template <int I, int... Is, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto get(ComposedLayout<A, O, B> const& l) {
  return layout<I, Is...>(l);
}
template <int... I, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto select(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), select<I...>(l.layout_b()));
}
template <int n, class A, class O, class B, class S = C<1>, class D = C<0>>
HLO_CUTE_INLINE constexpr auto append(ComposedLayout<A, O, B> const& l,
                                      Layout<S, D> const& x = {}) {
  return make_composed_layout(l.layout_a(), l.offset(), append<n>(l.layout_b(), x));
}
template <class A, class O, class B>
HLO_CUTE_INLINE constexpr auto coalesce(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), coalesce(l.layout_b()));
}
template <class A, class O, class B>
HLO_CUTE_INLINE constexpr auto flatten(ComposedLayout<A, O, B> const& l) {
  return make_composed_layout(l.layout_a(), l.offset(), flatten(l.layout_b()));
}
template <int... I, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto shape(ComposedLayout<A, O, B> const& l) {
  return shape<I...>(l.layout_b());
}
template <int... I, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto rank(ComposedLayout<A, O, B> const& l) {
  return rank<I...>(l.layout_b());
}
template <int... I, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto depth(ComposedLayout<A, O, B> const& l) {
  return depth<I...>(l.layout_b());
}
template <int... I, class A, class O, class B>
HLO_CUTE_LEAF constexpr auto size(ComposedLayout<A, O, B> const& l) {
  return size<I...>(l.layout_b());
}
/// How many elements an array needs: a swizzle permutes within blocks that end with the bits that
/// it changes, and leaves offsets alone that have none of the bits that it reads.
template <int b, int m, int s, class O, class B>
HLO_CUTE_INLINE constexpr auto cosize(ComposedLayout<Swizzle<b, m, s>, O, B> const& l) {
  const auto reach = l.offset() + cosize(l.layout_b());
  using Reach = std::decay_t<decltype(reach)>;
  constexpr int64_t first_read = int64_t{1} << (m + (s > 0 ? s : 0));
  constexpr int64_t block = int64_t{1} << (m + b + (s < 0 ? -s : 0));
  if constexpr (b == 0 || (is_constant_integer<Reach>::value &&
                           detail::IntegerTraits<Reach>::value <= first_read)) {
    return reach;
  } else {
    return round_up(reach, StaticInt<block>{});
  }
}
template <class SA, class DA, class O, class B>
HLO_CUTE_LEAF constexpr auto cosize(ComposedLayout<Layout<SA, DA>, O, B> const& l) {
  return C<1>{} + l.layout_a()(l.offset() + (cosize(l.layout_b()) - C<1>{}));
}
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_H_
