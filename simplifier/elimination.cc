#include "simplifier/elimination.h"

#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"
#include "simplifier/variable_bounds.h"

namespace hlo_indexing::simplifier {
namespace {

class Elimination {
 public:
  Elimination(DigitContext& context, VariableId variable, size_t max_pieces)
      : context_(context), variable_(variable), max_pieces_(max_pieces) {}

  bool Run(const QuasiAffineMap& map, int divisions_left = kMaxNestedDivisions) {
    const auto period = PeriodOf(map, variable_, static_cast<int64_t>(max_pieces_));
    if (!period) return false;
    if (*period == 1) return EliminateLinear(map);
    const auto pieces =
        divisions_left > 0 ? SplitByRemainder(context_, map, variable_, *period) : std::nullopt;
    return pieces && llvm::all_of(*pieces, [&](const QuasiAffineMap& piece) {
             return Run(piece, divisions_left - 1);
           });
  }

  std::vector<QuasiAffineMap> TakePieces() { return std::move(pieces_); }

 private:
  bool EliminateLinear(const QuasiAffineMap& map) {
    QuasiAffineMap rest = map;
    const std::optional<VariableBounds> bounds = TakeBounds(context_, rest, variable_);
    if (!bounds) return false;
    const auto& [lower, upper] = *bounds;
    // Nothing bounds it on one side: there is a value beyond all bounds of the other.
    if (lower.empty() || upper.empty()) return Keep(std::move(rest));
    const auto is_unit = [](const Bound& bound) { return bound.factor == 1; };
    if ((llvm::all_of(lower, is_unit) || llvm::all_of(upper, is_unit)) &&
        lower.size() * upper.size() <= kMaxPairs) {
      return EliminateByPairs(std::move(rest), lower, upper);
    }
    return EliminateByCandidates(rest, lower, upper);
  }

  // Requires `a * upper - b * lower >= 0` of a bound on each side.
  void RequireBetween(const Bound& lower, const Bound& upper, QuasiAffineMap& piece) const {
    // The difference of two constants may not fit in 64 bits.
    if (lower.sum.IsConstant() && upper.sum.IsConstant() &&
        static_cast<__int128>(upper.sum.constant) * lower.factor >=
            static_cast<__int128>(lower.sum.constant) * upper.factor) {
      return;
    }
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
