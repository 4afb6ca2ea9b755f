#include "simplifier/domain/refine.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/domain/affine_fitter.h"
#include "simplifier/domain/scaling.h"
#include "simplifier/linear_form.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

// Rewrites the results and constraints of one map.
class Refiner {
 public:
  Refiner(DigitContext& context, QuasiAffineMap& map)
      : context_(context), map_(map), shortest_form_(context), fitter_(context, map) {
    for (const Constraint& constraint : map.constraints) {
      const std::optional<KnownResidue> residue = ResidueOf(constraint);
      if (!residue || residue->values.modulus < 2) continue;
      const auto number = static_cast<VariableId>(map.boxes.size() + scaled_.size());
      if (const auto scaled = MakeScaledLeaf(context, *residue, number)) scaled_.push_back(*scaled);
    }
  }

  bool Run() {
    bool changed = false;
    for (Sum& result : map_.results) {
      if (IsAffine(result)) continue;
      const Sum before = result;
      result = fitter_.Fit(Rescaled(WithBoundedDigits(before), scaled_),
                           AffineFitter::Domain::kConstrained);
      changed |= !(result == before);
    }
    changed |= FitQuotients();
    for (Constraint& constraint : map_.constraints) {
      if (IsAffine(constraint.expression)) continue;
      llvm::SmallVector<ScaledLeaf, 2> others;
      const std::optional<KnownResidue> own = ResidueOf(constraint);
      for (const ScaledLeaf& s : scaled_) {
        if (!own || own->leaf != s.leaf) others.push_back(s);
      }
      const Sum before = constraint.expression;
      constraint.expression = fitter_.Fit(Rescaled(before, others), AffineFitter::Domain::kBox);
      changed |= !(constraint.expression == before);
    }
    return changed;
  }

 private:
  // The sum with digits of constraints where its own are the same, so that equal values have equal
  // sums, and what computes the digit for the one has it for the other.
  Sum WithBoundedDigits(const Sum& sum) {
    TermVector terms(sum.terms.begin(), sum.terms.end());
    int64_t constant = sum.constant;
    bool changed = false;
    for (Term& term : terms) {
      if (const auto value = ValueOfDigit(term)) {
        const auto product = support::CheckedMul(term.coefficient, *value);
        const auto added = product ? support::CheckedAdd(constant, *product) : std::nullopt;
        if (!added) continue;
        constant = *added;
        term.coefficient = 0;
        changed = true;
        continue;
      }
      for (const Constraint& constraint : map_.constraints) {
        if (constraint.expression.terms.size() != 1) continue;
        const Term& bounded = constraint.expression.terms.front();
        const bool is_lowest_part = bounded.atom == term.atom && bounded.lo == term.lo &&
                                    bounded.extent > term.extent &&
                                    bounded.extent % term.extent == 0;
        const Interval bounds = constraint.bounds;
        if (!is_lowest_part || bounded.coefficient != 1 || constraint.expression.constant != 0 ||
            bounds.lower < 0 || bounds.upper >= term.extent) {
          continue;
        }
        term.extent = bounded.extent;
        changed = true;
      }
    }
    if (!changed) return sum;
    llvm::erase_if(terms, [](const Term& term) { return term.coefficient == 0; });
    return Normalize(context_, std::move(terms), constant).value_or(sum);
  }

  // The one value that a digit has, as a constraint bounds one that it is a part of. Example:
  // (d0 floordiv 8) mod 4, where d0 mod 32 in [0, 7] -> 0
  std::optional<int64_t> ValueOfDigit(const Term& term) const {
    for (const Constraint& constraint : map_.constraints) {
      if (constraint.expression.terms.size() != 1 || constraint.expression.constant != 0) continue;
      const Term& bounded = constraint.expression.terms.front();
      if (bounded.atom != term.atom || bounded.coefficient != 1 || bounded.SameDigit(term)) {
        continue;
      }
      // The part is (bounded floordiv step) mod extent.
      const int64_t step = term.lo / bounded.lo;
      const bool is_part = term.lo % bounded.lo == 0 && bounded.extent % step == 0 &&
                           bounded.extent / step % term.extent == 0;
      const Interval bounds = constraint.bounds;
      if (!is_part || bounds.lower < 0 || bounds.upper >= bounded.extent) continue;
      const int64_t first = bounds.lower / step;
      if (first == bounds.upper / step) return first % term.extent;
    }
    return std::nullopt;
  }

  // Takes a quotient for a result with more divisions if the results have fewer together: one may
  // be in other results too.
  bool FitQuotients() {
    bool changed = false;
    for (Sum& result : map_.results) {
      if (HasOneDivision(result)) continue;
      const std::optional<Sum> quotient = fitter_.FitQuotient(result);
      if (!quotient) continue;
      const size_t divisions = NumDivisions();
      const Sum before = std::exchange(result, *quotient);
      if (NumDivisions() < divisions) {
        changed = true;
      } else {
        result = before;
      }
    }
    return changed;
  }

  // Whether the sum is written with at most one division, as a look at its digits says.
  static bool HasOneDivision(const Sum& sum) {
    int divisions = 0;
    for (const Term& term : sum.terms) {
      if (term.lo > 1) ++divisions;
      if (!term.IsTop()) ++divisions;
      if (!term.atom->IsLeaf() && !IsAffine(term.atom->arguments.front())) ++divisions;
    }
    return divisions <= 1;
  }

  // The different divisions of all results.
  size_t NumDivisions() {
    llvm::SmallPtrSet<const Factor*, 16> seen;
    size_t divisions = 0;
    for (const Sum& result : map_.results) {
      CountDivisions(shortest_form_.Write(result), seen, divisions);
    }
    return divisions;
  }

  static void CountDivisions(const LinearForm& form, llvm::SmallPtrSetImpl<const Factor*>& seen,
                             size_t& divisions) {
    for (const auto& part : form.parts) {
      if (part.second->operations == 0 || !seen.insert(part.second).second) continue;
      if (part.second->divisor > 1) ++divisions;
      CountDivisions(part.second->operand, seen, divisions);
      CountDivisions(part.second->second, seen, divisions);
    }
  }

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

  Sum Rescaled(const Sum& sum, llvm::ArrayRef<ScaledLeaf> scaled) {
    if (scaled.empty()) return sum;
    const Scaling scaling(context_, scaled);
    const Sum applied = scaling.Apply(sum);
    return applied == sum ? sum : Shorter(sum, scaling.Undo(applied));
  }

  DigitContext& context_;
  QuasiAffineMap& map_;
  ShortestForm shortest_form_;
  AffineFitter fitter_;
  std::vector<ScaledLeaf> scaled_;
};

}  // namespace

bool Refine(DigitContext& context, QuasiAffineMap& map) {
  const bool has_divisions =
      llvm::any_of(map.results, [](const Sum& sum) { return !IsAffine(sum); }) ||
      llvm::any_of(map.constraints, [](const Constraint& c) { return !IsAffine(c.expression); });
  return has_divisions && Refiner(context, map).Run();
}

}  // namespace hlo_indexing::simplifier
