#include "indexing_analysis/access_inversion.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constant;
using simplifier::Term;

// One digit of an atom, an unknown.
struct Unknown {
  const Atom* atom = nullptr;
  int64_t lo = 1;
  int64_t extent = 1;
  // Whether it may be solved for by an equation that holds runtime values: it must not be inside
  // their arguments then.
  bool in_arguments = false;
  std::optional<Sum> value;
  // Whether the value holds runtime values or opaque parts.
  bool has_opaque = false;
};

// sum of coefficient * unknown = known.
struct Equation {
  llvm::SmallVector<std::pair<int64_t, size_t>, 6> unknowns;
  Sum known;
  // Whether `known` holds runtime values or opaque parts.
  bool has_opaque = false;
};

class Inverter {
 public:
  Inverter(DigitContext& digits, const Access& access, llvm::ArrayRef<int64_t> sizes,
           std::optional<Sum> own_device)
      : digits_(digits), access_(access), sizes_(sizes), own_device_(own_device) {}

  Access Run() {
    StartInverse();
    RenameVariables();
    for (const Sum& sum : sums_) CollectAtoms(sum);
    MakeUnknowns();
    MakeEquations();
    SolveAll();
    Finish();
    return std::move(inverse_);
  }

 private:
  // The dimensions of the inverse, then the variables of the access behind them.
  void StartInverse() {
    inverse_.num_dimensions = sizes_.size();
    for (const int64_t size : sizes_) {
      const VariableId variable = inverse_.AddRange({0, size - 1});
      targets_.push_back(size > 0 ? inverse_.map.Variable(digits_, variable) : Constant(0));
    }
    inverse_.runtime = access_.runtime;
    inverse_.superset_reason = access_.superset_reason;
    first_variable_ = static_cast<VariableId>(sizes_.size());
    for (const Interval& box : access_.map.boxes) {
      inverse_.ranges.push_back(inverse_.AddRange(box));
    }
    if (!access_.has_device) return;
    // The device that reads becomes a variable, the device that is read stays the runtime value.
    device_variable_ = inverse_.AddRange(simplifier::NaturalRange(*own_device_));
    inverse_.ranges.push_back(*device_variable_);
    targets_.push_back(*own_device_);
    inverse_.has_device = true;
  }

  Sum VariableOf(VariableId variable) {
    const Interval& box = inverse_.map.boxes[variable];
    return box.IsEmpty() ? Constant(0) : digits_.Variable(variable, box);
  }

  void RenameVariables() {
    const auto rename = [this](VariableId variable) { return variable + first_variable_; };
    simplifier::Renaming renaming(digits_, rename);
    const auto replace = [this](const Atom& atom) -> std::optional<Sum> {
      const bool is_device =
          device_variable_ && own_device_->terms.size() == 1 && own_device_->terms[0].atom == &atom;
      return is_device ? std::optional<Sum>(VariableOf(*device_variable_)) : std::nullopt;
    };
    simplifier::Substitution substitution(digits_, replace);
    const auto move = [&](const Sum& sum) {
      const Sum renamed = renaming.Apply(sum);
      return device_variable_ ? substitution.Apply(renamed) : renamed;
    };
    for (const Sum& result : access_.map.results) sums_.push_back(move(result));
    for (const simplifier::Constraint& constraint : access_.map.constraints) {
      constraints_.push_back({move(constraint.expression), constraint.bounds});
    }
  }

  // Whether the atom's digits are unknowns.
  static bool IsUnknown(const Atom& atom) {
    return (atom.kind == AtomKind::kVariable || atom.kind == AtomKind::kMark) &&
           atom.extent != simplifier::kUnbounded;
  }

  void CollectAtoms(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      if (!IsUnknown(atom)) {
        for (const Sum& argument : atom.arguments) CollectArguments(argument);
        continue;
      }
      const bool is_new = cuts_.find(&atom) == cuts_.end();
      std::vector<int64_t>& cuts = cuts_[&atom];
      cuts.push_back(term.lo);
      if (!term.IsTop()) cuts.push_back(term.lo * term.extent);
      if (is_new && atom.kind == AtomKind::kMark) CollectAtoms(atom.arguments.front());
    }
  }

  void CollectArguments(const Sum& sum) {
    for (const Term& term : sum.terms) {
      in_arguments_.insert(term.atom);
      for (const Sum& argument : term.atom->arguments) CollectArguments(argument);
    }
  }

  // Cuts each atom where any of its digits ends. Where the cuts do not divide each other, the atom
  // stays whole, and is no unknown.
  void MakeUnknowns() {
    for (auto& [atom, cuts] : cuts_) {
      cuts.push_back(1);
      llvm::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      bool divides = true;
      for (size_t i = 1; i < cuts.size(); ++i) divides &= cuts[i] % cuts[i - 1] == 0;
      if (divides) continue;
      kept_.insert(atom);
      for (const Sum& argument : atom->arguments) CollectArguments(argument);
    }
    for (const auto& [atom, cuts] : cuts_) {
      if (atom->kind == AtomKind::kVariable) atom_of_.try_emplace(atom->variable, atom);
      if (kept_.contains(atom)) continue;
      auto& numbers = digits_of_[atom];
      for (size_t i = 0; i < cuts.size(); ++i) {
        const bool is_top = i + 1 == cuts.size();
        const int64_t extent =
            is_top ? (atom->extent + cuts[i] - 1) / cuts[i] : cuts[i + 1] / cuts[i];
        numbers.push_back(unknowns_.size());
        Unknown& unknown = unknowns_.emplace_back();
        unknown.atom = atom;
        unknown.lo = cuts[i];
        unknown.extent = extent;
        unknown.in_arguments = in_arguments_.contains(atom);
        if (extent == 1) unknown.value = Constant(0);
      }
    }
  }

  // Takes the unknowns out of a sum.
  Equation Read(const Sum& sum, int64_t factor) {
    Equation equation;
    simplifier::TermVector rest;
    for (const Term& term : sum.terms) {
      const auto found = digits_of_.find(term.atom);
      if (found == digits_of_.end()) {
        rest.push_back(term);
        // A variable that is kept depends on nothing.
        equation.has_opaque |= term.atom->kind != AtomKind::kVariable;
        continue;
      }
      for (const size_t number : found->second) {
        const Unknown& unknown = unknowns_[number];
        if (unknown.lo < term.lo) continue;
        if (!term.IsTop() && unknown.lo >= term.lo * term.extent) continue;
        const int64_t coefficient = term.coefficient * (unknown.lo / term.lo) * factor;
        AddUnknown(equation, coefficient, number);
      }
    }
    const Sum known = digits_.Store(rest, sum.constant);
    equation.known = Scale(digits_, known, -factor);
    return equation;
  }

  static void AddUnknown(Equation& equation, int64_t coefficient, size_t number) {
    for (auto& [known, other] : equation.unknowns) {
      if (other != number) continue;
      known += coefficient;
      return;
    }
    equation.unknowns.emplace_back(coefficient, number);
  }

  void MakeEquations() {
    for (size_t i = 0; i < sums_.size(); ++i) {
      Equation equation = Read(sums_[i], 1);
      equation.known = Add(digits_, equation.known, targets_[i]);
      equations_.push_back(std::move(equation));
    }
    // The sum of a mark is the value of its digits.
    for (const auto& [atom, numbers] : digits_of_) {
      if (atom->kind != AtomKind::kMark) continue;
      Equation equation = Read(atom->arguments.front(), 1);
      for (const size_t number : numbers) AddUnknown(equation, -unknowns_[number].lo, number);
      equations_.push_back(std::move(equation));
    }
  }

  // Moves what is solved to the other side.
  void Settle(Equation& equation) {
    llvm::erase_if(equation.unknowns, [&](const std::pair<int64_t, size_t>& part) {
      const auto& [coefficient, number] = part;
      if (coefficient != 0 && !unknowns_[number].value) return false;
      if (coefficient != 0) {
        equation.has_opaque |= unknowns_[number].has_opaque;
        equation.known = Subtract(digits_, equation.known,
                                  Scale(digits_, *unknowns_[number].value, coefficient));
      }
      return true;
    });
  }

  // The unknowns by falling size of their coefficients; whether the sum tells the digits apart.
  bool IsMixedRadix(Equation& equation) const {
    llvm::sort(equation.unknowns, [](const auto& a, const auto& b) {
      const int64_t size_a = std::abs(a.first);
      const int64_t size_b = std::abs(b.first);
      return size_a != size_b ? size_a > size_b : a.second < b.second;
    });
    int64_t rest = 0;
    for (const auto& [coefficient, number] : llvm::reverse(equation.unknowns)) {
      const Unknown& unknown = unknowns_[number];
      if (std::abs(coefficient) <= rest) return false;
      if (equation.has_opaque && unknown.in_arguments) return false;
      const auto span = support::CheckedMul(std::abs(coefficient), unknown.extent - 1);
      const auto total = span ? support::CheckedAdd(rest, *span) : std::nullopt;
      if (!total) return false;
      rest = *total;
    }
    return true;
  }

  void Solve(Equation& equation) {
    // Negative digits are counted from their end.
    Sum rest = equation.known;
    int64_t span = 0;
    for (const auto& [coefficient, number] : equation.unknowns) {
      const int64_t reach = std::abs(coefficient) * (unknowns_[number].extent - 1);
      span += reach;
      if (coefficient < 0) rest = Add(digits_, rest, Constant(reach));
    }
    Require(rest, {0, span});
    for (const auto& [coefficient, number] : equation.unknowns) {
      Unknown& unknown = unknowns_[number];
      const int64_t size = std::abs(coefficient);
      span -= size * (unknown.extent - 1);
      const simplifier::Division division = DivMod(digits_, rest, size);
      Require(division.quotient, {0, unknown.extent - 1});
      Require(division.remainder, {0, span});
      const simplifier::ScaledSum backwards[] = {{division.quotient, -1}};
      unknown.value =
          coefficient > 0 ? division.quotient : Linear(digits_, backwards, unknown.extent - 1);
      unknown.has_opaque = equation.has_opaque;
      rest = division.remainder;
    }
    if (equation.unknowns.empty()) Require(rest, {0, 0});
    equation.unknowns.clear();
  }

  void Require(const Sum& sum, Interval bounds) {
    if (bounds.Contains(simplifier::NaturalRange(sum))) return;
    inverse_.map.constraints.push_back({sum, bounds});
  }

  // Makes an unknown a range variable.
  void Free(size_t number) {
    Unknown& unknown = unknowns_[number];
    const VariableId variable = inverse_.AddRange({0, unknown.extent - 1});
    inverse_.ranges.push_back(variable);
    unknown.value = VariableOf(variable);
  }

  // Solves what can be solved; else frees the smallest digit of the equation with the fewest
  // unknowns, those that say where an element lies before those that define a mark.
  void SolveAll() {
    while (true) {
      bool progress = false;
      Equation* next = nullptr;
      for (size_t i = 0; i < equations_.size(); ++i) {
        Equation& equation = equations_[i];
        if (IsDone(equation)) continue;
        Settle(equation);
        if (IsMixedRadix(equation)) {
          Solve(equation);
          done_.insert(&equation);
          progress = true;
          continue;
        }
        const bool is_first = next == nullptr;
        if (is_first || (i < sums_.size() && equation.unknowns.size() < next->unknowns.size())) {
          next = &equation;
        }
      }
      if (progress) continue;
      if (next == nullptr) return;
      Free(SmallestUnknown(*next));
    }
  }

  bool IsDone(const Equation& equation) const { return done_.contains(&equation); }

  // Prefers what cannot be solved for.
  size_t SmallestUnknown(const Equation& equation) const {
    const auto rank = [&](size_t number) {
      const Unknown& unknown = unknowns_[number];
      const bool is_stuck = equation.has_opaque && unknown.in_arguments;
      return std::tuple(is_stuck ? 0 : 1, unknown.extent, number);
    };
    size_t best = equation.unknowns.front().second;
    for (const auto& [coefficient, number] : equation.unknowns) {
      if (rank(number) < rank(best)) best = number;
    }
    return best;
  }

  // The value of a variable, put together from its digits.
  std::optional<Sum> ValueOf(const Atom& atom) {
    if (atom.kind != AtomKind::kVariable) return std::nullopt;
    const auto same = atom_of_.find(atom.variable);
    if (same == atom_of_.end()) return std::nullopt;
    const auto found = digits_of_.find(same->second);
    if (found == digits_of_.end()) return std::nullopt;
    if (const auto known = values_.find(atom.variable); known != values_.end()) {
      return known->second;
    }
    llvm::SmallVector<simplifier::ScaledSum, 4> parts;
    for (const size_t number : found->second) {
      if (!unknowns_[number].value) Free(number);
      parts.emplace_back(*unknowns_[number].value, unknowns_[number].lo);
    }
    const Sum value = Linear(digits_, parts, same->second->lower);
    // The top digit may reach further than the variable.
    Require(value, inverse_.map.boxes[atom.variable]);
    values_.try_emplace(atom.variable, value);
    return value;
  }

  void Finish() {
    // Every variable in turn, so that bounds and range variables come in a fixed order.
    for (const auto& [atom, numbers] : digits_of_) ValueOf(*atom);
    const auto replace = [this](const Atom& atom) { return ValueOf(atom); };
    simplifier::Substitution substitution(digits_, replace,
                                          simplifier::UnchangedMarks::kDivideAgain);
    // Twice: a value may hold runtime values with variables in their arguments. What these are
    // solved to holds no runtime values.
    const auto substitute = [&](const Sum& sum) {
      return substitution.Apply(substitution.Apply(sum));
    };
    for (const simplifier::Constraint& constraint : constraints_) {
      inverse_.map.constraints.push_back(constraint);
    }
    for (simplifier::Constraint& constraint : inverse_.map.constraints) {
      constraint.expression = substitute(constraint.expression);
    }
    for (VariableId i = 0; i < access_.num_dimensions; ++i) {
      inverse_.map.results.push_back(substitute(VariableOf(first_variable_ + i)));
    }
    if (device_variable_) {
      inverse_.map.results.push_back(substitute(VariableOf(*device_variable_)));
    }
  }

  DigitContext& digits_;
  const Access& access_;
  llvm::ArrayRef<int64_t> sizes_;
  std::optional<Sum> own_device_;
  Access inverse_;
  VariableId first_variable_ = 0;
  std::optional<VariableId> device_variable_;
  // What each result of the access must be.
  llvm::SmallVector<Sum, 6> targets_;
  llvm::SmallVector<Sum, 6> sums_;
  llvm::SmallVector<simplifier::Constraint, 4> constraints_;
  // In the order of appearance, which does not depend on addresses.
  llvm::MapVector<const Atom*, std::vector<int64_t>> cuts_;
  llvm::MapVector<const Atom*, llvm::SmallVector<size_t, 2>> digits_of_;
  llvm::DenseSet<const Atom*> in_arguments_;
  llvm::DenseSet<const Atom*> kept_;
  llvm::DenseMap<VariableId, const Atom*> atom_of_;
  std::vector<Unknown> unknowns_;
  std::vector<Equation> equations_;
  llvm::DenseSet<const Equation*> done_;
  llvm::DenseMap<VariableId, Sum> values_;
};

}  // namespace

Access InvertAccess(DigitContext& digits, const Access& access, llvm::ArrayRef<int64_t> sizes,
                    std::optional<Sum> own_device) {
  return Inverter(digits, access, sizes, own_device).Run();
}

}  // namespace hlo_indexing::indexing_analysis
