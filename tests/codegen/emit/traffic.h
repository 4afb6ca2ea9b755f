// What a kernel moves: as its plan says, and as the virtual GPU counts it.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_TRAFFIC_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_TRAFFIC_H_

#include <cstdint>
#include <string>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/machine/profile.h"

namespace hlo_indexing::emit {

/// Requests and sectors of global memory, wavefronts of shared memory.
struct Traffic {
  std::string error;
  int64_t requests = 0;
  int64_t sectors = 0;
  int64_t wavefronts = 0;
  int64_t planned_requests = 0;
  int64_t planned_sectors = 0;
  int64_t planned_wavefronts = 0;
  /// The fewest that the accesses to shared memory could take.
  int64_t ideal_wavefronts = 0;
  /// Whether values that are known at run time only, or what has no closed form, decide nothing.
  bool is_exact = true;

  bool IsAsPlanned() const {
    return requests == planned_requests && sectors == planned_sectors &&
           wavefronts == planned_wavefronts;
  }
  bool IsAtMostAsPlanned() const {
    return requests <= planned_requests && sectors <= planned_sectors &&
           wavefronts <= planned_wavefronts;
  }
};

/// What the accesses of a plan are to move.
Traffic PlannedTraffic(const plan::KernelPlan& plan, plan::PlanContext& plans);
/// Sets what a run has moved.
void SetMeasured(const ptx::Profile& profile, Traffic& traffic);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_TRAFFIC_H_
