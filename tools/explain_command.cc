// `hlo-indexing explain`: why the kernels of a module are as fast as they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/explain/shared_report.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/STLExtras.h"
#include "support/diagnostics.h"
#include "tools/explain_text.h"
#include "tools/explaining_command.h"
#include "tools/failure_limit.h"
#include "tools/kernel_json.h"
#include "tools/quantity.h"
#include "tools/report.h"
#include "tools/shared_access_report.h"

namespace hlo_indexing::tools {
namespace {

using explain::KernelReport;
using explain::TrafficTotals;

constexpr Example kExamples[] = {
    {"What each kernel moves, what it wastes, and why", "hlo-indexing explain module.hlo"},
    {"The three that take longest on an A100",
     "hlo-indexing explain --sort=time --top=3 --device=a100 module.hlo"},
    {"A check for CI", "hlo-indexing explain --fail-on='efficiency<0.01' module.hlo"},
    {"What a change made better or worse", "hlo-indexing explain --before=module.hlo module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "explain",
    .summary = "What each kernel moves and wastes, why, and what would help",
    .arguments = kModuleFiles,
    .details =
        "For each kernel of the module, worst first: the bytes that its warps move between the "
        "multiprocessors and L2, and how few would do for the same requests; the least time on the "
        "device and what bounds it; then every access to global memory, why it wastes sectors, "
        "which instruction brings that in, and what would help, if that has been computed. Times "
        "are estimates from DRAM, L2, load/store units and issue; arithmetic is counted roughly, "
        "and latency and the launch itself are left out. Each kernel counts once, also in a loop.",
    .examples = kExamples};

enum class Order : uint8_t { kWasted, kTime, kMoved, kEfficiency, kModule };

class ExplainCommand : public ExplainingCommand {
 public:
  ExplainCommand() : ExplainingCommand(kHelp, Formats::kTextAndJson) {}

 protected:
  ExitCode Prepare(const ptx::DeviceModel& device, mlir::MLIRContext* context) override {
    if (fail_on_.is_given()) {
      std::string error;
      limit_ = FailureLimit::Parse(fail_on_.value(), error);
      if (!limit_.has_value()) {
        ReportError(error);
        return ExitCode::kBadUsage;
      }
    }
    return ExplainingCommand::Prepare(device, context);
  }

  ExitCode EndModule(const hlo::Module& module, KernelTools& tools,
                     llvm::raw_ostream& out) override {
    if (!is_of_one_instruction()) AddWithoutKernels(module);
    const ExplainText text(module, {tools.plans.device.name, metric_names_.value()});
    const KernelOrigin origin = Origin(tools);
    std::vector<const KernelReport*> shown = Sorted();
    if (top_.value() != 0 && shown.size() > top_.value()) shown.resize(top_.value());
    const PlanCuresByKernel changes = PlanCuresOf(shown, tools);
    is_json() ? WriteModuleJson(module, origin, out) : WriteModule(module, tools.plans.device, out);
    for (const KernelReport* report : shown) {
      const Traffic* before = Before(*report);
      const auto found = changes.find(report);
      const explain::PlanCures* cures = found == changes.end() ? nullptr : &found->second;
      if (is_json()) {
        WriteKernelJson(origin, *report, cures, before, text, out);
        for (const explain::AccessReport& access : report->accesses) {
          WriteAccessJson(origin, report->plan, access, report->cures, text, metric_names_.value(),
                          out);
        }
        WriteSharedAccessesJson(origin, report->plan, report->shared, text.options(), out);
        continue;
      }
      out << '\n';
      text.WriteHead(report->plan, out);
      text.WriteTotals(*report, out);
      if (before != nullptr) text.WriteBefore(*report, *before, out);
      text.WriteAccesses(report->plan, report->accesses, out);
      WriteSharedAccesses(report->plan, report->shared, text.options(), out);
      text.WriteCures(*report, cures, out);
    }
    if (!is_json() && shown.size() < reports().size()) {
      out << '\n'
          << Counted(static_cast<int64_t>(reports().size() - shown.size()), "more kernel") << '\n';
    }
    return Check(module);
  }

 private:
  double DramTime() const {
    double us = 0;
    for (const KernelReport& report : reports()) us += report.time.dram_us;
    return us;
  }

  void WriteModule(const hlo::Module& module, const ptx::DeviceModel& device,
                   llvm::raw_ostream& out) const {
    const TrafficTotals totals = Totals();
    const double us = TotalTime();
    out << "// " << support::ForTerminal(file()) << ", module " << module.name() << '\n'
        << Counted(static_cast<int64_t>(reports().size()), "kernel") << ": move "
        << (totals.IsUpperEnd() ? "up to " : "") << Bytes(totals.moved_bytes()) << ", need "
        << Bytes(totals.needed_bytes()) << " (" << Percent(totals.Efficiency()) << ")";
    if (totals.unknown_accesses != 0) {
      out << "; not counted: " << Counted(totals.unknown_accesses, "access", "accesses");
    }
    out << '\n' << "estimate: " << Microseconds(us) << " on " << device.name;
    if (us > 0) out << ", " << Percent(DramTime() / us) << " of DRAM bandwidth";
    out << '\n';
    WriteBeforeTotals(totals, us, out);
    if (not_tried() != 0) {
      out << "not tried: changes of " << Counted(not_tried(), "kernel")
          << ", those that waste least\n";
    }
    // Reason, then how many of each opcode.
    std::map<std::string, std::map<std::string, int64_t>> left_out;
    for (const WithoutPlan& without : unplanned()) {
      ++left_out[without.reason][hlo::OpcodeName(without.instruction->opcode()).str()];
    }
    for (const auto& [reason, opcodes] : left_out) {
      out << "not shown:";
      const char* separator = " ";
      for (const auto& [opcode, count] : opcodes) {
        out << separator << count << ' ' << opcode;
        separator = ", ";
      }
      out << "; " << reason << '\n';
    }
  }

  void WriteBeforeTotals(const TrafficTotals& totals, double us, llvm::raw_ostream& out) const {
    if (!has_before()) return;
    llvm::DynamicAPInt moved(0);
    double earlier_us = 0;
    for (const auto& [key, traffic] : earlier()) {
      moved += traffic.moved_bytes;
      earlier_us += traffic.us;
    }
    int64_t added = 0;
    for (const KernelReport& report : reports()) added += Before(report) == nullptr ? 1 : 0;
    const auto matched = static_cast<int64_t>(reports().size()) - added;
    out << "before: " << Counted(static_cast<int64_t>(earlier().size()), "kernel") << ", moved "
        << Bytes(moved) << ", " << Microseconds(earlier_us) << "; now "
        << Bytes(totals.moved_bytes()) << ", " << Microseconds(us) << "; " << added << " new, "
        << static_cast<int64_t>(earlier().size()) - matched << " gone\n";
  }

  std::vector<const KernelReport*> Sorted() const {
    std::vector<const KernelReport*> sorted = Reports();
    const auto by = [&](auto is_before) { llvm::stable_sort(sorted, is_before); };
    switch (order_.value()) {
      case Order::kWasted:
        return WorstFirst();
      case Order::kTime:
        by([](const KernelReport* a, const KernelReport* b) {
          return a->time.us() > b->time.us();
        });
        break;
      case Order::kMoved:
        by([](const KernelReport* a, const KernelReport* b) {
          return a->totals.sectors > b->totals.sectors;
        });
        break;
      case Order::kEfficiency:
        by([](const KernelReport* a, const KernelReport* b) {
          return a->totals.Efficiency() < b->totals.Efficiency();
        });
        break;
      case Order::kModule:
        break;
    }
    return sorted;
  }

  ExitCode Check(const hlo::Module& module) const {
    if (!limit_.has_value()) return ExitCode::kFine;
    ExitCode status = ExitCode::kFine;
    for (const KernelReport& report : reports()) {
      if (!limit_->IsMetBy(report)) continue;
      status = ExitCode::kFinding;
      Report({support::MakeDiagnostic(
          module.source(), report.plan.instruction->offset(),
          "%" + report.plan.instruction->name().str() + ": " + limit_->Describe(report))});
    }
    return status;
  }

  ChoiceOption<Order> order_{
      table(),
      "sort",
      "order",
      "Which kernels come first",
      {{Order::kWasted, "wasted", "which waste most bytes"},
       {Order::kTime, "time", "which take longest by the estimate"},
       {Order::kMoved, "moved", "which move most bytes"},
       {Order::kEfficiency, "efficiency", "which need least of what they move"},
       {Order::kModule, "module", "as in the module"}}};
  NumberOption<uint64_t> top_{table(), "top", "Only the first kernels, as many as this", 0, "all"};
  TextOption fail_on_{table(),
                      "fail-on",
                      {"limit"},
                      "A kernel for which this holds is a finding, exit status 1: efficiency, "
                      "moved_bytes, wasted_bytes, time_us or bandwidth, < or >, a number"};
  FlagOption metric_names_{table(), "ncu",
                           "With the metrics of Nsight Compute that count the same"};

  std::optional<FailureLimit> limit_;
};

}  // namespace

std::unique_ptr<Subcommand> MakeExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace hlo_indexing::tools
