// Closed intervals of 64-bit integers whose ends may be infinite.
#ifndef HLO_INDEXING_SIMPLIFIER_INTERVAL_H_
#define HLO_INDEXING_SIMPLIFIER_INTERVAL_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "support/checked_math.h"
#include "support/printing.h"

namespace hlo_indexing::simplifier {

using support::operator<<;
using support::PrintTo;

/// The integers from `lower` to `upper`, both inclusive. INT64_MIN as the lower end and INT64_MAX
/// as the upper end mean "no bound"; arithmetic saturates there, so a result never claims less than
/// the true set. Empty if lower > upper.
struct Interval {
  static constexpr int64_t kMinusInfinity = support::kInt64Min;
  static constexpr int64_t kPlusInfinity = support::kInt64Max;

  int64_t lower = kMinusInfinity;
  int64_t upper = kPlusInfinity;

  static Interval Point(int64_t value) { return {value, value}; }
  static Interval All() { return {}; }
  static Interval Empty() { return {0, -1}; }

  bool IsEmpty() const { return lower > upper; }
  bool IsPoint() const { return lower == upper && IsFinite(); }
  bool IsFinite() const { return lower != kMinusInfinity && upper != kPlusInfinity; }
  bool Contains(int64_t value) const { return lower <= value && value <= upper; }
  bool Contains(const Interval& other) const {
    return other.IsEmpty() || (lower <= other.lower && other.upper <= upper);
  }
  Interval Intersect(const Interval& other) const {
    return {std::max(lower, other.lower), std::min(upper, other.upper)};
  }

  /// Writes `[0, 9]`, with `-inf` and `inf` for ends that are no bounds.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const Interval&, const Interval&) = default;

  /// {a + b}; saturates.
  /// Example: [0, 3] + [1, 2] -> [1, 5]
  friend Interval operator+(const Interval& a, const Interval& b);
  /// {a * factor}; saturates.
  /// Example: [0, 3] * -2 -> [-6, 0]
  friend Interval operator*(const Interval& a, int64_t factor);
};

namespace internal {

// The end of a result: `infinity` if an operand's end is infinite or the exact value overflows.
inline int64_t AddEnds(int64_t a, int64_t b, int64_t infinity) {
  if (a == infinity || b == infinity) return infinity;
  return support::CheckedAdd(a, b).value_or(infinity);
}

inline int64_t ScaleEnd(int64_t end, int64_t factor, int64_t infinity) {
  if (end == Interval::kMinusInfinity || end == Interval::kPlusInfinity) return infinity;
  return support::CheckedMul(end, factor).value_or(infinity);
}

}  // namespace internal

inline Interval operator+(const Interval& a, const Interval& b) {
  return {internal::AddEnds(a.lower, b.lower, Interval::kMinusInfinity),
          internal::AddEnds(a.upper, b.upper, Interval::kPlusInfinity)};
}

inline Interval operator*(const Interval& a, int64_t factor) {
  if (factor == 0) return Interval::Point(0);
  const bool keep = factor > 0;
  return {internal::ScaleEnd(keep ? a.lower : a.upper, factor, Interval::kMinusInfinity),
          internal::ScaleEnd(keep ? a.upper : a.lower, factor, Interval::kPlusInfinity)};
}

/// {a - offset}; nullopt unless every end that is finite still is one.
/// Example: [2, 5] - 2 -> [0, 3]; [0, INT64_MAX - 1] - -1 -> nullopt
inline std::optional<Interval> SubtractExactly(const Interval& a, int64_t offset) {
  const auto shift = [&](int64_t end, int64_t infinity) -> std::optional<int64_t> {
    if (end == infinity) return infinity;
    const std::optional<int64_t> shifted = support::CheckedSub(end, offset);
    return shifted && *shifted != infinity ? shifted : std::nullopt;
  };
  const auto lower = shift(a.lower, Interval::kMinusInfinity);
  const auto upper = shift(a.upper, Interval::kPlusInfinity);
  if (!lower || !upper) return std::nullopt;
  return Interval{*lower, *upper};
}

/// {floor(a / divisor)}, for a divisor above 0.
/// Example: [-3, 9] / 4 -> [-1, 2]
inline Interval FloorDiv(const Interval& a, int64_t divisor) {
  Interval quotient;
  if (a.lower != Interval::kMinusInfinity) quotient.lower = support::FloorDiv(a.lower, divisor);
  if (a.upper != Interval::kPlusInfinity) quotient.upper = support::FloorDiv(a.upper, divisor);
  return quotient;
}

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_INTERVAL_H_
