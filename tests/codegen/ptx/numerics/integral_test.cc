#include "codegen/ptx/numerics/integral.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"
#include "tests/codegen/ptx/numerics/under_rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__

constexpr Rounding kAllRoundings[] = {Rounding::kNearestEven, Rounding::kTowardZero,
                                      Rounding::kDown, Rounding::kUp, Rounding::kNearestAway};

// By the C library.
double Integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return std::nearbyint(value);
    case Rounding::kTowardZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kNearestAway:
      return std::round(value);
  }
  return 0;
}

template <typename Integer>
Integer Clamped(double integral) {
  // Doubles beyond 64 bits are clamped before they are converted.
  const Wide value = static_cast<Wide>(std::clamp(integral, -0x1p100, 0x1p100));
  return static_cast<Integer>(std::clamp<Wide>(value, std::numeric_limits<Integer>::min(),
                                               std::numeric_limits<Integer>::max()));
}

template <typename Integer>
void ExpectToInteger(double value) {
  for (const Rounding rounding : kAllRoundings) {
    const Integer expected = Clamped<Integer>(Integral(value, rounding));
    ASSERT_EQ(ToInteger<Integer>(value, rounding), expected)
        << value << " rounding " << static_cast<int>(rounding);
    if (static_cast<double>(static_cast<float>(value)) == value) {
      ASSERT_EQ(ToInteger<Integer>(static_cast<float>(value), rounding), expected) << value;
    }
  }
}

// Around the ends of all integer types, around halves, and anything.
std::vector<double> Values() {
  std::vector<double> values = {0.0, -0.0, 5e-324, -5e-324, 1e300, -1e300, HUGE_VAL, -HUGE_VAL};
  for (const int width : {7, 8, 15, 16, 23, 24, 31, 32, 51, 52, 53, 63, 64}) {
    for (const double base : {std::ldexp(1.0, width), -std::ldexp(1.0, width)}) {
      for (const double offset : {-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0}) {
        values.push_back(base + offset);
      }
      values.push_back(std::nextafter(base, 0.0));
      values.push_back(std::nextafter(base, 2 * base));
      values.push_back(static_cast<double>(std::nextafter(static_cast<float>(base), 0.0F)));
    }
  }
  for (int i = -20; i <= 20; ++i) {
    values.push_back(i / 4.0);
    values.push_back(std::nextafter(i / 4.0, 100.0));
    values.push_back(std::nextafter(i / 4.0, -100.0));
  }
  exact::RandomOperands random(exact::kF64, 1);
  exact::RandomOperands floats(exact::kF32, 2);
  for (int i = 0; i < 2000; ++i) {
    const double value = DoubleOf(random.Next());
    const float narrow = FloatOf(static_cast<uint32_t>(floats.Next()));
    const double some = std::ldexp(static_cast<double>(static_cast<int64_t>(random.Bits())),
                                   -static_cast<int>(random.Bits() % 70));
    values.push_back(some);
    if (!std::isnan(value)) values.push_back(value);
    if (!std::isnan(narrow)) values.push_back(static_cast<double>(narrow));
  }
  return values;
}

TEST(Integral, RoundsAsTheCLibrary) {
  for (const double value : Values()) {
    const float narrow = static_cast<float>(value);
    for (const Rounding rounding : kAllRoundings) {
      ASSERT_EQ(BitsOf(RoundToIntegral(value, rounding)), BitsOf(Integral(value, rounding)))
          << value << " rounding " << static_cast<int>(rounding);
      ASSERT_EQ(BitsOf(RoundToIntegral(narrow, rounding)),
                BitsOf(static_cast<float>(Integral(static_cast<double>(narrow), rounding))))
          << narrow << " rounding " << static_cast<int>(rounding);
    }
  }
  EXPECT_EQ(BitsOf(RoundToIntegral(FloatOf(0xff80'0001), Rounding::kUp)), 0x7fff'ffff);
  EXPECT_EQ(BitsOf(RoundToIntegral(DoubleOf(0xfff0'0000'0000'0001), Rounding::kUp)),
            0xfff8'0000'0000'0001);
}

TEST(Integral, EveryHalfIsRounded) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const F16 f16 = {static_cast<uint16_t>(bits)};
    const Bf16 bf16 = {static_cast<uint16_t>(bits)};
    for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kUp}) {
      if (!exact::IsNan(exact::kF16, bits)) {
        ASSERT_EQ(
            BitsOf(ToFloat(RoundToIntegral(f16, rounding))),
            BitsOf(static_cast<float>(Integral(static_cast<double>(ToFloat(f16)), rounding))));
      }
      if (!exact::IsNan(exact::kBf16, bits)) {
        ASSERT_EQ(
            BitsOf(ToFloat(RoundToIntegral(bf16, rounding))),
            BitsOf(static_cast<float>(Integral(static_cast<double>(ToFloat(bf16)), rounding))));
      }
    }
  }
}

TEST(Integral, ClampsToEveryIntegerType) {
  for (const double value : Values()) {
    ExpectToInteger<int8_t>(value);
    ExpectToInteger<uint8_t>(value);
    ExpectToInteger<int16_t>(value);
    ExpectToInteger<uint16_t>(value);
    ExpectToInteger<int32_t>(value);
    ExpectToInteger<uint32_t>(value);
    ExpectToInteger<int64_t>(value);
    ExpectToInteger<uint64_t>(value);
    if (HasFatalFailure()) return;
  }
}

TEST(Integral, NanGivesZeroOrTheTopBit) {
  const float nan = FloatOf(0xffc0'0000);
  EXPECT_EQ(ToInteger<int8_t>(nan, Rounding::kUp), 0);
  EXPECT_EQ(ToInteger<uint16_t>(nan, Rounding::kUp), 0);
  EXPECT_EQ(ToInteger<int32_t>(nan, Rounding::kUp), 0);
  EXPECT_EQ(ToInteger<uint32_t>(nan, Rounding::kUp), 0);
  EXPECT_EQ(ToInteger<int64_t>(nan, Rounding::kUp), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ToInteger<uint64_t>(nan, Rounding::kUp), uint64_t{1} << 63);
  EXPECT_EQ(ToInteger<int8_t>(kInvalidNan, Rounding::kUp), -128);
  EXPECT_EQ(ToInteger<uint16_t>(kInvalidNan, Rounding::kUp), 0x8000);
  EXPECT_EQ(ToInteger<int32_t>(kInvalidNan, Rounding::kUp), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(ToInteger<uint32_t>(kInvalidNan, Rounding::kUp), 0x8000'0000);
  EXPECT_EQ(ToInteger<int64_t>(kInvalidNan, Rounding::kUp), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ToInteger<uint64_t>(kInvalidNan, Rounding::kUp), uint64_t{1} << 63);
}

template <typename Integer>
void ExpectFromInteger(Integer value) {
  const bool is_negative = std::is_signed_v<Integer> && value < Integer{0};
  const uint64_t bits = static_cast<uint64_t>(value);
  const exact::Result number =
      exact::Known({is_negative, exact::Natural(is_negative ? ~bits + 1 : bits), 0});
  for (const Rounding rounding :
       {Rounding::kNearestEven, Rounding::kTowardZero, Rounding::kDown, Rounding::kUp}) {
    ASSERT_EQ(BitsOf(UnderRounding(rounding, FromInteger<float, Integer>, value)),
              exact::Round(exact::kF32, number, rounding, false))
        << bits;
    ASSERT_EQ(BitsOf(UnderRounding(rounding, FromInteger<double, Integer>, value)),
              exact::Round(exact::kF64, number, rounding, false))
        << bits;
    ASSERT_EQ(IntegerToHalf<F16>(value, rounding).bits,
              exact::Round(exact::kF16, number, rounding, false))
        << bits;
    ASSERT_EQ(IntegerToHalf<Bf16>(value, rounding).bits,
              exact::Round(exact::kBf16, number, rounding, false))
        << bits;
  }
}

TEST(Integral, IntegersAreRoundedToEveryFormat) {
  exact::RandomOperands random(exact::kF64, 3);
  std::vector<uint64_t> values = {0, 65504, 65519, 65520, 65535, 65536};
  for (int i = 0; i < 64; ++i) {
    for (const int offset : {-1, 0, 1}) {
      values.push_back((uint64_t{1} << i) + static_cast<uint64_t>(offset));
    }
  }
  for (int i = 0; i < 100; ++i) values.push_back(random.Bits() >> random.Bits() % 64);
  for (const uint64_t value : values) {
    ExpectFromInteger<uint64_t>(value);
    ExpectFromInteger<int64_t>(static_cast<int64_t>(value));
    ExpectFromInteger<int64_t>(static_cast<int64_t>(~value));
    ExpectFromInteger<uint32_t>(static_cast<uint32_t>(value));
    ExpectFromInteger<int32_t>(static_cast<int32_t>(value));
    ExpectFromInteger<int16_t>(static_cast<int16_t>(value));
    ExpectFromInteger<uint8_t>(static_cast<uint8_t>(value));
    if (HasFatalFailure()) return;
  }
}

// The value of the low bits of a type.
Wide ValueOf(uint64_t bits, IntegerType type) {
  const Wide modulus = Wide{1} << type.width;
  const Wide value = static_cast<Wide>(bits) % modulus;
  return type.is_signed && value >= modulus / 2 ? value - modulus : value;
}

TEST(Integral, IntegersAreConvertedAndClamped) {
  exact::RandomOperands random(exact::kF64, 4);
  std::vector<uint64_t> values;
  for (uint64_t value = 0; value < 256; ++value) values.push_back(value);
  for (int i = 0; i < 64; ++i) {
    for (const int offset : {-1, 0, 1}) {
      values.push_back((uint64_t{1} << i) + static_cast<uint64_t>(offset));
      values.push_back(~((uint64_t{1} << i) + static_cast<uint64_t>(offset)));
    }
  }
  for (int i = 0; i < 300; ++i) values.push_back(random.Bits());
  for (const uint64_t bits : values) {
    for (const int from_width : {8, 16, 32, 64}) {
      for (const int to_width : {8, 16, 32, 64}) {
        for (const int signs : {0, 1, 2, 3}) {
          const IntegerType from = {from_width, (signs & 1) != 0};
          const IntegerType to = {to_width, (signs & 2) != 0};
          const Wide value = ValueOf(bits, from);
          const Wide modulus = Wide{1} << to_width;
          const Wide least = to.is_signed ? -modulus / 2 : 0;
          const Wide clamped = std::clamp<Wide>(value, least, least + modulus - 1);
          ASSERT_EQ(ConvertInteger(bits, from, to, true), static_cast<uint64_t>(clamped))
              << bits << " from " << from_width << " to " << to_width << " signs " << signs;
          const uint64_t low_bits = static_cast<uint64_t>(value & (modulus - 1));
          ASSERT_EQ(ConvertInteger(bits, from, to, false),
                    static_cast<uint64_t>(ValueOf(low_bits, to)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
