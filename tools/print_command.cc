// `hlo-indexing print`: modules in canonical text.
#include "hlo/printer.h"
#include "tools/command.h"
#include "tools/input.h"

namespace hlo_indexing::tools {

ExitCode RunPrint(const PrintCommandOptions& options, llvm::raw_ostream& out) {
  ExitCode status = ExitCode::kFine;
  hlo::PrintOptions print_options;
  print_options.metadata = options.metadata ? hlo::PrintMetadata::kYes : hlo::PrintMetadata::kNo;
  print_options.operand_shapes =
      options.operand_shapes ? hlo::PrintOperandShapes::kYes : hlo::PrintOperandShapes::kNo;
  bool first = true;
  for (const std::string& file : options.files) {
    for (const auto& module : LoadModules(file, options.limits, status)) {
      if (!first) out << "\n// -----\n\n";
      first = false;
      Print(*module, out, print_options);
    }
  }
  return status;
}

}  // namespace hlo_indexing::tools
