#include "simplifier/elimination.h"

#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

// A bound on the variable: `factor * variable >= sum`, or `<=`, with a factor above 0.
struct Bound {
  int64_t factor = 1;
  Sum sum;

  friend bool operator==(const Bound&, const Bound&) = default;
};

// The variables of the same number stand in several atoms, one for each box that it has had.
bool IsVariable(const Atom& atom, VariableId variable) {
  return atom.kind == AtomKind::kVariable && atom.variable == variable;
}

bool Mentions(const Sum& sum, VariableId variable) {
  bool mentions = false;
  llvm::SmallPtrSet<const Atom*, 8> seen;
  ForEachAtom(sum, seen, [&](const Atom& atom) { mentions |= IsVariable(atom, variable); });
  return mentions;
}

class Elimination {
 public:
  Elimination(DigitContext& context, VariableId variable, size_t max_pieces)
      : context_(context), variable_(variable), max_pieces_(max_pieces) {}

  bool Run(const QuasiAffineMap& map, int divisions_left = kMaxNestedDivisions) {
    const std::optional<int64_t> period = PeriodOf(map);
    if (!period) return false;
    if (*period == 1) return EliminateLinear(map);
    return divisions_left > 0 && EliminateEachRemainder(map, *period, divisions_left - 1);
  }

  std::vector<QuasiAffineMap> TakePieces() { return std::move(pieces_); }

 private:
  // The multiples of this number that the variable consists of pass all divisions that mention it:
  // 1 if none does. nullopt if there is no such number, or it is too large.
  std::optional<int64_t> PeriodOf(const QuasiAffineMap& map) const {
    int64_t period = 1;
    llvm::SmallPtrSet<const Atom*, 16> seen;
    for (const Constraint& constraint : map.constraints) {
      if (!AddPeriodOf(constraint.expression, seen, period)) return std::nullopt;
    }
    return period;
  }

  bool AddPeriodOf(const Sum& sum, llvm::SmallPtrSetImpl<const Atom*>& seen,
                   int64_t& period) const {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      int64_t factor = 0;
      if (IsVariable(atom, variable_)) {
        if (term.IsWhole()) continue;
        factor = 1;
      } else {
        if (!Mentions({term, 0}, variable_)) continue;
        // A nested division comes first; what it leaves is divided by the next round.
        if (atom.kind != AtomKind::kQuotientVariable) return false;
        if (seen.insert(&atom).second && !AddPeriodOf(atom.arguments[0], seen, period)) {
          return false;
        }
        factor = LinearFactor(atom.arguments[0]);
        if (factor == 0) continue;
      }
      const auto modulus =
          term.IsTop() ? std::optional(term.lo) : support::CheckedMul(term.lo, term.extent);
      if (!modulus) return false;
      const int64_t needed = *modulus / std::gcd(*modulus, factor);
      const auto common = support::CheckedMul(period / std::gcd(period, needed), needed);
      if (!common || *common > static_cast<int64_t>(max_pieces_)) return false;
      period = *common;
    }
    return true;
  }

  // The factor of the variable where it stands whole.
  int64_t LinearFactor(const Sum& sum) const {
    for (const Term& term : sum.terms) {
      if (IsVariable(*term.atom, variable_) && term.IsWhole()) return term.coefficient;
    }
    return 0;
  }

  bool EliminateEachRemainder(const QuasiAffineMap& map, int64_t period, int divisions_left) {
    const Interval box = map.boxes[variable_];
    if (box.lower == Interval::kMinusInfinity) return false;
    for (int64_t remainder = 0; remainder < period; ++remainder) {
      const auto first = support::CheckedAdd(box.lower, remainder);
      if (!first || *first > box.upper) break;
      Interval multiples = {0, Interval::kPlusInfinity};
      if (box.upper != Interval::kPlusInfinity) {
        const auto length = support::CheckedSub(box.upper, *first);
        if (!length) return false;
        multiples.upper = *length / period;
      }
      QuasiAffineMap piece = map;
      piece.boxes[variable_] = multiples;
      const Sum value = Linear(context_, {{piece.Variable(context_, variable_), period}}, *first);
      Replace(map, value, piece);
      Simplify(context_, piece);
      if (!piece.empty && !Run(piece, divisions_left)) return false;
    }
    return true;
  }

  // `piece` with the constraints of `map` where the variable has this value.
  void Replace(const QuasiAffineMap& map, const Sum& value, QuasiAffineMap& piece) const {
    const auto replace = [&](const Atom& atom) {
      return IsVariable(atom, variable_) ? std::optional(value) : std::nullopt;
    };
    Substitution substitution(context_, replace);
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      piece.constraints[i].expression = substitution.Apply(map.constraints[i].expression);
    }
  }

  bool EliminateLinear(const QuasiAffineMap& map) {
    std::vector<Bound> lower;
    std::vector<Bound> upper;
    const Interval box = map.boxes[variable_];
    if (box.lower != Interval::kMinusInfinity) lower.push_back({1, Constant(box.lower)});
    if (box.upper != Interval::kPlusInfinity) upper.push_back({1, Constant(box.upper)});
    QuasiAffineMap rest = map;
    rest.constraints.clear();
    for (const Constraint& constraint : map.constraints) {
      const int64_t factor = LinearFactor(constraint.expression);
      if (factor == 0) {
        rest.constraints.push_back(constraint);
        continue;
      }
      if (factor == INT64_MIN) return false;
      const Sum others = Subtract(context_, constraint.expression,
                                  Scale(context_, map.Variable(context_, variable_), factor));
      if (Mentions(others, variable_)) return false;
      AddBounds(constraint.bounds, factor, others, lower, upper);
    }
    // Nothing bounds it on one side: there is a value beyond all bounds of the other.
    if (lower.empty() || upper.empty()) return Keep(std::move(rest));
    const auto is_unit = [](const Bound& bound) { return bound.factor == 1; };
    if ((llvm::all_of(lower, is_unit) || llvm::all_of(upper, is_unit)) &&
        lower.size() * upper.size() <= kMaxPairs) {
      return EliminateByPairs(std::move(rest), lower, upper);
    }
    return EliminateByCandidates(rest, lower, upper);
  }

  void AddBounds(Interval bounds, int64_t factor, const Sum& others, std::vector<Bound>& lower,
                 std::vector<Bound>& upper) const {
    const auto add = [&](std::vector<Bound>& side, Bound bound) {
      if (!llvm::is_contained(side, bound)) side.push_back(bound);
    };
    const int64_t magnitude = factor < 0 ? -factor : factor;
    if (bounds.lower != Interval::kMinusInfinity) {
      const Sum least = Subtract(context_, Constant(bounds.lower), others);
      factor > 0 ? add(lower, {magnitude, least})
                 : add(upper, {magnitude, Scale(context_, least, -1)});
    }
    if (bounds.upper != Interval::kPlusInfinity) {
      const Sum most = Subtract(context_, Constant(bounds.upper), others);
      factor > 0 ? add(upper, {magnitude, most})
                 : add(lower, {magnitude, Scale(context_, most, -1)});
    }
  }

  // Requires `a * upper - b * lower >= 0` of a bound on each side.
  void RequireBetween(const Bound& lower, const Bound& upper, QuasiAffineMap& piece) const {
    const Sum room = Linear(context_, {{upper.sum, lower.factor}, {lower.sum, -upper.factor}});
    piece.constraints.push_back({room, {0, Interval::kPlusInfinity}});
  }

  bool EliminateByPairs(QuasiAffineMap piece, llvm::ArrayRef<Bound> lower,
                        llvm::ArrayRef<Bound> upper) {
    for (const Bound& least : lower) {
      for (const Bound& most : upper) RequireBetween(least, most, piece);
    }
    return Keep(std::move(piece));
  }

  // The smallest upper bound is the largest value that meets all of them, and so for lower bounds.
  // Floors make shorter sums than ceilings: d0 - d0 floordiv 3 * 3 is d0 mod 3.
  bool EliminateByCandidates(const QuasiAffineMap& rest, llvm::ArrayRef<Bound> lower,
                             llvm::ArrayRef<Bound> upper) {
    const bool from_above = upper.size() <= lower.size();
    for (const Bound& candidate : from_above ? upper : lower) {
      const Sum factor = Constant(candidate.factor);
      const Bound value = {1, from_above ? FloorDiv(context_, candidate.sum, factor)
                                         : CeilDiv(context_, candidate.sum, factor)};
      QuasiAffineMap piece = rest;
      for (const Bound& least : lower) {
        if (from_above || !(least == candidate)) RequireBetween(least, value, piece);
      }
      for (const Bound& most : upper) {
        if (!from_above || !(most == candidate)) RequireBetween(value, most, piece);
      }
      if (!Keep(std::move(piece))) return false;
    }
    return true;
  }

  bool Keep(QuasiAffineMap piece) {
    piece.boxes[variable_] = Interval::Point(0);
    Simplify(context_, piece);
    if (!piece.empty) pieces_.push_back(std::move(piece));
    return pieces_.size() <= max_pieces_;
  }

  // Divisions inside of each other that mention the variable.
  static constexpr int kMaxNestedDivisions = 8;
  // Pairs of bounds of one map, each of which becomes a constraint.
  static constexpr size_t kMaxPairs = 64;

  DigitContext& context_;
  VariableId variable_;
  size_t max_pieces_;
  std::vector<QuasiAffineMap> pieces_;
};

}  // namespace

std::optional<std::vector<QuasiAffineMap>> Eliminate(DigitContext& context,
                                                     const QuasiAffineMap& map, VariableId variable,
                                                     size_t max_pieces) {
  if (map.empty) return std::vector<QuasiAffineMap>();
  Elimination elimination(context, variable, max_pieces);
  if (!elimination.Run(map)) return std::nullopt;
  return elimination.TakePieces();
}

}  // namespace hlo_indexing::simplifier
