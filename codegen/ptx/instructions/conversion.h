// The functions that execute cvt, by their types. Modifiers that are known when an instruction is
// decoded are in Operation::immediate.
//
// Example: cvt.rzi.ftz.s32.f32 is FloatToInteger(kS32, kF32, modifiers) with
// the immediate modifiers.Encoded(), where modifiers are
//   ConvertModifiers{.rounding = Rounding::kTowardZero, .flush = true}
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CONVERSION_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CONVERSION_H_

#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// The modifiers of cvt, and their form as a number.
struct ConvertModifiers {
  numerics::Rounding rounding = numerics::Rounding::kNearestEven;
  bool flush = false;
  bool saturate = false;
  bool relu = false;
  bool saturate_finite = false;

  int64_t Encoded() const {
    return static_cast<int64_t>(rounding) | (flush ? 8 : 0) | (saturate ? 16 : 0) |
           (relu ? 32 : 0) | (saturate_finite ? 64 : 0);
  }
  static ConvertModifiers Decoded(int64_t number) {
    return {.rounding = static_cast<numerics::Rounding>(number & 7),
            .flush = (number & 8) != 0,
            .saturate = (number & 16) != 0,
            .relu = (number & 32) != 0,
            .saturate_finite = (number & 64) != 0};
  }
  numerics::EncodeModifiers ForEncode() const {
    return {.rounding = rounding, .saturate_finite = saturate_finite, .relu = relu};
  }
};

/// Emits a cvt to a type: slots[0] is its result, the operands after the result are of the types
/// `from`. Registers that are wider than the types are cut off and extended.
absl::Status EmitConversion(InstructionDecoder& d, Operation operation, Type to,
                            std::initializer_list<Type> from);

/// Integers of 8 to 64 bits. Slots: result, source, as of all that follow.
Execute IntegerConversion(Type to, Type from, bool saturate);
/// From f16, bf16, f32 or f64, with the rounding of the immediate.
Execute FloatToInteger(Type to, Type from, const ConvertModifiers& modifiers);
Execute IntegerToFloatingPoint(Type to, Type from, const ConvertModifiers& modifiers);
/// Between f16, bf16, f32 and f64. `to_integral`: from a type to itself, .rni and so on.
Execute FloatConversion(Type to, Type from, bool to_integral, const ConvertModifiers& modifiers);
Execute Tf32Conversion(const ConvertModifiers& modifiers);
/// Two f32 to f16x2 or bf16x2; the first is the upper half.
Execute PackedHalvesConversion(Type to, const ConvertModifiers& modifiers);
/// e4m3x2 or e5m2x2 from two f32, f16x2 or bf16x2; f16x2 from e4m3x2 or e5m2x2.
Execute PackedBytesConversion(Type to, Type from, const ConvertModifiers& modifiers);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CONVERSION_H_
