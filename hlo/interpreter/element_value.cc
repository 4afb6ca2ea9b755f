#include "hlo/interpreter/element_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "hlo/literal.h"

namespace hlo_indexing::hlo {
namespace {

// What the codes beyond the finite numbers stand for.
enum class Specials : uint8_t {
  kInfinityAndNan,   // as in IEEE 754: the largest exponent
  kNanOnly,          // "fn": all bits but the sign set
  kNanNegativeZero,  // "fnuz": the code of -0 is nan, there is no -0
  kNone,             // every code is a number
};

// A sign bit, then exponent and mantissa.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  uint64_t sign_bit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  uint64_t largest_finite() const {
    switch (specials) {
      case Specials::kInfinityAndNan:
        return infinity() - 1;
      case Specials::kNanOnly:
        return sign_bit() - 2;
      default:
        return sign_bit() - 1;
    }
  }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
};

// The types narrower than f32; f8e8m0fnu is all exponent and treated apart.
constexpr FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, Specials::kNone};
    case ElementType::kF8E3M4:
      return {3, 4, 3, Specials::kInfinityAndNan};
    case ElementType::kF8E4M3:
      return {4, 3, 7, Specials::kInfinityAndNan};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, Specials::kNanNegativeZero};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, Specials::kNanOnly};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, Specials::kNanNegativeZero};
    case ElementType::kF8E5M2:
      return {5, 2, 15, Specials::kInfinityAndNan};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, Specials::kNanNegativeZero};
    case ElementType::kBF16:
      return {8, 7, 127, Specials::kInfinityAndNan};
    default:
      return {5, 10, 15, Specials::kInfinityAndNan};
  }
}

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr uint64_t kDoubleMantissa = (uint64_t{1} << kDoubleMantissaBits) - 1;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// 2 to a power in the range of normal numbers.
double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kDoubleBias)
                               << kDoubleMantissaBits);
}

int ExponentOf(double value) {
  return static_cast<int>((std::bit_cast<uint64_t>(value) >> kDoubleMantissaBits) & 0x7ff) -
         kDoubleBias;
}

// value / 2^shift, to nearest, ties to even.
uint64_t ShiftRounding(uint64_t value, int shift) {
  if (shift > kDoubleMantissaBits + 1) return 0;
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t rest = value & ((half << 1) - 1);
  const uint64_t quotient = value >> shift;
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

constexpr int kPowerBias = 127;
constexpr uint64_t kPowerNan = 0xff;

// f8e8m0fnu: the code c stands for 2^(c - 127).
uint64_t EncodePower(double value) {
  if (std::isnan(value) || std::isinf(value) || value < 0) return kPowerNan;
  const int exponent = ExponentOf(value);
  if (exponent < -kPowerBias) {
    // What lies above the middle between 0 and the smallest value rounds to that, too.
    return 0;
  }
  uint64_t code = static_cast<uint64_t>(int64_t{exponent} + kPowerBias);
  const uint64_t mantissa = std::bit_cast<uint64_t>(value) & kDoubleMantissa;
  const uint64_t half = uint64_t{1} << (kDoubleMantissaBits - 1);
  if (mantissa > half || (mantissa == half && (code & 1) != 0)) ++code;
  return std::min(code, kPowerNan);
}

// The nan whose mantissa of so many bits has this value, signalling or not: the total order tells
// nans apart.
double NanWith(uint64_t mantissa, int mantissa_bits) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity()) |
                               mantissa << (kDoubleMantissaBits - mantissa_bits));
}

// The bits of an f32. A conversion by the processor would make a signalling nan a quiet one.
double DecodeFloat32(uint32_t bits) {
  constexpr int kMantissaBits = 23;
  const float value = std::bit_cast<float>(bits);
  if (!std::isnan(value)) return value;
  const double nan = NanWith(bits & ((1U << kMantissaBits) - 1), kMantissaBits);
  return std::copysign(nan, (bits >> 31) != 0 ? -1.0 : 1.0);
}

double DecodeSmallFloat(const FloatFormat& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  const bool is_negative = (bits & format.sign_bit()) != 0;
  if (format.specials == Specials::kNanNegativeZero) {
    if (is_negative && magnitude == 0) return kNan;
  } else if (magnitude > format.largest_finite()) {
    const bool is_infinity =
        format.specials == Specials::kInfinityAndNan && magnitude == format.infinity();
    double special = is_infinity ? std::numeric_limits<double>::infinity() : kNan;
    if (!is_infinity && format.specials == Specials::kInfinityAndNan) {
      special = NanWith(magnitude - format.infinity(), format.mantissa_bits);
    }
    return std::copysign(special, is_negative ? -1.0 : 1.0);
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  const uint64_t mantissa = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
  double value = 0;
  if (field == 0) {
    value = static_cast<double>(mantissa) * PowerOfTwo(1 - format.bias - format.mantissa_bits);
  } else {
    value = std::bit_cast<double>(
        (static_cast<uint64_t>(field - format.bias + kDoubleBias) << kDoubleMantissaBits) |
        mantissa << (kDoubleMantissaBits - format.mantissa_bits));
  }
  return is_negative ? -value : value;
}

uint64_t NanOf(const FloatFormat& format, bool is_negative) {
  const uint64_t sign = is_negative ? format.sign_bit() : 0;
  switch (format.specials) {
    case Specials::kInfinityAndNan:
      return sign | format.infinity() | (uint64_t{1} << (format.mantissa_bits - 1));
    case Specials::kNanOnly:
      return sign | (format.sign_bit() - 1);
    default:
      return format.sign_bit();
  }
}

uint64_t EncodeSmallFloat(const FloatFormat& format, double value) {
  const bool is_negative = std::signbit(value);
  if (std::isnan(value)) return NanOf(format, is_negative);
  uint64_t code = format.largest_finite() + 1;
  if (!std::isinf(value) && std::fabs(value) < PowerOfTwo(format.bias + 2)) {
    const int exponent = ExponentOf(value);
    const int smallest = 1 - format.bias;
    // Too small for a normal f64 is too small for any narrower type.
    const uint64_t significand =
        exponent == -kDoubleBias
            ? 0
            : (std::bit_cast<uint64_t>(value) & kDoubleMantissa) | (kDoubleMantissa + 1);
    const int shift = kDoubleMantissaBits - format.mantissa_bits;
    // The significand's leading bit adds 1 to the exponent field, and so does a carry.
    code = exponent >= smallest
               ? (static_cast<uint64_t>(exponent - smallest) << format.mantissa_bits) +
                     ShiftRounding(significand, shift)
               : ShiftRounding(significand, shift + smallest - exponent);
  }
  const uint64_t sign = is_negative ? format.sign_bit() : 0;
  if (code > format.largest_finite()) {
    switch (format.specials) {
      case Specials::kInfinityAndNan:
        return sign | format.infinity();
      case Specials::kNone:
        return sign | format.largest_finite();
      default:
        return NanOf(format, is_negative);
    }
  }
  if (code == 0 && format.specials == Specials::kNanNegativeZero) return 0;
  return sign | code;
}

// An integer as a double from which rounding to any narrower float type gives what rounding the
// integer itself would: cut to 53 bits, the last bit set if something was cut off.
double ToRoundableDouble(bool is_unsigned, int64_t value) {
  const bool is_negative = !is_unsigned && value < 0;
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (is_negative) magnitude = ~magnitude + 1;
  const int excess = static_cast<int>(std::bit_width(magnitude)) - (kDoubleMantissaBits + 1);
  if (excess > 0) {
    const uint64_t lost = magnitude & ((uint64_t{1} << excess) - 1);
    magnitude = (magnitude >> excess | (lost != 0 ? 1 : 0)) << excess;
  }
  const double result = static_cast<double>(magnitude);
  return is_negative ? -result : result;
}

double IntegerToFloat(ElementType from, ElementType to, int64_t value) {
  const bool is_unsigned = from == ElementType::kU64;
  if (RealPartType(to) == ElementType::kF64) {
    return is_unsigned ? static_cast<double>(static_cast<uint64_t>(value))
                       : static_cast<double>(value);
  }
  return RoundFloat(RealPartType(to), ToRoundableDouble(is_unsigned, value));
}

int64_t FloatToInteger(ElementType to, double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  if (to == ElementType::kU64) {
    if (whole <= 0) return 0;
    if (whole >= 0x1p64) return -1;
    return static_cast<int64_t>(static_cast<uint64_t>(whole));
  }
  if (whole <= static_cast<double>(SmallestInteger(to))) return SmallestInteger(to);
  if (whole >= static_cast<double>(LargestInteger(to))) return LargestInteger(to);
  return static_cast<int64_t>(whole);
}

template <typename T>
T Read(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T>
void Write(T value, uint8_t* bytes) {
  std::memcpy(bytes, &value, sizeof(T));
}

double LoadFloat(ElementType type, const uint8_t* bytes) {
  switch (type) {
    case ElementType::kF32:
      return DecodeFloat32(Read<uint32_t>(bytes));
    case ElementType::kF64:
      return Read<double>(bytes);
    case ElementType::kF16:
    case ElementType::kBF16:
      return DecodeFloat(type, Read<uint16_t>(bytes));
    default:
      return DecodeFloat(type, *bytes);
  }
}

void StoreFloat(ElementType type, double value, uint8_t* bytes) {
  switch (type) {
    case ElementType::kF32:
      return Write(static_cast<float>(value), bytes);
    case ElementType::kF64:
      return Write(value, bytes);
    case ElementType::kF16:
    case ElementType::kBF16:
      return Write(static_cast<uint16_t>(EncodeFloat(type, value)), bytes);
    default:
      *bytes = static_cast<uint8_t>(EncodeFloat(type, value));
  }
}

template <typename Signed, typename Unsigned>
int64_t ReadInteger(bool is_signed, const uint8_t* bytes) {
  if (is_signed) return Read<Signed>(bytes);
  return Read<Unsigned>(bytes);
}

int64_t LoadInteger(ElementType type, const uint8_t* bytes) {
  const bool is_signed = ClassOf(type) == ElementClass::kSigned;
  switch (LiteralBytesPerElement(type)) {
    case 1:
      return ReadInteger<int8_t, uint8_t>(is_signed, bytes);
    case 2:
      return ReadInteger<int16_t, uint16_t>(is_signed, bytes);
    case 4:
      return ReadInteger<int32_t, uint32_t>(is_signed, bytes);
    default:
      return Read<int64_t>(bytes);
  }
}

void StoreInteger(ElementType type, int64_t value, uint8_t* bytes) {
  value = WrapInteger(type, value);
  switch (LiteralBytesPerElement(type)) {
    case 1:
      *bytes = static_cast<uint8_t>(value);
      return;
    case 2:
      return Write(static_cast<uint16_t>(value), bytes);
    case 4:
      return Write(static_cast<uint32_t>(value), bytes);
    default:
      return Write(value, bytes);
  }
}

}  // namespace

static_assert(std::endian::native == std::endian::little,
              "elements are kept in the byte order of literals, least significant byte first");

int64_t WrapInteger(ElementType type, int64_t value) {
  if (type == ElementType::kPred) return value != 0 ? 1 : 0;
  const int unused = 64 - static_cast<int>(ElementBits(type));
  const uint64_t top = static_cast<uint64_t>(value) << unused;
  return ClassOf(type) == ElementClass::kSigned ? static_cast<int64_t>(top) >> unused
                                                : static_cast<int64_t>(top >> unused);
}

int64_t SmallestInteger(ElementType type) {
  return ClassOf(type) == ElementClass::kSigned ? INT64_MIN >> (64 - ElementBits(type)) : 0;
}

int64_t LargestInteger(ElementType type) { return WrapInteger(type, ~SmallestInteger(type)); }

double DecodeFloat(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<double>(bits);
    case ElementType::kF32:
      return DecodeFloat32(static_cast<uint32_t>(bits));
    case ElementType::kBF16:
      return DecodeFloat32(static_cast<uint32_t>(bits) << 16);
    case ElementType::kF8E8M0FNU:
      return bits == kPowerNan ? kNan : PowerOfTwo(static_cast<int>(bits) - kPowerBias);
    default:
      return DecodeSmallFloat(FormatOf(type), bits);
  }
}

uint64_t EncodeFloat(ElementType type, double value) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<uint64_t>(value);
    case ElementType::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case ElementType::kF8E8M0FNU:
      return EncodePower(value);
    default:
      return EncodeSmallFloat(FormatOf(type), value);
  }
}

double RoundFloat(ElementType type, double value) {
  if (type == ElementType::kF64) return value;
  if (type == ElementType::kF32) return static_cast<float>(value);
  return DecodeFloat(type, EncodeFloat(type, value));
}

Element LoadElement(ElementType type, const uint8_t* bytes) {
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      return FloatElement(LoadFloat(type, bytes));
    case ElementClass::kComplex: {
      const ElementType part = RealPartType(type);
      return ComplexElement(
          {LoadFloat(part, bytes), LoadFloat(part, bytes + LiteralBytesPerElement(part))});
    }
    default:
      return IntegerElement(LoadInteger(type, bytes));
  }
}

void StoreElement(ElementType type, const Element& element, uint8_t* bytes) {
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      return StoreFloat(type, element.real, bytes);
    case ElementClass::kComplex: {
      const ElementType part = RealPartType(type);
      StoreFloat(part, element.real, bytes);
      return StoreFloat(part, element.imag, bytes + LiteralBytesPerElement(part));
    }
    default:
      return StoreInteger(type, element.integer, bytes);
  }
}

Element ConvertElement(const Element& element, ElementType from, ElementType to) {
  const ElementClass source = ClassOf(from);
  const ElementClass target = ClassOf(to);
  const bool is_number = source == ElementClass::kFloat || source == ElementClass::kComplex;
  Element result;
  result.sources = element.sources;
  if (target == ElementClass::kPredicate) {
    const bool is_zero = is_number ? element.real == 0 && element.imag == 0 : element.integer == 0;
    result.integer = is_zero ? 0 : 1;
  } else if (IsIntegral(to)) {
    result.integer =
        is_number ? FloatToInteger(to, element.real) : WrapInteger(to, element.integer);
  } else if (!is_number) {
    result.real = IntegerToFloat(from, to, element.integer);
  } else {
    result.real = RoundFloat(RealPartType(to), element.real);
    if (target == ElementClass::kComplex) {
      result.imag = RoundFloat(RealPartType(to), element.imag);
    }
  }
  return result;
}

}  // namespace hlo_indexing::hlo
