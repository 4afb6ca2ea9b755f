// One element of an array, in a wide form that every element type fits into: what the interpreter
// computes with.
//
// Numbers of narrow types are computed wide and rounded once to their own type. For +, -, *, / and
// square roots of types up to f32 this is the correctly rounded result, as if computed in the type
// itself, since f64 has more than twice the precision (Figueroa, "When is double rounding
// innocuous?", 1995).
#ifndef HLO_INDEXING_HLO_INTERPRETER_ELEMENT_VALUE_H_
#define HLO_INDEXING_HLO_INTERPRETER_ELEMENT_VALUE_H_

#include <complex>
#include <cstdint>

#include "hlo/element_type.h"
#include "hlo/interpreter/source_sets.h"

namespace hlo_indexing::hlo {

/// An element together with what it was read from. Which field counts follows from the type.
struct Element {
  /// pred (0 or 1) and integers; u64 as its two's complement.
  int64_t integer = 0;
  /// Floats, and the real and imaginary part of complex numbers.
  double real = 0;
  double imag = 0;
  /// What the element depends on; empty unless reads are traced.
  SourceSet sources = kNoSources;

  std::complex<double> number() const { return {real, imag}; }
};

inline Element IntegerElement(int64_t value) { return {.integer = value}; }
inline Element FloatElement(double value) { return {.real = value}; }
inline Element ComplexElement(std::complex<double> value) {
  return {.real = value.real(), .imag = value.imag()};
}

/// The value of a pred or integer type that has the low bits of `value`; pred: whether it is not 0.
/// Example: (kS8, 200) -> -56, (kU4, 17) -> 1
int64_t WrapInteger(ElementType type, int64_t value);
/// The smallest and the largest value of an integer type; as two's complement for kU64.
int64_t SmallestInteger(ElementType type);
int64_t LargestInteger(ElementType type);

/// The number that these bits of a float type stand for; exact.
/// Example: (kF8E4M3FN, 0x38) -> 1
double DecodeFloat(ElementType type, uint64_t bits);
/// The bits of a float type nearest to the number, ties to even. Too large numbers become infinity,
/// or nan if the type has no infinity, or the largest value if it has neither (f4e2m1fn).
/// f8e8m0fnu, which has neither sign nor zero, takes 0 for its smallest value and negative numbers
/// for nan; f4e2m1fn takes nan for -0.
/// Example: (kF8E4M3FN, 1) -> 0x38
uint64_t EncodeFloat(ElementType type, double value);
/// The number rounded to a float type.
/// Example: (kBF16, 1.001) -> 1
double RoundFloat(ElementType type, double value);

/// The element that the bytes of a Literal stand for.
Element LoadElement(ElementType type, const uint8_t* bytes);
/// Writes the bytes of a Literal's element; floats are rounded to the type, integers wrapped.
void StoreElement(ElementType type, const Element& element, uint8_t* bytes);

/// The element as a value of another type. Floats become integers by dropping the fraction, clamped
/// to the range of the type, nan as 0; integers wrap; to pred: whether it is not 0; complex numbers
/// lose the imaginary part; other roundings are to nearest, ties to even.
Element ConvertElement(const Element& element, ElementType from, ElementType to);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_ELEMENT_VALUE_H_
