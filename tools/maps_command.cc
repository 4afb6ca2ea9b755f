// `hlo-indexing maps`: the indexing maps of every instruction.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/input.h"
#include "tools/instruction_selection.h"
#include "tools/interruption.h"
#include "tools/maps_renderer.h"
#include "tools/maps_summary.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/record_limit.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/terminal.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::MapDirection;
using indexing_analysis::OperandArrays;
using llvm::raw_ostream;

struct MapsOptions {
  OptionTable& table;
  // Nullopt: both.
  ChoiceOption<std::optional<MapDirection>> direction{
      table,
      "direction",
      "direction",
      "Which maps",
      {{MapDirection::kOutputToInput, "output-to-input", "what each output element reads"},
       {MapDirection::kInputToOutput, "input-to-output",
        "which output elements read an input element"},
       {std::nullopt, "both", "both"}}};
  SelectionOptions selection{table};
  FlagOption all_pairs{
      table, "all-pairs",
      "Also the pairs of an output and an operand array that do not depend on each "
      "other"};
  FlagOption summary{table, "summary",
                     "Instead of maps: how many there are of each opcode, how exact, and why not"};
  FlagOption no_simplify{table, "no-simplify",
                         "Leave domains and expressions as composition gives them"};
  FlagOption trace{table, "trace",
                   "Show how maps are made: the accesses that reach each instruction, users before "
                   "operands"};
  CustomCallsOption custom_calls{table};
  FormatOption format{table};
  NumberOption<uint64_t> max_records{
      table, "max-records", "The most pairs of output and operand arrays of one instruction",
      uint64_t{1} << 25};
  InputLimitOptions limits{table};
};

// Walks over the modules and writes the maps that the options select.
class MapsWriter {
 public:
  MapsWriter(const MapsOptions& options, MapsRenderer& renderer)
      : options_(options), renderer_(renderer), selection_(options.selection) {}

  ExitCode Run(llvm::ArrayRef<std::string> files) {
    if (!LoadCustomCalls(options_.custom_calls.value(), options_.limits.value().bytes, &context_,
                         custom_calls_)) {
      return ExitCode::kBadInput;
    }
    const Interruption interruption;
    for (const std::string& file : ModuleFiles(files, status_)) {
      if (Interruption::IsRequested()) break;
      RunFile(file);
    }
    if (Interruption::IsRequested()) return ExitCode::kInterrupted;
    if (status_ == ExitCode::kFine) status_ = selection_.Check();
    return status_;
  }

 private:
  void RunFile(const std::string& file) {
    const std::vector<std::unique_ptr<Module>> modules =
        LoadModules(file, options_.limits.value(), status_);
    int64_t instructions = 0;
    for (const std::unique_ptr<Module>& module : modules) {
      instructions += module->num_instructions();
    }
    if (Interruption::IsRequested()) return ReportInterruption(file, 0, instructions);
    renderer_.BeginFile(file);
    Progress progress(file, instructions);
    for (const std::unique_ptr<Module>& module : modules) {
      indexing_analysis::AnalysisOptions analysis_options;
      analysis_options.custom_calls = &custom_calls_;
      if (options_.no_simplify.value()) {
        analysis_options.simplification = indexing_analysis::AnalysisOptions::Simplification::kNone;
      }
      IndexingAnalysis analysis(&context_, analysis_options);
      renderer_.BeginModule(*module);
      for (const Computation* computation : module->computations()) {
        if (selection_.Enter(*computation)) RunComputation(*computation, analysis, progress);
      }
      if (Interruption::IsRequested()) {
        ReportInterruption(file, progress.done(), instructions);
        break;
      }
      selection_.Leave(*module);
    }
    renderer_.EndFile();
  }

  static void ReportInterruption(const std::string& file, int64_t done, int64_t instructions) {
    ReportWarning("interrupted in '" + file + "' behind " + std::to_string(done) + " of " +
                  std::to_string(instructions) + " instructions");
  }

  void RunComputation(const Computation& computation, IndexingAnalysis& analysis,
                      Progress& progress) {
    bool begun = false;
    for (const Instruction* instruction : computation.instructions()) {
      if (Interruption::IsRequested()) return;
      progress.Step();
      if (!selection_.Contains(*instruction)) continue;
      if (!begun) renderer_.BeginComputation(computation);
      begun = true;
      RunInstruction(*instruction, analysis);
    }
  }

  void RunInstruction(const Instruction& instruction, IndexingAnalysis& analysis) {
    const OperandArrays operands(instruction.operands());
    const int64_t outputs = instruction.shape().num_array_leaves();
    renderer_.BeginInstruction(instruction, operands);
    if (operands.empty()) return;
    const Pairs pairs = options_.all_pairs.value() ? Pairs::kAll : Pairs::kDependent;
    if (!IsWithinRecordLimit(instruction, pairs, options_.max_records.value())) {
      status_ = Worst(status_, ExitCode::kNotSupported);
      return;
    }
    const std::optional<MapDirection> direction = options_.direction.value();
    for (int64_t output = 0; output < outputs; ++output) {
      if (options_.trace.value()) {
        renderer_.Trace(output, analysis.TracePropagation(instruction, output));
      }
      if (direction != MapDirection::kInputToOutput) {
        renderer_.Output(output, MapDirection::kOutputToInput,
                         analysis.OutputToInput(instruction, output));
      }
      if (direction != MapDirection::kOutputToInput) {
        renderer_.Output(output, MapDirection::kInputToOutput,
                         analysis.InputToOutput(instruction, output));
      }
    }
  }

  const MapsOptions& options_;
  MapsRenderer& renderer_;
  InstructionSelection selection_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  indexing_analysis::CustomCallRegistry custom_calls_ =
      indexing_analysis::CustomCallRegistry::WithXlaTargets();
  ExitCode status_ = ExitCode::kFine;
};

constexpr Example kExamples[] = {
    {"The maps of every instruction", "hlo-indexing maps module.hlo"},
    {"Of the fusions, composed through their bodies",
     "hlo-indexing maps --fusions-only module.hlo"},
    {"How much the maps say, and why not more", "hlo-indexing maps --summary module.hlo"},
    {"What one instruction reads, for a program",
     "hlo-indexing maps --instruction=f --format=json module.hlo"},
    {"How the maps of a fusion come about, step by step",
     "hlo-indexing maps --instruction=f --trace module.hlo"},
    {"Where the elements of the operands go, from standard input",
     "hlo-indexing maps --direction=input-to-output - < module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "maps",
    .summary = "Indexing maps of instructions: which elements of the operands an element reads",
    .arguments = kModuleFiles,
    .details =
        "For every instruction, output array and operand array: the maps from the index of an "
        "element of the output to the indices of the elements of the operand that it reads, with "
        "their domain. A fusion or call has the maps that its body makes of its operands.\n"
        "Arrays that do not depend on each other are left out. What maps cannot say exactly is "
        "marked as superset or unknown, with the reason.",
    .examples = kExamples};

class MapsCommand : public Subcommand {
 public:
  MapsCommand() : Subcommand(kHelp) {}

  ExitCode Run(raw_ostream& out) override {
    if (options_.summary.value() && (options_.trace.value() || options_.all_pairs.value())) {
      ReportError("--summary has neither the maps of --all-pairs nor the steps of --trace");
      return ExitCode::kBadUsage;
    }
    const std::unique_ptr<MapsRenderer> renderer = MakeRenderer(out);
    return MapsWriter(options_, *renderer).Run(arguments());
  }

 private:
  std::unique_ptr<MapsRenderer> MakeRenderer(raw_ostream& out) {
    const Pairs pairs = options_.all_pairs.value() ? Pairs::kAll : Pairs::kDependent;
    if (options_.format.is_json()) {
      return options_.summary.value() ? MakeJsonSummary(out) : MakeJsonRenderer(pairs, out);
    }
    return options_.summary.value() ? MakeTextSummary(TerminalColumns(table().output()), out)
                                    : MakeTextRenderer(pairs, out);
  }

  MapsOptions options_{table()};
};

}  // namespace

std::unique_ptr<Subcommand> MakeMapsCommand() { return std::make_unique<MapsCommand>(); }

}  // namespace hlo_indexing::tools
