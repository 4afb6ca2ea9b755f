// Instructions that move elements and compute nothing.
#ifndef HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_
#define HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_

#include "hlo/opcode.h"

namespace hlo_indexing::plan {

/// Whether each element of the result is one of operand 0, found by the index alone, as bits stay.
bool IsMovement(hlo::Opcode opcode);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_MOVEMENT_H_
