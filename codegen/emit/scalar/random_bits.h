// The counter-based random bits of rng-bit-generator, for kernels' values and the host's (Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Integers are of 32 bits.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_RANDOM_BITS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_RANDOM_BITS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace hlo_indexing::emit::scalar {

/// Threefry-2x32 with 20 rounds: two words for each key and counter, the lower half first.
template <typename I>
std::array<I, 2> Threefry(const std::array<I, 2>& key, const std::array<I, 2>& counter) {
  constexpr int64_t kParity = 0x1BD11BDA;
  constexpr std::array<int, 8> kRotations = {13, 15, 26, 6, 17, 29, 16, 24};
  const auto constant = [&](int64_t value) { return IntegerConstant(key[0], value); };
  const std::array<I, 3> keys = {key[0], key[1], key[0] ^ key[1] ^ constant(kParity)};
  I x = counter[0] + keys[0];
  I y = counter[1] + keys[1];
  for (size_t round = 0; round < 20; ++round) {
    const int left = kRotations[round % kRotations.size()];
    x = x + y;
    y = (ShiftLeft(y, constant(left)) | ShiftRightLogical(y, constant(32 - left))) ^ x;
    if (round % 4 != 3) continue;
    const size_t added = round / 4 + 1;
    x = x + keys[added % 3];
    y = y + keys[(added + 1) % 3] + constant(static_cast<int64_t>(added));
  }
  return {x, y};
}

/// Philox-4x32 with 10 rounds: four words for each key and counter, the lowest bits first.
template <typename I>
std::array<I, 4> Philox(const std::array<I, 2>& key, const std::array<I, 4>& counter) {
  const auto constant = [&](int64_t value) {
    return IntegerConstant(key[0], static_cast<int32_t>(value));
  };
  const I first_factor = constant(0xD2511F53);
  const I second_factor = constant(0xCD9E8D57);
  std::array<I, 4> x = counter;
  std::array<I, 2> keys = key;
  for (int round = 0; round < 10; ++round) {
    x = {MultiplyHighUnsigned(second_factor, x[2]) ^ x[1] ^ keys[0], second_factor * x[2],
         MultiplyHighUnsigned(first_factor, x[0]) ^ x[3] ^ keys[1], first_factor * x[0]};
    keys = {keys[0] + constant(0x9E3779B9), keys[1] + constant(0xBB67AE85)};
  }
  return x;
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_RANDOM_BITS_H_
