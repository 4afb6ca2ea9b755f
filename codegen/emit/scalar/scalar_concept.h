// What the functions of this folder ask of the values they compute with. They are templates, so
// that one source is tested with the numbers of the host (host_scalar.h) and makes the code of
// kernels, with values that stand for results of instructions. Such values are not known when a
// template runs: no function looks at one with `if`, and loops run a fixed number of times.
//
// Example: Select(Less(x, FloatConstant(x, 0.0)), -x, x) is |x| of a float, and three instructions
// of an emitted value.
//
// Three kinds of values, which may be one C++ type: floats of 32 or 64 bits (F), integers without a
// sign of their own (I), truth values (B). Integers have 32 or 64 bits where they go with floats;
// integer.h takes any width. All operations are functions that are
// found by argument-dependent lookup, but for the operators.
//
//   constants of the type of `like`, whatever its value:
//     FloatConstant(F like, double) -> F   rounded to nearest; infinities and NaN, too
//     IntegerConstant(I like, int64_t) -> I   its low bits
//   floats, rounded to nearest, ties to even, with subnormal numbers; never contracted or
//   reordered:
//     a + b, a - b, a * b, a / b, -a, Fma(a, b, c), Sqrt, Abs, Floor, Ceil, Trunc, RoundEven
//     Maximum(a, b), Minimum(a, b)   NaN if either is; -0 is less than 0 (as MLIR's arith.maximumf)
//     ApproxExp2(x)   2^x of 32 bits as devices approximate it, results below 2^-126 flushed
//     (ex2.approx.ftz.f32): at most 2 ulp from the nearest float, which it is on the host
//     ApproxReciprocal(x)   1 / x, operands and results below 2^-126 flushed (rcp.approx.ftz.f32):
//     at most 1 ulp from the nearest float, which it is on the host
//     Less(F, F), LessEqual(F, F), Equal(F, F) -> B   false where one is NaN
//   integers, modulo 2^width:
//     a + b, a - b, a * b, a & b, a | b, a ^ b, MultiplyHighUnsigned(a, b): the upper half
//     ShiftLeft(n, amount), ShiftRightLogical, ShiftRightArithmetic   amount I, below the width
//     DivideUnsigned(a, b), DivideSigned(a, b)   b is not 0, nor -1 where signed
//     CountLeadingZeros(n), PopulationCount(n) -> I
//     Equal(I, I), LessSigned(I, I), LessUnsigned(I, I) -> B
//   truth values:
//     And, Or, Not; Select(B, x, y) of any kind, which both are computed; what is not chosen may be
//     undefined (MLIR's and LLVM's poison)
//     Branch(B, then, otherwise)   calls both, or the one that holds: functions without arguments
//     that return one value or the same std::tuple of values. For what is long and seldom needed.
//   loops:
//     Repeat(int count, std::tuple state, body)   body(values of the state...) is the next state,
//     so many times; a loop, or copies of the body
//   conversions:
//     BitsOf(F) -> I, FloatOf(I) -> F   the same bits
//     SignedToFloat(I), UnsignedToFloat(I) -> F   of the same width, rounded to nearest, even
//     FloatToSigned(F, I like), FloatToUnsigned(F, I like) -> I   drops the fraction; what the
//     type of `like` does not hold may give anything
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_SCALAR_CONCEPT_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_SCALAR_CONCEPT_H_

#include <concepts>
#include <cstdint>

// Before the templates, as the numbers of the host have no namespace to be looked up in.
#include "codegen/emit/scalar/host_scalar.h"

namespace hlo_indexing::emit::scalar {

/// The type of a float's bits, and of a comparison.
template <typename F>
using BitsType = decltype(BitsOf(F()));
template <typename F>
using BoolType = decltype(Less(F(), F()));

template <typename F>
concept FloatScalar = requires(F x, BitsType<F> n, BoolType<F> b) {
  { FloatConstant(x, 1.5) } -> std::same_as<F>;
  { x + x } -> std::same_as<F>;
  { x - x } -> std::same_as<F>;
  { x * x } -> std::same_as<F>;
  { x / x } -> std::same_as<F>;
  { -x } -> std::same_as<F>;
  { Fma(x, x, x) } -> std::same_as<F>;
  { Sqrt(x) } -> std::same_as<F>;
  { Abs(x) } -> std::same_as<F>;
  { Maximum(x, x) } -> std::same_as<F>;
  { Minimum(x, x) } -> std::same_as<F>;
  { Floor(x) } -> std::same_as<F>;
  { Ceil(x) } -> std::same_as<F>;
  { Trunc(x) } -> std::same_as<F>;
  { RoundEven(x) } -> std::same_as<F>;
  { Less(x, x) } -> std::same_as<BoolType<F>>;
  { LessEqual(x, x) } -> std::same_as<BoolType<F>>;
  { Equal(x, x) } -> std::same_as<BoolType<F>>;
  { Select(b, x, x) } -> std::same_as<F>;
  { FloatOf(n) } -> std::same_as<F>;
  { SignedToFloat(n) } -> std::same_as<F>;
  { UnsignedToFloat(n) } -> std::same_as<F>;
};

template <typename I>
concept IntegerScalar = requires(I n) {
  { IntegerConstant(n, int64_t{1}) } -> std::same_as<I>;
  { n + n } -> std::same_as<I>;
  { n - n } -> std::same_as<I>;
  { n * n } -> std::same_as<I>;
  { n & n } -> std::same_as<I>;
  { n | n } -> std::same_as<I>;
  { n ^ n } -> std::same_as<I>;
  { ShiftLeft(n, n) } -> std::same_as<I>;
  { ShiftRightLogical(n, n) } -> std::same_as<I>;
  { ShiftRightArithmetic(n, n) } -> std::same_as<I>;
  { MultiplyHighUnsigned(n, n) } -> std::same_as<I>;
  { DivideUnsigned(n, n) } -> std::same_as<I>;
  { DivideSigned(n, n) } -> std::same_as<I>;
  { CountLeadingZeros(n) } -> std::same_as<I>;
  { PopulationCount(n) } -> std::same_as<I>;
  { Select(Equal(n, n), n, n) } -> std::same_as<I>;
  { And(LessSigned(n, n), Or(LessUnsigned(n, n), Not(Equal(n, n)))) };
};

static_assert(FloatScalar<float> && FloatScalar<double>);
static_assert(IntegerScalar<uint32_t> && IntegerScalar<uint64_t>);

// Shifts by a number that is known.
template <IntegerScalar I>
I ShiftLeftBy(I n, int amount) {
  return ShiftLeft(n, IntegerConstant(n, amount));
}
template <IntegerScalar I>
I ShiftRightLogicalBy(I n, int amount) {
  return ShiftRightLogical(n, IntegerConstant(n, amount));
}
template <IntegerScalar I>
I ShiftRightArithmeticBy(I n, int amount) {
  return ShiftRightArithmetic(n, IntegerConstant(n, amount));
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_SCALAR_CONCEPT_H_
