#include "simplifier/refine.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/affine_fit.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "simplifier/linear_form.h"
#include "simplifier/pinned.h"
#include "simplifier/point_evaluator.h"

namespace hlo_indexing::simplifier {
namespace {

// Points at which one sum is tried.
constexpr int64_t kMaxPoints = 2048;
// Digits that are evaluated for a map, all sums at all their points: a few milliseconds.
constexpr int64_t kMaxDigits = 1 << 17;

using Leaves = llvm::SmallSetVector<const Atom*, 4>;

bool IsWholeLeaf(const Term& term) { return term.IsWhole() && term.atom->IsLeaf(); }

bool IsLinear(const Sum& sum) {
  return llvm::all_of(sum.terms, [](const Term& term) { return IsWholeLeaf(term); });
}

// The leaves that sums depend on; those of a mark are found once, however many sums share it.
class LeafFinder {
 public:
  Leaves LeavesOf(const Sum& sum) {
    Leaves leaves;
    for (const Term& term : sum.terms) {
      const Leaves& more = LeavesOf(*term.atom);
      leaves.insert(more.begin(), more.end());
    }
    return leaves;
  }

 private:
  const Leaves& LeavesOf(const Atom& atom) {
    if (const auto known = memo_.find(&atom); known != memo_.end()) return *known->second;
    auto leaves = std::make_unique<Leaves>();
    if (atom.IsLeaf()) leaves->insert(&atom);
    for (const Sum& argument : atom.arguments) {
      const Leaves more = LeavesOf(argument);
      leaves->insert(more.begin(), more.end());
    }
    return *(memo_[&atom] = std::move(leaves));
  }

  llvm::SmallDenseMap<const Atom*, std::unique_ptr<Leaves>, 8> memo_;
};

bool Intersects(const Leaves& a, const Leaves& b) {
  return llvm::any_of(a, [&](const Atom* leaf) { return b.contains(leaf); });
}

// A variable with a known remainder, and the one that stands for its quotient.
struct Scaled {
  const Atom* leaf = nullptr;
  // leaf = modulus * quotient + lowest.
  int64_t modulus = 1;
  int64_t lowest = 0;
  Sum quotient;
};

// The variable that stands for the quotient, with values from 0; nothing where the leaf has no
// smallest and largest value or only one.
std::optional<Scaled> MakeScaled(DigitContext& context, const Pinned& pinned, VariableId number) {
  const Interval values = Snap(pinned.leaf->ValueRange(), pinned.values);
  if (!values.IsFinite() || values.lower >= values.upper) return std::nullopt;
  const auto width = support::CheckedSub(values.upper, values.lower);
  if (!width) return std::nullopt;
  Scaled scaled = {pinned.leaf, pinned.values.modulus, values.lower, {}};
  scaled.quotient = context.Variable(number, {0, *width / scaled.modulus});
  return scaled;
}

// Sums in terms of the quotients of pinned variables, and back.
class Scaling {
 public:
  Scaling(DigitContext& context, llvm::ArrayRef<Scaled> scaled)
      : context_(context), scaled_(scaled) {}

  Sum Apply(const Sum& sum) const {
    const auto replace = [this](const Atom& atom) -> std::optional<Sum> {
      for (const Scaled& s : scaled_) {
        if (s.leaf != &atom) continue;
        const ScaledSum parts[] = {{s.quotient, s.modulus}};
        return Linear(context_, parts, s.lowest);
      }
      return std::nullopt;
    };
    return Substitution(context_, replace).Apply(sum);
  }

  Sum Undo(const Sum& sum) const {
    llvm::SmallVector<ScaledSum, 8> parts;
    TermVector others;
    for (const Term& term : sum.terms) {
      const Scaled* s = Find(*term.atom);
      // modulus * quotient is leaf - lowest.
      if (s != nullptr && term.IsWhole() && term.coefficient % s->modulus == 0) {
        parts.push_back({Offset(*s), term.coefficient / s->modulus});
      } else {
        others.push_back(term);
      }
    }
    const auto replace = [this](const Atom& atom) -> std::optional<Sum> {
      const Scaled* s = Find(atom);
      if (s == nullptr) return std::nullopt;
      // Both leave the same remainder.
      const Sum quotient = DivMod(context_, WholeAtom(context_, *s->leaf), s->modulus).quotient;
      return Add(context_, quotient, Constant(-support::FloorDiv(s->lowest, s->modulus)));
    };
    parts.push_back({Substitution(context_, replace).Apply(context_.Store(others, 0)), 1});
    return Linear(context_, parts, sum.constant);
  }

 private:
  const Scaled* Find(const Atom& atom) const {
    for (const Scaled& s : scaled_) {
      if (s.quotient.terms.front().atom == &atom) return &s;
    }
    return nullptr;
  }

  // leaf - lowest.
  Sum Offset(const Scaled& s) const {
    return Add(context_, WholeAtom(context_, *s.leaf), Constant(-s.lowest));
  }

  DigitContext& context_;
  llvm::ArrayRef<Scaled> scaled_;
};

class Refiner {
 public:
  Refiner(DigitContext& context, QuasiAffineMap& map)
      : context_(context), map_(map), shortest_form_(context) {
    for (const Constraint& constraint : map.constraints) {
      leaves_of_constraints_.push_back(leaf_finder_.LeavesOf(constraint.expression));
      const std::optional<Pinned> pinned = PinnedBy(constraint);
      if (!pinned || pinned->values.modulus < 2) continue;
      const auto number = static_cast<VariableId>(map.boxes.size() + scaled_.size());
      if (const auto scaled = MakeScaled(context, *pinned, number)) scaled_.push_back(*scaled);
    }
  }

  bool Run() {
    bool changed = false;
    for (Sum& result : map_.results) {
      if (IsLinear(result)) continue;
      const Sum before = result;
      result = Fitted(Rescaled(before, scaled_), Domain::kConstrained);
      changed |= !(result == before);
    }
    for (Constraint& constraint : map_.constraints) {
      if (IsLinear(constraint.expression)) continue;
      llvm::SmallVector<Scaled, 2> others;
      const std::optional<Pinned> own = PinnedBy(constraint);
      for (const Scaled& s : scaled_) {
        if (!own || own->leaf != s.leaf) others.push_back(s);
      }
      const Sum before = constraint.expression;
      constraint.expression = Fitted(Rescaled(before, others), Domain::kBox);
      changed |= !(constraint.expression == before);
    }
    return changed;
  }

 private:
  enum class Domain : uint8_t { kBox, kConstrained };

  Sum Shorter(const Sum& a, const Sum& b) {
    if (a == b) return a;
    const auto cost = [this](const Sum& sum) {
      const LinearForm form = shortest_form_.Write(sum);
      return std::tuple(form.operations, form.parts.size(), CountConstants(form));
    };
    return cost(b) < cost(a) ? b : a;
  }

  // The constants other than 0 that are added somewhere; 0 in long forms, whose parts may be shared
  // many times.
  static int CountConstants(const LinearForm& form) {
    constexpr int kFewOperations = 16;
    if (form.operations > kFewOperations) return 0;
    int count = form.constant == 0 ? 0 : 1;
    for (const auto& part : form.parts) {
      count += CountConstants(part.second->operand) + CountConstants(part.second->second);
    }
    return count;
  }

  Sum Rescaled(const Sum& sum, llvm::ArrayRef<Scaled> scaled) {
    if (scaled.empty()) return sum;
    const Scaling scaling(context_, scaled);
    const Sum applied = scaling.Apply(sum);
    return applied == sum ? sum : Shorter(sum, scaling.Undo(applied));
  }

  // The affine function that the sum is, or one that its parts are.
  Sum Fitted(const Sum& sum, Domain domain) {
    if (IsLinear(sum)) return sum;
    if (const std::optional<Sum> affine = FitAll(sum, domain)) return *affine;
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

  // The digit without its coefficient; nothing where it stays. Marks are a DAG with far more paths
  // than digits, so each digit is looked at once.
  std::optional<Sum> FitDigit(const Term& term, Domain domain) {
    const auto key = std::make_tuple(term.atom, term.lo, term.extent);
    auto& known_digits = fitted_digits_[domain == Domain::kBox ? 0 : 1];
    if (const auto known = known_digits.find(key); known != known_digits.end()) {
      return known->second;
    }
    const std::optional<Sum> fitted = ComputeFitDigit(term, domain);
    known_digits[key] = fitted;
    return fitted;
  }

  std::optional<Sum> ComputeFitDigit(const Term& term, Domain domain) {
    const Term digit = {1, term.atom, term.lo, term.extent};
    const Sum alone = context_.Store(digit, 0);
    if (const std::optional<Sum> affine = FitAll(alone, domain)) return affine;
    if (term.atom->kind != AtomKind::kMark) return std::nullopt;
    const Sum& inner = term.atom->arguments.front();
    const Sum fitted = Fitted(inner, domain);
    if (fitted == inner) return std::nullopt;
    const Sum quotient = DivMod(context_, fitted, term.lo).quotient;
    return term.IsTop() ? quotient : DivMod(context_, quotient, term.extent).remainder;
  }

  std::optional<Sum> FitAll(const Sum& sum, Domain domain) {
    Leaves leaves = leaf_finder_.LeavesOf(sum);
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
    return Fit(sum, leaves.getArrayRef(), num_leaves, constraints, *points);
  }

  // The constraints that hang together with the leaves, whose own leaves are added.
  void AddConstraints(Leaves& leaves, llvm::SmallVectorImpl<const Constraint*>& constraints) const {
    std::vector<bool> added(map_.constraints.size(), false);
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = 0; i < added.size(); ++i) {
        if (added[i] || !Intersects(leaves, leaves_of_constraints_[i])) continue;
        added[i] = changed = true;
        leaves.insert(leaves_of_constraints_[i].begin(), leaves_of_constraints_[i].end());
        constraints.push_back(&map_.constraints[i]);
      }
    }
  }

  // The affine function of the first `num_leaves` leaves that the sum is at all points.
  std::optional<Sum> Fit(const Sum& sum, llvm::ArrayRef<const Atom*> leaves, size_t num_leaves,
                         llvm::ArrayRef<const Constraint*> constraints, int64_t points) {
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
      if (inside &&
          !fit.Add(llvm::ArrayRef<int64_t>(point).take_front(num_leaves), values.back())) {
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

  DigitContext& context_;
  QuasiAffineMap& map_;
  ShortestForm shortest_form_;
  LeafFinder leaf_finder_;
  // By atom, lo and extent; those on the box, and those on the constrained domain, which stays
  // the same as long as these are asked for.
  std::array<llvm::SmallDenseMap<std::tuple<const Atom*, int64_t, int64_t>, std::optional<Sum>, 4>,
             2>
      fitted_digits_;
  std::vector<Leaves> leaves_of_constraints_;
  std::vector<Scaled> scaled_;
  int64_t digits_ = 0;
};

}  // namespace

bool Refine(DigitContext& context, QuasiAffineMap& map) {
  const bool has_divisions =
      llvm::any_of(map.results, [](const Sum& sum) { return !IsLinear(sum); }) ||
      llvm::any_of(map.constraints, [](const Constraint& c) { return !IsLinear(c.expression); });
  return has_divisions && Refiner(context, map).Run();
}

void RescalePinned(DigitContext& context, QuasiAffineMap& map, VariableId first) {
  std::vector<Scaled> scaled;
  for (const Constraint& constraint : map.constraints) {
    const std::optional<Pinned> pinned = PinnedBy(constraint);
    if (!pinned || pinned->values.modulus < 2 || pinned->leaf->kind != AtomKind::kVariable) {
      continue;
    }
    const VariableId variable = pinned->leaf->variable;
    if (variable < first) continue;
    // Remainders of moduli whose common multiple does not fit 64 bits: one of them is used.
    if (llvm::any_of(scaled, [&](const Scaled& s) { return s.leaf == pinned->leaf; })) continue;
    const std::optional<Scaled> made = MakeScaled(context, *pinned, variable);
    if (!made) continue;
    scaled.push_back(*made);
    map.boxes[variable] = made->quotient.terms.front().atom->ValueRange();
  }
  if (scaled.empty()) return;
  const Scaling scaling(context, scaled);
  for (Sum& result : map.results) result = scaling.Apply(result);
  for (Constraint& constraint : map.constraints) {
    constraint.expression = scaling.Apply(constraint.expression);
  }
  Simplify(context, map);
}

}  // namespace hlo_indexing::simplifier
