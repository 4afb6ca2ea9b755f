#include "tools/instruction_walk.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/record_limit.h"
#include "tools/report.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::IndexingAnalysis;
using llvm::raw_ostream;

bool HasOperandArrays(const Instruction& instruction) {
  return llvm::any_of(instruction.operands(), [](const Instruction* operand) {
    return operand->shape().num_array_leaves() > 0;
  });
}

class Walk {
 public:
  Walk(const InstructionOptions& options, InstructionVisitor& visitor, raw_ostream& out)
      : options_(options), visitor_(visitor), out_(out), selection_(options.selection) {}

  ExitCode Run(llvm::ArrayRef<std::string> files) {
    if (!LoadCustomCalls(options_.custom_calls.value(), options_.limits.value().bytes, &context_,
                         custom_calls_)) {
      return ExitCode::kBadInput;
    }
    const Interruption interruption;
    for (const std::string& file : ModuleFiles(files, status_)) {
      const auto modules = LoadModules(file, options_.limits.value(), status_);
      if (Interruption::IsRequested()) return ReportInterruption(file);
      if (is_json()) WriteHeader(file, out_);
      for (const auto& module : modules) {
        if (!is_json()) WriteTitle(file, *module);
        RunModule(file, *module);
        if (Interruption::IsRequested()) return ReportInterruption(file);
        selection_.Leave(*module);
      }
    }
    if (status_ == ExitCode::kFine) status_ = selection_.Check();
    return status_;
  }

 private:
  bool is_json() const { return options_.format.is_json(); }

  void WriteTitle(const std::string& file, const Module& module) {
    out_ << "// " << support::ForTerminal(file);
    if (!module.name().empty()) out_ << ", module " << module.name();
    out_ << '\n';
  }

  void RunModule(const std::string& file, const Module& module) {
    indexing_analysis::AnalysisOptions analysis_options;
    analysis_options.custom_calls = &custom_calls_;
    IndexingAnalysis analysis(&context_, analysis_options);
    visitor_.BeginModule(analysis);
    Progress progress(file, module.num_instructions());
    for (const Computation* computation : module.computations()) {
      if (!selection_.Enter(*computation)) continue;
      bool has_begun = false;
      for (const Instruction* instruction : computation->instructions()) {
        if (Interruption::IsRequested()) return;
        progress.Step();
        if (!selection_.Contains(*instruction) || !HasOperandArrays(*instruction)) continue;
        if (!has_begun && !is_json()) {
          out_ << '\n' << (computation->IsEntry() ? "ENTRY " : "") << computation->name() << '\n';
        }
        has_begun = true;
        const uint64_t most = options_.max_records.value();
        const ExitCode found = IsWithinRecordLimit(*instruction, Pairs::kDependent, most)
                                   ? visitor_.Visit(file, *instruction, analysis, out_)
                                   : ExitCode::kNotSupported;
        status_ = Worst(status_, found);
      }
    }
  }

  const InstructionOptions& options_;
  InstructionVisitor& visitor_;
  raw_ostream& out_;
  InstructionSelection selection_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  indexing_analysis::CustomCallRegistry custom_calls_ =
      indexing_analysis::CustomCallRegistry::WithXlaTargets();
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace

ExitCode WalkInstructions(llvm::ArrayRef<std::string> files, const InstructionOptions& options,
                          InstructionVisitor& visitor, raw_ostream& out) {
  return Walk(options, visitor, out).Run(files);
}

}  // namespace hlo_indexing::tools
