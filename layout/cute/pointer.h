#ifndef HLO_INDEXING_LAYOUT_CUTE_POINTER_H_
#define HLO_INDEXING_LAYOUT_CUTE_POINTER_H_

#include "layout/cute/numeric_types.h"
#include "layout/cute/swizzle_slice.h"

// Iterators: pointers with a tag that says to what memory they point, iterators over packed
// elements of fewer than 8 bits, swizzled pointers, and the counting iterator.
HLO_CUTE_BEGIN_NAMESPACE

namespace detail {

// How many bits an element has where elements are packed: a bool 1. Elsewhere a bool is a byte.
template <class T>
constexpr int packed_bits_v =
    std::is_same<std::remove_const_t<T>, bool>::value ? 1 : sizeof_bits_v<T>;
template <class T>
HLO_CUTE_HD constexpr unsigned PackedCode(T const& value) {
  if constexpr (std::is_integral<T>::value) {
    return static_cast<unsigned>(value);
  } else {
    return value.storage;
  }
}
template <class T>
HLO_CUTE_HD constexpr T FromPackedCode(unsigned code) {
  if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(code);
  } else {
    T value{};
    value.storage = static_cast<uint8_t>(code);
    return value;
  }
}

}  // namespace detail

/// A reference to a packed element of at most 8 bits.
template <class T>
struct subbyte_reference {
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using Storage = std::conditional_t<std::is_const<T>::value, const uint8_t, uint8_t>;
  static constexpr int bits = detail::packed_bits_v<T>;
  static constexpr unsigned mask = (1u << bits) - 1;
  static constexpr bool straddles = 8 % bits != 0;
  static_assert(bits <= 8, "A packed element has at most 8 bits.");
  Storage* byte;
  int bit;

  HLO_CUTE_HD value_type get() const {
    unsigned code = static_cast<unsigned>(*byte) >> bit;
    if constexpr (straddles) {
      if (bit + bits > 8) code |= static_cast<unsigned>(byte[1]) << (8 - bit);
    }
    return detail::FromPackedCode<value_type>(code & mask);
  }
  HLO_CUTE_HD operator value_type() const { return get(); }
  template <class U = value_type, std::enable_if_t<!std::is_same<U, int>::value, int> = 0>
  HLO_CUTE_HD explicit operator int() const {
    return static_cast<int>(get());
  }
  HLO_CUTE_HD subbyte_reference const& operator=(value_type const& value) const {
    const unsigned code = detail::PackedCode(value) & mask;
    *byte = static_cast<uint8_t>((*byte & ~(mask << bit)) | code << bit);
    if constexpr (straddles) {
      if (bit + bits > 8) {
        byte[1] = static_cast<uint8_t>((byte[1] & ~(mask >> (8 - bit))) | code >> (8 - bit));
      }
    }
    return *this;
  }
  HLO_CUTE_HD subbyte_reference const& operator=(subbyte_reference const& other) const {
    return *this = other.get();
  }
  HLO_CUTE_HD friend bool operator==(subbyte_reference const& a, value_type const& b) {
    return a.get() == b;
  }
  HLO_CUTE_HD friend bool operator!=(subbyte_reference const& a, value_type const& b) {
    return !(a == b);
  }
  subbyte_reference(subbyte_reference const&) = default;
  HLO_CUTE_HD subbyte_reference(Storage* at, int shift) : byte(at), bit(shift) {}
};

/// An iterator over packed elements; element 0 is in the low bits of its byte.
template <class T>
struct subbyte_iterator {
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using reference = subbyte_reference<T>;
  using Storage = typename reference::Storage;
  static constexpr int bits = detail::packed_bits_v<T>;
  Storage* byte = nullptr;
  int bit = 0;

  subbyte_iterator() = default;
  HLO_CUTE_HD subbyte_iterator(Storage* at, int shift = 0) : byte(at), bit(shift) {}
  template <class U, std::enable_if_t<std::is_same<U const, T>::value, int> = 0>
  HLO_CUTE_HD subbyte_iterator(subbyte_iterator<U> const& other)
      : byte(other.byte), bit(other.bit) {}
  HLO_CUTE_HD reference operator*() const { return {byte, bit}; }
  HLO_CUTE_HD subbyte_iterator operator+(int64_t n) const {
    const int64_t position = bit + n * bits;
    const int64_t rest = (position % 8 + 8) % 8;
    return {byte + (position - rest) / 8, static_cast<int>(rest)};
  }
  HLO_CUTE_HD reference operator[](int64_t n) const { return *(*this + n); }
  HLO_CUTE_HD bool operator==(subbyte_iterator const& other) const {
    return byte == other.byte && bit == other.bit;
  }
  HLO_CUTE_HD bool operator!=(subbyte_iterator const& other) const { return !(*this == other); }
};

/// n, n + 1, n + 2, ...: the tensor over it shows its own offsets.
template <class T = int>
struct counting_iterator {
  using value_type = T;
  using element_type = T;
  using reference = T;
  T n_{};
  HLO_CUTE_LEAF constexpr T operator*() const { return n_; }
  template <class Offset>
  HLO_CUTE_LEAF constexpr T operator[](Offset const& i) const {
    return static_cast<T>(n_ + static_cast<T>(i));
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr counting_iterator operator+(Offset const& i) const {
    return {static_cast<T>(n_ + static_cast<T>(i))};
  }
};

namespace detail {

template <class Iter>
struct IteratorTraits {
  using reference = decltype(*std::declval<Iter const&>());
  using element_type = typename Iter::element_type;
  using value_type = std::remove_cv_t<typename Iter::value_type>;
};
template <class T>
struct IteratorTraits<T*> {
  using reference = T&;
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
};

template <class T, class = void>
struct IsIterator : C<false> {};
template <class T>
struct IsIterator<T, std::void_t<decltype(*std::declval<T const&>())>> : C<true> {};

}  // namespace detail

template <class Iter>
using iter_value_t = typename detail::IteratorTraits<Iter>::value_type;
template <class Iter>
using iter_element_t = typename detail::IteratorTraits<Iter>::element_type;
template <class Iter>
using iter_reference_t = typename detail::IteratorTraits<Iter>::reference;

struct gmem_tag {};
struct smem_tag {};
struct rmem_tag {};

/// An iterator that is known to point to global, shared or register memory.
template <class Tag, class Iter>
struct TaggedIterator {
  using value_type = iter_value_t<Iter>;
  using element_type = iter_element_t<Iter>;
  using reference = iter_reference_t<Iter>;
  Iter iter_{};

  HLO_CUTE_INLINE constexpr Iter const& get() const { return iter_; }
  HLO_CUTE_LEAF constexpr decltype(auto) operator*() const { return *iter_; }
  template <class Offset>
  HLO_CUTE_LEAF constexpr decltype(auto) operator[](Offset const& i) const {
    return iter_[i];
  }
  template <class Offset>
  HLO_CUTE_INLINE constexpr TaggedIterator operator+(Offset const& i) const {
    return {iter_ + i};
  }
  HLO_CUTE_INLINE constexpr bool operator==(TaggedIterator const& other) const {
    return iter_ == other.iter_;
  }
};
template <class Iter>
using gmem_ptr = TaggedIterator<gmem_tag, Iter>;
template <class Iter>
using smem_ptr = TaggedIterator<smem_tag, Iter>;
template <class Iter>
using rmem_ptr = TaggedIterator<rmem_tag, Iter>;

/// A pointer whose accesses are swizzled by the address: element i of the byte address
/// swizzle(address of i).
template <class Sw, class Iter>
struct swizzle_ptr {
  using value_type = iter_value_t<Iter>;
  using element_type = iter_element_t<Iter>;
  using reference = iter_reference_t<Iter>;
  Iter iter_{};

  HLO_CUTE_INLINE Iter const& get() const { return iter_; }
  HLO_CUTE_INLINE static element_type* Swizzled(element_type* pointer) {
    return reinterpret_cast<element_type*>(
        Sw::apply(static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer))));
  }
  HLO_CUTE_INLINE reference operator*() const { return *Swizzled(iter_); }
  template <class Offset>
  HLO_CUTE_INLINE reference operator[](Offset const& i) const {
    return *Swizzled(iter_ + i);
  }
  template <class Offset>
  HLO_CUTE_INLINE swizzle_ptr operator+(Offset const& i) const {
    return {iter_ + i};
  }
};
template <class Iter, int b, int m, int s>
HLO_CUTE_INLINE auto make_swizzle_ptr(Iter const& iter, Swizzle<b, m, s>) {
  if constexpr (b == 0) {
    return iter;
  } else {
    return swizzle_ptr<Swizzle<b, m, s>, Iter>{iter};
  }
}

/// The function of a layout whose swizzle becomes one of the pointer, once its element type is
/// known.
template <int bits>
struct smem_ptr_flag_bits : Int<0> {};
using smem_ptr_flag = smem_ptr_flag_bits<1>;

namespace detail {

template <class Iter>
struct MemoryTag {
  using type = rmem_tag;  // what has no tag counts as registers
};
template <class Tag, class Iter>
struct MemoryTag<TaggedIterator<Tag, Iter>> {
  using type = Tag;
};
template <class Sw, class Iter>
struct MemoryTag<swizzle_ptr<Sw, Iter>> : MemoryTag<Iter> {};

template <class Iter>
struct IsSwizzled : C<false> {};
template <class Tag, class Iter>
struct IsSwizzled<TaggedIterator<Tag, Iter>> : IsSwizzled<Iter> {};
template <class Sw, class Iter>
struct IsSwizzled<swizzle_ptr<Sw, Iter>> : C<true> {};

// void const* and T const* keep their const.
template <class T, class P>
HLO_CUTE_INLINE constexpr auto PointerTo(P* pointer) {
  using Element = std::conditional_t<std::is_const<P>::value, T const, T>;
  if constexpr (is_subbyte_v<T>) {
    using Storage = typename subbyte_iterator<Element>::Storage;
    if constexpr (std::is_same<std::remove_const_t<P>, uint8_t>::value) {
      return subbyte_iterator<Element>(pointer);
    } else if constexpr (std::is_void<P>::value) {
      return subbyte_iterator<Element>(static_cast<Storage*>(pointer));
    } else {
      return subbyte_iterator<Element>(reinterpret_cast<Storage*>(pointer));
    }
  } else if constexpr (std::is_same<P, Element>::value) {
    return pointer;
  } else if constexpr (std::is_void<P>::value) {
    return static_cast<Element*>(pointer);
  } else {
    return reinterpret_cast<Element*>(pointer);
  }
}
template <class T, class U>
HLO_CUTE_INLINE constexpr auto PointerTo(subbyte_iterator<U> const& iter) {
  return PointerTo<T>(iter.byte);
}

template <class Tag, class Iter>
HLO_CUTE_INLINE constexpr auto Tagged(Iter const& iter) {
  static_assert(IsIterator<Iter>::value, "make_gmem_ptr and its like expect an iterator.");
  if constexpr (std::is_same<typename MemoryTag<Iter>::type, Tag>::value) {
    return iter;
  } else {
    return TaggedIterator<Tag, Iter>{iter};
  }
}

}  // namespace detail

template <class Iter>
struct is_gmem
    : bool_constant<
          std::is_same<typename detail::MemoryTag<std::decay_t<Iter>>::type, gmem_tag>::value> {};
template <class Iter>
struct is_smem
    : bool_constant<
          std::is_same<typename detail::MemoryTag<std::decay_t<Iter>>::type, smem_tag>::value> {};
template <class Iter>
struct is_rmem
    : bool_constant<
          std::is_same<typename detail::MemoryTag<std::decay_t<Iter>>::type, rmem_tag>::value> {};

template <class Iter>
constexpr bool is_gmem_v = is_gmem<Iter>::value;
template <class Iter>
constexpr bool is_smem_v = is_smem<Iter>::value;
template <class Iter>
constexpr bool is_rmem_v = is_rmem<Iter>::value;

#define HLO_CUTE_MAKE_PTR(name, Tag)                           \
  template <class Iter>                                        \
  HLO_CUTE_INLINE constexpr auto name(Iter iter) {             \
    return detail::Tagged<Tag>(iter);                          \
  }                                                            \
  template <class T, class P>                                  \
  HLO_CUTE_INLINE constexpr auto name(P* pointer) {            \
    return detail::Tagged<Tag>(detail::PointerTo<T>(pointer)); \
  }                                                            \
  template <class T>                                           \
  HLO_CUTE_INLINE constexpr auto name(std::nullptr_t) {        \
    return name<T>(static_cast<T*>(nullptr));                  \
  }
/// Tags a pointer, or the untyped pointer as one to T: make_gmem_ptr(p), make_gmem_ptr<float>(p).
HLO_CUTE_MAKE_PTR(make_gmem_ptr, gmem_tag)
HLO_CUTE_MAKE_PTR(make_smem_ptr, smem_tag)
HLO_CUTE_MAKE_PTR(make_rmem_ptr, rmem_tag)
#undef HLO_CUTE_MAKE_PTR
template <class Iter, int b, int m, int s>
HLO_CUTE_INLINE auto make_smem_ptr(Iter iter, Swizzle<b, m, s> swizzle) {
  return make_swizzle_ptr(make_smem_ptr(iter), swizzle);
}

/// The plain pointer in a tagged or swizzled one.
template <class Iter>
HLO_CUTE_INLINE constexpr auto raw_pointer_cast(Iter const& iter) {
  return iter;
}
template <class Tag, class Iter>
HLO_CUTE_INLINE constexpr auto raw_pointer_cast(TaggedIterator<Tag, Iter> const& iter) {
  return raw_pointer_cast(iter.get());
}
template <class Sw, class Iter>
HLO_CUTE_INLINE constexpr auto raw_pointer_cast(swizzle_ptr<Sw, Iter> const& iter) {
  return raw_pointer_cast(iter.get());
}

/// The same memory as elements of another type; tags stay.
template <class T, class P>
HLO_CUTE_INLINE constexpr auto recast_ptr(P* pointer) {
  return detail::PointerTo<T>(pointer);
}
template <class T, class U>
HLO_CUTE_INLINE constexpr auto recast_ptr(subbyte_iterator<U> const& iter) {
  return detail::PointerTo<T>(iter);
}
template <class T, class Tag, class Iter>
HLO_CUTE_INLINE constexpr auto recast_ptr(TaggedIterator<Tag, Iter> const& iter) {
  return detail::Tagged<Tag>(recast_ptr<T>(iter.get()));
}
template <class T, class Sw, class Iter>
HLO_CUTE_INLINE constexpr auto recast_ptr(swizzle_ptr<Sw, Iter> const& iter) {
  return make_swizzle_ptr(recast_ptr<T>(iter.get()), Sw{});
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_POINTER_H_
