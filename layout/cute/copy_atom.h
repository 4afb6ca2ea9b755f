#ifndef HLO_INDEXING_LAYOUT_CUTE_COPY_ATOM_H_
#define HLO_INDEXING_LAYOUT_CUTE_COPY_ATOM_H_

#include "layout/cute/copy.h"

// Copy_Atom: an instruction that copies, with the layouts of its threads and their values.
//
//   Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>   // eight halves, by one thread
//   Copy_Atom<SM75_U32x4_LDSM_N, half_t>                      // four 8x8 matrices, by a warp
//
// A Copy_Traits<Op> says which bits each thread reads and writes: SrcLayout and DstLayout map
// (thread, bit) to a bit of what the instruction moves, and RefLayout is the one in which tiles of
// threads and values are counted. Op::copy(sources..., destinations...) is the instruction, on the
// registers that Op::SRegisters and Op::DRegisters declare.
HLO_CUTE_BEGIN_NAMESPACE

template <class Op>
struct Copy_Traits;

// An instruction in PTX, on the device; it does not exist on the host.
#ifdef __CUDA_ARCH__
#define HLO_CUTE_DEVICE_ASM(...) asm volatile(__VA_ARGS__)
#else
#define HLO_CUTE_DEVICE_ASM(...) detail::NeedsDevice()
#endif

namespace detail {

HLO_CUTE_INLINE void NeedsDevice() {
#ifndef __CUDA_ARCH__
  HLO_INDEXING_CUTE_FAIL("an instruction of a warp runs on a device only");
#endif
}

// One thread copies `bits` bits.
template <class Op, int bits>
struct OneThreadCopy {
  using ThrID = Layout<C<1>>;
  using SrcLayout = Layout<Shape<C<1>, C<bits>>>;
  using DstLayout = SrcLayout;
  using RefLayout = SrcLayout;
};

}  // namespace detail

template <class S, class D>
struct Copy_Traits<UniversalCopy<S, D>>
    : detail::OneThreadCopy<UniversalCopy<S, D>, sizeof_bits_v<S>> {};
template <int max_bits>
struct Copy_Traits<AutoVectorizingCopyWithAssumedAlignment<max_bits>>
    : detail::OneThreadCopy<AutoVectorizingCopyWithAssumedAlignment<max_bits>, 0> {};

namespace detail {

// Whether the elements of a tensor are adjacent and in their order, so that the first one's address
// is that of all.
template <class L>
struct IsOneWord : C<false> {};
template <class S, class D>
struct IsOneWord<Layout<S, D>> {
  HLO_CUTE_HD static constexpr bool Get() {
    if constexpr (is_static_v<Layout<S, D>>) {
      using Coalesced = decltype(coalesce(Layout<S, D>{}));
      return size_v<S> == 1 || std::is_same<Coalesced, Layout<StaticInt<size_v<S>>, C<1>>>::value;
    } else {
      return false;
    }
  }
  static constexpr bool value = Get();
};
template <int b, int m, int s, class O, class B>
struct IsOneWord<ComposedLayout<Swizzle<b, m, s>, O, B>> {
  static constexpr bool value = IsOneWord<B>::value && (b == 0 || size_v<B> <= int64_t{1} << m);
};

template <class T>
constexpr bool is_one_word_v = IsOneWord<typename T::layout_type>::value &&
                               std::is_lvalue_reference<typename T::reference>::value;

// Register i of n of a tensor, as an element of type Register.
template <class Register, int n, class T>
HLO_CUTE_INLINE constexpr decltype(auto) Registers(T&& t) {
  using Tensor_ = std::decay_t<T>;
  using Value = typename Tensor_::value_type;
  if constexpr (std::is_same<Register, Value>::value) {
    return make_tensor(t.data(), t.layout());
  } else if constexpr (n == 1 && is_one_word_v<Tensor_>) {
    using Element = typename Tensor_::element_type;
    using Word = std::conditional_t<std::is_const<Element>::value, Register const, Register>;
    return make_tensor(reinterpret_cast<Word*>(&t(C<0>{})), Layout<C<1>>{});
  } else {
    return recast<Register>(t);
  }
}
template <class Op, class S, class D, int... I, int... J>
HLO_CUTE_INLINE void CallCopy(S const& src, D&& dst, seq<I...>, seq<J...>) {
  Op::copy(src(C<I>{})..., dst(C<J>{})...);
}

template <class Registers_>
constexpr int num_registers_v = static_cast<int>(std::extent<Registers_>::value);

// The instruction on tensors of as many elements as it has.
template <class Op, class Src, class Dst>
HLO_CUTE_INLINE void UnpackCopy(Src const& src, Dst&& dst) {
  using RS = typename Op::SRegisters;
  using RD = typename Op::DRegisters;
  constexpr int ns = num_registers_v<RS>;
  constexpr int nd = num_registers_v<RD>;
  auto from = Registers<std::remove_extent_t<RS>, ns>(src);
  auto to = Registers<std::remove_extent_t<RD>, nd>(dst);
  if constexpr (size_v<decltype(from.layout())> == ns && size_v<decltype(to.layout())> == nd) {
    CallCopy<Op>(from, to, make_seq<ns>{}, make_seq<nd>{});
  } else {
    ErrorAtomVector<HLO_CUTE_NAMED(typename Src::layout_type),
                    HLO_CUTE_NAMED(typename std::decay_t<Dst>::layout_type)>();
  }
}

template <class Traits, class = void>
struct HasUnpack : C<false> {};
template <class Traits>
struct HasUnpack<Traits, std::void_t<decltype(&Traits::is_unpacker)>> : C<true> {};

// A layout of bits as one of elements; none for an atom without a size of its own.
template <class T, class L>
HLO_CUTE_INLINE constexpr auto ElementsOfBits(L const& l) {
  if constexpr (size_v<L> == 0) {
    return Layout<Shape<C<1>, C<1>>, Stride<C<0>, C<0>>>{};
  } else {
    return upcast<sizeof_bits_v<T>>(l);
  }
}

}  // namespace detail

template <class Op, class T>
struct Copy_Atom : Copy_Traits<Op> {
  using Traits = Copy_Traits<Op>;
  using Operation = Op;
  using ValType = T;
  static constexpr bool is_copy_atom = true;
  using ThrID = typename Traits::ThrID;
  using ValLayoutSrc = decltype(detail::ElementsOfBits<T>(typename Traits::SrcLayout{}));
  using ValLayoutDst = decltype(detail::ElementsOfBits<T>(typename Traits::DstLayout{}));
  using ValLayoutRef = decltype(detail::ElementsOfBits<T>(typename Traits::RefLayout{}));
  static constexpr int NumValSrc = static_cast<int>(decltype(size<1>(ValLayoutSrc{}))::value);
  static constexpr int NumValDst = static_cast<int>(decltype(size<1>(ValLayoutDst{}))::value);

  Copy_Atom() = default;
  HLO_CUTE_INLINE constexpr Copy_Atom(Traits const& traits) : Traits(traits) {}

  /// The atom with what its instruction takes at run time, such as a predicate.
  template <class... Arguments>
  HLO_CUTE_INLINE constexpr auto with(Arguments const&... arguments) const {
    return WithTraits(static_cast<Traits const&>(*this).with(arguments...));
  }

  /// Whether the first modes have the sizes of the instruction, as far as they are not nested.
  template <class Src, class Dst>
  HLO_CUTE_HD static constexpr bool Fits() {
    using S0 = std::decay_t<decltype(shape<0>(std::declval<typename Src::layout_type const&>()))>;
    using D0 = std::decay_t<decltype(shape<0>(std::declval<typename Dst::layout_type const&>()))>;
    if constexpr (detail::is_tuple_v<S0> || detail::is_tuple_v<D0> ||
                  (detail::HasVectorBits<Op>::value && size_v<typename Traits::RefLayout> == 0)) {
      return true;
    } else if constexpr (is_static_v<S0> && is_static_v<D0>) {
      return S0::value == NumValSrc && D0::value == NumValDst;
    } else {
      return false;
    }
  }
  /// The instruction, on tensors (V) of its size; on more, for each further mode.
  template <class Src, class Dst>
  HLO_CUTE_INLINE void call(Src const& src, Dst&& dst) const {
    constexpr int sizes = static_cast<int>(size_v<typename Src::layout_type>);
    constexpr int sized = static_cast<int>(size_v<typename std::decay_t<Dst>::layout_type>);
    using S0 = std::decay_t<decltype(shape<0>(src))>;
    if constexpr (sizes == NumValSrc && sized == NumValDst) {
      Run(src, dst);
    } else if constexpr (detail::is_tuple_v<S0>) {
      Copy(tensor<0>(src), tensor<0>(dst));
    } else {
      detail::ErrorAtomVector<HLO_CUTE_NAMED(typename Src::layout_type),
                              HLO_CUTE_NAMED(typename std::decay_t<Dst>::layout_type)>();
    }
  }
  /// call(src(_,i), dst(_,i)) for each i of the modes behind the first, where predicate(i) is true.
  template <class Src, class Dst, class Predicate>
  HLO_CUTE_INLINE void CopyIf(Predicate const& predicate, Src const& src, Dst&& dst) const {
    if constexpr (Src::rank == 1) {
      if (predicate(C<0>{})) call(src, dst);
    } else {
      const auto from = group_modes<1, Src::rank>(src);
      auto to = group_modes<1, std::decay_t<Dst>::rank>(dst);
      const int count = static_cast<int>(size<1>(to));
      CUTE_UNROLL
      for (int i = 0; i < count; ++i) {
        // The addresses before the branch: the compiler adds to those of the last vector then.
        const auto vector = from(_, i);
        auto place = to(_, i);
        if (predicate(i)) call(vector, place);
      }
    }
  }
  template <class Src, class Dst>
  HLO_CUTE_INLINE void Copy(Src const& src, Dst&& dst) const {
    if constexpr (detail::HasVectorBits<Op>::value && size_v<typename Traits::RefLayout> == 0) {
      detail::CopyVectorized<Op::vector_bits, detail::AlignmentOf<Op>::value>(src, dst);
    } else {
      CopyIf([](auto const&) { return true_type{}; }, src, dst);
    }
  }

 private:
  template <class OtherOp>
  HLO_CUTE_INLINE static constexpr Copy_Atom<OtherOp, T> WithTraits(
      Copy_Traits<OtherOp> const& traits) {
    return {traits};
  }
  template <class Src, class Dst>
  HLO_CUTE_INLINE void Run(Src const& src, Dst&& dst) const {
    if constexpr (detail::HasUnpack<Traits>::value) {
      this->Unpack(src, dst);
    } else {
      detail::UnpackCopy<Op>(src, dst);
    }
  }
};

/// As copy(atom, src, dst), for those i of the modes behind the first with predicate(i).
template <class Op, class T, class Predicate, class Src, class Dst>
HLO_CUTE_HD void copy_if(Copy_Atom<Op, T> const& atom, Predicate const& predicate, Src const& src,
                         Dst&& dst) {
  atom.CopyIf(predicate, src, dst);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COPY_ATOM_H_
