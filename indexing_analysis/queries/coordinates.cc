#include "indexing_analysis/queries/coordinates.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Interval;
using simplifier::Sum;
using simplifier::Term;
using simplifier::VariableId;

class CoordinateSystem::Builder {
 public:
  Builder(CoordinateSystem& system, llvm::ArrayRef<VariableId> whole)
      : system_(system), whole_(whole) {}

  bool Build(llvm::ArrayRef<Sum> sums) {
    for (const Sum& sum : sums) {
      if (!CollectBoundaries(sum)) return false;
    }
    // In the order in which they were found, so that the answer depends on the sums alone.
    for (const Atom* variable : variables_) AddCoordinates(*variable);
    for (const Sum& sum : sums) {
      const std::optional<CoordinateSum> converted = Convert(sum);
      if (!converted.has_value()) return false;
      system_.sums_.push_back(*converted);
    }
    AddBoxConstraints();
    for (const CoordinateSum& quotient : system_.quotients_) {
      system_.dependences_.push_back(system_.DependencesOf(quotient));
    }
    return true;
  }

 private:
  // The coordinates of a variable: boundaries 1 = b0 < b1 < ..., and the first coordinate.
  struct Variable {
    llvm::SmallVector<int64_t, 4> boundaries = {1};
    size_t first = 0;
    bool is_whole = false;
  };

  bool CollectBoundaries(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      if (atom.extent == simplifier::kUnbounded) return false;
      if (atom.kind == AtomKind::kVariable) {
        const auto [position, is_new] = by_atom_.try_emplace(&atom);
        if (is_new) variables_.push_back(&atom);
        Variable& variable = position->second;
        if (term.lo > 1) variable.boundaries.push_back(term.lo);
        if (term.IsTop()) continue;
        const std::optional<int64_t> end = support::CheckedMul(term.lo, term.extent);
        if (!end.has_value()) return false;
        variable.boundaries.push_back(*end);
        continue;
      }
      if (atom.kind != AtomKind::kQuotientVariable || atom.depth > simplifier::kMaxDepth) {
        return false;
      }
      if (!visited_.insert(&atom).second) continue;
      if (!CollectBoundaries(atom.arguments.front())) return false;
    }
    return true;
  }

  void AddCoordinates(const Atom& atom) {
    Variable& variable = by_atom_[&atom];
    llvm::SmallVectorImpl<int64_t>& boundaries = variable.boundaries;
    llvm::sort(boundaries);
    boundaries.erase(llvm::unique(boundaries), boundaries.end());
    const auto divides_next = [&] {
      for (size_t i = 1; i < boundaries.size(); ++i) {
        if (boundaries[i] % boundaries[i - 1] != 0) return false;
      }
      return true;
    };
    if (llvm::is_contained(whole_, atom.variable) || !divides_next()) {
      variable.is_whole = true;
      boundaries.assign(1, 1);
    }
    variable.first = system_.sizes_.size();
    for (size_t i = 0; i < boundaries.size(); ++i) {
      const bool is_last = i + 1 == boundaries.size();
      system_.sizes_.push_back(is_last ? support::CeilDiv(atom.extent, boundaries[i])
                                       : boundaries[i + 1] / boundaries[i]);
      system_.variables_.push_back(atom.variable);
    }
  }

  void AddBoxConstraints() {
    for (const Atom* atom : variables_) {
      const Variable& variable = by_atom_[atom];
      if (atom->extent % variable.boundaries.back() == 0) continue;
      CoordinateSum sum;
      for (size_t i = 0; i < variable.boundaries.size(); ++i) {
        sum.linear.push_back({variable.boundaries[i], variable.first + i});
      }
      system_.box_constraints_.push_back({system_.sums_.size(), atom->extent - 1});
      system_.sums_.push_back(std::move(sum));
    }
  }

  // An atom starts at 0; the `lower` of a variable is part of the constants of sums.
  std::optional<CoordinateSum> Convert(const Sum& sum) {
    CoordinateSum result;
    result.constant = sum.constant;
    for (const Term& term : sum.terms) {
      const int64_t modulus = term.IsTop() ? 0 : term.extent;
      if (term.atom->kind == AtomKind::kQuotientVariable) {
        const std::optional<size_t> quotient = QuotientOf(*term.atom);
        if (!quotient.has_value()) return std::nullopt;
        result.quotients.push_back({term.coefficient, *quotient, term.lo, modulus});
        continue;
      }
      const Variable& variable = by_atom_[term.atom];
      if (variable.is_whole && !term.IsWhole()) {
        result.quotients.push_back(
            {term.coefficient, WholeVariable(variable.first), term.lo, modulus});
        continue;
      }
      const int64_t end = modulus == 0 ? support::kInt64Max : term.lo * modulus;
      for (size_t i = 0; i < variable.boundaries.size(); ++i) {
        const int64_t boundary = variable.boundaries[i];
        if (boundary < term.lo || boundary >= end) continue;
        const std::optional<int64_t> coefficient =
            support::CheckedMul(term.coefficient, boundary / term.lo);
        if (!coefficient.has_value()) return std::nullopt;
        AddLinear(result, *coefficient, variable.first + i);
      }
    }
    return result;
  }

  static void AddLinear(CoordinateSum& sum, int64_t coefficient, size_t coordinate) {
    for (CoordinateSum::LinearTerm& term : sum.linear) {
      if (term.coordinate != coordinate) continue;
      term.coefficient += coefficient;
      return;
    }
    sum.linear.push_back({coefficient, coordinate});
  }

  std::optional<size_t> QuotientOf(const Atom& atom) {
    const auto found = quotient_of_atom_.find(&atom);
    if (found != quotient_of_atom_.end()) return found->second;
    std::optional<CoordinateSum> argument = Convert(atom.arguments.front());
    if (!argument.has_value()) return std::nullopt;
    system_.quotients_.push_back(std::move(*argument));
    return quotient_of_atom_[&atom] = system_.quotients_.size() - 1;
  }

  // The quotient that is the coordinate itself.
  size_t WholeVariable(size_t coordinate) {
    const auto [position, is_new] = quotient_of_coordinate_.try_emplace(coordinate);
    if (is_new) {
      CoordinateSum itself;
      itself.linear.push_back({1, coordinate});
      system_.quotients_.push_back(std::move(itself));
      position->second = system_.quotients_.size() - 1;
    }
    return position->second;
  }

  CoordinateSystem& system_;
  llvm::ArrayRef<VariableId> whole_;
  std::vector<const Atom*> variables_;
  llvm::DenseMap<const Atom*, Variable> by_atom_;
  llvm::DenseSet<const Atom*> visited_;
  llvm::DenseMap<const Atom*, size_t> quotient_of_atom_;
  llvm::DenseMap<size_t, size_t> quotient_of_coordinate_;
};

std::optional<CoordinateSystem> CoordinateSystem::Create(llvm::ArrayRef<Sum> sums,
                                                         llvm::ArrayRef<VariableId> whole) {
  CoordinateSystem system;
  if (!Builder(system, whole).Build(sums)) return std::nullopt;
  return system;
}

std::optional<size_t> CoordinateSystem::CoordinateOf(VariableId variable) const {
  const auto position = llvm::find(variables_, variable);
  if (position == variables_.end()) return std::nullopt;
  return static_cast<size_t>(position - variables_.begin());
}

int64_t CoordinateSystem::Evaluate(const CoordinateSum& sum, llvm::ArrayRef<int64_t> point,
                                   llvm::ArrayRef<int64_t> quotients) {
  auto value = static_cast<uint64_t>(sum.constant);
  for (const CoordinateSum::LinearTerm& term : sum.linear) {
    value +=
        static_cast<uint64_t>(term.coefficient) * static_cast<uint64_t>(point[term.coordinate]);
  }
  for (const QuotientTerm& term : sum.quotients) {
    int64_t digit = support::FloorDiv(quotients[term.quotient], term.divisor);
    if (term.modulus != 0) digit = support::FloorMod(digit, term.modulus);
    value += static_cast<uint64_t>(term.coefficient) * static_cast<uint64_t>(digit);
  }
  return static_cast<int64_t>(value);
}

int64_t CoordinateSystem::num_terms() const {
  int64_t terms = 0;
  for (const CoordinateSum& sum : llvm::concat<const CoordinateSum>(sums(), quotients())) {
    terms += std::ssize(sum.linear) + std::ssize(sum.quotients);
  }
  return terms;
}

void CoordinateSystem::EvaluateQuotients(llvm::ArrayRef<int64_t> point,
                                         std::vector<int64_t>& values) const {
  values.resize(quotients_.size());
  for (size_t i = 0; i < quotients_.size(); ++i) {
    values[i] = Evaluate(quotients_[i], point, values);
  }
}

namespace {

Interval DigitRange(const Interval& quotient, const QuotientTerm& term) {
  const Interval digit = simplifier::FloorDiv(quotient, term.divisor);
  if (term.modulus == 0) return digit;
  const bool is_one_block = digit.IsFinite() && support::FloorDiv(digit.lower, term.modulus) ==
                                                    support::FloorDiv(digit.upper, term.modulus);
  if (!is_one_block) return {0, term.modulus - 1};
  return {support::FloorMod(digit.lower, term.modulus),
          support::FloorMod(digit.upper, term.modulus)};
}

Interval RangeOf(const CoordinateSum& sum, llvm::ArrayRef<Interval> box,
                 llvm::ArrayRef<Interval> quotients) {
  Interval range = Interval::Point(sum.constant);
  for (const CoordinateSum::LinearTerm& term : sum.linear) {
    range = range + box[term.coordinate] * term.coefficient;
  }
  for (const QuotientTerm& term : sum.quotients) {
    range = range + DigitRange(quotients[term.quotient], term) * term.coefficient;
  }
  return range;
}

}  // namespace

std::vector<Interval> CoordinateSystem::RangesOf(llvm::ArrayRef<Interval> box) const {
  std::vector<Interval> quotients;
  quotients.reserve(quotients_.size());
  for (const CoordinateSum& quotient : quotients_) {
    quotients.push_back(RangeOf(quotient, box, quotients));
  }
  std::vector<Interval> ranges;
  ranges.reserve(sums_.size());
  for (const CoordinateSum& sum : sums_) ranges.push_back(RangeOf(sum, box, quotients));
  return ranges;
}

llvm::BitVector CoordinateSystem::QuotientDependencesOf(const CoordinateSum& sum) const {
  llvm::BitVector result(static_cast<unsigned>(num_coordinates()));
  for (const QuotientTerm& term : sum.quotients) result |= dependences_[term.quotient];
  return result;
}

llvm::BitVector CoordinateSystem::DependencesOf(const CoordinateSum& sum) const {
  llvm::BitVector result = QuotientDependencesOf(sum);
  for (const CoordinateSum::LinearTerm& term : sum.linear) {
    result.set(static_cast<unsigned>(term.coordinate));
  }
  return result;
}

namespace {

using Period = CoordinateSystem::Period;

// The period of total + coefficient * term.
std::optional<Period> AddPeriods(const Period& total, const Period& term, int64_t coefficient) {
  const auto period =
      support::CheckedMul(total.period, term.period / std::gcd(total.period, term.period));
  if (!period.has_value()) return std::nullopt;
  const auto shift = support::CheckedMul(total.shift, *period / total.period);
  auto term_shift = support::CheckedMul(term.shift, *period / term.period);
  if (term_shift.has_value()) term_shift = support::CheckedMul(*term_shift, coefficient);
  if (!shift.has_value() || !term_shift.has_value()) return std::nullopt;
  const std::optional<int64_t> both = support::CheckedAdd(*shift, *term_shift);
  // std::gcd has no answer for the smallest number.
  if (!both.has_value() || *both == support::kInt64Min) return std::nullopt;
  return Period{*period, *both};
}

// The period of a digit of what has the period `argument`: that must move by a multiple of what the
// digit repeats after.
std::optional<Period> PeriodOfDigit(const Period& argument, const QuotientTerm& term) {
  if (argument.shift == 0) return Period{argument.period, 0};
  const auto repeat = support::CheckedMul(term.divisor, term.modulus == 0 ? 1 : term.modulus);
  if (!repeat.has_value()) return std::nullopt;
  const int64_t factor = *repeat / std::gcd(*repeat, argument.shift);
  const std::optional<int64_t> period = support::CheckedMul(argument.period, factor);
  const std::optional<int64_t> moved = support::CheckedMul(argument.shift, factor);
  if (!period.has_value() || !moved.has_value()) return std::nullopt;
  return Period{*period, term.modulus != 0 ? 0 : *moved / term.divisor};
}

std::optional<Period> PeriodOf(const CoordinateSum& sum, size_t coordinate,
                               llvm::ArrayRef<std::optional<Period>> quotients) {
  std::optional<Period> result = Period{};
  for (const CoordinateSum::LinearTerm& term : sum.linear) {
    if (term.coordinate != coordinate) continue;
    result = AddPeriods(*result, {1, 1}, term.coefficient);
    if (!result.has_value()) return std::nullopt;
  }
  for (const QuotientTerm& term : sum.quotients) {
    const std::optional<Period>& argument = quotients[term.quotient];
    if (!argument.has_value()) return std::nullopt;
    const std::optional<Period> digit = PeriodOfDigit(*argument, term);
    if (!digit.has_value()) return std::nullopt;
    result = AddPeriods(*result, *digit, term.coefficient);
    if (!result.has_value()) return std::nullopt;
  }
  return result;
}

}  // namespace

std::vector<std::optional<Period>> CoordinateSystem::QuotientPeriodsAlong(size_t coordinate) const {
  std::vector<std::optional<Period>> quotients;
  quotients.reserve(quotients_.size());
  for (const CoordinateSum& quotient : quotients_) {
    quotients.push_back(PeriodOf(quotient, coordinate, quotients));
  }
  return quotients;
}

std::optional<Period> CoordinateSystem::PeriodAlong(size_t coordinate,
                                                    const CoordinateSum& sum) const {
  return PeriodOf(sum, coordinate, QuotientPeriodsAlong(coordinate));
}

std::vector<std::optional<Period>> CoordinateSystem::PeriodsAlong(size_t coordinate) const {
  const std::vector<std::optional<Period>> quotients = QuotientPeriodsAlong(coordinate);
  std::vector<std::optional<Period>> periods;
  periods.reserve(sums_.size());
  for (const CoordinateSum& sum : sums_) periods.push_back(PeriodOf(sum, coordinate, quotients));
  return periods;
}

}  // namespace hlo_indexing::indexing_analysis
