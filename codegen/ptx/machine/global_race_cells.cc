#include "codegen/ptx/machine/global_race_cells.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "codegen/ptx/machine/global_memory.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint32_t kStrong = uint32_t{1} << 30;
constexpr uint32_t kAtomic = uint32_t{1} << 31;

// Whether a number is neither 0 nor the block, for one of the cells.
bool HasOther(const uint32_t* numbers, uint64_t count, uint32_t block) {
  uint32_t other = 0;
  for (uint64_t i = 0; i < count; ++i) {
    other |= static_cast<uint32_t>(numbers[i] != 0) & static_cast<uint32_t>(numbers[i] != block);
  }
  return other != 0;
}

// Without writing to pages that hold zeros already.
void Clear(uint32_t* numbers, uint64_t count) {
  uint32_t bits = 0;
  for (uint64_t i = 0; i < count; ++i) bits |= numbers[i];
  if (bits != 0) std::fill_n(numbers, count, 0);
}

}  // namespace

bool RaceCells::Allocate(uint64_t count) {
  for (HostMemory& array : arrays_) {
    array.reset(std::calloc(count, sizeof(uint32_t)));
    if (array == nullptr) {
      count_ = 0;
      return false;
    }
  }
  count_ = count;
  return true;
}

bool RaceCells::Begin(uint64_t bytes) {
  granule_ = 4;
  return Allocate((bytes + 3) / 4);
}

bool RaceCells::Refine(uint32_t granule) {
  const uint64_t parts = granule_ / granule;
  const uint64_t count = count_;
  std::array<HostMemory, kNumArrays> old;
  std::swap(old, arrays_);
  if (!Allocate(count * parts)) return false;
  for (size_t array = 0; array < old.size(); ++array) {
    const auto* const from = static_cast<const uint32_t*>(old[array].get());
    for (uint64_t i = 0; i < count; ++i) {
      if (from[i] != 0) std::fill_n(At(static_cast<Array>(array), i * parts), parts, from[i]);
    }
  }
  granule_ = granule;
  return true;
}

RaceCell RaceCells::Get(uint64_t index) const {
  const uint32_t state = *At(kWriterState, index);
  return {.writer = *At(kWriter, index),
          .writer_clock = (state & (kStrong - 1)) + 1,
          .writer_is_strong = (state & kStrong) != 0,
          .writer_is_atomic = (state & kAtomic) != 0,
          .reader = *At(kReader, index),
          .reader_clock = *At(kReaderClock, index) + 1,
          .other_reader = *At(kOtherReader, index),
          .other_reader_clock = *At(kOtherReaderClock, index) + 1};
}

void RaceCells::Set(uint64_t index, const RaceCell& cell) {
  const uint32_t state = (cell.writer_clock - 1) | (cell.writer_is_strong ? kStrong : 0) |
                         (cell.writer_is_atomic ? kAtomic : 0);
  const std::array<uint32_t, kNumArrays> numbers = {cell.writer,       state,
                                                    cell.reader,       cell.reader_clock - 1,
                                                    cell.other_reader, cell.other_reader_clock - 1};
  for (size_t array = 0; array < numbers.size(); ++array) {
    uint32_t& number = *At(static_cast<Array>(array), index);
    if (number != numbers[array]) number = numbers[array];
  }
  has_states_ |= (state | numbers[kReaderClock] | numbers[kOtherReaderClock]) != 0;
  has_other_readers_ |= cell.other_reader != 0;
}

bool RaceCells::ReadRow(uint64_t first, uint64_t count, uint32_t block, uint32_t clock) {
  if (HasOther(At(kWriter, first), count, block)) return false;
  uint32_t* const readers = At(kReader, first);
  has_states_ |= clock != 1;
  if (!HasOther(readers, count, block)) {
    std::fill_n(readers, count, block);
    if (has_states_) std::fill_n(At(kReaderClock, first), count, clock - 1);
    return true;
  }
  // The newest of the other readers is what a later writer is least likely to be ordered after.
  has_other_readers_ = true;
  uint32_t* const others = At(kOtherReader, first);
  uint32_t* const clocks = At(kReaderClock, first);
  uint32_t* const other_clocks = At(kOtherReaderClock, first);
  if (has_states_) {
    for (uint64_t i = 0; i < count; ++i) {
      const bool is_first = readers[i] == 0 || readers[i] == block;
      clocks[i] = is_first ? clock - 1 : clocks[i];
      other_clocks[i] = is_first ? other_clocks[i] : clock - 1;
    }
  }
  for (uint64_t i = 0; i < count; ++i) {
    const bool is_first = readers[i] == 0 || readers[i] == block;
    others[i] = is_first ? others[i] : block;
    readers[i] = is_first ? block : readers[i];
  }
  return true;
}

bool RaceCells::WriteRow(uint64_t first, uint64_t count, uint32_t block, uint32_t clock) {
  if (HasOther(At(kWriter, first), count, block) || HasOther(At(kReader, first), count, block) ||
      (has_other_readers_ && HasOther(At(kOtherReader, first), count, block))) {
    return false;
  }
  std::fill_n(At(kWriter, first), count, block);
  Clear(At(kReader, first), count);
  if (has_other_readers_) Clear(At(kOtherReader, first), count);
  has_states_ |= clock != 1;
  if (has_states_) {
    std::fill_n(At(kWriterState, first), count, clock - 1);
    Clear(At(kReaderClock, first), count);
    Clear(At(kOtherReaderClock, first), count);
  }
  return true;
}

}  // namespace hlo_indexing::ptx
