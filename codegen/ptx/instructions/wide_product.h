// Products of integers and their halves, for mul and mad of all widths.
//
// Example: MultiplyHigh<uint32_t>(1u << 31, 6) is 3, `mul.hi.u32`.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WIDE_PRODUCT_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WIDE_PRODUCT_H_

#include <cstdint>
#include <type_traits>

#include "codegen/ptx/instructions/elementwise.h"

namespace hlo_indexing::ptx {
namespace internal {

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

template <typename T>
struct TwiceOf;
template <>
struct TwiceOf<uint16_t> {
  using Type = uint32_t;
};
template <>
struct TwiceOf<int16_t> {
  using Type = int32_t;
};
template <>
struct TwiceOf<uint32_t> {
  using Type = uint64_t;
};
template <>
struct TwiceOf<int32_t> {
  using Type = int64_t;
};
template <>
struct TwiceOf<uint64_t> {
  using Type = UnsignedInt128;
};
template <>
struct TwiceOf<int64_t> {
  using Type = Int128;
};

}  // namespace internal

/// The integer of twice the bits.
template <typename T>
using Twice = typename internal::TwiceOf<T>::Type;

template <typename T>
Twice<T> MultiplyWide(T a, T b) {
  return static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b);
}

template <typename T>
T MultiplyLow(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
}

template <typename T>
T MultiplyHigh(T a, T b) {
  return static_cast<T>(MultiplyWide(a, b) >> (8 * sizeof(T)));
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WIDE_PRODUCT_H_
