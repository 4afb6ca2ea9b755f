// `hlo-indexing stats`: what a file holds and how much of it the analysis covers.
#include <algorithm>
#include <cinttypes>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/analysis.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Format.h"
#include "mlir/IR/MLIRContext.h"
#include "support/diagnostics.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/quantity.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/terminal.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Instruction;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;

// What is counted per file. Maps are counted per output array and operand array.
struct Statistics {
  int64_t modules = 0;
  int64_t computations = 0;
  int64_t instructions = 0;
  std::map<std::string, int64_t> opcodes;
  std::map<std::string, int64_t> shapes;
  int64_t exact = 0;
  int64_t superset = 0;
  int64_t unknown = 0;
  // Pairs that do not depend on each other; they have no maps.
  int64_t independent = 0;
};

void CountMaps(const Instruction& instruction, IndexingAnalysis& analysis, Statistics& statistics) {
  int64_t operands = 0;
  for (const Instruction* operand : instruction.operands()) {
    operands += operand->shape().num_array_leaves();
  }
  const int64_t outputs = instruction.shape().num_array_leaves();
  if (operands == 0) return;
  for (int64_t output = 0; output < outputs; ++output) {
    const OutputIndexing indexing = analysis.OutputToInput(instruction, output);
    if (indexing.IsUnknown()) {
      statistics.unknown += operands;
      continue;
    }
    statistics.independent += operands - static_cast<int64_t>(indexing.operands().size());
    for (const OperandIndexing& operand : indexing.operands()) {
      if (operand.exactness() == Exactness::kExact) {
        ++statistics.exact;
        continue;
      }
      ++(operand.exactness() == Exactness::kUnknown ? statistics.unknown : statistics.superset);
    }
  }
}

Statistics Count(const std::string& file, const InputLimits& limits,
                 const indexing_analysis::CustomCallRegistry& custom_calls,
                 mlir::MLIRContext* context, ExitCode& status) {
  Statistics statistics;
  indexing_analysis::AnalysisOptions options;
  options.custom_calls = &custom_calls;
  const auto modules = LoadModules(file, limits, status);
  int64_t instructions = 0;
  for (const auto& module : modules) instructions += module->num_instructions();
  Progress progress(file, instructions);
  for (const auto& module : modules) {
    IndexingAnalysis analysis(context, options);
    ++statistics.modules;
    llvm::DenseMap<const hlo::Shape*, int64_t> shapes;
    std::vector<int64_t> opcodes(hlo::kNumOpcodes, 0);
    for (const hlo::Computation* computation : module->computations()) {
      ++statistics.computations;
      for (const Instruction* instruction : computation->instructions()) {
        if (Interruption::IsRequested()) return statistics;
        progress.Step();
        ++statistics.instructions;
        ++opcodes[static_cast<size_t>(instruction->opcode())];
        ++shapes[&instruction->shape()];
        CountMaps(*instruction, analysis, statistics);
      }
    }
    for (size_t i = 0; i < opcodes.size(); ++i) {
      if (opcodes[i] == 0) continue;
      statistics.opcodes[hlo::OpcodeName(static_cast<hlo::Opcode>(i)).str()] += opcodes[i];
    }
    for (const auto& [shape, count] : shapes) statistics.shapes[shape->ToString()] += count;
  }
  return statistics;
}

void WriteJson(const std::string& file, const Statistics& statistics, llvm::raw_ostream& out) {
  WriteHeader(file, out);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("kind", "stats");
    json.attribute("file", llvm::json::fixUTF8(file));
    json.attribute("modules", statistics.modules);
    json.attribute("computations", statistics.computations);
    json.attribute("instructions", statistics.instructions);
    json.attributeObject("opcodes", [&] {
      for (const auto& [opcode, count] : statistics.opcodes) json.attribute(opcode, count);
    });
    json.attribute("shapes", static_cast<int64_t>(statistics.shapes.size()));
    json.attributeObject("maps", [&] {
      json.attribute("exact", statistics.exact);
      json.attribute("superset", statistics.superset);
      json.attribute("unknown", statistics.unknown);
    });
    json.attribute("independent_pairs", statistics.independent);
  });
  out << '\n';
}

// The entries by falling count, at most `limit` of them.
void WriteRanking(const std::map<std::string, int64_t>& counts, size_t limit,
                  llvm::raw_ostream& out) {
  std::vector<std::pair<std::string, int64_t>> ranking(counts.begin(), counts.end());
  std::stable_sort(ranking.begin(), ranking.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kLongestName = 80;
  for (size_t i = 0; i < std::min(limit, ranking.size()); ++i) {
    std::string name = ranking[i].first;
    if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
    out << llvm::format("  %8" PRId64 "  ", ranking[i].second) << name << '\n';
  }
  if (ranking.size() > limit) out << "            and " << ranking.size() - limit << " more\n";
}

// Lines of tables are cut to the columns.
void WriteText(const std::string& file, const Statistics& statistics, std::optional<size_t> columns,
               llvm::raw_ostream& terminal) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const int64_t records = statistics.exact + statistics.superset + statistics.unknown;
  const auto share = [&](int64_t count) {
    const double percent =
        records == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(records);
    out << llvm::format("%" PRId64 " (%.1f %%)", count, percent);
  };
  out << "// " << support::ForTerminal(file) << '\n'
      << Counted(statistics.modules, "module") << ", "
      << Counted(statistics.computations, "computation") << ", "
      << Counted(statistics.instructions, "instruction") << "\n"
      << "maps of output and operand arrays: ";
  share(statistics.exact);
  out << " exact, ";
  share(statistics.superset);
  out << " superset, ";
  share(statistics.unknown);
  out << " unknown\n"
      << statistics.independent << " pairs of arrays do not depend on each other\nopcodes:\n";
  WriteRanking(statistics.opcodes, hlo::kNumOpcodes, out);
  out << "shapes:\n";
  constexpr size_t kShapes = 20;
  WriteRanking(statistics.shapes, kShapes, out);
  terminal << CutLines(text, columns);
}

constexpr Example kExamples[] = {
    {"What is in a dump, and how much of it the maps cover", "hlo-indexing stats module.hlo"},
    {"A line of JSON for each of many files", "hlo-indexing stats --format=json *.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "stats",
    .summary = "Opcodes, shapes, and how many maps are exact, superset, unknown",
    .arguments = kModuleFiles,
    .details =
        "Maps are counted by pairs of an output array and an operand array that depend on each "
        "other, as "
        "`maps` writes them.",
    .examples = kExamples};

class StatsCommand : public Subcommand {
 public:
  StatsCommand() : Subcommand(kHelp) {}

  ExitCode Run(llvm::raw_ostream& out) override {
    ExitCode status = ExitCode::kFine;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto custom_calls = indexing_analysis::CustomCallRegistry::WithXlaTargets();
    const InputLimits limits = limits_.value();
    if (!LoadCustomCalls(custom_calls_.value(), limits.bytes, &context, custom_calls)) {
      return ExitCode::kBadInput;
    }
    const Interruption interruption;
    for (const std::string& file : ModuleFiles(arguments(), status)) {
      const Statistics statistics = Count(file, limits, custom_calls, &context, status);
      // Numbers of a part of a file would be taken for those of the file.
      if (Interruption::IsRequested()) return ReportInterruption(file);
      if (format_.is_json()) {
        WriteJson(file, statistics, out);
      } else if (statistics.modules != 0) {
        WriteText(file, statistics, TerminalColumns(table().output()), out);
      }
    }
    return status;
  }

 private:
  CustomCallsOption custom_calls_{table()};
  FormatOption format_{table()};
  InputLimitOptions limits_{table()};
};

}  // namespace

std::unique_ptr<Subcommand> MakeStatsCommand() { return std::make_unique<StatsCommand>(); }

}  // namespace hlo_indexing::tools
