#include "codegen/ptx/numerics/integral.h"

#include <algorithm>
#include <cstdint>

#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {
namespace {

template <typename Float>
Float RoundAsTold(Float value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return RoundToIntegral<Rounding::kTowardZero>(value);
    case Rounding::kDown:
      return RoundToIntegral<Rounding::kDown>(value);
    case Rounding::kUp:
      return RoundToIntegral<Rounding::kUp>(value);
    case Rounding::kNearestAway:
      return RoundToIntegral<Rounding::kNearestAway>(value);
    case Rounding::kNearestEven:
      break;
  }
  return RoundToIntegral<Rounding::kNearestEven>(value);
}

// The low bits as a value of the type, in 64 bits.
uint64_t Extend(uint64_t bits, IntegerType type) {
  const int unused = 64 - type.width;
  return type.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                        : bits << unused >> unused;
}

}  // namespace

float RoundToIntegral(float value, Rounding rounding) { return RoundAsTold(value, rounding); }
double RoundToIntegral(double value, Rounding rounding) { return RoundAsTold(value, rounding); }

uint64_t ConvertInteger(uint64_t bits, IntegerType from, IntegerType to, bool saturate) {
  uint64_t value = Extend(bits, from);
  if (saturate) {
    const uint64_t greatest = ~uint64_t{0} >> (64 - to.width + (to.is_signed ? 1 : 0));
    const bool is_negative = from.is_signed && static_cast<int64_t>(value) < 0;
    if (!is_negative) {
      value = std::min(value, greatest);
    } else {
      // The least value is -greatest - 1, whose bits are those of greatest inverted.
      const int64_t least = to.is_signed ? static_cast<int64_t>(~greatest) : 0;
      value = static_cast<uint64_t>(std::max(static_cast<int64_t>(value), least));
    }
  }
  return Extend(value, to);
}

}  // namespace hlo_indexing::ptx::numerics
