// PTX as machine code of a GPU, by NVIDIA's assembler, where it is installed.
#ifndef HLO_INDEXING_TOOLS_CUBIN_H_
#define HLO_INDEXING_TOOLS_CUBIN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

struct Cubin {
  std::string code;
  /// Of a thread, and the bytes of registers that it puts in memory for want of others.
  int64_t registers = 0;
  int64_t spilled_bytes = 0;
};

/// kUnavailable without `ptxas` in PATH or in $CUDA_HOME/bin; kInvalidArgument with its words for
/// what it refuses, as an architecture that it does not know.
absl::StatusOr<Cubin> AssemblePtx(llvm::StringRef ptx, llvm::StringRef architecture);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_CUBIN_H_
