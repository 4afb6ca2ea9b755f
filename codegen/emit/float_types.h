// Kernels compute in the types that instructions say. HLO lets an instruction have operands and
// results of several float types, which XLA's own emitters do not take either: a pass of its
// compiler puts conversions in between. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_FLOAT_TYPES_H_
#define HLO_INDEXING_CODEGEN_EMIT_FLOAT_TYPES_H_

#include "absl/status/status.h"
#include "codegen/plan/kernel_plan.h"

namespace hlo_indexing::emit {

/// kUnimplemented if an instruction of the kernel mixes float types, other than by an operation on
/// one operand, a product of matrices, or a batch norm, which convert what they read.
/// Example: f32[4] concatenate(f32[2], f16[2])
absl::Status CheckFloatTypes(const plan::KernelPlan& plan);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_FLOAT_TYPES_H_
