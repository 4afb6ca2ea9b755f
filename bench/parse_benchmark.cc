// Reading, checking and printing HLO text, over all files of the corpus in one iteration.
#include <benchmark/benchmark.h>

#include "bench/corpus.h"
#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"

namespace hlo_indexing::bench {
namespace {

int64_t CorpusBytes() {
  int64_t bytes = 0;
  for (const HloFile& file : Corpus()) bytes += static_cast<int64_t>(file.text->size());
  return bytes;
}

void Parse(benchmark::State& state) {
  for (auto _ : state) {
    for (const HloFile& file : Corpus()) benchmark::DoNotOptimize(ParseOrExit(file));
  }
  state.SetBytesProcessed(state.iterations() * CorpusBytes());
}
BENCHMARK(Parse)->Unit(benchmark::kMillisecond);

std::vector<std::unique_ptr<hlo::Module>> CorpusModules() {
  std::vector<std::unique_ptr<hlo::Module>> all;
  for (const HloFile& file : Corpus()) {
    for (auto& module : ParseOrExit(file)) all.push_back(std::move(module));
  }
  return all;
}

void Verify(benchmark::State& state) {
  const auto modules = CorpusModules();
  for (auto _ : state) {
    for (const auto& module : modules) benchmark::DoNotOptimize(hlo::Verify(*module).ok());
  }
}
BENCHMARK(Verify)->Unit(benchmark::kMillisecond);

void Print(benchmark::State& state) {
  const auto modules = CorpusModules();
  for (auto _ : state) {
    for (const auto& module : modules) benchmark::DoNotOptimize(hlo::ToString(*module));
  }
}
BENCHMARK(Print)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hlo_indexing::bench
