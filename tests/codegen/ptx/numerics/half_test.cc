#include "codegen/ptx/numerics/half.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/rounding.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/arithmetic_model.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"

namespace hlo_indexing::ptx::numerics {
namespace {

__extension__ typedef __int128 Fixed;  // NOLINT(modernize-use-using): __extension__

constexpr Modifiers kPlain = {};
constexpr Modifiers kFlush = {.flush = true};
constexpr Modifiers kSaturate = {.saturate = true};
constexpr Modifiers kRelu = {.relu = true};

F16 AsF16(uint64_t bits) { return {static_cast<uint16_t>(bits)}; }
Bf16 AsBf16(uint64_t bits) { return {static_cast<uint16_t>(bits)}; }

// What the modifiers make of a result, by the encodings.
template <typename Half>
uint16_t Modified(std::optional<uint64_t> result, const Modifiers& modifiers,
                  const exact::Format& format) {
  if (modifiers.saturate) return static_cast<uint16_t>(exact::Saturated(format, result));
  const uint64_t bits = result.value_or(0x7fff);
  return static_cast<uint16_t>(modifiers.relu && bits >= 0x8000 ? 0 : bits);
}

TEST(Half, EveryEncodingIsAFloat) {
  for (uint32_t bits = 0; bits < 0x8000; ++bits) {
    const uint32_t negative = bits | 0x8000;
    if (exact::IsNan(exact::kF16, bits)) {
      ASSERT_EQ(BitsOf(ToFloat(AsF16(bits))), kCanonicalNanBits);
      ASSERT_EQ(BitsOf(ToFloat(AsF16(negative))), kCanonicalNanBits);
    } else {
      const int field = static_cast<int>(bits >> 10);
      const float fraction = static_cast<float>(bits & 0x3ff);
      const float value = field == 31  ? std::numeric_limits<float>::infinity()
                          : field == 0 ? std::ldexp(fraction, -24)
                                       : std::ldexp(fraction + 1024, field - 25);
      ASSERT_EQ(BitsOf(ToFloat(AsF16(bits))), BitsOf(value));
      ASSERT_EQ(BitsOf(ToFloat(AsF16(negative))), BitsOf(-value));
      ASSERT_EQ(NearestHalf<F16>(static_cast<double>(-value)).bits, negative);
    }
    ASSERT_EQ(BitsOf(ToFloat(AsBf16(negative))), negative << 16);
  }
}

template <typename Half>
void ExpectNearestAroundEveryNumber(const exact::Format& format) {
  const auto value_of = [&](uint64_t bits) {
    // The encoding after the greatest is 2^16 or 2^128 here.
    const int mantissa_bits = format.mantissa_bits;
    const int field = static_cast<int>(bits >> mantissa_bits);
    const double mantissa = static_cast<double>(bits % (uint64_t{1} << mantissa_bits));
    return field == 0 ? std::ldexp(mantissa, 1 - format.bias - mantissa_bits)
                      : std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits),
                                   field - format.bias - mantissa_bits);
  };
  for (uint64_t low = 0; low <= format.greatest; ++low) {
    const double middle = value_of(low) + (value_of(low + 1) - value_of(low)) / 2;
    const uint16_t even = static_cast<uint16_t>(low + low % 2);
    ASSERT_EQ(NearestHalf<Half>(value_of(low)).bits, low);
    ASSERT_EQ(NearestHalf<Half>(middle).bits, even) << middle;
    ASSERT_EQ(NearestHalf<Half>(-middle).bits, even | 0x8000);
    ASSERT_EQ(NearestHalf<Half>(std::nextafter(middle, 0.0)).bits, low) << middle;
    ASSERT_EQ(NearestHalf<Half>(std::nextafter(middle, 1e300)).bits, low + 1) << middle;
    // All of these are floats too.
    const float exact_float = static_cast<float>(value_of(low));
    const float middle_float = static_cast<float>(middle);
    ASSERT_EQ(NearestHalf<Half>(exact_float).bits, low);
    ASSERT_EQ(NearestHalf<Half>(-exact_float).bits, low | 0x8000);
    ASSERT_EQ(NearestHalf<Half>(middle_float).bits, even) << middle;
    ASSERT_EQ(NearestHalf<Half>(-middle_float).bits, even | 0x8000) << middle;
    ASSERT_EQ(NearestHalf<Half>(std::nextafter(middle_float, 0.0F)).bits, low) << middle;
    ASSERT_EQ(NearestHalf<Half>(std::nextafter(middle_float, HUGE_VALF)).bits, low + 1) << middle;
  }
  EXPECT_EQ(NearestHalf<Half>(0x1.fffffep127F).bits, format.greatest + 1);
  EXPECT_EQ(NearestHalf<Half>(-HUGE_VALF).bits, (format.greatest + 1) | 0x8000);
  EXPECT_EQ(NearestHalf<Half>(FloatOf(0xff80'0001)).bits, 0x7fff);
  EXPECT_EQ(NearestHalf<Half>(FloatOf(0x7fff'ffff)).bits, 0x7fff);
  for (const double huge : {0x1p129, 0x1p971, 0x1.fffffffffffffp1023, HUGE_VAL}) {
    EXPECT_EQ(NearestHalf<Half>(huge).bits, format.greatest + 1);
    EXPECT_EQ(NearestHalf<Half>(-huge).bits, (format.greatest + 1) | 0x8000);
  }
  EXPECT_EQ(NearestHalf<Half>(5e-324).bits, 0);
  EXPECT_EQ(NearestHalf<Half>(-5e-324).bits, 0x8000);
  EXPECT_EQ(NearestHalf<Half>(kInvalidNan).bits, 0x7fff);
}

TEST(Half, RoundsToNearestAroundEveryF16) { ExpectNearestAroundEveryNumber<F16>(exact::kF16); }
TEST(Half, RoundsToNearestAroundEveryBf16) { ExpectNearestAroundEveryNumber<Bf16>(exact::kBf16); }

// Finite f16 as multiples of 2^-24, and their sums and products as multiples of 2^-48, in 128 bits.
class FixedPointF16 {
 public:
  FixedPointF16() {
    // Up to 2^16, which infinity would be.
    for (int bits = 0; bits <= 0x7c00; ++bits) {
      const int field = bits >> 10;
      const Fixed mantissa = bits & 0x3ff;
      values_.push_back((field == 0 ? mantissa : (mantissa + 0x400) << (field - 1)) << 24);
    }
  }

  // In units of 2^-24.
  Fixed ValueOf(uint16_t bits) const {
    const Fixed magnitude = values_[bits & 0x7fff] >> 24;
    return bits >= 0x8000 ? -magnitude : magnitude;
  }

  // Of units of 2^-48.
  uint16_t Rounded(Fixed value, bool zero_is_negative, bool flush) const {
    if (value == 0) return zero_is_negative ? 0x8000 : 0;
    const int sign = value < 0 ? 0x8000 : 0;
    const Fixed magnitude = value < 0 ? -value : value;
    if (flush && magnitude < values_[0x400]) {
      const bool reaches_normal =
          2 * magnitude >= values_[0x400] && Nearest(2 * magnitude) >= 0x800;
      if (!reaches_normal) return static_cast<uint16_t>(sign);
    }
    return static_cast<uint16_t>(sign | Nearest(magnitude));
  }

 private:
  uint16_t Nearest(Fixed magnitude) const {
    if (magnitude >= values_.back()) return 0x7c00;
    const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude);
    const uint16_t low = static_cast<uint16_t>(above - values_.begin() - 1);
    const Fixed twice = 2 * magnitude - *above - *(above - 1);
    return static_cast<uint16_t>(low + (twice > 0 || (twice == 0 && low % 2 != 0) ? 1 : 0));
  }

  std::vector<Fixed> values_;
};

class F16ArithmeticTest : public testing::Test {
 protected:
  template <Modifiers kModifiers>
  void ExpectFiniteOperations(uint16_t a, uint16_t b, uint16_t c) const {
    const bool flush = kModifiers.flush;
    const auto input = [&](uint16_t bits) {
      return static_cast<uint16_t>(bits & (flush && (bits & 0x7fff) < 0x400 ? 0x8000 : 0xffff));
    };
    const Fixed x = fixed_.ValueOf(input(a));
    const Fixed y = fixed_.ValueOf(input(b));
    const Fixed z = fixed_.ValueOf(input(c)) << 24;
    const bool product_is_negative = (a ^ b) >= 0x8000;
    const auto expected = [&](Fixed value, bool zero_is_negative) {
      return Modified<F16>(fixed_.Rounded(value, zero_is_negative, flush), kModifiers, exact::kF16);
    };
    ASSERT_EQ((Add<F16, kModifiers>(AsF16(a), AsF16(b)).bits),
              expected((x + y) << 24, (a & b) >= 0x8000))
        << a << " " << b;
    ASSERT_EQ((Sub<F16, kModifiers>(AsF16(a), AsF16(b)).bits),
              expected((x - y) << 24, (a & ~b & 0x8000) != 0))
        << a << " " << b;
    ASSERT_EQ((Mul<F16, kModifiers>(AsF16(a), AsF16(b)).bits), expected(x * y, product_is_negative))
        << a << " " << b;
    ASSERT_EQ((Fma<F16, kModifiers>(AsF16(a), AsF16(b), AsF16(c)).bits),
              expected(x * y + z, product_is_negative && c >= 0x8000))
        << a << " " << b << " " << c;
  }

  FixedPointF16 fixed_;
};

TEST_F(F16ArithmeticTest, AgreesWithFixedPoint) {
  exact::RandomOperands random(exact::kF16, 6);
  const auto finite = [&] {
    // Of any exponent, or near one, so that sums and products are in range more often.
    const uint64_t bits = random.Bits();
    const uint64_t exponent = bits % 2 == 0 ? (bits >> 1) % 31 : 10 + (bits >> 1) % 10;
    return static_cast<uint16_t>((bits >> 8 & 0x83ff) | exponent << 10);
  };
  for (int i = 0; i < 150000; ++i) {
    const uint16_t a = finite();
    const uint16_t b = finite();
    const uint16_t c = finite();
    ExpectFiniteOperations<kPlain>(a, b, c);
    ExpectFiniteOperations<kFlush>(a, b, c);
    if (i % 8 == 0) {
      ExpectFiniteOperations<kSaturate>(a, b, c);
      ExpectFiniteOperations<kRelu>(a, b, c);
    }
    if (HasFatalFailure()) return;
  }
}

// Operations against exact arithmetic, of all operands, NaN and infinities included.
template <typename Half, Modifiers kModifiers>
void ExpectOperations(const exact::Format& format, uint64_t a, uint64_t b, uint64_t c) {
  const Half x = {static_cast<uint16_t>(a)};
  const Half y = {static_cast<uint16_t>(b)};
  const Half z = {static_cast<uint16_t>(c)};
  const exact::Mode mode = {.flush = kModifiers.flush};
  const auto expected = [&](std::optional<uint64_t> result) {
    return Modified<Half>(result, kModifiers, format);
  };
  ASSERT_EQ((Add<Half, kModifiers>(x, y).bits), expected(exact::Sum(format, mode, a, b)))
      << a << " " << b;
  ASSERT_EQ((Sub<Half, kModifiers>(x, y).bits), expected(exact::Sum(format, mode, a, b ^ 0x8000)))
      << a << " " << b;
  ASSERT_EQ((Mul<Half, kModifiers>(x, y).bits), expected(exact::Product(format, mode, a, b)))
      << a << " " << b;
  ASSERT_EQ((Fma<Half, kModifiers>(x, y, z).bits), expected(exact::Fused(format, mode, a, b, c)))
      << a << " " << b << " " << c;
  if constexpr (std::same_as<Half, F16> && !kModifiers.flush) {
    const auto is_finite = [](uint64_t bits) { return (bits & 0x7c00) != 0x7c00; };
    const bool are_finite = is_finite(a) && is_finite(b);
    ASSERT_EQ(AreFinite(x.bits, y.bits), are_finite ? ~uint32_t{0} : 0) << a << " " << b;
    ASSERT_EQ(AreFinite(uint32_t{x.bits} << 16, y.bits), are_finite ? ~uint32_t{0} : 0);
    if (are_finite) {
      ASSERT_EQ((FmaOfFinite<kModifiers>(x, y, z).bits),
                expected(exact::Fused(format, mode, a, b, c)))
          << a << " " << b << " " << c;
    }
  }
  if constexpr (std::same_as<Half, Bf16> && !kModifiers.flush && !kModifiers.saturate) {
    if (!IsFloatProduct(x, y)) return;
    ASSERT_EQ((FmaOfFloatProduct<kModifiers>(x, y, z).bits),
              expected(exact::Fused(format, mode, a, b, c)))
        << a << " " << b << " " << c;
  }
}

template <typename Half>
void ExpectOperationsOfAllKinds(const exact::Format& format) {
  const std::vector<uint64_t> operands = exact::SpecialOperands(format);
  exact::RandomOperands random(format, 1);
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      const uint64_t c = operands[random.Bits() % operands.size()];
      ExpectOperations<Half, kPlain>(format, a, b, c);
      ExpectOperations<Half, kSaturate>(format, a, b, c);
      ExpectOperations<Half, kRelu>(format, a, b, c);
      ExpectOperations<Half, kFlush>(format, a, b, c);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  for (int i = 0; i < 2000; ++i) {
    const uint64_t a = random.Next() & 0xffff;
    const uint64_t b = i % 2 == 0 ? random.Next() & 0xffff : random.Near(a, 10);
    const uint64_t product =
        NearestHalf<Half>(static_cast<double>(ToFloat(Half{static_cast<uint16_t>(a)})) *
                          static_cast<double>(ToFloat(Half{static_cast<uint16_t>(b)})))
            .bits;
    const uint64_t c = i % 3 == 0 ? random.Next() & 0xffff : random.Near(product, i % 3 * 8);
    ExpectOperations<Half, kPlain>(format, a, b, c);
    ExpectOperations<Half, kFlush>(format, a, b, c);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Half, F16OperationsAgreeWithExactArithmetic) { ExpectOperationsOfAllKinds<F16>(exact::kF16); }
TEST(Half, Bf16OperationsAgreeWithExactArithmetic) {
  ExpectOperationsOfAllKinds<Bf16>(exact::kBf16);
}

// Sums that a double cannot hold: half of the addend's last place, and a little more or less.
TEST(Half, FusedSumsOfFarExponentsAreRoundedOnce) {
  const Bf16 one = {0x3f80};
  const Bf16 odd = {0x3f81};
  const Bf16 half_place = {0x3b80};  // 2^-8
  EXPECT_EQ(Fma(one, half_place, one).bits, 0x3f80);
  EXPECT_EQ(Fma(one, half_place, odd).bits, 0x3f82);
  // 2^-8 + 2^-22 as a product, 1.0078125^2 = 1 + 2^-6 + 2^-14: above the middle.
  EXPECT_EQ(Fma(Bf16{0x3f81}, Bf16{0x3b81}, one).bits, 0x3f81);
  // 2^100 * 2^20 + 2^-130: exact in no double; rounded once, 2^120.
  EXPECT_EQ(Fma(Bf16{0x7180}, Bf16{0x4980}, Bf16{0x0008}).bits, 0x7b80);
}

// In floats as in doubles: all pairs of mantissas, with addends around the product, in the middle
// between two numbers too, at the ends of the exponents and far from each other.
TEST(Half, Bf16FusedInFloatsIsFusedInDoubles) {
  std::mt19937 generator(3);
  const auto random = [&] { return static_cast<uint32_t>(generator()); };
  const auto some = [&](uint32_t exponent) {
    return Bf16{static_cast<uint16_t>((random() & 0x807f) | exponent << 7)};
  };
  int applies = 0;
  for (uint32_t i = 0; i < 4'000'000; ++i) {
    const uint32_t exponent_a = random() % 255;
    // The exponent of the product is within the floats more often than not.
    const uint32_t exponent_b = std::min(254U, (254 - exponent_a + random() % 100) % 255);
    const Bf16 a = some(exponent_a);
    const Bf16 b = some(exponent_b);
    const Bf16 product = NearestHalf<Bf16>(ToFloat(a) * ToFloat(b));
    const uint32_t near = (product.bits >> 7 & 0xff) + random() % 31;
    const Bf16 c = some(i % 4 == 0 ? random() % 256 : std::min(255U, near < 15 ? 0 : near - 15));
    if (!IsFloatProduct(a, b)) continue;
    ++applies;
    ASSERT_EQ(FmaOfFloatProduct<Modifiers{}>(a, b, c).bits, Fma(a, b, c).bits)
        << a.bits << " " << b.bits << " " << c.bits;
  }
  EXPECT_GT(applies, 2'000'000);
}

TEST(Half, OutOfBoundsNanMakesZero) {
  constexpr Modifiers kOutOfBounds = {.out_of_bounds = true};
  const F16 out = {kOutOfBoundsNan};
  const F16 one = {0x3c00};
  EXPECT_EQ((Fma<F16, kOutOfBounds>(out, one, one).bits), 0);
  EXPECT_EQ((Fma<F16, kOutOfBounds>(one, out, one).bits), 0);
  EXPECT_EQ((Fma<F16, kOutOfBounds>(one, F16{0x7fff}, one).bits), 0x7fff);
  EXPECT_EQ((Fma<F16, kOutOfBounds>(one, one, one).bits), 0x4000);
  EXPECT_EQ((Fma<F16>(one, out, one).bits), 0x7fff);
}

TEST(Half, SignsAndFlushing) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    ASSERT_EQ(Negate(AsF16(bits)).bits, bits ^ 0x8000);
    ASSERT_EQ(Absolute(AsBf16(bits)).bits, bits & 0x7fff);
    ASSERT_EQ(FlushSubnormal(AsF16(bits)).bits, (bits & 0x7fff) < 0x400 ? bits & 0x8000 : bits);
    ASSERT_EQ(FlushSubnormal(AsBf16(bits)).bits, (bits & 0x7fff) < 0x80 ? bits & 0x8000 : bits);
    const float value = ToFloat(AsF16(bits));
    const float clamped = value > 0 ? std::min(value, 1.0F) : 0.0F;
    ASSERT_EQ(BitsOf(ToFloat(Saturate(AsF16(bits)))), BitsOf(clamped)) << bits;
  }
}

template <typename Half, MinMaxModifiers kModifiers>
void ExpectMinMax(const exact::Format& format, uint64_t a, uint64_t b) {
  const Half x = {static_cast<uint16_t>(a)};
  const Half y = {static_cast<uint16_t>(b)};
  for (const bool is_max : {false, true}) {
    // The definition of the ISA, on the order of the encodings.
    const auto input = [&](uint64_t bits) {
      const bool is_subnormal = (bits & 0x7fff) < uint64_t{1} << format.mantissa_bits;
      if (kModifiers.flush && is_subnormal) bits &= 0x8000;
      return kModifiers.xor_sign ? bits & 0x7fff : bits;
    };
    const auto key = [](uint64_t bits) {
      return bits >= 0x8000 ? 0x7fff - static_cast<int>(bits) : static_cast<int>(bits);
    };
    const uint64_t p = input(a);
    const uint64_t q = input(b);
    const bool a_is_nan = exact::IsNan(format, a);
    const bool b_is_nan = exact::IsNan(format, b);
    uint64_t expected = 0x7fff;
    if (!(a_is_nan && b_is_nan) && !(kModifiers.propagate_nan && (a_is_nan || b_is_nan))) {
      expected = a_is_nan ? q : b_is_nan ? p : (key(p) < key(q)) == is_max ? q : p;
      if (kModifiers.xor_sign) expected |= (a ^ b) & 0x8000;
    }
    const Half result = is_max ? Max<Half, kModifiers>(x, y) : Min<Half, kModifiers>(x, y);
    ASSERT_EQ(result.bits, expected) << a << " " << b << (is_max ? " max" : " min");
  }
}

template <typename Half>
void ExpectMinMaxOfAllKinds(const exact::Format& format) {
  std::vector<uint64_t> operands = exact::SpecialOperands(format);
  exact::RandomOperands random(format, 5);
  for (int i = 0; i < 100; ++i) operands.push_back(random.Next() & 0xffff);
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      ExpectMinMax<Half, MinMaxModifiers{}>(format, a, b);
      ExpectMinMax<Half, MinMaxModifiers{.propagate_nan = true}>(format, a, b);
      ExpectMinMax<Half, MinMaxModifiers{.xor_sign = true}>(format, a, b);
      ExpectMinMax<Half, MinMaxModifiers{.flush = true}>(format, a, b);
      ExpectMinMax<Half, MinMaxModifiers{.flush = true, .propagate_nan = true, .xor_sign = true}>(
          format, a, b);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Half, MinAndMaxOfF16) { ExpectMinMaxOfAllKinds<F16>(exact::kF16); }
TEST(Half, MinAndMaxOfBf16) { ExpectMinMaxOfAllKinds<Bf16>(exact::kBf16); }

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
