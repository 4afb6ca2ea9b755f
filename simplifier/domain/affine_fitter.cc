#include "simplifier/domain/affine_fitter.h"

#include <utility>

#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "simplifier/point_evaluator.h"
#include "simplifier/quotient_fit.h"

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
  if (term.atom->kind != AtomKind::kQuotientVariable) {
    return FitWhole(context_.Store(digit, 0), domain);
  }
  if (std::optional<Sum> fitted = FitQuotientDigit(digit, domain)) return fitted;
  if (std::optional<Sum> reduced = ReducedRemainder(digit)) return reduced;
  const Sum& inner = term.atom->arguments.front();
  const Sum fitted = Fit(inner, domain);
  if (fitted == inner) return std::nullopt;
  const Sum quotient = DivMod(context_, fitted, term.lo).quotient;
  return term.IsTop() ? quotient : DivMod(context_, quotient, term.extent).remainder;
}

// For the digit q mod extent of a quotient variable, with q the quotient by lo: an affine function;
// the remainder of one that q is; or q itself, without a multiple of the extent that all its values
// lie above.
std::optional<Sum> AffineFitter::FitQuotientDigit(const Term& digit, Domain domain) {
  if (digit.IsTop()) return FitWhole(context_.Store(digit, 0), domain);
  TermVector top;
  AppendTerm(1, digit.atom, digit.lo, kUnbounded, top);
  const std::optional<Sum> normal = Normalize(context_, std::move(top), 0);
  if (!normal) return std::nullopt;
  const Sum& quotient = *normal;
  const std::optional<Points> points = PointsOf(quotient, domain);
  if (!points) return std::nullopt;
  std::optional<AffineFit> digits(points->num_leaves);
  std::optional<AffineFit> quotients;
  if (digit.lo > 1) quotients.emplace(points->num_leaves);
  std::optional<int64_t> multiple;
  bool is_above_one_multiple = true;
  const auto visit = [&](llvm::ArrayRef<int64_t> point, int64_t value) {
    const int64_t below = support::FloorDiv(value, digit.extent);
    is_above_one_multiple &= multiple.value_or(below) == below;
    multiple = below;
    if (digits && !digits->Add(point, support::FloorMod(value, digit.extent))) digits.reset();
    if (quotients && !quotients->Add(point, value)) quotients.reset();
    return digits || quotients || is_above_one_multiple;
  };
  if (!TryPoints(quotient, *points, visit)) return std::nullopt;
  if (digits) {
    if (std::optional<Sum> affine = Solve(*digits, *points)) return affine;
  }
  if (quotients) {
    const std::optional<Sum> affine = Solve(*quotients, *points);
    if (affine) return DivMod(context_, *affine, digit.extent).remainder;
  }
  if (!multiple || !is_above_one_multiple) return std::nullopt;
  return Linear(context_, {{quotient, 1}}, -*multiple * digit.extent);
}

// For the remainder of a quotient variable: its sum, with coefficients less multiples of the
// modulus, where that has no value above it.
std::optional<Sum> AffineFitter::ReducedRemainder(const Term& digit) {
  if (digit.lo > 1 || digit.IsTop()) return std::nullopt;
  const Sum& sum = digit.atom->arguments.front();
  const auto is_large = [&](const Term& term) {
    return term.coefficient >= digit.extent || term.coefficient <= -digit.extent;
  };
  if (llvm::none_of(sum.terms, is_large)) return std::nullopt;
  TermVector terms(sum.terms.begin(), sum.terms.end());
  for (Term& term : terms) term.coefficient %= digit.extent;
  const int64_t constant = support::FloorMod(sum.constant, digit.extent);
  const std::optional<Sum> reduced = Normalize(context_, std::move(terms), constant);
  if (!reduced) return std::nullopt;
  const Division division = DivMod(context_, *reduced, digit.extent);
  return division.quotient.IsConstant() ? std::optional(division.remainder) : std::nullopt;
}

std::optional<Sum> AffineFitter::FitWhole(const Sum& sum, Domain domain) {
  const std::optional<Points> points = PointsOf(sum, domain);
  if (!points) return std::nullopt;
  // A digit of a leaf on its whole box is not affine.
  const bool only_leaves =
      llvm::all_of(sum.terms, [](const Term& term) { return term.atom->IsLeaf(); });
  if (only_leaves && points->constraints.empty() && points->count > 2) return std::nullopt;
  AffineFit fit(points->num_leaves);
  const auto add = [&](llvm::ArrayRef<int64_t> point, int64_t value) {
    return fit.Add(point, value);
  };
  return TryPoints(sum, *points, add) ? Solve(fit, *points) : std::nullopt;
}

std::optional<Sum> AffineFitter::FitQuotient(const Sum& sum) {
  const Leaves leaves = LeavesOf(sum);
  if (leaves.size() != 1 || leaves[0]->extent > static_cast<int64_t>(QuotientFit::kMaxPoints)) {
    return std::nullopt;
  }
  const std::optional<Points> points = PointsOf(sum, Domain::kConstrained);
  if (!points) return std::nullopt;
  QuotientFit fit;
  const auto add = [&](llvm::ArrayRef<int64_t> point, int64_t value) {
    return fit.Add(point.front(), value);
  };
  if (!TryPoints(sum, *points, add)) return std::nullopt;
  const std::optional<QuotientFit::Function> function = fit.Solve();
  if (!function) return std::nullopt;
  const Sum operand =
      Linear(context_, {{WholeAtom(context_, *leaves[0]), function->factor}}, function->constant);
  const Sum quotient = DivMod(context_, operand, function->divisor).quotient;
  return Linear(context_, {{quotient, function->scale}}, function->offset);
}

// The points at which the sum is tried; nullopt if there are too many.
std::optional<AffineFitter::Points> AffineFitter::PointsOf(const Sum& sum, Domain domain) {
  if (digits_ >= kMaxDigits) return std::nullopt;
  Points points;
  points.leaves = LeavesOf(sum);
  points.num_leaves = points.leaves.size();
  if (domain == Domain::kConstrained) AddConstraints(points.leaves, points.constraints);
  std::optional<int64_t> count = CountPoints(points.leaves.getArrayRef(), kMaxPoints);
  if (!count && !points.constraints.empty()) {
    points.constraints.clear();
    while (points.leaves.size() > points.num_leaves) points.leaves.pop_back();
    count = CountPoints(points.leaves.getArrayRef(), kMaxPoints);
  }
  if (!count) return std::nullopt;
  points.count = *count;
  return points;
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

// Calls `visit` with the values of the sum's own leaves and of the sum at each point that meets the
// constraints. False if it returns false, a value overflows, or that would take too long.
bool AffineFitter::TryPoints(const Sum& sum, const Points& points,
                             llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t)> visit) {
  const llvm::ArrayRef<const Atom*> leaves = points.leaves.getArrayRef();
  llvm::SmallVector<int64_t, 4> point = FirstPoint(leaves);
  // The sum behind the constraints.
  llvm::SmallVector<Sum, 4> sums;
  for (const Constraint* constraint : points.constraints) sums.push_back(constraint->expression);
  sums.push_back(sum);
  PointEvaluator evaluator(leaves, sums);
  // Preparing costs as much as a point.
  digits_ += evaluator.num_digits();
  if (digits_ + points.count * evaluator.num_digits() > kMaxDigits) return false;
  llvm::SmallVector<int64_t, 4> values(sums.size());
  for (int64_t i = 0; i < points.count; ++i) {
    digits_ += evaluator.num_digits();
    if (!evaluator.Evaluate(point, values)) return false;
    bool inside = true;
    for (size_t k = 0; k < points.constraints.size(); ++k) {
      inside &= points.constraints[k]->bounds.Contains(values[k]);
    }
    const auto own = llvm::ArrayRef<int64_t>(point).take_front(points.num_leaves);
    if (inside && !visit(own, values.back())) return false;
    MoveToNext(leaves, point);
  }
  return true;
}

// The affine function of the sum's own leaves.
std::optional<Sum> AffineFitter::Solve(const AffineFit& fit, const Points& points) {
  const std::optional<AffineFit::Function> function = fit.Solve();
  if (!function) return std::nullopt;
  llvm::SmallVector<ScaledSum, 4> parts;
  for (size_t k = 0; k < points.num_leaves; ++k) {
    parts.push_back({WholeAtom(context_, *points.leaves[k]), function->coefficients[k]});
  }
  return Linear(context_, parts, function->constant);
}

}  // namespace hlo_indexing::simplifier
