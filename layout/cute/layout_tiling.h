#ifndef HLO_INDEXING_LAYOUT_CUTE_LAYOUT_TILING_H_
#define HLO_INDEXING_LAYOUT_CUTE_LAYOUT_TILING_H_

#include "layout/cute/evenly_divides.h"
#include "layout/cute/layout_algebra.h"

// Divides, which take a layout apart into tiles, and products, which put copies of it together.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <class Tiler>
constexpr bool is_tiler_v = is_tuple_v<Tiler> || IntegerTraits<Tiler>::is_integer;

template <Problem problem, class... Layouts>
HLO_CUTE_INLINE constexpr void ReportDivide() {
  static_assert(
      differ_v<problem, Problem::kNotInjective>,
      HLO_CUTE_SENTENCE(
          "divide(A, tiler): there is no such layout. The tiler maps two coordinates to one "
          "offset, or its strides do not divide each other."));
  static_assert(
      differ_v<problem, Problem::kStrideDoesNotDivide> &&
          differ_v<problem, Problem::kShapeDoesNotDivide> &&
          differ_v<problem, Problem::kModesCarry>,
      HLO_CUTE_SENTENCE(
          "divide(A, tiler): there is no such layout. The tiles do not fit the modes of A."));
  if constexpr (problem == Problem::kDynamicStride || problem == Problem::kTooLarge ||
                problem == Problem::kEmpty) {
    ReportComplement<problem, Layouts...>();
  } else if constexpr (problem == Problem::kNegativeStride ||
                       problem == Problem::kCoordinateStride) {
    ReportComposition<problem, Layouts...>();
  }
}
template <Problem problem, class... Layouts>
HLO_CUTE_INLINE constexpr void ReportProduct() {
  static_assert(
      differ_v<problem, Problem::kNotInjective>,
      HLO_CUTE_SENTENCE(
          "product(A, B): there is no such layout. A mode of A begins inside of what its smaller "
          "strides reach, so copies would overlap."));
  static_assert(differ_v<problem, Problem::kStrideDoesNotDivide> &&
                    differ_v<problem, Problem::kShapeDoesNotDivide> &&
                    differ_v<problem, Problem::kModesCarry>,
                HLO_CUTE_SENTENCE(
                    "product(A, B): there is no such layout. B does not fit what A leaves free."));
  if constexpr (problem == Problem::kDynamicStride || problem == Problem::kTooLarge ||
                problem == Problem::kEmpty) {
    ReportComplement<problem, Layouts...>();
  } else if constexpr (problem == Problem::kNegativeStride ||
                       problem == Problem::kCoordinateStride) {
    ReportComposition<problem, Layouts...>();
  }
}

// A divided mode of which `_` kept everything: all of it is the tile, and there is one.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto WholeTile(Layout<S, D> const& mode) {
  HLO_CUTE_RETURN(make_layout(mode, Layout<C<1>, C<0>>{}));
}

}  // namespace detail

/// ((tile), (rest)): layout<0> is the first tile, A o B, and layout<1> counts the tiles. With a
/// tuple, in each mode; `_` leaves a mode as it is.
/// Example: logical_divide(24:1, 4:2) -> (4,(2,3)):(2,(1,8))
/// Example: logical_divide((24,8):(1,24), (8,4)) -> ((8,3),(4,2)):((1,8),(24,96))
template <class SA, class DA, class SB, class DB>
HLO_CUTE_INLINE constexpr auto logical_divide(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  constexpr auto problem =
      detail::problem_v<detail::LogicalDivideOperation, Layout<SA, DA>, Layout<SB, DB>>;
  if constexpr (problem == detail::Problem::kNone) {
    return detail::Evaluate<detail::LogicalDivideOperation>(a, b);
  } else {
    using A = Layout<SA, DA>;
    using B = Layout<SB, DB>;
    detail::ReportDivide<problem, HLO_CUTE_NAMED(A), HLO_CUTE_NAMED(B)>();
    return make_layout(b, a);
  }
}
template <class S, class D, class Tiler, std::enable_if_t<detail::is_tiler_v<Tiler>, int> = 0>
HLO_CUTE_INLINE constexpr auto logical_divide(Layout<S, D> const& l, Tiler const& tiler) {
  if constexpr (detail::is_underscore_v<Tiler>) {
    return l;
  } else if constexpr (detail::is_tuple_v<Tiler>) {
    constexpr int n = tuple_size_v<Tiler>;
    constexpr int r = tuple_size_v<S>;
    if constexpr (n <= r) {
      return detail::TransformModes(
          l, tiler, [](auto const& mode, auto const& t) { return logical_divide(mode, t); },
          make_seq<n>{}, make_range<n, r>{});
    } else {
      using L = Layout<S, D>;
      detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
      return detail::WholeTile(l);
    }
  } else {
    return logical_divide(l, make_layout(tiler));
  }
}

namespace detail {

// Divides one mode into exactly (tile, rest), also if the tiler is nested or `_`.
template <class S, class D, class T>
HLO_CUTE_INLINE constexpr auto DivideMode(Layout<S, D> const& mode, T const& t);

template <class L, class T, int... I, int... J>
HLO_CUTE_INLINE constexpr auto DivideModes(L const& l, T const& t, seq<I...>, seq<J...>) {
  const auto divided = make_tuple(DivideMode(layout<I>(l), get<I>(t))...);
  return make_layout(make_layout(layout<0>(get<I>(divided))...),
                     make_layout(layout<1>(get<I>(divided))..., layout<J>(l)...));
}
template <class S, class D, class T>
HLO_CUTE_INLINE constexpr auto DivideMode(Layout<S, D> const& mode, T const& t) {
  if constexpr (is_underscore_v<T>) {
    return WholeTile(mode);
  } else if constexpr (is_tuple_v<T>) {
    constexpr int n = tuple_size_v<T>;
    constexpr int r = tuple_size_v<S>;
    if constexpr (n <= r) {
      return DivideModes(mode, t, make_seq<n>{}, make_range<n, r>{});
    } else {
      using L = Layout<S, D>;
      ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(T)>();
      return WholeTile(mode);
    }
  } else if constexpr (is_layout_v<T>) {
    return logical_divide(mode, t);
  } else {
    return logical_divide(mode, make_layout(t));
  }
}

}  // namespace detail

/// ((tile modes), (rest modes)): zipped_divide((24,8):(1,24), (8,4)) ->
/// ((8,4),(3,2)):((1,24),(8,96))
template <class S, class D, class Tiler>
HLO_CUTE_INLINE constexpr auto zipped_divide(Layout<S, D> const& l, Tiler const& tiler) {
  return detail::DivideMode(l, tiler);
}
/// ((tile modes), rest modes...)
template <class S, class D, class Tiler>
HLO_CUTE_INLINE constexpr auto tiled_divide(Layout<S, D> const& l, Tiler const& tiler) {
  const auto divided = zipped_divide(l, tiler);
  constexpr int rests = decltype(rank<1>(divided))::value;
  return divided(_, repeat<rests>(_));
}
/// (tile modes..., rest modes...)
template <class S, class D, class Tiler>
HLO_CUTE_INLINE constexpr auto flat_divide(Layout<S, D> const& l, Tiler const& tiler) {
  const auto divided = zipped_divide(l, tiler);
  constexpr int tiles = decltype(rank<0>(divided))::value;
  constexpr int rests = decltype(rank<1>(divided))::value;
  return divided(repeat<tiles>(_), repeat<rests>(_));
}

/// (A, copies of A arranged as B): logical_product((2,5):(5,1), (3,4):(1,3)) ->
/// ((2,5),(3,4)):((5,1),(10,30))
template <class SA, class DA, class SB, class DB>
HLO_CUTE_LEAF constexpr auto logical_product(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  constexpr auto problem =
      detail::problem_v<detail::LogicalProductOperation, Layout<SA, DA>, Layout<SB, DB>>;
  if constexpr (problem == detail::Problem::kNone) {
    return detail::Evaluate<detail::LogicalProductOperation>(a, b);
  } else {
    using A = Layout<SA, DA>;
    using B = Layout<SB, DB>;
    detail::ReportProduct<problem, HLO_CUTE_NAMED(A), HLO_CUTE_NAMED(B)>();
    return make_layout(a, b);
  }
}
template <class S, class D, class Tiler, std::enable_if_t<detail::is_tiler_v<Tiler>, int> = 0>
HLO_CUTE_LEAF constexpr auto logical_product(Layout<S, D> const& l, Tiler const& tiler) {
  if constexpr (detail::is_underscore_v<Tiler>) {
    return l;
  } else if constexpr (detail::is_tuple_v<Tiler>) {
    constexpr int n = tuple_size_v<Tiler>;
    constexpr int r = tuple_size_v<S>;
    if constexpr (n <= r) {
      return detail::TransformModes(
          l, tiler, [](auto const& mode, auto const& t) { return logical_product(mode, t); },
          make_seq<n>{}, make_range<n, r>{});
    } else {
      using L = Layout<S, D>;
      detail::ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(Tiler)>();
      return detail::WholeTile(l);
    }
  } else {
    return logical_product(l, make_layout(tiler));
  }
}

namespace detail {

template <class S, class D, class T>
HLO_CUTE_INLINE constexpr auto MultiplyMode(Layout<S, D> const& mode, T const& t);
template <class L, class T, int... I, int... J>
HLO_CUTE_INLINE constexpr auto MultiplyModes(L const& l, T const& t, seq<I...>, seq<J...>) {
  const auto products = make_tuple(MultiplyMode(layout<I>(l), get<I>(t))...);
  return make_layout(make_layout(layout<0>(get<I>(products))...),
                     make_layout(layout<1>(get<I>(products))..., layout<J>(l)...));
}
template <class S, class D, class T>
HLO_CUTE_INLINE constexpr auto MultiplyMode(Layout<S, D> const& mode, T const& t) {
  if constexpr (is_underscore_v<T>) {
    return WholeTile(mode);
  } else if constexpr (is_tuple_v<T>) {
    constexpr int n = tuple_size_v<T>;
    constexpr int r = tuple_size_v<S>;
    if constexpr (n <= r) {
      return MultiplyModes(mode, t, make_seq<n>{}, make_range<n, r>{});
    } else {
      using L = Layout<S, D>;
      ErrorTilerModes<HLO_CUTE_NAMED(L), HLO_CUTE_NAMED(T)>();
      return WholeTile(mode);
    }
  } else if constexpr (is_layout_v<T>) {
    return logical_product(mode, t);
  } else {
    return logical_product(mode, make_layout(t));
  }
}

// What has become of mode I of a layout of shape S: an integer is the only mode of its layout, and
// may have become several.
template <int I, class S, class L>
HLO_CUTE_INLINE constexpr auto ModeOfPart(L const& part) {
  if constexpr (is_tuple_v<S>) {
    return layout<I>(part);
  } else {
    return part;
  }
}
template <class SA, class SB, class A, class B, int... I>
HLO_CUTE_INLINE constexpr auto ZipModes(A const& a, B const& b, seq<I...>) {
  HLO_CUTE_RETURN(make_layout(make_layout(ModeOfPart<I, SA>(a), ModeOfPart<I, SB>(b))...));
}
// The shape of a layout with modes of size 1 appended.
template <int n, class L>
using PaddedShape = detail::Plain<decltype(append<n>(std::declval<L const&>()).shape())>;

}  // namespace detail

/// ((modes of A), (copies)), and the same with the copies as modes of their own.
template <class S, class D, class Tiler>
HLO_CUTE_LEAF constexpr auto zipped_product(Layout<S, D> const& l, Tiler const& tiler) {
  HLO_CUTE_RETURN(detail::MultiplyMode(l, tiler));
}
template <class S, class D, class Tiler>
HLO_CUTE_LEAF constexpr auto tiled_product(Layout<S, D> const& l, Tiler const& tiler) {
  const auto product = zipped_product(l, tiler);
  constexpr int rests = decltype(rank<1>(product))::value;
  return product(_, repeat<rests>(_));
}
template <class S, class D, class Tiler>
HLO_CUTE_LEAF constexpr auto flat_product(Layout<S, D> const& l, Tiler const& tiler) {
  const auto product = zipped_product(l, tiler);
  constexpr int tiles = decltype(rank<0>(product))::value;
  constexpr int rests = decltype(rank<1>(product))::value;
  return product(repeat<tiles>(_), repeat<rests>(_));
}
/// Blocks of A arranged as B, mode by mode: blocked_product((2,5):(5,1), (3,4):(1,3)) ->
/// ((2,3),(5,4)):((5,10),(1,30)). raked_product interleaves them instead.
template <class SA, class DA, class SB, class DB>
HLO_CUTE_LEAF constexpr auto blocked_product(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  constexpr int n = tuple_size_v<SA> > tuple_size_v<SB> ? tuple_size_v<SA> : tuple_size_v<SB>;
  using PA = detail::PaddedShape<n, Layout<SA, DA>>;
  using PB = detail::PaddedShape<n, Layout<SB, DB>>;
  const auto product = logical_product(append<n>(a), append<n>(b));
  return detail::ZipModes<PA, PB>(layout<0>(product), layout<1>(product), make_seq<n>{});
}
template <class SA, class DA, class SB, class DB>
HLO_CUTE_LEAF constexpr auto raked_product(Layout<SA, DA> const& a, Layout<SB, DB> const& b) {
  constexpr int n = tuple_size_v<SA> > tuple_size_v<SB> ? tuple_size_v<SA> : tuple_size_v<SB>;
  using PA = detail::PaddedShape<n, Layout<SA, DA>>;
  using PB = detail::PaddedShape<n, Layout<SB, DB>>;
  const auto product = logical_product(append<n>(a), append<n>(b));
  return detail::ZipModes<PB, PA>(layout<1>(product), layout<0>(product), make_seq<n>{});
}

/// How a layout of threads and one of the values of each thread cover a tile: the tiler, and the
/// layout from (thread, value) to the tile's index.
/// Example: make_layout_tv((4,2):(2,1), (1,2):(0,1)) -> ((4,4),((2,4),2):((8,1),4))
template <class ST, class DT, class SV, class DV>
HLO_CUTE_INLINE constexpr auto make_layout_tv(Layout<ST, DT> const& threads,
                                              Layout<SV, DV> const& values) {
  const auto tile = raked_product(threads, values);
  return make_tuple(product_each(tile.shape()),
                    right_inverse(tile).with_shape(size(threads), size(values)));
}

namespace detail {

// ---- Ordered layouts.

// The strides of a compact layout whose modes grow in the order of the leaves of `order`: static
// ones by value, then the dynamic ones from left to right.
struct OrderOperation {
  // The step of each leaf of a shape: the leaf of `order` that it lies below, and which that is.
  template <int N>
  struct Steps {
    Number rank[N];
    int which[N];
    HLO_CUTE_HD constexpr bool Before(int i, int k) const {
      Number const& a = rank[i];
      Number const& b = rank[k];
      if (which[i] == which[k]) return i < k;  // one step for a nested mode: the first leaf fastest
      return a.known() ? (!b.known() || a.value < b.value) : (!b.known() && i < k);
    }
  };
  template <int N>
  HLO_CUTE_HD static constexpr void Spread(ModeTree<N> const& order, ModeTree<N> const& shapes,
                                           Steps<N>& steps) {
    for (int at = 0, step = 0, leaf = 0; at < shapes.count; ++step) {
      if (order.arity[step] != 0) {
        ++at;
        continue;
      }
      for (const int end = shapes.After(at); at < end; ++at) {
        if (shapes.arity[at] != 0) continue;
        steps.rank[leaf] = order.mode[step].shape;
        steps.which[leaf++] = step;
      }
    }
  }
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& shapes,
                                        ModeTree<N> const& order) {
    const Modes<N> shape = shapes.Leaves();
    Steps<N> steps{};
    Spread(order, shapes, steps);
    for (int i = 0, leaf = 0; i < shapes.count; ++i) {
      if (shapes.arity[i] != 0) {
        o.tree.AddTuple(shapes.arity[i] - 1);
        continue;
      }
      Mode mode = shape.mode[leaf];
      mode.stride = mode.shape.Is(1) ? Known(0) : Known(1);
      for (int k = 0; k < shape.count && !mode.shape.Is(1); ++k) {
        if (steps.Before(k, leaf)) {
          mode.stride = Product(o.program, mode.stride, shape.mode[k].shape);
        }
      }
      o.tree.AddLeaf(mode);
      ++leaf;
    }
  }
};

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorOrderProfile() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("make_ordered_layout(shape, order): they have different profiles."));
}

}  // namespace detail

/// The compact layout in which modes grow in the given order; of a nested mode with one step, the
/// first leaf grows first.
/// Example: make_ordered_layout((2,2,2,2), (_0,_2,_3,_1)) -> (2,2,2,2):(1,4,8,2)
/// Example: make_ordered_layout(((2,2),3), (_1,_0)) -> ((2,2),3):((3,6),1)
template <class S, class Order>
HLO_CUTE_INLINE constexpr auto make_ordered_layout(S const& shape, Order const& order) {
  if constexpr (detail::WeaklyCongruent<Order, S>::value) {
    return detail::Evaluate<detail::OrderOperation>(shape, order);
  } else {
    detail::ErrorOrderProfile<HLO_CUTE_NAMED(S), HLO_CUTE_NAMED(Order)>();
    return make_layout(shape);
  }
}
/// A compact layout of the same shape whose modes grow in the order of the strides of l. Modes of
/// static stride 0 keep it.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto make_layout_like(Layout<S, D> const& l) {
  const auto ordered = make_ordered_layout(filter_zeros(l).shape(), l.stride());
  return make_layout(l.shape(), ordered.stride());
}
/// For register fragments: the first mode is made compact by itself, the others follow in order.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto make_fragment_like(Layout<S, D> const& l) {
  constexpr int r = tuple_size_v<S>;
  if constexpr (r > 1 && is_static_v<S>) {
    const auto first = detail::FilterShape(get<0>(l.stride()), get<0>(l.shape()));
    const auto head = make_layout(get<0>(l.shape()), compact_col_major(first));
    const auto tail = make_ordered_layout(take<1, r>(l.shape()), take<1, r>(l.stride()));
    return tiled_product(head, tail);
  } else {
    return make_layout(l.shape());
  }
}

namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorBlockDoesNotDivide() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("tile_to_shape(block, shape): the block does not divide the shape."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorBlockModes() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("tile_to_shape(block, shape): the block has more modes than the shape."));
}

template <class S, class B>
HLO_CUTE_INLINE constexpr auto DivideByBlock(S const& s, B const& b) {
  if constexpr (!is_static_v<S> || !is_static_v<B>) {
    HLO_CUTE_CHECK(static_cast<int64_t>(s) % static_cast<int64_t>(b) == 0,
                   "tile_to_shape(block, shape): the block does not divide the shape");
  }
  return ceil_div(s, b);
}

}  // namespace detail

/// Copies of the block that fill the shape, mode by mode.
/// Example: tile_to_shape((2,2):(2,1), (4,6)) -> ((2,2),(2,3)):((2,4),(1,8))
template <class S, class D, class Target, class Order = LayoutLeft>
HLO_CUTE_INLINE constexpr auto tile_to_shape(Layout<S, D> const& block, Target const& target,
                                             Order const& order = {}) {
  constexpr int r = tuple_size_v<S> > tuple_size_v<Target> ? tuple_size_v<S> : tuple_size_v<Target>;
  const auto padded = append<r>(block);
  const auto extents = product_each(wrap(target));
  const auto parts = product_each(wrap(padded.shape()));
  using Even = decltype(evenly_divides(extents, parts));
  if constexpr (tuple_size_v<S> > tuple_size_v<Target>) {
    detail::ErrorBlockModes<HLO_CUTE_NAMED(Layout<S, D>), HLO_CUTE_NAMED(Target)>();
    return block;
  } else if constexpr (is_constant<0, Even>::value) {
    detail::ErrorBlockDoesNotDivide<HLO_CUTE_NAMED(Layout<S, D>), HLO_CUTE_NAMED(Target)>();
    return block;
  } else {
    const auto copies = transform(
        extents, parts, [](auto const& s, auto const& b) { return detail::DivideByBlock(s, b); });
    if constexpr (std::is_same<Order, LayoutLeft>::value ||
                  std::is_same<Order, LayoutRight>::value) {
      return blocked_product(padded, make_layout(copies, order));
    } else {
      return blocked_product(padded, make_ordered_layout(copies, order));
    }
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_LAYOUT_TILING_H_
