#include "codegen/ptx/machine/block_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codegen/ptx/machine/race_detector.h"

namespace hlo_indexing::ptx {

void BlockMemory::Begin(uint64_t shared_bytes, bool tracks_written, uint64_t reserved_bytes) {
  constexpr size_t kAlignment = 128;
  storage_.assign(shared_bytes + kAlignment, std::byte{0xff});
  const auto start = reinterpret_cast<uintptr_t>(storage_.data());
  shared_ = storage_.data() + (kAlignment - start % kAlignment) % kAlignment;
  shared_bytes_ = shared_bytes;
  is_written_.assign(tracks_written ? shared_bytes : 0, 0);
  std::fill_n(shared_, reserved_bytes, std::byte{0});
  std::fill_n(is_written_.begin(), tracks_written ? reserved_bytes : 0, uint8_t{1});
  has_races_ = false;
}

void BlockMemory::BeginRaces(uint32_t num_threads) {
  if (races_ == nullptr) races_ = std::make_unique<RaceDetector>();
  races_->Begin(shared_bytes_, num_threads);
  has_races_ = true;
}

}  // namespace hlo_indexing::ptx
