// What `explain` and `report` share: what is known of every kernel of a module, and of an earlier
// version of it.
#ifndef HLO_INDEXING_TOOLS_EXPLAINING_COMMAND_H_
#define HLO_INDEXING_TOOLS_EXPLAINING_COMMAND_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/explain/report_table.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/kernels.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/explain_text.h"
#include "tools/kernel_command.h"
#include "tools/kernel_json.h"

namespace hlo_indexing::tools {

class ExplainingCommand : public KernelCommand {
 protected:
  ExplainingCommand(const SubcommandHelp& help, Formats formats);

  /// An instruction that is not shown, and why.
  struct WithoutPlan {
    const hlo::Instruction* instruction = nullptr;
    std::string reason;
  };
  using PlanCuresByKernel = std::map<const explain::KernelReport*, explain::PlanCures>;
  // By the names of the computation and the instruction.
  using EarlierKernels = std::map<std::pair<std::string, std::string>, Traffic>;

  /// Reads the earlier version.
  ExitCode Prepare(const ptx::DeviceModel& device, mlir::MLIRContext* context) override;
  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& out) final;
  void Kernel(plan::KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) final;
  bool IsKnown(const plan::Kernel& kernel, KernelTools& tools) final;
  bool Unplanned(const hlo::Instruction& instruction, const absl::Status& reason) final;

  /// Adds what runs on the device, but not as a kernel whose plan is known.
  void AddWithoutKernels(const hlo::Module& module);
  /// The changes of these kernels that help. Those that waste most come first, as changes are
  /// planned within limits.
  PlanCuresByKernel PlanCuresOf(std::vector<const explain::KernelReport*> kernels,
                                KernelTools& tools);
  /// In the order of the module.
  std::vector<const explain::KernelReport*> Reports() const;
  /// Those that waste most come first.
  std::vector<const explain::KernelReport*> WorstFirst() const;

  explain::TrafficTotals Totals() const;
  /// Of all kernels, in microseconds.
  double TotalTime() const;
  bool has_before() const { return before_.is_given(); }
  const std::string& before_file() const { return before_.value(); }
  const EarlierKernels& earlier() const { return earlier_; }
  /// The earlier figures of a kernel of the same name; null if there is none.
  const Traffic* Before(const explain::KernelReport& report) const;
  KernelOrigin Origin(const KernelTools& tools) const;
  /// The line `{"kind":"module",...}`.
  void WriteModuleJson(const hlo::Module& module, const KernelOrigin& origin,
                       llvm::raw_ostream& out) const;

  const std::string& file() const { return file_; }
  llvm::ArrayRef<explain::KernelReport> reports() const { return reports_; }
  llvm::ArrayRef<WithoutPlan> unplanned() const { return unplanned_; }
  /// Kernels of which no change has been planned, because of the limits.
  int64_t not_tried() const { return not_tried_; }

 private:
  TextOption before_{table(),
                     "before",
                     {"file", ValueKind::kFile},
                     "An earlier version of the module: what got better or worse"};

  EarlierKernels earlier_;
  std::string file_;
  std::vector<explain::KernelReport> reports_;
  explain::ReportTable known_reports_;
  std::vector<WithoutPlan> unplanned_;
  int64_t not_tried_ = 0;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_EXPLAINING_COMMAND_H_
