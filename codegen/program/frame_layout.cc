#include "codegen/program/frame_layout.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "support/checked_math.h"

namespace hlo_indexing::program {
namespace {

// Pieces of memory that are not taken, none beside another.
class FreeMemory {
 public:
  int64_t Take(int64_t bytes) {
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second)) best = gap;
    }
    if (best == gaps_.end()) return TakeAtEnd(bytes);
    const auto [offset, size] = *best;
    gaps_.erase(best);
    if (size > bytes) gaps_[offset + bytes] = size - bytes;
    return offset;
  }

  void Return(int64_t offset, int64_t bytes) {
    const auto after = gaps_.find(offset + bytes);
    if (after != gaps_.end()) {
      bytes += after->second;
      gaps_.erase(after);
    }
    const auto next = gaps_.lower_bound(offset);
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    gaps_[offset] = bytes;
  }

  int64_t end() const { return end_; }

 private:
  // A gap at the end grows.
  int64_t TakeAtEnd(int64_t bytes) {
    int64_t offset = end_;
    if (!gaps_.empty()) {
      const auto last = std::prev(gaps_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        gaps_.erase(last);
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  // Sizes by offset.
  std::map<int64_t, int64_t> gaps_;
  int64_t end_ = 0;
};

}  // namespace

FrameSize LayOutFrame(llvm::MutableArrayRef<FrameBuffer> buffers) {
  std::vector<FrameBuffer*> by_first_step;
  for (FrameBuffer& buffer : buffers) by_first_step.push_back(&buffer);
  std::stable_sort(
      by_first_step.begin(), by_first_step.end(),
      [](const FrameBuffer* a, const FrameBuffer* b) { return a->first_step < b->first_step; });
  const auto size_of = [](const FrameBuffer& buffer) {
    return support::CeilDiv(buffer.bytes, kFrameAlignment) * kFrameAlignment;
  };
  FreeMemory memory;
  FrameSize size;
  int64_t live = 0;
  // By the last step.
  std::multimap<size_t, const FrameBuffer*> taken;
  for (FrameBuffer* buffer : by_first_step) {
    while (!taken.empty() && taken.begin()->first < buffer->first_step) {
      const FrameBuffer& ended = *taken.begin()->second;
      memory.Return(ended.offset, size_of(ended));
      live -= size_of(ended);
      taken.erase(taken.begin());
    }
    buffer->offset = memory.Take(size_of(*buffer));
    live += size_of(*buffer);
    size.live_bytes = std::max(size.live_bytes, live);
    taken.emplace(buffer->last_step, buffer);
  }
  size.bytes = memory.end();
  return size;
}

}  // namespace hlo_indexing::program
