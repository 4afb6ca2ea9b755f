// How many records there may be of one instruction.
#ifndef HLO_INDEXING_TOOLS_RECORD_LIMIT_H_
#define HLO_INDEXING_TOOLS_RECORD_LIMIT_H_

#include <cstdint>

#include "hlo/module.h"

namespace hlo_indexing::tools {

/// Which pairs of an output array and an operand array of an instruction have records.
enum class Pairs : uint8_t { kDependent, kAll };

/// Whether there are at most so many pairs of arrays; if not, that is reported at the instruction.
/// Of a tuple each output depends on one operand array; of others it may depend on all.
bool IsWithinRecordLimit(const hlo::Instruction& instruction, Pairs pairs, uint64_t most);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_RECORD_LIMIT_H_
