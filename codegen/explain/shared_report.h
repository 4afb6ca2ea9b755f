// The accesses of a kernel to shared memory: how many wavefronts they take, and how many they would
// have to.
//
// Example: XLA's transpose of f32[1024,1024] has a tile of 32 x 33 floats, which neither its stores
// nor its loads meet in one bank: 1.0 wavefronts per request, ideal 1.0.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_

#include <cstddef>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "indexing_analysis/queries/bank_conflicts.h"

namespace hlo_indexing::explain {

struct SharedAccessReport {
  /// Which tile of the plan, and which access of it.
  size_t tile = 0;
  size_t access = 0;
  indexing_analysis::BankConflicts conflicts;
};

/// All accesses to tiles, in the order of the plan.
std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_
