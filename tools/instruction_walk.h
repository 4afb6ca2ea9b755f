// What subcommands that answer for one instruction after the other share: which instructions of
// which modules, and the limits.
//
// Example: a subcommand with
//
//   InstructionOptions options_{table()};
//
// runs WalkInstructions(arguments(), options_, *this, out), itself an InstructionVisitor.
#ifndef HLO_INDEXING_TOOLS_INSTRUCTION_WALK_H_
#define HLO_INDEXING_TOOLS_INSTRUCTION_WALK_H_

#include <cstdint>
#include <string>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/exit_code.h"
#include "tools/instruction_selection.h"
#include "tools/option_table.h"
#include "tools/shared_options.h"

namespace hlo_indexing::tools {

struct InstructionOptions {
  explicit InstructionOptions(OptionTable& table)
      : selection(table),
        custom_calls(table),
        format(table),
        max_records(table, "max-records",
                    "The most pairs of output and operand arrays of one instruction",
                    uint64_t{1} << 20),
        limits(table) {}

  SelectionOptions selection;
  CustomCallsOption custom_calls;
  FormatOption format;
  NumberOption<uint64_t> max_records;
  InputLimitOptions limits;
};

class InstructionVisitor {
 public:
  /// Called before the instructions of a module, for which the analysis is.
  virtual void BeginModule(indexing_analysis::IndexingAnalysis& /*analysis*/) {}
  /// Called for each selected instruction whose operands have arrays. Not kFine if something is
  /// wrong, after a message.
  virtual ExitCode Visit(const std::string& file, const hlo::Instruction& instruction,
                         indexing_analysis::IndexingAnalysis& analysis, llvm::raw_ostream& out) = 0;

 protected:
  ~InstructionVisitor() = default;
};

/// Loads the modules of the files and visits their selected instructions. Text has the names of
/// files, modules and computations, JSON the header of each file. What has more pairs of arrays
/// than the limit is reported and left out.
ExitCode WalkInstructions(llvm::ArrayRef<std::string> files, const InstructionOptions& options,
                          InstructionVisitor& visitor, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INSTRUCTION_WALK_H_
