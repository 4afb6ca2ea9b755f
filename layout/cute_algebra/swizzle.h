// Swizzles, functions on offsets that exchange bits so that the columns of a tile fall into
// different banks of shared memory, and composed layouts: a function behind a layout.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SWIZZLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SWIZZLE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"

namespace hlo_indexing::layout {

/// x -> x xor ((x and source) shifted right by `shift`): `bits` bits at base + max(0, shift) are
/// added, without carry, to those |shift| below, or above for a negative shift. Its own inverse.
class CuteSwizzle {
 public:
  /// An error unless bits and base are not negative, |shift| >= bits, and all bits lie below 2^62.
  /// Example: 3, 4, 3 -> Sw<3,4,3>
  static absl::StatusOr<CuteSwizzle> Create(int64_t bits, int64_t base, int64_t shift);

  int64_t bits() const { return bits_; }
  int64_t base() const { return base_; }
  int64_t shift() const { return shift_; }
  /// The bits that are read, and those that are changed.
  int64_t source_mask() const;
  int64_t target_mask() const;
  /// What x is xor-ed with.
  int64_t Moved(int64_t x) const;
  /// Example: Sw<3,0,3>, 63 -> 56
  int64_t Apply(int64_t x) const { return x ^ Moved(x); }
  /// The size of the aligned blocks of offsets that the swizzle permutes.
  /// Example: Sw<3,4,3> -> 1024
  int64_t block() const;

  /// Example: Sw<3,4,3>
  std::string ToString() const;

  friend bool operator==(const CuteSwizzle&, const CuteSwizzle&) = default;

 private:
  CuteSwizzle(int64_t bits, int64_t base, int64_t shift)
      : bits_(bits), base_(base), shift_(shift) {}

  int64_t bits_;
  int64_t base_;
  int64_t shift_;
};

/// One swizzle for a after b, of equal shift. An error if the bits of both together are not
/// adjacent, or a reads what b changes.
absl::StatusOr<CuteSwizzle> Compose(const CuteSwizzle& a, const CuteSwizzle& b);

/// c -> outer(offset + inner(c)): a function, a swizzle or a layout, behind a layout. It has a
/// shape and no strides, and always evaluates right: the composition of layouts that has no layout
/// is one.
struct ComposedLayout {
  std::variant<CuteSwizzle, CuteLayout> outer;
  TupleInteger offset;
  CuteLayout inner;

  /// The offset of the element at an index. A layout as outer function counts past its end on in
  /// its last mode. OutOfRange if the index is outside, or a value does not fit in 64 bits;
  /// InvalidArgument if outer has no value.
  absl::StatusOr<int64_t> Offset(int64_t index) const;
  /// outer(offset + inside), with the same errors: what Offset does with an offset of `inner`.
  absl::StatusOr<int64_t> Apply(int64_t inside) const;
  /// The size of an array that holds all offsets: of a swizzle, whole blocks, offset 0 included. An
  /// error if it does not fit in 64 bits, or behind a layout there are more than 2^20 elements.
  /// Example: Sw<2,0,2> o _0 o 10:1 -> 16
  absl::StatusOr<int64_t> Cosize() const;

  /// Example: Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
  std::string ToString() const;
};

/// The swizzle behind the layout. If the modes do not reach both the bits that the swizzle reads
/// and those that it changes, and the offset has none of theirs, this is a plain layout: strides
/// change their signs with the offset.
struct SwizzledModes {
  std::variant<CuteLayout, ComposedLayout> layout;
  /// What lies before it: the offset of the first element, of a plain layout; of a composed one the
  /// part that the swizzle leaves alone.
  TupleInteger base;
};
absl::StatusOr<SwizzledModes> SwizzleModes(const CuteSwizzle& swizzle, const TupleInteger& offset,
                                           const CuteLayout& modes);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SWIZZLE_H_
