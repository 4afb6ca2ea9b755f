// Comparisons of set and setp of floating-point values (PTX ISA 9.3.2): ordered ones, which are
// false if an operand is NaN, and unordered ones, which then are true.
//
// Example: Compare<Comparison::kLtu>(a, b) is `setp.ltu.f32`; with .ftz the operands are flushed
// first. f16 and bf16 are compared as the floats that they are.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_COMPARE_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_COMPARE_H_

#include <concepts>
#include <cstdint>

namespace hlo_indexing::ptx::numerics {

/// The comparison operators of floating-point values; those with u are true of NaNs.
enum class Comparison : uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  /// Neither operand is NaN.
  kNum,
  /// Either is.
  kNan,
};

/// a OPERATOR b. Zeros are equal.
template <std::floating_point Float>
inline bool Compare(Comparison comparison, Float a, Float b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a < b || a > b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    case Comparison::kGe:
      return a >= b;
    case Comparison::kEqu:
      return !(a < b || a > b);
    case Comparison::kNeu:
      return a != b;
    case Comparison::kLtu:
      return !(a >= b);
    case Comparison::kLeu:
      return !(a > b);
    case Comparison::kGtu:
      return !(a <= b);
    case Comparison::kGeu:
      return !(a < b);
    case Comparison::kNum:
      return a <= b || a >= b;
    case Comparison::kNan:
      return !(a <= b || a >= b);
  }
  return false;
}

/// The same with the operator known to the compiler, for loops over lanes.
template <Comparison kComparison, std::floating_point Float>
inline bool Compare(Float a, Float b) {
  return Compare(kComparison, a, b);
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_COMPARE_H_
