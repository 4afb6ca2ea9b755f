// `hlo-indexing print`: modules in canonical text.
#include <memory>
#include <string>

#include "hlo/printer.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/module_files.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

constexpr Example kExamples[] = {
    {"Canonical text, without where each instruction came from",
     "hlo-indexing print --no-metadata module.hlo"},
    {"In the style of older dumps, to a file",
     "hlo-indexing print --operand-shapes -o canonical.hlo module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "print",
    .summary = "The modules again, in canonical text",
    .arguments = kModuleFiles,
    .details = "What it prints reads back as the same modules, and prints to the same bytes.",
    .examples = kExamples};

class PrintCommand : public Subcommand {
 public:
  PrintCommand() : Subcommand(kHelp) {}

  ExitCode Run(llvm::raw_ostream& out) override {
    ExitCode status = ExitCode::kFine;
    hlo::PrintOptions options;
    options.metadata = no_metadata_.value() ? hlo::PrintMetadata::kNo : hlo::PrintMetadata::kYes;
    options.operand_shapes =
        operand_shapes_.value() ? hlo::PrintOperandShapes::kYes : hlo::PrintOperandShapes::kNo;
    bool first = true;
    const Interruption interruption;
    for (const std::string& file : ModuleFiles(arguments(), status)) {
      for (const auto& module : LoadModules(file, limits_.value(), status)) {
        if (Interruption::IsRequested()) return ReportInterruption(file);
        if (!first) out << "\n// -----\n\n";
        first = false;
        Print(*module, out, options);
      }
    }
    return status;
  }

 private:
  FlagOption no_metadata_{table(), "no-metadata", "Without metadata and source locations"};
  FlagOption operand_shapes_{table(), "operand-shapes", "With the shapes of operands"};
  InputLimitOptions limits_{table()};
};

}  // namespace

std::unique_ptr<Subcommand> MakePrintCommand() { return std::make_unique<PrintCommand>(); }

}  // namespace hlo_indexing::tools
