// How many bytes a kernel has on the way from memory at a time, and how many it takes to keep the
// memory busy.
#ifndef HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_
#define HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_

#include <cstdint>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/ptx/device_model.h"

namespace hlo_indexing::plan {

/// Of one multiprocessor.
struct BytesInFlight {
  /// The threads that it has at a time, and what each loads before it waits: the turns of the loop
  /// with the most loads that are on their way together. Registers are not known to a plan, and do
  /// not limit the threads.
  int64_t threads = 0;
  int64_t bytes_of_thread = 0;
  /// BytesAsked.
  int64_t asked = 0;

  int64_t bytes() const { return threads * bytes_of_thread; }
};

/// Of a load that misses L2, under load: about that of GPUs from A100 to B200.
inline constexpr double kLatencyNs = 600;

/// Those that keep the memory busy, of one multiprocessor: bandwidth times latency (Little's law).
int64_t BytesAsked(const ptx::DeviceModel& device);

/// Loops of fewer turns are written out by LLVM; of more it unrolls none by itself.
inline constexpr int64_t kManyTurns = 16;
/// The most that TurnsAtOnce gives.
inline constexpr int64_t kMostTurnsAtOnce = 8;

/// How many turns of a loop have their loads on their way together, by the number of its turns and
/// the bytes that one loads: loops of many turns are unrolled. More than that would take registers
/// from other threads.
int TurnsAtOnce(int64_t turns, int64_t bytes_of_turn);

BytesInFlight BytesInFlightOf(const KernelPlan& plan, PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_BYTES_IN_FLIGHT_H_
