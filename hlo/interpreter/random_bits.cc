#include "hlo/interpreter/random_bits.h"

#include <bit>

namespace hlo_indexing::hlo {
namespace {

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

}  // namespace

std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter) {
  constexpr uint32_t kParity = 0x1BD11BDA;
  constexpr int kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[] = {Low(key), High(key), kParity ^ Low(key) ^ High(key)};
  std::array<uint32_t, 2> x = {Low(counter) + keys[0], High(counter) + keys[1]};
  for (uint32_t round = 0; round < 20; ++round) {
    x[0] += x[1];
    x[1] = std::rotl(x[1], kRotations[round % 8]) ^ x[0];
    if (round % 4 != 3) continue;
    // The key is added again after every fourth round, turned by one word each time.
    const uint32_t injection = round / 4 + 1;
    x[0] += keys[injection % 3];
    x[1] += keys[(injection + 1) % 3] + injection;
  }
  return x;
}

std::array<uint32_t, 4> Philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  constexpr uint64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kWeyl[] = {0x9E3779B9, 0xBB67AE85};
  std::array<uint32_t, 4> x = {Low(counter_low), High(counter_low), Low(counter_high),
                               High(counter_high)};
  uint32_t keys[] = {Low(key), High(key)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = kMultipliers[0] * x[0];
    const uint64_t second = kMultipliers[1] * x[2];
    x = {High(second) ^ x[1] ^ keys[0], Low(second), High(first) ^ x[3] ^ keys[1], Low(first)};
    keys[0] += kWeyl[0];
    keys[1] += kWeyl[1];
  }
  return x;
}

}  // namespace hlo_indexing::hlo
