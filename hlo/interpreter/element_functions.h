// What single numbers become: the integer, float and complex functions behind the elementwise
// opcodes that the standard library does not have in the form that HLO wants. Private to the
// folder.
#ifndef HLO_INDEXING_HLO_INTERPRETER_ELEMENT_FUNCTIONS_H_
#define HLO_INDEXING_HLO_INTERPRETER_ELEMENT_FUNCTIONS_H_

#include <complex>
#include <cstdint>

#include "hlo/element_type.h"

namespace hlo_indexing::hlo::element_functions {

using Complex = std::complex<double>;

// Integers, as WrapInteger gives them; results may need wrapping. Unsigned 64-bit integers are
// two's complement.
/// All ones by 0; the smallest by -1 stays.
/// Example: -7 / 2 -> -3
int64_t Divide(ElementType type, int64_t a, int64_t b);
/// With the sign of a; a by 0; 0 by -1.
/// Example: -7 % 2 -> -1
int64_t Remainder(ElementType type, int64_t a, int64_t b);
/// Wraps. By a negative exponent: 1 for 1, 1 or -1 for -1, else 0.
int64_t Power(ElementType type, int64_t base, int64_t exponent);
/// The upper half of the product of twice the width.
int64_t MultiplyHigh(ElementType type, int64_t a, int64_t b);
/// By the width or more, or by a negative amount: 0.
int64_t ShiftLeft(ElementType type, int64_t a, int64_t amount);
int64_t ShiftRightLogical(ElementType type, int64_t a, int64_t amount);
/// By the width or more, or by a negative amount: copies of the sign.
int64_t ShiftRightArithmetic(ElementType type, int64_t a, int64_t amount);
int64_t CountLeadingZeros(ElementType type, int64_t a);
int64_t PopulationCount(ElementType type, int64_t a);
/// -1, 0 or 1.
int Order(ElementType type, int64_t a, int64_t b);

// Floats.
/// nan if either is; -0 is less than 0.
double Maximum(double a, double b);
double Minimum(double a, double b);
double Sign(double x);
/// -1, 0 or 1 in the total order: -nan, -inf, ..., -0, 0, ..., inf, nan.
int TotalOrder(double a, double b);
/// The number with so many bits of exponent and mantissa, rounded to nearest, ties to even, where
/// the last bit is the exponent's if there is none of mantissa: too large is infinity, too small
/// for a normal number is 0 of the same sign. A number of exponent bits that the type has anyway
/// leaves the range alone.
double ReducePrecision(ElementType type, double x, int64_t exponent_bits, int64_t mantissa_bits);

// Complex numbers.
Complex Multiply(Complex a, Complex b);
Complex Power(Complex base, Complex exponent);
/// 1 for an exponent of 0 and for a base of 1, whatever the other is; of a nan, signalling or not.
double PowerOfFloats(double base, double exponent);
Complex ExponentialMinusOne(Complex z);
Complex LogPlusOne(Complex z);
Complex Sign(Complex z);
Complex Atan2(Complex y, Complex x);

}  // namespace hlo_indexing::hlo::element_functions

#endif  // HLO_INDEXING_HLO_INTERPRETER_ELEMENT_FUNCTIONS_H_
