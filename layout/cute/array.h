#ifndef HLO_INDEXING_LAYOUT_CUTE_ARRAY_H_
#define HLO_INDEXING_LAYOUT_CUTE_ARRAY_H_

#include "layout/cute/pointer.h"

// Arrays that kernels hold in registers or in shared memory.
//
//   array<float, 4> a = {1, 2, 3, 4};           // a tuple as well: get<2>(a)
//   alignas(16) array_aligned<half_t, 128> b;   // aligned to 16 bytes
//   array_subbyte<int4b_t, 64> c;               // 32 bytes; c[3] is a reference
//   array_subbyte<bool, 64> d;                  // 8 bytes
HLO_CUTE_BEGIN_NAMESPACE

template <class T, std::size_t n>
struct array {
  using value_type = T;
  using element_type = T;
  using size_type = std::size_t;
  using reference = T&;
  using const_reference = T const&;
  using pointer = T*;
  using iterator = T*;
  using const_iterator = T const*;
  T storage_[n > 0 ? n : 1];

  HLO_CUTE_LEAF constexpr T& operator[](std::size_t i) { return storage_[i]; }
  HLO_CUTE_LEAF constexpr T const& operator[](std::size_t i) const { return storage_[i]; }
  HLO_CUTE_INLINE constexpr T& front() { return storage_[0]; }
  HLO_CUTE_INLINE constexpr T const& front() const { return storage_[0]; }
  HLO_CUTE_INLINE constexpr T& back() { return storage_[n - 1]; }
  HLO_CUTE_INLINE constexpr T const& back() const { return storage_[n - 1]; }
  HLO_CUTE_LEAF constexpr T* data() { return storage_; }
  HLO_CUTE_LEAF constexpr T const* data() const { return storage_; }
  HLO_CUTE_LEAF constexpr T* begin() { return storage_; }
  HLO_CUTE_LEAF constexpr T const* begin() const { return storage_; }
  HLO_CUTE_LEAF constexpr T* end() { return storage_ + n; }
  HLO_CUTE_LEAF constexpr T const* end() const { return storage_ + n; }
  HLO_CUTE_INLINE static constexpr bool empty() { return n == 0; }
  HLO_CUTE_INLINE static constexpr std::size_t size() { return n; }
  HLO_CUTE_INLINE static constexpr std::size_t max_size() { return n; }
  HLO_CUTE_INLINE constexpr void fill(T const& value) {
    for (T& x : *this) x = value;
  }
  HLO_CUTE_INLINE constexpr void clear() { fill(T{}); }
};
template <class T, std::size_t n>
HLO_CUTE_INLINE constexpr bool operator==(array<T, n> const& a, array<T, n> const& b) {
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}
template <class T, std::size_t n>
HLO_CUTE_INLINE constexpr bool operator!=(array<T, n> const& a, array<T, n> const& b) {
  return !(a == b);
}
template <class T, std::size_t n>
HLO_CUTE_INLINE constexpr void clear(array<T, n>& a) {
  a.clear();
}
template <class T, std::size_t n>
HLO_CUTE_INLINE constexpr void fill(array<T, n>& a, T const& value) {
  a.fill(value);
}

/// Elements of at most 8 bits, packed.
template <class T, std::size_t n>
struct array_subbyte {
  static_assert(detail::packed_bits_v<T> <= 8,
                "array_subbyte<T, n>: T has more than 8 bits; use array<T, n>.");
  using value_type = T;
  using element_type = T;
  using reference = subbyte_reference<T>;
  using iterator = subbyte_iterator<T>;
  using const_iterator = subbyte_iterator<T const>;
  static constexpr std::size_t bytes =
      (n * static_cast<std::size_t>(detail::packed_bits_v<T>) + 7) / 8;
  uint8_t storage_[bytes > 0 ? bytes : 1];

  HLO_CUTE_INLINE iterator begin() { return {storage_, 0}; }
  HLO_CUTE_INLINE const_iterator begin() const { return {storage_, 0}; }
  HLO_CUTE_INLINE iterator end() { return begin() + static_cast<int64_t>(n); }
  HLO_CUTE_INLINE const_iterator end() const { return begin() + static_cast<int64_t>(n); }
  HLO_CUTE_INLINE iterator data() { return begin(); }
  HLO_CUTE_INLINE const_iterator data() const { return begin(); }
  HLO_CUTE_INLINE uint8_t* raw_data() { return storage_; }
  HLO_CUTE_INLINE uint8_t const* raw_data() const { return storage_; }
  HLO_CUTE_INLINE reference front() { return (*this)[0]; }
  HLO_CUTE_INLINE T front() const { return (*this)[0]; }
  HLO_CUTE_INLINE reference back() { return (*this)[n - 1]; }
  HLO_CUTE_INLINE T back() const { return (*this)[n - 1]; }
  HLO_CUTE_INLINE reference operator[](std::size_t i) { return begin()[static_cast<int64_t>(i)]; }
  HLO_CUTE_INLINE T operator[](std::size_t i) const { return begin()[static_cast<int64_t>(i)]; }
  HLO_CUTE_INLINE static constexpr bool empty() { return n == 0; }
  HLO_CUTE_INLINE static constexpr std::size_t size() { return n; }
  HLO_CUTE_INLINE void fill(T const& value) {
    for (std::size_t i = 0; i < n; ++i) (*this)[i] = value;
  }
  HLO_CUTE_INLINE void clear() { fill(T{}); }
};
template <class T, std::size_t n>
HLO_CUTE_INLINE void clear(array_subbyte<T, n>& a) {
  a.clear();
}
template <class T, std::size_t n>
HLO_CUTE_INLINE void fill(array_subbyte<T, n>& a, T const& value) {
  a.fill(value);
}

namespace detail {
template <class T, std::size_t n, std::size_t alignment, bool packed>
struct alignas(alignment) AlignedArray : array<T, n> {};
template <class T, std::size_t n, std::size_t alignment>
struct alignas(alignment) AlignedArray<T, n, alignment, true> : array_subbyte<T, n> {};
}  // namespace detail
/// An array aligned for the widest accesses.
template <class T, std::size_t n, std::size_t alignment = 16>
using array_aligned = detail::AlignedArray<T, n, alignment, is_subbyte_v<T>>;

/// Example: reverse({1,2,3}) -> {3,2,1}
template <class T, std::size_t n>
HLO_CUTE_INLINE constexpr array<T, n> reverse(array<T, n> const& a) {
  array<T, n> reversed{};
  for (std::size_t i = 0; i < n; ++i) reversed[i] = a[n - 1 - i];
  return reversed;
}

namespace detail {
template <class T, std::size_t n>
struct TupleTraits<array<T, n>> {
  static constexpr bool is_tuple = true;
  static constexpr int size = static_cast<int>(n);
};
}  // namespace detail
template <int I, class T, std::size_t n>
HLO_CUTE_LEAF constexpr T const& get(array<T, n> const& a) {
  static_assert(I >= 0 && I < static_cast<int>(n), "get<I>(array): I is not an index of it.");
  return a.storage_[I];
}
template <int I, class T, std::size_t n>
HLO_CUTE_LEAF constexpr T& get(array<T, n>& a) {
  static_assert(I >= 0 && I < static_cast<int>(n), "get<I>(array): I is not an index of it.");
  return a.storage_[I];
}

HLO_CUTE_END_NAMESPACE

template <class T, std::size_t n>
struct std::tuple_size<hlo_indexing::layout::cute::array<T, n>>
    : std::integral_constant<std::size_t, n> {};
template <std::size_t I, class T, std::size_t n>
struct std::tuple_element<I, hlo_indexing::layout::cute::array<T, n>> {
  using type = T;
};

#endif  // HLO_INDEXING_LAYOUT_CUTE_ARRAY_H_
