// Instructions that only speak to the caches: prefetch, prefetchu, applypriority, discard,
// createpolicy (§9.7.9.15 to §9.7.9.18). They are checked in full. Only discard changes memory:
// what it names holds any values afterwards, here bytes 0xff.
//
// Example: `prefetch.global.L2 [%rd1];` is decoded, and does nothing.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CACHE_CONTROL_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CACHE_CONTROL_H_

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// prefetch and prefetchu.
absl::Status DecodePrefetch(InstructionDecoder& d);
absl::Status DecodeApplyPriority(InstructionDecoder& d);
absl::Status DecodeDiscard(InstructionDecoder& d);
/// The policy's 64 bits are opaque; here they are made of the priorities and the fraction.
absl::Status DecodeCreatePolicy(InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CACHE_CONTROL_H_
