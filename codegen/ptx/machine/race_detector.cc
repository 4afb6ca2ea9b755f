#include "codegen/ptx/machine/race_detector.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kWord = 4;

LaneMask Bit(int lane) { return LaneMask{1} << lane; }

// Whether two words are equal on the bytes of the mask.
bool AreEqual(uint32_t a, uint32_t b, uint32_t bytes) {
  const uint32_t difference = a ^ b;
  for (uint32_t i = 0; i < kWord; ++i) {
    if ((bytes >> i & 1) != 0 && (difference >> (8 * i) & 0xff) != 0) return false;
  }
  return true;
}

}  // namespace

void RaceDetector::Begin(uint64_t shared_bytes, uint32_t num_threads) {
  const size_t num_warps = (num_threads + kWarpSize - 1) / kWarpSize;
  num_threads_ = num_warps * kWarpSize;
  has_copies_ = false;
  cells_.resize((shared_bytes + kWord - 1) / kWord);
  first_epoch_ = ++epoch_;
  // Most blocks leave everything as it was.
  if (!has_partial_order_ && known_.size() == num_threads_) return;
  has_partial_order_ = false;
  warp_clocks_.assign(num_warps, 1);
  last_exchange_.assign(num_warps, 0);
  exchanges_.assign(num_threads_, {});
  known_.assign(num_threads_, nullptr);
  open_group_.assign(num_threads_, 1);
  done_group_.assign(num_threads_, 0);
  all_know_group_.assign(num_threads_, 0);
  fences_.assign(num_threads_, {});
  objects_.clear();
  words_.clear();
}

RaceDetector::Cell& RaceDetector::FreshCell(uint64_t word) {
  Cell& cell = cells_[word];
  if (cell.epoch == epoch_) return cell;
  const bool is_of_block_before = cell.epoch < first_epoch_;
  cell.epoch = epoch_;
  if (!has_copies_ || is_of_block_before) {
    cell.records.clear();
    return cell;
  }
  // Copies may be under way across barriers.
  for (Record& record : cell.records) {
    LaneMask left = 0;
    if (record.is_asynchronous) {
      ForEachLane(record.lanes, [&](int lane) {
        if (record.clock > all_know_group_[ThreadOf(record.warp, lane)]) left |= Bit(lane);
      });
    }
    record.lanes = left;
  }
  EraseUnused(cell);
  return cell;
}

bool RaceDetector::IsOrdered(const Record& record, int record_lane, size_t thread) const {
  const size_t other = ThreadOf(record.warp, record_lane);
  const Times* const known = known_[thread].get();
  if (record.is_asynchronous) {
    if (record.clock <= all_know_group_[other]) return true;
    if (other == thread && record.clock <= done_group_[other]) return true;
    return known != nullptr && record.clock <= (*known)[num_threads_ + other];
  }
  return other == thread || (known != nullptr && record.clock <= (*known)[other]);
}

LaneMask RaceDetector::UnorderedLanes(const Record& record, size_t thread) const {
  if (!record.is_asynchronous && known_[thread] == nullptr) {
    const bool is_own_warp = record.warp == thread / kWarpSize;
    return is_own_warp ? record.lanes & ~Bit(static_cast<int>(thread % kWarpSize)) : record.lanes;
  }
  LaneMask unordered = 0;
  ForEachLane(record.lanes, [&](int lane) {
    if (!IsOrdered(record, lane, thread)) unordered |= Bit(lane);
  });
  return unordered;
}

LaneMask RaceDetector::LanesReadBefore(const Record& record, const Record& access,
                                       size_t thread) const {
  if (record.is_write || record.is_asynchronous || !access.is_write || access.is_asynchronous ||
      record.warp != access.warp) {
    return 0;
  }
  LaneMask lanes = 0;
  ForEachLane(record.lanes, [&](int lane) {
    if (record.clock <= exchanges_[thread][static_cast<size_t>(lane)]) lanes |= Bit(lane);
  });
  return lanes;
}

uint8_t RaceDetector::RacingBytes(const Cell& cell, const Record& record, const Record& access,
                                  size_t thread, LaneMask unordered) const {
  if (!record.is_write && !access.is_write) return 0;
  if (record.is_strong && access.is_strong) return 0;
  auto bytes = static_cast<uint8_t>(record.bytes & access.bytes);
  if (bytes == 0 || unordered == 0) return 0;
  const bool may_be_equal = record.is_write && record.has_value;
  if (access.is_write) {
    // Who stores what is stored there already changes nothing.
    const bool is_equal =
        may_be_equal && access.has_value && AreEqual(record.value, access.value, bytes);
    return is_equal ? 0 : bytes;
  }
  if (!may_be_equal) return bytes;
  // A thread that has seen one of several equal stores reads what all of them wrote.
  for (const Record& seen : cell.records) {
    if (!seen.is_write || !seen.has_value) continue;
    const auto common = static_cast<uint8_t>(bytes & seen.bytes);
    if (common == 0 || !AreEqual(seen.value, record.value, common)) continue;
    if (UnorderedLanes(seen, thread) != seen.lanes) bytes = static_cast<uint8_t>(bytes & ~common);
  }
  return bytes;
}

void RaceDetector::EraseUnused(Cell& cell) {
  const auto end = std::remove_if(cell.records.begin(), cell.records.end(),
                                  [](const Record& record) { return record.lanes == 0; });
  cell.records.erase(end, cell.records.end());
}

bool RaceDetector::IsOfOneThread(const Cell& cell, const Record& access) {
  for (const Record& record : cell.records) {
    if (record.warp != access.warp || record.lanes != access.lanes ||
        record.bytes != access.bytes) {
      return false;
    }
  }
  return true;
}

bool RaceDetector::AccessPlainly(Cell& cell, const Record& access) const {
  if (has_copies_) return false;
  if (cell.epoch != epoch_) {
    cell.epoch = epoch_;
    cell.records.clear();
  }
  if (cell.records.empty()) {
    cell.records.push_back(access);
    return true;
  }
  if (IsOfOneThread(cell, access)) {
    // What races with an earlier access of the thread races with the later one, too.
    if (access.is_strong) return false;
    if (access.is_write) cell.records.clear();
    for (Record& record : cell.records) {
      if (record.is_write) continue;
      record = access;
      return true;
    }
    cell.records.push_back(access);
    return true;
  }
  if (access.is_write) return false;
  Record* same = nullptr;
  for (Record& record : cell.records) {
    if (record.is_write) return false;
    if (record.warp == access.warp && record.operation == access.operation &&
        record.clock == access.clock && record.bytes == access.bytes &&
        record.is_strong == access.is_strong) {
      same = &record;
    }
  }
  if (same == nullptr) {
    cell.records.push_back(access);
    same = &cell.records.back();
  }
  same->lanes |= access.lanes;
  // What races with an earlier read of the thread races with this one, too.
  bool has_unused = false;
  for (Record& record : cell.records) {
    if (&record == same || record.warp != access.warp || record.bytes != access.bytes ||
        (access.is_strong && !record.is_strong)) {
      continue;
    }
    record.lanes &= ~access.lanes;
    has_unused |= record.lanes == 0;
  }
  if (has_unused) EraseUnused(cell);
  return true;
}

void RaceDetector::Update(Cell& cell, const Record& access, size_t thread) {
  // A record is superfluous if whoever races with it races with the new one, too: it is ordered
  // before the new one (or has raced with it, and been reported), which conflicts with as much.
  kept_.clear();
  for (Record& record : cell.records) {
    const auto common = static_cast<uint8_t>(record.bytes & access.bytes);
    const bool conflicts_with_as_much =
        (access.is_write || !record.is_write) && (!access.is_strong || record.is_strong);
    if (common == 0 || !conflicts_with_as_much) continue;
    LaneMask left = UnorderedLanes(record, thread);
    const LaneMask racing = left & ~LanesReadBefore(record, access, thread);
    if (RacingBytes(cell, record, access, thread, racing) != 0) left = 0;
    if (left == record.lanes) continue;
    if (common != record.bytes && left != 0) {
      kept_.push_back(record);
      kept_.back().bytes = common;
      kept_.back().lanes = left;
    }
    if (common == record.bytes) {
      record.lanes = left;
    } else {
      record.bytes = static_cast<uint8_t>(record.bytes & ~common);
    }
  }
  EraseUnused(cell);
  cell.records.insert(cell.records.end(), kept_.begin(), kept_.end());
  for (Record& record : cell.records) {
    if (record.warp == access.warp && record.clock == access.clock &&
        record.bytes == access.bytes && record.is_write == access.is_write &&
        record.is_strong == access.is_strong && record.is_asynchronous == access.is_asynchronous &&
        record.has_value == access.has_value && record.value == access.value &&
        record.operation == access.operation) {
      record.lanes |= access.lanes;
      return;
    }
  }
  cell.records.push_back(access);
}

std::optional<Race> RaceDetector::Access(int warp, const WarpAccess& access, uint32_t operation) {
  std::optional<Race> race;
  Record record;
  record.warp = static_cast<uint16_t>(warp);
  record.operation = operation;
  record.is_asynchronous =
      access.kind == AccessKind::kAsyncLoad || access.kind == AccessKind::kAsyncStore;
  record.is_write = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic ||
                    access.kind == AccessKind::kAsyncStore;
  record.is_strong =
      !record.is_asynchronous && (access.is_strong || access.kind == AccessKind::kAtomic);
  record.has_value = access.kind == AccessKind::kStore && access.stored != nullptr;
  last_exchange_[record.warp] = 0;
  has_copies_ = has_copies_ || record.is_asynchronous;
  has_partial_order_ = has_partial_order_ || has_copies_ || record.is_strong;
  const bool is_of_words = std::endian::native == std::endian::little &&
                           access.bytes % kWord == 0 && access.alignment % kWord == 0;

  ForEachLane(access.lanes, [&](int lane) {
    const size_t thread = ThreadOf(warp, lane);
    const uint64_t first = access.addresses[static_cast<size_t>(lane)];
    const uint64_t end = first + access.bytes;
    record.lanes = Bit(lane);
    record.clock =
        record.is_asynchronous ? open_group_[thread] : warp_clocks_[static_cast<size_t>(warp)];
    for (uint64_t word = first / kWord; word * kWord < end; ++word) {
      if (is_of_words) {
        record.bytes = 0xf;
        if (record.has_value) {
          std::memcpy(
              &record.value,
              access.stored + static_cast<uint64_t>(lane) * access.bytes + (word * kWord - first),
              kWord);
        }
        if (AccessPlainly(cells_[word], record)) continue;
      }
      record.bytes = 0;
      record.value = 0;
      for (uint32_t i = 0; i < kWord; ++i) {
        const uint64_t byte = word * kWord + i;
        if (byte < first || byte >= end) continue;
        record.bytes = static_cast<uint8_t>(record.bytes | 1U << i);
        if (!record.has_value) continue;
        const auto value = static_cast<uint32_t>(
            access.stored[static_cast<uint64_t>(lane) * access.bytes + (byte - first)]);
        record.value |= value << (8 * i);
      }
      Cell& cell = FreshCell(word);
      for (const Record& other : cell.records) {
        if (race.has_value()) break;
        const LaneMask unordered =
            UnorderedLanes(other, thread) & ~LanesReadBefore(other, record, thread);
        const uint8_t bytes = RacingBytes(cell, other, record, thread, unordered);
        if (bytes == 0) continue;
        race = Race{.lane = lane,
                    .address = word * kWord + static_cast<uint64_t>(std::countr_zero(bytes)),
                    .is_write = record.is_write,
                    .other_warp = other.warp,
                    .other_lane = std::countr_zero(unordered),
                    .other_operation = other.operation,
                    .other_is_write = other.is_write,
                    .other_is_asynchronous = other.is_asynchronous};
      }
      Update(cell, record, thread);
    }
    if (record.is_strong) Synchronize(access, warp, lane);
  });
  return race;
}

RaceDetector::Knowledge RaceDetector::Joined(const Knowledge& a, const Knowledge& b) const {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  // A loop that waits learns the same each time.
  bool is_in_a = true;
  for (size_t i = 0; i < a->size() && is_in_a; ++i) is_in_a = (*b)[i] <= (*a)[i];
  if (is_in_a) return a;
  auto times = std::make_shared<Times>(*a);
  for (size_t i = 0; i < times->size(); ++i) (*times)[i] = std::max((*times)[i], (*b)[i]);
  return times;
}

RaceDetector::Knowledge RaceDetector::Released(size_t thread, const Knowledge& known,
                                               uint32_t clock, uint32_t copies) const {
  auto times = known == nullptr ? std::make_shared<Times>(2 * num_threads_)
                                : std::make_shared<Times>(*known);
  (*times)[thread] = std::max((*times)[thread], clock);
  uint32_t& done = (*times)[num_threads_ + thread];
  done = std::max(done, copies);
  return times;
}

void RaceDetector::Synchronize(const WarpAccess& access, int warp, int lane) {
  const size_t thread = ThreadOf(warp, lane);
  const uint64_t word = access.addresses[static_cast<size_t>(lane)] / kWord;
  if (access.kind != AccessKind::kStore) {
    if (const auto found = words_.find(word); found != words_.end()) {
      known_[thread] = Joined(known_[thread], found->second);
    }
  }
  if (access.kind == AccessKind::kLoad) return;
  FenceState& fence = fences_[thread];
  if (access.is_release) Fence(warp, Bit(lane));
  if (!fence.is_set) return;
  Knowledge& released = words_[word];
  released = Joined(released, Released(thread, fence.known, fence.clock, fence.copies));
}

void RaceDetector::Fence(int warp, LaneMask lanes) {
  has_partial_order_ = true;
  uint32_t& clock = warp_clocks_[static_cast<size_t>(warp)];
  ForEachLane(lanes, [&](int lane) {
    const size_t thread = ThreadOf(warp, lane);
    fences_[thread] = {
        .is_set = true, .clock = clock, .copies = done_group_[thread], .known = known_[thread]};
  });
  ++clock;
}

void RaceDetector::OrderBlock() {
  ++epoch_;
  if (!has_partial_order_) return;
  if (has_copies_) {
    for (size_t other = 0; other < num_threads_; ++other) {
      uint32_t& done = all_know_group_[other];
      done = std::max(done, done_group_[other]);
    }
    const Times* last = nullptr;
    for (const Knowledge& known : known_) {
      if (known == nullptr || known.get() == last) continue;
      last = known.get();
      for (size_t other = 0; other < num_threads_; ++other) {
        all_know_group_[other] = std::max(all_know_group_[other], (*last)[num_threads_ + other]);
      }
    }
    // What an mbarrier tells of copies is not known to anybody yet.
    for (auto& [address, object] : objects_) {
      for (Knowledge* knowledge : {&object.known, &object.copies}) {
        if (*knowledge == nullptr) continue;
        auto times = std::make_shared<Times>(**knowledge);
        std::fill_n(times->begin(), num_threads_, 0);
        *knowledge = std::move(times);
      }
    }
  } else {
    objects_.clear();
  }
  words_.clear();
  std::fill(known_.begin(), known_.end(), nullptr);
  std::fill(fences_.begin(), fences_.end(), FenceState{});
}

void RaceDetector::OrderBarrier(std::span<const WarpLanes> waiting) {
  has_partial_order_ = true;
  auto times = std::make_shared<Times>(2 * num_threads_);
  Knowledge joined;
  for (const WarpLanes& group : waiting) {
    ForEachLane(group.lanes, [&](int lane) {
      const size_t thread = ThreadOf(group.warp, lane);
      joined = Joined(joined, known_[thread]);
      (*times)[thread] = warp_clocks_[static_cast<size_t>(group.warp)];
      (*times)[num_threads_ + thread] = done_group_[thread];
    });
  }
  joined = Joined(Knowledge(times), joined);
  for (const WarpLanes& group : waiting) {
    ++warp_clocks_[static_cast<size_t>(group.warp)];
    ForEachLane(group.lanes, [&](int lane) { known_[ThreadOf(group.warp, lane)] = joined; });
  }
}

void RaceDetector::OrderWarp(int warp, LaneMask lanes) {
  const WarpLanes group{.warp = warp, .lanes = lanes};
  OrderBarrier({&group, 1});
}

void RaceDetector::Exchange(int warp, LaneMask lanes) {
  Knowledge joined;
  if (has_partial_order_) {
    ForEachLane(lanes, [&](int lane) { joined = Joined(joined, known_[ThreadOf(warp, lane)]); });
  }
  if (joined != nullptr) {
    ForEachLane(lanes, [&](int lane) { known_[ThreadOf(warp, lane)] = joined; });
  }
  LaneMask& last = last_exchange_[static_cast<size_t>(warp)];
  if (last == lanes) return;
  has_partial_order_ = true;
  last = lanes;
  const uint32_t clock = warp_clocks_[static_cast<size_t>(warp)]++;
  ForEachLane(lanes, [&](int lane) {
    Lanes<uint32_t>& exchanges = exchanges_[ThreadOf(warp, lane)];
    if (lanes == kAllLanes) {
      exchanges.fill(clock);
    } else {
      ForEachLane(lanes, [&](int other) { exchanges[static_cast<size_t>(other)] = clock; });
    }
  });
}

void RaceDetector::Arrive(uint64_t object, int warp, LaneMask lanes) {
  has_partial_order_ = true;
  Knowledge& knowledge = objects_[object].known;
  uint32_t& clock = warp_clocks_[static_cast<size_t>(warp)];
  ForEachLane(lanes, [&](int lane) {
    const size_t thread = ThreadOf(warp, lane);
    knowledge = Joined(knowledge, Released(thread, known_[thread], clock, done_group_[thread]));
  });
  ++clock;
}

void RaceDetector::Wait(uint64_t object, int warp, LaneMask lanes) {
  has_partial_order_ = true;
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  ForEachLane(lanes, [&](int lane) {
    Knowledge& known = known_[ThreadOf(warp, lane)];
    known = Joined(known, found->second.known);
  });
}

void RaceDetector::CommitCopies(int warp, LaneMask lanes) {
  has_partial_order_ = true;
  ForEachLane(lanes, [&](int lane) { ++open_group_[ThreadOf(warp, lane)]; });
}

void RaceDetector::WaitCopies(int warp, LaneMask lanes, uint32_t pending) {
  has_partial_order_ = true;
  ForEachLane(lanes, [&](int lane) {
    const size_t thread = ThreadOf(warp, lane);
    const uint32_t closed = open_group_[thread] - 1;
    done_group_[thread] = std::max(done_group_[thread], closed - std::min(closed, pending));
  });
}

void RaceDetector::WaitAllCopies(int warp, LaneMask lanes) {
  CommitCopies(warp, lanes);
  WaitCopies(warp, lanes, 0);
}

void RaceDetector::CopiesArrive(uint64_t object, int warp, LaneMask lanes) {
  has_partial_order_ = true;
  has_copies_ = true;
  Knowledge& knowledge = objects_[object].copies;
  ForEachLane(lanes, [&](int lane) {
    const size_t thread = ThreadOf(warp, lane);
    knowledge = Joined(knowledge, Released(thread, nullptr, 0, open_group_[thread]++));
  });
}

void RaceDetector::CopiesEnd(uint64_t object) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  auto& [known, copies] = found->second;
  known = Joined(known, copies);
  copies = nullptr;
}

}  // namespace hlo_indexing::ptx
