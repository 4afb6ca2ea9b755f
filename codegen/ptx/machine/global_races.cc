#include "codegen/ptx/machine/global_races.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kMaxBlocks = uint64_t{1} << 31;
constexpr uint32_t kMaxClock = (uint32_t{1} << 30) - 1;
// Nodes of the graph of releases. A launch that has more of them is not looked at any further.
constexpr size_t kMaxNodes = size_t{1} << 24;

// The largest granule that the access's bytes are a union of.
uint32_t GranuleOf(const WarpAccess& access, LaneMask lanes) {
  uint64_t bits = access.bytes;
  ForEachLane(lanes, [&](int lane) { bits |= access.addresses[static_cast<size_t>(lane)]; });
  if (bits % 4 == 0) return 4;
  return bits % 2 == 0 ? 2 : 1;
}

}  // namespace

void GlobalRaceDetector::Refine(Shadow& shadow, uint32_t granule) {
  const uint32_t parts = shadow.granule / granule;
  std::vector<Cell> cells;
  cells.reserve(shadow.cells.size() * parts);
  for (const Cell& cell : shadow.cells) cells.insert(cells.end(), parts, cell);
  shadow.cells = std::move(cells);
  shadow.granule = granule;
}

bool GlobalRaceDetector::IsOrdered(uint32_t block, uint32_t clock, uint32_t reader) {
  if (block == 0 || block == reader) return true;
  const auto state = blocks_.find(reader);
  if (state == blocks_.end() || state->second.known == 0) return false;
  if (seen_by_ != reader) {
    seen_by_ = reader;
    seen_clocks_.clear();
    seen_nodes_.clear();
  }
  // Goes through the part of the graph that is new since the last question.
  std::vector<uint32_t> pending = {state->second.known};
  while (!pending.empty()) {
    const uint32_t index = pending.back();
    pending.pop_back();
    if (index == 0 || !seen_nodes_.insert(index).second) continue;
    const Node& node = nodes_[index];
    if (node.block != 0) {
      uint32_t& latest = seen_clocks_[node.block];
      latest = std::max(latest, node.clock);
    }
    pending.push_back(node.left);
    pending.push_back(node.right);
  }
  const auto found = seen_clocks_.find(block);
  return found != seen_clocks_.end() && clock <= found->second;
}

void GlobalRaceDetector::Fence(uint64_t block) {
  if (block >= kMaxBlocks) return;
  BlockState& state = blocks_[static_cast<uint32_t>(block) + 1];
  state.fenced_clock = state.clock;
  state.fenced_known = state.known;
  state.clock = std::min(state.clock + 1, kMaxClock);
}

void GlobalRaceDetector::Synchronize(uint32_t block, const WarpAccess& access, uint64_t address) {
  BlockState& state = blocks_[block];
  const auto found = released_.find(address);
  const uint32_t before = found == released_.end() ? 0 : found->second;
  if (access.kind != AccessKind::kStore && before != 0 && before != state.acquired) {
    state.acquired = before;
    if (state.known == 0) {
      state.known = before;
    } else {
      nodes_.push_back({.left = state.known, .right = before});
      state.known = static_cast<uint32_t>(nodes_.size() - 1);
    }
  }
  if (access.kind == AccessKind::kLoad) return;
  if (access.is_release) Fence(block - 1);
  if (state.fenced_clock == 0) return;
  const Node& last = nodes_[before];
  if (before != 0 && last.block == block && last.clock == state.fenced_clock) return;
  nodes_.push_back(
      {.block = block, .clock = state.fenced_clock, .left = state.fenced_known, .right = before});
  released_[address] = static_cast<uint32_t>(nodes_.size() - 1);
}

std::optional<GlobalRace> GlobalRaceDetector::Access(uint64_t block, const Allocation& allocation,
                                                     const WarpAccess& access, LaneMask lanes,
                                                     const HostPointers& pointers) {
  if (block >= kMaxBlocks || nodes_.size() + size_t{2} * kWarpSize > kMaxNodes) return std::nullopt;
  const uint32_t self = static_cast<uint32_t>(block) + 1;
  if (allocation.number >= shadows_.size()) shadows_.resize(size_t{allocation.number} + 1);
  Shadow& shadow = shadows_[allocation.number];
  const uint64_t origin = allocation.address & ~uint64_t{3};
  if (shadow.cells.empty()) shadow.cells.resize((allocation.end() - origin + 3) / 4);
  const uint32_t granule = GranuleOf(access, lanes);
  if (granule < shadow.granule) Refine(shadow, granule);

  const bool is_atomic = access.kind == AccessKind::kAtomic;
  const bool is_write = access.kind == AccessKind::kStore || is_atomic;
  const bool is_strong = access.is_strong || is_atomic;
  const uint32_t clock = blocks_[self].clock;
  std::optional<GlobalRace> race;
  ForEachLane(lanes, [&](int lane) {
    const uint64_t first = access.addresses[static_cast<size_t>(lane)];
    for (uint64_t byte = 0; byte < access.bytes; byte += shadow.granule) {
      const uint64_t address = first + byte;
      Cell& cell = shadow.cells[(address - origin) / shadow.granule];
      const bool is_other_plain = cell.writer_is_strong == 0;
      const auto report = [&](uint32_t other, bool other_is_write) {
        if (race.has_value()) return;
        race = GlobalRace{.lane = lane,
                          .address = address,
                          .is_write = is_write,
                          .other_block = other - 1,
                          .other_is_write = other_is_write};
      };
      const bool is_same_value =
          access.stored != nullptr &&
          std::memcmp(access.stored + static_cast<uint64_t>(lane) * access.bytes + byte,
                      pointers[static_cast<size_t>(lane)] + byte, shadow.granule) == 0;
      const bool writes_conflict =
          is_write ? !is_same_value && (!is_strong || is_other_plain)
                   : (is_other_plain || (!is_strong && cell.writer_is_atomic == 0));
      if (writes_conflict && !IsOrdered(cell.writer, cell.writer_clock, self)) {
        report(cell.writer, true);
      }
      if (!is_write) {
        if (is_strong) continue;
        if (cell.reader == 0 || cell.reader == self) {
          cell.reader = self;
          cell.reader_clock = clock;
        } else {
          // The newest of the others is what a later writer is least likely to be ordered after.
          cell.other_reader = self;
          cell.other_reader_clock = clock;
        }
        continue;
      }
      if (!is_atomic && !is_same_value) {
        if (!IsOrdered(cell.reader, cell.reader_clock, self)) {
          report(cell.reader, false);
        } else if (!IsOrdered(cell.other_reader, cell.other_reader_clock, self)) {
          report(cell.other_reader, false);
        }
      }
      cell = Cell{.writer = self,
                  .writer_clock = clock & kMaxClock,
                  .writer_is_strong = is_strong,
                  .writer_is_atomic = is_atomic};
    }
  });
  if (is_strong) {
    ForEachLane(lanes, [&](int lane) {
      Synchronize(self, access, access.addresses[static_cast<size_t>(lane)]);
    });
  }
  return race;
}

}  // namespace hlo_indexing::ptx
