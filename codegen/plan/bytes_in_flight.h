// How many bytes a kernel has on the way from memory at a time, and how many it takes to keep the
// memory busy.
#ifndef HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_
#define HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_

#include <cstdint>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"

namespace hlo_indexing::plan {

/// Of one multiprocessor.
struct BytesInFlight {
  /// The threads that it has at a time, and what each loads before it waits: one turn of the loop
  /// with the most loads. Registers are not known to a plan, and do not limit the threads.
  int64_t threads = 0;
  int64_t bytes_of_thread = 0;
  /// Bandwidth times latency (Little's law), the latency taken as kLatencyNs.
  int64_t asked = 0;

  int64_t bytes() const { return threads * bytes_of_thread; }
};

/// Of a load that misses L2, under load: about that of GPUs from A100 to B200.
inline constexpr double kLatencyNs = 600;

BytesInFlight BytesInFlightOf(const KernelPlan& plan, PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_
