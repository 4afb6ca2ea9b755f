#ifndef HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_SLICE_H_
#define HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_SLICE_H_

#include "layout/cute/swizzle.h"

// Slices of swizzled layouts, which become plain layouts if they can, and swizzles as matrices
// over two elements.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// The static value of the offset of a coordinate, and the bits that its dynamic parts may set;
// known is false if other offsets are possible.
struct OffsetBits {
  int64_t value;
  int64_t flags;
  bool known;
};

template <class Coordinate, class S, class D>
HLO_CUTE_HD constexpr void AddOffsetBits(OffsetBits& bits, TypeTag<Coordinate>, TypeTag<S>,
                                         TypeTag<D>);
template <class Coordinate, class... Ss, class... Ds>
HLO_CUTE_HD constexpr void AddOffsetBits(OffsetBits& bits, TypeTag<Coordinate>,
                                         TypeTag<tuple<Ss...>>, TypeTag<tuple<Ds...>>);
template <class... Cs, class... Ss, class... Ds>
HLO_CUTE_HD constexpr void AddOffsetBits(OffsetBits& bits, TypeTag<tuple<Cs...>>,
                                         TypeTag<tuple<Ss...>>, TypeTag<tuple<Ds...>>) {
  (AddOffsetBits(bits, TypeTag<Cs>{}, TypeTag<Ss>{}, TypeTag<Ds>{}), ...);
}
// A dynamic index into several modes may have any coordinate in each.
template <class Coordinate, class... Ss, class... Ds>
HLO_CUTE_HD constexpr void AddOffsetBits(OffsetBits& bits, TypeTag<Coordinate>,
                                         TypeTag<tuple<Ss...>>, TypeTag<tuple<Ds...>>) {
  if constexpr (is_constant_integer<Coordinate>::value) {
    using Value = decltype(crd2idx(Coordinate{}, tuple<Ss...>{}, tuple<Ds...>{}));
    bits.known = bits.known && IntegerTraits<Value>::is_static;
    bits.value += IntegerTraits<Value>::value;
  } else {
    (AddOffsetBits(bits, TypeTag<Coordinate>{}, TypeTag<Ss>{}, TypeTag<Ds>{}), ...);
  }
}
template <class Coordinate, class S, class D>
HLO_CUTE_HD constexpr void AddOffsetBits(OffsetBits& bits, TypeTag<Coordinate>, TypeTag<S>,
                                         TypeTag<D>) {
  constexpr bool static_mode = IntegerTraits<S>::is_static && IntegerTraits<D>::is_static;
  constexpr int64_t extent = IntegerTraits<S>::value;
  constexpr int64_t step = IntegerTraits<D>::value;
  if constexpr (IntegerTraits<Coordinate>::is_static && IntegerTraits<D>::is_static) {
    bits.value += IntegerTraits<Coordinate>::value * step;
  } else if constexpr (static_mode && extent > 0 && step >= 0 && (extent & (extent - 1)) == 0 &&
                       (step & (step - 1)) == 0) {
    // Modes that share bits could carry.
    bits.known = bits.known && (bits.flags & ((extent - 1) * step)) == 0;
    bits.flags |= (extent - 1) * step;
  } else {
    bits.known = false;
  }
}

// The bits of the offset of a slice: those of the layout's own offset and of the coordinate.
template <class T>
struct BitsOfOffset {
  HLO_CUTE_HD static constexpr OffsetBits Get() {
    return {IntegerTraits<T>::value, 0, IntegerTraits<T>::is_static};
  }
};
template <int64_t s, int64_t f>
struct BitsOfOffset<MixedBits<s, f>> {
  HLO_CUTE_HD static constexpr OffsetBits Get() { return {s, f, true}; }
};
template <class O, class Coordinate, class S, class D>
HLO_CUTE_HD constexpr OffsetBits SliceOffsetBits() {
  OffsetBits bits = BitsOfOffset<O>::Get();
  AddOffsetBits(bits, TypeTag<Coordinate>{}, TypeTag<S>{}, TypeTag<D>{});
  bits.known = bits.known && bits.value >= 0 && (bits.value & bits.flags) == 0;
  return bits;
}

// Bits of an offset that coordinates set, taken from the coordinates themselves: (x & 24) << 2
// instead of (offset & 96), which the compiler would find only where it sees how large each
// coordinate is.
constexpr int64_t kAllBits = -1;
HLO_CUTE_HD constexpr int Log2(int64_t x) { return LowestBit(static_cast<uint64_t>(x)); }
template <int shift, class T>
HLO_CUTE_LEAF constexpr auto ShiftedRight(T const& x) {
  if constexpr (shift >= 0) {
    return static_cast<T>(x >> shift);
  } else {
    return static_cast<T>(x << -shift);
  }
}
template <int64_t mask, int shift, class T>
HLO_CUTE_LEAF constexpr auto MaskedBits(T const& x) {
  if constexpr (mask == 0) {
    return C<0>{};
  } else {
    return ShiftedRight<shift>(static_cast<int>(x) & static_cast<int>(mask));
  }
}
template <class A, class B>
HLO_CUTE_LEAF constexpr auto EitherBits(A const& a, B const& b) {
  if constexpr (is_constant<0, A>::value) {
    return b;
  } else if constexpr (is_constant<0, B>::value) {
    return a;
  } else {
    return a | b;
  }
}
// The bits `mask` of the offset, moved to the right by `shift`, which may be negative; with
// kAllBits those beyond an extent too, as the offset has them, but for an index into several modes.
// Extents and strides of dynamic coordinates are powers of 2, and static coordinates count as 0.
// The coordinate of a mode is what is given, whole, or begins at bit `at` of it.
template <int64_t mask, int shift, int at = 0, bool whole = true, int I = 0, class Coordinate,
          class S, class D>
HLO_CUTE_LEAF constexpr auto CoordinateBits(Coordinate const& c, S const& s, D const& d) {
  if constexpr (is_static_v<Coordinate>) {
    return C<0>{};
  } else if constexpr (!is_tuple_v<S>) {
    if constexpr (IntegerTraits<D>::value == 0) {
      return C<0>{};
    } else {
      constexpr int to = Log2(IntegerTraits<D>::value);
      if constexpr (mask == kAllBits && whole) {
        return ShiftedRight<shift - to>(static_cast<int>(c));
      } else {
        constexpr int64_t extent = IntegerTraits<S>::value;
        return MaskedBits<((mask >> to & (extent - 1)) << at), shift + at - to>(c);
      }
    }
  } else if constexpr (I == tuple_size_v<S>) {
    return C<0>{};
  } else if constexpr (is_tuple_v<Coordinate>) {
    return EitherBits(CoordinateBits<mask, shift>(get<I>(c), get<I>(s), get<I>(d)),
                      CoordinateBits<mask, shift, 0, true, I + 1>(c, s, d));
  } else {
    constexpr int bits = Log2(StaticProduct<tuple_element_t<I, S>>::value);
    return EitherBits(CoordinateBits<mask, shift, at, false>(c, get<I>(s), get<I>(d)),
                      CoordinateBits<mask, shift, at + bits, false, I + 1>(c, s, d));
  }
}

// The bits of the layout's own offset.
template <int64_t mask, int shift, class Own>
HLO_CUTE_LEAF constexpr auto OwnBits(Own const&) {
  return C<0>{};  // static ones are known
}
template <int64_t mask, int shift, int64_t s, int64_t f>
HLO_CUTE_LEAF constexpr auto OwnBits(MixedBits<s, f> const& own) {
  return MaskedBits<mask & f, shift>(own.dynamic_bits);
}

template <class T>
HLO_CUTE_LEAF constexpr T PlainOffset(T const& offset) {
  return offset;
}
template <int64_t s, int64_t f>
HLO_CUTE_LEAF constexpr auto PlainOffset(MixedBits<s, f> const& offset) {
  return static_cast<typename MixedBits<s, f>::Plain>(offset);
}
template <class A, class B>
HLO_CUTE_LEAF constexpr auto Xor(A const& a, B const& b) {
  if constexpr (IntegerTraits<A>::is_static && IntegerTraits<B>::is_static) {
    return StaticInt<(IntegerTraits<A>::value ^ IntegerTraits<B>::value)>{};
  } else if constexpr (IntegerTraits<A>::is_static) {
    return Xor(b, a);
  } else {
    return static_cast<typename IntegerTraits<A>::Dynamic>(a ^ static_cast<A>(b));
  }
}

// Whether a static shape has a mode of another extent than a power of two, as stages often have.
template <class S>
struct HasOddMode : C<false> {};
template <auto n>
struct HasOddMode<C<n>> : C<((n & (n - 1)) != 0)> {};
template <class... S>
struct HasOddMode<tuple<S...>> : C<(HasOddMode<S>::value || ...)> {};

// The swizzled offset of a slice that keeps modes of the shape KS. What is added up the optimizer
// follows from one iteration of a loop to the next, and what is xor-ed it does not: where a loop
// goes through stages, the bits that the swizzle does not change are added. Elsewhere that is
// longer.
template <class Sw, class KS, class Sliced>
HLO_CUTE_LEAF constexpr auto SwizzledOffset(Sliced const& sliced) {
  const auto moved = sliced.template Bits<Sw::source_mask, Sw::num_shft>();
  if constexpr (HasOddMode<KS>::value &&
                (Sliced::bits.flags & ~(Sw::source_mask | Sw::target_mask)) != 0) {
    return sliced.template Bits<(kAllBits & ~Sw::target_mask)>() +
           Xor(sliced.template Bits<Sw::target_mask>(), moved);
  } else {
    return Xor(sliced.template Bits<kAllBits>(), moved);
  }
}

// The offset of a slice, an integer, with its bits one by one where they are known.
template <class Value, class Own, class Coordinate, class L>
struct SlicedOffset {
  using S = detail::Plain<decltype(std::declval<L const&>().shape())>;
  using D = detail::Plain<decltype(std::declval<L const&>().stride())>;
  static constexpr OffsetBits bits = SliceOffsetBits<Own, Coordinate, S, D>();
  Value value;
  Own const& own;
  Coordinate const& coord;
  L const& layout;

  // Those of the bits `mask`, moved to the right by `shift`, which may be negative.
  template <int64_t mask, int shift = 0>
  HLO_CUTE_LEAF constexpr auto Bits() const {
    if constexpr (IntegerTraits<Value>::is_static) {
      return StaticInt<ShiftedRight<shift>(IntegerTraits<Value>::value & mask)>{};
    } else if constexpr (bits.known && (bits.value | bits.flags) <= INT32_MAX) {
      using Known = StaticInt<ShiftedRight<shift>(bits.value & mask)>;
      const auto dynamic = CoordinateBits<mask, shift>(coord, layout.shape(), layout.stride());
      return EitherBits(Known{}, EitherBits(OwnBits<mask, shift>(own), dynamic));
    } else {
      return ShiftedRight<shift>(static_cast<Value>(value & static_cast<Value>(mask)));
    }
  }
};

// The bits that the modes of a static layout set, or -1 if its values are not sums of numbers with
// distinct bits. Modes that reach bits of `special` must set each of theirs by itself; others, such
// as one of three stages, may have any extent.
template <int64_t special, class S, class D>
HLO_CUTE_HD constexpr int64_t ImageBits() {
  Program<kMaxTreeNodes> program{};
  ModeTree<kMaxTreeNodes> tree{};
  EncodeMode(tree, program, TypeTag<S>{}, TypeTag<D>{});
  if (program.count > 0) return -1;
  int64_t image = 0;
  for (int i = 0; i < tree.count; ++i) {
    if (tree.arity[i] != 0) continue;
    const int64_t extent = tree.mode[i].shape.value;
    const int64_t step = tree.mode[i].stride.value;
    if (extent <= 0 || step < 0 || extent > INT32_MAX || step > INT32_MAX ||
        tree.mode[i].path != 0) {
      return -1;
    }
    const int64_t largest = (extent - 1) * step;
    int64_t bits = 0;
    if (largest > 0) {
      int64_t end = 1;
      while (end <= largest) end *= 2;
      bits = (end - 1) & ~((step & -step) - 1);
    }
    const bool by_bits = (extent & (extent - 1)) == 0 && (step & (step - 1)) == 0;
    if ((image & bits) != 0 || (!by_bits && (bits & special) != 0)) return -1;
    image |= bits;
  }
  return image;
}

// The stride that bit `bit` of the layout's values gets behind a swizzle, of an offset with the
// other bits: the bit itself, and the change of the bit that it is xor-ed with.
template <class Sw, int64_t bit, class Offset>
HLO_CUTE_LEAF constexpr auto SwizzledStride(Offset const& offset) {
  if constexpr ((bit & (Sw::source_mask | Sw::target_mask)) == 0) {
    return StaticInt<bit>{};
  } else {
    // One bit of the offset says whether the bit that is xor-ed is set or cleared.
    constexpr bool is_target = (bit & Sw::target_mask) != 0;
    constexpr int64_t other = is_target ? Sw::MovedBack(bit) : Sw::Moved(bit);
    constexpr int64_t base = is_target ? 0 : bit;
    constexpr int64_t change = is_target ? bit : other;
    const auto is_set = offset.template Bits<other>();
    using IsSet = detail::Plain<decltype(is_set)>;
    if constexpr (is_constant_integer<IsSet>::value) {
      return StaticInt<(IntegerTraits<IsSet>::value == 0 ? base + change : base - change)>{};
    } else {
      return is_set == 0 ? static_cast<IsSet>(base + change) : static_cast<IsSet>(base - change);
    }
  }
}

// A mode before others; static ones that continue each other are one.
template <class Mode, class... Modes>
HLO_CUTE_INLINE constexpr auto PrependMode(Mode const& mode, tuple<Modes...> const& modes) {
  if constexpr (is_static_v<Mode> && sizeof...(Modes) > 0) {
    using Next = tuple_element_t<0, tuple<Modes...>>;
    if constexpr (is_static_v<Next>) {
      constexpr int64_t extent = size_v<Mode>;
      constexpr int64_t step = IntegerTraits<decltype(stride(Mode{}))>::value;
      if constexpr (IntegerTraits<decltype(stride(Next{}))>::value == extent * step) {
        return tuple_cat(
            make_tuple(make_layout(StaticInt<extent * size_v<Next>>{}, StaticInt<step>{})),
            take<1, static_cast<int>(sizeof...(Modes))>(modes));
      } else {
        return tuple_cat(make_tuple(mode), modes);
      }
    } else {
      return tuple_cat(make_tuple(mode), modes);
    }
  } else {
    return tuple_cat(make_tuple(mode), modes);
  }
}

template <class Sw, int64_t step, int64_t extent, class Offset>
HLO_CUTE_INLINE constexpr auto SwizzledBits(Offset const& offset) {
  constexpr int64_t special = Sw::source_mask | Sw::target_mask;
  if constexpr (extent == 1) {
    return tuple<>{};
  } else if constexpr ((step & special) != 0) {
    return PrependMode(make_layout(C<2>{}, SwizzledStride<Sw, step>(offset)),
                       SwizzledBits<Sw, step * 2, extent / 2>(offset));
  } else {
    // Bits that the swizzle leaves alone stay one mode.
    constexpr int64_t rest = special & ~(step - 1);
    constexpr int64_t run =
        rest == 0 ? extent : ((rest & -rest) / step < extent ? (rest & -rest) / step : extent);
    return PrependMode(make_layout(StaticInt<run>{}, StaticInt<step>{}),
                       SwizzledBits<Sw, step * run, extent / run>(offset));
  }
}
template <class Sw, class S, class D, class Offset>
HLO_CUTE_INLINE constexpr auto SwizzledModes(S const& s, D const& d, Offset const& offset) {
  if constexpr (is_tuple_v<S>) {
    return apply(
        transform(s, d,
                  [&](auto const& x, auto const& y) { return SwizzledModes<Sw>(x, y, offset); }),
        [](auto const&... mode) { return make_layout(mode...); });
  } else if constexpr (is_constant<1, S>::value || is_constant<0, D>::value) {
    return make_layout(s, d);
  } else {
    const auto bits = SwizzledBits<Sw, IntegerTraits<D>::value, IntegerTraits<S>::value>(offset);
    if constexpr (tuple_size_v<decltype(bits)> == 1) {
      return get<0>(bits);
    } else {
      return apply(bits, [](auto const&... mode) { return make_layout(mode...); });
    }
  }
}

}  // namespace detail

/// The slice of a swizzled layout. If the modes that are kept do not reach both the bits that
/// the swizzle reads and those that it changes, this is a plain layout: strides change their signs
/// by the offset of the slice. What lies outside the swizzle's bits becomes part of the offset.
template <class Coordinate, int b, int m, int s, class O, class SB, class DB>
HLO_CUTE_INLINE constexpr auto slice_and_offset(
    Coordinate const& coord, ComposedLayout<Swizzle<b, m, s>, O, Layout<SB, DB>> const& l) {
  using Sw = Swizzle<b, m, s>;
  const auto kept = l.layout_b()(coord);
  using Kept = detail::Plain<decltype(kept)>;
  using KS = detail::Plain<decltype(kept.shape())>;
  using KD = detail::Plain<decltype(kept.stride())>;
  if constexpr (std::is_same<Kept, Layout<SB, DB>>::value) {
    return make_tuple(l, C<0>{});
  } else {
    const auto offset = detail::PlainOffset(
        l.offset() + crd2idx(coord, l.layout_b().shape(), l.layout_b().stride()));
    using Offset = detail::Plain<decltype(offset)>;
    using Sliced = detail::SlicedOffset<Offset, O, Coordinate, Layout<SB, DB>>;
    constexpr detail::OffsetBits bits = Sliced::bits;
    constexpr int64_t image = detail::ImageBits<Sw::source_mask | Sw::target_mask, KS, KD>();
    constexpr bool apart = bits.known && image >= 0 && (image & (bits.value | bits.flags)) == 0;
    constexpr bool one_side = (image & Sw::source_mask) == 0 || (image & Sw::target_mask) == 0;
    if constexpr (apart && one_side) {
      const Sliced sliced{offset, l.offset(), coord, l.layout_b()};
      return make_tuple(detail::SwizzledModes<Sw>(kept.shape(), kept.stride(), sliced),
                        detail::SwizzledOffset<Sw, KS>(sliced));
    } else if constexpr (apart && !is_constant_integer<Offset>::value) {
      constexpr int64_t inside = Sw::source_mask | Sw::target_mask;
      using Inside = MixedBits<(bits.value & inside), (bits.flags & inside)>;
      using Value = typename detail::IntegerTraits<Offset>::Dynamic;
      const Value value = static_cast<Value>(offset);
      using Plain = typename Inside::Plain;
      return make_tuple(
          make_composed_layout(Sw{}, Inside{static_cast<Plain>(value & bits.flags & inside)}, kept),
          static_cast<Value>(value & ~inside));
    } else {
      return make_tuple(make_composed_layout(Sw{}, offset, kept), C<0>{});
    }
  }
}
template <class Coordinate, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto slice_and_offset(Coordinate const& coord,
                                                ComposedLayout<A, O, B> const& l) {
  const auto offset = l.offset() + crd2idx(coord, l.layout_b().shape(), l.layout_b().stride());
  return make_tuple(make_composed_layout(l.layout_a(), offset, l.layout_b()(coord)), C<0>{});
}
template <class Coordinate, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto slice(Coordinate const& coord, ComposedLayout<A, O, B> const& l) {
  return get<0>(slice_and_offset(coord, l));
}
template <class Coordinate, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto domain_offset(Coordinate const& coord,
                                             ComposedLayout<A, O, B> const& l) {
  return make_tuple(
      make_composed_layout(l.layout_a(), l.offset() + l.layout_b()(coord), l.layout_b()), C<0>{});
}

/// The images of 1, 2, 4, ... if the function on its 2^count indices is linear over xor.
struct XorBases {
  bool linear;
  int count;
  int64_t basis[32];
};
template <class L>
HLO_CUTE_HD constexpr XorBases f2_bases(L const& l) {
  XorBases result{};
  const int64_t elements = static_cast<int64_t>(size(l));
  while (result.count < 31 && (int64_t{1} << result.count) < elements) {
    result.basis[result.count] =
        static_cast<int64_t>(l(static_cast<int>(int64_t{1} << result.count)));
    ++result.count;
  }
  result.linear = (int64_t{1} << result.count) == elements;
  for (int64_t i = 0; i < elements && result.linear; ++i) {
    int64_t expected = 0;
    for (int bit = 0; bit < result.count; ++bit) {
      if ((i >> bit & 1) != 0) expected ^= result.basis[bit];
    }
    result.linear = static_cast<int64_t>(l(static_cast<int>(i))) == expected;
  }
  return result;
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_SWIZZLE_SLICE_H_
