// Functions of complex numbers against those of the C++ library with more precision: errors are in
// units in the last place of the larger part.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "codegen/emit/scalar/complex.h"
#include "codegen/emit/scalar/complex_functions.h"
#include "codegen/emit/scalar/complex_trigonometry.h"
#include "gtest/gtest.h"
#include "tests/codegen/emit/scalar/ulps.h"

namespace hlo_indexing::emit::scalar {
namespace {

constexpr Precision k32 = Precision::kF32;
constexpr Precision k64 = Precision::kF64;

// The interpreter's formulas.
template <typename C>
C ExactExpm1(C z) {
  const auto half_sine = std::sin(z.imag() / 2);
  const auto growth = std::expm1(z.real());
  return {growth * std::cos(z.imag()) - 2 * half_sine * half_sine,
          (growth + 1) * std::sin(z.imag())};
}
template <typename C>
C ExactLog1p(C z) {
  if (std::abs(z) > 0.5) return std::log(typename C::value_type{1} + z);
  const auto square = z.real() * (2 + z.real()) + z.imag() * z.imag();
  return {std::log1p(square) / 2, std::atan2(z.imag(), 1 + z.real())};
}
template <typename C>
C ExactCbrt(C z) {
  return z == C(0) ? C(0) : std::pow(z, C(1) / C(3));
}
template <typename C>
C ExactSign(C z) {
  return z == C(0) ? z : z / std::abs(z);
}

template <typename F>
using Unary = Complex<F> (*)(const Complex<F>&);
template <typename F>
using Exact = std::complex<F> (*)(std::complex<F>);

struct Row {
  const char* name;
  Unary<float> of_floats;
  Unary<double> of_doubles;
  Exact<double> exact_of_floats;
  Exact<LongDouble> exact_of_doubles;
  double bound;
};

#define UNARY(name, function, exact, bound)                                      \
  {name,                                                                         \
   [](const Complex<float>& z) { return function<k32>(z); },                     \
   [](const Complex<double>& z) { return function<k64>(z); },                    \
   [](std::complex<double> z) -> std::complex<double> { return exact; },         \
   [](std::complex<LongDouble> z) -> std::complex<LongDouble> { return exact; }, \
   bound}
constexpr Row kRows[] = {
    UNARY("exp", Exp, std::exp(z), 3),
    UNARY("log", Log, std::log(z), 3),
    UNARY("sqrt", Sqrt, std::sqrt(z), 2),
    UNARY("rsqrt", Rsqrt, decltype(z)(1) / std::sqrt(z), 4.5),
    UNARY("cbrt", Cbrt, ExactCbrt(z), 4.5),
    UNARY("expm1", Expm1, ExactExpm1(z), 4.5),
    UNARY("log1p", Log1p, ExactLog1p(z), 4.5),
    UNARY("sign", Sign, ExactSign(z), 2.5),
    UNARY("sinh", Sinh, std::sinh(z), 4),
    UNARY("cosh", Cosh, std::cosh(z), 4),
    UNARY("tanh", Tanh, std::tanh(z), 5.5),
    UNARY("sin", Sin, std::sin(z), 4),
    UNARY("cos", Cos, std::cos(z), 4),
    UNARY("tan", Tan, std::tan(z), 5.5),
    UNARY("asin", Asin, std::asin(z), 4.5),
    UNARY("acos", Acos, std::acos(z), 4.5),
    UNARY("asinh", Asinh, std::asinh(z), 4.5),
    UNARY("acosh", Acosh, std::acosh(z), 4.5),
    UNARY("atanh", Atanh, std::atanh(z), 4.5),
};
#undef UNARY

// Infinite if a part is infinite or NaN and should not be, or the other way round.
template <typename F, typename T>
double UlpsOfLarger(const Complex<F>& computed, const std::complex<T>& exact) {
  const F parts[] = {computed.real, computed.imag};
  const T exact_parts[] = {exact.real(), exact.imag()};
  bool is_number = true;
  LongDouble larger = 0;
  LongDouble error = 0;
  for (int i = 0; i < 2; ++i) {
    const F expected = static_cast<F>(exact_parts[i]);
    if (std::isnan(expected) != std::isnan(parts[i]) ||
        std::isinf(expected) != std::isinf(parts[i])) {
      return std::numeric_limits<double>::infinity();
    }
    is_number = is_number && std::isfinite(expected);
    larger = std::max(larger, std::fabs(LongDouble{exact_parts[i]}));
    error = std::max(error, std::fabs(parts[i] - LongDouble{exact_parts[i]}));
  }
  return is_number ? static_cast<double>(error / UnitInLastPlace<F>(larger)) : 0;
}

template <typename F>
std::vector<F> Specials() {
  using Limits = std::numeric_limits<F>;
  std::vector<F> values = {F{0},
                           F{1},
                           F{2},
                           F{0.5},
                           F{0.75},
                           F{3},
                           F{20},
                           F{50},
                           F{88.90625},
                           F{100},
                           F{1e10},
                           static_cast<F>(1e-10),
                           F{720},
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::quiet_NaN()};
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

// Numbers around 1 of both parts, some on the unit circle or next to 1.
template <typename F>
Complex<F> RandomComplex(std::mt19937_64& random) {
  const auto part = [&] {
    const int exponent = random() % 3 == 0 ? static_cast<int>(random() % 60) - 40
                                           : static_cast<int>(random() % 10) - 6;
    const double fraction = static_cast<double>(static_cast<int64_t>(random()));
    return static_cast<F>(std::ldexp(fraction, exponent - 63));
  };
  const F y = part();
  switch (random() % 8) {
    case 0:
      return {std::sqrt(std::fabs(1 - y * y)), y};
    case 1:
      return {1 + std::ldexp(part(), -static_cast<int>(random() % 20)), y};
    default:
      return {part(), y};
  }
}

template <typename F, typename T>
void CheckUnary(const char* name, Unary<F> function, Exact<T> exact, double bound) {
  const auto check = [&](const Complex<F>& z) {
    const Complex<F> computed = function(z);
    const std::complex<T> expected = exact({T{z.real}, T{z.imag}});
    // The interpreter's e^z - 1 is inf * 0 where C's e^z is inf + 0 i.
    if (std::isinf(expected.real()) && std::isnan(expected.imag()) && z.imag == 0) return;
    ASSERT_LE(UlpsOfLarger(computed, expected), bound)
        << name << "(" << std::hexfloat << z.real << ", " << z.imag << ") = (" << computed.real
        << ", " << computed.imag << "), not (" << static_cast<F>(expected.real()) << ", "
        << static_cast<F>(expected.imag()) << ")";
  };
  for (const F x : Specials<F>()) {
    for (const F y : Specials<F>()) check({x, y});
  }
  std::mt19937_64 random(9);
  for (int i = 0; i < 30'000; ++i) check(RandomComplex<F>(random));
}

TEST(Complex, FunctionsAreWithinTheirBounds) {
  for (const Row& row : kRows) {
    CheckUnary<float, double>(row.name, row.of_floats, row.exact_of_floats, row.bound);
    CheckUnary<double, LongDouble>(row.name, row.of_doubles, row.exact_of_doubles, row.bound);
  }
}

template <Precision kPrecision, typename F, typename T>
void CheckArithmetic() {
  std::mt19937_64 random(10);
  const auto wide = [](const Complex<F>& z) { return std::complex<T>(z.real, z.imag); };
  for (int i = 0; i < 200'000; ++i) {
    const Complex<F> a = RandomComplex<F>(random);
    const Complex<F> b = RandomComplex<F>(random);
    EXPECT_LE(UlpsOfLarger(Multiply<kPrecision>(a, b), wide(a) * wide(b)), 2);
    EXPECT_LE(UlpsOfLarger(Divide<kPrecision>(a, b), wide(a) / wide(b)), 3.5)
        << std::hexfloat << a.real << " " << a.imag << " / " << b.real << " " << b.imag;
    EXPECT_LE(Ulps(Abs<kPrecision>(a), std::abs(wide(a))), 1.1);
  }
  for (const F x : Specials<F>()) {
    for (const F y : Specials<F>()) {
      const Complex<F> z = {x, y};
      EXPECT_LE(Ulps(Abs<kPrecision>(z), std::abs(wide(z))), 1.1) << x << " " << y;
      for (const Complex<F>& b : {Complex<F>{0, 0}, {1, -2}, {z.imag, 3}, {-1, z.real}}) {
        EXPECT_LE(UlpsOfLarger(Divide<kPrecision>(z, b), wide(z) / wide(b)), 3.5)
            << x << " " << y << " / " << b.real << " " << b.imag;
      }
    }
  }
}

TEST(Complex, ArithmeticOfFloats) { CheckArithmetic<k32, float, double>(); }
TEST(Complex, ArithmeticOfDoubles) { CheckArithmetic<k64, double, LongDouble>(); }

// The error of the logarithm counts as often as the exponent says.
template <Precision kPrecision, typename F, typename T>
void CheckPower() {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100'000; ++i) {
    const Complex<F> base = RandomComplex<F>(random);
    const Complex<F> exponent = RandomComplex<F>(random);
    const std::complex<T> wide_exponent(exponent.real, exponent.imag);
    const std::complex<T> product = wide_exponent * std::log(std::complex<T>(base.real, base.imag));
    const std::complex<T> exact = std::exp(product);
    const T size = std::abs(product);
    if (size > 50) continue;
    EXPECT_LE(UlpsOfLarger(Power<kPrecision>(base, exponent), exact), 4 + 6 * size)
        << std::hexfloat << base.real << " " << base.imag << " ^ " << exponent.real << " "
        << exponent.imag;
  }
  const Complex<F> zero = {0, 0};
  EXPECT_EQ((Power<kPrecision>(zero, zero).real), 1);
  EXPECT_EQ((Power<kPrecision>(zero, Complex<F>{2, 1}).real), 0);
  EXPECT_EQ((Power<kPrecision>(Complex<F>{3, 4}, zero).real), 1);
}

TEST(Complex, PowersOfFloats) { CheckPower<k32, float, double>(); }
TEST(Complex, PowersOfDoubles) { CheckPower<k64, double, LongDouble>(); }

// Formulas in which terms may cancel: right up to their condition.
template <Precision kPrecision, typename F, typename T>
void CheckCancelling() {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100'000; ++i) {
    const Complex<F> z = RandomComplex<F>(random);
    const std::complex<T> wide(z.real, z.imag);
    const std::complex<T> sum = T{1} + std::exp(-wide);
    const T condition = std::min(T{1}, std::abs(sum));
    EXPECT_LE(UlpsOfLarger(Logistic<kPrecision>(z), T{1} / sum) * static_cast<double>(condition), 8)
        << std::hexfloat << z.real << " " << z.imag;
    const Complex<F> y = RandomComplex<F>(random);
    const std::complex<T> wide_y(y.real, y.imag);
    const std::complex<T> square = wide * wide + wide_y * wide_y;
    const std::complex<T> i_unit(0, 1);
    const std::complex<T> direction = (wide + i_unit * wide_y) / std::sqrt(square);
    const T sizes = std::norm(wide) + std::norm(wide_y);
    // Where the square cancels, and where the direction is near 1, digits are lost; near -1 it is
    // chance whether the angle is pi or -pi.
    const T distance = std::min(std::abs(direction - T{1}), std::abs(direction + T{1}));
    if (std::abs(square) < sizes / 4 || distance < T{0.25}) continue;
    EXPECT_LE(UlpsOfLarger(Atan2<kPrecision>(y, z), -i_unit * std::log(direction)), 100)
        << std::hexfloat << y.real << " " << y.imag << ", " << z.real << " " << z.imag;
  }
}

TEST(Complex, CancellingFormulasOfFloats) { CheckCancelling<k32, float, double>(); }
TEST(Complex, CancellingFormulasOfDoubles) { CheckCancelling<k64, double, LongDouble>(); }

}  // namespace
}  // namespace hlo_indexing::emit::scalar
