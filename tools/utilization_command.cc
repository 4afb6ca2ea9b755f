// `hlo-indexing utilization`: how much of its operands an instruction reads.
#include <memory>
#include <string>

#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/utilization.h"
#include "tools/instruction_walk.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/utilization_report.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Instruction;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::UtilizationAnalysis;
using indexing_analysis::UtilizationOptions;
using llvm::raw_ostream;

constexpr Example kExamples[] = {
    {"What every instruction reads of its operands", "hlo-indexing utilization module.hlo"},
    {"What fusions read, through their bodies",
     "hlo-indexing utilization --fusions-only module.hlo"},
    {"For a program, with the elements that are not read",
     "hlo-indexing utilization --instruction=f --format=json module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "utilization",
    .summary = "How much of its operands an instruction reads, how often, and what not",
    .arguments = kModuleFiles,
    .details =
        "For every instruction and array of its operands: how many different elements are read, "
        "the bytes of these, the reads in all, and which elements are not read, as slices. For all "
        "outputs together and, where there are several, for each.\n"
        "Counts are exact. Where the maps are supersets or unknown, or values known at run time "
        "decide, they are ranges from the best to the worst case, with the reason.",
    .examples = kExamples};

class UtilizationCommand : public Subcommand, private InstructionVisitor {
 public:
  UtilizationCommand() : Subcommand(kHelp) {}

  ExitCode Run(raw_ostream& out) override {
    if (!max_work_.IsAtLeast(0)) return ExitCode::kBadUsage;
    return WalkInstructions(arguments(), options_, *this, out);
  }

 private:
  void BeginModule(IndexingAnalysis& analysis) override {
    UtilizationOptions options;
    options.max_work = max_work_.value();
    utilization_ = std::make_unique<UtilizationAnalysis>(analysis, options);
  }

  ExitCode Visit(const std::string& file, const Instruction& instruction,
                 IndexingAnalysis& /*analysis*/, raw_ostream& out) override {
    InstructionUtilization result;
    result.instruction = &instruction;
    result.together = utilization_->OfInstruction(instruction);
    for (int64_t output = 0; output < instruction.shape().num_array_leaves(); ++output) {
      result.by_output.push_back(utilization_->OfOutput(instruction, output));
    }
    if (options_.format.is_json()) {
      WriteUtilizationJson(file, result, out);
    } else {
      WriteUtilizationText(result, out);
    }
    return ExitCode::kFine;
  }

  NumberOption<int64_t> max_work_{
      table(), "max-work",
      "What counting the elements of one array may cost before the answer is a range, in words of "
      "memory moved",
      UtilizationOptions().max_work};
  InstructionOptions options_{table()};
  // Of the module that is visited.
  std::unique_ptr<UtilizationAnalysis> utilization_;
};

}  // namespace

std::unique_ptr<Subcommand> MakeUtilizationCommand() {
  return std::make_unique<UtilizationCommand>();
}

}  // namespace hlo_indexing::tools
