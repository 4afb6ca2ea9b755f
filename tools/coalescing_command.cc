// `hlo-indexing coalescing`: what every access of every kernel does to global memory.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/explain/access_report.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "support/diagnostics.h"
#include "tools/explain_text.h"
#include "tools/kernel_command.h"
#include "tools/kernel_json.h"
#include "tools/shared_access_report.h"

namespace hlo_indexing::tools {
namespace {

using explain::AccessReport;
using plan::KernelPlan;

constexpr Example kExamples[] = {
    {"Sectors per request of each load and store", "hlo-indexing coalescing module.hlo"},
    {"With the metrics of Nsight Compute that count the same",
     "hlo-indexing coalescing --ncu --device=a100 module.hlo"},
    {"If each of four threads had four elements of a row of %f",
     "hlo-indexing coalescing --instruction=f --thread-map='(th_x, th_y, th_z, bl_x, bl_y, "
     "bl_z)[s0]"
     " -> (th_x, bl_x * 4 + s0), domain: th_x in [0, 3], th_y in [0, 0], th_z in [0, 0],"
     " bl_x in [0, 1], bl_y in [0, 0], bl_z in [0, 0], s0 in [0, 3]' module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "coalescing",
    .summary = "Requests and sectors of every access, bank conflicts of shared memory",
    .arguments = kModuleFiles,
    .details =
        "A request is what the 32 lanes of a warp access by one instruction; it touches sectors of "
        "32 bytes. Ideal are as few as would hold the same bytes side by side; the share of these "
        "is the access's efficiency. Counts are exact over the whole grid, with the XLA layouts of "
        "the arrays. Where values known at run time decide, they go from the best to the worst "
        "case. Accesses to shared memory take wavefronts, ideally as few as if no two words that "
        "are "
        "wanted at once were in one bank.\n"
        "The instruction named behind a reason is the one whose operand is read with the stride.",
    .examples = kExamples};

class CoalescingCommand : public KernelCommand {
 public:
  CoalescingCommand() : KernelCommand(kHelp, Inputs::kValues) {}

 protected:
  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& out) override {
    file_ = file;
    text_.reset();
    module_ = &module;
    if (!is_json()) {
      out << "// " << support::ForTerminal(file) << ", module " << module.name() << '\n';
    }
  }

  void Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) override {
    if (!text_.has_value()) {
      text_.emplace(*module_, ExplainTextOptions{tools.plans.device.name, metric_names_.value(),
                                                 maps_.value()});
    }
    const std::vector<AccessReport> accesses =
        explain::ReportAccesses(plan, tools.plans, tools.coalescing, tools.given_values());
    const std::vector<explain::SharedAccessReport> shared =
        explain::ReportSharedAccesses(plan, tools.coalescing.bank_conflicts());
    if (!is_json()) {
      out << '\n';
      text_->WriteHead(plan, out);
      text_->WriteAccesses(plan, accesses, out);
      return WriteSharedAccesses(plan, shared, text_->options(), out);
    }
    const KernelOrigin origin{file_, plan_name(), tools.plans.device.name};
    for (const AccessReport& access : accesses) {
      WriteAccessJson(origin, plan, access, {}, *text_, metric_names_.value(), out);
    }
    WriteSharedAccessesJson(origin, plan, shared, text_->options(), out);
  }

 private:
  FlagOption metric_names_{table(), "ncu",
                           "With the metrics of Nsight Compute that count the same"};
  FlagOption maps_{table(), "maps",
                   "With the maps from threads to elements, and to positions in memory"};
  std::string file_;
  const hlo::Module* module_ = nullptr;
  std::optional<ExplainText> text_;
};

}  // namespace

std::unique_ptr<Subcommand> MakeCoalescingCommand() {
  return std::make_unique<CoalescingCommand>();
}

}  // namespace hlo_indexing::tools
