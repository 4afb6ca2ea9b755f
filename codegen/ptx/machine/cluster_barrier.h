// The barrier of a cluster (barrier.cluster.arrive and .wait), where a block is a cluster of its
// own: who has arrived, and who has not waited for a phase that has ended.
//
// Example: of a block of two warps one has arrived and waits; when the other one arrives, too, the
// phase ends: EndPhase says so, and TakePassed lets each lane go on once.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_CLUSTER_BARRIER_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_CLUSTER_BARRIER_H_

#include <cstddef>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp.h"

namespace hlo_indexing::ptx {

class ClusterBarrier {
 public:
  /// A new block of so many warps. Nobody has arrived.
  void Begin(size_t num_warps);

  /// Lanes of the warp that have arrived and not gone on since.
  LaneMask Arrived(int warp) const;
  /// Lanes arrive that had not.
  void Arrive(int warp, LaneMask lanes);
  /// Ends the phase if all threads that live have arrived; whether it did.
  bool EndPhase(const std::vector<Warp>& warps);
  /// Which of the lanes may go on, as the phase in which they arrived has ended. They may arrive
  /// again.
  LaneMask TakePassed(int warp, LaneMask lanes);

 private:
  struct WarpState {
    /// In the current phase.
    LaneMask arrived = 0;
    /// In one that has ended.
    LaneMask passed = 0;
  };
  std::vector<WarpState> warps_;
  bool has_arrivals_ = false;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_CLUSTER_BARRIER_H_
