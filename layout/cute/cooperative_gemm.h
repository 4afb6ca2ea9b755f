#ifndef HLO_INDEXING_LAYOUT_CUTE_COOPERATIVE_GEMM_H_
#define HLO_INDEXING_LAYOUT_CUTE_COOPERATIVE_GEMM_H_

#include "layout/cute/evenly_divides.h"
#include "layout/cute/functional.h"
#include "layout/cute/tiled_mma.h"

// A matrix product of tensors in shared memory by the threads of a tiled product:
//
//   cooperative_gemm(threadIdx.x, mma, 2.0F, sA, sB, 0.0F, sC);   // C = 2 * A * B
//   cooperative_gemm(threadIdx.x, mma, sA, sB, tCrC);             // registers += A * B
//
// A is (M,K), B (N,K) and C (M,N). Elements may be changed by functions when they are loaded and
// stored, and operations to copy with may be named. Tiles need not divide the matrices: what lies
// outside of them is neither read nor written.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <int I, int J, class Mma, class T>
HLO_CUTE_INLINE constexpr auto TilesDivide(Mma const& mma, T const& tensor) {
  return evenly_divides(shape(tensor), make_tile(tile_size<I>(mma), tile_size<J>(mma)));
}

// The operand of one thread, loaded by k-blocks into registers of the product's type.
template <class Fragment, class Source, class Staged, class Copy, class Transform>
struct WholeOperand {
  Fragment& fragment;
  Source source;  // (V,M,K) of the copy
  Staged& staged;
  Copy copy_op;
  Transform const& transform_op;
  HLO_CUTE_INLINE void Load(int k) {
    auto view = copy_op.retile_D(staged);
    copy(copy_op, source(_, _, k), view(_, _, k));
    auto from = staged(_, _, k);
    transform(from, fragment(_, _, k), [&](auto const& x) {
      return static_cast<typename Fragment::value_type>(transform_op(x));
    });
  }
};
template <class Fragment, class Source, class Places, class Extent, class Transform>
struct GuardedOperand {
  Fragment& fragment;
  Source source;  // (V,M,K) of the product
  Places places;  // the coordinates of its elements
  Extent extent;
  Transform const& transform_op;
  HLO_CUTE_INLINE void Load(int k) {
    using Value = typename Fragment::value_type;
    auto to = fragment(_, _, k);
    const auto from = source(_, _, k);
    const auto at = places(_, _, k);
    CUTE_UNROLL
    for (int i = 0; i < static_cast<int>(size_v<decltype(to.layout())>); ++i) {
      to(i) = elem_less(at(i), extent) ? static_cast<Value>(transform_op(from(i))) : Value{};
    }
  }
};

// f(operand), with registers for all of it. Partition gives a thread's part of a matrix, Fragment
// registers for it.
template <class Tile, class T, class MakeFragment, class Partition, class TiledCopy_,
          class Transform, class F>
HLO_CUTE_INLINE void WithOperand(uint32_t thread, Tile divides, T const& tensor,
                                 MakeFragment const& make_fragment, Partition const& partition,
                                 TiledCopy_ const& tiled_copy, Transform const& transform_op,
                                 F&& f) {
  auto fragment = make_fragment(tensor);
  if constexpr (is_constant<1, Tile>::value) {
    static_cast<void>(divides);
    auto staged = make_fragment_like<typename T::value_type>(fragment);
    auto thread_copy = tiled_copy.get_thread_slice(thread);
    auto source = thread_copy.partition_S(tensor);
    WholeOperand<decltype(fragment), decltype(source), decltype(staged), decltype(thread_copy),
                 Transform>
        operand{fragment, source, staged, thread_copy, transform_op};
    f(operand);
  } else {
    auto source = partition(tensor);
    auto places = partition(make_identity_tensor(shape(tensor)));
    const auto extent = shape(tensor);
    GuardedOperand<decltype(fragment), decltype(source), decltype(places),
                   std::decay_t<decltype(extent)>, Transform>
        operand{fragment, source, places, extent, transform_op};
    f(operand);
  }
}

template <class Mma, class OperandA, class OperandB, class TC>
HLO_CUTE_INLINE void MultiplyOperands(Mma const& mma, OperandA& a, OperandB& b, TC& accumulators) {
  constexpr int blocks = static_cast<int>(decltype(size<2>(a.fragment))::value);
  static_assert(blocks == static_cast<int>(decltype(size<2>(b.fragment))::value),
                "cooperative_gemm: A and B have different extents of K.");
  a.Load(0);
  b.Load(0);
  CUTE_UNROLL
  for (int k = 0; k < blocks; ++k) {
    if (k + 1 < blocks) {
      a.Load(k + 1);
      b.Load(k + 1);
    }
    gemm(mma, a.fragment(_, _, k), b.fragment(_, _, k), accumulators);
  }
}

// What store_c takes: of tiles that divide C, values of the product's type.
template <bool whole, class Compute, class T>
HLO_CUTE_INLINE constexpr auto ComputeValue(T const& x) {
  if constexpr (whole) {
    return static_cast<Compute>(x);
  } else {
    return x;
  }
}

}  // namespace detail

/// registers += A * B, where the registers are those of the thread's partition of C.
template <class Atom, class L, class P, class TA, class TB, class TC, class LoadA = identity,
          class LoadB = identity, class CopyA = DefaultCopy, class CopyB = DefaultCopy,
          std::enable_if_t<detail::is_tensor_v<TA> && detail::is_tensor_v<TB>, int> = 0>
HLO_CUTE_HD void cooperative_gemm(uint32_t thread, TiledMMA<Atom, L, P> const& mma, TA const& sA,
                                  TB const& sB, TC&& tCrC, LoadA const& load_a = {},
                                  LoadB const& load_b = {}, CopyA const& = {}, CopyB const& = {}) {
  static_assert(TA::rank == 2 && TB::rank == 2, "cooperative_gemm: A and B must have rank 2.");
  const auto thread_mma = mma.get_slice(thread);
  const auto copy_a = make_tiled_copy_A(Copy_Atom<CopyA, typename TA::value_type>{}, mma);
  const auto copy_b = make_tiled_copy_B(Copy_Atom<CopyB, typename TB::value_type>{}, mma);
  detail::WithOperand(
      thread, detail::TilesDivide<0, 2>(mma, sA), sA,
      [&](auto const& t) { return thread_mma.partition_fragment_A(t); },
      [&](auto const& t) { return thread_mma.partition_A(t); }, copy_a, load_a,
      [&](auto& a) {
        detail::WithOperand(
            thread, detail::TilesDivide<1, 2>(mma, sB), sB,
            [&](auto const& t) { return thread_mma.partition_fragment_B(t); },
            [&](auto const& t) { return thread_mma.partition_B(t); }, copy_b, load_b,
            [&](auto& b) { detail::MultiplyOperands(mma, a, b, tCrC); });
      });
}

/// C = store_c(alpha * A * B + beta * load_c(C)); C is not read if beta is 0.
template <class Atom, class L, class P, class Alpha, class TA, class TB, class Beta, class TC,
          class LoadA = identity, class LoadB = identity, class LoadC = identity,
          class StoreC = identity, class CopyA = DefaultCopy, class CopyB = DefaultCopy,
          class LoadCopyC = DefaultCopy, class StoreCopyC = DefaultCopy,
          std::enable_if_t<!detail::is_tensor_v<Alpha> && detail::is_tensor_v<TA>, int> = 0>
HLO_CUTE_HD void cooperative_gemm(uint32_t thread, TiledMMA<Atom, L, P> const& mma,
                                  Alpha const& alpha, TA const& sA, TB const& sB, Beta const& beta,
                                  TC&& sC, LoadA const& load_a = {}, LoadB const& load_b = {},
                                  LoadC const& load_c = {}, StoreC const& store_c = {},
                                  CopyA const& copy_a = {}, CopyB const& copy_b = {},
                                  LoadCopyC const& = {}, StoreCopyC const& = {}) {
  static_assert(std::decay_t<TC>::rank == 2, "cooperative_gemm: C must have rank 2.");
  using Value = typename std::decay_t<TC>::value_type;
  const auto thread_mma = mma.get_slice(thread);
  auto tCsC = thread_mma.partition_C(sC);
  auto accumulators = thread_mma.make_fragment_C(tCsC);
  clear(accumulators);
  cooperative_gemm(thread, mma, sA, sB, accumulators, load_a, load_b, copy_a, copy_b);
  const auto places = thread_mma.partition_C(make_identity_tensor(shape(sC)));
  const bool overwrite = detail::IsZero(beta);
  const auto extent = shape(sC);
  using Divides = decltype(detail::TilesDivide<0, 1>(mma, sC));
  constexpr bool whole = is_constant<1, Divides>::value;
  // The arithmetic is that of the product's C, and store_c has its result before it is rounded to
  // an element.
  using Compute = typename decltype(accumulators)::value_type;
  CUTE_UNROLL
  for (int i = 0; i < static_cast<int>(size_v<decltype(accumulators.layout())>); ++i) {
    if (whole || elem_less(places(i), extent)) {
      const auto product = alpha * accumulators(i);
      if (overwrite) {
        tCsC(i) = static_cast<Value>(store_c(detail::ComputeValue<whole, Compute>(product)));
      } else {
        const auto sum = product + beta * static_cast<Compute>(load_c(static_cast<Value>(tCsC(i))));
        tCsC(i) = static_cast<Value>(store_c(detail::ComputeValue<whole, Compute>(sum)));
      }
    }
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COOPERATIVE_GEMM_H_
