// Conversions and the exact operations on floats against the interpreter.
#include "codegen/emit/scalar/conversion.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "codegen/emit/scalar/float_format.h"
#include "codegen/emit/scalar/float_semantics.h"
#include "gtest/gtest.h"
#include "hlo/interpreter/element_functions.h"
#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::emit::scalar {
namespace {

namespace fn = hlo::element_functions;
using hlo::ElementType;

constexpr ElementType kIntegers[] = {
    ElementType::kS1,  ElementType::kS2,  ElementType::kS4,  ElementType::kS8, ElementType::kS16,
    ElementType::kS32, ElementType::kS64, ElementType::kU1,  ElementType::kU2, ElementType::kU4,
    ElementType::kU8,  ElementType::kU16, ElementType::kU32, ElementType::kU64};

// Zeros, infinities, NaN, powers of two and halves with their neighbours, and random numbers.
template <typename F>
std::vector<F> Numbers(int num_random) {
  using Limits = std::numeric_limits<F>;
  std::vector<F> values = {0,
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max()};
  for (int exponent = -3; exponent <= 66; ++exponent) {
    for (const F base : {F{1}, F{1.5}}) {
      const F value = std::ldexp(base, exponent);
      values.insert(values.end(), {std::nextafter(value, F{0}), value, value + F{0.5},
                                   value - F{0.5}, std::nextafter(value, Limits::infinity())});
    }
  }
  std::mt19937_64 random(6);
  for (int i = 0; i < num_random; ++i) {
    const uint64_t bits = random();
    values.push_back(FloatOf(static_cast<BitsType<F>>(bits)));
    values.push_back(
        static_cast<F>(std::ldexp(static_cast<double>(bits), -static_cast<int>(random() % 70))));
  }
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <typename F, typename I>
void CheckToInteger(ElementType element, F x) {
  const IntegerType type = {static_cast<int>(hlo::ElementBits(element)),
                            hlo::ClassOf(element) == hlo::ElementClass::kSigned, sizeof(I) * 8};
  const I computed = FloatToInteger(type, x, I{0});
  const int64_t exact =
      hlo::ConvertElement(hlo::FloatElement(x), ElementType::kF64, element).integer;
  ASSERT_EQ(computed, static_cast<I>(exact))
      << hlo::ElementTypeName(element).str() << " of " << std::hexfloat << x;
}

template <typename F>
void CheckToIntegers() {
  for (const F x : Numbers<F>(20'000)) {
    for (const ElementType element : kIntegers) {
      if (hlo::ElementBits(element) <= 32) CheckToInteger<F, uint32_t>(element, x);
      CheckToInteger<F, uint64_t>(element, x);
    }
    ASSERT_EQ(
        FloatToPredicate(x),
        hlo::ConvertElement(hlo::FloatElement(x), ElementType::kF64, ElementType::kPred).integer !=
            0);
  }
}

TEST(Conversion, FloatsToIntegersAsTheInterpreter) {
  CheckToIntegers<float>();
  CheckToIntegers<double>();
}

template <Precision kPrecision, typename I>
void CheckFromInteger(ElementType from, I n) {
  const bool is_signed = hlo::ClassOf(from) == hlo::ElementClass::kSigned;
  const int64_t value = hlo::WrapInteger(from, static_cast<int64_t>(n));
  const auto roundable = BitsOf(IntegerToRoundable<kPrecision>(is_signed, n));
  const auto check = [&](ElementType to, I code) {
    const hlo::Element exact = hlo::ConvertElement(hlo::IntegerElement(value), from, to);
    ASSERT_EQ(code, hlo::EncodeFloat(to, exact.real))
        << hlo::ElementTypeName(to).str() << " " << value;
  };
  check(ElementType::kF16, EncodeFloat<kPrecision>(kF16, roundable));
  check(ElementType::kBF16, EncodeFloat<kPrecision>(kBF16, roundable));
  check(ElementType::kF8E4M3FN, EncodeFloat<kPrecision>(kF8E4M3FN, roundable));
  check(ElementType::kF8E5M2FNUZ, EncodeFloat<kPrecision>(kF8E5M2FNUZ, roundable));
  check(ElementType::kF8E8M0FNU, EncodePowerOfTwo<kPrecision>(roundable));
}

TEST(Conversion, IntegersToSmallFloatsAsTheInterpreter) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    // Few bits that are set: ties, and what is next to them.
    uint64_t sparse = random() >> (random() % 64);
    for (int k = 0; k < 3; ++k) sparse &= random();
    for (const uint64_t bits : {random() >> (random() % 64), sparse, ~sparse, sparse + 1}) {
      CheckFromInteger<Precision::kF32>(ElementType::kS32, static_cast<uint32_t>(bits));
      CheckFromInteger<Precision::kF32>(ElementType::kU32, static_cast<uint32_t>(bits));
      CheckFromInteger<Precision::kF64>(ElementType::kS64, bits);
      CheckFromInteger<Precision::kF64>(ElementType::kU64, bits);
    }
  }
}

// Whether they are the same number, zeros by their sign, or both NaN.
template <typename F>
bool IsSame(F a, double b) {
  return std::isnan(a) ? std::isnan(b) : BitsOf(a) == BitsOf(static_cast<F>(b));
}

template <Precision kPrecision, typename F>
void CheckExactFunctions() {
  const std::vector<F> numbers = Numbers<F>(2'000);
  for (const F x : numbers) {
    ASSERT_TRUE(IsSame(RoundAwayFromZero<kPrecision>(x), std::round(x))) << std::hexfloat << x;
    ASSERT_TRUE(IsSame(Sign<kPrecision>(x), fn::Sign(x))) << std::hexfloat << x;
    ASSERT_EQ(IsFinite(x), std::isfinite(x)) << x;
  }
  std::mt19937_64 random(8);
  for (int i = 0; i < 300'000; ++i) {
    const F x = numbers[random() % numbers.size()];
    const F y = numbers[random() % numbers.size()];
    ASSERT_TRUE(IsSame(Maximum(x, y), fn::Maximum(x, y))) << x << " " << y;
    ASSERT_TRUE(IsSame(Minimum(x, y), fn::Minimum(x, y))) << x << " " << y;
    ASSERT_TRUE(IsSame(Clamp(x, y, x), fn::Minimum(fn::Maximum(y, x), x))) << x << " " << y;
    ASSERT_TRUE(IsSame(Remainder<kPrecision>(x, y),
                       std::fmod(static_cast<double>(x), static_cast<double>(y))))
        << std::hexfloat << x << " " << y << " " << Remainder<kPrecision>(x, y);
    const auto a = TotalOrderRank<kPrecision>(x);
    const auto b = TotalOrderRank<kPrecision>(y);
    const int order = LessSigned(a, b) ? -1 : (LessSigned(b, a) ? 1 : 0);
    const auto wide = [](F value) {
      return sizeof(F) == 4 ? hlo::DecodeFloat(ElementType::kF32, BitsOf(value)) : value;
    };
    ASSERT_EQ(order, fn::TotalOrder(wide(x), wide(y))) << x << " " << y;
  }
}

TEST(FloatSemantics, FloatsAsTheInterpreter) { CheckExactFunctions<Precision::kF32, float>(); }
TEST(FloatSemantics, DoublesAsTheInterpreter) { CheckExactFunctions<Precision::kF64, double>(); }

}  // namespace
}  // namespace hlo_indexing::emit::scalar
