// What instructions must share to read in the same way. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/custom_calls.h"
#include "llvm/ADT/FoldingSet.h"

namespace hlo_indexing::indexing_analysis {

/// Whether equal instructions read in the same way and are worth being looked for: not where values
/// say what is read, nor where a rule of the user's may look at anything; loops and conditionals
/// have computations of their own. `custom_calls` may be null.
bool IsShared(const hlo::Instruction& instruction, const CustomCallRegistry* custom_calls);

/// Adds what an instruction must share with another one to read the same for an array of the
/// output.
void ProfileInstruction(const hlo::Instruction& instruction, int64_t output_leaf,
                        llvm::FoldingSetNodeID& node_id);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_PROFILE_H_
