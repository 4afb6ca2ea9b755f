// Numbers of narrow types: every code by formula, rounding, saturation.
#include "hlo/interpreter/element_value.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "llvm/ADT/APFloat.h"

namespace hlo_indexing::hlo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A small float type as its paper states it.
struct SmallFloat {
  ElementType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  // Codes without sign from here on: infinity at `infinity` (-1: none), nan above `largest`.
  int infinity;
  int largest;
  // The code of -0 is nan.
  bool nan_is_negative_zero;
};

constexpr SmallFloat kSmallFloats[] = {
    {ElementType::kF4E2M1FN, 2, 1, 1, -1, 0x7, false},
    {ElementType::kF8E3M4, 3, 4, 3, 0x70, 0x6f, false},
    {ElementType::kF8E4M3, 4, 3, 7, 0x78, 0x77, false},
    {ElementType::kF8E4M3B11FNUZ, 4, 3, 11, -1, 0x7f, true},
    {ElementType::kF8E4M3FN, 4, 3, 7, -1, 0x7e, false},
    {ElementType::kF8E4M3FNUZ, 4, 3, 8, -1, 0x7f, true},
    {ElementType::kF8E5M2, 5, 2, 15, 0x7c, 0x7b, false},
    {ElementType::kF8E5M2FNUZ, 5, 2, 16, -1, 0x7f, true},
    {ElementType::kF16, 5, 10, 15, 0x7c00, 0x7bff, false},
    {ElementType::kBF16, 8, 7, 127, 0x7f80, 0x7f7f, false},
};

// The value of a code: (-1)^s 2^(e - bias) 1.m, or 2^(1 - bias) 0.m where e is 0.
double ValueOf(const SmallFloat& f, int code) {
  const int sign_bit = 1 << (f.exponent_bits + f.mantissa_bits);
  const int magnitude = code & (sign_bit - 1);
  const double sign = (code & sign_bit) != 0 ? -1 : 1;
  if (f.nan_is_negative_zero && code == sign_bit) return kNan;
  if (magnitude == f.infinity) return sign * kInfinity;
  if (magnitude > f.largest) return kNan;
  const int exponent = magnitude >> f.mantissa_bits;
  const double mantissa = magnitude % (1 << f.mantissa_bits);
  const double scale = std::ldexp(1.0, -f.mantissa_bits);
  if (exponent == 0) return sign * mantissa * scale * std::ldexp(1.0, 1 - f.bias);
  return sign * (1 + mantissa * scale) * std::ldexp(1.0, exponent - f.bias);
}

class EveryCode : public ::testing::TestWithParam<SmallFloat> {};

TEST_P(EveryCode, DecodesByFormulaAndEncodesBack) {
  const SmallFloat& f = GetParam();
  const int codes = 2 << (f.exponent_bits + f.mantissa_bits);
  for (int code = 0; code < codes; ++code) {
    const double expected = ValueOf(f, code);
    const double value = DecodeFloat(f.type, static_cast<uint64_t>(code));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_TRUE(std::isnan(DecodeFloat(f.type, EncodeFloat(f.type, value)))) << code;
      continue;
    }
    EXPECT_EQ(value, expected) << code;
    EXPECT_EQ(std::signbit(value), std::signbit(expected)) << code;
    EXPECT_EQ(EncodeFloat(f.type, value), static_cast<uint64_t>(code));
  }
}

// Between two neighbours: below the middle down, above it up, at the middle to the even code.
TEST_P(EveryCode, RoundsToNearestTiesToEven) {
  const SmallFloat& f = GetParam();
  for (int code = 0; code < f.largest; ++code) {
    const double low = ValueOf(f, code);
    const double high = ValueOf(f, code + 1);
    const double middle = (low + high) / 2;
    const auto encode = [&](double x) { return static_cast<int>(EncodeFloat(f.type, x)); };
    EXPECT_EQ(encode(std::nextafter(middle, low)), code);
    EXPECT_EQ(encode(middle), code % 2 == 0 ? code : code + 1);
    EXPECT_EQ(encode(std::nextafter(middle, high)), code + 1);
  }
}

TEST_P(EveryCode, OverflowsAtHalfAStepBeyondTheLargest) {
  const SmallFloat& f = GetParam();
  const double largest = ValueOf(f, f.largest);
  const double step = largest - ValueOf(f, f.largest - 1);
  const double limit = largest + step / 2;
  EXPECT_EQ(RoundFloat(f.type, std::nextafter(limit, 0.0)), largest);
  for (const double beyond : {std::nextafter(limit, kInfinity), 1e300, kInfinity}) {
    const double rounded = RoundFloat(f.type, beyond);
    if (f.infinity >= 0) {
      EXPECT_EQ(rounded, kInfinity);
      EXPECT_EQ(RoundFloat(f.type, -beyond), -kInfinity);
    } else if (f.type == ElementType::kF4E2M1FN) {
      EXPECT_EQ(rounded, 6);
    } else {
      EXPECT_TRUE(std::isnan(rounded));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallFloats, EveryCode, ::testing::ValuesIn(kSmallFloats),
                         [](const auto& row) { return ElementTypeName(row.param.type).str(); });

// A second opinion: LLVM's soft floats, on numbers of all magnitudes. 0x9E3779B97F4A7C15 steps
// through the 64-bit patterns.
TEST(EncodeFloatTest, AgreesWithSoftFloats) {
  uint64_t bits = 0;
  for (int i = 0; i < 20000; ++i) {
    bits += 0x9E3779B97F4A7C15;
    // Half of them with exponents near 0.
    const uint64_t exponent = i % 2 == 0 ? bits >> 52 & 0x7ff : 1023 - 40 + bits % 80;
    const double value = llvm::bit_cast<double>((bits & 0x800FFFFFFFFFFFFF) | exponent << 52);
    if (std::isnan(value)) continue;
    for (const SmallFloat& f : kSmallFloats) {
      if (f.type == ElementType::kF4E2M1FN) continue;
      llvm::APFloat soft(value);
      bool loses_info = false;
      soft.convert(*FloatSemantics(f.type), llvm::APFloat::rmNearestTiesToEven, &loses_info);
      EXPECT_EQ(EncodeFloat(f.type, value), soft.bitcastToAPInt().getZExtValue())
          << ElementTypeName(f.type).str() << " " << value;
    }
  }
}

TEST(EncodeFloatTest, PowersOfTwo) {
  for (int code = 0; code < 255; ++code) {
    const double value = std::ldexp(1.0, code - 127);
    EXPECT_EQ(DecodeFloat(ElementType::kF8E8M0FNU, static_cast<uint64_t>(code)), value);
    EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, value), static_cast<uint64_t>(code));
    EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, value * 1.5),
              static_cast<uint64_t>(code + code % 2));
  }
  EXPECT_TRUE(std::isnan(DecodeFloat(ElementType::kF8E8M0FNU, 255)));
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 0), 0U);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, -1), 255U);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 1e300), 255U);
}

struct ConversionCase {
  const char* name;
  ElementType from;
  Element value;
  ElementType to;
  Element expected;
};

using T = ElementType;

std::vector<ConversionCase> Conversions() {
  return {
      {"TruncatesTowardZero", T::kF32, FloatElement(-2.9), T::kS32, IntegerElement(-2)},
      {"ClampsToS8", T::kF32, FloatElement(300), T::kS8, IntegerElement(127)},
      {"ClampsBelow", T::kF32, FloatElement(-300), T::kS8, IntegerElement(-128)},
      {"ClampsNegativeToU8", T::kF32, FloatElement(-1), T::kU8, IntegerElement(0)},
      {"ClampsToS4", T::kF32, FloatElement(9), T::kS4, IntegerElement(7)},
      {"ClampsToS64", T::kF64, FloatElement(1e30), T::kS64, IntegerElement(INT64_MAX)},
      {"ClampsToU64", T::kF64, FloatElement(1e30), T::kU64, IntegerElement(-1)},
      {"LargeU64", T::kF64, FloatElement(0x1p63), T::kU64, IntegerElement(INT64_MIN)},
      {"InfinityToS32", T::kF32, FloatElement(kInfinity), T::kS32, IntegerElement(INT32_MAX)},
      {"NanToInteger", T::kF32, FloatElement(kNan), T::kS32, IntegerElement(0)},
      {"NanToPred", T::kF32, FloatElement(kNan), T::kPred, IntegerElement(1)},
      {"HalfToPred", T::kF32, FloatElement(0.5), T::kPred, IntegerElement(1)},
      {"WrapsToS8", T::kS32, IntegerElement(200), T::kS8, IntegerElement(-56)},
      {"WrapsToU4", T::kS32, IntegerElement(-1), T::kU4, IntegerElement(15)},
      {"WrapsToS2", T::kS32, IntegerElement(2), T::kS2, IntegerElement(-2)},
      {"SignExtends", T::kS8, IntegerElement(-1), T::kU32, IntegerElement(0xffffffff)},
      {"TwoToPred", T::kS32, IntegerElement(2), T::kPred, IntegerElement(1)},
      // 2^24 + 1 lies between two floats and rounds to the even one.
      {"RoundsToF32", T::kS32, IntegerElement(16777217), T::kF32, FloatElement(16777216)},
      // 2^53 + 2^29 + 1 must round up; rounding to f64 first would lose the 1 and tie to even.
      {"RoundsOnce", T::kS64, IntegerElement((int64_t{1} << 53) + (int64_t{1} << 29) + 1), T::kF32,
       FloatElement(0x1p53 + 0x1p30)},
      {"U64ToF32", T::kU64, IntegerElement(-1), T::kF32, FloatElement(0x1p64)},
      {"U64ToF64", T::kU64, IntegerElement(-1), T::kF64, FloatElement(0x1p64)},
      {"IntegerToF16Overflows", T::kS32, IntegerElement(65520), T::kF16, FloatElement(kInfinity)},
      {"IntegerToF16", T::kS32, IntegerElement(65519), T::kF16, FloatElement(65504)},
      {"ComplexToReal", T::kC64, ComplexElement({3, 4}), T::kF32, FloatElement(3)},
      {"RealToComplex", T::kF64, FloatElement(0.1), T::kC64, ComplexElement({0.1F, 0})},
  };
}

TEST(ConvertElementTest, Table) {
  for (const ConversionCase& c : Conversions()) {
    const Element result = ConvertElement(c.value, c.from, c.to);
    EXPECT_EQ(result.integer, c.expected.integer) << c.name;
    EXPECT_EQ(result.real, c.expected.real) << c.name;
    EXPECT_EQ(result.imag, c.expected.imag) << c.name;
  }
}

}  // namespace
}  // namespace hlo_indexing::hlo
