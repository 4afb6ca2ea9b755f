#include "simplifier/domain/affine_fitter.h"

#include <utility>

#include "simplifier/affine_fit.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "simplifier/point_evaluator.h"

namespace hlo_indexing::simplifier {
namespace {

// Points at which one sum is tried.
constexpr int64_t kMaxPoints = 2048;
// Digits that are evaluated for a map, all sums at all their points: a few milliseconds.
constexpr int64_t kMaxDigits = 1 << 17;

bool IsWholeLeaf(const Term& term) { return term.IsWhole() && term.atom->IsLeaf(); }

}  // namespace

bool IsAffine(const Sum& sum) {
  return llvm::all_of(sum.terms, [](const Term& term) { return IsWholeLeaf(term); });
}

AffineFitter::AffineFitter(DigitContext& context, const QuasiAffineMap& map)
    : context_(context), map_(map) {
  for (const Constraint& constraint : map.constraints) {
    leaves_of_constraints_.push_back(LeavesOf(constraint.expression));
  }
}

const AffineFitter::Leaves& AffineFitter::LeavesOf(const Atom& atom) {
  const auto known = leaves_of_atoms_.find(&atom);
  if (known != leaves_of_atoms_.end()) return *known->second;
  auto leaves = std::make_unique<Leaves>();
  if (atom.IsLeaf()) leaves->insert(&atom);
  for (const Sum& argument : atom.arguments) {
    const Leaves more = LeavesOf(argument);
    leaves->insert(more.begin(), more.end());
  }
  return *(leaves_of_atoms_[&atom] = std::move(leaves));
}

AffineFitter::Leaves AffineFitter::LeavesOf(const Sum& sum) {
  Leaves leaves;
  for (const Term& term : sum.terms) {
    const Leaves& more = LeavesOf(*term.atom);
    leaves.insert(more.begin(), more.end());
  }
  return leaves;
}

Sum AffineFitter::Fit(const Sum& sum, Domain domain) {
  if (IsAffine(sum)) return sum;
  if (const std::optional<Sum> affine = FitWhole(sum, domain)) return *affine;
  llvm::SmallVector<ScaledSum, 8> parts;
  TermVector kept;
  for (const Term& term : sum.terms) {
    const std::optional<Sum> digit = IsWholeLeaf(term) ? std::nullopt : FitDigit(term, domain);
    if (digit) {
      parts.push_back({*digit, term.coefficient});
    } else {
      kept.push_back(term);
    }
  }
  if (parts.empty()) return sum;
  parts.push_back({context_.Store(kept, 0), 1});
  return Linear(context_, parts, sum.constant);
}

// The fitted digit without its coefficient; nullopt if there is none. Quotient variables are a
// DAG with far more paths than digits, so each digit is looked at once.
std::optional<Sum> AffineFitter::FitDigit(const Term& term, Domain domain) {
  const auto key = std::make_tuple(term.atom, term.lo, term.extent);
  auto& known_digits = fitted_digits_[domain == Domain::kBox ? 0 : 1];
  if (const auto known = known_digits.find(key); known != known_digits.end()) {
    return known->second;
  }
  const std::optional<Sum> fitted = ComputeFitDigit(term, domain);
  known_digits[key] = fitted;
  return fitted;
}

std::optional<Sum> AffineFitter::ComputeFitDigit(const Term& term, Domain domain) {
  const Term digit = {1, term.atom, term.lo, term.extent};
  const Sum alone = context_.Store(digit, 0);
  if (const std::optional<Sum> affine = FitWhole(alone, domain)) return affine;
  if (term.atom->kind != AtomKind::kQuotientVariable) return std::nullopt;
  const Sum& inner = term.atom->arguments.front();
  const Sum fitted = Fit(inner, domain);
  if (fitted == inner) return std::nullopt;
  const Sum quotient = DivMod(context_, fitted, term.lo).quotient;
  return term.IsTop() ? quotient : DivMod(context_, quotient, term.extent).remainder;
}

std::optional<Sum> AffineFitter::FitWhole(const Sum& sum, Domain domain) {
  Leaves leaves = LeavesOf(sum);
  const size_t num_leaves = leaves.size();
  llvm::SmallVector<const Constraint*, 2> constraints;
  if (domain == Domain::kConstrained) AddConstraints(leaves, constraints);
  std::optional<int64_t> points = CountPoints(leaves.getArrayRef(), kMaxPoints);
  if (!points && !constraints.empty()) {
    constraints.clear();
    while (leaves.size() > num_leaves) leaves.pop_back();
    points = CountPoints(leaves.getArrayRef(), kMaxPoints);
  }
  // A digit of a leaf on its whole box is not affine.
  const bool only_leaves =
      llvm::all_of(sum.terms, [](const Term& term) { return term.atom->IsLeaf(); });
  if (!points || (only_leaves && constraints.empty() && *points > 2)) return std::nullopt;
  if (digits_ >= kMaxDigits) return std::nullopt;
  return FitAtPoints(sum, leaves.getArrayRef(), num_leaves, constraints, *points);
}

// The constraints that share leaves with these, directly or through others; and adds their leaves.
void AffineFitter::AddConstraints(Leaves& leaves,
                                  llvm::SmallVectorImpl<const Constraint*>& constraints) const {
  std::vector<bool> added(map_.constraints.size(), false);
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < added.size(); ++i) {
      const Leaves& others = leaves_of_constraints_[i];
      const auto is_shared = [&](const Atom* leaf) { return others.contains(leaf); };
      if (added[i] || llvm::none_of(leaves, is_shared)) continue;
      added[i] = changed = true;
      leaves.insert(others.begin(), others.end());
      constraints.push_back(&map_.constraints[i]);
    }
  }
}

// The affine function of the first `num_leaves` leaves that the sum is at all points.
std::optional<Sum> AffineFitter::FitAtPoints(const Sum& sum, llvm::ArrayRef<const Atom*> leaves,
                                             size_t num_leaves,
                                             llvm::ArrayRef<const Constraint*> constraints,
                                             int64_t points) {
  AffineFit fit(num_leaves);
  llvm::SmallVector<int64_t, 4> point = FirstPoint(leaves);
  // The sum behind the constraints.
  llvm::SmallVector<Sum, 4> sums;
  for (const Constraint* constraint : constraints) sums.push_back(constraint->expression);
  sums.push_back(sum);
  PointEvaluator evaluator(leaves, sums);
  // Preparing costs as much as a point.
  digits_ += evaluator.num_digits();
  if (digits_ + points * evaluator.num_digits() > kMaxDigits) return std::nullopt;
  llvm::SmallVector<int64_t, 4> values(sums.size());
  for (int64_t i = 0; i < points; ++i) {
    digits_ += evaluator.num_digits();
    if (!evaluator.Evaluate(point, values)) return std::nullopt;
    bool inside = true;
    for (size_t k = 0; k < constraints.size(); ++k) {
      inside &= constraints[k]->bounds.Contains(values[k]);
    }
    if (inside && !fit.Add(llvm::ArrayRef<int64_t>(point).take_front(num_leaves), values.back())) {
      return std::nullopt;
    }
    MoveToNext(leaves, point);
  }
  const std::optional<AffineFit::Function> function = fit.Solve();
  if (!function) return std::nullopt;
  llvm::SmallVector<ScaledSum, 4> parts;
  for (size_t k = 0; k < num_leaves; ++k) {
    parts.push_back({WholeAtom(context_, *leaves[k]), function->coefficients[k]});
  }
  return Linear(context_, parts, function->constant);
}

}  // namespace hlo_indexing::simplifier
