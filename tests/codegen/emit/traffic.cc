#include "tests/codegen/emit/traffic.h"

#include "codegen/plan/accesses.h"
#include "indexing_analysis/queries/bank_conflicts.h"
#include "indexing_analysis/queries/coalescing.h"

namespace hlo_indexing::emit {

Traffic PlannedTraffic(const plan::KernelPlan& plan, plan::PlanContext& plans) {
  Traffic traffic;
  for (const plan::KernelAccess& access : plan::AccessesOf(plan, plans)) {
    const auto coalescing = indexing_analysis::CoalescingOf(access.access, {});
    traffic.is_exact &=
        coalescing.has_value() && coalescing->IsTrafficExact() && access.reason.empty();
    if (coalescing.has_value()) {
      traffic.planned_requests += static_cast<int64_t>(coalescing->requests.upper);
      traffic.planned_sectors += static_cast<int64_t>(coalescing->sectors.upper);
    }
  }
  for (const plan::SharedTile& tile : plan.shared_tiles) {
    for (const plan::SharedAccess& access : tile.accesses) {
      indexing_analysis::MemoryAccess shared;
      shared.position = tile.PositionOf(access);
      shared.threads = plan.launch.threads;
      shared.element_bits = tile.element_bits;
      shared.vector_elements = access.vector_elements;
      const auto conflicts = indexing_analysis::BankConflictsOf(shared, tile.swizzle);
      traffic.is_exact &= conflicts.has_value() && conflicts->wavefronts.IsExact();
      if (conflicts.has_value()) {
        traffic.planned_wavefronts += static_cast<int64_t>(conflicts->wavefronts.upper);
        traffic.ideal_wavefronts += static_cast<int64_t>(conflicts->ideal_wavefronts.upper);
      }
    }
  }
  return traffic;
}

void SetMeasured(const ptx::Profile& profile, Traffic& traffic) {
  for (const ptx::OperationCounts& counts : profile.operations()) {
    traffic.requests += static_cast<int64_t>(counts.global_requests);
    traffic.sectors += static_cast<int64_t>(counts.global_sectors);
    traffic.wavefronts += static_cast<int64_t>(counts.shared_wavefronts);
  }
}

}  // namespace hlo_indexing::emit
