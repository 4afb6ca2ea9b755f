#include "codegen/emit/ptx_backend.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/llvm_to_ptx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "support/status_macros.h"

namespace hlo_indexing::emit {
namespace {

// What MLIR says while this lives.
class CollectedDiagnostics {
 public:
  explicit CollectedDiagnostics(mlir::MLIRContext* context)
      : handler_(context, [this](mlir::Diagnostic& diagnostic) {
          text_ += (text_.empty() ? "" : "; ") + diagnostic.str();
          return mlir::success();
        }) {}

  absl::Status Error(const char* what) const {
    return absl::InternalError(absl::StrCat(what, ": ", text_));
  }

 private:
  std::string text_;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace

PtxBackend::PtxBackend() : context_(mlir::MLIRContext::Threading::DISABLED) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::scf::SCFDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  context_.appendDialectRegistry(registry);
  context_.loadAllAvailableDialects();
}

PtxBackend::~PtxBackend() = default;

absl::Status PtxBackend::Simplify(mlir::ModuleOp module) {
  const CollectedDiagnostics diagnostics(&context_);
  if (mlir::failed(mlir::verify(module))) return diagnostics.Error("the kernel is malformed");
  mlir::PassManager passes(&context_);
  passes.enableVerifier(false);
  passes.addNestedPass<mlir::LLVM::LLVMFuncOp>(mlir::createCSEPass());
  if (mlir::failed(passes.run(module))) return diagnostics.Error("the kernel is not simplified");
  return absl::OkStatus();
}

absl::StatusOr<llvm::TargetMachine*> PtxBackend::Machine(int architecture) {
  std::unique_ptr<llvm::TargetMachine>& machine = machines_[architecture];
  if (machine == nullptr) {
    absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> made = MakeMachine(architecture);
    if (!made.ok()) return made.status();
    machine = *std::move(made);
  }
  return machine.get();
}

absl::StatusOr<std::string> PtxBackend::Lower(mlir::OwningOpRef<mlir::ModuleOp> module,
                                              const LoweringOptions& options) {
  HLO_INDEXING_RETURN_IF_ERROR(Simplify(*module));
  const CollectedDiagnostics diagnostics(&context_);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (options.stage == Stage::kMlir) {
    module->print(out);
    return text;
  }
  mlir::PassManager passes(&context_);
  passes.enableVerifier(false);
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addNestedPass<mlir::LLVM::LLVMFuncOp>(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (mlir::failed(passes.run(*module))) return diagnostics.Error("the kernel is not lowered");
  llvm::LLVMContext llvm_context;
  const std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(*module, llvm_context, "kernel");
  if (translated == nullptr) return diagnostics.Error("the kernel has no LLVM IR");
  HLO_INDEXING_ASSIGN_OR_RETURN(llvm::TargetMachine* const machine, Machine(options.architecture));
  HLO_INDEXING_RETURN_IF_ERROR(
      CompileLlvm(*translated, *machine, options.stage == Stage::kPtx, out));
  return text;
}

}  // namespace hlo_indexing::emit
