#include "indexing_analysis/queries/lane_patterns.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// So that sums of a few of these fit.
constexpr int64_t kLargest = int64_t{1} << 60;

// a + b * c, wrapping around.
int64_t AddProduct(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b) * static_cast<uint64_t>(c));
}

}  // namespace

std::optional<LanePatterns> LanePatterns::Create(const CoordinateSystem& system,
                                                 std::optional<size_t> lane, int64_t num_lanes,
                                                 llvm::ArrayRef<size_t> sums) {
  LanePatterns patterns(system, lane.value_or(0), num_lanes);
  for (const size_t number : sums) {
    std::optional<LaneSum> sum =
        lane.has_value() ? patterns.Read(system.sums()[number]) : LaneSum();
    if (!sum.has_value()) return std::nullopt;
    patterns.sums_.push_back(*std::move(sum));
  }
  patterns.places_.resize(patterns.digits_.size());
  return patterns;
}

// As deep as quotients nest, at most simplifier::kMaxDepth.
// NOLINTNEXTLINE(misc-no-recursion)
std::optional<LanePatterns::LaneSum> LanePatterns::Read(const CoordinateSum& sum) {
  LaneSum result;
  for (const CoordinateSum::LinearTerm& term : sum.linear) {
    if (term.coordinate == lane_) result.step = AddProduct(result.step, term.coefficient, 1);
  }
  for (const QuotientTerm& term : sum.quotients) {
    const llvm::BitVector& dependences = system_->DependencesOfQuotient(term.quotient);
    if (!dependences.test(static_cast<unsigned>(lane_))) continue;
    if (term.divisor >= kLargest || term.modulus >= kLargest) return std::nullopt;
    const std::optional<size_t> quotient = AddQuotient(term.quotient);
    if (!quotient.has_value()) return std::nullopt;
    result.digits.push_back({term.coefficient, AddDigit(*quotient, term)});
  }
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion)
std::optional<size_t> LanePatterns::AddQuotient(size_t number) {
  const auto known = llvm::find_if(
      quotients_, [&](const Quotient& quotient) { return quotient.number == number; });
  if (known != quotients_.end()) return static_cast<size_t>(known - quotients_.begin());
  std::optional<LaneSum> sum = Read(system_->quotients()[number]);
  if (!sum.has_value()) return std::nullopt;
  int64_t reach = 0;
  // False if that is too far.
  const auto add = [&](int64_t coefficient, int64_t most) {
    const int64_t product = support::CheckedMul(coefficient, most).value_or(kLargest);
    reach += product == support::kInt64Min ? kLargest : std::min(kLargest, std::abs(product));
    return reach < kLargest;
  };
  if (!add(sum->step, num_lanes_ - 1)) return std::nullopt;
  for (const LaneSum::Use& use : sum->digits) {
    const Digit& digit = digits_[use.digit];
    const int64_t steps = quotients_[digit.quotient].reach / digit.divisor + 1;
    if (!add(use.coefficient, digit.modulus == 0 ? steps : digit.modulus)) return std::nullopt;
  }
  Quotient& quotient = quotients_.emplace_back();
  quotient.number = number;
  quotient.sum = *std::move(sum);
  quotient.reach = reach;
  return quotients_.size() - 1;
}

size_t LanePatterns::AddDigit(size_t quotient, const QuotientTerm& term) {
  for (const size_t known : quotients_[quotient].digits) {
    const Digit& digit = digits_[known];
    if (digit.divisor == term.divisor && digit.modulus == term.modulus) return known;
  }
  digits_.push_back({quotient, term.divisor, term.modulus});
  quotients_[quotient].digits.push_back(digits_.size() - 1);
  return digits_.size() - 1;
}

const LanePatterns::Pattern& LanePatterns::At(llvm::ArrayRef<int64_t> quotients) {
  for (Quotient& quotient : quotients_) {
    FindShape(quotient);
    FindPlaces(quotient, quotients[quotient.number]);
  }
  next_key_.clear();
  for (const LaneSum& sum : sums_) AppendKeys(sum, next_key_);
  if (last_ != nullptr && next_key_ == key_) return *last_;
  key_ = next_key_;
  Pattern& pattern = PlaceFor(key_, patterns_, spare_);
  if (pattern.sums.empty()) {
    for (const LaneSum& sum : sums_) pattern.sums.push_back(ShiftsOf(sum));
  }
  last_ = &pattern;
  return *last_;
}

// What the table has, or something new with a number of its own; in `spare` if the table is full.
template <typename Value>
Value& LanePatterns::PlaceFor(const Key& key, std::unordered_map<Key, Value, Hash>& table,
                              Value& spare) {
  constexpr size_t kMost = 4096;
  const auto known = table.find(key);
  if (known != table.end()) return known->second;
  Value& value = table.size() < kMost ? table[key] : spare;
  value = {};
  value.number = ++num_made_;
  return value;
}

void LanePatterns::FindShape(Quotient& quotient) {
  next_key_.clear();
  AppendKeys(quotient.sum, next_key_);
  if (quotient.shape != nullptr && next_key_ == quotient.key) return;
  quotient.key = next_key_;
  Shape& shape = PlaceFor(quotient.key, quotient.shapes, quotient.spare);
  quotient.shape = &shape;
  if (!shape.shifts.of_lane.empty()) return;
  shape.shifts = ShiftsOf(quotient.sum);
  for (const size_t digit : quotient.digits) {
    const int64_t divisor = digits_[digit].divisor;
    auto& boundaries = shape.boundaries.emplace_back();
    for (const int64_t shift : shape.shifts.of_lane) {
      const int64_t rest = support::FloorMod(shift, divisor);
      if (rest != 0) boundaries.push_back(divisor - rest);
    }
    llvm::sort(boundaries);
    boundaries.erase(llvm::unique(boundaries), boundaries.end());
  }
}

void LanePatterns::FindPlaces(const Quotient& quotient, int64_t value) {
  const Shape& shape = *quotient.shape;
  for (size_t i = 0; i < quotient.digits.size(); ++i) {
    const Digit& digit = digits_[quotient.digits[i]];
    Place& place = places_[quotient.digits[i]];
    const int64_t whole = support::FloorDiv(value, digit.divisor);
    place.rest = value - whole * digit.divisor;
    place.key[0] = shape.number;
    place.key[1] = llvm::upper_bound(shape.boundaries[i], place.rest) - shape.boundaries[i].begin();
    if (digit.modulus == 0) continue;
    place.value = support::FloorMod(whole, digit.modulus);
    const auto moved_by = [&](int64_t shift) {
      return place.value + support::FloorDiv(place.rest + shift, digit.divisor);
    };
    const bool wraps =
        moved_by(shape.shifts.least) < 0 || moved_by(shape.shifts.most) >= digit.modulus;
    place.key[2] = wraps ? place.value + 1 : 0;
  }
}

void LanePatterns::AppendKeys(const LaneSum& sum, Key& key) const {
  for (const LaneSum::Use& use : sum.digits) {
    key.append(std::begin(places_[use.digit].key), std::end(places_[use.digit].key));
  }
}

LanePatterns::Shifts LanePatterns::ShiftsOf(const LaneSum& sum) const {
  Shifts shifts;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    int64_t shift = AddProduct(0, sum.step, lane);
    for (const LaneSum::Use& use : sum.digits) {
      const Digit& digit = digits_[use.digit];
      const Place& place = places_[use.digit];
      const Shape& shape = *quotients_[digit.quotient].shape;
      const int64_t of_quotient = shape.shifts.of_lane[static_cast<size_t>(lane)];
      int64_t more = support::FloorDiv(place.rest + of_quotient, digit.divisor);
      if (digit.modulus != 0) {
        more = support::FloorMod(place.value + more, digit.modulus) - place.value;
      }
      shift = AddProduct(shift, use.coefficient, more);
    }
    shifts.of_lane.push_back(shift);
  }
  const auto [least, most] = std::minmax_element(shifts.of_lane.begin(), shifts.of_lane.end());
  shifts.least = *least;
  shifts.most = *most;
  return shifts;
}

}  // namespace hlo_indexing::indexing_analysis
