// Arithmetic of f64: add, sub, mul, fma, div, rcp, sqrt, min and max (PTX ISA 9.7.3) with every
// rounding, bit for bit. There is neither .ftz nor .sat of these.
//
// NaNs: payloads are kept (9.7.3). The result is the first NaN operand made quiet, and kInvalidNan
// where no operand is NaN. Which of several operands devices choose is not documented.
//
// Example: Fma<Rounding::kDown>(a, b, c) is `fma.rm.f64`; with the mode known at run time only,
// once for a warp: Specialize({.rounding = mode}, [&](auto constant) {
//   for (...) d[lane] = Fma<constant.kModifiers.rounding>(a[lane], b[lane], c[lane]); });
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_F64_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_F64_H_

#include <cmath>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

/// The operations on finite operands, done with integers. Modes but to-nearest-even.
double AddFinite(double a, double b, Rounding rounding);
double FmaFinite(double a, double b, double c, Rounding rounding);
/// Of numbers that are not zero.
double DivFinite(double a, double b, Rounding rounding);
/// Of a positive number.
double SqrtFinite(double value, Rounding rounding);

inline bool IsFinite(double value) { return Magnitude(value) < __builtin_inf(); }

/// The operand that is returned where the result is NaN.
inline double NanOf(double a) { return IsNan(a) ? Quiet(a) : kInvalidNan; }
inline double NanOf(double a, double b) { return IsNan(a) ? Quiet(a) : NanOf(b); }
inline double NanOf(double a, double b, double c) { return IsNan(a) ? Quiet(a) : NanOf(b, c); }

}  // namespace internal

/// add.f64 (9.7.3.3).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Add(double a, double b) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (internal::IsFinite(a) && internal::IsFinite(b)) return internal::AddFinite(a, b, kRounding);
  }
  const double sum = a + b;
  return IsNan(sum) ? internal::NanOf(a, b) : sum;
}

/// sub.f64 (9.7.3.4).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Sub(double a, double b) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (internal::IsFinite(a) && internal::IsFinite(b)) {
      return internal::AddFinite(a, Negate(b), kRounding);
    }
  }
  const double difference = a - b;
  return IsNan(difference) ? internal::NanOf(a, b) : difference;
}

/// mul.f64 (9.7.3.5).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Mul(double a, double b) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (internal::IsFinite(a) && internal::IsFinite(b)) {
      // A zero of the product's sign, which a product of zero keeps.
      const double zero = DoubleOf((BitsOf(a) ^ BitsOf(b)) & kSignBit64);
      return internal::FmaFinite(a, b, zero, kRounding);
    }
  }
  const double product = a * b;
  return IsNan(product) ? internal::NanOf(a, b) : product;
}

/// fma.f64 and mad.f64 (9.7.3.6): a * b + c rounded once.
template <Rounding kRounding = Rounding::kNearestEven>
inline double Fma(double a, double b, double c) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (internal::IsFinite(a) && internal::IsFinite(b) && internal::IsFinite(c)) {
      return internal::FmaFinite(a, b, c, kRounding);
    }
  }
  const double result = std::fma(a, b, c);
  return IsNan(result) ? internal::NanOf(a, b, c) : result;
}

/// div.RND.f64 (9.7.3.8).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Div(double a, double b) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (internal::IsFinite(a) && internal::IsFinite(b) && a != 0.0 && b != 0.0) {
      return internal::DivFinite(a, b, kRounding);
    }
  }
  const double quotient = a / b;
  return IsNan(quotient) ? internal::NanOf(a, b) : quotient;
}

/// rcp.RND.f64 (9.7.3.13).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Rcp(double value) {
  return Div<kRounding>(1.0, value);
}

/// sqrt.RND.f64 (9.7.3.15).
template <Rounding kRounding = Rounding::kNearestEven>
inline double Sqrt(double value) {
  if constexpr (kRounding != Rounding::kNearestEven) {
    if (value > 0.0 && internal::IsFinite(value)) return internal::SqrtFinite(value, kRounding);
  }
  const double root = std::sqrt(value);
  return IsNan(root) ? internal::NanOf(value) : root;
}

/// min.f64 (9.7.3.11): the other operand if one is NaN, and -0 < +0.
inline double Min(double a, double b) {
  const double least = a < b ? a : b;
  const double result = a == b ? DoubleOf(BitsOf(a) | BitsOf(b)) : least;
  // `least` is b if either is NaN.
  return IsNan(b) ? (IsNan(a) ? Quiet(a) : a) : result;
}

/// max.f64 (9.7.3.12), like Min.
inline double Max(double a, double b) {
  const double greatest = a > b ? a : b;
  const double result = a == b ? DoubleOf(BitsOf(a) & BitsOf(b)) : greatest;
  return IsNan(b) ? (IsNan(a) ? Quiet(a) : a) : result;
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_F64_H_
