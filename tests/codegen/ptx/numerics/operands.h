// Operands for tests of a format: special values, values around them, and random ones of kinds that
// arithmetic has trouble with.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_OPERANDS_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_OPERANDS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "tests/codegen/ptx/numerics/exact.h"

namespace hlo_indexing::ptx::numerics::exact {

/// Zeros, the least and greatest subnormal and normal numbers, one, numbers around these,
/// infinities and NaNs, of both signs.
std::vector<uint64_t> SpecialOperands(const Format& format);

/// Random encodings: of any bits, with few bits of mantissa set or cleared, near one, subnormal.
class RandomOperands {
 public:
  RandomOperands(const Format& format, uint32_t seed) : format_(format), random_(seed) {}
  uint64_t Next();
  /// One whose magnitude is `distance` binades from the other's at most.
  uint64_t Near(uint64_t other, int distance);
  uint64_t Bits() { return random_(); }

 private:
  Format format_;
  std::mt19937_64 random_;
};

}  // namespace hlo_indexing::ptx::numerics::exact

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_OPERANDS_H_
