#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_CORE_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_CORE_H_

#include "layout/cute/tensor_engine.h"

// Tensor: data (an Engine) and a Layout that says where each element is.
//
//   Tensor view = make_tensor(make_gmem_ptr(p), make_shape(m, Int<8>{}));  // does not own
//   Tensor tile = make_tensor<float>(Shape<_4, _8>{});                     // owns: an array
//   view(3, 5), view[make_coord(3, 5)], view(43)                           // elements
//   view(3, _)                                                             // a view of row 3
HLO_CUTE_BEGIN_NAMESPACE

namespace detail {

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorTensorCoordinates() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "tensor(c0, c1, ...): the number of coordinates is not the rank of the tensor."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorDynamicOwning() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE(
          "make_tensor<T>(layout): a tensor that owns its elements needs a static layout. "
          "Dynamic owning tensors are not supported."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorDynamicLike() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE(
                    "make_tensor_like, make_fragment_like: a tensor that owns its elements needs a "
                    "static shape."));
}

}  // namespace detail

template <class Engine, class LayoutType>
struct Tensor : private detail::Slot<0, LayoutType>, private detail::OffsetRange {
  using iterator = typename Engine::iterator;
  using value_type = typename Engine::value_type;
  using element_type = typename Engine::element_type;
  using reference = typename Engine::reference;
  using engine_type = Engine;
  using layout_type = LayoutType;
  static constexpr int rank = LayoutType::rank;

  /// Elements that the tensor owns are 0 at first.
  HLO_CUTE_LEAF constexpr Tensor() : engine_{} {}
  HLO_CUTE_LEAF constexpr Tensor(Engine const& engine, LayoutType const& layout,
                                 detail::OffsetRange const& range)
      : detail::Slot<0, LayoutType>{layout}, detail::OffsetRange(range), engine_(engine) {}
  HLO_CUTE_LEAF constexpr explicit Tensor(LayoutType const& layout)
      : detail::Slot<0, LayoutType>{layout},
        detail::OffsetRange(detail::RangeOf(layout)),
        engine_{} {}

  HLO_CUTE_LEAF constexpr Tensor const& tensor() const { return *this; }
  HLO_CUTE_LEAF constexpr Engine const& engine() const { return engine_; }
  HLO_CUTE_LEAF constexpr Engine& engine() { return engine_; }
  HLO_CUTE_LEAF constexpr decltype(auto) layout() const {
    if constexpr (__is_empty(LayoutType)) {
      return LayoutType{};
    } else {
      return static_cast<LayoutType const&>(detail::Slot<0, LayoutType>::value);
    }
  }
  HLO_CUTE_LEAF constexpr auto data() { return engine_.begin(); }
  HLO_CUTE_LEAF constexpr auto data() const { return engine_.begin(); }
  template <int... I>
  HLO_CUTE_LEAF constexpr auto shape() const {
    return layout().template shape<I...>();
  }
  template <int... I>
  HLO_CUTE_LEAF constexpr auto stride() const {
    return layout().template stride<I...>();
  }
  template <int... I>
  HLO_CUTE_LEAF constexpr auto size() const {
    return ::hlo_indexing::layout::cute::size<I...>(layout());
  }
  HLO_CUTE_LEAF constexpr detail::OffsetRange const& range() const { return *this; }

  /// The element at a coordinate, or, for a coordinate with `_`, a view of the modes that it keeps.
  template <class Coordinate>
  HLO_CUTE_LEAF constexpr decltype(auto) operator()(Coordinate const& coord) {
    return At(*this, coord);
  }
  template <class Coordinate>
  HLO_CUTE_LEAF constexpr decltype(auto) operator()(Coordinate const& coord) const {
    return At(*this, coord);
  }
  template <class C0, class C1, class... Cs>
  HLO_CUTE_LEAF constexpr decltype(auto) operator()(C0 const& c0, C1 const& c1, Cs const&... cs) {
    if constexpr (2 + sizeof...(Cs) == rank) {
      return At(*this, make_coord(c0, c1, cs...));
    } else {
      using Coordinate = tuple<C0, C1, Cs...>;
      detail::ErrorTensorCoordinates<HLO_CUTE_NAMED(LayoutType), HLO_CUTE_NAMED(Coordinate)>();
      return At(*this, C<0>{});
    }
  }
  template <class C0, class C1, class... Cs>
  HLO_CUTE_LEAF constexpr decltype(auto) operator()(C0 const& c0, C1 const& c1,
                                                    Cs const&... cs) const {
    if constexpr (2 + sizeof...(Cs) == rank) {
      return At(*this, make_coord(c0, c1, cs...));
    } else {
      using Coordinate = tuple<C0, C1, Cs...>;
      detail::ErrorTensorCoordinates<HLO_CUTE_NAMED(LayoutType), HLO_CUTE_NAMED(Coordinate)>();
      return At(*this, C<0>{});
    }
  }
  template <class Coordinate>
  HLO_CUTE_LEAF constexpr decltype(auto) operator[](Coordinate const& coord) {
    return At(*this, coord);
  }
  template <class Coordinate>
  HLO_CUTE_LEAF constexpr decltype(auto) operator[](Coordinate const& coord) const {
    return At(*this, coord);
  }

  template <class... Tilers>
  HLO_CUTE_INLINE constexpr auto compose(Tilers const&... tilers) const;
  template <class... Tilers>
  HLO_CUTE_INLINE constexpr auto tile(Tilers const&... tilers) const;

 private:
  template <class Self, class Coordinate>
  HLO_CUTE_INLINE static constexpr decltype(auto) At(Self& self, Coordinate const& coord);
  Engine engine_;
};

template <class T>
struct is_tensor : false_type {};
template <class E, class L>
struct is_tensor<Tensor<E, L>> : true_type {};

namespace detail {

template <class Iter, class L>
HLO_CUTE_LEAF constexpr auto View(Iter const& iter, L const& layout, OffsetRange const& range) {
  return Tensor<ViewEngine<Iter>, L>(ViewEngine<Iter>{iter}, layout, range);
}

template <class T>
struct IsLayoutLike : C<is_layout<T>::value || is_composed_layout<T>::value> {};

template <class L, std::enable_if_t<IsLayoutLike<L>::value, int> = 0>
HLO_CUTE_INLINE constexpr L LayoutFrom(L const& l) {
  return l;
}
// Whether a shape and a stride have the same profile; true of what is neither.
template <class... T>
struct HaveProfiles : C<true> {};
template <class... S, class... D>
struct HaveProfiles<tuple<S...>, tuple<D...>> : Congruent<tuple<S...>, tuple<D...>> {};
template <class... T>
HLO_CUTE_INLINE constexpr auto LayoutFrom(T const&... t)
    -> std::enable_if_t<!(IsLayoutLike<T>::value && ...), decltype(make_layout(t...))> {
  return make_layout(t...);
}

// The offset of a coordinate, for an iterator, and a slice with its offset. In device code with 32
// bits: unsigned for unsigned coordinates in global memory, where addresses have 64 bits and a sign
// costs an instruction, if no stride is static and negative; signed elsewhere, for dynamic strides
// of slices of swizzled layouts may be negative.
template <class Iter, class Coordinate, class L>
HLO_CUTE_LEAF constexpr auto PointerOffset(Coordinate const& coord, L const& l) {
  return l(coord);
}
template <class Iter, class Coordinate, class S, class D>
HLO_CUTE_LEAF constexpr auto SliceOffset(Coordinate const& coord, Layout<S, D> const& l) {
#if HLO_CUTE_NARROW
  constexpr Width width =
      is_gmem_v<Iter> && !HasNegative<D>::value ? Width::kDevice : Width::kSignedDevice;
  return CoordinateToIndex<width>(coord, l.shape(), l.stride());
#else
  return crd2idx(coord, l.shape(), l.stride());
#endif
}
#if HLO_CUTE_NARROW
template <class Iter, class Coordinate, class S, class D>
HLO_CUTE_LEAF constexpr auto PointerOffset(Coordinate const& coord, Layout<S, D> const& l) {
  return SliceOffset<Iter>(coord, l);
}
#endif

// What a slice may reach, counted from its first element.
template <class Offset>
HLO_CUTE_LEAF constexpr OffsetRange MovedRange(OffsetRange const& range, Offset const& offset) {
  if constexpr (is_integral<Offset>::value) {
    return range.Moved(static_cast<int64_t>(offset));
  } else {
    static_cast<void>(offset);
    return range;
  }
}

// The offset of an access, which debug builds check.
template <class T, class Coordinate>
HLO_CUTE_INLINE constexpr auto CheckedOffset(T const& tensor, Coordinate const& coord) {
  const auto offset = PointerOffset<typename T::iterator>(coord, tensor.layout());
#if HLO_INDEXING_CUTE_DEBUG
  HLO_CUTE_CHECK(Inside(coord, tensor.shape()),
                 "tensor access: the coordinate lies outside the shape of the tensor");
  if constexpr (is_integral<decltype(offset)>::value) {
    HLO_CUTE_CHECK(tensor.range().Contains(static_cast<int64_t>(offset)),
                   "tensor access: the element lies outside the memory of the tensor");
  }
#endif
  return offset;
}

}  // namespace detail

template <class Engine, class LayoutType>
template <class Self, class Coordinate>
HLO_CUTE_INLINE constexpr decltype(auto) Tensor<Engine, LayoutType>::At(Self& self,
                                                                        Coordinate const& coord) {
  using S = std::decay_t<decltype(self.shape())>;
  if constexpr (detail::is_tuple_v<Coordinate> && !detail::FitsShape<Coordinate, S>::value) {
    detail::ErrorCoordinateRank<HLO_CUTE_NAMED(Coordinate), HLO_CUTE_NAMED(LayoutType)>();
    return self.data()[C<0>{}];
  } else if constexpr (detail::HasUnderscore<Coordinate>::value) {
#if HLO_INDEXING_CUTE_DEBUG
    HLO_CUTE_CHECK(detail::Inside(coord, self.shape()),
                   "tensor slice: the coordinate lies outside the shape of the tensor");
#endif
    if constexpr (is_layout<LayoutType>::value) {
      const auto offset = detail::SliceOffset<iterator>(coord, self.layout());
      return detail::View(self.data() + offset, self.layout()(coord),
                          detail::MovedRange(self.range(), offset));
    } else {
      const auto sliced = slice_and_offset(coord, self.layout());
      const auto offset = get<1>(sliced);
      return detail::View(self.data() + offset, get<0>(sliced),
                          detail::MovedRange(self.range(), offset));
    }
  } else {
    return *(self.data() + detail::CheckedOffset(self, coord));
  }
}

/// An owning tensor of elements T with a static layout: make_tensor<float>(Shape<_4,_8>{},
/// LayoutRight{}).
template <class T, class... LayoutArgs>
HLO_CUTE_LEAF constexpr auto make_tensor(LayoutArgs const&... args) {
  using L = std::decay_t<decltype(detail::LayoutFrom(args...))>;
  if constexpr (is_static_v<L>) {
    using Engine = ArrayEngine<T, static_cast<int64_t>(decltype(cosize(L{}))::value)>;
    return Tensor<Engine, L>(L{});
  } else {
    detail::ErrorDynamicOwning<HLO_CUTE_NAMED(L)>();
    return Tensor<ArrayEngine<T, 1>, Layout<C<1>, C<0>>>(Layout<C<1>, C<0>>{});
  }
}
/// A view of what the iterator points to: make_tensor(p, layout), (p, shape), (p, shape, stride),
/// (p, shape, LayoutRight{}).
template <class Iter, class... LayoutArgs>
HLO_CUTE_LEAF constexpr auto make_tensor(Iter&& iter, LayoutArgs const&... args) {
  static_assert(detail::IsIterator<std::decay_t<Iter>>::value,
                "make_tensor(iter, layout): the first argument is not an iterator.");
  static_assert(sizeof...(LayoutArgs) > 0, "make_tensor(iter, layout): there is no layout.");
  if constexpr (detail::IsIterator<std::decay_t<Iter>>::value && sizeof...(LayoutArgs) > 0) {
    if constexpr (detail::HaveProfiles<LayoutArgs...>::value) {
      const auto l = detail::LayoutFrom(args...);
      return detail::View<std::decay_t<Iter>>(iter, l, detail::RangeOf(l));
    } else {
      detail::ErrorProfile<HLO_CUTE_NAMED(LayoutArgs)...>();
      using None = Layout<C<1>, C<0>>;
      return detail::View(static_cast<int*>(nullptr), None{}, detail::RangeOf(None{}));
    }
  } else {
    using None = Layout<C<1>, C<0>>;
    return detail::View(static_cast<int*>(nullptr), None{}, detail::RangeOf(None{}));
  }
}

/// An owning tensor of the shape of another, compact, with its order of strides.
template <class T, class S, class D>
HLO_CUTE_INLINE constexpr auto make_tensor_like(Layout<S, D> const& l) {
  if constexpr (is_static_v<S>) {
    return make_tensor<T>(make_layout_like(l));
  } else {
    using L = Layout<S, D>;
    detail::ErrorDynamicLike<HLO_CUTE_NAMED(L)>();
    return make_tensor<T>(Layout<C<1>, C<0>>{});
  }
}
template <class T, class E, class L>
HLO_CUTE_INLINE constexpr auto make_tensor_like(Tensor<E, L> const& t) {
  return make_tensor_like<T>(t.layout());
}
template <class E, class L>
HLO_CUTE_INLINE constexpr auto make_tensor_like(Tensor<E, L> const& t) {
  return make_tensor_like<typename E::value_type>(t.layout());
}
template <class T, class S, class D>
HLO_CUTE_INLINE constexpr auto make_fragment_like(Layout<S, D> const& l) {
  if constexpr (is_static_v<S>) {
    return make_tensor<T>(make_fragment_like(l));
  } else {
    using L = Layout<S, D>;
    detail::ErrorDynamicLike<HLO_CUTE_NAMED(L)>();
    return make_tensor<T>(Layout<C<1>, C<0>>{});
  }
}
// Registers have no banks: like what is behind the swizzle.
template <class T, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto make_tensor_like(ComposedLayout<A, O, B> const& l) {
  return make_tensor_like<T>(l.layout_b());
}
template <class T, class A, class O, class B>
HLO_CUTE_INLINE constexpr auto make_fragment_like(ComposedLayout<A, O, B> const& l) {
  return make_fragment_like<T>(l.layout_b());
}
template <class T, class S, std::enable_if_t<is_tuple<S>::value || is_integral<S>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto make_fragment_like(S const& shape) {
  return make_tensor<T>(shape);
}
template <class T, class E, class L>
HLO_CUTE_INLINE constexpr auto make_fragment_like(Tensor<E, L> const& t) {
  return make_fragment_like<T>(t.layout());
}
template <class E, class L>
HLO_CUTE_INLINE constexpr auto make_fragment_like(Tensor<E, L> const& t) {
  return make_fragment_like<typename E::value_type>(t.layout());
}

/// The tensor whose elements are their own offsets, or coordinates.
template <class S, class D>
HLO_CUTE_INLINE constexpr auto make_counting_tensor(Layout<S, D> const& l) {
  return make_tensor(counting_iterator<int>{0}, l);
}
template <class L>
HLO_CUTE_INLINE constexpr auto make_coord_tensor(L const& l) {
  return make_tensor(make_inttuple_iter(repeat_like(coshape(l), C<0>{})), l);
}
template <class S>
HLO_CUTE_INLINE constexpr auto make_identity_tensor(S const& shape) {
  return make_tensor(make_inttuple_iter(repeat_like(shape, C<0>{})), make_identity_layout(shape));
}

// The functions of layouts, for tensors.
template <class E, class L>
HLO_CUTE_INLINE constexpr auto layout(Tensor<E, L> const& t) {
  return t.layout();
}
template <int I, int... Is, class E, class L>
HLO_CUTE_INLINE constexpr auto layout(Tensor<E, L> const& t) {
  return layout<I, Is...>(t.layout());
}
#define HLO_CUTE_TENSOR_PROPERTY(name)                         \
  template <int... I, class E, class L>                        \
  HLO_CUTE_INLINE constexpr auto name(Tensor<E, L> const& t) { \
    return name<I...>(t.layout());                             \
  }
HLO_CUTE_TENSOR_PROPERTY(rank)
HLO_CUTE_TENSOR_PROPERTY(depth)
HLO_CUTE_TENSOR_PROPERTY(shape)
HLO_CUTE_TENSOR_PROPERTY(stride)
HLO_CUTE_TENSOR_PROPERTY(size)
HLO_CUTE_TENSOR_PROPERTY(cosize)
HLO_CUTE_TENSOR_PROPERTY(max_alignment)
#undef HLO_CUTE_TENSOR_PROPERTY
/// How many elements, from the first one on, are adjacent in both tensors; 0 if they cannot be
/// copied as they are, for their elements have different types or are computed.
template <class EA, class LA, class EB, class LB>
HLO_CUTE_INLINE constexpr auto max_common_vector(Tensor<EA, LA> const& a, Tensor<EB, LB> const& b) {
  using A = typename EA::value_type;
  if constexpr (std::is_same<A, typename EB::value_type>::value &&
                std::is_reference<typename EA::reference>::value &&
                std::is_reference<typename EB::reference>::value) {
    return max_common_vector(a.layout(), b.layout());
  } else {
    return C<0>{};
  }
}
template <class EA, class LA, class EB, class LB>
HLO_CUTE_INLINE constexpr auto max_common_layout(Tensor<EA, LA> const& a, Tensor<EB, LB> const& b) {
  return max_common_layout(a.layout(), b.layout());
}

namespace detail {

// Another layout on the data of a tensor, owning or not.
template <class T, class L>
HLO_CUTE_LEAF constexpr auto WithLayout(T& tensor, L const& layout) {
  return View(tensor.data(), layout, tensor.range());
}

}  // namespace detail

/// The view of a mode, at the same data: tensor<0,1>(t).
template <int... I, class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto tensor(T&& t) {
  return detail::WithLayout(t, layout<I...>(t.layout()));
}
template <int begin, int end, class T,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto group_modes(T&& t) {
  return detail::WithLayout(t, group<begin, end>(t.layout()));
}
template <int begin, int end, class T,
          std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_LEAF constexpr auto take(T&& t) {
  static_assert(begin < end, "take<begin, end>(tensor): the range is empty.");
  return detail::WithLayout(t, take<begin, end>(t.layout()));
}
template <int... I, class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto select(T&& t) {
  return detail::WithLayout(t, select<I...>(t.layout()));
}
template <class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto flatten(T&& t) {
  return detail::WithLayout(t, flatten(t.layout()));
}
template <class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto coalesce(T&& t) {
  return detail::WithLayout(t, coalesce(t.layout()));
}
template <class T, class Profile, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto coalesce(T&& t, Profile const& profile) {
  return detail::WithLayout(t, coalesce(t.layout(), profile));
}
template <class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto filter(T&& t) {
  return detail::WithLayout(t, filter(t.layout()));
}
template <class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto filter_zeros(T&& t) {
  return detail::WithLayout(t, filter_zeros(t.layout()));
}

/// The tensor with its origin moved to a coordinate.
template <class Coordinate, class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto domain_offset(Coordinate const& coord, T&& t) {
  const auto moved = domain_offset(coord, t.layout());
  const auto offset = get<1>(moved);
  if constexpr (is_integral<decltype(offset)>::value) {
    return detail::View(t.data() + offset, get<0>(moved),
                        t.range().Moved(static_cast<int64_t>(offset)));
  } else {
    return detail::View(t.data() + offset, get<0>(moved), t.range());
  }
}

/// The same memory as elements of another type: recast<uint32_t>(tensor of half_t).
template <class NewT, class T, std::enable_if_t<is_tensor<detail::Plain<T>>::value, int> = 0>
HLO_CUTE_INLINE constexpr auto recast(T&& t) {
  using Old = typename std::decay_t<T>::element_type;
  using New = std::conditional_t<std::is_const<Old>::value, NewT const, NewT>;
  const auto l = recast_layout<Old, NewT>(t.layout());
  const auto iter = recast_ptr<New>(t.data());
#if HLO_INDEXING_CUTE_DEBUG
  if constexpr (std::is_pointer<std::decay_t<decltype(raw_pointer_cast(iter))>>::value) {
    HLO_CUTE_CHECK(reinterpret_cast<uintptr_t>(raw_pointer_cast(iter)) % alignof(NewT) == 0,
                   "recast<T>(tensor): the data of the tensor is not aligned for T");
  }
#endif
  return detail::View(iter, l, detail::RangeOf(l));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_CORE_H_
