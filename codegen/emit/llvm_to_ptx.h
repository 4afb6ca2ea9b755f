// LLVM's part of compiling a kernel. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_
#define HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace hlo_indexing::emit {

/// LLVM's back end for sm_ARCHITECTURE; kInvalidArgument for one that it does not know.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(int architecture);

/// Optimizes the module for the machine and writes it as PTX, or as LLVM IR.
absl::Status CompileLlvm(llvm::Module& module, llvm::TargetMachine& machine, bool to_ptx,
                         llvm::raw_ostream& out);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_LLVM_TO_PTX_H_
