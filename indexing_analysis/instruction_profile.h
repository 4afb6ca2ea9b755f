// What instructions must share to read in the same way. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/custom_calls.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// What equal instructions share.
enum class Sharing : uint8_t {
  /// Nothing that is worth being looked for: where a rule of the user's may look at anything, where
  /// something is known of each element of the indices, and in loops and conditionals, which have
  /// computations of their own.
  kNothing,
  /// Their maps.
  kMaps,
  /// Their maps, but for the operands that give the values of runtime variables.
  kMapsButValues,
};

/// What identifies instructions that are equal.
using InstructionProfile = llvm::SmallVector<uint64_t, 32>;

/// Adds what an instruction must have in common with another one to share that for an array of the
/// output. `custom_calls` may be null.
Sharing ProfileInstruction(const hlo::Instruction& instruction, int64_t output_leaf,
                           const CustomCallRegistry* custom_calls, InstructionProfile& profile);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_
