// Opcodes that several families have: the type says whose the instruction is. A row of the table
// takes the type (the first that the modifiers name) and asks the family.
//
// Example: the row "add" of integer.cc calls DecodeFloatAdd for `add.rn.ftz.f32`, with kF32.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ARITHMETIC_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ARITHMETIC_H_

#include <cstdint>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// The operations that integers share with floating-point numbers.
enum class Arithmetic : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMad,
  kFma,
  kDiv,
  kMin,
  kMax,
  kAbs,
  kNeg,
};

/// integer.cc: u16 to s64, u16x2, s16x2. `type` was taken from the modifiers.
absl::Status DecodeIntegerArithmetic(InstructionDecoder& d, Arithmetic operation, Type type);
/// floating_point.cc: f32, f32x2, f64; add, sub and fma of f32 with f16 or bf16 sources.
absl::Status DecodeFloatArithmetic(InstructionDecoder& d, Arithmetic operation, Type type);
/// half.cc: f16, bf16, f16x2, bf16x2.
absl::Status DecodeHalfArithmetic(InstructionDecoder& d, Arithmetic operation, Type type);

/// half.cc: ex2 and tanh of these types.
absl::Status DecodeHalfFunction(InstructionDecoder& d, Type type);

inline bool IsHalfType(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 || type == Type::kBf16x2;
}
inline bool IsFloatType(Type type) {
  return type == Type::kF32 || type == Type::kF64 || type == Type::kF32x2;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ARITHMETIC_H_
