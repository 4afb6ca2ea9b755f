#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_REDUCE_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_REDUCE_H_

#include "layout/cute/algorithm.h"
#include "layout/cute/functional.h"

// Elements put together by a binary function.
//
//   reduce(t, 0.0F, plus{})                  // the sum of all elements
//   batch_reduce(t, rows, plus{})            // t (K,M), rows (M): rows(m) = rows(m) + sum of
//   t(_,m)
//   logical_reduce(t, rows, make_coord(1, _))   // the same: the modes with _ stay
HLO_CUTE_BEGIN_NAMESPACE

/// op(...op(op(init, t(0)), t(1))..., t(n - 1)), in the order of the indices.
template <class T, class Value, class Op = plus, std::enable_if_t<detail::is_tensor_v<T>, int> = 0>
HLO_CUTE_HD constexpr Value reduce(T const& t, Value const& init, Op const& op = {}) {
  using I = detail::IndexOf<T>;
  Value value = init;
  const I count = static_cast<I>(size(t));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) value = static_cast<Value>(op(value, t(i)));
  return value;
}

/// dst(i) = reduce(src(_,i), dst(i), op) for each index of the modes behind the first.
template <class Src, class Dst, class Op = plus,
          std::enable_if_t<detail::is_tensor_v<Src>, int> = 0>
HLO_CUTE_HD constexpr void batch_reduce(Src const& src, Dst&& dst, Op const& op = {}) {
  constexpr int r = Src::rank;
  static_assert(r > 1, "batch_reduce(src, dst, op): src needs a mode to reduce and others behind.");
  const auto columns = group_modes<1, r>(src);
  using I = detail::IndexOf<std::decay_t<Dst>>;
  const I count = static_cast<I>(size(dst));
  HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(size<1>(columns)) == static_cast<int64_t>(count),
                       "batch_reduce(src, dst, op): dst has another size than the modes of src "
                       "behind the first");
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) dst(i) = reduce(columns(_, i), dst(i), op);
}

namespace detail {
// The modes that a slice or a dice keeps as one mode: a layout that keeps none has one element.
template <class L>
HLO_CUTE_INLINE constexpr auto OneMode(L const& l) {
  if constexpr (L::rank == 0) {
    return Layout<C<1>, C<0>>{};
  } else {
    return l;
  }
}
}  // namespace detail

/// dst(i) = dst(i) op all elements of src whose coordinate agrees with i in the modes that `keep`
/// has as _; its integers stand for modes that are reduced, of any size.
/// Example: logical_reduce(src (M,(K0,K1)), dst (M,K0), make_coord(_, make_coord(_, 1)))
template <class Src, class Dst, class Keep, class Op = plus,
          std::enable_if_t<detail::is_tensor_v<Src>, int> = 0>
HLO_CUTE_HD constexpr void logical_reduce(Src const& src, Dst&& dst, Keep const& keep,
                                          Op const& op = {}) {
  const auto reduced = detail::OneMode(dice(keep, src.layout()));
  const auto kept = detail::OneMode(slice(keep, src.layout()));
  batch_reduce(detail::WithLayout(src, make_layout(reduced, kept)), dst, op);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_REDUCE_H_
