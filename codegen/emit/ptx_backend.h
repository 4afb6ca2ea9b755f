// From a kernel in MLIR to its PTX: the passes of MLIR, LLVM's optimizer, the NVPTX back end.
//
//   PtxBackend backend;
//   KernelBuilder builder(backend.context(), "add", ...);   // kernel_builder.h
//   ... makes the body ...
//   HLO_INDEXING_ASSIGN_OR_RETURN(const std::string ptx,
//                                 backend.Lower(builder.TakeModule(), {.architecture = 90}));
//   std::cout << ptx;
#ifndef HLO_INDEXING_CODEGEN_EMIT_PTX_BACKEND_H_
#define HLO_INDEXING_CODEGEN_EMIT_PTX_BACKEND_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class TargetMachine;
}

namespace hlo_indexing::emit {

/// How far a kernel is lowered.
enum class Stage : uint8_t {
  kMlir,  // arith, scf, llvm and nvvm
  kCuda,  // CUDA C++, from the same; needs layout/cute/ to be compiled
  kLlvm,  // LLVM IR, optimized
  kPtx,
};

struct LoweringOptions {
  /// The number in sm_80, sm_90, sm_100; 80 at least.
  int architecture = 90;
  Stage stage = Stage::kPtx;
  /// Whether PTX says which line of the module's text its code comes from (`.loc`).
  bool has_lines = true;
};

/// Owns what kernels share: dialects, and LLVM's back ends. Not thread-safe.
class PtxBackend {
 public:
  PtxBackend();
  ~PtxBackend();
  PtxBackend(const PtxBackend&) = delete;
  PtxBackend& operator=(const PtxBackend&) = delete;

  /// With the dialects that kernels are made of.
  mlir::MLIRContext* context() { return &context_; }

  /// kInvalidArgument for an architecture that LLVM does not know.
  absl::Status CheckArchitecture(int architecture) { return Machine(architecture).status(); }

  /// Computes nothing twice. kInternal with the verifier's words for a module that is no kernel.
  absl::Status Simplify(mlir::ModuleOp module);

  /// The text of that stage, which is not CUDA C++. The same module gives the same bytes each time.
  /// kInvalidArgument for an architecture that LLVM does not know, kInternal with the verifier's
  /// words for a module that is no kernel.
  absl::StatusOr<std::string> Lower(mlir::OwningOpRef<mlir::ModuleOp> module,
                                    const LoweringOptions& options);

 private:
  // That of an architecture, which is made once.
  absl::StatusOr<llvm::TargetMachine*> Machine(int architecture);

  mlir::MLIRContext context_;
  std::map<int, std::unique_ptr<llvm::TargetMachine>> machines_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_PTX_BACKEND_H_
