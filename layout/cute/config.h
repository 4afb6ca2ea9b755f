#ifndef HLO_INDEXING_LAYOUT_CUTE_CONFIG_H_
#define HLO_INDEXING_LAYOUT_CUTE_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

// What depends on the compiler: host and device, inlining, and the two kinds of checks.
//
//   HLO_INDEXING_CUTE_DEBUG   1: bounds, aliasing and overflow are checked where elements are
//                             accessed and sizes computed; 0: none of that is compiled.
//                             Default: 1 without NDEBUG, but 0 with nvcc, for checks in device code
//                             cost registers and a stack.
//   HLO_INDEXING_CUTE_DEVICE_CHECKS
//                             1: device code checks whether layouts exist that depend on run-time
//                             values. Default: HLO_INDEXING_CUTE_DEBUG.
//   HLO_INDEXING_CUTE_FAIL(message)
//                             What a failed check does. Default: prints the message, then abort()
//                             on the host, a trap on the device. A test may define it to throw.
//
// A layout that does not exist is a compile error if everything is static. If it depends on
// run-time values it is a check that stays in every build of host code, for a wrong layout is never
// an answer; in device code, where checks cost registers and instructions, it is one if asked for.

// Offsets are computed in 32 bits where everything is static and they are seen to fit. Those of
// dynamic layouts have 64 bits on the host. In device code integers of 32 bits are multiplied and
// added as such, as in CuTe: a tensor of more than 2^31 elements has int64_t extents or strides
// there, or the program defines the following. In global memory an unsigned coordinate has an
// unsigned offset then, unless a stride is static and negative: a dynamic stride that may be
// negative is an int64_t.
//
//   HLO_INDEXING_CUTE_WIDE_OFFSETS   1: offsets and sizes have 64 bits in device code too. The
//                                    default is 0, and 1 where checks are on.

#if defined(__CUDACC__)
#define HLO_CUTE_HD __host__ __device__
#define HLO_CUTE_INLINE __host__ __device__ __forceinline__
#define HLO_CUTE_LEAF __host__ __device__ __forceinline__
// A constant that code on both sides may take by reference.
#define HLO_CUTE_CONSTANT static const __device__
#else
#define HLO_CUTE_HD
#define HLO_CUTE_INLINE inline
// Functions that are shorter than a call of them: without optimization these would be most of the
// code.
#define HLO_CUTE_LEAF inline __attribute__((always_inline))
#define HLO_CUTE_CONSTANT inline constexpr
#endif

#ifndef HLO_INDEXING_CUTE_DEBUG
#if defined(NDEBUG) || defined(__CUDACC__)
#define HLO_INDEXING_CUTE_DEBUG 0
#else
#define HLO_INDEXING_CUTE_DEBUG 1
#endif
#endif

#ifndef HLO_INDEXING_CUTE_DEVICE_CHECKS
#define HLO_INDEXING_CUTE_DEVICE_CHECKS HLO_INDEXING_CUTE_DEBUG
#endif
#ifndef HLO_INDEXING_CUTE_WIDE_OFFSETS
#define HLO_INDEXING_CUTE_WIDE_OFFSETS HLO_INDEXING_CUTE_DEBUG
#endif
#if defined(__CUDA_ARCH__) && !HLO_INDEXING_CUTE_WIDE_OFFSETS
#define HLO_CUTE_NARROW 1
#else
#define HLO_CUTE_NARROW 0
#endif

// Debug builds have another inline namespace: their views carry bounds, and linking the two kinds
// together must not mix them.
#if HLO_INDEXING_CUTE_DEBUG
#define HLO_CUTE_KIND checked
#else
#define HLO_CUTE_KIND unchecked
#endif

// The namespace is hlo_indexing::layout::cute, or cute itself if namespace_cute.h says so; each is
// a name for the other then.
#ifdef HLO_INDEXING_CUTE_IS_NAMESPACE_CUTE
#define HLO_CUTE_BEGIN_NAMESPACE \
  namespace cute {               \
  inline namespace HLO_CUTE_KIND {
#define HLO_CUTE_END_NAMESPACE \
  }                            \
  }
HLO_CUTE_BEGIN_NAMESPACE
HLO_CUTE_END_NAMESPACE
namespace hlo_indexing {
namespace layout {
namespace cute = ::cute;
}
namespace cute = ::cute;
}  // namespace hlo_indexing
#else
#define HLO_CUTE_BEGIN_NAMESPACE \
  namespace hlo_indexing {       \
  namespace layout {             \
  namespace cute {               \
  inline namespace HLO_CUTE_KIND {
#define HLO_CUTE_END_NAMESPACE \
  }                            \
  }                            \
  }                            \
  }
HLO_CUTE_BEGIN_NAMESPACE
HLO_CUTE_END_NAMESPACE
namespace hlo_indexing {
namespace cute = layout::cute;
}
#endif

HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// std::decay_t of what is neither an array nor a function: one class instead of eight.
template <class T>
struct PlainType {
  using type = T;
};
template <class T>
struct PlainType<T const> {
  using type = T;
};
template <class T>
struct PlainType<T&> {
  using type = T;
};
template <class T>
struct PlainType<T const&> {
  using type = T;
};
template <class T>
struct PlainType<T&&> {
  using type = T;
};
template <class T>
struct PlainType<T const&&> {
  using type = T;
};
template <class T>
using Plain = typename PlainType<T>::type;

HLO_CUTE_HD inline void Fail(const char* message) {
#ifdef __CUDA_ARCH__
  printf("layout/cute: %s\n", message);
  __trap();
#else
  std::fprintf(stderr, "layout/cute: %s\n", message);
  std::abort();
#endif
}

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#ifndef HLO_INDEXING_CUTE_FAIL
#define HLO_INDEXING_CUTE_FAIL(message) ::hlo_indexing::layout::cute::detail::Fail(message)
#endif

#if defined(__CUDA_ARCH__) && !HLO_INDEXING_CUTE_DEVICE_CHECKS
#define HLO_CUTE_CHECKS 0
#define HLO_CUTE_CHECK(condition, message) static_cast<void>(0)
#else
#define HLO_CUTE_CHECKS 1
#define HLO_CUTE_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : static_cast<void>(HLO_INDEXING_CUTE_FAIL(message)))
#endif

#if HLO_INDEXING_CUTE_DEBUG
#define HLO_CUTE_DEBUG_CHECK(condition, message) HLO_CUTE_CHECK(condition, message)
#else
#define HLO_CUTE_DEBUG_CHECK(condition, message) static_cast<void>(0)
#endif

// return (expression), evaluated in its type alone if that has no state. Code that need not exist
// is most of what a template library costs to compile.
#define HLO_CUTE_RETURN(...)                                                                \
  using HloCuteResult = ::hlo_indexing::layout::cute::detail::Plain<decltype(__VA_ARGS__)>; \
  if constexpr (__is_empty(HloCuteResult)) {                                                \
    return HloCuteResult{};                                                                 \
  } else {                                                                                  \
    return __VA_ARGS__;                                                                     \
  }                                                                                         \
  static_assert(true, "")

// Names that kernels written for CuTe use.
#ifndef CUTE_HOST_DEVICE
#define CUTE_HOST_DEVICE HLO_CUTE_INLINE
#if defined(__CUDACC__)
#define CUTE_DEVICE __device__ __forceinline__
#define CUTE_HOST __host__ inline
#else
#define CUTE_DEVICE inline
#define CUTE_HOST inline
#endif
#endif
#ifndef CUTE_STATIC_ASSERT
#define CUTE_STATIC_ASSERT static_assert
#define CUTE_STATIC_ASSERT_V(x, ...) static_assert(decltype(x)::value, ##__VA_ARGS__)
#endif
#ifndef CUTE_UNROLL
#if defined(__CUDA_ARCH__)
#define CUTE_UNROLL _Pragma("unroll")
#define CUTE_NO_UNROLL _Pragma("unroll 1")
#else
#define CUTE_UNROLL
#define CUTE_NO_UNROLL
#endif
#endif
#ifndef CUTE_GCC_UNREACHABLE
#define CUTE_GCC_UNREACHABLE __builtin_unreachable()
#endif
#ifndef CUTE_STL_NAMESPACE
#define CUTE_STL_NAMESPACE std
#endif
#ifndef CUTE_INLINE_CONSTANT
#define CUTE_INLINE_CONSTANT HLO_CUTE_CONSTANT
#endif
#ifndef CUTE_STATIC_V
#define CUTE_STATIC_V(x) decltype(x)::value
#endif
#ifndef CUTE_INVALID_CONTROL_PATH
#define CUTE_INVALID_CONTROL_PATH(message) HLO_INDEXING_CUTE_FAIL(message)
#endif
#ifndef CUTE_GRID_CONSTANT
#if defined(__CUDACC__)
#define CUTE_GRID_CONSTANT __grid_constant__
#else
#define CUTE_GRID_CONSTANT
#endif
#endif
// Ends the program, with the place, if a call of the CUDA runtime fails, or one before this.
#if defined(__CUDACC__) && !defined(CUTE_CHECK_ERROR)
#define CUTE_CHECK_ERROR(call)                                                                 \
  do {                                                                                         \
    const cudaError_t cute_error = (call);                                                     \
    if (cute_error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(cute_error)); \
      std::exit(EXIT_FAILURE);                                                                 \
    }                                                                                          \
  } while (0)
#define CUTE_CHECK_LAST()                      \
  do {                                         \
    CUTE_CHECK_ERROR(cudaPeekAtLastError());   \
    CUTE_CHECK_ERROR(cudaDeviceSynchronize()); \
  } while (0)
#endif
#ifndef CUTE_ALIGNAS
#define CUTE_ALIGNAS(n) alignas(n)
#endif

#endif  // HLO_INDEXING_LAYOUT_CUTE_CONFIG_H_
