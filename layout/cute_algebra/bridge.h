// From layouts of layout/cute/, whose shapes and strides are types, to values of CuteLayout: what a
// compiler needs to analyse a kernel's layouts. The only header that includes both sides.
//
//   auto layout = cute::make_layout(cute::make_shape(cute::_8{}, n), cute::LayoutRight{});
//   ToCuteLayout(layout)   // (_8,16):(16,_1) for n = 16
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_BRIDGE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_BRIDGE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "layout/cute/swizzle.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"

namespace hlo_indexing::layout {
namespace bridge_internal {

template <class T>
struct IsMultiple : std::false_type {};
template <int64_t divisor, class T>
struct IsMultiple<cute::Multiple<divisor, T>> : std::true_type {};

template <int64_t divisor, class T>
IntTuple FromMultiple(const cute::Multiple<divisor, T>& n) {
  return IntTuple::Dynamic(static_cast<int64_t>(n.value), divisor);
}

// Whether T is an integer or a tuple of such; strides that are coordinates, like _1@0, are not.
template <class T>
struct IsIntegers : cute::is_integral<T> {};
template <class... T>
struct IsIntegers<cute::tuple<T...>> : std::bool_constant<(IsIntegers<T>::value && ...)> {};

}  // namespace bridge_internal

/// An integer or a tuple of layout/cute/ as a value; static integers stay marked as static, and
/// what `assume` says of a dynamic one is kept.
/// Example: make_shape(_4{}, make_shape(2, _8{})) -> (_4,(2,_8))
template <class T>
IntTuple ToIntTuple(const T& tuple) {
  static_assert(bridge_internal::IsIntegers<T>::value,
                "ToIntTuple: this is neither an integer nor a tuple of integers.");
  if constexpr (!bridge_internal::IsIntegers<T>::value) {
    return {};
  } else if constexpr (cute::is_tuple<T>::value) {
    std::vector<IntTuple> members;
    members.reserve(cute::tuple_size_v<T>);
    cute::for_each(tuple, [&](const auto& member) { members.push_back(ToIntTuple(member)); });
    return IntTuple::Tuple(std::move(members));
  } else if constexpr (cute::is_constant_integer<T>::value) {
    return IntTuple::Static(static_cast<int64_t>(T::value));
  } else if constexpr (bridge_internal::IsMultiple<T>::value) {
    return bridge_internal::FromMultiple(tuple);
  } else {
    // The header computes offsets in int64_t too.
    return IntTuple::Dynamic(static_cast<int64_t>(tuple));
  }
}

/// A layout of layout/cute/, static or dynamic, as a value. An error if CuteLayout::Create gives
/// one, which of static layouts is a size or an offset that does not fit in 64 bits.
template <class S, class D>
absl::StatusOr<CuteLayout> ToCuteLayout(const cute::Layout<S, D>& layout) {
  static_assert(bridge_internal::IsIntegers<D>::value,
                "ToCuteLayout: the strides of this layout are coordinates; it maps to coordinates, "
                "not to offsets.");
  if constexpr (bridge_internal::IsIntegers<D>::value) {
    return CuteLayout::Create(ToIntTuple(layout.shape()), ToIntTuple(layout.stride()));
  } else {
    return absl::UnimplementedError("");  // does not compile, see above
  }
}

/// A composed layout has no strides, so that no CuteLayout is equal to it: does not compile.
template <class A, class Offset, class B>
absl::StatusOr<CuteLayout> ToCuteLayout(const cute::ComposedLayout<A, Offset, B>& layout) {
  static_assert(sizeof(layout) == 0,
                "ToCuteLayout: a composed layout (a swizzle behind a layout, say) has no strides, "
                "so that no CuteLayout equals it.");
  return absl::UnimplementedError("");
}

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_BRIDGE_H_
