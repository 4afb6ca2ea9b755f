#include "codegen/ptx/machine/global_races.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/global_race_cells.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kMaxBlocks = uint64_t{1} << 31;
// Nodes of the graph of releases. A launch that has more of them is not looked at any further.
constexpr size_t kMaxNodes = size_t{1} << 24;

// The largest granule that the access's bytes are a union of.
uint32_t GranuleOf(const WarpAccess& access, LaneMask lanes) {
  uint64_t bits = access.bytes;
  ForEachLane(lanes, [&](int lane) { bits |= access.addresses[static_cast<size_t>(lane)]; });
  if (bits % 4 == 0) return 4;
  return bits % 2 == 0 ? 2 : 1;
}

// Whether the lanes are all, and access side by side in their order.
bool IsContiguous(const WarpAccess& access, LaneMask lanes) {
  if (lanes != kAllLanes) return false;
  uint64_t difference = 0;
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
    difference |= access.addresses[lane] ^ (access.addresses[0] + lane * access.bytes);
  }
  return difference == 0;
}

// The lanes without those that access what the first one does.
LaneMask DistinctLanes(const WarpAccess& access, LaneMask lanes) {
  const uint64_t common = access.addresses[static_cast<size_t>(std::countr_zero(lanes))];
  uint64_t difference = 0;
  ForEachLane(
      lanes, [&](int lane) { difference |= access.addresses[static_cast<size_t>(lane)] ^ common; });
  return difference == 0 ? lanes & ~(lanes - 1) : lanes;
}

}  // namespace

GlobalRaceDetector::BlockState& GlobalRaceDetector::StateOf(uint32_t block) {
  if (block != last_block_ || last_state_ == nullptr) {
    last_block_ = block;
    last_state_ = &blocks_[block];
  }
  return *last_state_;
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
  BlockState& state = StateOf(static_cast<uint32_t>(block) + 1);
  state.fenced_clock = state.clock;
  state.fenced_known = state.known;
  state.clock = std::min(state.clock + 1, RaceCells::kMaxClock);
}

void GlobalRaceDetector::Synchronize(uint32_t block, const WarpAccess& access, uint64_t address) {
  BlockState& state = StateOf(block);
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

RaceCells* GlobalRaceDetector::CellsFor(const Allocation& allocation, const WarpAccess& access,
                                        LaneMask lanes) {
  if (allocation.number >= cells_.size()) cells_.resize(size_t{allocation.number} + 1);
  RaceCells& cells = cells_[allocation.number];
  const uint64_t origin = allocation.address & ~uint64_t{3};
  if (cells.empty() && !cells.Begin(allocation.end() - origin)) return nullptr;
  const uint32_t granule = GranuleOf(access, lanes);
  if (granule < cells.granule() && !cells.Refine(granule)) return nullptr;
  return &cells;
}

void GlobalRaceDetector::AccessCell(const Row& row, const WarpAccess& access, int lane,
                                    uint64_t byte, RaceCells& cells, uint64_t index,
                                    const HostPointers& pointers, std::optional<GlobalRace>& race) {
  RaceCell cell = cells.Get(index);
  const bool is_other_plain = !cell.writer_is_strong;
  const auto report = [&](uint32_t other, bool other_is_write) {
    if (race.has_value()) return;
    race = GlobalRace{.lane = lane,
                      .address = access.addresses[static_cast<size_t>(lane)] + byte,
                      .is_write = row.is_write,
                      .other_block = other - 1,
                      .other_is_write = other_is_write};
  };
  const bool is_same_value =
      access.stored != nullptr &&
      std::memcmp(access.stored + static_cast<uint64_t>(lane) * access.bytes + byte,
                  pointers[static_cast<size_t>(lane)] + byte, cells.granule()) == 0;
  const bool writes_conflict = row.is_write
                                   ? !is_same_value && (!row.is_strong || is_other_plain)
                                   : (is_other_plain || (!row.is_strong && !cell.writer_is_atomic));
  if (writes_conflict && !IsOrdered(cell.writer, cell.writer_clock, row.block)) {
    report(cell.writer, true);
  }
  if (!row.is_write) {
    if (row.is_strong) return;
    if (cell.reader == 0 || cell.reader == row.block) {
      cell.reader = row.block;
      cell.reader_clock = row.clock;
    } else {
      // The newest of the others is what a later writer is least likely to be ordered after.
      cell.other_reader = row.block;
      cell.other_reader_clock = row.clock;
    }
    cells.Set(index, cell);
    return;
  }
  if (!row.is_atomic && !is_same_value) {
    if (!IsOrdered(cell.reader, cell.reader_clock, row.block)) {
      report(cell.reader, false);
    } else if (!IsOrdered(cell.other_reader, cell.other_reader_clock, row.block)) {
      report(cell.other_reader, false);
    }
  }
  cells.Set(index, {.writer = row.block,
                    .writer_clock = row.clock,
                    .writer_is_strong = row.is_strong,
                    .writer_is_atomic = row.is_atomic});
}

std::optional<GlobalRace> GlobalRaceDetector::Access(uint64_t block, const Allocation& allocation,
                                                     const WarpAccess& access, LaneMask lanes,
                                                     const HostPointers& pointers) {
  if (block >= kMaxBlocks) {
    unchecked_ = absl::StrCat("there are more than ", kMaxBlocks, " blocks");
    return std::nullopt;
  }
  if (nodes_.size() + size_t{2} * kWarpSize > kMaxNodes) {
    unchecked_ = absl::StrCat("the blocks release values more than ", kMaxNodes, " times");
    return std::nullopt;
  }
  RaceCells* const cells = CellsFor(allocation, access, lanes);
  if (cells == nullptr) {
    unchecked_ = absl::StrCat("the host has no memory to keep who accesses the ", allocation.bytes,
                              " bytes of ", allocation.name);
    return std::nullopt;
  }
  const uint32_t self = static_cast<uint32_t>(block) + 1;
  const bool is_atomic = access.kind == AccessKind::kAtomic;
  const Row row = {.block = self,
                   .clock = StateOf(self).clock,
                   .is_atomic = is_atomic,
                   .is_write = access.kind == AccessKind::kStore || is_atomic,
                   .is_strong = access.is_strong || is_atomic};
  const uint64_t origin = allocation.address & ~uint64_t{3};
  const uint64_t granule = cells->granule();
  // What no other block has touched is looked at as a row of cells.
  const auto access_row = [&](uint64_t address, uint64_t bytes) {
    if (row.is_strong) return false;
    const uint64_t first = (address - origin) / granule;
    return row.is_write ? cells->WriteRow(first, bytes / granule, self, row.clock)
                        : cells->ReadRow(first, bytes / granule, self, row.clock);
  };
  std::optional<GlobalRace> race;
  if (IsContiguous(access, lanes) &&
      access_row(access.addresses[0], uint64_t{kWarpSize} * access.bytes)) {
    return race;
  }
  ForEachLane(row.is_write ? lanes : DistinctLanes(access, lanes), [&](int lane) {
    const uint64_t address = access.addresses[static_cast<size_t>(lane)];
    if (access_row(address, access.bytes)) return;
    for (uint64_t byte = 0; byte < access.bytes; byte += granule) {
      AccessCell(row, access, lane, byte, *cells, (address + byte - origin) / granule, pointers,
                 race);
    }
  });
  if (row.is_strong) {
    ForEachLane(lanes, [&](int lane) {
      Synchronize(self, access, access.addresses[static_cast<size_t>(lane)]);
    });
  }
  return race;
}

}  // namespace hlo_indexing::ptx
