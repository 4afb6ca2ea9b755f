// What tells apart instructions that read differently. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_FINGERPRINT_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_FINGERPRINT_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// What may be shared by instructions with equal fingerprints.
enum class Shareable : uint8_t {
  /// Nothing: an opcode may look at anything, a rule is the user's, or something is known of each
  /// element of the indices.
  kNothing,
  kMaps,
  /// The maps, but for the operands that give the values of runtime variables.
  kMapsButValues,
};

/// What instructions must have in common to be equivalent: by the traits of their opcode, the
/// dimensions, the attributes, what is known of their indices.
using InstructionFingerprint = llvm::SmallVector<uint64_t, 32>;

/// Appends the fingerprint of an instruction's output array. `custom_calls` may be null.
///
/// Example: add(f32[8] x, f32[8] y) and multiply(s8[8] z, s8[8] z) have the same
Shareable FingerprintInstruction(const hlo::Instruction& instruction, int64_t output_leaf,
                                 const CustomCallRegistry* custom_calls,
                                 InstructionFingerprint& fingerprint);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_FINGERPRINT_H_
