#include "tools/kernel_command.h"

#include <utility>

#include "absl/status/statusor.h"
#include "codegen/plan/given_plan.h"
#include "codegen/plan/our_plan.h"
#include "codegen/plan/xla_plan.h"
#include "support/diagnostics.h"
#include "tools/input.h"
#include "tools/instruction_selection.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

using plan::KernelPlan;

KernelCommand::KernelCommand(const SubcommandHelp& help, Inputs inputs, Plans plans,
                             Formats formats)
    : Subcommand(help) {
  if (plans == Plans::kChosen) {
    plan_.emplace(table(), "plan", "plan", "Whose plans",
                  std::vector<ChoiceOption<PlanSource>::Alternative>{
                      {PlanSource::kXla, "xla", "what XLA itself launches"},
                      {PlanSource::kOurs, "ours", "what the emitters of this project launch"}});
    thread_map_.emplace(
        table(), "thread-map", ValueHelp{"map"},
        "Instead of a plan: the map from (th_x, th_y, th_z, bl_x, bl_y, bl_z) and loops to the "
        "elements of the first output that a thread computes");
  }
  if (inputs == Inputs::kValues) inputs_.emplace(table());
  if (formats == Formats::kTextAndJson) format_.emplace(table());
}

ExitCode KernelCommand::Run(llvm::raw_ostream& out) {
  const std::optional<ptx::DeviceModel> device = device_.Read(limits_.value().bytes);
  if (!device.has_value()) return ExitCode::kBadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  if (!ReadThreadMap(&context)) return ExitCode::kBadUsage;
  if (inputs_.has_value() && inputs_->Parse() != ExitCode::kFine) return ExitCode::kBadUsage;
  const Interruption interruption;
  ExitCode status = Prepare(*device, &context);
  if (status != ExitCode::kFine) return status;
  for (const std::string& file : ModuleFiles(arguments(), status)) {
    const auto modules = LoadModules(file, limits_.value(), status);
    if (Interruption::IsRequested()) {
      End(out);
      return ReportInterruption(file);
    }
    if (is_json()) WriteHeader(file, out);
    for (const auto& module : modules) {
      indexing_analysis::IndexingAnalysis analysis(&context);
      KernelTools tools{{*device, analysis, &context}, {}, {}};
      if (inputs_.has_value()) {
        const ExitCode loaded = inputs_->Load(*module, limits_.value().bytes, tools.values);
        if (loaded != ExitCode::kFine) return Worst(status, loaded);
      }
      BeginModule(file, *module, out);
      ForEachPlan(
          file, *module, tools, status,
          [&](KernelPlan plan) { Kernel(std::move(plan), tools, out); },
          [&](const plan::Kernel& kernel) { return IsKnown(kernel, tools); });
      status = Worst(status, EndModule(*module, tools, out));
      if (Interruption::IsRequested()) {
        End(out);
        return ReportInterruption(file);
      }
    }
  }
  if (status == ExitCode::kFine && !instruction_.value().empty() && !has_instruction_) {
    return ReportMissing("instruction '" + instruction_name().str() + "'", nearest_instruction_);
  }
  End(out);
  return status;
}

void KernelCommand::ForEachPlan(const std::string& file, const hlo::Module& module,
                                KernelTools& tools, ExitCode& status,
                                llvm::function_ref<void(KernelPlan)> visit,
                                llvm::function_ref<bool(const plan::Kernel&)> is_known) {
  const std::vector<plan::Kernel> kernels = Selected(module);
  Progress progress(file, static_cast<int64_t>(kernels.size()));
  for (const plan::Kernel& kernel : kernels) {
    if (Interruption::IsRequested()) return;
    progress.Step();
    if (is_known && is_known(kernel)) continue;
    absl::StatusOr<KernelPlan> plan = PlanOf(kernel, tools);
    if (plan.ok()) {
      visit(*std::move(plan));
      continue;
    }
    // A given map that does not fit is an error in all commands.
    const bool misfits = given_.has_value() && absl::IsInvalidArgument(plan.status());
    if (!misfits && Unplanned(*kernel.instruction, plan.status())) continue;
    // As an instruction that moves no data, unless it is asked for.
    if (instruction_name().empty() && plan::HasNoElements(*kernel.instruction)) continue;
    Report({support::MakeDiagnostic(module.source(), kernel.instruction->offset(),
                                    std::string(plan.status().message()))});
    status = Worst(status, absl::IsUnimplemented(plan.status()) ? ExitCode::kNotSupported
                                                                : ExitCode::kBadUsage);
  }
}

// The kernels, or the instruction that is asked for, whatever it is. Of several with the same name
// those that run as kernels of their own, not those inside of a fusion.
std::vector<plan::Kernel> KernelCommand::Selected(const hlo::Module& module) {
  const llvm::StringRef name = instruction_name();
  if (name.empty()) return PlansAreOurs() ? plan::OurKernelsOf(module) : plan::KernelsOf(module);
  const auto named_in = [&](llvm::ArrayRef<const hlo::Computation*> computations) {
    std::vector<plan::Kernel> named;
    for (const hlo::Computation* computation : computations) {
      for (const hlo::Instruction* instruction : computation->instructions()) {
        if (instruction->name() == name) named.push_back({instruction, false});
      }
    }
    return named;
  };
  std::vector<plan::Kernel> selected = named_in(plan::ExecutedComputations(module));
  if (selected.empty()) selected = named_in(module.computations());
  has_instruction_ |= !selected.empty();
  if (!has_instruction_) NoteNearest(module);
  return selected;
}

void KernelCommand::NoteNearest(const hlo::Module& module) {
  std::vector<llvm::StringRef> names;
  if (!nearest_instruction_.empty()) names.emplace_back(nearest_instruction_);
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      names.push_back(instruction->name());
    }
  }
  nearest_instruction_ = NearestName(instruction_name(), names);
}

absl::StatusOr<KernelPlan> KernelCommand::PlanOf(const plan::Kernel& kernel, KernelTools& tools) {
  const hlo::Instruction& instruction = *kernel.instruction;
  if (given_.has_value()) {
    return kernel.is_computation ? plan::PlanByThreadMap(instruction.parent(), *given_)
                                 : plan::PlanByThreadMap(instruction, *given_);
  }
  if (PlansAreOurs()) {
    return kernel.is_computation ? plan::PlanKernel(instruction.parent(), tools.plans)
                                 : plan::PlanKernel(instruction, tools.plans);
  }
  return kernel.is_computation ? plan::PlanLikeXla(instruction.parent(), tools.plans)
                               : plan::PlanLikeXla(instruction, tools.plans);
}

std::string KernelCommand::plan_name() const {
  if (given_.has_value()) return "given";
  return PlansAreOurs() ? "ours" : "xla";
}

bool KernelCommand::ReadThreadMap(mlir::MLIRContext* context) {
  if (!thread_map_.has_value() || !thread_map_->is_given()) return true;
  const std::string& text = thread_map_->value();
  support::TextError error;
  given_ = indexing_analysis::ParseIndexingMap(text, context, error);
  if (given_.has_value()) {
    const absl::Status fits = plan::CheckThreadMap(*given_);
    if (fits.ok()) return true;
    error = {0, std::string(fits.message())};
  }
  Report({support::MakeDiagnostic({"--thread-map", text}, error.offset, error.message)});
  return false;
}

}  // namespace hlo_indexing::tools
