#ifndef HLO_INDEXING_LAYOUT_CUTE_BIT_FIELD_H_
#define HLO_INDEXING_LAYOUT_CUTE_BIT_FIELD_H_

#include "layout/cute/numeric_types.h"

// bit_field<start, bits>: the bits start to start + bits - 1 of the memory at this place, as a
// value that is read and assigned. Several of them in a union describe the parts of a descriptor:
//
//   union Descriptor {
//     uint64_t word;
//     bit_field<0, 14> address;
//     bit_field<62, 2> swizzle;
//   };
//
// A field counts bits as the words of a little-endian machine do, and writes no others.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {
template <uint32_t bits>
using FieldWord = uint_bit_t<(bits <= 8    ? 8
                              : bits <= 16 ? 16
                              : bits <= 32 ? 32
                                           : 64)>;
}  // namespace detail

template <uint32_t start, uint32_t bits, class Value = detail::FieldWord<bits>>
struct bit_field {
  static_assert(0 < bits && bits <= 64, "bit_field<start, bits>: a field has 1 to 64 bits.");
  static_assert(bits <= 8 * sizeof(Value), "bit_field<start, bits, Value>: Value is too narrow.");
  using value_type = Value;
  using Word = detail::FieldWord<bits>;
  static constexpr uint32_t word_bits = 8 * sizeof(Word);
  static constexpr uint32_t word = start / word_bits;   // where the field begins
  static constexpr uint32_t shift = start % word_bits;  // and with which bit of it
  static constexpr bool straddles = shift + bits > word_bits;
  static constexpr uint64_t mask = ~uint64_t{0} >> (64 - bits);
  Word words_[word + (straddles ? 2 : 1)];

  HLO_CUTE_HD constexpr uint64_t raw() const {
    uint64_t value = static_cast<uint64_t>(words_[word]) >> shift;
    if constexpr (straddles) {
      value |= static_cast<uint64_t>(words_[word + 1]) << (word_bits - shift);
    }
    return value & mask;
  }
  HLO_CUTE_HD operator Value() const {
    if constexpr (std::is_integral<Value>::value) {
      return static_cast<Value>(raw());
    } else {
      static_assert(bits == 8 * sizeof(Value),
                    "bit_field<start, bits, Value>: Value is not an "
                    "integer and has another number of bits.");
      const Word pattern = static_cast<Word>(raw());
      Value value;
      __builtin_memcpy(&value, &pattern, sizeof(value));
      return value;
    }
  }
  HLO_CUTE_HD constexpr void set_raw(uint64_t value) {
    value &= mask;
    words_[word] = static_cast<Word>((words_[word] & ~(mask << shift)) | value << shift);
    if constexpr (straddles) {
      words_[word + 1] = static_cast<Word>((words_[word + 1] & ~(mask >> (word_bits - shift))) |
                                           value >> (word_bits - shift));
    }
  }
  HLO_CUTE_HD bit_field& operator=(Value value) {
    if constexpr (std::is_integral<Value>::value) {
      set_raw(static_cast<uint64_t>(value));
    } else {
      Word pattern = 0;
      __builtin_memcpy(&pattern, &value, sizeof(value));
      set_raw(pattern);
    }
    return *this;
  }
};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_BIT_FIELD_H_
