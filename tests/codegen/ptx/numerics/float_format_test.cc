#include "codegen/ptx/numerics/float_format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/rounding.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"

namespace hlo_indexing::ptx::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Rounding kAllRoundings[] = {Rounding::kNearestEven, Rounding::kTowardZero,
                                      Rounding::kDown, Rounding::kUp, Rounding::kNearestAway};

// A format by its list of numbers, and by what the specifications of the formats say of the rest.
struct Model {
  const FloatFormat& format;
  int mantissa_bits;
  int bias;
  uint64_t sign_bit;
  uint64_t greatest;
  // What is beyond the greatest number without .satfinite: infinity, NaN, or the greatest.
  uint64_t overflow;
  uint64_t nan;

  // Of encodings up to the one after the greatest, as if that were a number.
  double ValueOf(uint64_t bits) const {
    const int field = static_cast<int>(bits >> mantissa_bits);
    const uint64_t mantissa = bits & ((uint64_t{1} << mantissa_bits) - 1);
    const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
    return field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
  }

  // Of a magnitude that lies from the value of `low` up to that of the next encoding, without the
  // latter.
  uint64_t Rounded(double magnitude, uint64_t low, bool is_negative,
                   const EncodeModifiers& modifiers) const {
    if (is_negative && modifiers.relu) return 0;
    const uint64_t sign = is_negative ? sign_bit : 0;
    const double below = ValueOf(low);
    const double above = ValueOf(low + 1);
    const double middle = below + (above - below) / 2;
    bool up = false;
    switch (modifiers.rounding) {
      case Rounding::kNearestEven:
        up = magnitude > middle || (magnitude == middle && low % 2 != 0);
        break;
      case Rounding::kNearestAway:
        up = magnitude >= middle;
        break;
      case Rounding::kTowardZero:
        break;
      case Rounding::kDown:
        up = is_negative && magnitude != below;
        break;
      case Rounding::kUp:
        up = !is_negative && magnitude != below;
        break;
    }
    uint64_t result = low + (up ? 1 : 0);
    if (result > greatest) result = modifiers.saturate_finite ? greatest : overflow;
    return sign | result;
  }
};

const Model kModels[] = {{kE5m2Format, 2, 15, 0x80, 0x7b, 0x7c, 0x7f},
                         {kE4m3Format, 3, 7, 0x80, 0x7e, 0x7f, 0x7f},
                         {kE3m2Format, 2, 3, 0x20, 0x1f, 0x1f, 0x1f},
                         {kE2m3Format, 3, 1, 0x20, 0x1f, 0x1f, 0x1f},
                         {kE2m1Format, 1, 1, 0x8, 0x7, 0x7, 0x7},
                         {kF16Format, 10, 15, 0x8000, 0x7bff, 0x7c00, 0x7fff},
                         {kBf16Format, 7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fff},
                         {kTf32Format, 10, 127, 0x40000, 0x3fbff, 0x3fc00, 0x3ffff}};

TEST(FloatFormat, GreatestNumbersAreThoseOfTheSpecifications) {
  EXPECT_EQ(Decode(kE4m3Format, 0x7e), 448.0);
  EXPECT_EQ(Decode(kE5m2Format, 0x7b), 57344.0);
  EXPECT_EQ(Decode(kE3m2Format, 0x1f), 28.0);
  EXPECT_EQ(Decode(kE2m3Format, 0x1f), 7.5);
  EXPECT_EQ(Decode(kE2m1Format, 0x7), 6.0);
  EXPECT_EQ(Decode(kF16Format, 0x7bff), 65504.0);
  EXPECT_EQ(Decode(kBf16Format, 0x7f7f), 0x1.fep127);
  EXPECT_EQ(Decode(kE4m3Format, 0x01), 0x1p-9);
  EXPECT_EQ(Decode(kE5m2Format, 0x01), 0x1p-16);
}

TEST(FloatFormat, EveryEncodingIsDecoded) {
  for (const Model& model : kModels) {
    for (uint64_t bits = 0; bits < model.sign_bit; ++bits) {
      const double value = Decode(model.format, bits);
      const double negative = Decode(model.format, bits | model.sign_bit);
      ASSERT_EQ(BitsOf(negative), BitsOf(value) | kSignBit64);
      if (bits <= model.greatest) {
        ASSERT_EQ(BitsOf(value), BitsOf(model.ValueOf(bits))) << bits;
        ASSERT_EQ(Encode(model.format, value), bits);
      } else if (bits == model.overflow && model.overflow != model.nan) {
        ASSERT_EQ(value, kInfinity);
      } else {
        ASSERT_TRUE(IsNan(value)) << bits;
        ASSERT_EQ(BitsOf(value) >> 51, 0xfff);
      }
    }
  }
}

// At each number of the format, at the middle to the next one, and beside both: every place where
// rounding changes its mind.
TEST(FloatFormat, RoundsAtAndAroundEveryNumber) {
  for (const Model& model : kModels) {
    // Every number of the formats of 8 and 16 bits, and some of each exponent of tf32.
    const uint64_t step = model.greatest > 0xffff ? 61 : 1;
    for (uint64_t low = 0; low <= model.greatest; low += low + step <= model.greatest ? step : 1) {
      const double below = model.ValueOf(low);
      const double above = model.ValueOf(low + 1);
      const double middle = below + (above - below) / 2;
      for (const double magnitude :
           {below, std::nextafter(below, kInfinity), std::nextafter(middle, 0.0), middle,
            std::nextafter(middle, kInfinity), std::nextafter(above, 0.0)}) {
        for (const Rounding rounding : kAllRoundings) {
          for (const int flags : {0, 1, 2, 3}) {
            const EncodeModifiers modifiers = {.rounding = rounding,
                                               .saturate_finite = (flags & 1) != 0,
                                               .relu = (flags & 2) != 0};
            ASSERT_EQ(Encode(model.format, magnitude, modifiers),
                      model.Rounded(magnitude, low, false, modifiers))
                << magnitude << " rounding " << static_cast<int>(rounding);
            ASSERT_EQ(Encode(model.format, -magnitude, modifiers),
                      model.Rounded(magnitude, low, true, modifiers))
                << -magnitude << " rounding " << static_cast<int>(rounding);
          }
        }
      }
    }
  }
}

TEST(FloatFormat, WhatIsFarBeyondAndNan) {
  for (const Model& model : kModels) {
    const double beyond = 2 * model.ValueOf(model.greatest + 1);
    for (const double value : {beyond, 0x1p600, 0x1.fffffffffffffp1023}) {
      EXPECT_EQ(Encode(model.format, value), model.overflow);
      EXPECT_EQ(Encode(model.format, value, {.rounding = Rounding::kTowardZero}), model.greatest);
      EXPECT_EQ(Encode(model.format, -value, {.rounding = Rounding::kUp}),
                model.greatest | model.sign_bit);
      EXPECT_EQ(Encode(model.format, -value, {.rounding = Rounding::kDown}),
                model.overflow | model.sign_bit);
    }
    for (const Rounding rounding : kAllRoundings) {
      EXPECT_EQ(Encode(model.format, kInfinity, {.rounding = rounding}), model.overflow);
      EXPECT_EQ(Encode(model.format, -kInfinity, {.rounding = rounding, .saturate_finite = true}),
                model.greatest | model.sign_bit);
      EXPECT_EQ(Encode(model.format, -kInfinity, {.rounding = rounding, .relu = true}), 0);
      EXPECT_EQ(Encode(model.format, -kInvalidNan, {.rounding = rounding, .relu = true}),
                model.nan);
      EXPECT_EQ(Encode(model.format, kInvalidNan, {.rounding = rounding, .saturate_finite = true}),
                model.nan);
    }
    EXPECT_EQ(Encode(model.format, -0.0), model.sign_bit);
    EXPECT_EQ(Encode(model.format, -0.0, {.relu = true}), 0);
    EXPECT_EQ(Encode(model.format, 5e-324, {.rounding = Rounding::kUp}), 1);
    EXPECT_EQ(Encode(model.format, -5e-324, {.rounding = Rounding::kUp}), model.sign_bit);
  }
}

TEST(FloatFormat, DoublesAreRoundedToF32AsExactArithmeticSays) {
  exact::RandomOperands random(exact::kF64, 1);
  std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF64);
  for (int i = 0; i < 500; ++i) {
    operands.push_back(random.Next());
    // Around the least normal number of f32, where .ftz decides.
    operands.push_back(BitsOf(0x1p-126) + random.Bits() % (uint64_t{1} << 32) -
                       (uint64_t{1} << 31));
  }
  for (const uint64_t bits : operands) {
    if (!exact::IsFinite(exact::kF64, bits)) continue;
    const exact::Result value = exact::Known(exact::ValueOf(exact::kF64, bits));
    for (const Rounding rounding : kAllRoundings) {
      for (const bool flush : {false, true}) {
        ASSERT_EQ(Encode(kF32Format, DoubleOf(bits), {.rounding = rounding, .flush = flush}),
                  exact::Round(exact::kF32, value, rounding, flush))
            << DoubleOf(bits) << " rounding " << static_cast<int>(rounding) << " ftz " << flush;
      }
      ASSERT_EQ(Encode(kF64Format, DoubleOf(bits), {.rounding = rounding}), bits);
    }
  }
}

TEST(FloatFormat, Ue8m0IsAPowerOfTwo) {
  EXPECT_TRUE(IsNan(DecodeUe8m0(0xff)));
  for (int bits = 0; bits < 0xff; ++bits) {
    const double power = std::ldexp(1.0, bits - 127);
    const uint8_t next = static_cast<uint8_t>(bits + 1);
    EXPECT_EQ(DecodeUe8m0(static_cast<uint8_t>(bits)), power);
    for (const double value : {power, -power}) {
      EXPECT_EQ(EncodeUe8m0(value, Rounding::kTowardZero, true), bits);
      EXPECT_EQ(EncodeUe8m0(value, Rounding::kUp, true), bits);
    }
    const double above = std::nextafter(power, kInfinity);
    EXPECT_EQ(EncodeUe8m0(above, Rounding::kTowardZero, true), bits);
    EXPECT_EQ(EncodeUe8m0(above, Rounding::kUp, false), next);
    EXPECT_EQ(EncodeUe8m0(above, Rounding::kUp, true), bits == 0xfe ? 0xfe : next);
    EXPECT_EQ(EncodeUe8m0(1.5 * power, Rounding::kNearestEven, false), next);
    EXPECT_EQ(EncodeUe8m0(std::nextafter(1.5 * power, 0.0), Rounding::kNearestEven, false), bits);
  }
  EXPECT_EQ(EncodeUe8m0(0.0, Rounding::kTowardZero, true), 0);
  EXPECT_EQ(EncodeUe8m0(0x1p-149, Rounding::kUp, true), 0);
  EXPECT_EQ(EncodeUe8m0(kInfinity, Rounding::kUp, true), 0xfe);
  EXPECT_EQ(EncodeUe8m0(kInfinity, Rounding::kTowardZero, false), 0xff);
  EXPECT_EQ(EncodeUe8m0(kInvalidNan, Rounding::kUp, true), 0xff);
}

TEST(Convert, PacksTheFirstOperandIntoTheUpperPart) {
  EXPECT_EQ(PackedHalves<F16>(1.0F, -2.0F), 0x3c00c000);
  EXPECT_EQ(PackedHalves<Bf16>(1.0F, -2.0F), 0x3f80c000);
  EXPECT_EQ(PackedHalves<F16>(-1.0F, 1e9F, {.saturate_finite = true, .relu = true}), 0x00007bff);
  EXPECT_EQ(UpperHalf<F16>(0x12345678).bits, 0x1234);
  EXPECT_EQ(LowerHalf<F16>(0x12345678).bits, 0x5678);
  const EncodeModifiers modifiers = {.saturate_finite = true};
  EXPECT_EQ(PackedBytes(kE4m3Format, 1.0F, -1000.0F, modifiers), 0x38fe);
  EXPECT_EQ(PackedBytes(kE2m3Format, -7.5F, kCanonicalNan, modifiers), 0x3f1f);
  EXPECT_EQ(PackedNibbles(6.0F, -0.5F, modifiers), 0x79);
  EXPECT_EQ(HalvesOfNibbles(0x79, /*relu=*/false), 0x4600b800);
  EXPECT_EQ(HalvesOfNibbles(0x79, /*relu=*/true), 0x46000000);
}

TEST(Convert, EveryPairOfBytesIsAPairOfHalves) {
  for (const Model& model : kModels) {
    if (model.sign_bit > 0x80) continue;
    for (uint64_t upper = 0; upper < 2 * model.sign_bit; ++upper) {
      for (uint64_t lower = 0; lower < 2 * model.sign_bit; ++lower) {
        const uint32_t halves =
            HalvesOfBytes(model.format, static_cast<uint16_t>(upper << 8 | lower), false);
        const float a = ToFloat(UpperHalf<F16>(halves));
        const float b = ToFloat(LowerHalf<F16>(halves));
        const double x = Decode(model.format, upper);
        const double y = Decode(model.format, lower);
        ASSERT_TRUE(IsNan(x) ? IsNan(a) : static_cast<double>(a) == x) << upper;
        ASSERT_TRUE(IsNan(y) ? IsNan(b) : static_cast<double>(b) == y) << lower;
        // And back again: these are the numbers of the format, and NaN, which has one encoding
        // then.
        if (IsNan(x) || IsNan(y) || model.sign_bit < 0x20) continue;
        if (std::abs(x) == kInfinity || std::abs(y) == kInfinity) continue;
        ASSERT_EQ(PackedBytes(model.format, a, b, {}), upper << 8 | lower);
      }
    }
  }
}

TEST(Convert, Tf32LiesInTheUpperBits) {
  EXPECT_EQ(ToTf32(1.0F, {}), BitsOf(1.0F));
  // Ties: to even and away from zero.
  EXPECT_EQ(ToTf32(1.0F + 0x1p-11F, {.rounding = Rounding::kNearestAway}), BitsOf(1.0F + 0x1p-10F));
  EXPECT_EQ(ToTf32(1.0F + 0x1p-11F, {}), BitsOf(1.0F));
  EXPECT_EQ(ToTf32(-1e-40F, {.relu = true}), 0);
  EXPECT_EQ(ToTf32(kCanonicalNan, {.rounding = Rounding::kNearestAway}), 0x7fffe000);
  EXPECT_EQ(ToTf32(FloatOf(0x7f7f'ffff), {.rounding = Rounding::kNearestAway}), 0x7f800000);
  EXPECT_EQ(ToTf32(FloatOf(0xff7f'ffff), {.saturate_finite = true}), 0xff7fe000);
}

TEST(Convert, FloatsAreDoublesWithTheirNans) {
  EXPECT_EQ(ToDouble(-0x1p-149F), -0x1p-149);
  EXPECT_EQ(ToDouble(FlushSubnormal(-0x1p-149F)), 0.0);
  EXPECT_EQ(BitsOf(ToDouble(FloatOf(0x7fff'ffff))), 0x7fff'ffff'e000'0000);
  EXPECT_EQ(BitsOf(ToDouble(FloatOf(0xff80'0001))), 0xfff8'0000'2000'0000);
}

// Of each number, the middle to the next, and the floats beside these. The numbers are what the
// mantissa and exponent of each encoding say.
template <FloatFormat kFormat>
void ExpectNearestSaturated(uint32_t greatest, uint32_t nan) {
  const auto value_of = [](uint32_t bits) {
    const int field = static_cast<int>(bits >> kFormat.mantissa_bits);
    const uint32_t mantissa = bits % (1U << kFormat.mantissa_bits);
    const uint32_t one = field == 0 ? 0 : 1U << kFormat.mantissa_bits;
    return std::ldexp(static_cast<float>(mantissa + one),
                      std::max(field, 1) - kFormat.bias - kFormat.mantissa_bits);
  };
  const uint32_t sign = static_cast<uint32_t>(kFormat.SignBit());
  for (uint32_t low = 0; low < greatest; ++low) {
    const float middle = (value_of(low) + value_of(low + 1)) / 2;
    const uint32_t even = low + low % 2;
    ASSERT_EQ(NearestSaturated<kFormat>(value_of(low)), low);
    ASSERT_EQ(NearestSaturated<kFormat>(-value_of(low)), low | sign);
    ASSERT_EQ(NearestSaturated<kFormat>(middle), even);
    ASSERT_EQ(NearestSaturated<kFormat>(-middle), even | sign);
    ASSERT_EQ(NearestSaturated<kFormat>(std::nextafter(middle, 0.0F)), low);
    ASSERT_EQ(NearestSaturated<kFormat>(std::nextafter(middle, HUGE_VALF)), low + 1);
  }
  for (const float huge : {value_of(greatest), value_of(greatest) * 1.25F, 1e30F, HUGE_VALF}) {
    EXPECT_EQ(NearestSaturated<kFormat>(huge), greatest);
    EXPECT_EQ(NearestSaturated<kFormat>(-huge), greatest | sign);
  }
  EXPECT_EQ(NearestSaturated<kFormat>(1e-45F), 0U);
  EXPECT_EQ(NearestSaturated<kFormat>(-0.0F), sign);
  EXPECT_EQ(NearestSaturated<kFormat>(FloatOf(0xffc0'0000)), nan);
}

TEST(FloatFormat, NearestSaturatedAroundEveryNumber) {
  ExpectNearestSaturated<kE4m3Format>(0x7e, 0x7f);
  ExpectNearestSaturated<kE5m2Format>(0x7b, 0x7f);
  ExpectNearestSaturated<kE3m2Format>(0x1f, 0x1f);
  ExpectNearestSaturated<kE2m3Format>(0x1f, 0x1f);
  ExpectNearestSaturated<kE2m1Format>(0x7, 0x7);
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
