#include "codegen/ptx/machine/cluster_barrier.h"

#include <cstddef>
#include <vector>

namespace hlo_indexing::ptx {

void ClusterBarrier::Begin(size_t num_warps) {
  warps_.assign(num_warps, {});
  has_arrivals_ = false;
}

LaneMask ClusterBarrier::Arrived(int warp) const {
  const WarpState& state = warps_[static_cast<size_t>(warp)];
  return state.arrived | state.passed;
}

void ClusterBarrier::Arrive(int warp, LaneMask lanes) {
  warps_[static_cast<size_t>(warp)].arrived |= lanes;
  has_arrivals_ |= lanes != 0;
}

bool ClusterBarrier::EndPhase(const std::vector<Warp>& warps) {
  if (!has_arrivals_) return false;
  for (size_t i = 0; i < warps_.size(); ++i) {
    if ((warps[i].live() & ~warps_[i].arrived) != 0) return false;
  }
  for (WarpState& state : warps_) {
    state.passed |= state.arrived;
    state.arrived = 0;
  }
  has_arrivals_ = false;
  return true;
}

LaneMask ClusterBarrier::TakePassed(int warp, LaneMask lanes) {
  WarpState& state = warps_[static_cast<size_t>(warp)];
  const LaneMask passed = state.passed & lanes;
  state.passed &= ~lanes;
  return passed;
}

}  // namespace hlo_indexing::ptx
