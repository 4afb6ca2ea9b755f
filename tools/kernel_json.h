// Kernels and their accesses as JSON; the format is documented in docs/command_line.md.
#ifndef HLO_INDEXING_TOOLS_KERNEL_JSON_H_
#define HLO_INDEXING_TOOLS_KERNEL_JSON_H_

#include <string>

#include "codegen/explain/access_report.h"
#include "codegen/explain/cures.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/explain/plan_cures.h"
#include "codegen/plan/kernel_plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "tools/explain_text.h"

namespace hlo_indexing::tools {

/// What the records of a kernel have in common.
struct KernelOrigin {
  std::string file;
  std::string plan;
  std::string device;
};

/// The attributes file, module, computation, instruction, plan and device of a record.
void WriteKernelName(const KernelOrigin& origin, const plan::KernelPlan& plan,
                     llvm::json::OStream& json);
/// The attributes emitter, variant, blocks and threads.
void WriteLaunch(const plan::KernelPlan& plan, llvm::json::OStream& json);
/// A line for an access. `cures` are those of the kernel; `text` knows the places.
void WriteAccessJson(const KernelOrigin& origin, const plan::KernelPlan& plan,
                     const explain::AccessReport& report, llvm::ArrayRef<explain::LayoutCure> cures,
                     const ExplainText& text, bool has_metric_names, llvm::raw_ostream& out);
/// A line for a kernel, without its accesses. `changes` and `before` may be null.
void WriteKernelJson(const KernelOrigin& origin, const explain::KernelReport& report,
                     const explain::PlanCures* changes, const Traffic* before,
                     const ExplainText& text, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_KERNEL_JSON_H_
