// The error function: 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x.
//
// Example: Erf<Precision::kF32>(1.0F) -> 0.84270078F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_ERROR_FUNCTION_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_ERROR_FUNCTION_H_

#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// Small x: x + x P(x^2). Others: 1 - e^Q(x), as log(1 - erf x) is smooth.
template <Precision kPrecision, FloatScalar F>
F Erf(F x) {
  const F magnitude = Abs(x);
  const F limited = Limit(magnitude, 0, PerPrecision<kPrecision>(4, 6));
  const F z = x * x;
  F small = z;
  F log = z;
  if constexpr (kPrecision == Precision::kF32) {
    small = Polynomial(z, polynomials::kErfF32);
    log = Polynomial(limited, polynomials::kLogErfcF32);
  } else {
    small = Polynomial(z, polynomials::kErfF64);
    log = Polynomial(limited, polynomials::kLogErfcF64);
  }
  const F large = FloatConstant(x, 1.0) - Exp<kPrecision>(log);
  const F near_zero = Fma(magnitude, small, magnitude);
  const auto is_small = Less(magnitude, FloatConstant(x, polynomials::kErfSplit));
  return WithSignOf<kPrecision>(Select(is_small, near_zero, large), x);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_ERROR_FUNCTION_H_
