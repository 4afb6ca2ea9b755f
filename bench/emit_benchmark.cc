// Kernels as PTX: one of each kind, with all that a compiler keeps between them, and all of the
// corpus.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bench/corpus.h"
#include "codegen/emit/kernel.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/our_plan.h"
#include "codegen/ptx/device_model.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

// Plans and compiles the kernels of a module; the milliseconds that each takes.
std::vector<double> CompileAll(const hlo::Module& module, emit::PtxBackend& backend) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const ptx::DeviceModel device = *ptx::FindDeviceModel("h100");
  indexing_analysis::IndexingAnalysis analysis(&context);
  plan::PlanContext plans(device, analysis, &context);
  std::vector<double> times;
  for (const plan::Kernel& kernel : plan::KernelsOf(module)) {
    const auto start = std::chrono::steady_clock::now();
    const auto plan = kernel.is_computation ? plan::PlanKernel(kernel.instruction->parent(), plans)
                                            : plan::PlanKernel(*kernel.instruction, plans);
    if (!plan.ok()) continue;
    const auto compiled = emit::CompileKernel(*plan, plans, backend);
    benchmark::DoNotOptimize(compiled);
    if (!compiled.ok()) continue;
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  return times;
}

void EmitKernel(benchmark::State& state, const std::string& body) {
  const std::string text =
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) "
      "}\n"
      "f {\n" +
      body + "}\nENTRY main { p = f32[4096,4096] parameter(0) ROOT k = f32[" +
      (body.find("reduce") == std::string::npos ? "4096,4096" : "4096") +
      "] fusion(p), kind=kLoop, calls=f }\n";
  const auto module = hlo::ParseModule(text);
  if (!module.ok() || !hlo::Verify(**module).ok()) return state.SkipWithError("the text is wrong");
  emit::PtxBackend backend;
  for (auto _ : state) {
    if (CompileAll(**module, backend).size() != 1) state.SkipWithError("there is no kernel");
  }
}
BENCHMARK_CAPTURE(EmitKernel, Loop,
                  std::string("p = f32[4096,4096] parameter(0)\n"
                              "e = f32[4096,4096] exponential(p)\n"
                              "ROOT r = f32[4096,4096] multiply(e, p)\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(EmitKernel, Transpose,
                  std::string("p = f32[4096,4096] parameter(0)\n"
                              "ROOT r = f32[4096,4096] transpose(p), dimensions={1,0}\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(EmitKernel, RowReduction,
                  std::string("p = f32[4096,4096] parameter(0)\nc = f32[] constant(0)\n"
                              "ROOT r = f32[4096] reduce(p, c), dimensions={1}, to_apply=sum\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(EmitKernel, ColumnReduction,
                  std::string("p = f32[4096,4096] parameter(0)\nc = f32[] constant(0)\n"
                              "ROOT r = f32[4096] reduce(p, c), dimensions={0}, to_apply=sum\n"))
    ->Unit(benchmark::kMillisecond);

void EmitCorpus(benchmark::State& state) {
  std::vector<double> times;
  for (auto _ : state) {
    emit::PtxBackend backend;
    for (const HloFile& file : Corpus()) {
      for (const std::unique_ptr<hlo::Module>& module : ParseOrExit(file)) {
        const std::vector<double> of_module = CompileAll(*module, backend);
        times.insert(times.end(), of_module.begin(), of_module.end());
      }
    }
  }
  if (times.empty()) return state.SkipWithError("there is no kernel");
  std::sort(times.begin(), times.end());
  state.counters["kernels"] =
      static_cast<double>(times.size()) / static_cast<double>(state.iterations());
  state.counters["median_ms"] = times[times.size() / 2];
  state.counters["95_of_100_ms"] = times[times.size() * 95 / 100];
  state.counters["longest_ms"] = times.back();
}
BENCHMARK(EmitCorpus)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hlo_indexing::bench
