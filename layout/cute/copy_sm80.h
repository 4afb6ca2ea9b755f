#ifndef HLO_INDEXING_LAYOUT_CUTE_COPY_SM80_H_
#define HLO_INDEXING_LAYOUT_CUTE_COPY_SM80_H_

#include "layout/cute/copy_atom.h"

// Instructions that copy, of the architectures up to sm_90 and without tensor maps: cp.async
// (global to shared memory), ldmatrix (shared memory to registers, by a warp) and stmatrix (the way
// back).
//
//   copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{}, gmem_part, smem_part);
//   cp_async_fence();      // what was issued so far is a group
//   cp_async_wait<0>();    // until all groups but the last 0 have arrived
//
// On the host cp.async copies at once; ldmatrix and stmatrix need a warp.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

HLO_CUTE_INLINE uint32_t SharedAddress(void const* pointer) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
#else
  static_cast<void>(pointer);
  return 0;
#endif
}

enum class Cached { kAlways, kGlobal };

// `bytes` of them are zero if the predicate is false.
template <Cached cached, class S, class D>
HLO_CUTE_INLINE void AsyncCopy(S const* from, D* to, bool predicate) {
  static_assert(sizeof(S) == sizeof(D), "cp.async: source and destination differ in size.");
  static_assert(
      sizeof(S) == 16 || (cached == Cached::kAlways && (sizeof(S) == 4 || sizeof(S) == 8)),
      "cp.async copies 4, 8 or 16 bytes, and 16 if only the global cache keeps them.");
#ifdef __CUDA_ARCH__
  const uint32_t address = SharedAddress(to);
  const int read = predicate ? static_cast<int>(sizeof(S)) : 0;
  if constexpr (cached == Cached::kAlways) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                 "n"(sizeof(S)), "r"(read));
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                 "n"(sizeof(S)), "r"(read));
  }
#else
  if (predicate) {
    __builtin_memcpy(to, from, sizeof(S));
  } else {
    __builtin_memset(to, 0, sizeof(S));
  }
#endif
}
template <Cached cached, class S, class D>
HLO_CUTE_INLINE void AsyncCopy(S const* from, D* to) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(S) == sizeof(D), "cp.async: source and destination differ in size.");
  const uint32_t address = SharedAddress(to);
  if constexpr (cached == Cached::kAlways) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from),
                 "n"(sizeof(S)));
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from),
                 "n"(sizeof(S)));
  }
#else
  AsyncCopy<cached>(from, to, true);
#endif
}

template <Cached cached, class S, class D>
struct AsyncCopyOp {
  using SRegisters = S[1];
  using DRegisters = D[1];
  static constexpr bool writes_shared_memory = true;
  HLO_CUTE_INLINE static void copy(S const& src, D& dst) { AsyncCopy<cached>(&src, &dst); }
};

// The bits of the b16 matrices of 8x8 that a warp moves: in shared memory thread 8 * i + r has row
// r of matrix i, 128 bits; in registers each thread has two neighbours of a row, or, transposed, of
// a column.
template <int matrices>
struct MatrixRows {
  using type = Layout<Shape<Shape<C<8 * matrices>, C<4 / matrices>>, C<128>>,
                      Stride<Stride<C<128>, C<0>>, C<1>>>;
};
template <int matrices>
using PairsOfRows =
    Layout<Shape<C<32>, Shape<C<32>, C<matrices>>>, Stride<C<32>, Stride<C<1>, C<1024>>>>;
template <int matrices>
using PairsOfColumns = Layout<Shape<Shape<C<4>, C<8>>, Shape<C<16>, C<2>, C<matrices>>>,
                              Stride<Stride<C<256>, C<16>>, Stride<C<1>, C<128>, C<1024>>>>;
template <class Src, class Dst, class Ref>
struct WarpCopy {
  using ThrID = Layout<C<32>>;
  using SrcLayout = Src;
  using DstLayout = Dst;
  using RefLayout = Ref;
};

}  // namespace detail

/// cp.async: cached everywhere, or by the global cache alone (16 bytes).
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEALWAYS : detail::AsyncCopyOp<detail::Cached::kAlways, S, D> {};
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEGLOBAL : detail::AsyncCopyOp<detail::Cached::kGlobal, S, D> {};
/// The same with a predicate, atom.with(bool): zeros are written where it is false.
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEALWAYS_ZFILL : detail::AsyncCopyOp<detail::Cached::kAlways, S, D> {
  static constexpr detail::Cached cached = detail::Cached::kAlways;
};
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEGLOBAL_ZFILL : detail::AsyncCopyOp<detail::Cached::kGlobal, S, D> {
  static constexpr detail::Cached cached = detail::Cached::kGlobal;
};
template <class S, class D>
struct Copy_Traits<SM80_CP_ASYNC_CACHEALWAYS<S, D>>
    : detail::OneThreadCopy<SM80_CP_ASYNC_CACHEALWAYS<S, D>, sizeof_bits_v<S>> {};
template <class S, class D>
struct Copy_Traits<SM80_CP_ASYNC_CACHEGLOBAL<S, D>>
    : detail::OneThreadCopy<SM80_CP_ASYNC_CACHEGLOBAL<S, D>, sizeof_bits_v<S>> {};

namespace detail {

template <class Op, class S, class D>
struct ZeroFillTraits : OneThreadCopy<Op, sizeof_bits_v<S>> {
  static constexpr bool is_unpacker = true;
  bool reads = true;
  HLO_CUTE_INLINE constexpr Copy_Traits<Op> with(bool value) const {
    Copy_Traits<Op> traits;
    traits.reads = value;
    return traits;
  }
  template <class Src, class Dst>
  HLO_CUTE_INLINE void Unpack(Src const& src, Dst&& dst) const {
    auto from = Registers<S, 1>(src);
    auto to = Registers<D, 1>(dst);
    AsyncCopy<Op::cached>(&from(C<0>{}), &to(C<0>{}), reads);
  }
};

}  // namespace detail
template <class S, class D>
struct Copy_Traits<SM80_CP_ASYNC_CACHEALWAYS_ZFILL<S, D>>
    : detail::ZeroFillTraits<SM80_CP_ASYNC_CACHEALWAYS_ZFILL<S, D>, S, D> {};
template <class S, class D>
struct Copy_Traits<SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<S, D>>
    : detail::ZeroFillTraits<SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<S, D>, S, D> {};

/// The asynchronous copies so far become a group; waits until all groups but the last n have
/// arrived.
HLO_CUTE_INLINE void cp_async_fence() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int n>
HLO_CUTE_INLINE void cp_async_wait() {
#ifdef __CUDA_ARCH__
  if constexpr (n == 0) {
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
  }
#endif
}
template <int n>
HLO_CUTE_INLINE void cp_async_wait(C<n>) {
  cp_async_wait<n>();
}

#define HLO_CUTE_LDMATRIX_1(trans)                                                              \
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint128_t const& src,                       \
                                   [[maybe_unused]] uint32_t& d0) {                             \
    HLO_CUTE_DEVICE_ASM("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];" : "=r"( \
        d0) : "r"(detail::SharedAddress(&src)) : "memory");                                     \
  }
#define HLO_CUTE_LDMATRIX_2(trans)                                                                 \
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint128_t const& src,                          \
                                   [[maybe_unused]] uint32_t& d0, [[maybe_unused]] uint32_t& d1) { \
    HLO_CUTE_DEVICE_ASM("ldmatrix.sync.aligned.m8n8.x2" trans                                      \
                        ".shared.b16 {%0, %1}, [%2];" : "=r"(d0),                                  \
                        "=r"(d1) : "r"(detail::SharedAddress(&src)) : "memory");                   \
  }
#define HLO_CUTE_LDMATRIX_4(trans)                                                                 \
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint128_t const& src,                          \
                                   [[maybe_unused]] uint32_t& d0, [[maybe_unused]] uint32_t& d1,   \
                                   [[maybe_unused]] uint32_t& d2, [[maybe_unused]] uint32_t& d3) { \
    HLO_CUTE_DEVICE_ASM(                                                                           \
        "ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d0),    \
        "=r"(d1), "=r"(d2), "=r"(d3) : "r"(detail::SharedAddress(&src)) : "memory");               \
  }
#define HLO_CUTE_STMATRIX_1(trans)                                                         \
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint32_t const& s0,                    \
                                   [[maybe_unused]] uint128_t& dst) {                      \
    HLO_CUTE_DEVICE_ASM("stmatrix.sync.aligned.x1" trans                                   \
                        ".m8n8.shared.b16 [%0], {%1};" ::"r"(detail::SharedAddress(&dst)), \
                        "r"(s0) : "memory");                                               \
  }
#define HLO_CUTE_STMATRIX_2(trans)                                                             \
  HLO_CUTE_INLINE static void copy([[maybe_unused]] uint32_t const& s0,                        \
                                   [[maybe_unused]] uint32_t const& s1,                        \
                                   [[maybe_unused]] uint128_t& dst) {                          \
    HLO_CUTE_DEVICE_ASM("stmatrix.sync.aligned.x2" trans                                       \
                        ".m8n8.shared.b16 [%0], {%1, %2};" ::"r"(detail::SharedAddress(&dst)), \
                        "r"(s0), "r"(s1) : "memory");                                          \
  }
#define HLO_CUTE_STMATRIX_4(trans)                                                     \
  HLO_CUTE_INLINE static void copy(                                                    \
      [[maybe_unused]] uint32_t const& s0, [[maybe_unused]] uint32_t const& s1,        \
      [[maybe_unused]] uint32_t const& s2, [[maybe_unused]] uint32_t const& s3,        \
      [[maybe_unused]] uint128_t& dst) {                                               \
    HLO_CUTE_DEVICE_ASM(                                                               \
        "stmatrix.sync.aligned.x4" trans                                               \
        ".m8n8.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(detail::SharedAddress(&dst)), \
        "r"(s0), "r"(s1), "r"(s2), "r"(s3) : "memory");                                \
  }
// name, matrices, instruction, registers, the layout of registers
#define HLO_CUTE_LDMATRIX(name, matrices, trans, RegisterLayout)      \
  struct name {                                                       \
    using SRegisters = uint128_t[1];                                  \
    using DRegisters = uint32_t[matrices];                            \
    static constexpr bool reads_shared_memory = true;                 \
    HLO_CUTE_LDMATRIX_##matrices(trans)                               \
  };                                                                  \
  template <>                                                         \
  struct Copy_Traits<name>                                            \
      : detail::WarpCopy<typename detail::MatrixRows<matrices>::type, \
                         detail::RegisterLayout<matrices>, detail::RegisterLayout<matrices>> {};
#define HLO_CUTE_STMATRIX(name, matrices, trans, RegisterLayout)                           \
  struct name {                                                                            \
    using SRegisters = uint32_t[matrices];                                                 \
    using DRegisters = uint128_t[1];                                                       \
    static constexpr bool writes_shared_memory = true;                                     \
    HLO_CUTE_STMATRIX_##matrices(trans)                                                    \
  };                                                                                       \
  template <>                                                                              \
  struct Copy_Traits<name> : detail::WarpCopy<detail::RegisterLayout<matrices>,            \
                                              typename detail::MatrixRows<matrices>::type, \
                                              detail::RegisterLayout<matrices>> {};
/// One, two or four matrices of 8x8 elements of 16 bits, from shared memory; _T transposes.
HLO_CUTE_LDMATRIX(SM75_U32x1_LDSM_N, 1, "", PairsOfRows)
HLO_CUTE_LDMATRIX(SM75_U32x2_LDSM_N, 2, "", PairsOfRows)
HLO_CUTE_LDMATRIX(SM75_U32x4_LDSM_N, 4, "", PairsOfRows)
HLO_CUTE_LDMATRIX(SM75_U16x2_LDSM_T, 1, ".trans", PairsOfColumns)
HLO_CUTE_LDMATRIX(SM75_U16x4_LDSM_T, 2, ".trans", PairsOfColumns)
HLO_CUTE_LDMATRIX(SM75_U16x8_LDSM_T, 4, ".trans", PairsOfColumns)
/// The same to shared memory.
HLO_CUTE_STMATRIX(SM90_U32x1_STSM_N, 1, "", PairsOfRows)
HLO_CUTE_STMATRIX(SM90_U32x2_STSM_N, 2, "", PairsOfRows)
HLO_CUTE_STMATRIX(SM90_U32x4_STSM_N, 4, "", PairsOfRows)
HLO_CUTE_STMATRIX(SM90_U16x2_STSM_T, 1, ".trans", PairsOfColumns)
HLO_CUTE_STMATRIX(SM90_U16x4_STSM_T, 2, ".trans", PairsOfColumns)
HLO_CUTE_STMATRIX(SM90_U16x8_STSM_T, 4, ".trans", PairsOfColumns)
#undef HLO_CUTE_LDMATRIX
#undef HLO_CUTE_STMATRIX
#undef HLO_CUTE_LDMATRIX_1
#undef HLO_CUTE_LDMATRIX_2
#undef HLO_CUTE_LDMATRIX_4
#undef HLO_CUTE_STMATRIX_1
#undef HLO_CUTE_STMATRIX_2
#undef HLO_CUTE_STMATRIX_4

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COPY_SM80_H_
