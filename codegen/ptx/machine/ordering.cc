#include "codegen/ptx/machine/ordering.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/global_races.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/race_detector.h"
#include "codegen/ptx/machine/warp.h"

namespace hlo_indexing::ptx {
namespace {

RaceDetector* RacesOf(const Execution& execution) {
  return execution.block == nullptr ? nullptr : execution.block->memory.races();
}

// Barriers have numbers, mbarriers addresses of shared memory, which are smaller.
uint64_t ObjectOf(int barrier) { return kWindowSize + static_cast<uint64_t>(barrier); }

// The number of the cluster's barrier, behind those of the block.
constexpr int kClusterBarrier = 16;

// Threads that have exited have come to a barrier of all threads, but not to one of some; and what
// those who did not wait have done since they arrived is not over.
bool IsOfWholeBlock(const Block& block, const Barrier& barrier,
                    std::span<const WarpLanes> waiting) {
  if (barrier.has_gone_on) return false;
  if (barrier.expected != 0 && barrier.expected < block.num_threads) return false;
  std::vector<LaneMask> missing;
  missing.reserve(block.warps.size());
  for (const Warp& warp : block.warps) missing.push_back(warp.live());
  for (const WarpLanes& group : waiting) {
    if (static_cast<size_t>(group.warp) < missing.size()) {
      missing[static_cast<size_t>(group.warp)] &= ~group.lanes;
    }
  }
  for (const LaneMask lanes : missing) {
    if (lanes != 0) return false;
  }
  return true;
}

}  // namespace

void OrderWarp(const Execution& execution, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr && lanes != 0) races->OrderWarp(execution.warp->number(), lanes);
}

void OrderExchange(const Execution& execution, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->Exchange(execution.warp->number(), lanes);
}

void OrderBarrierArrive(const Execution& execution, int barrier) {
  OrderArrive(execution, ObjectOf(barrier), execution.lanes);
}

void OrderBarrier(Block& block, int number, std::span<const WarpLanes> waiting) {
  RaceDetector* const races = block.memory.races();
  if (races == nullptr) return;
  const Barrier& barrier = block.barriers[static_cast<size_t>(number)];
  if (IsOfWholeBlock(block, barrier, waiting)) {
    races->OrderBlock();
    return;
  }
  races->OrderBarrier(waiting);
  for (const WarpLanes& group : waiting) {
    races->Wait(ObjectOf(number), group.warp, group.lanes);
  }
}

void OrderClusterArrive(const Execution& execution) {
  OrderArrive(execution, ObjectOf(kClusterBarrier), execution.lanes);
}

void OrderClusterWait(Block& block, const WarpLanes& waiting) {
  RaceDetector* const races = block.memory.races();
  if (races == nullptr || waiting.lanes == 0) return;
  races->Wait(ObjectOf(kClusterBarrier), waiting.warp, waiting.lanes);
}

void OrderFence(const Execution& execution, bool is_beyond_block) {
  if (RaceDetector* const races = RacesOf(execution)) {
    races->Fence(execution.warp->number(), execution.lanes);
  }
  if (is_beyond_block && execution.launch->global_races != nullptr) {
    execution.launch->global_races->Fence(execution.block->linear_index);
  }
}

void OrderArrive(const Execution& execution, uint64_t mbarrier, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr && lanes != 0) races->Arrive(mbarrier, execution.warp->number(), lanes);
}

void OrderWait(const Execution& execution, uint64_t mbarrier, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->Wait(mbarrier, execution.warp->number(), lanes);
}

void OrderCommitCopies(const Execution& execution, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->CommitCopies(execution.warp->number(), lanes);
}

void OrderWaitCopies(const Execution& execution, LaneMask lanes, uint32_t pending) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->WaitCopies(execution.warp->number(), lanes, pending);
}

void OrderWaitAllCopies(const Execution& execution, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->WaitAllCopies(execution.warp->number(), lanes);
}

void OrderCopiesArrive(const Execution& execution, uint64_t mbarrier, LaneMask lanes) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr && lanes != 0) {
    races->CopiesArrive(mbarrier, execution.warp->number(), lanes);
  }
}

void OrderCopiesEnd(const Execution& execution, uint64_t mbarrier) {
  RaceDetector* const races = RacesOf(execution);
  if (races != nullptr) races->CopiesEnd(mbarrier);
}

}  // namespace hlo_indexing::ptx
