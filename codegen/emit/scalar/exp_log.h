// Exponential functions and logarithms.
//
//   e^x = 2^n e^r with n the integer nearest to x / log 2, so |r| <= log(2) / 2
//   log x = n log 2 + log(1 + f) with x = 2^n (1 + f), so sqrt(1/2) <= 1 + f <= sqrt(2)
//
// and polynomials for e^r and log(1 + f). Exp of f32 has 2^(r / log 2) of the device instead of
// e^r.
//
// Example: Exp<Precision::kF32>(1.0F) -> 2.7182817F
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_EXP_LOG_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_EXP_LOG_H_

#include "codegen/emit/scalar/float_parts.h"
#include "codegen/emit/scalar/polynomials.h"

namespace hlo_indexing::emit::scalar {

/// log 2 = Log2Hi + Log2Lo.
template <Precision kPrecision>
constexpr double Log2Hi() {
  return PerPrecision<kPrecision>(0x1.62e43p-1, 0x1.62e42fefa39efp-1);
}
template <Precision kPrecision>
constexpr double Log2Lo() {
  return PerPrecision<kPrecision>(-0x1.05c61p-29, 0x1.abc9e3b39803fp-56);
}

/// x = n log 2 + rest.
template <typename F>
struct ExpReduction {
  RoundedNumber<F> n;
  F rest;
};
template <Precision kPrecision, FloatScalar F>
ExpReduction<F> ReduceForExp(F x) {
  constexpr double kInverse = PerPrecision<kPrecision>(0x1.715476p+0, 0x1.71547652b82fep+0);
  const RoundedNumber<F> n = RoundProduct<kPrecision>(x, kInverse);
  // The first product is subtracted without error.
  const F coarse = Fma(n.value, FloatConstant(x, -Log2Hi<kPrecision>()), x);
  return {n, Fma(n.value, FloatConstant(x, -Log2Lo<kPrecision>()), coarse)};
}

/// e^r - 1 for |r| <= log(2) / 2.
template <Precision kPrecision, FloatScalar F>
F Expm1OfRest(F r) {
  if constexpr (kPrecision == Precision::kF32) {
    return Fma(r * r, Polynomial(r, polynomials::kExpF32), r);
  } else {
    return Fma(r * r, Polynomial(r, polynomials::kExpF64), r);
  }
}

/// e^x = power 2^exponent with a power between 1/2 and 2, for x not much beyond the range where e^x
/// is a number: twice the range of exponents at most.
template <typename F>
struct BinaryExp {
  F power;
  BitsType<F> exponent;
};
/// e^(x + tail), where the tail is small beside 1.
template <Precision kPrecision, FloatScalar F>
BinaryExp<F> ExpOfSum(F x, F tail) {
  const ExpReduction<F> reduced = ReduceForExp<kPrecision>(x);
  const F power = Expm1OfRest<kPrecision>(reduced.rest + tail) + FloatConstant(x, 1.0);
  return {power, reduced.n.integer};
}
template <Precision kPrecision, FloatScalar F>
BinaryExp<F> ExpOf(F x) {
  const ExpReduction<F> reduced = ReduceForExp<kPrecision>(x);
  const F power = Expm1OfRest<kPrecision>(reduced.rest) + FloatConstant(x, 1.0);
  return {power, reduced.n.integer};
}

/// Beyond these bounds e^x and e^x / 2 are infinite, or less than half of the least number.
template <Precision kPrecision, FloatScalar F>
F LimitForExp(F x) {
  return Limit(x, PerPrecision<kPrecision>(-105, -746), PerPrecision<kPrecision>(90, 711));
}

/// e^x of f32 by the device's power of two: 2^n 2^t with n the integer nearest to x / log 2, within
/// the exponents of normal numbers, and t the rest. Where n is at a bound, 2^t leads on to
/// infinity, or to subnormal numbers and zero.
template <FloatScalar F>
F ExpByApproxExp2(F x) {
  // x / log 2 to 48 bits. Both parts are positive: infinities stay.
  const F coarse = FloatConstant(x, 0x1.715476p+0);
  const F fine = FloatConstant(x, 0x1.4ae0cp-26);
  // In the last bits of a sum with it stands n with the bias of exponents.
  const F shifter = FloatConstant(x, 0x1.8p23 + Bias<Precision::kF32>());
  const F shifted = Fma(Limit(x, -87.3, 88.1), coarse, shifter);
  const F t = Fma(x, fine, Fma(x, coarse, shifter - shifted));
  const F power = FloatOf(ShiftLeftBy(BitsOf(shifted), MantissaBits<Precision::kF32>()));
  return ApproxExp2(t) * power;
}

/// e^x to 16 bits and more, of f32: what is then rounded to 11 bits or fewer. The square of half
/// the power is not flushed where e^x is subnormal.
template <FloatScalar F>
F ExpTo16Bits(F x) {
  const F root = ApproxExp2(x * FloatConstant(x, 0x1.715476p-1));
  return root * root;
}

/// e^x.
template <Precision kPrecision, FloatScalar F>
F Exp(F x) {
  if constexpr (kPrecision == Precision::kF32) return ExpByApproxExp2(x);
  const BinaryExp<F> exp = ExpOf<kPrecision>(LimitForExp<kPrecision>(x));
  return ScaleByPowerOfTwo<kPrecision>(exp.power, exp.exponent);
}

/// e^x / 2, which is finite where e^x just is not.
template <Precision kPrecision, FloatScalar F>
F HalfExp(F x) {
  const BinaryExp<F> exp = ExpOf<kPrecision>(LimitForExp<kPrecision>(x));
  const auto less = exp.exponent - IntegerConstant(exp.exponent, 1);
  return ScaleByPowerOfTwo<kPrecision>(exp.power, less);
}

/// e^x - 1.
template <Precision kPrecision, FloatScalar F>
F Expm1(F x) {
  const F limited = Limit(x, PerPrecision<kPrecision>(-18, -38), PerPrecision<kPrecision>(89, 710));
  const ExpReduction<F> reduced = ReduceForExp<kPrecision>(limited);
  const auto n = reduced.n.integer;
  // 2 (2^(n - 1) (e^r - 1) + 2^(n - 1) - 1/2), as 2^n may be too large.
  const F half_power = PowerOfTwo<kPrecision>(n - IntegerConstant(n, 1));
  const F half =
      Fma(half_power, Expm1OfRest<kPrecision>(reduced.rest), half_power - FloatConstant(x, 0.5));
  const auto is_tiny = Less(Abs(x), FloatConstant(x, PerPrecision<kPrecision>(0x1p-25, 0x1p-54)));
  return Select(is_tiny, x, half + half);
}

/// x = 2^exponent (1 + f).
template <typename F>
struct LogReduction {
  F exponent;
  F f;
};

/// The exponent of a positive normal number, rounded so that 1 + f is between sqrt(1/2) and
/// sqrt(2).
template <Precision kPrecision, FloatScalar F>
auto ExponentForLog(F x) {
  const auto bits = BitsOf(x);
  const auto root = BitsOf(FloatConstant(x, 0x1.6a09e667f3bcdp-1));
  return ShiftRightArithmeticBy(bits - root, MantissaBits<kPrecision>());
}

/// For a number that is positive and finite.
template <Precision kPrecision, FloatScalar F>
LogReduction<F> ReduceForLog(F x) {
  constexpr int kShift = MantissaBits<kPrecision>();
  const auto is_subnormal = Less(x, FloatConstant(x, LeastNormal<kPrecision>()));
  const F scale = FloatConstant(x, PerPrecision<kPrecision>(0x1p23, 0x1p52));
  const F normal = Select(is_subnormal, x * scale, x);
  const auto exponent = ExponentForLog<kPrecision>(normal);
  const F f = FloatOf(BitsOf(normal) - ShiftLeftBy(exponent, kShift)) - FloatConstant(x, 1.0);
  const F shift = Select(is_subnormal, FloatConstant(x, -kShift), FloatConstant(x, 0.0));
  return {SignedToFloat(exponent) + shift, f};
}

/// exponent log 2 + log(1 + f).
template <Precision kPrecision, FloatScalar F>
F LogOfReduced(LogReduction<F> x) {
  const F f = x.f;
  const F low = x.exponent * FloatConstant(f, Log2Lo<kPrecision>());
  F log = f;
  if constexpr (kPrecision == Precision::kF32) {
    const F second = Fma(f, Polynomial(f, polynomials::kLogF32), FloatConstant(f, -0.5));
    log = f + Fma(f * f, second, low);
  } else {
    // log(1 + f) = 2 s + s^3 P(s^2) with s = f / (2 + f), and 2 s = f - f^2 / 2 + s f^2 / 2.
    const F s = f / (FloatConstant(f, 2.0) + f);
    const F z = s * s;
    const F half_square = FloatConstant(f, 0.5) * f * f;
    const F rest = Fma(z, Polynomial(z, polynomials::kLogF64), half_square);
    log = f - (half_square - Fma(s, rest, low));
  }
  return Fma(x.exponent, FloatConstant(f, Log2Hi<kPrecision>()), log);
}

/// The logarithm `value` of a finite positive number, and what log is of others: y = x (log) or
/// 1 + x (log1p).
template <FloatScalar F>
F WithLogOfSpecials(F value, F y) {
  const F finite = Select(Less(y, FloatConstant(y, kInfinity)), value, y);
  const F or_zero = Select(Equal(y, FloatConstant(y, 0.0)), FloatConstant(y, -kInfinity), finite);
  return Select(Less(y, FloatConstant(y, 0.0)), FloatConstant(y, kNan), or_zero);
}

/// log x.
template <Precision kPrecision, FloatScalar F>
F Log(F x) {
  return WithLogOfSpecials(LogOfReduced<kPrecision>(ReduceForLog<kPrecision>(x)), x);
}

/// log(1 + x).
template <Precision kPrecision, FloatScalar F>
F Log1p(F x) {
  const F one = FloatConstant(x, 1.0);
  const F sum = one + x;
  const auto exponent = ExponentForLog<kPrecision>(sum);
  // With s = 2^-exponent, f = (1 + x) s - 1 is rounded only once. Large x are their own sum.
  const F scale = PowerOfTwo<kPrecision>(IntegerConstant(exponent, 0) - exponent);
  const F of_small = Fma(x, scale, scale - one);
  const F of_large = FloatOf(BitsOf(sum) - ShiftLeftBy(exponent, MantissaBits<kPrecision>())) - one;
  const auto is_large = Less(FloatConstant(x, PerPrecision<kPrecision>(0x1p40, 0x1p80)), x);
  const F f = Select(is_large, of_large, of_small);
  const F log = LogOfReduced<kPrecision>(LogReduction<F>{SignedToFloat(exponent), f});
  return WithLogOfSpecials(Select(Equal(x, FloatConstant(x, 0.0)), x, log), sum);
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_EXP_LOG_H_
