#include "simplifier/digit_variables.h"

#include <algorithm>
#include <map>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

class DigitVariables {
 public:
  DigitVariables(DigitContext& context, QuasiAffineMap& map,
                 llvm::SmallVectorImpl<VariableId>& variables)
      : context_(context), map_(map), variables_(variables) {}

  void Run() {
    for (const Constraint& constraint : map_.constraints) CollectCuts(constraint.expression);
    // An atom comes after those that it depends on.
    std::vector<const Atom*> atoms;
    for (const auto& [atom, cuts] : cuts_) atoms.push_back(atom);
    llvm::sort(atoms, [](const Atom* a, const Atom* b) { return a->id < b->id; });
    for (const Atom* atom : atoms) Replace(*atom);
    if (digits_.empty()) return;
    for (Constraint& constraint : map_.constraints) {
      constraint.expression = Rewrite(constraint.expression);
    }
    map_.constraints.append(more_constraints_);
  }

 private:
  struct Digit {
    int64_t lo = 1;
    Sum variable;
  };

  bool IsAmongVariables(const Atom& atom) const {
    return atom.kind == AtomKind::kVariable && llvm::is_contained(variables_, atom.variable);
  }

  bool DependsOnVariables(const Atom& atom) {
    const auto [position, is_new] = depends_.try_emplace(&atom, false);
    if (!is_new) return position->second;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    bool depends = false;
    ForEachAtom({Term{1, &atom, 1, atom.extent}, 0}, seen,
                [&](const Atom& inner) { depends |= IsAmongVariables(inner); });
    return depends_[&atom] = depends;
  }

  // Where the digits begin and end that are mentioned, of the atoms that become several variables.
  void CollectCuts(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      const bool is_quotient = atom.kind == AtomKind::kQuotientVariable;
      if (!is_quotient && !IsAmongVariables(atom)) {
        KeepVariablesOf(term);
        continue;
      }
      if (!DependsOnVariables(atom)) continue;
      std::vector<int64_t>& cuts = cuts_[&atom];
      if (is_quotient && cuts.empty()) CollectCuts(atom.arguments[0]);
      cuts.push_back(term.lo);
      if (term.IsTop()) continue;
      // A digit that ends beyond 64 bits cannot be told from one that does not end.
      if (const auto end = support::CheckedMul(term.lo, term.extent)) cuts.push_back(*end);
    }
  }

  // What stands in a product, which has no digits, stays.
  void KeepVariablesOf(const Term& term) {
    llvm::SmallPtrSet<const Atom*, 8> seen;
    ForEachAtom({term, 0}, seen, [&](const Atom& inner) { kept_.insert(&inner); });
  }

  void Replace(const Atom& atom) {
    if (kept_.contains(&atom)) return;
    std::vector<int64_t> cuts = cuts_[&atom];
    cuts.push_back(1);
    llvm::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() == 1 || atom.extent == kUnbounded || atom.may_be_negative) return;
    for (size_t i = 1; i < cuts.size(); ++i) {
      if (cuts[i] % cuts[i - 1] != 0) return;
    }
    std::vector<Digit>& digits = digits_[&atom];
    llvm::SmallVector<ScaledSum, 4> parts;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const bool is_top = i + 1 == cuts.size();
      const int64_t last = (atom.extent - 1) / cuts[i];
      const auto number = static_cast<VariableId>(map_.boxes.size());
      map_.boxes.push_back({0, is_top ? last : std::min(last, cuts[i + 1] / cuts[i] - 1)});
      variables_.push_back(number);
      digits.push_back({cuts[i], map_.Variable(context_, number)});
      parts.push_back({digits.back().variable, cuts[i]});
    }
    const Sum value = Linear(context_, parts);
    if (atom.kind == AtomKind::kVariable) {
      more_constraints_.push_back({value, {0, atom.extent - 1}});
      llvm::erase(variables_, atom.variable);
      map_.boxes[atom.variable] = Interval::Point(atom.lower);
      return;
    }
    const Sum left = Subtract(context_, Rewrite(atom.arguments[0]), value);
    more_constraints_.push_back({left, Interval::Point(0)});
  }

  Sum Rewrite(const Sum& sum) {
    llvm::SmallVector<ScaledSum, 8> parts;
    for (const Term& term : sum.terms) parts.push_back({Rewrite(term), term.coefficient});
    return Linear(context_, parts, sum.constant);
  }

  // The digit alone.
  Sum Rewrite(Term term) {
    const Atom& atom = *term.atom;
    term.coefficient = 1;
    if (const auto found = digits_.find(&atom); found != digits_.end()) {
      llvm::SmallVector<ScaledSum, 4> parts;
      for (const Digit& digit : found->second) {
        const bool is_inside =
            digit.lo >= term.lo && (term.IsTop() || digit.lo / term.lo < term.extent);
        if (is_inside) parts.push_back({digit.variable, digit.lo / term.lo});
      }
      return Linear(context_, parts);
    }
    const bool is_quotient = atom.kind == AtomKind::kQuotientVariable;
    if (!is_quotient || !DependsOnVariablesOrReplaced(atom)) return context_.Store(term, 0);
    const Sum quotient = FloorDiv(context_, Rewrite(atom.arguments[0]), Constant(term.lo));
    return term.IsTop() ? quotient : Mod(context_, quotient, Constant(term.extent));
  }

  // Whether it depends on a variable, maybe one that is gone.
  bool DependsOnVariablesOrReplaced(const Atom& atom) const {
    const auto found = depends_.find(&atom);
    return found != depends_.end() && found->second;
  }

  DigitContext& context_;
  QuasiAffineMap& map_;
  llvm::SmallVectorImpl<VariableId>& variables_;
  std::map<const Atom*, std::vector<int64_t>> cuts_;
  llvm::DenseMap<const Atom*, bool> depends_;
  llvm::SmallPtrSet<const Atom*, 8> kept_;
  llvm::DenseMap<const Atom*, std::vector<Digit>> digits_;
  llvm::SmallVector<Constraint, 4> more_constraints_;
};

}  // namespace

void MakeDigitsVariables(DigitContext& context, QuasiAffineMap& map,
                         llvm::SmallVectorImpl<VariableId>& variables) {
  DigitVariables(context, map, variables).Run();
}

}  // namespace hlo_indexing::simplifier
