// Kernels and their accesses as text for people.
#ifndef HLO_INDEXING_TOOLS_EXPLAIN_TEXT_H_
#define HLO_INDEXING_TOOLS_EXPLAIN_TEXT_H_

#include <cstddef>
#include <string>

#include "codegen/explain/access_report.h"
#include "codegen/explain/cures.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/diagnostics.h"

namespace hlo_indexing::tools {

/// What an access belongs to, as people call it. Example: "%p0", "%p0 array 2", "output 1"
std::string NameOfArray(const plan::KernelPlan& plan, const plan::KernelAccess& access);
/// Example: "{0,1}"
std::string LayoutText(llvm::ArrayRef<int64_t> minor_to_major);

/// The end of the metrics of Nsight Compute for accesses of a kind. Example: "mem_global_op_ld.sum"
llvm::StringRef MetricOperation(plan::AccessKind kind);

/// Figures of an earlier version of a kernel, or of a module.
struct Traffic {
  llvm::DynamicAPInt moved_bytes;
  llvm::DynamicAPInt wasted_bytes;
  double us = 0;
};

struct ExplainTextOptions {
  std::string device;
  /// With the metrics of Nsight Compute that count the same.
  bool has_metric_names = false;
  /// With the maps from threads to elements and to positions in memory.
  bool has_maps = false;
};

/// Writes what belongs to one module.
class ExplainText {
 public:
  ExplainText(const hlo::Module& module, ExplainTextOptions options);

  const ExplainTextOptions& options() const { return options_; }

  /// The instruction, its place, emitter and launch.
  void WriteHead(const plan::KernelPlan& plan, llvm::raw_ostream& out) const;
  /// The sums of a kernel and its time.
  void WriteTotals(const explain::KernelReport& report, llvm::raw_ostream& out) const;
  /// The sums that an earlier version of it had.
  void WriteBefore(const explain::KernelReport& report, const Traffic& before,
                   llvm::raw_ostream& out) const;
  void WriteAccesses(const plan::KernelPlan& plan, llvm::ArrayRef<explain::AccessReport> accesses,
                     llvm::raw_ostream& out) const;
  /// What would help; `changes` may be null if none was planned.
  void WriteCures(const explain::KernelReport& report, const explain::PlanCures* changes,
                  llvm::raw_ostream& out) const;

  /// Example: "module.hlo:12:3"
  std::string Place(const hlo::Instruction& instruction) const;
  support::SourcePosition Locate(const hlo::Instruction& instruction) const {
    return module_.Locate(instruction.offset());
  }

 private:
  void WriteAccess(const plan::KernelPlan& plan, const explain::AccessReport& report,
                   size_t name_width, llvm::raw_ostream& out) const;
  void WriteWaste(const explain::AccessReport& report, llvm::raw_ostream& out) const;

  const hlo::Module& module_;
  ExplainTextOptions options_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_EXPLAIN_TEXT_H_
