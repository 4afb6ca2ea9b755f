// The accesses of kernels to shared memory, as text and as JSON.
#ifndef HLO_INDEXING_TOOLS_SHARED_ACCESS_REPORT_H_
#define HLO_INDEXING_TOOLS_SHARED_ACCESS_REPORT_H_

#include "codegen/explain/shared_report.h"
#include "codegen/plan/kernel_plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/kernel_json.h"

namespace hlo_indexing::tools {

/// A line for each, and the metrics of Nsight Compute that count the same:
///     store  tile of %t  100%  1.0 wavefronts per request, ideal 1.0; (_32,_32):(_33,_1)
void WriteSharedAccesses(const plan::KernelPlan& plan,
                         llvm::ArrayRef<explain::SharedAccessReport> reports,
                         const ExplainTextOptions& options, llvm::raw_ostream& out);

/// The same as lines of JSON.
void WriteSharedAccessesJson(const KernelOrigin& origin, const plan::KernelPlan& plan,
                             llvm::ArrayRef<explain::SharedAccessReport> reports,
                             const ExplainTextOptions& options, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_SHARED_ACCESS_REPORT_H_
