#ifndef HLO_INDEXING_LAYOUT_CUTE_MMA_ATOM_H_
#define HLO_INDEXING_LAYOUT_CUTE_MMA_ATOM_H_

#include "layout/cute/copy_atom.h"
#include "layout/cute/gemm.h"

// MMA_Atom: an instruction that multiplies small matrices, with the layouts of its threads.
//
//   MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>   // D (16,8) = A (16,16) * B (8,16) + C, by a warp
//   MMA_Atom<UniversalFMA<float>>            // one product, by one thread
//
// MMA_Traits<Op> has the types of the elements, Shape_MNK, ThrID, and for each matrix the layout
// from (thread, value) to an index of it, of A (M,K), B (N,K) and C (M,N). Op::fma(d..., a...,
// b..., c...) is the instruction, on the registers that Op::DRegisters and its like declare.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// The modes of more than one value, as one mode.
template <class... L>
HLO_CUTE_INLINE constexpr auto ModesOfValues(L const&... modes) {
  const auto kept = tuple_cat([](auto const& mode) {
    if constexpr (size_v<decltype(mode)> == 1) {
      return tuple<>{};
    } else {
      return make_tuple(mode);
    }
  }(modes)...);
  constexpr int count = tuple_size_v<decltype(kept)>;
  if constexpr (count == 0) {
    return Layout<C<1>, C<0>>{};
  } else if constexpr (count == 1) {
    return get<0>(kept);
  } else {
    return apply(kept, [](auto const&... mode) { return make_layout(mode...); });
  }
}

// The layouts of mma.sync. Four neighbouring threads share a row of A, a column of B and a row of
// C, which are 8 apart in matrices of 16 rows; a register of 32 bits has `per` neighbours along K,
// and one of C two along N.
template <int m, int n, int k, int per>
struct WarpMmaLayouts {
  template <int rows>
  HLO_CUTE_INLINE static constexpr auto Operand() {
    return make_layout(Layout<Shape<C<4>, C<8>>, Stride<C<rows * per>, C<1>>>{},
                       ModesOfValues(Layout<C<per>, C<rows>>{}, Layout<C<rows / 8>, C<8>>{},
                                     Layout<C<k / (4 * per)>, C<4 * per * rows>>{}));
  }
  HLO_CUTE_INLINE static constexpr auto Result() {
    return make_layout(Layout<Shape<C<4>, C<8>>, Stride<C<2 * m>, C<1>>>{},
                       ModesOfValues(Layout<C<2>, C<m>>{}, Layout<C<m / 8>, C<8>>{}));
  }
  using Shape_MNK = Shape<C<m>, C<n>, C<k>>;
  using ThrID = Layout<C<32>>;
  using ALayout = decltype(Operand<m>());
  using BLayout = decltype(Operand<n>());
  using CLayout = decltype(Result());
};

// An instruction mma.sync: its shape and the types of its elements.
template <int m, int n, int k, class D, class A, class B, class C_>
struct WarpMma {
  using ValTypeD = D;
  using ValTypeA = A;
  using ValTypeB = B;
  using ValTypeC = C_;
  static constexpr int per = sizeof_bits_v<A> > 32 ? 1 : 32 / sizeof_bits_v<A>;
  template <class Unused>
  using Layouts = WarpMmaLayouts<m, n, k, per>;
};

}  // namespace detail

template <class Op>
struct MMA_Traits : Op::template Layouts<Op> {
  using ValTypeD = typename Op::ValTypeD;
  using ValTypeA = typename Op::ValTypeA;
  using ValTypeB = typename Op::ValTypeB;
  using ValTypeC = typename Op::ValTypeC;
};
template <class D, class A, class B, class C_>
struct MMA_Traits<UniversalFMA<D, A, B, C_>> {
  using ValTypeD = D;
  using ValTypeA = A;
  using ValTypeB = B;
  using ValTypeC = C_;
  using Shape_MNK = Shape<C<1>, C<1>, C<1>>;
  using ThrID = Layout<C<1>>;
  using ALayout = Layout<Shape<C<1>, C<1>>>;
  using BLayout = ALayout;
  using CLayout = ALayout;
};

namespace detail {

template <class Op, class D, class A, class B, class CT, int... Ds, int... As, int... Bs, int... Cs>
HLO_CUTE_INLINE void CallMma(D&& d, A const& a, B const& b, CT const& c, seq<Ds...>, seq<As...>,
                             seq<Bs...>, seq<Cs...>) {
  Op::fma(d(C<Ds>{})..., a(C<As>{})..., b(C<Bs>{})..., c(C<Cs>{})...);
}
template <class Op, class D, class A, class B, class CT>
HLO_CUTE_INLINE void UnpackMma(D&& d, A const& a, B const& b, CT const& c) {
  constexpr int nd = num_registers_v<typename Op::DRegisters>;
  constexpr int na = num_registers_v<typename Op::ARegisters>;
  constexpr int nb = num_registers_v<typename Op::BRegisters>;
  constexpr int nc = num_registers_v<typename Op::CRegisters>;
  auto rd = Registers<std::remove_extent_t<typename Op::DRegisters>, nd>(d);
  const auto ra = Registers<std::remove_extent_t<typename Op::ARegisters>, na>(a);
  const auto rb = Registers<std::remove_extent_t<typename Op::BRegisters>, nb>(b);
  const auto rc = Registers<std::remove_extent_t<typename Op::CRegisters>, nc>(c);
  constexpr bool fits = size_v<decltype(rd.layout())> == nd &&
                        size_v<decltype(ra.layout())> == na &&
                        size_v<decltype(rb.layout())> == nb && size_v<decltype(rc.layout())> == nc;
  if constexpr (fits) {
    CallMma<Op>(rd, ra, rb, rc, make_seq<nd>{}, make_seq<na>{}, make_seq<nb>{}, make_seq<nc>{});
  } else {
    ErrorMmaVector<HLO_CUTE_NAMED(typename std::decay_t<D>::layout_type),
                   HLO_CUTE_NAMED(typename A::layout_type), HLO_CUTE_NAMED(typename B::layout_type),
                   HLO_CUTE_NAMED(typename CT::layout_type)>();
  }
}

}  // namespace detail

template <class Op>
struct MMA_Atom : MMA_Traits<Op> {
  using MMA_Op = Op;
  using Traits = MMA_Traits<Op>;
  using AtomShape_MNK = typename Traits::Shape_MNK;
  using AtomThrID = typename Traits::ThrID;
  using AtomLayoutA_TV = typename Traits::ALayout;
  using AtomLayoutB_TV = typename Traits::BLayout;
  using AtomLayoutC_TV = typename Traits::CLayout;
  using FrgTypeA = typename Traits::ValTypeA;
  using FrgTypeB = typename Traits::ValTypeB;
  using FrgTypeC = typename Traits::ValTypeC;

  /// The instruction on tensors (V), and for a rank without V on elements.
  template <class D, class A, class B, class CT>
  HLO_CUTE_INLINE static void Fma(D&& d, A const& a, B const& b, CT const& c) {
    if constexpr (detail::is_tensor_v<D>) {
      detail::UnpackMma<Op>(d, a, b, c);
    } else {
      Op::fma(d, a, b, c);
    }
  }
  template <class D, class A, class B, class CT>
  HLO_CUTE_INLINE static void call(D&& d, A const& a, B const& b, CT const& c) {
    Fma(d, a, b, c);
  }
  template <class A, class B, class CT>
  HLO_CUTE_INLINE static void call(A const& a, B const& b, CT&& c) {
    Fma(c, a, b, c);
  }

  /// Registers for a partition (V,M,N) of C, or like one of A or B.
  template <class T>
  HLO_CUTE_INLINE constexpr auto make_fragment_C(T&& tensor) const {
    return make_tensor<FrgTypeC>(shape(tensor));
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto make_fragment_A(T&& tensor) const {
    return make_fragment_like<FrgTypeA>(tensor);
  }
  template <class T>
  HLO_CUTE_INLINE constexpr auto make_fragment_B(T&& tensor) const {
    return make_fragment_like<FrgTypeB>(tensor);
  }
};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MMA_ATOM_H_
