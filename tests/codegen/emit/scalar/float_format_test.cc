// Small floats against the interpreter: all codes, and f32 and f64 around every value and every
// middle between two of them.
#include "codegen/emit/scalar/float_format.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/hyperbolic.h"
#include "gtest/gtest.h"
#include "hlo/interpreter/element_functions.h"
#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::emit::scalar {
namespace {

using hlo::ElementType;

struct Row {
  ElementType type;
  FloatFormat format;
};
const Row kRows[] = {
    {ElementType::kF4E2M1FN, kF4E2M1FN}, {ElementType::kF8E3M4, kF8E3M4},
    {ElementType::kF8E4M3, kF8E4M3},     {ElementType::kF8E4M3B11FNUZ, kF8E4M3B11FNUZ},
    {ElementType::kF8E4M3FN, kF8E4M3FN}, {ElementType::kF8E4M3FNUZ, kF8E4M3FNUZ},
    {ElementType::kF8E5M2, kF8E5M2},     {ElementType::kF8E5M2FNUZ, kF8E5M2FNUZ},
    {ElementType::kBF16, kBF16},         {ElementType::kF16, kF16},
};

uint64_t NumCodes(ElementType type) { return uint64_t{1} << hlo::ElementBits(type); }

// An f32 as the interpreter holds it: a NaN keeps its mantissa.
double Widened(float x) { return hlo::DecodeFloat(ElementType::kF32, BitsOf(x)); }

// What is near a value, on both sides.
template <typename F>
std::vector<F> Around(F value) {
  const F below = std::nextafter(value, -std::numeric_limits<F>::infinity());
  const F above = std::nextafter(value, std::numeric_limits<F>::infinity());
  return {below, value, above};
}

// All values of a type, and the middles of neighbours.
std::vector<double> ValuesAndMiddles(ElementType type) {
  std::vector<double> values;
  double previous = 0;
  for (uint64_t code = 0; code < NumCodes(type); ++code) {
    const double value = hlo::DecodeFloat(type, code);
    values.push_back(value);
    values.push_back(value / 2 + previous / 2);
    values.push_back(value * 1.5);
    previous = value;
  }
  return values;
}

template <typename Encode32, typename Encode64>
void CheckEncoding(ElementType type, Encode32 encode32, Encode64 encode64) {
  const auto check = [&](double x) {
    const float narrow = static_cast<float>(x);
    ASSERT_EQ(encode32(BitsOf(narrow)), hlo::EncodeFloat(type, Widened(narrow)))
        << hlo::ElementTypeName(type).str() << " of f32 " << std::hexfloat << narrow;
    ASSERT_EQ(encode64(BitsOf(x)), hlo::EncodeFloat(type, x))
        << hlo::ElementTypeName(type).str() << " of f64 " << std::hexfloat << x;
  };
  for (const double middle : ValuesAndMiddles(type)) {
    for (const double x : Around(middle)) check(x);
    for (const float x : Around(static_cast<float>(middle))) check(x);
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t bits = random();
    check(std::bit_cast<double>(bits));
    check(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    check(std::ldexp(static_cast<double>(static_cast<int64_t>(bits)),
                     static_cast<int>(random() % 40) - 80));
  }
}

TEST(FloatFormat, EncodesAsTheInterpreter) {
  for (const Row& row : kRows) {
    CheckEncoding(
        row.type, [&](uint32_t bits) { return EncodeFloat<Precision::kF32>(row.format, bits); },
        [&](uint64_t bits) { return EncodeFloat<Precision::kF64>(row.format, bits); });
  }
  CheckEncoding(
      ElementType::kF8E8M0FNU,
      [](uint32_t bits) { return EncodePowerOfTwo<Precision::kF32>(bits); },
      [](uint64_t bits) { return EncodePowerOfTwo<Precision::kF64>(bits); });
}

template <typename Decode32, typename Decode64>
void CheckDecoding(ElementType type, Decode32 decode32, Decode64 decode64) {
  for (uint64_t code = 0; code < NumCodes(type); ++code) {
    const uint64_t exact = BitsOf(hlo::DecodeFloat(type, code));
    const std::string name = hlo::ElementTypeName(type).str();
    ASSERT_EQ(decode64(code), exact) << name << " " << code;
    const uint32_t bits = decode32(static_cast<uint32_t>(code));
    ASSERT_EQ(BitsOf(hlo::DecodeFloat(ElementType::kF32, bits)), exact) << name << " " << code;
  }
}

TEST(FloatFormat, DecodesAsTheInterpreter) {
  for (const Row& row : kRows) {
    CheckDecoding(
        row.type, [&](uint32_t code) { return DecodeFloat<Precision::kF32>(row.format, code); },
        [&](uint64_t code) { return DecodeFloat<Precision::kF64>(row.format, code); });
  }
  CheckDecoding(
      ElementType::kF8E8M0FNU,
      [](uint32_t code) { return DecodePowerOfTwo<Precision::kF32>(code); },
      [](uint64_t code) { return DecodePowerOfTwo<Precision::kF64>(code); });
}

// Small floats of which the result is another one than the nearest: ties that the error of a
// function to 16 bits turns, and no other is further than the next.
void ExpectTheNearestButForTies(const char* function, double (*exact_function)(double),
                                float (*function_to_16_bits)(float), int most_others) {
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF8E5M2,
                                 ElementType::kF8E4M3FN, ElementType::kF8E8M0FNU}) {
    const std::string name = hlo::ElementTypeName(type).str();
    int others = 0;
    for (uint64_t code = 0; code < NumCodes(type); ++code) {
      const double x = hlo::DecodeFloat(type, code);
      const double exact = exact_function(x);
      const float result = function_to_16_bits(static_cast<float>(x));
      const double nearest = hlo::DecodeFloat(type, hlo::EncodeFloat(type, exact));
      const double computed = hlo::DecodeFloat(type, hlo::EncodeFloat(type, Widened(result)));
      if (std::isnan(nearest)) {
        ASSERT_TRUE(std::isnan(computed)) << name << " " << x;
        continue;
      }
      if (computed == nearest) continue;
      ++others;
      // The exact result is nearly in the middle of the two.
      const double to_nearest = std::abs(exact - nearest);
      const double to_computed = std::abs(exact - computed);
      ASSERT_LE(to_computed, to_nearest * 1.01) << name << " " << x;
    }
    EXPECT_LE(others, most_others) << function << " " << name;
    std::printf("%s of %s: %d of %d not the nearest\n", function, name.c_str(), others,
                static_cast<int>(NumCodes(type)));
  }
}

TEST(FloatFormat, FunctionsOfSmallFloatsAreTheNearestButForTies) {
  ExpectTheNearestButForTies(
      "exp", [](double x) { return std::exp(x); }, [](float x) { return ExpTo16Bits(x); }, 8);
  ExpectTheNearestButForTies(
      "tanh", [](double x) { return std::tanh(x); }, [](float x) { return TanhTo16Bits(x); }, 8);
  ExpectTheNearestButForTies(
      "logistic", [](double x) { return 1 / (1 + std::exp(-x)); },
      [](float x) { return LogisticTo16Bits(x); }, 16);
}

// The code of what the interpreter makes of a code.
uint64_t ExactReduction(ElementType type, uint64_t code, int exponent_bits, int mantissa_bits) {
  const double x = hlo::DecodeFloat(type, code);
  return hlo::EncodeFloat(
      type, hlo::element_functions::ReducePrecision(type, x, exponent_bits, mantissa_bits));
}

template <typename I>
void CheckReduction(const Row& row, I code, int exponent_bits, int mantissa_bits) {
  const double x = hlo::DecodeFloat(row.type, code);
  const I computed = ReducePrecision(row.format, code, exponent_bits, mantissa_bits);
  const std::string name = hlo::ElementTypeName(row.type).str();
  if (std::isnan(x)) {
    ASSERT_TRUE(std::isnan(hlo::DecodeFloat(row.type, computed))) << name << " " << code;
    return;
  }
  ASSERT_EQ(computed, ExactReduction(row.type, code, exponent_bits, mantissa_bits))
      << name << " " << std::hexfloat << x << " to " << exponent_bits << ", " << mantissa_bits;
}

TEST(FloatFormat, ReducesPrecisionAsTheInterpreter) {
  for (const Row& row : kRows) {
    const int step = row.format.mantissa_bits > 4 ? 7 : 1;
    for (int exponent_bits = 1; exponent_bits <= row.format.exponent_bits + 1; ++exponent_bits) {
      for (int mantissa_bits = 0; mantissa_bits <= row.format.mantissa_bits + 1; ++mantissa_bits) {
        for (uint64_t code = 0; code < NumCodes(row.type); code += static_cast<uint64_t>(step)) {
          CheckReduction(row, static_cast<uint32_t>(code), exponent_bits, mantissa_bits);
        }
      }
    }
  }
}

TEST(FloatFormat, ReducesPrecisionOfWideFloatsAsTheInterpreter) {
  const Row f32 = {ElementType::kF32, kF32};
  const Row f64 = {ElementType::kF64, kF64};
  std::mt19937_64 random(5);
  for (int i = 0; i < 500'000; ++i) {
    const int exponent_bits = 1 + static_cast<int>(random() % 11);
    const int mantissa_bits = static_cast<int>(random() % 54);
    // Ties, and what is next to them, come of few bits.
    const uint64_t cut = ~uint64_t{0} << (random() % 52);
    const uint64_t bits = (random() & cut) + random() % 3 - 1;
    CheckReduction(f64, bits, exponent_bits, mantissa_bits);
    CheckReduction(f32, static_cast<uint32_t>(bits >> 32), exponent_bits, mantissa_bits % 25);
    CheckReduction(f32, static_cast<uint32_t>(bits), exponent_bits, mantissa_bits % 25);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -0.0, infinity, -infinity, 1.7976931348623157e308, 5e-324}) {
    for (int bits = 0; bits < 12; ++bits) CheckReduction(f64, BitsOf(x), bits + 1, bits);
  }
}

}  // namespace
}  // namespace hlo_indexing::emit::scalar
