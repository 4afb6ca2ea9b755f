#include "codegen/explain/kernel_report.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "codegen/explain/work.h"
#include "support/checked_math.h"
#include "support/to_double.h"

namespace hlo_indexing::explain {
namespace {

using llvm::DynamicAPInt;

constexpr int64_t kSectorBytes = 32;

// The largest number instead of one that does not fit.
uint64_t Saturated(const DynamicAPInt& number) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (number > kMost) return static_cast<uint64_t>(kMost);
  return static_cast<uint64_t>(static_cast<int64_t>(number));
}

// The first operand that is the same array.
int64_t FirstOperandLike(const plan::KernelPlan& plan, int64_t operand) {
  // Then it is a parameter.
  if (plan.is_computation) return operand;
  const auto operands = plan.instruction->operands();
  const auto* const first = llvm::find(operands, operands[static_cast<size_t>(operand)]);
  return first - operands.begin();
}

// Different sectors of all accesses: accesses of an array may touch the same ones, but no more than
// it has. Where an index is known at run time only, an access touches no more than it moves.
DynamicAPInt DistinctSectors(const plan::KernelPlan& plan, llvm::ArrayRef<AccessReport> accesses) {
  // Loads and outputs by array, constants first.
  using Array = std::tuple<const hlo::Instruction*, bool, int64_t, int64_t>;
  std::map<Array, DynamicAPInt> by_array;
  DynamicAPInt sum(0);
  for (const AccessReport& report : accesses) {
    if (!report.coalescing.has_value()) continue;
    const plan::KernelAccess& access = report.access;
    const bool is_load = access.kind == plan::AccessKind::kLoad;
    const DynamicAPInt touched =
        std::min(report.coalescing->distinct_sectors.upper, report.coalescing->sectors.upper);
    if (access.scratch.has_value()) {
      // What is read has been stored.
      if (!is_load) sum += touched;
      continue;
    }
    Array array = {access.constant, false, access.output, 0};
    if (access.IsOfOperand()) {
      array = {nullptr, true, FirstOperandLike(plan, access.operand), access.leaf};
    }
    DynamicAPInt& known = by_array[array];
    const int64_t bits = access.access.element_bits;
    // Padding of tiles, or a tail, makes an array larger than its elements.
    const bool is_dense = access.constant != nullptr || access.shape->layout() == nullptr ||
                          access.shape->layout()->HasOnlyOrder();
    DynamicAPInt next = known + touched;
    if (is_dense) {
      const DynamicAPInt bytes =
          llvm::ceilDiv(DynamicAPInt(access.shape->num_elements()) * bits, DynamicAPInt(8));
      next = std::min(next, llvm::ceilDiv(bytes, DynamicAPInt(kSectorBytes)));
    }
    sum += next - known;
    known = next;
  }
  return sum;
}

}  // namespace

DynamicAPInt TrafficTotals::moved_bytes() const { return sectors * kSectorBytes; }
DynamicAPInt TrafficTotals::needed_bytes() const { return ideal_sectors * kSectorBytes; }
DynamicAPInt TrafficTotals::wasted_bytes() const { return moved_bytes() - needed_bytes(); }
DynamicAPInt TrafficTotals::dram_bytes() const { return distinct_sectors * kSectorBytes; }

double TrafficTotals::Efficiency() const {
  if (sectors == 0) return 1;
  return support::RatioOf(ideal_sectors, sectors);
}

TrafficTotals& TrafficTotals::operator+=(const TrafficTotals& other) {
  requests += other.requests;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  distinct_sectors += other.distinct_sectors;
  unknown_accesses += other.unknown_accesses;
  is_exact &= other.is_exact;
  is_dram_exact &= other.is_dram_exact;
  return *this;
}

KernelSums SumKernel(const plan::KernelPlan& plan, llvm::ArrayRef<AccessReport> accesses,
                     llvm::ArrayRef<SharedAccessReport> shared, const ptx::DeviceModel& device,
                     std::optional<DynamicAPInt> distinct_sectors) {
  KernelSums sums;
  TrafficTotals& totals = sums.totals;
  for (const AccessReport& access : accesses) {
    totals.is_exact &= access.IsTrafficExact();
    totals.is_dram_exact &= access.IsExact();
    if (!access.coalescing.has_value()) {
      ++totals.unknown_accesses;
      continue;
    }
    totals.requests += access.coalescing->requests.upper;
    totals.sectors += access.coalescing->sectors.upper;
    totals.ideal_sectors += access.coalescing->ideal_sectors.upper;
  }
  totals.distinct_sectors =
      distinct_sectors.has_value() ? *distinct_sectors : DistinctSectors(plan, accesses);

  ptx::OperationCounts counts;
  counts.global_requests = Saturated(totals.requests);
  counts.global_sectors = Saturated(totals.sectors);
  DynamicAPInt shared_requests(0);
  DynamicAPInt shared_wavefronts(0);
  for (const SharedAccessReport& report : shared) {
    shared_requests += report.conflicts.requests.upper;
    shared_wavefronts += report.conflicts.wavefronts.upper;
  }
  counts.shared_requests = Saturated(shared_requests);
  counts.shared_wavefronts = Saturated(shared_wavefronts);
  const double arithmetic = ArithmeticWarpInstructions(plan, device);
  counts.executions = Saturated(totals.requests + shared_requests);
  if (arithmetic < 1e18) counts.executions += static_cast<uint64_t>(arithmetic);
  const uint64_t dram_sectors = Saturated(totals.distinct_sectors);
  const auto blocks = static_cast<uint64_t>(plan.launch.num_blocks());
  sums.time = EstimateTime(device, counts, dram_sectors, blocks);
  return sums;
}

KernelReport ReportKernel(plan::KernelPlan plan, plan::PlanContext& plans, CoalescingTable& table,
                          GivenValues* values) {
  KernelReport report;
  report.accesses = ReportAccesses(plan, plans, table, values);
  report.cures = LayoutCures(report.accesses, plans.mlir_context, table);
  report.shared = ReportSharedAccesses(plan, table.bank_conflicts());
  static_cast<KernelSums&>(report) = SumKernel(plan, report.accesses, report.shared, plans.device);
  if (report.time.us() > 0) report.bandwidth_share = report.time.dram_us / report.time.us();
  report.plan = std::move(plan);
  return report;
}

}  // namespace hlo_indexing::explain
