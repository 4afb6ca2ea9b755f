#include "tools/explaining_command.h"

#include <memory>
#include <optional>

#include "codegen/plan/our_plan.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/opcode.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/quantity.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

using explain::KernelReport;
using explain::TrafficTotals;
using plan::KernelPlan;

namespace {

std::pair<std::string, std::string> KeyOf(const KernelPlan& plan) {
  return {plan.instruction->parent().name().str(), plan.instruction->name().str()};
}

// The message without the name and opcode of the instruction.
std::string ReasonOf(const absl::Status& status) {
  const llvm::StringRef message(status.message().data(), status.message().size());
  if (message.contains("__triton")) return "compiled by Triton";
  if (message.contains("is a fusion of the kind")) return "a fusion for a library";
  return message.str();
}

}  // namespace

ExplainingCommand::ExplainingCommand(const SubcommandHelp& help, Formats formats)
    : KernelCommand(help, Inputs::kValues, Plans::kChosen, formats) {}

ExitCode ExplainingCommand::Prepare(const ptx::DeviceModel& device, mlir::MLIRContext* context) {
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
    if (!Interruption::IsRequested()) continue;
    return ReportInterruption(before_.value());
  }
  return status;
}

void ExplainingCommand::BeginModule(const std::string& file, const hlo::Module& module,
                                    llvm::raw_ostream& /*out*/) {
  file_ = file;
  reports_.clear();
  // Other reports refer to them.
  reports_.reserve(PlansAreOurs() ? plan::OurKernelsOf(module).size()
                                  : plan::KernelsOf(module).size());
  known_reports_ = {};
  unplanned_.clear();
}

void ExplainingCommand::Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& /*out*/) {
  reports_.push_back(
      explain::ReportKernel(std::move(plan), tools.plans, tools.coalescing, tools.given_values()));
  if (tools.given_values() == nullptr) known_reports_.Add(reports_.back());
}

bool ExplainingCommand::IsKnown(const plan::Kernel& kernel, KernelTools& tools) {
  if (kernel.is_computation || tools.given_values() != nullptr) return false;
  std::optional<KernelReport> report = known_reports_.Find(*kernel.instruction);
  if (!report.has_value()) return false;
  reports_.push_back(*std::move(report));
  return true;
}

bool ExplainingCommand::Unplanned(const hlo::Instruction& instruction, const absl::Status& reason) {
  // Who asks for one instruction wants to know of it.
  if (!is_of_one_instruction()) unplanned_.push_back({&instruction, ReasonOf(reason)});
  return !is_of_one_instruction();
}

void ExplainingCommand::AddWithoutKernels(const hlo::Module& module) {
  if (!module.has_entry_keyword()) return;
  for (const hlo::Computation* computation : plan::ExecutedComputations(module)) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      const std::optional<plan::NoKernel> reason = plan::WhyNoKernel(*instruction);
      if (!reason.has_value()) continue;
      if (PlansAreOurs() && plan::HasOurKernel(*instruction).ok()) continue;
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

ExplainingCommand::PlanCuresByKernel ExplainingCommand::PlanCuresOf(
    std::vector<const KernelReport*> kernels, KernelTools& tools) {
  PlanCuresByKernel cures;
  not_tried_ = 0;
  if (plan_name() != "xla") return cures;
  llvm::stable_sort(kernels, [](const KernelReport* a, const KernelReport* b) {
    return a->totals.wasted_bytes() > b->totals.wasted_bytes();
  });
  explain::PlanCureFinder finder(tools.plans);
  for (const KernelReport* kernel : kernels) {
    if (Interruption::IsRequested()) {
      ++not_tried_;
      continue;
    }
    std::optional<explain::PlanCures> found = finder.Find(*kernel);
    if (found.has_value()) cures[kernel] = *std::move(found);
  }
  not_tried_ += finder.num_left_out();
  return cures;
}

std::vector<const KernelReport*> ExplainingCommand::Reports() const {
  std::vector<const KernelReport*> reports;
  for (const KernelReport& report : reports_) reports.push_back(&report);
  return reports;
}

std::vector<const KernelReport*> ExplainingCommand::WorstFirst() const {
  std::vector<const KernelReport*> sorted = Reports();
  llvm::stable_sort(sorted, [](const KernelReport* a, const KernelReport* b) {
    const auto wasted_a = a->totals.wasted_bytes();
    const auto wasted_b = b->totals.wasted_bytes();
    return wasted_a != wasted_b ? wasted_a > wasted_b : a->time.us() > b->time.us();
  });
  return sorted;
}

TrafficTotals ExplainingCommand::Totals() const {
  TrafficTotals totals;
  for (const KernelReport& report : reports_) totals += report.totals;
  return totals;
}

double ExplainingCommand::TotalTime() const {
  double us = 0;
  for (const KernelReport& report : reports_) us += report.time.us();
  return us;
}

const Traffic* ExplainingCommand::Before(const KernelReport& report) const {
  const auto found = earlier_.find(KeyOf(report.plan));
  return found == earlier_.end() ? nullptr : &found->second;
}

KernelOrigin ExplainingCommand::Origin(const KernelTools& tools) const {
  return {file_, plan_name(), tools.plans.device.name};
}

void ExplainingCommand::WriteModuleJson(const hlo::Module& module, const KernelOrigin& origin,
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
    json.attribute("dram_exact", totals.is_dram_exact);
    json.attribute("estimated_us", TotalTime());
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

}  // namespace hlo_indexing::tools
