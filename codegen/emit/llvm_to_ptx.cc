#include "codegen/emit/llvm_to_ptx.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Metadata.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace hlo_indexing::emit {
namespace {

constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

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
  switch (architecture) {
    case 88:
    case 110:
      return "+ptx90";
    case 103:
    case 121:
      return "+ptx88";
    case 120:
      return "+ptx87";
    case 100:
    case 101:
      return "+ptx86";
    default:
      // Of later ones LLVM knows which.
      return architecture <= 90 ? "+ptx80" : "";
  }
}

// Branches become values; loads stay in theirs, where the plan has them.
llvm::SimplifyCFGPass SimplifyBranches() {
  llvm::SimplifyCFGOptions options;
  options.convertSwitchRangeToICmp(true).hoistCommonInsts(false).sinkCommonInsts(false);
  return llvm::SimplifyCFGPass(options);
}

// The load that a value of a block is made of by operations on it alone; null if there is none.
llvm::LoadInst* LoadOf(llvm::Value* value, const llvm::BasicBlock* block) {
  while (auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (instruction->getParent() != block) return nullptr;
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(instruction)) return load;
    llvm::Value* only = nullptr;
    for (llvm::Value* operand : instruction->operands()) {
      if (llvm::isa<llvm::Constant>(operand)) continue;
      if (only != nullptr) return nullptr;
      only = operand;
    }
    if (only == nullptr || llvm::isa<llvm::PHINode>(instruction)) return nullptr;
    value = only;
  }
  return nullptr;
}

// Of a value that is loaded in one branch or the other, LLVM would make one load at either address,
// also where both branches then do the same with it: another number of requests than that of the
// plan, where threads of a warp take both branches. It does not look through a freeze, for which
// there is no code.
void KeepLoadsInBranches(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::PHINode& phi : block.phis()) {
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
          llvm::LoadInst* const load = LoadOf(phi.getIncomingValue(i), phi.getIncomingBlock(i));
          if (load == nullptr || !load->hasOneUse()) continue;
          llvm::Use& use = *load->use_begin();
          llvm::IRBuilder<> builder(load->getNextNode());
          use.set(builder.CreateFreeze(load));
        }
      }
    }
  }
}

// The load that a value is, perhaps widened; null if it is none.
llvm::LoadInst* WidenedLoad(llvm::Value* value) {
  if (auto* const cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  return llvm::dyn_cast<llvm::LoadInst>(value);
}

// The same of the code generator, where a value is selected of two that are loaded: the load at the
// selected address would wait for what selects, too.
void KeepLoadsOfSelects(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (select == nullptr) continue;
      llvm::LoadInst* const load = WidenedLoad(select->getTrueValue());
      if (load == nullptr || WidenedLoad(select->getFalseValue()) == nullptr) continue;
      llvm::IRBuilder<> builder(load->getNextNode());
      llvm::Value* const frozen = builder.CreateFreeze(load);
      load->replaceUsesWithIf(frozen, [&](llvm::Use& use) { return use.getUser() != frozen; });
    }
  }
}

// What is loaded at the start for one branch only, LLVM would load there, later than the plan does:
// but not past this call, of which it does not know what it writes, and for which there is no code.
void KeepLoadsAtEntry(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::BasicBlock& entry = function.getEntryBlock();
    const auto is_load = [](const llvm::Instruction& it) { return llvm::isa<llvm::LoadInst>(it); };
    if (llvm::none_of(entry, is_load)) continue;
    llvm::IRBuilder<> builder(entry.getTerminator());
    builder.CreateIntrinsic(llvm::Intrinsic::sideeffect, {});
  }
}

// Behind a branch, of code whose own branch has the same condition, LLVM would make a copy for each
// side: a store that a warp then makes twice. It does not copy a call that must not be duplicated,
// and for this one there is no code. In loops it would keep them from being unrolled, so that what
// stood in one comes when it has been.
struct KeepStoresOnce : llvm::PassInfoMixin<KeepStoresOnce> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    llvm::SmallVector<llvm::StoreInst*, 4> stores;
    for (llvm::BasicBlock& block : function) {
      const auto store = llvm::find_if(
          block, [](const llvm::Instruction& it) { return llvm::isa<llvm::StoreInst>(it); });
      if (store != block.end()) stores.push_back(llvm::cast<llvm::StoreInst>(&*store));
    }
    if (stores.size() < 2) return llvm::PreservedAnalyses::all();
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    bool changed = false;
    for (llvm::StoreInst* store : stores) {
      if (loops.getLoopFor(store->getParent()) != nullptr || IsKept(*store)) continue;
      llvm::IRBuilder<> builder(store);
      builder.CreateIntrinsic(llvm::Intrinsic::sideeffect, {})
          ->addFnAttr(llvm::Attribute::NoDuplicate);
      changed = true;
    }
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
  }

 private:
  // Whether the block has the call already.
  static bool IsKept(const llvm::StoreInst& store) {
    return llvm::any_of(*store.getParent(), [](const llvm::Instruction& instruction) {
      const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::sideeffect;
    });
  }
};

// Finds what has been computed or loaded before. Of loads, LLVM looks for what may have changed
// their values in between, and not far; but here nothing changes what a kernel only reads. Behind
// this pass it is not to know that: it would move loads into the branches that use them.
struct FindAgain : llvm::PassInfoMixin<FindAgain> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    for (llvm::LoadInst* load : LoadsOfReadOnly(function)) {
      load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(function.getContext(), {}));
    }
    llvm::PreservedAnalyses preserved = llvm::EarlyCSEPass().run(function, analyses);
    for (llvm::LoadInst* load : LoadsOfReadOnly(function)) {
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
    }
    return preserved;
  }

 private:
  static llvm::SmallVector<llvm::LoadInst*, 16> LoadsOfReadOnly(llvm::Function& function) {
    llvm::SmallVector<llvm::LoadInst*, 16> loads;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr) continue;
      const auto* const array =
          llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand()));
      if (array != nullptr && array->onlyReadsMemory() && array->hasNoAliasAttr()) {
        loads.push_back(load);
      }
    }
    return loads;
  }
};

llvm::InstCombinePass Combine() {
  return llvm::InstCombinePass(
      llvm::InstCombineOptions().setMaxIterations(1).setVerifyFixpoint(false));
}

llvm::FunctionToLoopPassAdaptor Hoist() {
  return llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions(/*MssaOptCap=*/100, /*MssaNoAccForPromotionCap=*/250,
                                       /*AllowSpeculation=*/true)),
      /*UseMemorySSA=*/true);
}

// Of arithmetic, pairs of halves are one instruction.
bool ComputesHalves(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
      return instruction.getType()->isHalfTy() || instruction.getType()->isBFloatTy();
    });
  });
}

// Hoisting keeps account of memory, which takes 15 of 16 seconds where loops nest ten deep.
bool HasManyBlocks(const llvm::Module& module) {
  constexpr size_t kMany = 256;
  return llvm::any_of(module,
                      [](const llvm::Function& function) { return function.size() > kMany; });
}

// What of LLVM's pipeline of -O2 changes kernels: they are one function without calls, memory of
// its own, or vectors to be found, as those are in the kernel where its indexing maps have them.
// Loads of vectors stay whole: as elements, they would be each pass's to work through, and found
// together again at the end.
llvm::FunctionPassManager Passes(const llvm::Module& module) {
  llvm::FunctionPassManager passes;
  const auto hoist = [&, has_many_blocks = HasManyBlocks(module)] {
    if (!has_many_blocks) passes.addPass(Hoist());
  };
  passes.addPass(KeepStoresOnce());
  passes.addPass(SimplifyBranches());
  passes.addPass(FindAgain());
  passes.addPass(Combine());
  passes.addPass(SimplifyBranches());
  // Of what is not negative, 32 bits where 64 were.
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::ReassociatePass());
  hoist();
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  hoist();
  passes.addPass(Combine());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopFullUnrollPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(KeepStoresOnce());
  // What is loaded in one branch and behind it stays two loads, for the same reason.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setLoadPRE(false)));
  passes.addPass(llvm::BDCEPass());
  passes.addPass(Combine());
  passes.addPass(llvm::DSEPass());
  hoist();
  passes.addPass(SimplifyBranches());
  if (ComputesHalves(module)) passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(
      llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  passes.addPass(Combine());
  hoist();
  return passes;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(Passes(module)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
}

// Passes of the back end for what kernels do not have: calls, comparisons of memory, exceptions,
// variables on the stack, other people's tools; and such that look for what the passes above and
// the indexing maps have found.
constexpr llvm::StringLiteral kUselessPasses[] = {
    "Canonicalize Freeze Instructions in Loops",
    "Constant Hoisting",
    "Early Tail Duplication",
    "Expand memcmp() to load/stores",
    "Fixup Statepoint Caller Saved",
    "GPU Load and Store Vectorizer",
    "Insert XRay ops",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Live DEBUG_VALUE analysis",
    "Local Stack Slot Allocation",
    "Lower Garbage Collection Instructions",
    "Lower invoke and unwind, for unwindless code generators",
    "Machine Instruction Scheduler",
    "Machine Optimization Remark Emitter",
    "Machine Sanitizer Binary Metadata",
    "Merge contiguous icmps into a memcmp",
    "Merge disjoint stack slots",
    "Nary reassociation",
    "ObjC ARC contraction",
    "Optimize machine instruction PHIs",
    "Partially inline calls to library functions",
    "Prepare callbr",
    "Remove Redundant DEBUG_VALUE analysis",
    "Replace intrinsics with calls to vector library",
    "Safe Stack instrumentation pass",
    "Shadow Stack GC Lowering",
    "Stack Slot Coloring",
};

// Looks for addresses that differ by multiples of a value, each with all: 23 s of 4,000 loads that
// go backwards.
bool HasManyAddresses(const llvm::Module& module) {
  constexpr int64_t kMany = 512;
  return llvm::any_of(module, [](const llvm::Function& function) {
    return llvm::count_if(llvm::instructions(function), [](const llvm::Instruction& instruction) {
             return llvm::isa<llvm::GetElementPtrInst>(instruction);
           }) > kMany;
  });
}

// Those that take too long for a kernel.
llvm::SmallVector<llvm::StringRef, 2> SlowPasses(const llvm::Module& module) {
  llvm::SmallVector<llvm::StringRef, 2> names;
  // It goes through all blocks again after each that it changes.
  if (HasManyBlocks(module)) names.push_back("CodeGen Prepare");
  if (HasManyAddresses(module)) names.push_back("Straight line strength reduction");
  return names;
}

// Takes all passes but those.
class KernelPasses : public llvm::legacy::PassManagerBase {
 public:
  explicit KernelPasses(const llvm::Module& module) : slow_passes_(SlowPasses(module)) {}

  void add(llvm::Pass* pass) override {
    const llvm::StringRef name = pass->getPassName();
    if (llvm::is_contained(kUselessPasses, name) || llvm::is_contained(slow_passes_, name)) {
      delete pass;
    } else {
      passes_.add(pass);
    }
  }
  void Run(llvm::Module& module) { passes_.run(module); }

 private:
  llvm::SmallVector<llvm::StringRef, 2> slow_passes_;
  llvm::legacy::PassManager passes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(int architecture) {
  InitializeTarget();
  const llvm::Triple triple(kTriple);
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
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, processor, PtxFeature(architecture), options,
                                  llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  return machine;
}

absl::Status CompileLlvm(llvm::Module& module, llvm::TargetMachine& machine, bool to_ptx,
                         llvm::raw_ostream& out) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  KeepLoadsInBranches(module);
  KeepLoadsAtEntry(module);
  Optimize(module, machine);
  KeepLoadsOfSelects(module);
  if (!to_ptx) {
    module.print(out, nullptr);
    return absl::OkStatus();
  }
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  KernelPasses passes(module);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true)) {
    return absl::InternalError("LLVM has no PTX printer");
  }
  passes.Run(module);
  out << ptx;
  return absl::OkStatus();
}

}  // namespace hlo_indexing::emit
