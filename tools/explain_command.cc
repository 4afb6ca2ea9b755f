// `hlo-indexing explain`: why the kernels of a module are as fast as they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/explain/report_table.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/STLExtras.h"
#include "support/diagnostics.h"
#include "tools/explain_text.h"
#include "tools/failure_limit.h"
#include "tools/kernel_command.h"
#include "tools/kernel_json.h"
#include "tools/quantity.h"
#include "tools/report.h"
#include "tools/shared_access_report.h"

namespace hlo_indexing::tools {
namespace {

using explain::KernelReport;
using explain::TrafficTotals;
using plan::KernelPlan;

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

double TotalTime(llvm::ArrayRef<KernelReport> reports) {
  double us = 0;
  for (const KernelReport& report : reports) us += report.time.us();
  return us;
}

// By the names of the computation and the instruction.
using Key = std::pair<std::string, std::string>;
Key KeyOf(const KernelPlan& plan) {
  return {plan.instruction->parent().name().str(), plan.instruction->name().str()};
}

class ExplainCommand : public KernelCommand {
 public:
  ExplainCommand() : KernelCommand(kHelp, Inputs::kValues) {}

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
    if (!before_.is_given()) return ExitCode::kFine;
    ExitCode status = ExitCode::kFine;
    for (const auto& module : LoadModules(before_.value(), input_limits(), status)) {
      indexing_analysis::IndexingAnalysis analysis(context);
      KernelTools tools{{device, analysis, context}, {}, {}};
      ForEachPlan(before_.value(), *module, tools, status, [&](KernelPlan plan) {
        const KernelReport report =
            explain::ReportKernel(std::move(plan), tools.plans, tools.coalescing);
        earlier_[KeyOf(report.plan)] = {report.totals.moved_bytes(), report.totals.wasted_bytes(),
                                        report.time.us()};
      });
    }
    return status;
  }

  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& /*out*/) override {
    file_ = file;
    reports_.clear();
    reports_.reserve(plan::KernelsOf(module).size());
    known_reports_ = {};
    unplanned_.clear();
  }

  void Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& /*out*/) override {
    reports_.push_back(explain::ReportKernel(std::move(plan), tools.plans, tools.coalescing,
                                             tools.given_values()));
    if (tools.given_values() == nullptr) known_reports_.Add(reports_.back());
  }

  bool IsKnown(const plan::Kernel& kernel, KernelTools& tools) override {
    if (kernel.is_computation || tools.given_values() != nullptr) return false;
    std::optional<KernelReport> report = known_reports_.Find(*kernel.instruction);
    if (!report.has_value()) return false;
    reports_.push_back(*std::move(report));
    return true;
  }

  bool Unplanned(const hlo::Instruction& instruction, const absl::Status& reason) override {
    // Who asks for one instruction wants to know of it.
    if (!is_of_one_instruction()) unplanned_.push_back({&instruction, ReasonOf(reason)});
    return !is_of_one_instruction();
  }

  ExitCode EndModule(const hlo::Module& module, KernelTools& tools,
                     llvm::raw_ostream& out) override {
    if (!is_of_one_instruction()) AddWithoutKernels(module);
    const ExplainText text(module, {tools.plans.device.name, metric_names_.value()});
    const KernelOrigin origin{file_, plan_name(), tools.plans.device.name};
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
        WriteSharedAccessesJson(origin, report->plan, report->shared, metric_names_.value(), out);
        continue;
      }
      out << '\n';
      text.WriteHead(report->plan, out);
      text.WriteTotals(*report, out);
      if (before != nullptr) text.WriteBefore(*report, *before, out);
      text.WriteAccesses(report->plan, report->accesses, out);
      WriteSharedAccesses(report->plan, report->shared, metric_names_.value(), out);
      text.WriteCures(*report, cures, out);
    }
    if (!is_json() && shown.size() < reports_.size()) {
      out << '\n'
          << Counted(static_cast<int64_t>(reports_.size() - shown.size()), "more kernel") << '\n';
    }
    return Check(module);
  }

 private:
  using PlanCuresByKernel = std::map<const KernelReport*, explain::PlanCures>;

  // Those that waste most come first, as changes are planned within limits.
  PlanCuresByKernel PlanCuresOf(std::vector<const KernelReport*> kernels, KernelTools& tools) {
    PlanCuresByKernel cures;
    not_tried_ = 0;
    if (plan_name() != "xla") return cures;
    llvm::stable_sort(kernels, [](const KernelReport* a, const KernelReport* b) {
      return a->totals.wasted_bytes() > b->totals.wasted_bytes();
    });
    explain::PlanCureFinder finder(tools.plans);
    for (const KernelReport* kernel : kernels) {
      std::optional<explain::PlanCures> found = finder.Find(*kernel);
      if (found.has_value()) cures[kernel] = *std::move(found);
    }
    not_tried_ = finder.num_left_out();
    return cures;
  }

  // An instruction that is not shown, and why.
  struct WithoutPlan {
    const hlo::Instruction* instruction;
    std::string reason;
  };

  // The message without the name and opcode of the instruction.
  static std::string ReasonOf(const absl::Status& status) {
    const llvm::StringRef message(status.message().data(), status.message().size());
    if (message.contains("__triton")) return "compiled by Triton";
    if (message.contains("is a fusion of the kind")) return "a fusion for a library";
    return message.str();
  }

  // What runs on the device, but not as a kernel whose plan is known.
  void AddWithoutKernels(const hlo::Module& module) {
    if (!module.has_entry_keyword()) return;
    for (const hlo::Computation* computation : plan::ExecutedComputations(module)) {
      for (const hlo::Instruction* instruction : computation->instructions()) {
        const std::optional<plan::NoKernel> reason = plan::WhyNoKernel(*instruction);
        if (!reason.has_value()) continue;
        switch (*reason) {
          case plan::NoKernel::kLibrary:
          case plan::NoKernel::kExpanded:
          case plan::NoKernel::kCollective:
          case plan::NoKernel::kCopyEngine:
            unplanned_.push_back({instruction, plan::NoKernelReason(*reason).str()});
            break;
          default:
            break;
        }
      }
    }
  }

  TrafficTotals Totals() const {
    TrafficTotals totals;
    for (const KernelReport& report : reports_) totals += report.totals;
    return totals;
  }

  double DramTime() const {
    double us = 0;
    for (const KernelReport& report : reports_) us += report.time.dram_us;
    return us;
  }

  void WriteModule(const hlo::Module& module, const ptx::DeviceModel& device,
                   llvm::raw_ostream& out) const {
    const TrafficTotals totals = Totals();
    const double us = TotalTime(reports_);
    out << "// " << file_ << ", module " << module.name() << '\n'
        << Counted(static_cast<int64_t>(reports_.size()), "kernel") << ": move "
        << (totals.IsUpperEnd() ? "up to " : "") << Bytes(totals.moved_bytes()) << ", need "
        << Bytes(totals.needed_bytes()) << " (" << Percent(totals.Efficiency()) << ")";
    if (totals.unknown_accesses != 0) {
      out << "; not counted: " << Counted(totals.unknown_accesses, "access", "accesses");
    }
    out << '\n' << "estimate: " << Microseconds(us) << " on " << device.name;
    if (us > 0) out << ", " << Percent(DramTime() / us) << " of DRAM bandwidth";
    out << '\n';
    WriteBeforeTotals(totals, us, out);
    if (not_tried_ != 0) {
      out << "not tried: changes of " << Counted(not_tried_, "kernel")
          << ", those that waste least\n";
    }
    // Reason, then how many of each opcode.
    std::map<std::string, std::map<std::string, int64_t>> left_out;
    for (const WithoutPlan& without : unplanned_) {
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
    if (!before_.is_given()) return;
    llvm::DynamicAPInt moved(0);
    double earlier_us = 0;
    for (const auto& [key, traffic] : earlier_) {
      moved += traffic.moved_bytes;
      earlier_us += traffic.us;
    }
    int64_t added = 0;
    for (const KernelReport& report : reports_) added += Before(report) == nullptr ? 1 : 0;
    const auto matched = static_cast<int64_t>(reports_.size()) - added;
    out << "before: " << Counted(static_cast<int64_t>(earlier_.size()), "kernel") << ", moved "
        << Bytes(moved) << ", " << Microseconds(earlier_us) << "; now "
        << Bytes(totals.moved_bytes()) << ", " << Microseconds(us) << "; " << added << " new, "
        << static_cast<int64_t>(earlier_.size()) - matched << " gone\n";
  }

  void WriteModuleJson(const hlo::Module& module, const KernelOrigin& origin,
                       llvm::raw_ostream& out) const {
    const TrafficTotals totals = Totals();
    llvm::json::OStream json(out);
    json.object([&] {
      json.attribute("kind", "module");
      json.attribute("file", llvm::json::fixUTF8(file_));
      json.attribute("module", llvm::json::fixUTF8(module.name()));
      json.attribute("plan", origin.plan);
      json.attribute("device", llvm::json::fixUTF8(origin.device));
      json.attribute("kernels", static_cast<int64_t>(reports_.size()));
      const auto number = [&](llvm::StringRef name, const llvm::DynamicAPInt& value) {
        json.attributeBegin(name);
        json.rawValue(Digits(value));
        json.attributeEnd();
      };
      number("moved_bytes", totals.moved_bytes());
      number("needed_bytes", totals.needed_bytes());
      number("wasted_bytes", totals.wasted_bytes());
      number("dram_bytes", totals.dram_bytes());
      json.attribute("exact", totals.is_exact);
      json.attribute("estimated_us", TotalTime(reports_));
      json.attribute("kernels_not_tried", not_tried_);
      json.attributeArray("not_shown", [&] {
        for (const WithoutPlan& without : unplanned_) {
          json.object([&] {
            json.attribute("instruction", llvm::json::fixUTF8(without.instruction->name()));
            json.attribute("opcode", hlo::OpcodeName(without.instruction->opcode()));
            json.attribute("reason", llvm::json::fixUTF8(without.reason));
          });
        }
      });
    });
    out << '\n';
  }

  std::vector<const KernelReport*> Sorted() const {
    std::vector<const KernelReport*> sorted;
    for (const KernelReport& report : reports_) sorted.push_back(&report);
    const auto by = [&](auto is_before) { llvm::stable_sort(sorted, is_before); };
    switch (order_.value()) {
      case Order::kWasted:
        by([](const KernelReport* a, const KernelReport* b) {
          const auto wasted_a = a->totals.wasted_bytes();
          const auto wasted_b = b->totals.wasted_bytes();
          return wasted_a != wasted_b ? wasted_a > wasted_b : a->time.us() > b->time.us();
        });
        break;
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

  // The earlier figures of a kernel of the same name; null if there is none.
  const Traffic* Before(const KernelReport& report) const {
    const auto found = earlier_.find(KeyOf(report.plan));
    return found == earlier_.end() ? nullptr : &found->second;
  }

  ExitCode Check(const hlo::Module& module) const {
    if (!limit_.has_value()) return ExitCode::kFine;
    ExitCode status = ExitCode::kFine;
    for (const KernelReport& report : reports_) {
      if (!limit_->IsMetBy(report)) continue;
      status = ExitCode::kFinding;
      Report({support::MakeDiagnostic(
          {module.file_name(), module.text()}, report.plan.instruction->offset(),
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
  TextOption before_{table(),
                     "before",
                     {"file", ValueKind::kFile},
                     "An earlier version of the module: what got better or worse"};
  TextOption fail_on_{table(),
                      "fail-on",
                      {"limit"},
                      "A kernel for which this holds is a finding, exit status 1: efficiency, "
                      "moved_bytes, wasted_bytes, time_us or bandwidth, < or >, a number"};
  FlagOption metric_names_{table(), "ncu",
                           "With the metrics of Nsight Compute that count the same"};

  std::optional<FailureLimit> limit_;
  std::map<Key, Traffic> earlier_;
  std::string file_;
  std::vector<KernelReport> reports_;
  explain::ReportTable known_reports_;
  std::vector<WithoutPlan> unplanned_;
  // Kernels of which no change has been planned, because of the limits.
  int64_t not_tried_ = 0;
};

}  // namespace

std::unique_ptr<Subcommand> MakeExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace hlo_indexing::tools
