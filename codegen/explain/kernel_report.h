// Why a kernel is as fast as it is: its accesses with what each wastes and why, what would help,
// the sums, and the least time on a device.
//
//   PlanContext plans(device, analysis, &context);
//   CoalescingTable table;
//   const absl::StatusOr<plan::KernelPlan> plan = plan::PlanLikeXla(fusion, plans);
//   const KernelReport report = ReportKernel(*plan, plans, table);
//   report.totals.wasted_bytes();   // -> 3,670,016
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_REPORT_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_REPORT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/explain/access_report.h"
#include "codegen/explain/coalescing_table.h"
#include "codegen/explain/cures.h"
#include "codegen/explain/given_values.h"
#include "codegen/explain/shared_report.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::explain {

/// Sums over accesses, in the worst case of each that depends on values known at run time. Requests
/// and sectors as in queries/coalescing.h.
struct TrafficTotals {
  llvm::DynamicAPInt requests;
  llvm::DynamicAPInt sectors;
  llvm::DynamicAPInt ideal_sectors;
  /// Different sectors of each array: what comes from DRAM, and goes there, at least.
  llvm::DynamicAPInt distinct_sectors;
  /// Accesses of which nobody knows the elements; they are not in the sums.
  int64_t unknown_accesses = 0;
  /// Whether requests and sectors are exact, and whether different sectors are.
  bool is_exact = true;
  bool is_dram_exact = true;

  /// Between the multiprocessors and L2; the least for the same requests; the difference.
  llvm::DynamicAPInt moved_bytes() const;
  llvm::DynamicAPInt needed_bytes() const;
  llvm::DynamicAPInt wasted_bytes() const;
  llvm::DynamicAPInt dram_bytes() const;
  /// Whether the sums are the most of a range: of accesses that are known.
  bool IsUpperEnd() const { return !is_exact && unknown_accesses == 0; }
  /// needed / moved, 1 if nothing is moved.
  double Efficiency() const;

  TrafficTotals& operator+=(const TrafficTotals& other);
};

/// What a kernel does in all.
struct KernelSums {
  TrafficTotals totals;
  /// Without the start of the launch and latency; arithmetic is an estimate.
  ptx::TimeEstimate time;
};

struct KernelReport : KernelSums {
  plan::KernelPlan plan;
  std::vector<AccessReport> accesses;
  std::vector<SharedAccessReport> shared;
  std::vector<LayoutCure> cures;
  /// How much of the device's DRAM bandwidth the kernel uses for what it needs at least, if it
  /// takes that time.
  double bandwidth_share = 0;
};

/// Of the accesses that a plan has; why they waste is not looked at. `distinct_sectors`, if given,
/// are those of the totals, and not summed.
KernelSums SumKernel(const plan::KernelPlan& plan, llvm::ArrayRef<AccessReport> accesses,
                     llvm::ArrayRef<SharedAccessReport> shared, const ptx::DeviceModel& device,
                     std::optional<llvm::DynamicAPInt> distinct_sectors = std::nullopt);

/// `values` as in ReportAccesses.
KernelReport ReportKernel(plan::KernelPlan plan, plan::PlanContext& plans, CoalescingTable& table,
                          GivenValues* values = nullptr);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_REPORT_H_
