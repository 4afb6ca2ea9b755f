// Reports on all kernels of the corpus, and what each table that these share gains: Explain/TABLE
// is the time without it, that is with a new one for each kernel.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/corpus.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/report_table.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/xla_plan.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

enum class Disabled : uint8_t {
  kNone,
  kMapTable,
  kCoalescingTable,
  kReportTable,
  kBankConflictTable
};

struct ModuleTables {
  ModuleTables(const ptx::DeviceModel& device, indexing_analysis::IndexingAnalysis& analysis,
               mlir::MLIRContext* context)
      : plans(device, analysis, context) {}
  plan::PlanContext plans;
  explain::CoalescingTable coalescing;
  explain::ReportTable reports;
};

int64_t ReportAll(const hlo::Module& module, const ptx::DeviceModel& device, Disabled disabled) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  indexing_analysis::IndexingAnalysis analysis(&context);
  ModuleTables shared(device, analysis, &context);
  int64_t accesses = 0;
  for (const plan::Kernel& kernel : plan::KernelsOf(module)) {
    std::optional<ModuleTables> own;
    if (disabled != Disabled::kNone) own.emplace(device, analysis, &context);
    explain::ReportTable& reports =
        disabled == Disabled::kReportTable ? own->reports : shared.reports;
    const auto count = [&](const explain::KernelReport& report) {
      accesses += static_cast<int64_t>(report.accesses.size() + report.shared.size());
    };
    if (!kernel.is_computation) {
      if (const auto known = reports.Find(*kernel.instruction)) {
        count(*known);
        continue;
      }
    }
    plan::PlanContext& plans = disabled == Disabled::kMapTable ? own->plans : shared.plans;
    auto plan = kernel.is_computation ? PlanLikeXla(kernel.instruction->parent(), plans)
                                      : PlanLikeXla(*kernel.instruction, plans);
    if (!plan.ok()) continue;
    explain::CoalescingTable& coalescing =
        disabled == Disabled::kCoalescingTable ? own->coalescing : shared.coalescing;
    if (disabled == Disabled::kBankConflictTable) coalescing.bank_conflicts() = {};
    const auto report = explain::ReportKernel(*std::move(plan), plans, coalescing);
    reports.Add(report);
    count(report);
  }
  return accesses;
}

void Explain(benchmark::State& state, Disabled disabled) {
  std::vector<std::unique_ptr<hlo::Module>> modules;
  for (const HloFile& file : Corpus()) {
    for (auto& module : ParseOrExit(file)) modules.push_back(std::move(module));
  }
  const auto device = ptx::FindDeviceModel("h100");
  int64_t accesses = 0;
  for (auto _ : state) {
    for (const auto& module : modules) accesses += ReportAll(*module, *device, disabled);
  }
  state.counters["accesses"] =
      benchmark::Counter(static_cast<double>(accesses), benchmark::Counter::kAvgIterations);
}

BENCHMARK_CAPTURE(Explain, none, Disabled::kNone)
    ->Name("Explain/none-disabled")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Explain, maps, Disabled::kMapTable)
    ->Name("Explain/maps")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Explain, coalescing, Disabled::kCoalescingTable)
    ->Name("Explain/coalescing")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Explain, reports, Disabled::kReportTable)
    ->Name("Explain/reports")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Explain, bank_conflicts, Disabled::kBankConflictTable)
    ->Name("Explain/bank-conflicts")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hlo_indexing::bench
