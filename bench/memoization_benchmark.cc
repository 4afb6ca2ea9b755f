// What each table in which an analysis remembers something gains: Memoization/INPUT/TABLE is the
// time without that table, of all maps of the corpus or of the entry of a worst input.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/all_maps.h"
#include "bench/corpus.h"
#include "bench/worst_inputs.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

using indexing_analysis::AnalysisOptions;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::MemoTable;
using Modules = std::vector<std::unique_ptr<hlo::Module>>;

// Parsed once for all rows of an input.
const Modules& Parsed(const WorstInput* input) {
  static std::map<const WorstInput*, Modules>& known = *new std::map<const WorstInput*, Modules>();
  const auto [position, is_new] = known.try_emplace(input);
  Modules& modules = position->second;
  if (!is_new) return modules;
  if (input != nullptr) {
    const auto text = std::make_shared<const std::string>(input->text(input->size));
    return modules = ParseOrExit({input->name.str(), text});
  }
  for (const HloFile& file : Corpus()) {
    for (auto& module : ParseOrExit(file)) modules.push_back(std::move(module));
  }
  return modules;
}

// `input` is null for the corpus.
void Memoization(benchmark::State& state, const WorstInput* input,
                 std::optional<MemoTable> disabled) {
  AnalysisOptions options;
  if (disabled) options.disabled_memo_tables.Disable(*disabled);
  const Modules& modules = Parsed(input);
  for (const auto& module : modules) {
    const absl::Status verified = hlo::Verify(*module);
    if (!verified.ok()) return state.SkipWithError(std::string(verified.message()).c_str());
  }
  const bool has_slow_inverses = input != nullptr && input->has_slow_inverses;
  const auto directions = has_slow_inverses ? Directions::kOutputToInput : Directions::kBoth;
  int64_t maps = 0;
  for (auto _ : state) {
    for (const auto& module : modules) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      IndexingAnalysis analysis(&context, options);
      maps += input == nullptr ? ComputeAllMaps(*module, analysis)
                               : ComputeMapsOf(module->entry(), directions, analysis);
    }
  }
  state.counters["maps"] =
      benchmark::Counter(static_cast<double>(maps), benchmark::Counter::kAvgIterations);
}

void RegisterInput(llvm::StringRef name, const WorstInput* input) {
  const auto add = [&](llvm::StringRef table, std::optional<MemoTable> disabled) {
    const std::string row = ("Memoization/" + name + "/" + table).str();
    benchmark::RegisterBenchmark(row.c_str(), [input, disabled](benchmark::State& state) {
      Memoization(state, input, disabled);
    })->Unit(benchmark::kMillisecond);
  };
  add("none-disabled", std::nullopt);
  for (size_t i = 0; i < indexing_analysis::kNumMemoTables; ++i) {
    const auto table = static_cast<MemoTable>(i);
    // Loops of models nest so deep that it takes minutes.
    if (input == nullptr && table == MemoTable::kArrayReads) continue;
    add(MemoTableName(table), table);
  }
}

// Ends the program where there is no memory, as every other registration does.
bool RegisterAll() noexcept {
  RegisterInput("Corpus", nullptr);
  for (const WorstInput& input : WorstInputs()) RegisterInput(input.name, &input);
  return true;
}
[[maybe_unused]] const bool kIsRegistered = RegisterAll();

}  // namespace
}  // namespace hlo_indexing::bench
