#include "simplifier/quotient_fit.h"

#include <algorithm>
#include <numeric>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CeilDiv;
using support::FloorDiv;

// What a divisor is at most. A line through values of x from 0 to n has one of at most n + 1, but
// a larger one may do without a factor or a constant.
constexpr int64_t kMaxDivisor = 64;

// Products of a few of these fit.
constexpr int64_t kMaxNumber = int64_t{1} << 24;

bool IsSmall(int64_t number) { return number <= kMaxNumber && number >= -kMaxNumber; }

// Additions, multiplications and signs beside the division.
int Length(const QuotientFit::Function& function) {
  const bool is_multiplied = function.factor != 1 && function.factor != -1;
  return (is_multiplied ? 1 : 0) + (function.factor < 0 ? 1 : 0) + (function.constant != 0 ? 1 : 0);
}

// Of the constants from `low` to `high`, 0 or one that can stand behind the division, if there is
// one.
int64_t PlainestConstant(int64_t low, int64_t high, int64_t divisor) {
  if (low <= 0 && high >= 0) return 0;
  const int64_t multiple = CeilDiv(low, divisor) * divisor;
  return multiple <= high ? multiple : low;
}

using Point = std::pair<int64_t, int64_t>;
using Points = llvm::ArrayRef<Point>;

// The slopes with which points, by x, lie on (factor * x + constant) floordiv divisor: those
// between two fractions, these excluded.
class Slopes {
 public:
  explicit Slopes(Points points) {
    // Neighbours rule out most of what is no such function.
    for (size_t distance = 1; distance < points.size(); ++distance) {
      for (size_t i = distance; i < points.size(); ++i) Narrow(points[i - distance], points[i]);
      if (IsEmpty()) return;
    }
  }

  bool IsEmpty() const { return !Exceeds(below_, above_); }
  int64_t FirstFactor(int64_t divisor) const {
    return FloorDiv(above_.rise * divisor, above_.step) + 1;
  }
  int64_t LastFactor(int64_t divisor) const {
    return CeilDiv(below_.rise * divisor, below_.step) - 1;
  }

 private:
  // The step is positive.
  struct Fraction {
    int64_t rise = 0;
    int64_t step = 1;
  };

  static bool Exceeds(const Fraction& a, const Fraction& b) {
    return a.rise * b.step > b.rise * a.step;
  }

  // Values differ by less than 1 from what the slope says.
  void Narrow(const Point& a, const Point& b) {
    const int64_t step = b.first - a.first;
    const int64_t rise = b.second - a.second;
    const Fraction above = {rise - 1, step};
    const Fraction below = {rise + 1, step};
    if (Exceeds(above, above_)) above_ = above;
    if (Exceeds(below_, below)) below_ = below;
  }

  Fraction above_ = {-4 * kMaxNumber, 1};
  Fraction below_ = {4 * kMaxNumber, 1};
};

// The constant that goes with the slope factor / divisor, if there is one.
std::optional<QuotientFit::Function> WithSlope(Points points, int64_t factor, int64_t divisor) {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  for (const auto& [x, value] : points) {
    const int64_t constant = value * divisor - factor * x;
    low = std::max(low, constant);
    high = std::min(high, constant + divisor - 1);
  }
  if (low > high) return std::nullopt;
  return QuotientFit::Function{factor, PlainestConstant(low, high, divisor), divisor};
}

std::optional<QuotientFit::Function> Plainest(Points points) {
  const Slopes slopes(points);
  if (slopes.IsEmpty()) return std::nullopt;
  std::optional<QuotientFit::Function> best;
  for (int64_t divisor = 2; divisor <= kMaxDivisor; ++divisor) {
    const int64_t first = slopes.FirstFactor(divisor);
    // Slopes that are far apart are those of few points.
    constexpr int64_t kMaxFactors = 4;
    const int64_t last = std::min(slopes.LastFactor(divisor), first + kMaxFactors);
    for (int64_t factor = first; factor <= last; ++factor) {
      const auto function = WithSlope(points, factor, divisor);
      if (function && (!best || Length(*function) < Length(*best))) best = function;
    }
  }
  return best;
}

}  // namespace

bool QuotientFit::Add(int64_t x, int64_t value) {
  if (!IsSmall(x) || !IsSmall(value)) return false;
  auto* const place =
      llvm::lower_bound(points_, x, [](const auto& point, int64_t y) { return point.first < y; });
  if (place != points_.end() && place->first == x) return place->second == value;
  if (points_.size() == kMaxPoints) return false;
  points_.insert(place, {x, value});
  return true;
}

std::optional<QuotientFit::Function> QuotientFit::Solve() const {
  int64_t scale = 0;
  for (const auto& point : points_) {
    scale = std::gcd(scale, point.second - points_.front().second);
  }
  if (scale == 0) return std::nullopt;
  const int64_t offset = support::FloorMod(points_.front().second, scale);
  llvm::SmallVector<Point, 8> scaled = points_;
  for (auto& point : scaled) point.second = (point.second - offset) / scale;
  std::optional<Function> function = Plainest(scaled);
  if (!function) return std::nullopt;
  function->scale = scale;
  function->offset = offset;
  return function;
}

}  // namespace hlo_indexing::simplifier
