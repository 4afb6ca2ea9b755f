#include "codegen/emit/llvm_to_ptx.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace hlo_indexing::emit {
namespace {

void InitializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

// The first PTX ISA that has the architecture, 8.0 at least ("PTX ISA", release notes).
const char* PtxFeature(int architecture) {
  if (architecture >= 121) return "+ptx88";
  if (architecture >= 100) return "+ptx86";
  return "+ptx80";
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const llvm::Triple& triple,
                                                                 int architecture) {
  InitializeTarget();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return absl::InternalError(error);
  const std::string processor = absl::StrCat("sm_", architecture);
  // A machine for one that LLVM does not know would be another's.
  const std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (known == nullptr || !known->isCPUStringValid(processor)) {
    return absl::InvalidArgumentError(
        absl::StrCat("LLVM does not know the architecture ", processor));
  }
  llvm::TargetOptions options;
  // A product and a sum are rounded one by one, as HLO has them.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, processor, PtxFeature(architecture), options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  return machine;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PipelineTuningOptions tuning;
  // Vectors of memory are in the kernel where its indexing maps have them. Of arithmetic, pairs of
  // halves are one instruction.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace

absl::Status CompileLlvm(llvm::Module& module, int architecture, bool to_ptx,
                         llvm::raw_ostream& out) {
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine = MakeMachine(triple, architecture);
  if (!machine.ok()) return machine.status();
  module.setTargetTriple(triple);
  module.setDataLayout((*machine)->createDataLayout());
  Optimize(module, **machine);
  if (!to_ptx) {
    module.print(out, nullptr);
    return absl::OkStatus();
  }
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile)) {
    return absl::InternalError("LLVM has no PTX printer");
  }
  passes.run(module);
  out << ptx;
  return absl::OkStatus();
}

}  // namespace hlo_indexing::emit
