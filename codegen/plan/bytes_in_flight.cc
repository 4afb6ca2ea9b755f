#include "codegen/plan/bytes_in_flight.h"

#include <algorithm>
#include <map>

#include "codegen/plan/accesses.h"
#include "codegen/ptx/device_model.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

BytesInFlight BytesInFlightOf(const KernelPlan& plan, PlanContext& plans) {
  const ptx::DeviceModel& device = plans.device;
  BytesInFlight flight;
  // Loads of passes that one loop computes count for its first pass.
  std::map<size_t, int64_t> bits_of_loop;
  for (const KernelAccess& access : AccessesOf(plan, plans)) {
    if (access.kind != AccessKind::kLoad) continue;
    int64_t& bits = bits_of_loop[access.loop];
    bits += access.access.vector_elements * access.access.element_bits;
    flight.bytes_of_thread = std::max(flight.bytes_of_thread, support::CeilDiv(bits, 8));
  }
  const int64_t threads_of_block = plan.launch.threads_per_block();
  const ptx::Occupancy occupancy =
      ptx::ComputeOccupancy(device, static_cast<uint64_t>(threads_of_block), 0,
                            static_cast<uint64_t>(plan.shared_memory_bytes()));
  const int64_t given = support::CeilDiv(plan.launch.num_blocks(), int64_t{device.multiprocessors});
  flight.threads = std::min<int64_t>(occupancy.blocks, given) * threads_of_block;
  flight.asked = static_cast<int64_t>(device.dram_gb_per_second * kLatencyNs /
                                      static_cast<double>(device.multiprocessors));
  return flight;
}

}  // namespace hlo_indexing::plan
