// What the detector of races in global memory keeps of the bytes of an allocation: who wrote them
// last, and who has read them since.
//
// Each is an array of numbers, one for a cell of 4 bytes (or fewer, once an access needs it), so
// that a warp that accesses neighbouring cells which no other block has touched is looked at with
// vectors. Pages of the host that nobody has needed yet take no memory.
//
// Example: block 0 (number 1 here) reads the first 128 bytes, then block 1 writes them.
//   cells.ReadRow(0, 32, 1, 1)   // true: no other block has written there
//   cells.WriteRow(0, 32, 2, 0)  // false: block 0 has read; nothing was changed
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACE_CELLS_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACE_CELLS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "codegen/ptx/machine/global_memory.h"

namespace hlo_indexing::ptx {

/// Accesses to some bytes since the last write; blocks are counted from 1, 0 is none.
struct RaceCell {
  uint32_t writer = 0;
  uint32_t writer_clock = 1;
  bool writer_is_strong = false;
  bool writer_is_atomic = false;
  /// Two different readers, with plain reads.
  uint32_t reader = 0;
  uint32_t reader_clock = 1;
  uint32_t other_reader = 0;
  uint32_t other_reader_clock = 1;
};

class RaceCells {
 public:
  /// Clocks begin with 1 and end with this.
  static constexpr uint32_t kMaxClock = (uint32_t{1} << 30) - 1;

  bool empty() const { return count_ == 0; }
  /// Makes cells of 4 bytes. False if the host has no memory for them.
  bool Begin(uint64_t bytes);

  /// Bytes of a cell. Refine makes cells of so many, fewer than now.
  uint32_t granule() const { return granule_; }
  bool Refine(uint32_t granule);

  RaceCell Get(uint64_t index) const;
  void Set(uint64_t index, const RaceCell& cell);

  /// A plain read by the block of `count` cells, at its clock. False, and nothing is changed, where
  /// another block is the last writer of one.
  bool ReadRow(uint64_t first, uint64_t count, uint32_t block, uint32_t clock);
  /// A plain write, likewise; false where another block has accessed one.
  bool WriteRow(uint64_t first, uint64_t count, uint32_t block, uint32_t clock);

 private:
  enum Array : uint8_t {
    kWriter,
    /// The clock minus 1, and two bits above.
    kWriterState,
    kReader,
    kReaderClock,
    kOtherReader,
    kOtherReaderClock,
    kNumArrays
  };
  uint32_t* At(Array array, uint64_t index) const {
    return static_cast<uint32_t*>(arrays_[array].get()) + index;
  }
  bool Allocate(uint64_t count);

  uint64_t count_ = 0;
  uint32_t granule_ = 4;
  std::array<HostMemory, kNumArrays> arrays_;
  /// Whether any cell has another clock than 1, a strong writer, or two readers.
  bool has_states_ = false;
  bool has_other_readers_ = false;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACE_CELLS_H_
