// Maps in both directions: of whole files, and of fusions that are hard on a naive composition.
#include <benchmark/benchmark.h>

#include "bench/all_maps.h"
#include "bench/corpus.h"
#include "hlo/parser/parser.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

using hlo::Instruction;
using hlo::Module;
using indexing_analysis::IndexingAnalysis;

// Computing and simplifying the maps of every instruction, with nothing remembered from before.
void AllMaps(benchmark::State& state) {
  std::vector<std::unique_ptr<Module>> modules;
  for (const HloFile& file : Corpus()) {
    for (auto& module : ParseOrExit(file)) modules.push_back(std::move(module));
  }
  int64_t maps = 0;
  for (auto _ : state) {
    for (const auto& module : modules) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      IndexingAnalysis analysis(&context);
      maps += ComputeAllMaps(*module, analysis);
    }
  }
  state.counters["maps"] =
      benchmark::Counter(static_cast<double>(maps), benchmark::Counter::kAvgIterations);
}
BENCHMARK(AllMaps)->Unit(benchmark::kMillisecond);

// A fusion whose `roots` outputs all read through one shared chain of reshapes and transposes.
std::string SharedReshapes(int roots) {
  std::string text =
      "fused {\n  p = f32[24,32,60] parameter(0)\n  q = f32[46080] parameter(1)\n"
      "  a = f32[768,60] reshape(p)\n  b = f32[60,768] transpose(a), dimensions={1,0}\n"
      "  c = f32[20,3,48,16] reshape(b)\n  d = f32[48,20,16,3] transpose(c), "
      "dimensions={2,0,3,1}\n"
      "  e = f32[46080] reshape(d)\n  f = f32[46080] multiply(e, q)\n"
      "  g = f32[15,64,48] reshape(f)\n";
  const char* const shapes[] = {"48,960", "24,1920", "96,480", "12,60,64", "46080", "2,23040"};
  std::string list;
  std::string names;
  for (int i = 0; i < roots; ++i) {
    const std::string shape = std::string("f32[") + shapes[i % 6] + "]";
    const std::string number = std::to_string(i);
    const char* const source = i % 3 == 0 ? "g" : (i % 3 == 1 ? "f" : "e");
    text += "  s" + number + " = " + shape + " reshape(" + source + ")\n  t" + number + " = " +
            shape + " reshape(q)\n  r" + number + " = " + shape + " add(s" + number + ", t" +
            number + ")\n";
    list += (i ? ", " : "") + shape;
    names += (i ? ", r" : "r") + number;
  }
  return text + "  ROOT all = (" + list + ") tuple(" + names +
         ")\n}\nENTRY main {\n  p = f32[24,32,60] parameter(0)\n  q = f32[46080] parameter(1)\n"
         "  ROOT fusion = (" +
         list + ") fusion(p, q), kind=kLoop, calls=fused\n}\n";
}

void MapsOfFusion(benchmark::State& state, const std::string& text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok()) {
    state.SkipWithError(std::string(module.status().message()).c_str());
    return;
  }
  const Instruction& fusion = (*module)->entry().root();
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    for (int64_t leaf = 0; leaf < fusion.shape().num_array_leaves(); ++leaf) {
      benchmark::DoNotOptimize(analysis.OutputToInput(fusion, leaf));
    }
  }
}
BENCHMARK_CAPTURE(MapsOfFusion, 46RootsOverSharedReshapes, SharedReshapes(46))
    ->Unit(benchmark::kMillisecond);

// x, x + x, (x + x) + (x + x)...: 2^depth paths to one operand.
std::string Diamond(int depth) {
  std::string text = "fused {\n  v0 = f32[64,64] parameter(0)\n";
  for (int i = 1; i <= depth; ++i) {
    const std::string before = std::to_string(i - 1);
    text += "  v" + std::to_string(i) + " = f32[64,64] add(v" + before + ", v" + before + ")\n";
  }
  return text +
         "}\nENTRY main {\n  p = f32[64,64] parameter(0)\n  ROOT fusion = f32[64,64] fusion(p), "
         "kind=kLoop, calls=fused\n}\n";
}
BENCHMARK_CAPTURE(MapsOfFusion, DiamondOfDepth1000, Diamond(1000))->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hlo_indexing::bench
