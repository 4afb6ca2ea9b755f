#include "simplifier/domain/preimage.h"

#include <algorithm>

namespace hlo_indexing::simplifier {

using support::CheckedMul;
using support::CheckedSub;

Interval PreimageOfAdd(Interval bounds, int64_t constant) {
  Interval result = bounds;
  if (bounds.lower != Interval::kMinusInfinity) {
    const std::optional<int64_t> lower = CheckedSub(bounds.lower, constant);
    if (!lower && constant < 0) return Interval::Empty();
    result.lower = lower.value_or(Interval::kMinusInfinity);
  }
  if (bounds.upper != Interval::kPlusInfinity) {
    const std::optional<int64_t> upper = CheckedSub(bounds.upper, constant);
    if (!upper && constant > 0) return Interval::Empty();
    result.upper = upper.value_or(Interval::kPlusInfinity);
  }
  return result;
}

Interval PreimageOfMultiply(Interval bounds, int64_t factor) {
  const auto divide_up = [&](int64_t end) {
    return support::CheckedCeilDiv(end, factor).value_or(Interval::kMinusInfinity);
  };
  const auto divide_down = [&](int64_t end) {
    return support::CheckedFloorDiv(end, factor).value_or(Interval::kPlusInfinity);
  };
  const bool has_lower = bounds.lower != Interval::kMinusInfinity;
  const bool has_upper = bounds.upper != Interval::kPlusInfinity;
  if (factor > 0) {
    return {has_lower ? divide_up(bounds.lower) : Interval::kMinusInfinity,
            has_upper ? divide_down(bounds.upper) : Interval::kPlusInfinity};
  }
  return {has_upper ? divide_up(bounds.upper) : Interval::kMinusInfinity,
          has_lower ? divide_down(bounds.lower) : Interval::kPlusInfinity};
}

Interval PreimageOfFloorDiv(Interval bounds, int64_t divisor, int64_t offset) {
  using Wide = __int128;
  Interval result;
  if (bounds.lower != Interval::kMinusInfinity) {
    const Wide lower = Wide{bounds.lower} * divisor + offset;
    if (lower > support::kInt64Max) return Interval::Empty();
    result.lower = static_cast<int64_t>(std::max<Wide>(lower, support::kInt64Min));
  }
  if (bounds.upper != Interval::kPlusInfinity) {
    const Wide upper = Wide{bounds.upper} * divisor + (divisor - 1) + offset;
    if (upper < support::kInt64Min) return Interval::Empty();
    result.upper = static_cast<int64_t>(std::min<Wide>(upper, support::kInt64Max));
  }
  return result;
}

Interval PreimageOfWideFloorDiv(Interval bounds, int64_t divisor) {
  Interval result;
  if (bounds.lower != Interval::kMinusInfinity) {
    result.lower = CheckedMul(bounds.lower, divisor).value_or(Interval::kMinusInfinity);
  }
  if (bounds.upper != Interval::kPlusInfinity) {
    const std::optional<int64_t> start = CheckedMul(bounds.upper, divisor);
    const std::optional<int64_t> end =
        start ? support::CheckedAdd(*start, divisor - 1) : std::nullopt;
    result.upper = end.value_or(Interval::kPlusInfinity);
  }
  return result;
}

}  // namespace hlo_indexing::simplifier
