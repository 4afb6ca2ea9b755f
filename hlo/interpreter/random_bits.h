// The counter-based generators of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011.
#ifndef HLO_INDEXING_HLO_INTERPRETER_RANDOM_BITS_H_
#define HLO_INDEXING_HLO_INTERPRETER_RANDOM_BITS_H_

#include <array>
#include <cstdint>

namespace hlo_indexing::hlo {

/// Threefry-2x32 with 20 rounds; the low halves of key and counter are word 0.
std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter);

/// Philox-4x32 with 10 rounds, on a counter of 128 bits; the lowest bits are word 0.
std::array<uint32_t, 4> Philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_RANDOM_BITS_H_
