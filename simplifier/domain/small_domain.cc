#include "simplifier/domain/small_domain.h"

#include <limits>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "simplifier/point_evaluator.h"

namespace hlo_indexing::simplifier {
namespace {

// Trying a point costs about as much as a division for each digit of the constraints; a domain of
// this size costs less than a millisecond.
constexpr int64_t kMaxPoints = 2048;
constexpr int64_t kMaxDigits = 1 << 17;
// A bit each in a word.
constexpr size_t kMaxConstraints = 32;

using Leaves = llvm::SmallSetVector<const Atom*, 4>;

// Constraints that share leaves, directly or through others.
struct Component {
  llvm::SmallVector<Constraint, 4> constraints;
  Leaves leaves;
};

std::vector<Component> Split(llvm::ArrayRef<Constraint> constraints) {
  llvm::SmallVector<Leaves, 4> leaves(constraints.size());
  llvm::IntEqClasses classes(static_cast<unsigned>(constraints.size()));
  llvm::SmallDenseMap<const Atom*, unsigned, 8> first_with;
  for (unsigned i = 0; i < constraints.size(); ++i) {
    llvm::SmallPtrSet<const Atom*, 8> seen;
    ForEachAtom(constraints[i].expression, seen, [&](const Atom& atom) {
      if (!atom.IsLeaf()) return;
      leaves[i].insert(&atom);
      classes.join(i, first_with.try_emplace(&atom, i).first->second);
    });
  }
  // Numbered in the order of the constraints.
  classes.compress();
  std::vector<Component> components(classes.getNumClasses());
  for (unsigned i = 0; i < constraints.size(); ++i) {
    Component& component = components[classes[i]];
    component.constraints.push_back(constraints[i]);
    component.leaves.insert(leaves[i].begin(), leaves[i].end());
  }
  return components;
}

bool IsUnitSum(const Sum& sum) {
  return llvm::all_of(sum.terms, [](const Term& term) {
    return term.atom->IsLeaf() && term.IsWhole() &&
           (term.coefficient == 1 || term.coefficient == -1);
  });
}

// Whether there is one constraint, and propagating bounds through it is exact: every value of every
// term can be completed to a point.
bool IntervalsDecide(llvm::ArrayRef<Constraint> constraints) {
  return constraints.size() == 1 && IsUnitSum(constraints.front().expression);
}

// Finds what Enumeration finds if one constraint is a sum of leaves, up to sign, and each other
// bounds a leaf alone. Every value of a term that the intervals of the others allow can be
// completed to a point then.
class OneSum {
 public:
  OneSum(DigitContext& context, const Component& component)
      : context_(context), component_(component) {}

  // False if the constraints are not such.
  bool Run(SmallDomain& domain) {
    if (!FindSum()) return false;
    for (const Atom* leaf : component_.leaves) ranges_.push_back({0, leaf->extent - 1});
    bounded_ = ranges_;
    for (const Constraint& constraint : component_.constraints) {
      if (&constraint == sum_) continue;
      const Term& term = constraint.expression.terms.front();
      Interval& bounded = bounded_[NumberOf(term)];
      bounded = bounded.Intersect(constraint.bounds * term.coefficient);
    }
    hulls_ = bounded_;
    for (const Term& term : sum_->expression.terms) {
      Interval& hull = hulls_[NumberOf(term)];
      hull = hull.Intersect(ValuesOf(term, bounded_));
    }
    domain.empty = llvm::any_of(hulls_, [](const Interval& hull) { return hull.IsEmpty(); });
    if (!domain.empty) Describe(domain);
    return true;
  }

 private:
  bool FindSum() {
    for (const Constraint& constraint : component_.constraints) {
      const Sum& expression = constraint.expression;
      if (!IsUnitSum(expression) || expression.constant != 0) return false;
      if (expression.terms.size() == 1) continue;
      if (expression.IsConstant() || sum_ != nullptr) return false;
      sum_ = &constraint;
    }
    return sum_ != nullptr;
  }

  size_t NumberOf(const Term& term) const {
    return static_cast<size_t>(llvm::find(component_.leaves, term.atom) -
                               component_.leaves.begin());
  }

  Interval RangeOf(const Term& term, llvm::ArrayRef<Interval> values) const {
    return values[NumberOf(term)] * term.coefficient;
  }

  // What the sum's bounds leave for a term's leaf, with these values of the others.
  Interval ValuesOf(const Term& term, llvm::ArrayRef<Interval> values) const {
    Interval others = Interval::Point(0);
    for (const Term& other : sum_->expression.terms) {
      if (&other != &term) others = others + RangeOf(other, values);
    }
    return (sum_->bounds + others * -1) * term.coefficient;
  }

  // Bounds on variables, and the constraints that these do not imply: the sum before the hulls of
  // functions.
  void Describe(SmallDomain& domain) const {
    Interval range = Interval::Point(0);
    for (const Term& term : sum_->expression.terms) range = range + RangeOf(term, hulls_);
    const bool keeps_sum = !sum_->bounds.Contains(range);
    if (keeps_sum) domain.constraints.push_back(*sum_);
    llvm::SmallVector<Interval, 4> values = hulls_;
    for (size_t i = 0; i < hulls_.size(); ++i) {
      const Atom* leaf = component_.leaves[i];
      if (hulls_[i] == ranges_[i]) continue;
      if (leaf->kind == AtomKind::kVariable) {
        domain.narrowed.push_back({leaf, hulls_[i] + Interval::Point(leaf->lower)});
      } else if (keeps_sum && SumImplies(i, values)) {
        values[i] = ranges_[i];
      } else {
        domain.constraints.push_back({{WholeAtom(context_, *leaf).terms, 0}, hulls_[i]});
      }
    }
  }

  // Whether the sum keeps a leaf in its hull if the others have these values.
  bool SumImplies(size_t leaf, llvm::ArrayRef<Interval> values) const {
    const llvm::ArrayRef<Term> terms = sum_->expression.terms;
    const Term* term = llvm::find_if(terms, [&](const Term& t) { return NumberOf(t) == leaf; });
    return term != terms.end() &&
           hulls_[leaf].Contains(ranges_[leaf].Intersect(ValuesOf(*term, values)));
  }

  DigitContext& context_;
  const Component& component_;
  const Constraint* sum_ = nullptr;
  // By leaf, without `lower`: all values, those that the other constraints leave, those on the
  // domain.
  llvm::SmallVector<Interval, 4> ranges_;
  llvm::SmallVector<Interval, 4> bounded_;
  llvm::SmallVector<Interval, 4> hulls_;
};

class Enumeration {
 public:
  Enumeration(DigitContext& context, const Component& component)
      : context_(context), component_(component) {}

  // False if a constraint has no value at some point, or if evaluating all points is too much.
  bool Run(int64_t num_points, SmallDomain& domain) {
    constraints_ = component_.constraints;
    llvm::SmallVector<Sum, 4> sums;
    for (const Constraint& constraint : constraints_) sums.push_back(constraint.expression);
    PointEvaluator evaluator(component_.leaves.getArrayRef(), sums);
    if (num_points * evaluator.num_digits() > kMaxDigits) return false;
    point_ = FirstPoint(component_.leaves.getArrayRef());
    points_.reserve(static_cast<size_t>(num_points) * point_.size());
    failed_.reserve(static_cast<size_t>(num_points));
    values_.resize(constraints_.size());
    for (int64_t i = 0; i < num_points; ++i) {
      if (!AddPoint(evaluator)) return false;
      MoveToNext(component_.leaves.getArrayRef(), point_);
    }
    domain.empty = llvm::none_of(failed_, [](uint64_t failed) { return failed == 0; });
    if (domain.empty) return true;
    FindHulls();
    AddFunctionBounds();
    const uint64_t dropped = DropImplied();
    for (const auto& [leaf, hull] : hulls_) {
      if (leaf->kind == AtomKind::kVariable) domain.narrowed.push_back({leaf, hull});
    }
    for (size_t i = 0; i < constraints_.size(); ++i) {
      if ((dropped >> i & 1) == 0) domain.constraints.push_back(constraints_[i]);
    }
    return true;
  }

 private:
  // Appends the present point and which constraints fail there.
  bool AddPoint(PointEvaluator& evaluator) {
    if (!evaluator.Evaluate(point_, values_)) return false;
    uint64_t failed = 0;
    for (size_t i = 0; i < constraints_.size(); ++i) {
      if (!constraints_[i].bounds.Contains(values_[i])) failed |= uint64_t{1} << i;
    }
    failed_.push_back(failed);
    points_.insert(points_.end(), point_.begin(), point_.end());
    return true;
  }

  int64_t ValueAt(size_t point, size_t leaf) const {
    return points_[point * component_.leaves.size() + leaf];
  }

  void FindHulls() {
    for (size_t k = 0; k < component_.leaves.size(); ++k) {
      const Atom* leaf = component_.leaves[k];
      Interval hull = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
      for (size_t i = 0; i < failed_.size(); ++i) {
        if (failed_[i] != 0) continue;
        hull = {std::min(hull.lower, ValueAt(i, k)), std::max(hull.upper, ValueAt(i, k))};
      }
      if (hull == leaf->ValueRange()) continue;
      // The bounds of a variable are no constraint: points outside need none that fails.
      const bool is_variable = leaf->kind == AtomKind::kVariable;
      hulls_.push_back({leaf, hull});
      for (size_t i = 0; i < failed_.size(); ++i) {
        if (is_variable && !hull.Contains(ValueAt(i, k))) failed_[i] |= kOutsideBox;
      }
    }
  }

  // Bounds on a function alone, as constraints, for others to be dropped.
  void AddFunctionBounds() {
    num_given_ = constraints_.size();
    for (const auto& [leaf, hull] : hulls_) {
      if (leaf->kind == AtomKind::kVariable || constraints_.size() == 2 * kMaxConstraints) continue;
      const Sum whole = WholeAtom(context_, *leaf);
      constraints_.push_back({{whole.terms, 0}, hull + Interval::Point(-whole.constant)});
      const size_t k =
          static_cast<size_t>(llvm::find(component_.leaves, leaf) - component_.leaves.begin());
      for (size_t i = 0; i < failed_.size(); ++i) {
        if (!hull.Contains(ValueAt(i, k))) failed_[i] |= uint64_t{1} << (constraints_.size() - 1);
      }
    }
  }

  // The constraints, as bits, that fail nowhere alone: those given first, the longest of them
  // before, so that what is left is short.
  uint64_t DropImplied() {
    llvm::SmallVector<size_t, 4> order;
    for (size_t i = 0; i < constraints_.size(); ++i) order.push_back(i);
    llvm::stable_sort(order, [this](size_t a, size_t b) {
      if ((a < num_given_) != (b < num_given_)) return a < num_given_;
      return Length(a) > Length(b);
    });
    uint64_t dropped = 0;
    for (const size_t i : order) {
      const uint64_t bit = uint64_t{1} << i;
      const bool needed =
          llvm::any_of(failed_, [&](uint64_t failed) { return (failed & ~dropped) == bit; });
      if (!needed) dropped |= bit;
    }
    return dropped;
  }

  // Quotient variables count as longer than any number of terms.
  size_t Length(size_t i) const {
    size_t length = 0;
    for (const Term& term : constraints_[i].expression.terms) {
      length += term.atom->IsLeaf() ? (term.IsWhole() ? 1 : 2) : 64;
    }
    return length;
  }

  // Above the bits of constraints, given and added.
  static constexpr uint64_t kOutsideBox = uint64_t{1} << 63;

  DigitContext& context_;
  const Component& component_;
  llvm::SmallVector<Constraint, 4> constraints_;
  size_t num_given_ = 0;
  llvm::SmallVector<int64_t, 4> point_;
  // Of the constraints, at that point.
  llvm::SmallVector<int64_t, 4> values_;
  // The points, leaf by leaf, and for each of them which constraints fail, as bits.
  std::vector<int64_t> points_;
  std::vector<uint64_t> failed_;
  llvm::SmallVector<std::pair<const Atom*, Interval>, 4> hulls_;
};

}  // namespace

SmallDomain DecideSmallDomain(DigitContext& context, llvm::ArrayRef<Constraint> constraints) {
  SmallDomain domain;
  if (IntervalsDecide(constraints)) {
    domain.constraints.assign(constraints.begin(), constraints.end());
    return domain;
  }
  for (const Component& component : Split(constraints)) {
    SmallDomain decided;
    const auto points = CountPoints(component.leaves.getArrayRef(), kMaxPoints);
    if (IntervalsDecide(component.constraints) || !points ||
        component.constraints.size() > kMaxConstraints ||
        (!OneSum(context, component).Run(decided) &&
         !Enumeration(context, component).Run(*points, decided))) {
      domain.constraints.append(component.constraints.begin(), component.constraints.end());
      continue;
    }
    if (decided.empty) return decided;
    domain.narrowed.append(decided.narrowed.begin(), decided.narrowed.end());
    domain.constraints.append(decided.constraints.begin(), decided.constraints.end());
  }
  return domain;
}

}  // namespace hlo_indexing::simplifier
