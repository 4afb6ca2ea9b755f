#include "codegen/ptx/machine/async_copies.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codegen/ptx/machine/lanes.h"

namespace hlo_indexing::ptx {
namespace {

void Move(const AsyncCopy& copy, size_t lane) {
  if (copy.to[lane] == nullptr) return;
  const uint64_t read = copy.bytes_read[lane];
  if (copy.reduce != nullptr) {
    copy.reduce(copy.to[lane], copy.from[lane], copy.bytes);
    return;
  }
  if (read != 0) std::memmove(copy.to[lane], copy.from[lane], read);
  if (read < copy.bytes) std::memset(copy.to[lane] + read, 0, copy.bytes - read);
}

void MoveAll(const AsyncCopy& copy) {
  ForEachLane(copy.lanes, [&](int lane) { Move(copy, static_cast<size_t>(lane)); });
}

}  // namespace

void AsyncCopies::Begin(size_t num_warps) {
  warps_.resize(num_warps);
  for (WarpCopies& warp : warps_) {
    for (Queue& queue : warp.queues) {
      queue.copies.clear();
      queue.committed.fill(0);
    }
    warp.retries = 0;
  }
  on_barriers_.clear();
  arrivals_.clear();
  sequence_ = 0;
}

void AsyncCopies::Issue(CopyKind kind, int warp, const AsyncCopy& copy) {
  Queue& queue = QueueOf(kind, warp);
  queue.copies.push_back(copy);
  queue.copies.back().group = queue.committed;
  queue.copies.back().sequence = sequence_++;
}

void AsyncCopies::IssueOn(uint64_t barrier, const AsyncCopy& copy) {
  on_barriers_.push_back({barrier, copy});
}

void AsyncCopies::Commit(CopyKind kind, int warp, LaneMask lanes) {
  Queue& queue = QueueOf(kind, warp);
  ForEachLane(lanes, [&](int lane) { ++queue.committed[static_cast<size_t>(lane)]; });
}

template <typename IsDone>
void AsyncCopies::End(std::vector<AsyncCopy>& copies, LaneMask lanes, IsDone is_done) {
  size_t kept = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    AsyncCopy& copy = copies[i];
    ForEachLane(copy.lanes & lanes, [&](int lane) {
      const auto l = static_cast<size_t>(lane);
      if (!is_done(copy, l)) return;
      Move(copy, l);
      copy.lanes &= ~(LaneMask{1} << lane);
    });
    if (copy.lanes == 0) continue;
    if (kept != i) copies[kept] = copy;
    ++kept;
  }
  copies.resize(kept);
}

void AsyncCopies::Wait(CopyKind kind, int warp, LaneMask lanes, uint32_t pending) {
  Queue& queue = QueueOf(kind, warp);
  End(queue.copies, lanes, [&](const AsyncCopy& copy, size_t lane) {
    // Groups from committed - pending on stay under way; copies in no group yet do too.
    return uint64_t{copy.group[lane]} + pending < queue.committed[lane];
  });
}

void AsyncCopies::ArriveOn(uint64_t barrier, int warp, LaneMask lanes) {
  arrivals_.push_back({barrier, warp, lanes, sequence_++});
}

AsyncCompletion AsyncCopies::Complete(uint64_t barrier) {
  AsyncCompletion completion;
  std::erase_if(on_barriers_, [&](const CopyOnBarrier& pending) {
    if (pending.barrier != barrier) return false;
    MoveAll(pending.copy);
    ForEachLane(pending.copy.lanes, [&](int) { completion.bytes += pending.copy.bytes; });
    return true;
  });
  std::erase_if(arrivals_, [&](const Arrival& arrival) {
    if (arrival.barrier != barrier) return false;
    End(QueueOf(CopyKind::kWarp, arrival.warp).copies, arrival.lanes,
        [&](const AsyncCopy& copy, size_t) { return copy.sequence < arrival.sequence; });
    ForEachLane(arrival.lanes, [&](int) { ++completion.arrivals; });
    return true;
  });
  return completion;
}

bool AsyncCopies::FinishBulk() {
  bool has_any = false;
  for (WarpCopies& warp : warps_) {
    std::vector<AsyncCopy>& copies = warp.queues[static_cast<size_t>(CopyKind::kBulk)].copies;
    for (const AsyncCopy& copy : copies) MoveAll(copy);
    has_any = has_any || !copies.empty();
    copies.clear();
  }
  return has_any;
}

}  // namespace hlo_indexing::ptx
