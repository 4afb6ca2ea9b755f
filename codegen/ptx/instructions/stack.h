// The end of a launch whose threads need more local memory than there may be.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_STACK_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_STACK_H_

#include <string_view>

#include "codegen/ptx/machine/operation.h"

namespace hlo_indexing::ptx {

/// Reports a stack overflow at the operation, and stops. The operation then says kReschedule.
void StopForStack(const Operation& operation, Execution& execution, std::string_view what);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_STACK_H_
