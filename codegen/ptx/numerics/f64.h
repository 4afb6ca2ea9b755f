// Arithmetic of f64: add, sub, mul, fma, div, rcp, sqrt, min and max (PTX ISA 9.7.3), bit for bit.
// There is neither .ftz nor .sat of these. They are rounded as this thread rounds: to nearest, or
// otherwise under a HostRounding (host_rounding.h).
//
// NaNs: payloads are kept (9.7.3). The result is the first NaN operand made quiet, and kInvalidNan
// where no operand is NaN. Which of several operands devices choose is not documented.
//
// Example: Fma(a, b, c) is `fma.rn.f64`.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_F64_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_F64_H_

#include <array>
#include <cmath>
#include <cstddef>

#include "codegen/ptx/numerics/bits.h"

namespace hlo_indexing::ptx::numerics {

namespace internal {

/// A result, or where it is NaN, what is returned instead: the first operand that is NaN. All
/// choices are made one after the other, so that loops are done with vectors.
template <typename... Operands>
inline double WithNanOf(double result, Operands... operands) {
  std::array<double, sizeof...(operands)> sources = {operands...};
  double nan = kInvalidNan;
  for (size_t i = sources.size(); i-- > 0;) nan = IsNan(sources[i]) ? Quiet(sources[i]) : nan;
  return IsNan(result) ? nan : result;
}

}  // namespace internal

/// add.f64 (9.7.3.3).
inline double Add(double a, double b) { return internal::WithNanOf(a + b, a, b); }

/// sub.f64 (9.7.3.4).
inline double Sub(double a, double b) { return internal::WithNanOf(a - b, a, b); }

/// mul.f64 (9.7.3.5).
inline double Mul(double a, double b) { return internal::WithNanOf(a * b, a, b); }

/// fma.f64 and mad.f64 (9.7.3.6): a * b + c rounded once.
inline double Fma(double a, double b, double c) {
  return internal::WithNanOf(std::fma(a, b, c), a, b, c);
}

/// div.RND.f64 (9.7.3.8).
inline double Div(double a, double b) { return internal::WithNanOf(a / b, a, b); }

/// rcp.RND.f64 (9.7.3.13).
inline double Rcp(double value) { return Div(1.0, value); }

/// sqrt.RND.f64 (9.7.3.15).
inline double Sqrt(double value) { return internal::WithNanOf(std::sqrt(value), value); }

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
