// The lanes of a warp: masks of them, and registers as one value for each.
//
// A register of a frame is an array of 32 values, so that an instruction is a loop that the
// compiler vectorises. Values of up to 32 bits take 32 bits a lane, whatever their type; what lies
// above the type's bits means nothing. Values of 64 bits take 64. A predicate is one mask of 32
// bits.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_LANES_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_LANES_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hlo_indexing::ptx {

inline constexpr int kWarpSize = 32;

/// Bit i stands for lane i.
using LaneMask = uint32_t;
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

/// The bits of a 128-bit register.
struct Bits128 {
  uint64_t low = 0;
  uint64_t high = 0;
};

/// One value for each lane, of 32, 64 or 128 bits.
template <typename T>
using Lanes = std::array<T, kWarpSize>;

/// Calls `visit(lane)` for the lanes of the mask, in order. A full mask is a plain loop.
template <typename Visit>
inline void ForEachLane(LaneMask lanes, Visit visit) {
  if (lanes == kAllLanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) visit(lane);
    return;
  }
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
}

/// The mask of 32 bytes that are 0 or 1.
inline LaneMask MaskOfBytes(const std::array<uint8_t, kWarpSize>& bytes) {
  LaneMask mask = 0;
  for (size_t group = 0; group < kWarpSize / 8; ++group) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes.data() + group * 8, sizeof(eight));
    // Byte i of a number whose bytes are 0 or 1 goes to bit i of the product's top byte.
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    mask |= static_cast<LaneMask>((eight * 0x0102'0408'1020'4080) >> 56) << (group * 8);
  }
  return mask;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_LANES_H_
