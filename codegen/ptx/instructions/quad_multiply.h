// mma.m8n8k4 on f16: four products of 8x8x4 at once, each by two groups of four lanes.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_QUAD_MULTIPLY_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_QUAD_MULTIPLY_H_

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/operation.h"

namespace hlo_indexing::ptx {

struct QuadMultiplyForm {
  bool a_is_row = true;
  bool b_is_row = false;
  /// f32, else f16.
  bool c_is_float = true;
  bool d_is_float = true;
};

/// Decodes the operands of `mma.sync.aligned.m8n8k4.*.f16.f16.*`, whose modifiers are taken.
/// Example: `{%f0, ..., %f7}, {%r0, %r1}, {%r2, %r3}, {%f8, ..., %f15}`
absl::Status DecodeQuadMultiply(InstructionDecoder& d, const QuadMultiplyForm& form, Slot members);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_QUAD_MULTIPLY_H_
