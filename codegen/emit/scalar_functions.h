// The functions of scalar/ for values of a kernel, by opcode. Private to the folder.
//
// All of them give kUnimplemented, with the rest of a sentence that begins with the instruction,
// for opcodes that are not defined.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_FUNCTIONS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_FUNCTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "hlo/element_type.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// Of integers and truth values of a type.
absl::StatusOr<mlir::Value> EmitIntegerFunction(KernelBuilder& builder, hlo::Opcode opcode,
                                                llvm::ArrayRef<mlir::Value> x,
                                                hlo::ElementType type);

/// Of f32 or f64.
absl::StatusOr<mlir::Value> EmitFloatFunction(KernelBuilder& builder, hlo::Opcode opcode,
                                              llvm::ArrayRef<mlir::Value> x, hlo::ElementType type);

/// Of complex numbers, whose parts are such; real functions, as abs, give no imaginary part.
absl::StatusOr<Number> EmitComplexFunction(KernelBuilder& builder, hlo::Opcode opcode,
                                           llvm::ArrayRef<Number> x, hlo::ElementType type);

/// An integer whose order, as if signed, is the total order of numbers of a float type.
mlir::Value EmitTotalOrderRank(KernelBuilder& builder, const Number& number, hlo::ElementType type);

/// A float as an integer type: clamped, nan as 0.
mlir::Value EmitFloatToInteger(KernelBuilder& builder, mlir::Value x, hlo::ElementType to);
/// An integer as f32 or f64 that rounds to a float type of 16 bits or less as the integer does.
mlir::Value EmitIntegerToRoundable(KernelBuilder& builder, mlir::Value n, hlo::ElementType from);

/// Floats of at most 8 bits to f32 and back, from f32 or f64.
mlir::Value EmitDecode(KernelBuilder& builder, mlir::Value bits, hlo::ElementType type);
mlir::Value EmitEncode(KernelBuilder& builder, mlir::Value value, hlo::ElementType type);
/// f16 and bf16 from f64, which no instruction rounds to them at once.
mlir::Value EmitHalfOfDouble(KernelBuilder& builder, mlir::Value value, hlo::ElementType type);

/// The float, as it is held, with fewer bits of exponent and mantissa.
mlir::Value EmitReducePrecision(KernelBuilder& builder, mlir::Value value, hlo::ElementType type,
                                int64_t exponent_bits, int64_t mantissa_bits);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_FUNCTIONS_H_
