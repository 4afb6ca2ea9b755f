// cvt of the formats below 8 bits and of scales, two numbers at a time (PTX ISA 9.7.9.21): e2m1x2,
// e2m3x2, e3m2x2 and ue8m0x2.
//
// Example: cvt.rn.satfinite.e2m1x2.f32 %b, 1.5, -100.0 gives 0x3f: 1.5, and -6 in the lower half,
// which is the least number of e2m1.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_NARROW_CONVERSION_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_NARROW_CONVERSION_H_

#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// Decodes a cvt to or from one of these formats. False, and nothing is taken, for another cvt.
absl::StatusOr<bool> DecodeNarrowConversion(InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_NARROW_CONVERSION_H_
