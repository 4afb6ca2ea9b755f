#include "codegen/plan/bytes_in_flight.h"

#include <algorithm>
#include <array>
#include <map>

#include "codegen/plan/accesses.h"
#include "codegen/ptx/device_model.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

int64_t BytesAsked(const ptx::DeviceModel& device) {
  return static_cast<int64_t>(device.dram_gb_per_second * kLatencyNs /
                              static_cast<double>(device.multiprocessors));
}

int TurnsAtOnce(int64_t turns, int64_t bytes_of_turn) {
  constexpr int64_t kFewBytes = 4;
  if (turns < kManyTurns) return 1;
  // A number of turns that is a multiple needs no way out in between.
  const std::array<int, 5> counts =
      bytes_of_turn <= kFewBytes ? std::array{8, 7, 6, 5, 4} : std::array{4, 5, 6, 3, 7};
  const auto* const divisor =
      std::find_if(counts.begin(), counts.end(), [&](int count) { return turns % count == 0; });
  return divisor == counts.end() ? counts.front() : *divisor;
}

namespace {

// Turns of the innermost loop of a pass.
int64_t NumTurns(const ElementPass& pass) {
  const size_t lanes = pass.vector_elements > 1 ? 1 : 0;
  if (pass.map.IsUnknown() || pass.map.num_ranges() <= lanes) return 1;
  const indexing_analysis::Interval turns =
      pass.map.ranges()[pass.map.num_ranges() - lanes - 1].bounds;
  return turns.upper - turns.lower + 1;
}

}  // namespace

BytesInFlight BytesInFlightOf(const KernelPlan& plan, PlanContext& plans) {
  const ptx::DeviceModel& device = plans.device;
  BytesInFlight flight;
  // Loads of passes that one loop computes count for its first pass.
  std::map<size_t, int64_t> bits_of_loop;
  for (const KernelAccess& access : AccessesOf(plan, plans)) {
    // Constants are small, and in caches.
    if (access.kind != AccessKind::kLoad || access.constant != nullptr) continue;
    int64_t& bits = bits_of_loop[access.loop];
    bits += access.access.vector_elements * access.access.element_bits;
  }
  for (const auto& [loop, bits] : bits_of_loop) {
    const int64_t bytes = support::CeilDiv(bits, 8);
    // Partial results in scratch memory come after the passes.
    const int64_t turns = loop < plan.passes.size() ? NumTurns(plan.passes[loop]) : 1;
    const bool is_written_out = plan.keeps_rows || turns < kManyTurns;
    const int64_t together = is_written_out ? turns : TurnsAtOnce(turns, bytes);
    flight.bytes_of_thread = std::max(flight.bytes_of_thread, together * bytes);
  }
  const int64_t threads_of_block = plan.launch.threads_per_block();
  const ptx::Occupancy occupancy =
      ptx::ComputeOccupancy(device, static_cast<uint64_t>(threads_of_block), 0,
                            static_cast<uint64_t>(plan.shared_memory_bytes()));
  const int64_t given = support::CeilDiv(plan.launch.num_blocks(), int64_t{device.multiprocessors});
  flight.threads = std::min<int64_t>(occupancy.blocks, given) * threads_of_block;
  flight.asked = BytesAsked(device);
  return flight;
}

}  // namespace hlo_indexing::plan
