#include "hlo/interpreter/element_functions.h"

#include <bit>
#include <cmath>
#include <limits>

#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::hlo::element_functions {
namespace {

bool IsSigned(ElementType type) { return ClassOf(type) == ElementClass::kSigned; }

uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

// The bits of a value of the type, the ones above its width zero.
uint64_t BitsOf(ElementType type, int64_t a) {
  const int64_t unused = 64 - ElementBits(type);
  return Unsigned(a) << unused >> unused;
}

bool IsTooFar(ElementType type, int64_t amount) {
  return amount < 0 || amount >= ElementBits(type);
}

}  // namespace

int64_t Divide(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return -1;
  if (!IsSigned(type)) return static_cast<int64_t>(Unsigned(a) / Unsigned(b));
  return b == -1 ? static_cast<int64_t>(0 - Unsigned(a)) : a / b;
}

int64_t Remainder(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return a;
  if (!IsSigned(type)) return static_cast<int64_t>(Unsigned(a) % Unsigned(b));
  return b == -1 ? 0 : a % b;
}

int64_t Power(ElementType type, int64_t base, int64_t exponent) {
  if (IsSigned(type) && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return (exponent & 1) == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1;
  uint64_t square = Unsigned(base);
  for (uint64_t rest = Unsigned(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}

int64_t MultiplyHigh(ElementType type, int64_t a, int64_t b) {
  const int64_t bits = ElementBits(type);
  if (IsSigned(type)) {
    return static_cast<int64_t>((static_cast<__int128>(a) * b) >> bits);
  }
  return static_cast<int64_t>((static_cast<unsigned __int128>(Unsigned(a)) * Unsigned(b)) >> bits);
}

int64_t ShiftLeft(ElementType type, int64_t a, int64_t amount) {
  return IsTooFar(type, amount) ? 0 : static_cast<int64_t>(Unsigned(a) << amount);
}

int64_t ShiftRightLogical(ElementType type, int64_t a, int64_t amount) {
  return IsTooFar(type, amount) ? 0 : static_cast<int64_t>(BitsOf(type, a) >> amount);
}

int64_t ShiftRightArithmetic(ElementType type, int64_t a, int64_t amount) {
  const int64_t unused = 64 - ElementBits(type);
  // The top bit counts as the sign, whatever the type says.
  const int64_t value = static_cast<int64_t>(Unsigned(a) << unused) >> unused;
  return value >> (IsTooFar(type, amount) ? 63 : amount);
}

int64_t CountLeadingZeros(ElementType type, int64_t a) {
  return std::countl_zero(BitsOf(type, a)) - (64 - ElementBits(type));
}

int64_t PopulationCount(ElementType type, int64_t a) { return std::popcount(BitsOf(type, a)); }

int Order(ElementType type, int64_t a, int64_t b) {
  if (a == b) return 0;
  const bool less = IsSigned(type) ? a < b : Unsigned(a) < Unsigned(b);
  return less ? -1 : 1;
}

double Maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double Minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double Sign(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }

int TotalOrder(double a, double b) {
  const auto rank = [](double x) {
    const int64_t bits = std::bit_cast<int64_t>(x);
    return bits < 0 ? bits ^ INT64_MAX : bits;
  };
  if (rank(a) == rank(b)) return 0;
  return rank(a) < rank(b) ? -1 : 1;
}

double ReducePrecision(ElementType type, double x, int64_t exponent_bits, int64_t mantissa_bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const llvm::fltSemantics& semantics = *FloatSemantics(type);
  const int own_mantissa = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) - 1;
  const int sign_bits = type == ElementType::kF8E8M0FNU ? 0 : 1;
  const int64_t own_exponent = ElementBits(type) - sign_bits - own_mantissa;
  double result = x;
  if (mantissa_bits < own_mantissa) {
    // Denormals of the type keep their fixed point.
    const int lowest = static_cast<int>(llvm::APFloat::semanticsMinExponent(semantics));
    const int exponent = std::max(std::ilogb(x), lowest);
    const int unit = exponent - static_cast<int>(mantissa_bits);
    const double units = std::ldexp(x, -unit);
    double rounded = std::nearbyint(units);
    // Without a mantissa the last bit is the exponent's: ties go to even exponents. Denormals have
    // the exponent field 0, the lowest normal numbers 1.
    const bool is_odd = ((exponent - lowest) & 1) == 0;
    if (mantissa_bits == 0 && std::fabs(units) == 1.5 && !is_odd) rounded = std::copysign(1.0, x);
    result = std::ldexp(rounded, unit);
  }
  if (exponent_bits < own_exponent && result != 0) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double sign = std::copysign(1.0, x);
    const int exponent = std::isinf(result) ? bias + 1 : std::ilogb(result);
    if (exponent > bias) return sign * std::numeric_limits<double>::infinity();
    if (exponent < 1 - bias) return sign * 0.0;
  }
  return result;
}

Complex Multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double PowerOfFloats(double base, double exponent) {
  if (base == 1 || exponent == 0) return 1;
  return std::pow(base, exponent);
}

Complex Power(Complex base, Complex exponent) {
  if (exponent == 0.0) return 1;
  if (base == 0.0 && exponent.real() > 0) return 0;
  return std::pow(base, exponent);
}

// e^x (cos y + i sin y) - 1, with cos y = 1 - 2 sin^2(y/2) so that nothing cancels near 0.
Complex ExponentialMinusOne(Complex z) {
  const double half_sine = std::sin(z.imag() / 2);
  const double growth = std::expm1(z.real());
  const double real = growth * std::cos(z.imag()) - 2 * half_sine * half_sine;
  return {real, (growth + 1) * std::sin(z.imag())};
}

// log|1 + z| = log1p(x (2 + x) + y^2) / 2 near 0.
Complex LogPlusOne(Complex z) {
  if (std::abs(z) > 0.5) return std::log(1.0 + z);
  const double square = z.real() * (2 + z.real()) + z.imag() * z.imag();
  return {std::log1p(square) / 2, std::atan2(z.imag(), 1 + z.real())};
}

Complex Sign(Complex z) { return z == 0.0 ? z : z / std::abs(z); }

// -i log((x + i y) / sqrt(x^2 + y^2))
Complex Atan2(Complex y, Complex x) {
  const Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

}  // namespace hlo_indexing::hlo::element_functions
