#include "tools/instruction_walk.h"

#include "mlir/IR/MLIRContext.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::IndexingAnalysis;
using llvm::raw_ostream;

int64_t NumOperandArrays(const Instruction& instruction) {
  int64_t arrays = 0;
  for (const Instruction* operand : instruction.operands()) {
    arrays += operand->shape().num_array_leaves();
  }
  return arrays;
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
      if (is_json()) WriteHeader(file, out_);
      for (const auto& module : LoadModules(file, options_.limits.value(), status_)) {
        if (!is_json()) WriteTitle(file, *module);
        RunModule(file, *module);
        if (Interruption::IsRequested()) {
          ReportWarning("interrupted in '" + file + "'");
          return ExitCode::kInterrupted;
        }
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
        const int64_t operands = NumOperandArrays(*instruction);
        const int64_t outputs = instruction->shape().num_array_leaves();
        if (!selection_.Contains(*instruction) || operands == 0) continue;
        if (!has_begun && !is_json()) {
          out_ << '\n' << (computation->IsEntry() ? "ENTRY " : "") << computation->name() << '\n';
        }
        has_begun = true;
        const ExitCode found = IsWithinLimit(*instruction, outputs, operands)
                                   ? visitor_.Visit(file, *instruction, analysis, out_)
                                   : ExitCode::kNotSupported;
        status_ = Worst(status_, found);
      }
    }
  }

  bool IsWithinLimit(const Instruction& instruction, int64_t outputs, int64_t operands) const {
    const auto records = support::CheckedMul(outputs, operands);
    if (records && static_cast<uint64_t>(*records) <= options_.max_records.value()) return true;
    const Module& module = instruction.parent().parent();
    Report({support::MakeDiagnostic(
        {module.file_name(), module.text()}, instruction.offset(),
        "instruction '" + instruction.name().str() + "' has " + std::to_string(outputs) +
            " output and " + std::to_string(operands) +
            " operand arrays, more pairs than the limit (--max-records)")});
    return false;
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
