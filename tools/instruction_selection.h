// Which instructions of the modules a subcommand works on: --instruction, --computation and
// --fusions-only, with what is said where they fit nothing.
//
// Example:
//
//   InstructionSelection selection(options);
//   for (const hlo::Computation* computation : module.computations()) {
//     if (!selection.Enter(*computation)) continue;
//     for (const hlo::Instruction* instruction : computation->instructions()) {
//       if (selection.Contains(*instruction)) use(*instruction);
//     }
//   }
//   selection.Leave(module);
//   status = Worst(status, selection.Check());
#ifndef HLO_INDEXING_TOOLS_INSTRUCTION_SELECTION_H_
#define HLO_INDEXING_TOOLS_INSTRUCTION_SELECTION_H_

#include <string>

#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "tools/exit_code.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

class SelectionOptions {
 public:
  explicit SelectionOptions(OptionTable& table)
      : instruction_(table, "instruction", {"name"}, "Only the instruction of that name"),
        computation_(table, "computation", {"name"}, "Only the computation of that name"),
        fusions_only_(table, "fusions-only", "Only fusion instructions") {}

  /// Names without `%`; empty for all.
  llvm::StringRef instruction() const { return llvm::StringRef(instruction_.value()).ltrim('%'); }
  llvm::StringRef computation() const { return llvm::StringRef(computation_.value()).ltrim('%'); }
  bool fusions_only() const { return fusions_only_.value(); }

 private:
  TextOption instruction_;
  TextOption computation_;
  FlagOption fusions_only_;
};

/// The name that a missing one was probably meant to be: by spelling, or the first with the text in
/// it; empty if there is neither.
std::string NearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> names);

/// kBadUsage, after a message that there is no `what`, and what `nearest` suggests unless it is
/// empty. Example: what = "instruction 'fusoin.3'", nearest = "fusion.3"
ExitCode ReportMissing(const std::string& what, const std::string& nearest);

/// What of some modules is selected; remembers what it was asked.
class InstructionSelection {
 public:
  explicit InstructionSelection(const SelectionOptions& options)
      : instruction_(options.instruction()),
        computation_(options.computation()),
        fusions_only_(options.fusions_only()) {}

  /// Whether the computation may have selected instructions.
  bool Enter(const hlo::Computation& computation);
  bool Contains(const hlo::Instruction& instruction);
  /// Notes the names of a module that are nearest to those that are missing so far.
  void Leave(const hlo::Module& module);

  /// kBadUsage, after a message, if a name is in none of the modules. A warning if there is no
  /// fusion: a selection without instructions is more often a mistake than not.
  ExitCode Check() const;

 private:
  llvm::StringRef instruction_;
  llvm::StringRef computation_;
  bool fusions_only_;
  bool has_computation_ = false;
  bool has_instruction_ = false;
  bool has_selected_ = false;
  std::string nearest_computation_;
  std::string nearest_instruction_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INSTRUCTION_SELECTION_H_
