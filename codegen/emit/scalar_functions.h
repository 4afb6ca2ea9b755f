// Functions of numbers that are more than an instruction: transcendental ones, and those of complex
// numbers. Private to the folder.
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

/// Of one or two values (`b` may be null), floats of 32 or 64 bits, or integers. kUnimplemented as
/// EmitElementwise (elementwise.h).
absl::StatusOr<mlir::Value> EmitTranscendental(KernelBuilder& builder, hlo::Opcode opcode,
                                               mlir::Value a, mlir::Value b,
                                               hlo::ElementType type);

/// Of complex numbers.
absl::StatusOr<Number> EmitComplexFunction(KernelBuilder& builder, hlo::Opcode opcode,
                                           llvm::ArrayRef<Number> x, hlo::ElementType type);
Number EmitComplexProduct(KernelBuilder& builder, const Number& a, const Number& b);

/// The float with fewer bits of exponent and mantissa.
absl::StatusOr<Number> EmitReducePrecision(KernelBuilder& builder, const Number& number,
                                           hlo::ElementType type, int64_t exponent_bits,
                                           int64_t mantissa_bits);

/// Floats of at most 8 bits to f32 and back.
absl::StatusOr<mlir::Value> EmitDecode(KernelBuilder& builder, mlir::Value bits,
                                       hlo::ElementType type);
/// From f32 or f64.
absl::StatusOr<mlir::Value> EmitEncode(KernelBuilder& builder, mlir::Value value,
                                       hlo::ElementType type);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_FUNCTIONS_H_
