// What atom, red and cp.reduce do to a value: old value, operand, new value, all as bits.
//
// Example: ExtremeOfHalves<numerics::F16, true> is `.max.noftz.f16`.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ATOMIC_FUNCTIONS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ATOMIC_FUNCTIONS_H_

#include <algorithm>
#include <cstdint>

#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/f64.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx {

template <typename T>
T And(T a, T b) {
  return a & b;
}
template <typename T>
T Or(T a, T b) {
  return a | b;
}
template <typename T>
T Xor(T a, T b) {
  return a ^ b;
}
template <typename T>
T Exchange(T, T b) {
  return b;
}
template <typename T>
T Add(T a, T b) {
  return a + b;
}
template <typename T>
T Min(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T Max(T a, T b) {
  return std::max(a, b);
}
inline uint32_t Increment(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
inline uint32_t Decrement(uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }

// Floating point: bits in memory, to nearest even.

/// atom.add.f32 of global memory flushes subnormal inputs and results, that of shared memory does
/// not (§9.7.13.13).
inline uint32_t AddFlushed(uint32_t a, uint32_t b) {
  return numerics::BitsOf(numerics::Add<numerics::Modifiers{.flush = true}>(numerics::FloatOf(a),
                                                                            numerics::FloatOf(b)));
}
inline uint32_t AddFloats(uint32_t a, uint32_t b) {
  return numerics::BitsOf(numerics::Add(numerics::FloatOf(a), numerics::FloatOf(b)));
}
inline uint64_t AddDoubles(uint64_t a, uint64_t b) {
  return numerics::BitsOf(numerics::Add(numerics::DoubleOf(a), numerics::DoubleOf(b)));
}

template <numerics::HalfScalar Half>
uint16_t AddHalves(uint16_t a, uint16_t b) {
  return numerics::Add(Half{a}, Half{b}).bits;
}
template <numerics::HalfScalar Half, bool kIsMax>
uint16_t ExtremeOfHalves(uint16_t a, uint16_t b) {
  return kIsMax ? numerics::Max(Half{a}, Half{b}).bits : numerics::Min(Half{a}, Half{b}).bits;
}

/// Both halves of a packed pair.
template <auto kFunction>
uint32_t OnPairs(uint32_t a, uint32_t b) {
  const auto low =
      static_cast<uint32_t>(kFunction(static_cast<uint16_t>(a), static_cast<uint16_t>(b)));
  const auto high = static_cast<uint32_t>(
      kFunction(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16)));
  return low | high << 16;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ATOMIC_FUNCTIONS_H_
