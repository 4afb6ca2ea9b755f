// What a kernel calls that no module defines: the functions that NVIDIA's driver provides.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_SYSTEM_CALLS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_SYSTEM_CALLS_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/program.h"

namespace hlo_indexing::ptx {

/// Where the arguments and results of a call lie in the caller's local memory.
struct SystemCallPlaces {
  std::vector<VariablePlace> arguments;
  std::vector<VariablePlace> results;
};

/// Emits a call of vprintf, malloc, free or __assertfail; an error names any other function.
absl::Status EmitSystemCall(InstructionDecoder& decoder, std::string_view name,
                            SystemCallPlaces places);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_SYSTEM_CALLS_H_
