// Modules of small kernels of each emitter, and their plans.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PLAN_KERNEL_FIXTURES_H_
#define HLO_INDEXING_TESTS_CODEGEN_PLAN_KERNEL_FIXTURES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::plan {

struct NamedModule {
  std::string name;
  std::string text;
};

/// One fusion, or one instruction, at the root of each; small enough for all threads to be tried.
const std::vector<NamedModule>& KernelModules();

/// Whose emitters a plan is for.
enum class Planner : uint8_t { kXla, kOurs };

/// A module with what its kernels are planned with.
class PlannedModule {
 public:
  explicit PlannedModule(const std::string& text);

  const hlo::Instruction& root() const { return module_->entry().root(); }
  const hlo::Module& module() const { return *module_; }
  PlanContext& plans() { return plans_; }
  mlir::MLIRContext* mlir_context() { return &mlir_context_; }
  /// The root's plan.
  absl::StatusOr<KernelPlan> Plan(Planner planner = Planner::kXla);

 private:
  std::unique_ptr<hlo::Module> module_;
  mlir::MLIRContext mlir_context_;
  ptx::DeviceModel device_;
  indexing_analysis::IndexingAnalysis analysis_;
  PlanContext plans_;
};

/// Calls `visit` with the results of a map at all points of its domain; `runtime` are the values of
/// its runtime variables.
void ForEachPoint(const indexing_analysis::IndexingMap& map, llvm::ArrayRef<int64_t> runtime,
                  const std::function<void(llvm::ArrayRef<int64_t>)>& visit);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_TESTS_CODEGEN_PLAN_KERNEL_FIXTURES_H_
