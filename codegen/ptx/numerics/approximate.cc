#include "codegen/ptx/numerics/approximate.h"

#include <cmath>
#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/f64.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

double Quotient(double a, double b) { return a / b; }

// The 1.11.20 format: what is in the upper half of a double.
constexpr FloatFormat kUpperHalfFormat = {11, 20, 1023, SpecialValues::kInfinityAndNan};
constexpr double kUpperHalfNan = DoubleOf(uint64_t{0x7fff'ffff} << 32);

double UpperHalf(double value) {
  const double upper = DoubleOf(BitsOf(value) & uint64_t{0xffff'ffff} << 32);
  return Magnitude(upper) < 0x1p-1022 ? ZeroLike(upper) : upper;
}

double RoundToUpperHalf(double value) {
  if (IsNan(value)) return kUpperHalfNan;
  return DoubleOf(Encode(kUpperHalfFormat, value, {.flush = true}) << 32);
}

// 1 / sqrt of a positive finite number. The root's error is made up for: r = value - root^2, which
// a fused operation gives without error, is 2 * root times it.
double ReciprocalRoot(double value) {
  // Away from where the rest of the root would be subnormal.
  const double scaled = value < 0x1p-900 ? value * 0x1p200 : value;
  const double root = std::sqrt(scaled);
  const double reciprocal = 1.0 / root;
  // 1 / sqrt(s) = reciprocal * (1 + e) with e = 1 - root * reciprocal - rest / (2 s) to first
  // order.
  const double error_of_reciprocal = std::fma(-root, reciprocal, 1.0);
  const double error_of_root = std::fma(-root, root, scaled) / scaled * -0.5;
  const double result = std::fma(reciprocal, error_of_reciprocal + error_of_root, reciprocal);
  return value < 0x1p-900 ? result * 0x1p100 : result;
}

}  // namespace

float SinApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return std::sin(x); });
}

float CosApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return std::cos(x); });
}

double RcpApproxFtz(double value) { return RoundToUpperHalf(Quotient(1.0, UpperHalf(value))); }

double RsqrtApproxFtz(double value) {
  return RoundToUpperHalf(Quotient(1.0, std::sqrt(UpperHalf(value))));
}

double RsqrtApprox(double value) {
  if (value > 0.0 && Magnitude(value) < __builtin_inf()) return ReciprocalRoot(value);
  const double result = Quotient(1.0, std::sqrt(value));
  return IsNan(result) ? internal::NanOf(value) : result;
}

}  // namespace hlo_indexing::ptx::numerics
