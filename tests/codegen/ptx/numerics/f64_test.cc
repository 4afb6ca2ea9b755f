#include "codegen/ptx/numerics/f64.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/rounding.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/numerics/arithmetic_model.h"
#include "tests/codegen/ptx/numerics/exact.h"
#include "tests/codegen/ptx/numerics/operands.h"
#include "tests/codegen/ptx/numerics/under_rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

template <typename Check>
void ForAllRoundings(const Check& check) {
  for (const Rounding rounding :
       {Rounding::kNearestEven, Rounding::kTowardZero, Rounding::kDown, Rounding::kUp}) {
    Specialize({.rounding = rounding}, check);
  }
}

constexpr uint64_t kQuietBit = uint64_t{1} << 51;

// The first NaN of the operands, or the one of invalid operations.
uint64_t NanOf(const std::vector<uint64_t>& operands) {
  for (const uint64_t bits : operands) {
    if (exact::IsNan(exact::kF64, bits)) return bits | kQuietBit;
  }
  return 0xfff8'0000'0000'0000;
}

void ExpectOperations(uint64_t a, uint64_t b, uint64_t c) {
  const double x = DoubleOf(a);
  const double y = DoubleOf(b);
  const double z = DoubleOf(c);
  ForAllRoundings([&](auto constant) {
    constexpr Rounding kRounding = decltype(constant)::kModifiers.rounding;
    const exact::Mode mode = {kRounding};
    const exact::Format& format = exact::kF64;
    const auto operands = [&] {
      return testing::Message() << std::hex << a << " " << b << " " << c << " rounding "
                                << static_cast<int>(kRounding);
    };
    const auto bits_of = [](const auto& function, auto... values) {
      return BitsOf(UnderRounding(kRounding, function, values...));
    };
    ASSERT_EQ(bits_of([](double u, double v) { return Add(u, v); }, x, y),
              exact::Sum(format, mode, a, b).value_or(NanOf({a, b})))
        << operands();
    ASSERT_EQ(bits_of([](double u, double v) { return Sub(u, v); }, x, y),
              exact::Sum(format, mode, a, b ^ format.sign_bit).value_or(NanOf({a, b})))
        << operands();
    ASSERT_EQ(bits_of([](double u, double v) { return Mul(u, v); }, x, y),
              exact::Product(format, mode, a, b).value_or(NanOf({a, b})))
        << operands();
    ASSERT_EQ(bits_of([](double u, double v) { return Div(u, v); }, x, y),
              exact::Ratio(format, mode, a, b).value_or(NanOf({a, b})))
        << operands();
    ASSERT_EQ(bits_of([](double u) { return Rcp(u); }, x),
              exact::Ratio(format, mode, BitsOf(1.0), a).value_or(NanOf({a})))
        << operands();
    ASSERT_EQ(bits_of([](double u) { return Sqrt(u); }, x),
              exact::SquareRoot(format, mode, a).value_or(NanOf({a})))
        << operands();
    ASSERT_EQ(bits_of([](double u, double v, double w) { return Fma(u, v, w); }, x, y, z),
              exact::Fused(format, mode, a, b, c).value_or(NanOf({a, b, c})))
        << operands();
  });
}

TEST(F64, SpecialOperandsAgreeWithExactArithmetic) {
  const std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF64);
  exact::RandomOperands random(exact::kF64, 1);
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      // Every second pair; the others are of the same magnitudes mostly.
      if (random.Bits() % 2 != 0) continue;
      ExpectOperations(a, b, operands[random.Bits() % operands.size()]);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(F64, RandomOperandsAgreeWithExactArithmetic) {
  exact::RandomOperands random(exact::kF64, 2);
  for (int i = 0; i < 500; ++i) {
    const uint64_t a = random.Next();
    const uint64_t b = i % 2 == 0 ? random.Next() : random.Near(a, 60);
    const uint64_t product = BitsOf(DoubleOf(a) * DoubleOf(b));
    ExpectOperations(a, b, i % 3 == 0 ? random.Next() : random.Near(product, i % 3 == 1 ? 1 : 110));
    if (HasFatalFailure()) return;
  }
}

TEST(F64, SquaresHaveExactRootsAndTheirNeighboursNot) {
  exact::RandomOperands random(exact::kF64, 3);
  for (int i = 0; i < 300; ++i) {
    // 26 bits, whose squares are doubles.
    const double root = static_cast<double>(random.Bits() >> 38);
    const uint64_t square = BitsOf(root * root);
    for (const uint64_t bits : {square - 1, square, square + 1}) {
      ForAllRoundings([&](auto constant) {
        constexpr Rounding kRounding = decltype(constant)::kModifiers.rounding;
        ASSERT_EQ(BitsOf(UnderRounding(
                      kRounding, [](double value) { return Sqrt(value); }, DoubleOf(bits))),
                  exact::SquareRoot(exact::kF64, {kRounding}, bits));
      });
    }
  }
}

// The definition of the ISA (9.7.3.11), on the order of the encodings.
uint64_t ModelMinMax(bool is_max, uint64_t a, uint64_t b) {
  if (exact::IsNan(exact::kF64, a) && exact::IsNan(exact::kF64, b)) return a | kQuietBit;
  if (exact::IsNan(exact::kF64, a)) return b;
  if (exact::IsNan(exact::kF64, b)) return a;
  const auto key = [](uint64_t bits) {
    return bits >> 63 != 0 ? -static_cast<int64_t>(bits & ~kSignBit64) - 1
                           : static_cast<int64_t>(bits);
  };
  return (key(a) < key(b)) == is_max ? b : a;
}

TEST(F64, MinAndMaxAreOfTheOrderWithTwoZeros) {
  std::vector<uint64_t> operands = exact::SpecialOperands(exact::kF64);
  exact::RandomOperands random(exact::kF64, 4);
  for (int i = 0; i < 100; ++i) operands.push_back(random.Next());
  for (const uint64_t a : operands) {
    for (const uint64_t b : operands) {
      ASSERT_EQ(BitsOf(Min(DoubleOf(a), DoubleOf(b))), ModelMinMax(false, a, b));
      ASSERT_EQ(BitsOf(Max(DoubleOf(a), DoubleOf(b))), ModelMinMax(true, a, b));
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx::numerics
