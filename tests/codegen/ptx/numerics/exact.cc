#include "tests/codegen/ptx/numerics/exact.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics::exact {

Natural::Natural(uint64_t value) {
  digits_ = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
  Trim();
}

void Natural::Trim() {
  while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
}

int Natural::BitLength() const {
  if (digits_.empty()) return 0;
  return static_cast<int>(digits_.size()) * 32 - std::countl_zero(digits_.back());
}

Natural Natural::ShiftedLeft(int bits) const {
  Natural result;
  if (IsZero()) return result;
  result.digits_.reserve(digits_.size() + static_cast<size_t>(bits / 32) + 1);
  result.digits_.assign(static_cast<size_t>(bits / 32), 0);
  uint64_t carry = 0;
  for (const uint32_t digit : digits_) {
    carry |= static_cast<uint64_t>(digit) << bits % 32;
    result.digits_.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  result.digits_.push_back(static_cast<uint32_t>(carry));
  result.Trim();
  return result;
}

Natural Natural::Plus(const Natural& other) const {
  Natural result;
  result.digits_.reserve(std::max(digits_.size(), other.digits_.size()) + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < std::max(digits_.size(), other.digits_.size()) + 1; ++i) {
    carry += i < digits_.size() ? digits_[i] : 0;
    carry += i < other.digits_.size() ? other.digits_[i] : 0;
    result.digits_.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  result.Trim();
  return result;
}

Natural Natural::Minus(const Natural& other) const {
  Natural result;
  result.digits_.reserve(digits_.size());
  int64_t borrow = 0;
  for (size_t i = 0; i < digits_.size(); ++i) {
    int64_t digit = static_cast<int64_t>(digits_[i]) + borrow -
                    (i < other.digits_.size() ? static_cast<int64_t>(other.digits_[i]) : 0);
    borrow = digit < 0 ? -1 : 0;
    if (digit < 0) digit += int64_t{1} << 32;
    result.digits_.push_back(static_cast<uint32_t>(digit));
  }
  result.Trim();
  return result;
}

Natural Natural::Times(const Natural& other) const {
  Natural result;
  result.digits_.assign(digits_.size() + other.digits_.size(), 0);
  for (size_t i = 0; i < digits_.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < other.digits_.size() || carry != 0; ++j) {
      carry += result.digits_[i + j];
      if (j < other.digits_.size()) carry += uint64_t{digits_[i]} * other.digits_[j];
      result.digits_[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  result.Trim();
  return result;
}

int Natural::Compare(const Natural& other) const {
  if (digits_.size() != other.digits_.size()) {
    return digits_.size() < other.digits_.size() ? -1 : 1;
  }
  for (size_t i = digits_.size(); i-- > 0;) {
    if (digits_[i] != other.digits_[i]) return digits_[i] < other.digits_[i] ? -1 : 1;
  }
  return 0;
}

Dyadic Dyadic::Negated() const { return {!is_negative, magnitude, exponent}; }

Dyadic Dyadic::Plus(const Dyadic& other) const {
  if (magnitude.IsZero()) return other;
  if (other.magnitude.IsZero()) return *this;
  const int least = std::min(exponent, other.exponent);
  const Natural a = magnitude.ShiftedLeft(exponent - least);
  const Natural b = other.magnitude.ShiftedLeft(other.exponent - least);
  if (is_negative == other.is_negative) return {is_negative, a.Plus(b), least};
  return a.Compare(b) >= 0 ? Dyadic{is_negative, a.Minus(b), least}
                           : Dyadic{other.is_negative, b.Minus(a), least};
}

Dyadic Dyadic::Times(const Dyadic& other) const {
  return {is_negative != other.is_negative, magnitude.Times(other.magnitude),
          exponent + other.exponent};
}

int Dyadic::CompareMagnitude(const Dyadic& other) const {
  if (magnitude.IsZero() || other.magnitude.IsZero()) {
    return (magnitude.IsZero() ? 0 : 1) - (other.magnitude.IsZero() ? 0 : 1);
  }
  const int top = magnitude.BitLength() + exponent;
  const int other_top = other.magnitude.BitLength() + other.exponent;
  if (top != other_top) return top < other_top ? -1 : 1;
  if (exponent == other.exponent) return magnitude.Compare(other.magnitude);
  // One of them only is shifted.
  if (exponent > other.exponent) {
    return magnitude.ShiftedLeft(exponent - other.exponent).Compare(other.magnitude);
  }
  return magnitude.Compare(other.magnitude.ShiftedLeft(other.exponent - exponent));
}

Dyadic ValueOf(const Format& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit - 1);
  const uint64_t hidden = uint64_t{1} << format.mantissa_bits;
  const int field = static_cast<int>(magnitude / hidden);
  const uint64_t mantissa = magnitude % hidden;
  const int least = 1 - format.bias - format.mantissa_bits;
  return {(bits & format.sign_bit) != 0, Natural(field == 0 ? mantissa : mantissa + hidden),
          field == 0 ? least : least + field - 1};
}

bool IsFinite(const Format& format, uint64_t bits) {
  return (bits & (format.sign_bit - 1)) <= format.greatest;
}

bool IsNan(const Format& format, uint64_t bits) {
  return (bits & (format.sign_bit - 1)) > format.greatest + 1;
}

Result Known(Dyadic value) {
  const bool is_negative = value.is_negative;
  const bool is_zero = value.magnitude.IsZero();
  return {is_negative, is_zero, [value = std::move(value)](const Dyadic& candidate) {
            return value.CompareMagnitude(candidate);
          }};
}

Result Quotient(const Dyadic& a, const Dyadic& b) {
  return {a.is_negative != b.is_negative, false,
          [a, b](const Dyadic& candidate) { return a.CompareMagnitude(candidate.Times(b)); }};
}

Result Root(const Dyadic& value) {
  return {false, false, [value](const Dyadic& candidate) {
            return value.CompareMagnitude(candidate.Times(candidate));
          }};
}

namespace {

// The magnitude's encoding, that after the greatest if it is beyond. `compare` compares the
// magnitude.
uint64_t RoundMagnitude(const Format& format, const std::function<int(const Dyadic&)>& compare,
                        bool is_negative, Rounding rounding) {
  // The last encoding that is not above, of those up to the one after the greatest.
  uint64_t low = 0;
  uint64_t end = format.greatest + 2;
  while (end - low > 1) {
    const uint64_t middle = low + (end - low) / 2;
    (compare(ValueOf(format, middle)) >= 0 ? low : end) = middle;
  }
  const bool grows =
      rounding == Rounding::kUp ? !is_negative : rounding == Rounding::kDown && is_negative;
  const bool to_nearest = rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway;
  if (low > format.greatest) return to_nearest || grows ? low : format.greatest;
  if (compare(ValueOf(format, low)) == 0) return low;
  if (!to_nearest) return grows ? low + 1 : low;
  Dyadic twice = ValueOf(format, low).Plus(ValueOf(format, low + 1));
  --twice.exponent;
  const int side = compare(twice);
  if (side != 0) return side < 0 ? low : low + 1;
  return rounding == Rounding::kNearestAway || low % 2 != 0 ? low + 1 : low;
}

}  // namespace

uint64_t Round(const Format& format, const Result& number, Rounding rounding, bool flush) {
  const uint64_t sign = number.is_negative ? format.sign_bit : 0;
  if (number.is_zero) return sign;
  if (flush) {
    const uint64_t least_normal = uint64_t{1} << format.mantissa_bits;
    Dyadic half_of_least = ValueOf(format, least_normal);
    --half_of_least.exponent;
    if (number.compare(half_of_least) < 0) return sign;
    if (number.compare(ValueOf(format, least_normal)) < 0) {
      // Twice the number is normal: rounded, it is twice what the number is without a bound.
      const auto compare_twice = [&](Dyadic candidate) {
        --candidate.exponent;
        return number.compare(candidate);
      };
      const uint64_t twice = RoundMagnitude(format, compare_twice, number.is_negative, rounding);
      if (twice < 2 * least_normal) return sign;
    }
  }
  return sign | RoundMagnitude(format, number.compare, number.is_negative, rounding);
}

}  // namespace hlo_indexing::ptx::numerics::exact
