// What the subcommands that look at kernels share: which kernels, whose plans, on which device.
#ifndef HLO_INDEXING_TOOLS_KERNEL_COMMAND_H_
#define HLO_INDEXING_TOOLS_KERNEL_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/explain/coalescing_table.h"
#include "codegen/explain/given_values.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/device_option.h"
#include "tools/exit_code.h"
#include "tools/given_inputs.h"
#include "tools/input.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// What the kernels of a module are looked at with.
struct KernelTools {
  plan::PlanContext plans;
  explain::CoalescingTable coalescing;
  /// Empty unless --input gives some.
  std::optional<explain::GivenValues> values;

  explain::GivenValues* given_values() { return values.has_value() ? &*values : nullptr; }
};

class KernelCommand : public Subcommand {
 public:
  ExitCode Run(llvm::raw_ostream& out) final;

 protected:
  /// Whether values of parameters matter to what it says.
  enum class Inputs : uint8_t { kNone, kValues };
  /// Whether the user chooses whose plans, or they are those of this project.
  enum class Plans : uint8_t { kChosen, kOurs };
  /// Whether it answers in text or JSON, as the user chooses, or in a form of its own.
  enum class Formats : uint8_t { kTextAndJson, kOwn };
  KernelCommand(const SubcommandHelp& help, Inputs inputs, Plans plans = Plans::kChosen,
                Formats formats = Formats::kTextAndJson);

  bool is_of_one_instruction() const { return !instruction_.value().empty(); }
  bool is_json() const { return format_.has_value() && format_->is_json(); }
  InputLimits input_limits() const { return limits_.value(); }

  /// Called before anything is read; what it returns, unless it is kFine, ends the run.
  virtual ExitCode Prepare(const ptx::DeviceModel& /*device*/, mlir::MLIRContext* /*context*/) {
    return ExitCode::kFine;
  }
  virtual void BeginModule(const std::string& file, const hlo::Module& module,
                           llvm::raw_ostream& out) = 0;
  virtual void Kernel(plan::KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) = 0;
  /// Whether a kernel is taken care of without a plan, which is not made then.
  virtual bool IsKnown(const plan::Kernel& /*kernel*/, KernelTools& /*tools*/) { return false; }
  /// Whether a kernel without a plan is taken care of; else it is reported.
  virtual bool Unplanned(const hlo::Instruction& /*instruction*/, const absl::Status& /*reason*/) {
    return false;
  }
  /// kFine, or what it has found.
  virtual ExitCode EndModule(const hlo::Module& /*module*/, KernelTools& /*tools*/,
                             llvm::raw_ostream& /*out*/) {
    return ExitCode::kFine;
  }

  /// Called at last, also where Ctrl-C has ended the work on a module.
  virtual void End(llvm::raw_ostream& /*out*/) {}

  /// Calls `visit` with the plan of each kernel of the module but those of which `is_known`, if
  /// given, says so, and reports those that have none.
  void ForEachPlan(const std::string& file, const hlo::Module& module, KernelTools& tools,
                   ExitCode& status, llvm::function_ref<void(plan::KernelPlan)> visit,
                   llvm::function_ref<bool(const plan::Kernel&)> is_known = nullptr);

  /// Whose plans these are, as in the JSON: "xla", "ours" or "given".
  std::string plan_name() const;
  bool PlansAreOurs() const { return !plan_.has_value() || plan_->value() == PlanSource::kOurs; }

 private:
  enum class PlanSource : uint8_t { kXla, kOurs };

  // Without `%`.
  llvm::StringRef instruction_name() const {
    return llvm::StringRef(instruction_.value()).ltrim('%');
  }
  std::vector<plan::Kernel> Selected(const hlo::Module& module);
  // Notes which name of a module --instruction was probably meant to be.
  void NoteNearest(const hlo::Module& module);
  absl::StatusOr<plan::KernelPlan> PlanOf(const plan::Kernel& kernel, KernelTools& tools);
  bool ReadThreadMap(mlir::MLIRContext* context);

  TextOption instruction_{table(), "instruction", {"name"}, "Only the instruction of that name"};
  // Not there if there is no choice.
  std::optional<ChoiceOption<PlanSource>> plan_;
  std::optional<TextOption> thread_map_;
  DeviceOption device_{table(), "Where it runs: h100, h200, a100, rtx-a6000, l4, b200, or a file"};
  std::optional<GivenInputs> inputs_;
  std::optional<FormatOption> format_;
  InputLimitOptions limits_{table()};
  std::optional<indexing_analysis::IndexingMap> given_;
  bool has_instruction_ = false;
  std::string nearest_instruction_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_KERNEL_COMMAND_H_
