#include "tools/instruction_selection.h"

#include <vector>

#include "hlo/opcode.h"
#include "llvm/ADT/STLExtras.h"
#include "support/diagnostics.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

std::string NearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> names) {
  if (const auto nearest = support::NearestSpelling(name, names)) return nearest->str();
  const auto* const longer = llvm::find_if(
      names, [&](llvm::StringRef candidate) { return candidate.contains_insensitive(name); });
  return name.empty() || longer == names.end() ? "" : longer->str();
}

ExitCode ReportMissing(const std::string& what, const std::string& nearest) {
  ReportError("there is no " + what + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  return ExitCode::kBadUsage;
}

bool InstructionSelection::Enter(const hlo::Computation& computation) {
  if (!computation_.empty() && computation.name() != computation_) return false;
  has_computation_ = true;
  return true;
}

bool InstructionSelection::Contains(const hlo::Instruction& instruction) {
  if (!instruction_.empty() && instruction.name() != instruction_) return false;
  has_instruction_ = true;
  if (fusions_only_ && instruction.opcode() != hlo::Opcode::kFusion) return false;
  has_selected_ = true;
  return true;
}

void InstructionSelection::Leave(const hlo::Module& module) {
  if (has_computation_ && has_instruction_) return;
  std::vector<llvm::StringRef> computations;
  std::vector<llvm::StringRef> instructions;
  if (!nearest_computation_.empty()) computations.emplace_back(nearest_computation_);
  if (!nearest_instruction_.empty()) instructions.emplace_back(nearest_instruction_);
  for (const hlo::Computation* computation : module.computations()) {
    computations.push_back(computation->name());
    if (!computation_.empty() && computation->name() != computation_) continue;
    for (const hlo::Instruction* instruction : computation->instructions()) {
      instructions.push_back(instruction->name());
    }
  }
  nearest_computation_ = NearestName(computation_, computations);
  nearest_instruction_ = NearestName(instruction_, instructions);
}

ExitCode InstructionSelection::Check() const {
  const std::string computation = "computation '" + computation_.str() + "'";
  const std::string in_computation = computation_.empty() ? "" : " in " + computation;
  if (!has_computation_) {
    return computation_.empty() ? ExitCode::kFine
                                : ReportMissing(computation, nearest_computation_);
  }
  if (!has_instruction_) {
    if (instruction_.empty()) return ExitCode::kFine;
    return ReportMissing("instruction '" + instruction_.str() + "'" + in_computation,
                         nearest_instruction_);
  }
  if (!has_selected_) {
    ReportWarning("--fusions-only: " +
                  (instruction_.empty() ? "there is no fusion"
                                        : "instruction '" + instruction_.str() + "' is no fusion") +
                  in_computation);
  }
  return ExitCode::kFine;
}

}  // namespace hlo_indexing::tools
