#include "indexing_analysis/queries/position_sums.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "indexing_analysis/queries/coordinates.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/interval.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using simplifier::Interval;
using simplifier::Progression;
using simplifier::QuasiAffineMap;
using simplifier::Sum;

// A set of numbers as runs of one stride.
class Runs {
 public:
  explicit Runs(int64_t stride) : stride_(stride) {}

  // Adds first, first + stride, ... False if these are too many runs.
  bool Add(int64_t first, int64_t size) {
    runs_.push_back({support::FloorMod(first, stride_), support::FloorDiv(first, stride_), size});
    if (runs_.size() < merge_at_) return true;
    Merge();
    merge_at_ = std::max(kMergeAt, 2 * runs_.size());
    return runs_.size() <= kMaxRuns;
  }

  // In ascending order of their first numbers.
  std::vector<Progression> Take() {
    Merge();
    const bool are_points = llvm::all_of(runs_, [](const Run& run) { return run.size == 1; });
    std::vector<Progression> progressions;
    for (const Run& run : runs_) {
      progressions.push_back(
          {run.place * stride_ + run.residue, run.size, run.size == 1 ? 1 : stride_});
    }
    llvm::sort(progressions,
               [](const Progression& a, const Progression& b) { return a.offset < b.offset; });
    if (!are_points) return progressions;
    std::vector<int64_t> numbers;
    for (const Progression& one : progressions) numbers.push_back(one.offset);
    return ProgressionsOf(numbers);
  }

 private:
  static constexpr size_t kMergeAt = size_t{1} << 16;
  static constexpr size_t kMaxRuns = size_t{1} << 20;
  struct Run {
    int64_t residue = 0;
    int64_t place = 0;
    int64_t size = 0;
  };

  // Joins those that overlap or touch.
  void Merge() {
    llvm::sort(runs_, [](const Run& a, const Run& b) {
      return std::pair(a.residue, a.place) < std::pair(b.residue, b.place);
    });
    size_t last = 0;
    for (size_t i = 1; i < runs_.size(); ++i) {
      Run& before = runs_[last];
      const Run& run = runs_[i];
      if (run.residue == before.residue && run.place <= before.place + before.size) {
        before.size = std::max(before.size, run.place + run.size - before.place);
      } else {
        runs_[++last] = run;
      }
    }
    if (!runs_.empty()) runs_.resize(last + 1);
  }

  int64_t stride_;
  size_t merge_at_ = kMergeAt;
  std::vector<Run> runs_;
};

// Coordinates that are tried together, and what depends on them.
struct Group {
  llvm::SmallVector<size_t, 4> coordinates;
  CoordinateSum position;
  // Sums and their bounds.
  llvm::SmallVector<std::pair<size_t, Interval>, 4> constraints;
};

// The t with value + factor * t in the bounds, of those in `range`; nullopt if that is not known.
std::optional<Interval> Solve(int64_t value, int64_t factor, const Interval& bounds,
                              const Interval& range) {
  if (value == support::kInt64Min || factor == support::kInt64Min) return std::nullopt;
  Interval multiples = bounds + Interval::Point(-value);
  if (factor == 0) return multiples.Contains(0) ? range : Interval::Empty();
  if (factor < 0) multiples = multiples * -1;
  const int64_t divisor = factor < 0 ? -factor : factor;
  const int64_t lower = multiples.lower == Interval::kMinusInfinity
                            ? range.lower
                            : support::CeilDiv(multiples.lower, divisor);
  const int64_t upper = multiples.upper == Interval::kPlusInfinity
                            ? range.upper
                            : support::FloorDiv(multiples.upper, divisor);
  return range.Intersect({lower, upper});
}

class PositionFinder {
 public:
  // Sum 0 of the system is the position, those behind it have these bounds.
  PositionFinder(const CoordinateSystem& system, llvm::ArrayRef<Interval> bounds)
      : system_(system), bounds_(bounds) {}

  // Nullopt if that takes more than `max_points`.
  std::optional<PositionSums> Find(int64_t max_points) {
    const CoordinateSum& position = system_.sums().front();
    sums_.constant = position.constant;
    FindGroups();
    for (const CoordinateSum::LinearTerm& term : position.linear) {
      if (const auto group = group_of_.find(term.coordinate); group != group_of_.end()) {
        groups_[group->second].position.linear.push_back(term);
      } else {
        sums_.steps.push_back({term.coefficient, system_.sizes()[term.coordinate]});
      }
    }
    for (size_t x = 0; x < system_.num_coordinates(); ++x) {
      if (!group_of_.contains(x)) sums_.num_points *= DynamicAPInt(system_.sizes()[x]);
    }
    for (const Group& group : groups_) {
      const std::optional<int64_t> num_tried = TryPoints(group, max_points);
      if (!num_tried.has_value()) return std::nullopt;
      max_points -= *num_tried;
    }
    return std::move(sums_);
  }

 private:
  // Joins the coordinates of each constraint and of each quotient of the position.
  void FindGroups() {
    llvm::EquivalenceClasses<size_t> classes;
    const auto join = [&](const llvm::BitVector& coordinates) {
      const int first = coordinates.find_first();
      for (const unsigned x : coordinates.set_bits()) {
        classes.unionSets(static_cast<size_t>(first), x);
      }
    };
    const CoordinateSum& position = system_.sums().front();
    for (const QuotientTerm& term : position.quotients) {
      join(system_.DependencesOfQuotient(term.quotient));
    }
    for (size_t i = 0; i < bounds_.size(); ++i) join(system_.DependencesOf(system_.sums()[i + 1]));
    std::map<size_t, size_t> group_of_leader;
    for (size_t x = 0; x < system_.num_coordinates(); ++x) {
      const auto leader = classes.findLeader(x);
      if (leader == classes.member_end()) continue;
      const auto [found, is_new] = group_of_leader.try_emplace(*leader, groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[found->second].coordinates.push_back(x);
      group_of_[x] = found->second;
    }
    for (const QuotientTerm& term : position.quotients) {
      GroupOf(system_.DependencesOfQuotient(term.quotient)).position.quotients.push_back(term);
    }
    for (size_t i = 0; i < bounds_.size(); ++i) {
      GroupOf(system_.DependencesOf(system_.sums()[i + 1]))
          .constraints.emplace_back(i + 1, bounds_[i]);
    }
  }

  // What depends on no coordinate has a group of one point.
  Group& GroupOf(const llvm::BitVector& coordinates) {
    if (coordinates.any()) {
      return groups_[group_of_[static_cast<size_t>(coordinates.find_first())]];
    }
    return groups_.emplace_back();
  }

  // The largest coordinate on which all of a group depends linearly: its values need not be tried,
  // as each constraint leaves an interval of them.
  std::optional<size_t> SolvedCoordinate(const Group& group) const {
    llvm::BitVector in_quotients(static_cast<unsigned>(system_.num_coordinates()));
    in_quotients |= system_.QuotientDependencesOf(group.position);
    for (const auto& [sum, bounds] : group.constraints) {
      in_quotients |= system_.QuotientDependencesOf(system_.sums()[sum]);
    }
    std::optional<size_t> largest;
    for (const size_t x : group.coordinates) {
      if (in_quotients.test(static_cast<unsigned>(x))) continue;
      if (!largest.has_value() || system_.sizes()[x] > system_.sizes()[*largest]) largest = x;
    }
    return largest;
  }

  static int64_t CoefficientOf(const CoordinateSum& sum, std::optional<size_t> coordinate) {
    for (const CoordinateSum::LinearTerm& term : sum.linear) {
      if (term.coordinate == coordinate) return term.coefficient;
    }
    return 0;
  }

  // How many points were tried; nullopt if there are too many.
  std::optional<int64_t> TryPoints(const Group& group, int64_t max_points) {
    const std::optional<size_t> solved = SolvedCoordinate(group);
    llvm::SmallVector<size_t, 4> tried;
    int64_t num_tried = 1;
    for (const size_t x : group.coordinates) {
      if (x == solved) continue;
      if (num_tried > max_points / system_.sizes()[x]) return std::nullopt;
      num_tried *= system_.sizes()[x];
      tried.push_back(x);
    }
    const Interval all = {0, solved.has_value() ? system_.sizes()[*solved] - 1 : 0};
    const int64_t factor = CoefficientOf(group.position, solved);
    if (factor == support::kInt64Min) return std::nullopt;
    Runs runs(factor == 0 ? 1 : std::max(factor, -factor));
    DynamicAPInt num_points(0);
    llvm::SmallVector<int64_t, 8> point(system_.num_coordinates());
    std::vector<int64_t> quotients;
    for (int64_t i = 0; i < num_tried; ++i) {
      system_.EvaluateQuotients(point, quotients);
      const auto value_of = [&](const CoordinateSum& sum) {
        return CoordinateSystem::Evaluate(sum, point, quotients);
      };
      Interval values = all;
      for (const auto& [sum, bounds] : group.constraints) {
        const CoordinateSum& expression = system_.sums()[sum];
        const std::optional<Interval> inside =
            Solve(value_of(expression), CoefficientOf(expression, solved), bounds, values);
        if (!inside.has_value()) return std::nullopt;
        values = *inside;
        if (values.IsEmpty()) break;
      }
      if (!values.IsEmpty()) {
        const int64_t size = values.upper - values.lower + 1;
        num_points += DynamicAPInt(size);
        const int64_t end = factor < 0 ? values.upper : values.lower;
        const auto distance = support::CheckedMul(factor, end);
        const auto first = distance.has_value()
                               ? support::CheckedAdd(value_of(group.position), *distance)
                               : std::nullopt;
        if (!first.has_value() || !runs.Add(*first, factor == 0 ? 1 : size)) return std::nullopt;
      }
      for (const size_t x : tried) {
        if (++point[x] < system_.sizes()[x]) break;
        point[x] = 0;
      }
    }
    sums_.num_points *= num_points;
    if (num_points > 0) sums_.groups.push_back(runs.Take());
    return num_tried;
  }

  const CoordinateSystem& system_;
  llvm::ArrayRef<Interval> bounds_;
  std::vector<Group> groups_;
  std::map<size_t, size_t> group_of_;
  PositionSums sums_;
};

}  // namespace

// Numbers in ascending order as progressions. Example: 0, 5, 6, 7 -> 0 | 5, 6, 7
std::vector<Progression> ProgressionsOf(llvm::ArrayRef<int64_t> numbers) {
  std::vector<Progression> progressions;
  while (!numbers.empty()) {
    size_t count = 1;
    const int64_t stride = numbers.size() > 1 ? numbers[1] - numbers[0] : 1;
    while (count < numbers.size() && numbers[count] - numbers[count - 1] == stride) ++count;
    // Two far from each other are rather the end of one run and the start of the next.
    if (count == 2 && stride != 1 && numbers.size() > 2) count = 1;
    progressions.push_back({numbers[0], static_cast<int64_t>(count), count == 1 ? 1 : stride});
    numbers = numbers.drop_front(count);
  }
  return progressions;
}

std::optional<PositionSums> PositionsOf(const QuasiAffineMap& f, const Sum& position,
                                        int64_t max_points) {
  std::vector<Sum> sums = {position};
  std::vector<Interval> bounds;
  for (const simplifier::Constraint& constraint : f.constraints) {
    sums.push_back(constraint.expression);
    bounds.push_back(constraint.bounds);
  }
  const std::optional<CoordinateSystem> system = CoordinateSystem::Create(sums, {});
  if (!system.has_value()) return std::nullopt;
  for (const CoordinateSystem::BoxConstraint& box : system->box_constraints()) {
    bounds.push_back({0, box.upper});
  }
  constexpr int64_t kFewTerms = 64;
  const int64_t num_terms = system->num_terms();
  if (num_terms > kFewTerms) max_points = max_points / num_terms * kFewTerms;
  std::optional<PositionSums> found = PositionFinder(*system, bounds).Find(max_points);
  if (!found.has_value()) return std::nullopt;
  // Variables that nothing depends on.
  llvm::SmallDenseSet<simplifier::VariableId, 8> mentioned;
  for (size_t x = 0; x < system->num_coordinates(); ++x) mentioned.insert(system->VariableOf(x));
  for (size_t i = 0; i < f.boxes.size(); ++i) {
    if (mentioned.contains(static_cast<simplifier::VariableId>(i))) continue;
    const Interval& box = f.boxes[i];
    found->num_points *= DynamicAPInt(box.upper) - DynamicAPInt(box.lower) + DynamicAPInt(1);
  }
  return found;
}

}  // namespace hlo_indexing::indexing_analysis
