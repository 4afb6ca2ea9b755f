// LLVM's part of compiling a kernel. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_
#define HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_

#include "absl/status/status.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::emit {

/// Optimizes the module for sm_ARCHITECTURE and writes it as PTX, or as LLVM IR.
absl::Status CompileLlvm(llvm::Module& module, int architecture, bool to_ptx,
                         llvm::raw_ostream& out);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_
