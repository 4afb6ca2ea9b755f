// Copies that a block has begun and not waited for: cp.async in its groups, cp.async.bulk in groups
// of its own or on an mbarrier.
//
// The bytes are moved when they are waited for, not before: a kernel that reads the destination too
// early gets what was there before. (That it does is found by racecheck.)
//
// Example: a warp issues one cp.async, commits it, and waits:
//   copies.Issue(warp, {.lanes = lanes, .bytes = 16, ...});
//   copies.Commit(CopyKind::kWarp, warp, lanes);
//   copies.Wait(CopyKind::kWarp, warp, lanes, /*pending=*/0);  // now the bytes are there
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_ASYNC_COPIES_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_ASYNC_COPIES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/ptx/machine/lanes.h"

namespace hlo_indexing::ptx {

/// What groups are apart: those of cp.async and of cp.async.bulk.
enum class CopyKind : uint8_t { kWarp, kBulk };

/// Combines bytes with those at the destination. Of cp.reduce.async.bulk.
using ReduceBytes = void (*)(std::byte* to, const std::byte* from, uint64_t bytes);

/// Copies of the lanes of one instruction, all of the same size at the destination.
struct AsyncCopy {
  LaneMask lanes = 0;
  /// Bytes written, and of each lane those read; the others are zeros.
  uint64_t bytes = 0;
  Lanes<uint64_t> bytes_read = {};
  Lanes<const std::byte*> from = {};
  Lanes<std::byte*> to = {};
  ReduceBytes reduce = nullptr;
  /// Number of the group of each lane's copy. Issue sets it.
  Lanes<uint32_t> group = {};
  /// Counted over the copies and arrivals of the block. Issue sets it.
  uint64_t sequence = 0;
};

/// What the mbarrier at an address gets when copies on it are done.
struct AsyncCompletion {
  uint64_t bytes = 0;
  uint32_t arrivals = 0;
};

class AsyncCopies {
 public:
  /// A new block of so many warps. Nothing is under way.
  void Begin(size_t num_warps);

  /// Begins copies in the current groups of the lanes.
  void Issue(CopyKind kind, int warp, const AsyncCopy& copy);
  /// Begins copies whose bytes an mbarrier in shared memory counts (complete_tx).
  void IssueOn(uint64_t barrier, const AsyncCopy& copy);
  /// What the lanes have issued and not committed becomes a group.
  void Commit(CopyKind kind, int warp, LaneMask lanes);
  /// Ends all groups of the lanes but the last `pending`.
  void Wait(CopyKind kind, int warp, LaneMask lanes, uint32_t pending);
  /// cp.async.mbarrier.arrive: the mbarrier gets an arrival of each lane when the cp.async that it
  /// has issued are done.
  void ArriveOn(uint64_t barrier, int warp, LaneMask lanes);
  /// Ends everything that the mbarrier waits for.
  AsyncCompletion Complete(uint64_t barrier);

  /// Whether bulk copies to global memory are under way that nobody has waited for; moves them.
  /// For the end of a block.
  bool FinishBulk();

  /// How often a warp has waited in vain in a row. Of try_wait, which lets others go first.
  uint32_t& retries(int warp) { return warps_[static_cast<size_t>(warp)].retries; }

 private:
  struct Queue {
    std::vector<AsyncCopy> copies;
    /// Groups that each lane has committed.
    Lanes<uint32_t> committed = {};
  };
  struct WarpCopies {
    std::array<Queue, 2> queues;
    uint32_t retries = 0;
  };
  struct CopyOnBarrier {
    uint64_t barrier = 0;
    AsyncCopy copy;
  };
  struct Arrival {
    uint64_t barrier = 0;
    int warp = 0;
    LaneMask lanes = 0;
    uint64_t sequence = 0;
  };

  Queue& QueueOf(CopyKind kind, int warp) {
    return warps_[static_cast<size_t>(warp)].queues[static_cast<size_t>(kind)];
  }
  /// Moves the bytes of the lanes of copies that `is_done(copy, lane)` says are done.
  template <typename IsDone>
  static void End(std::vector<AsyncCopy>& copies, LaneMask lanes, IsDone is_done);

  std::vector<WarpCopies> warps_;
  std::vector<CopyOnBarrier> on_barriers_;
  std::vector<Arrival> arrivals_;
  uint64_t sequence_ = 0;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_ASYNC_COPIES_H_
