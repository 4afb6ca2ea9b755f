#ifndef HLO_INDEXING_LAYOUT_CUTE_WARP_MOVES_H_
#define HLO_INDEXING_LAYOUT_CUTE_WARP_MOVES_H_

#include "layout/cute/copy_sm80.h"

// Registers exchanged within a warp, loads and stores of matrices in plain registers, and
// prefetches.
HLO_CUTE_BEGIN_NAMESPACE

/// An 8x8 matrix of elements of 16 bits, transposed: thread 4 * i + j has two neighbours of row i.
/// Its traits name what a register holds by its place, not by its element, as CuTe's do.
struct SM75_U32x1_MOVM_T {
  using SRegisters = uint32_t[1];
  using DRegisters = uint32_t[1];
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint32_t const& src,
                                   [[maybe_unused]] uint32_t& dst) {
    HLO_CUTE_DEVICE_ASM("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(dst) : "r"(src));
  }
};
template <>
struct Copy_Traits<SM75_U32x1_MOVM_T>
    : detail::WarpCopy<detail::PairsOfRows<1>, detail::PairsOfRows<1>, detail::PairsOfRows<1>> {};

/// The address of shared memory that instructions take.
HLO_CUTE_INLINE uint32_t cast_smem_ptr_to_uint(void const* pointer) {
  return detail::SharedAddress(pointer);
}

/// ldmatrix into an object of 4, 8 or 16 bytes of each thread; the second one transposes.
template <class T>
HLO_CUTE_INLINE void copy_ldsm(uint128_t const* smem, T* registers) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "copy_ldsm(smem, registers): ldmatrix loads 4, 8 or 16 bytes.");
  auto* r = reinterpret_cast<uint32_t*>(registers);
  if constexpr (sizeof(T) == 4) {
    SM75_U32x1_LDSM_N::copy(*smem, r[0]);
  } else if constexpr (sizeof(T) == 8) {
    SM75_U32x2_LDSM_N::copy(*smem, r[0], r[1]);
  } else {
    SM75_U32x4_LDSM_N::copy(*smem, r[0], r[1], r[2], r[3]);
  }
}
template <class T>
HLO_CUTE_INLINE void copy_ldsm_trans(uint128_t const* smem, T* registers) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "copy_ldsm_trans(smem, registers): ldmatrix loads 4, 8 or 16 bytes.");
  auto* r = reinterpret_cast<uint32_t*>(registers);
  if constexpr (sizeof(T) == 4) {
    SM75_U16x2_LDSM_T::copy(*smem, r[0]);
  } else if constexpr (sizeof(T) == 8) {
    SM75_U16x4_LDSM_T::copy(*smem, r[0], r[1]);
  } else {
    SM75_U16x8_LDSM_T::copy(*smem, r[0], r[1], r[2], r[3]);
  }
}

/// stmatrix of an object of 4, 8 or 16 bytes of each thread; the second one transposes.
template <class T>
HLO_CUTE_INLINE void copy_stsm(T const* registers, uint128_t* smem) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "copy_stsm(registers, smem): stmatrix stores 4, 8 or 16 bytes.");
  auto const* r = reinterpret_cast<uint32_t const*>(registers);
  if constexpr (sizeof(T) == 4) {
    SM90_U32x1_STSM_N::copy(r[0], *smem);
  } else if constexpr (sizeof(T) == 8) {
    SM90_U32x2_STSM_N::copy(r[0], r[1], *smem);
  } else {
    SM90_U32x4_STSM_N::copy(r[0], r[1], r[2], r[3], *smem);
  }
}
template <class T>
HLO_CUTE_INLINE void copy_stsm_trans(T const* registers, uint128_t* smem) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "copy_stsm_trans(registers, smem): stmatrix stores 4, 8 or 16 bytes.");
  auto const* r = reinterpret_cast<uint32_t const*>(registers);
  if constexpr (sizeof(T) == 4) {
    SM90_U16x2_STSM_T::copy(r[0], *smem);
  } else if constexpr (sizeof(T) == 8) {
    SM90_U16x4_STSM_T::copy(r[0], r[1], *smem);
  } else {
    SM90_U16x8_STSM_T::copy(r[0], r[1], r[2], r[3], *smem);
  }
}

/// A line of global memory into the L2 cache.
HLO_CUTE_INLINE void prefetch([[maybe_unused]] void const* gmem) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(gmem) : "memory");
#endif
}
/// The elements of a tensor in global memory, `bytes` of adjacent ones at a time, by `threads`
/// threads.
template <uint32_t threads, uint32_t bytes = 64, class E, class L>
HLO_CUTE_HD void cooperative_prefetch(uint32_t thread, Tensor<E, L> const& t) {
  static_assert(is_gmem<typename E::iterator>::value,
                "cooperative_prefetch: the tensor is not in global memory.");
  constexpr int64_t adjacent = static_cast<int64_t>(decltype(max_common_vector(t, t))::value);
  constexpr int64_t wanted = bytes / sizeof(typename E::value_type);
  constexpr int64_t step = adjacent < 1 ? 1 : (wanted < 1 ? 1 : detail::Gcd(adjacent, wanted));
  const int64_t count = static_cast<int64_t>(size(t)) / step;
  for (int64_t i = thread; i < count; i += threads) prefetch(&t(i * step));
}
template <class E, class L>
HLO_CUTE_HD void prefetch(Tensor<E, L> const& t) {
  cooperative_prefetch<1>(0, t);
}

/// A policy: elements of 4, 8 or 16 bytes from global to shared memory by cp.async, others by a
/// plain copy.
struct AutoCopyAsync {};
template <class Src, class Dst>
HLO_CUTE_HD void copy(AutoCopyAsync const&, Src const& src, Dst&& dst) {
  using To = std::decay_t<Dst>;
  using Value = typename Src::value_type;
  constexpr bool moves_to_shared =
      is_gmem<typename Src::iterator>::value && is_smem<typename To::iterator>::value &&
      std::is_same<Value, typename To::value_type>::value && sizeof(Value) >= 4;
  if constexpr (moves_to_shared &&
                (sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16)) {
    const int count = static_cast<int>(size(dst));
    CUTE_UNROLL
    for (int i = 0; i < count; ++i) {
      using Word = uint_byte_t<sizeof(Value)>;
      SM80_CP_ASYNC_CACHEALWAYS<Word>::copy(*reinterpret_cast<Word const*>(&src(i)),
                                            *reinterpret_cast<Word*>(&dst(i)));
    }
  } else {
    copy(src, dst);
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_WARP_MOVES_H_
