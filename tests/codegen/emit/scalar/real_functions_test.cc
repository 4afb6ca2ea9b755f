// Functions of real numbers against those of the C library: f32 against double, f64 against long
// double. The bounds are those of docs/kernel_math.md; with SCALAR_TEST_STRIDE=1 in the
// environment, all floats are tried, and what is measured is printed.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "codegen/emit/scalar/error_function.h"
#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/hyperbolic.h"
#include "codegen/emit/scalar/inverse_trigonometry.h"
#include "codegen/emit/scalar/power.h"
#include "codegen/emit/scalar/trigonometry.h"
#include "gtest/gtest.h"
#include "tests/codegen/emit/scalar/ulps.h"

namespace hlo_indexing::emit::scalar {
namespace {

constexpr Precision k32 = Precision::kF32;
constexpr Precision k64 = Precision::kF64;

struct UnaryRow {
  const char* name;
  float (*of_float)(float);
  double (*of_double)(double);
  double (*exact_of_float)(double);
  LongDouble (*exact_of_double)(LongDouble);
  double float_bound;
  double double_bound;
};

// As the interpreter computes it: 0 where e^-x is infinite.
template <typename T>
T ExactLogistic(T x, bool overflows) {
  return overflows ? T{0} : 1 / (1 + std::exp(-x));
}

#define UNARY(name, function, exact, bound32, bound64) \
  {name,                                               \
   function<k32, float>,                               \
   function<k64, double>,                              \
   [](double x) -> double { return exact; },           \
   [](LongDouble x) -> LongDouble { return exact; },   \
   bound32,                                            \
   bound64}
constexpr UnaryRow kUnary[] = {
    UNARY("exp", Exp, std::exp(x), 1.05, 1.05),
    UNARY("expm1", Expm1, std::expm1(x), 1.7, 1.9),
    UNARY("log", Log, std::log(x), 0.9, 0.9),
    UNARY("log1p", Log1p, std::log1p(x), 1.5, 1.5),
    UNARY("sin", Sin, std::sin(x), 1.3, 1.3),
    UNARY("cos", Cos, std::cos(x), 1.3, 1.3),
    UNARY("tan", Tan, std::tan(x), 2.0, 2.0),
    UNARY("asin", Asin, std::asin(x), 2.4, 2.4),
    UNARY("acos", Acos, std::acos(x), 1.3, 1.3),
    UNARY("sinh", Sinh, std::sinh(x), 1.7, 1.7),
    UNARY("cosh", Cosh, std::cosh(x), 1.6, 1.6),
    UNARY("tanh", Tanh, std::tanh(x), 1.5, 1.5),
    UNARY("logistic", Logistic,
          ExactLogistic(x, sizeof(x) > sizeof(double) && x < -709.782712893384), 2.5, 2.4),
    UNARY("asinh", Asinh, std::asinh(x), 2.0, 2.0),
    UNARY("acosh", Acosh, std::acosh(x), 2.2, 2.2),
    UNARY("atanh", Atanh, std::atanh(x), 2.3, 2.3),
    UNARY("erf", Erf, std::erf(x), 1.2, 1.2),
    UNARY("rsqrt", Rsqrt, 1 / std::sqrt(x), 1.5, 1.5),
    UNARY("cbrt", Cbrt, std::cbrt(x), 0.51, 0.51),
};
#undef UNARY

uint64_t Stride() {
  const char* text = std::getenv("SCALAR_TEST_STRIDE");
  return text == nullptr ? 19997 : std::strtoull(text, nullptr, 10);
}

// Zeros, infinities, NaN, the bounds of ranges, and where functions change how they compute.
template <typename F>
std::vector<F> Specials() {
  using Limits = std::numeric_limits<F>;
  std::vector<F> values = {F{0}, Limits::infinity(), Limits::quiet_NaN()};
  const double middles[] = {Limits::denorm_min(),
                            Limits::min(),
                            Limits::max(),
                            Limits::epsilon(),
                            Limits::epsilon() / 2,
                            0.25,
                            0.4142135623730951,
                            0.5,
                            0.625,
                            0.70710678118654752,
                            0.90625,
                            1,
                            1.4142135623730951,
                            2,
                            3,
                            4,
                            6,
                            10,
                            18,
                            20,
                            38,
                            87.3,
                            88.72283,
                            88.73,
                            89.4159,
                            89.42,
                            103.97,
                            104,
                            708.4,
                            709.782712893384,
                            709.79,
                            710.4758,
                            710.48,
                            745.13,
                            746,
                            0x1p16,
                            0x1p20,
                            0x1p26,
                            0x1p28,
                            0x1p40,
                            0x1p55,
                            0x1p56,
                            0x1p80,
                            0x1p126,
                            0x1p127};
  for (const double middle : middles) {
    F value = static_cast<F>(middle);
    for (int i = 0; i < 3; ++i) value = std::nextafter(value, F{0});
    for (int i = 0; i < 7; ++i) {
      values.push_back(value);
      value = std::nextafter(value, Limits::infinity());
    }
  }
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

// Numbers of all sizes, and more of those where functions are neither 0 nor 1 nor infinite.
double RandomDouble(std::mt19937_64& random) {
  const uint64_t bits = random();
  const double fraction = std::ldexp(static_cast<double>(static_cast<int64_t>(bits)), -63);
  switch (random() % 4) {
    case 0:
      return std::bit_cast<double>(bits);
    case 1:
      return fraction;
    case 2:
      return std::ldexp(fraction, static_cast<int>(random() % 16) - 5);
    default:
      return std::ldexp(fraction, static_cast<int>(random() % 100) - 60);
  }
}

template <typename F>
struct Worst {
  double ulps = 0;
  F at = 0;
  void Add(double error, F x) {
    if (error <= ulps) return;
    ulps = error;
    at = x;
  }
};

TEST(RealFunctions, OfFloatsAreWithinTheirBounds) {
  const uint64_t stride = Stride();
  for (const UnaryRow& row : kUnary) {
    Worst<float> worst;
    const auto check = [&](float x) {
      worst.Add(Ulps(row.of_float(x), static_cast<LongDouble>(row.exact_of_float(x))), x);
    };
    for (const float x : Specials<float>()) check(x);
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += stride) {
      check(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    EXPECT_LE(worst.ulps, row.float_bound) << row.name << " at " << std::hexfloat << worst.at;
    if (stride == 1) std::printf("%s: %.2f ulp at %a\n", row.name, worst.ulps, worst.at);
  }
}

TEST(RealFunctions, OfDoublesAreWithinTheirBounds) {
  const uint64_t count = std::min<uint64_t>(4'000'000'000 / Stride(), 10'000'000);
  for (const UnaryRow& row : kUnary) {
    std::mt19937_64 random(1);
    Worst<double> worst;
    const auto check = [&](double x) {
      worst.Add(Ulps(row.of_double(x), row.exact_of_double(x)), x);
    };
    for (const double x : Specials<double>()) check(x);
    for (uint64_t i = 0; i < count; ++i) check(RandomDouble(random));
    EXPECT_LE(worst.ulps, row.double_bound) << row.name << " at " << std::hexfloat << worst.at;
    if (Stride() < 1000) std::printf("%s: %.2f ulp at %a\n", row.name, worst.ulps, worst.at);
  }
}

struct BinaryRow {
  const char* name;
  float (*of_floats)(float, float);
  double (*of_doubles)(double, double);
  double (*exact_of_floats)(double, double);
  LongDouble (*exact_of_doubles)(LongDouble, LongDouble);
  double float_bound;
  double double_bound;
};
const BinaryRow kBinary[] = {
    {"power", Power<k32, float>, Power<k64, double>, std::pow, std::pow, 1.4, 2.0},
    {"atan2", Atan2<k32, float>, Atan2<k64, double>, std::atan2, std::atan2, 2.4, 2.4},
};

// Pairs for which neither function is constant: of similar sizes, and x^y of moderate size.
std::pair<double, double> RandomPair(std::mt19937_64& random) {
  double x = RandomDouble(random);
  double y = RandomDouble(random);
  switch (random() % 4) {
    case 0:
      y = std::trunc(y);
      break;
    case 1:
      y = x * (1 + RandomDouble(random));
      break;
    case 2:
      // |y log x| up to 750.
      x = std::fabs(x);
      y = std::ldexp(static_cast<double>(random() % 750000), -10) / std::log(x);
      break;
    default:
      break;
  }
  return {x, y};
}

template <typename F, typename Function, typename Exact>
Worst<std::pair<F, F>> WorstOfPairs(Function function, Exact exact, uint64_t count) {
  Worst<std::pair<F, F>> worst = {0, {}};
  const auto check = [&](F x, F y) {
    worst.Add(Ulps(function(x, y), static_cast<LongDouble>(exact(x, y))), {x, y});
  };
  const std::vector<F> specials = Specials<F>();
  for (const F x : specials) {
    for (const F y : specials) check(x, y);
  }
  std::mt19937_64 random(2);
  for (uint64_t i = 0; i < count; ++i) {
    const auto [x, y] = RandomPair(random);
    check(static_cast<F>(x), static_cast<F>(y));
  }
  return worst;
}

TEST(RealFunctions, OfPairsAreWithinTheirBounds) {
  const uint64_t count = std::min<uint64_t>(10'000'000'000 / Stride(), 30'000'000);
  for (const BinaryRow& row : kBinary) {
    const auto floats = WorstOfPairs<float>(row.of_floats, row.exact_of_floats, count);
    EXPECT_LE(floats.ulps, row.float_bound)
        << row.name << " of " << std::hexfloat << floats.at.first << ", " << floats.at.second;
    const auto doubles = WorstOfPairs<double>(row.of_doubles, row.exact_of_doubles, count);
    EXPECT_LE(doubles.ulps, row.double_bound)
        << row.name << " of " << std::hexfloat << doubles.at.first << ", " << doubles.at.second;
    if (Stride() < 1000) {
      std::printf("%s: %.2f ulp (f32), %.2f ulp (f64)\n", row.name, floats.ulps, doubles.ulps);
    }
  }
}

// Multiples of pi/2 as near as floats come to them.
TEST(RealFunctions, LargeAnglesAreReducedExactly) {
  const double hard[] = {
      0x1.6ac5b262ca1ffp+849, 0x1.6ac5b26p+849, 0x1.921fb54442d18p+19, 1e22, 1e300,
      0x1.fffffffffffffp+1023};
  for (const double x : hard) {
    EXPECT_LE(Ulps(Sin<k64>(x), std::sin(static_cast<LongDouble>(x))), 1.3) << x;
    EXPECT_LE(Ulps(Cos<k64>(x), std::cos(static_cast<LongDouble>(x))), 1.3) << x;
    EXPECT_LE(Ulps(Tan<k64>(x), std::tan(static_cast<LongDouble>(x))), 1.9) << x;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit::scalar
