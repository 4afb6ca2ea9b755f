// Overflow-checked 64-bit integer arithmetic with floor semantics.
#ifndef HLO_INDEXING_SUPPORT_CHECKED_MATH_H_
#define HLO_INDEXING_SUPPORT_CHECKED_MATH_H_

#include <cstdint>
#include <limits>
#include <optional>

namespace hlo_indexing::support {

inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

/// a + b, or nullopt if the sum does not fit in 64 bits.
/// Example: (1, 2) -> 3
inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// a - b, or nullopt if the difference does not fit.
/// Example: (1, 2) -> -1
inline std::optional<int64_t> CheckedSub(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// a * b, or nullopt if the product does not fit.
/// Example: (3, 2) -> 6
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// The largest integer q with q * b <= a, for b > 0.
/// Example: (-7, 2) -> -4
inline int64_t FloorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

/// a - b * FloorDiv(a, b), in [0, b), for b > 0.
/// Example: (-7, 2) -> 1
inline int64_t FloorMod(int64_t a, int64_t b) {
  int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

/// The smallest integer q with q * b >= a, for b > 0.
/// Example: (7, 2) -> 4
inline int64_t CeilDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b > 0 ? quotient + 1 : quotient;
}

/// floor(a / b) for any b != 0, or nullopt on overflow (the minimum by -1) and for b == 0.
/// Example: (7, -2) -> -4
inline std::optional<int64_t> CheckedFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == kInt64Min && b == -1)) return std::nullopt;
  int64_t quotient = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

/// a - b * floor(a / b), which has the sign of b; nullopt for b == 0.
/// Example: (7, -2) -> -1
inline std::optional<int64_t> CheckedFloorMod(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  int64_t remainder = a % b;
  return (remainder != 0 && ((remainder < 0) != (b < 0))) ? remainder + b : remainder;
}

/// ceil(a / b) for any b != 0, or nullopt on overflow and for b == 0.
/// Example: (7, -2) -> -3
inline std::optional<int64_t> CheckedCeilDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == kInt64Min && b == -1)) return std::nullopt;
  int64_t quotient = a / b;
  return (a % b != 0 && ((a < 0) == (b < 0))) ? quotient + 1 : quotient;
}

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_CHECKED_MATH_H_
