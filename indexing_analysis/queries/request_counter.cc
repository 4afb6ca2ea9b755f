#include "indexing_analysis/queries/request_counter.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using llvm::DynamicAPInt;
using simplifier::Interval;
using Period = CoordinateSystem::Period;

namespace {

// Deciding the constraints of a box looks at all terms of the system: one of up to 64 terms may
// have all boxes, larger ones fewer.
constexpr int64_t kMaxBoxes = 4096;
constexpr int64_t kMaxBoxWork = int64_t{1} << 18;
// A box with fewer points is not split further: trying them is cheaper than deciding.
constexpr int64_t kFewPoints = 128;
constexpr int64_t kMaxRuntimeChoices = 4096;
constexpr int64_t kWorkOfUniformPoint = 4;

int64_t SizeOf(const Interval& interval) { return interval.upper - interval.lower + 1; }

// a * b, or the largest number.
int64_t SaturatingProduct(int64_t a, int64_t b) {
  return support::CheckedMul(a, b).value_or(support::kInt64Max);
}

void AddTo(Image::Count& count, const DynamicAPInt& lower, const DynamicAPInt& upper) {
  count.lower += lower;
  count.upper += upper;
}

// Moves to the next point of a box of trials; false from the last one to the first.
template <typename Trials>
bool MoveToNext(const Trials& trials, llvm::ArrayRef<Interval> box,
                llvm::MutableArrayRef<int64_t> point) {
  for (const auto& trial : trials) {
    int64_t& value = point[trial.coordinate];
    const int64_t first = box[trial.coordinate].lower;
    if (value - first + 1 < trial.trials) {
      ++value;
      return true;
    }
    value = first;
  }
  return false;
}

}  // namespace

RequestCounter::RequestCounter(const RequestProblem& problem)
    : problem_(problem),
      offset_(problem.system.sums()[problem.offset]),
      remaining_(problem.max_lane_accesses) {
  const CoordinateSystem& system = problem_.system;
  max_boxes_ = std::min(kMaxBoxes, kMaxBoxWork / (1 + system.num_terms()));
  residue_offset_ = OffsetByResidue();
  for (size_t x = 0; x < system.num_coordinates(); ++x) {
    periods_.push_back(system.PeriodsAlong(x));
    residue_periods_.push_back(system.PeriodAlong(x, residue_offset_));
  }
  for (const CoordinateSum& sum : system.sums()) {
    dependences_.push_back(system.DependencesOf(sum));
    quotient_dependences_.push_back(system.QuotientDependencesOf(sum));
  }
  for (const RuntimeKey& key : problem_.runtime_keys) {
    if (key.is_unknown) {
      runtime_is_divergent_ = true;
      runtime_is_constant_ = false;
    }
    for (const size_t sum : key.sums) {
      if (dependences_[sum].any()) runtime_is_constant_ = false;
      if (problem_.lane.has_value() &&
          dependences_[sum].test(static_cast<unsigned>(*problem_.lane))) {
        runtime_is_divergent_ = true;
      }
    }
  }
}

// The offset with shorter periods: what all lanes have in common only matters by its residue.
CoordinateSum RequestCounter::OffsetByResidue() const {
  CoordinateSum sum = offset_;
  sum.quotients.clear();
  for (QuotientTerm term : offset_.quotients) {
    const llvm::BitVector& dependences = problem_.system.DependencesOfQuotient(term.quotient);
    const bool is_common =
        !problem_.lane.has_value() || !dependences.test(static_cast<unsigned>(*problem_.lane));
    if (is_common) {
      const int64_t repeats =
          problem_.period_bits / std::gcd(problem_.period_bits, ResidueOf(term.coefficient));
      if (repeats == 1) continue;
      if (term.modulus % repeats == 0 && term.modulus != 0) term.modulus = repeats;
    }
    sum.quotients.push_back(term);
  }
  return sum;
}

RequestTotals RequestCounter::Count() {
  Box box;
  for (const int64_t size : problem_.system.sizes()) box.push_back({0, size - 1});
  CountBox(std::move(box));
  if (!by_choice_.empty()) {
    Image::Count range = by_choice_.front();
    for (const Image::Count& choice : by_choice_) {
      range.lower = std::min(range.lower, choice.lower);
      range.upper = std::max(range.upper, choice.upper);
    }
    AddTo(totals_.sectors, range.lower, range.upper);
  }
  const bool is_exact =
      totals_.sectors.IsExact() && totals_.requests.IsExact() && totals_.ideal_sectors.IsExact();
  if (!is_exact && totals_.reason.empty()) {
    totals_.reason = "addresses depend on values that are known at run time only";
  }
  if (is_exact) totals_.reason.clear();
  return totals_;
}

void RequestCounter::CountBox(Box box) {
  bool is_empty = false;
  const Constraints undecided = UndecidedIn(box, is_empty);
  if (is_empty) return;
  const std::optional<size_t> split = CoordinateToSplit(box, undecided);
  if (split.has_value() && ++num_boxes_ < max_boxes_) {
    const Interval whole = box[*split];
    const int64_t middle = whole.lower + (whole.upper - whole.lower) / 2;
    box[*split] = {whole.lower, middle};
    CountBox(box);
    box[*split] = {middle + 1, whole.upper};
    CountBox(std::move(box));
    return;
  }
  const Plan plan = MakePlan(box, undecided);
  if (!plan.cost.has_value() || *plan.cost > remaining_) {
    totals_.is_cut = true;
    AddUncounted(box, plan);
    return;
  }
  remaining_ -= *plan.cost;
  totals_.lane_accesses += *plan.cost;
  CountPlan(box, plan);
}

RequestCounter::Constraints RequestCounter::UndecidedIn(const Box& box, bool& is_empty) const {
  Constraints undecided;
  if (problem_.constraints.empty()) return undecided;
  const std::vector<Interval> ranges = problem_.system.RangesOf(box);
  for (size_t i = 0; i < problem_.constraints.size(); ++i) {
    const auto& [sum, bounds] = problem_.constraints[i];
    if (bounds.Contains(ranges[sum])) continue;
    if (bounds.Intersect(ranges[sum]).IsEmpty()) {
      is_empty = true;
      return {};
    }
    undecided.push_back(i);
  }
  return undecided;
}

// The coordinate of the grid that moves an undecided constraint most, unless few points are left.
std::optional<size_t> RequestCounter::CoordinateToSplit(const Box& box,
                                                        const Constraints& undecided) const {
  std::optional<size_t> widest;
  int64_t widest_move = 0;
  for (const size_t i : undecided) {
    const size_t number = problem_.constraints[i].first;
    if (dependences_[number].anyCommon(problem_.runtime)) continue;
    int64_t points = 1;
    std::optional<size_t> best;
    int64_t best_move = 0;
    for (const unsigned x : dependences_[number].set_bits()) {
      if (problem_.lane == x) continue;
      const std::optional<Period>& period = periods_[x][number];
      const int64_t size = SizeOf(box[x]);
      const bool repeats = period.has_value() && period->shift == 0 && period->period < size;
      points = SaturatingProduct(points, repeats ? period->period : size);
      if (size == 1 || repeats) continue;
      // By how much the sum changes over the box, on average of a period.
      int64_t move = size;
      if (period.has_value() && period->shift != 0) {
        move =
            std::max<int64_t>(1, SaturatingProduct(std::abs(period->shift), size) / period->period);
      }
      if (move <= best_move) continue;
      best_move = move;
      best = x;
    }
    if (points <= kFewPoints || !best.has_value() || best_move <= widest_move) continue;
    widest = best;
    widest_move = best_move;
  }
  return widest;
}

int64_t RequestCounter::TrialsOf(size_t coordinate, int64_t size,
                                 const Constraints& undecided) const {
  const auto bit = static_cast<unsigned>(coordinate);
  const std::vector<std::optional<Period>>& periods = periods_[coordinate];
  int64_t trials = 1;
  const auto repeat_after = [&](int64_t period) {
    const int64_t common = std::gcd(trials, period);
    trials = SaturatingProduct(trials, period / common);
  };
  if (problem_.system.DependencesOf(residue_offset_).test(bit)) {
    const std::optional<Period>& period = residue_periods_[coordinate];
    if (!period.has_value()) return size;
    repeat_after(SaturatingProduct(
        period->period, problem_.period_bits / std::gcd(problem_.period_bits, period->shift)));
  }
  for (const size_t i : undecided) {
    const size_t sum = problem_.constraints[i].first;
    if (!dependences_[sum].test(bit)) continue;
    const std::optional<Period>& period = periods[sum];
    if (!period.has_value() || period->shift != 0) return size;
    repeat_after(period->period);
  }
  if (runtime_is_divergent_) {
    // Which lanes have the same value does not change if all keys move alike.
    for (const RuntimeKey& key : problem_.runtime_keys) {
      for (const size_t sum : key.sums) {
        if (!quotient_dependences_[sum].test(bit)) continue;
        if (!periods[sum].has_value()) return size;
        repeat_after(periods[sum]->period);
      }
    }
  }
  return std::min(trials, size);
}

RequestCounter::Plan RequestCounter::MakePlan(const Box& box, const Constraints& undecided) const {
  Plan plan;
  for (const size_t i : undecided) {
    if (dependences_[problem_.constraints[i].first].anyCommon(problem_.runtime)) {
      plan.domain_depends_on_runtime = true;
    } else {
      plan.undecided.push_back(i);
    }
  }
  llvm::BitVector tried = problem_.system.QuotientDependencesOf(residue_offset_);
  for (const size_t i : plan.undecided) tried |= dependences_[problem_.constraints[i].first];
  if (runtime_is_divergent_) {
    for (const RuntimeKey& key : problem_.runtime_keys) {
      for (const size_t sum : key.sums) tried |= quotient_dependences_[sum];
    }
  }
  llvm::SmallVector<size_t, 8> linear;
  int64_t cost = problem_.num_lanes;
  for (size_t x = 0; x < box.size(); ++x) {
    if (problem_.lane == x) continue;
    const auto bit = static_cast<unsigned>(x);
    const int64_t size = SizeOf(box[x]);
    if (problem_.runtime.test(bit)) {
      const int64_t trials = TrialsOf(x, size, {});
      plan.runtime.push_back({x, trials, size});
      cost = SaturatingProduct(cost, trials);
    } else if (tried.test(bit)) {
      const int64_t trials = TrialsOf(x, size, plan.undecided);
      plan.grid.push_back({x, trials, size});
      cost = SaturatingProduct(cost, trials);
    } else {
      linear.push_back(x);
    }
  }
  plan.residues = ResiduesOf(linear, box);
  plan.is_uniform = IsUniform(plan);
  if (plan.is_uniform) {
    // Only the first lane is looked at, which takes as long as some.
    cost = SaturatingProduct(cost / std::max<int64_t>(1, problem_.num_lanes), kWorkOfUniformPoint);
  } else {
    cost = SaturatingProduct(cost, static_cast<int64_t>(plan.residues.size()));
  }
  int64_t choices = 1;
  for (const Trial& trial : plan.runtime) choices = SaturatingProduct(choices, trial.trials);
  if (choices <= kMaxRuntimeChoices) plan.cost = cost;
  return plan;
}

std::vector<std::pair<int64_t, DynamicAPInt>> RequestCounter::ResiduesOf(
    llvm::ArrayRef<size_t> coordinates, const Box& box) const {
  const int64_t modulus = problem_.period_bits;
  std::vector<DynamicAPInt> counts(static_cast<size_t>(modulus));
  counts[0] = 1;
  for (const size_t x : coordinates) {
    int64_t coefficient = 0;
    for (const CoordinateSum::LinearTerm& term : offset_.linear) {
      if (term.coordinate == x) coefficient = term.coefficient;
    }
    const int64_t size = SizeOf(box[x]);
    const int64_t step = support::FloorMod(coefficient, modulus);
    const int64_t period = modulus / std::gcd(modulus, step);
    std::vector<DynamicAPInt> next(static_cast<size_t>(modulus));
    for (int64_t residue = 0; residue < modulus; ++residue) {
      const DynamicAPInt& count = counts[static_cast<size_t>(residue)];
      if (count == 0) continue;
      for (int64_t i = 0; i < std::min(period, size); ++i) {
        const int64_t repetitions = (size - i - 1) / period + 1;
        next[static_cast<size_t>((residue + i * step) % modulus)] +=
            count * DynamicAPInt(repetitions);
      }
    }
    counts = std::move(next);
  }
  std::vector<std::pair<int64_t, DynamicAPInt>> residues;
  for (int64_t residue = 0; residue < modulus; ++residue) {
    const DynamicAPInt& count = counts[static_cast<size_t>(residue)];
    if (count != 0) residues.emplace_back(residue, count);
  }
  return residues;
}

bool RequestCounter::IsUniform(const Plan& plan) const {
  if (runtime_is_divergent_) return false;
  llvm::BitVector apart = problem_.runtime;
  if (problem_.lane.has_value()) {
    const auto lane = static_cast<unsigned>(*problem_.lane);
    for (const size_t i : plan.undecided) {
      if (dependences_[problem_.constraints[i].first].test(lane)) return false;
    }
    apart.set(lane);
  }
  // No quotient mixes lanes, or values known at run time, with anything else.
  return llvm::none_of(offset_.quotients, [&](const QuotientTerm& term) {
    const llvm::BitVector& dependences = problem_.system.DependencesOfQuotient(term.quotient);
    return dependences.count() > 1 && dependences.anyCommon(apart);
  });
}

void RequestCounter::CountPlan(const Box& box, const Plan& plan) {
  llvm::SmallVector<int64_t, 16> point;
  for (const Interval& interval : box) point.push_back(interval.lower);
  // What is known of the requests whose first lane has a residue, where that is all that matters.
  std::vector<std::optional<Choices>> known(
      plan.is_uniform ? static_cast<size_t>(problem_.period_bits) : 0);
  plan_patterns_ = PatternsFor(plan);
  do {
    has_first_lane_ = false;
    DynamicAPInt repetitions(1);
    for (const Trial& trial : plan.grid) {
      const int64_t i = point[trial.coordinate] - box[trial.coordinate].lower;
      repetitions *= DynamicAPInt((trial.size - i - 1) / trial.trials + 1);
    }
    if (!plan.is_uniform) {
      for (const auto& [residue, count] : plan.residues) {
        Add(RequestAt(plan, box, point, residue), repetitions * count, plan);
      }
      continue;
    }
    if (problem_.lane.has_value()) point[*problem_.lane] = box[*problem_.lane].lower;
    problem_.system.EvaluateQuotients(point, quotients_);
    // No constraint depends on the lane: all lanes are active or none is.
    if (!IsInDomain(plan, point)) continue;
    const int64_t first = ResidueOf(CoordinateSystem::Evaluate(offset_, point, quotients_));
    for (const auto& [residue, count] : plan.residues) {
      std::optional<Choices>& choices =
          known[static_cast<size_t>((first + residue) % problem_.period_bits)];
      if (!choices.has_value()) choices = RequestAt(plan, box, point, residue);
      Add(*choices, repetitions * count, plan);
    }
  } while (MoveToNext(plan.grid, box, point));
}

bool RequestCounter::IsInDomain(const Plan& plan, llvm::ArrayRef<int64_t> point) const {
  return llvm::all_of(plan.undecided, [&](size_t i) {
    const auto& [sum, bounds] = problem_.constraints[i];
    return bounds.Contains(
        CoordinateSystem::Evaluate(problem_.system.sums()[sum], point, quotients_));
  });
}

void RequestCounter::Add(const Choices& choices, const DynamicAPInt& times, const Plan& plan) {
  if (choices.empty()) return;
  const auto less = [](const RequestSectors& a, const RequestSectors& b) {
    return a.sectors < b.sectors;
  };
  const auto [best, worst] = std::minmax_element(choices.begin(), choices.end(), less);
  const auto [best_ideal, worst_ideal] = std::minmax_element(
      choices.begin(), choices.end(), [](const RequestSectors& a, const RequestSectors& b) {
        return a.ideal_sectors < b.ideal_sectors;
      });
  const DynamicAPInt certain = plan.domain_depends_on_runtime || problem_.domain_depends_on_runtime
                                   ? DynamicAPInt(0)
                                   : times;
  AddTo(totals_.requests, certain, times);
  AddTo(totals_.ideal_sectors, certain * DynamicAPInt(best_ideal->ideal_sectors),
        times * DynamicAPInt(worst_ideal->ideal_sectors));
  if (!runtime_is_constant_) {
    AddTo(totals_.sectors, certain * DynamicAPInt(best->sectors),
          times * DynamicAPInt(worst->sectors));
    return;
  }
  // All requests have the same values: the best and the worst case are each of one choice.
  by_choice_.resize(std::max(by_choice_.size(), choices.size()));
  for (size_t i = 0; i < by_choice_.size(); ++i) {
    // Boxes without a choice have one request for all.
    const RequestSectors& request = choices[std::min(i, choices.size() - 1)];
    AddTo(by_choice_[i], certain * DynamicAPInt(request.sectors),
          times * DynamicAPInt(request.sectors));
  }
}

// A request touches at least one sector, and each lane at most what its own access overlaps.
void RequestCounter::AddUncounted(const Box& box, const Plan& plan) {
  DynamicAPInt requests(1);
  for (size_t x = 0; x < box.size(); ++x) {
    if (problem_.lane == x || problem_.runtime.test(static_cast<unsigned>(x))) continue;
    requests *= DynamicAPInt(SizeOf(box[x]));
  }
  const bool all_are_active = plan.undecided.empty() && !plan.domain_depends_on_runtime &&
                              !problem_.domain_depends_on_runtime;
  const DynamicAPInt certain = all_are_active ? requests : DynamicAPInt(0);
  // What divides a sector lies in one.
  const bool is_in_one_sector = problem_.unit_bits % problem_.width == 0;
  const int64_t per_lane = is_in_one_sector ? 1 : problem_.width / problem_.unit_bits + 2;
  AddTo(totals_.requests, certain, requests);
  AddTo(totals_.sectors, certain, requests * DynamicAPInt(per_lane * problem_.num_lanes));
  AddTo(totals_.ideal_sectors, certain,
        requests * DynamicAPInt(
                       support::CeilDiv(problem_.width * problem_.num_lanes, problem_.unit_bits)));
  totals_.reason = "the pattern of addresses repeats too rarely to be counted";
}

LanePatterns* RequestCounter::PatternsFor(const Plan& plan) {
  std::vector<size_t> sums = {problem_.offset};
  for (const size_t i : plan.undecided) sums.push_back(problem_.constraints[i].first);
  const auto [known, is_new] = patterns_.try_emplace(sums);
  if (is_new) {
    known->second = LanePatterns::Create(problem_.system, problem_.lane, problem_.num_lanes, sums);
  }
  return known->second.has_value() ? &*known->second : nullptr;
}

void RequestCounter::LookAtFirstLane(const Plan& plan, const Box& box,
                                     llvm::MutableArrayRef<int64_t> point) {
  has_first_lane_ = true;
  if (problem_.lane.has_value()) point[*problem_.lane] = box[*problem_.lane].lower;
  problem_.system.EvaluateQuotients(point, quotients_);
  first_lane_.pattern = &plan_patterns_->At(quotients_);
  first_lane_.offset = CoordinateSystem::Evaluate(offset_, point, quotients_);
  first_lane_.active = (uint64_t{1} << problem_.num_lanes) - 1;
  for (size_t i = 0; i < plan.undecided.size(); ++i) {
    const auto& [sum, bounds] = problem_.constraints[plan.undecided[i]];
    const LanePatterns::Shifts& shifts = first_lane_.pattern->sums[i + 1];
    const int64_t value =
        CoordinateSystem::Evaluate(problem_.system.sums()[sum], point, quotients_);
    const Interval values = Interval::Point(value) + Interval{shifts.least, shifts.most};
    if (bounds.Contains(values)) continue;
    for (int64_t lane = 0; lane < problem_.num_lanes; ++lane) {
      if (bounds.Contains(value + shifts.of_lane[static_cast<size_t>(lane)])) continue;
      first_lane_.active &= ~(uint64_t{1} << lane);
    }
  }
}

// Requests whose active lanes are the same, with the same pattern and residue, are alike.
RequestSectors RequestCounter::RequestByPattern(const Plan& plan, const Box& box,
                                                llvm::MutableArrayRef<int64_t> point,
                                                int64_t residue) {
  const std::pair<const LanePatterns*, int64_t> pattern = {plan_patterns_,
                                                           first_lane_.pattern->number};
  const std::pair<uint64_t, int64_t> lanes = {first_lane_.active,
                                              ResidueOf(first_lane_.offset + residue)};
  const auto [known, is_new] = known_requests_.try_emplace({pattern, lanes});
  if (is_new) {
    GatherLanes(plan, box, point, residue);
    NoteStride();
    known->second = problem_.cost(lanes_, offsets_);
  }
  return known->second;
}

// The lanes that are active at a point, and their offsets.
void RequestCounter::GatherLanes(const Plan& plan, const Box& box,
                                 llvm::MutableArrayRef<int64_t> point, int64_t residue) {
  lanes_.clear();
  offsets_.clear();
  if (plan_patterns_ != nullptr) {
    const LanePatterns::Shifts& shifts = first_lane_.pattern->sums.front();
    for (int64_t lane = 0; lane < problem_.num_lanes; ++lane) {
      if ((first_lane_.active >> lane & 1) == 0) continue;
      lanes_.push_back(lane);
      offsets_.push_back(first_lane_.offset + shifts.of_lane[static_cast<size_t>(lane)] + residue);
    }
    return;
  }
  for (int64_t lane = 0; lane < problem_.num_lanes; ++lane) {
    if (problem_.lane.has_value()) point[*problem_.lane] = box[*problem_.lane].lower + lane;
    if (lane == 0 || problem_.lane.has_value()) {
      problem_.system.EvaluateQuotients(point, quotients_);
    }
    if (!IsInDomain(plan, point)) continue;
    lanes_.push_back(lane);
    offsets_.push_back(CoordinateSystem::Evaluate(offset_, point, quotients_) + residue);
  }
}

RequestCounter::Choices RequestCounter::RequestAt(const Plan& plan, const Box& box,
                                                  llvm::MutableArrayRef<int64_t> point,
                                                  int64_t residue) {
  Choices choices;
  // At worst, lanes with different values share no sector; at best, all of them touch sectors of
  // the group of lanes with one value that touches most.
  llvm::SmallVector<int64_t, 32> worst_by_group;
  llvm::SmallVector<RequestSectors, 32> best_by_group;
  int64_t worst_ideal = 0;
  do {
    if (plan_patterns_ != nullptr) {
      // Residues have it in common, values known at run time have not.
      if (!has_first_lane_ || !plan.runtime.empty()) LookAtFirstLane(plan, box, point);
      if (first_lane_.active == 0) return {};
      if (!runtime_is_divergent_) {
        choices.push_back(RequestByPattern(plan, box, point, residue));
        continue;
      }
    }
    GatherLanes(plan, box, point, residue);
    if (lanes_.empty()) return {};
    NoteStride();
    if (runtime_is_divergent_) {
      if (worst_by_group.empty()) GroupLanes(box, point);
      worst_by_group.resize(num_groups_);
      worst_ideal = 0;
      for (size_t group = 0; group < num_groups_; ++group) {
        llvm::SmallVector<int64_t, 32> lanes;
        llvm::SmallVector<int64_t, 32> offsets;
        for (size_t i = 0; i < lanes_.size(); ++i) {
          if (group_of_lane_[i] != group) continue;
          lanes.push_back(lanes_[i]);
          offsets.push_back(offsets_[i]);
        }
        const RequestSectors alone = problem_.cost(lanes, offsets);
        worst_by_group[group] = std::max(worst_by_group[group], alone.sectors);
        worst_ideal += alone.ideal_sectors;
        if (group == best_by_group.size()) best_by_group.push_back(alone);
        RequestSectors& best = best_by_group[group];
        best.sectors = std::min(best.sectors, alone.sectors);
        best.ideal_sectors = std::min(best.ideal_sectors, alone.ideal_sectors);
      }
    }
    choices.push_back(problem_.cost(lanes_, offsets_));
  } while (MoveToNext(plan.runtime, box, point));
  if (runtime_is_divergent_) {
    const int64_t all_bits = problem_.width * static_cast<int64_t>(lanes_.size());
    const int64_t ideal = std::min(worst_ideal, support::CeilDiv(all_bits, problem_.unit_bits));
    choices.push_back({std::accumulate(worst_by_group.begin(), worst_by_group.end(), int64_t{0}),
                       std::max(ideal, choices.front().ideal_sectors)});
    RequestSectors best;
    for (const RequestSectors& group : best_by_group) {
      best.sectors = std::max(best.sectors, group.sectors);
      best.ideal_sectors = std::max(best.ideal_sectors, group.ideal_sectors);
    }
    choices.push_back(best);
  }
  return choices;
}

// Lanes for which the values known at run time are the same elements.
void RequestCounter::GroupLanes(const Box& box, llvm::MutableArrayRef<int64_t> point) {
  std::vector<llvm::SmallVector<int64_t, 4>> groups;
  group_of_lane_.clear();
  for (const int64_t lane : lanes_) {
    if (problem_.lane.has_value()) point[*problem_.lane] = box[*problem_.lane].lower + lane;
    problem_.system.EvaluateQuotients(point, quotients_);
    llvm::SmallVector<int64_t, 4> key;
    for (const RuntimeKey& runtime : problem_.runtime_keys) {
      if (runtime.is_unknown) key.push_back(lane);
      for (const size_t sum : runtime.sums) {
        key.push_back(CoordinateSystem::Evaluate(problem_.system.sums()[sum], point, quotients_));
      }
    }
    const auto position = llvm::find(groups, key);
    group_of_lane_.push_back(static_cast<size_t>(position - groups.begin()));
    if (position == groups.end()) groups.push_back(std::move(key));
  }
  num_groups_ = groups.size();
}

void RequestCounter::NoteStride() {
  for (size_t i = 1; i < lanes_.size(); ++i) {
    if (lanes_[i] != lanes_[i - 1] + 1) continue;
    const int64_t stride = offsets_[i] - offsets_[i - 1];
    if (!has_stride_) totals_.lane_stride_bits = stride;
    has_stride_ = true;
    if (totals_.lane_stride_bits != stride) totals_.lane_stride_bits.reset();
  }
}

}  // namespace hlo_indexing::indexing_analysis
