// The shared memory of a resident block.
//
// Example: BlockMemory memory; memory.Begin(48 * 1024, checks); then the bytes from shared() on are
// 0xff, and count as never written where checks.initcheck asks for it.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_BLOCK_MEMORY_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_BLOCK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/ptx/machine/race_detector.h"

namespace hlo_indexing::ptx {

class BlockMemory {
 public:
  /// Makes the shared memory of a new block: bytes 0xff (a NaN, or -1). What a block before it had
  /// is gone; its host memory is used again. The first `reserved_bytes` are zeros that count as
  /// written.
  void Begin(uint64_t shared_bytes, bool tracks_written, uint64_t reserved_bytes = 0);
  /// Looks for races from here on; after Begin. Without it races() is nullptr.
  void BeginRaces(uint32_t num_threads);

  /// `shared_bytes()` of them, aligned to 128 on the host.
  std::byte* shared() { return shared_; }
  const std::byte* shared() const { return shared_; }
  uint64_t shared_bytes() const { return shared_bytes_; }

  /// For each byte 1 if it was written; nullptr where it is not tracked.
  uint8_t* shared_is_written() { return is_written_.empty() ? nullptr : is_written_.data(); }

  RaceDetector* races() { return has_races_ ? races_.get() : nullptr; }

 private:
  std::vector<std::byte> storage_;
  std::byte* shared_ = nullptr;
  uint64_t shared_bytes_ = 0;
  std::vector<uint8_t> is_written_;
  bool has_races_ = false;
  std::unique_ptr<RaceDetector> races_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_BLOCK_MEMORY_H_
