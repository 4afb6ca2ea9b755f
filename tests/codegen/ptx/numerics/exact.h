// An oracle for rounded arithmetic: exact numbers of any size, and rounding by its definition. It
// finds the two values of a format around an exact result by bisection over the format's encodings,
// comparing with each what the result is by definition (a quotient a / b is above c if a > b * c),
// and then takes the one that the mode says. Nothing of it is shared with what is tested.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_EXACT_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_EXACT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics::exact {

/// A natural number of any size.
class Natural {
 public:
  Natural() = default;
  explicit Natural(uint64_t value);

  bool IsZero() const { return digits_.empty(); }
  int BitLength() const;
  Natural ShiftedLeft(int bits) const;
  Natural Plus(const Natural& other) const;
  /// `other` is at most this.
  Natural Minus(const Natural& other) const;
  Natural Times(const Natural& other) const;
  /// -1, 0 or 1.
  int Compare(const Natural& other) const;

 private:
  void Trim();
  // To the base 2^32, the lowest first, without leading zeros.
  std::vector<uint32_t> digits_;
};

/// +-magnitude * 2^exponent.
struct Dyadic {
  bool is_negative = false;
  Natural magnitude;
  int exponent = 0;

  Dyadic Negated() const;
  Dyadic Plus(const Dyadic& other) const;
  Dyadic Times(const Dyadic& other) const;
  /// Compares |this| and |other|.
  int CompareMagnitude(const Dyadic& other) const;
};

/// A format by the places of its bits. Its greatest finite encoding is given, as that differs.
struct Format {
  int mantissa_bits;
  int bias;
  uint64_t sign_bit;
  uint64_t greatest;
};
inline constexpr Format kF64 = {52, 1023, uint64_t{1} << 63, 0x7fef'ffff'ffff'ffff};
inline constexpr Format kF32 = {23, 127, 0x8000'0000, 0x7f7f'ffff};
inline constexpr Format kTf32 = {10, 127, 0x40000, 0x3fbff};
inline constexpr Format kF16 = {10, 15, 0x8000, 0x7bff};
inline constexpr Format kBf16 = {7, 127, 0x8000, 0x7f7f};

/// The number that an encoding stands for; one after the greatest would stand for, were it a
/// number.
Dyadic ValueOf(const Format& format, uint64_t bits);
bool IsFinite(const Format& format, uint64_t bits);
bool IsNan(const Format& format, uint64_t bits);

/// A number that is known by comparing its magnitude.
struct Result {
  bool is_negative = false;
  bool is_zero = false;
  /// The sign of |the number| - |candidate|.
  std::function<int(const Dyadic&)> compare;
};
Result Known(Dyadic value);
/// Neither operand is zero.
Result Quotient(const Dyadic& a, const Dyadic& b);
/// Of a positive number.
Result Root(const Dyadic& value);

/// The number rounded; beyond the greatest it is the encoding after the greatest. With `flush`,
/// zero of its sign if it is below the least normal number when rounded to as many bits without
/// bound below. A zero has the sign of `is_negative`.
uint64_t Round(const Format& format, const Result& number, Rounding rounding, bool flush);

}  // namespace hlo_indexing::ptx::numerics::exact

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_EXACT_H_
