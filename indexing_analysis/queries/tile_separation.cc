#include "indexing_analysis/queries/tile_separation.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/maps/write_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::Sum;
using simplifier::Term;
using simplifier::TermVector;

namespace {

// Coefficients and bounds beyond are not worked with.
constexpr int64_t kLargest = int64_t{1} << 60;

bool MentionsRanges(const IndexingMap& map) {
  return llvm::any_of(map.affine_map().getResults(), [&](mlir::AffineExpr result) {
    for (size_t i = 0; i < map.num_ranges(); ++i) {
      if (result.isFunctionOfSymbol(static_cast<unsigned>(i))) return true;
    }
    return false;
  });
}

// Whether the value depends on the dimensions of its map alone.
bool IsSameInTile(const RuntimeVariable& value) {
  // The number of the device, and what a map in text leaves open.
  if (value.instruction == nullptr) return true;
  if (value.index.IsUnknown() || MentionsRanges(value.index)) return false;
  return llvm::all_of(value.index.runtime(), IsSameInTile);
}

// The value with an index that has no ranges; none is mentioned.
RuntimeVariable WithoutRanges(const RuntimeVariable& value) {
  RuntimeVariable result = value;
  const IndexingMap& index = value.index;
  if (index.IsUnknown()) return result;
  const auto num_dims = static_cast<unsigned>(index.num_dimensions());
  llvm::SmallVector<mlir::AffineExpr, 8> symbols(index.num_ranges(),
                                                 mlir::getAffineConstantExpr(0, index.context()));
  std::vector<RuntimeVariable> runtime;
  for (size_t i = 0; i < index.num_runtime(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(static_cast<unsigned>(i), index.context()));
    runtime.push_back(WithoutRanges(index.runtime()[i]));
  }
  const mlir::AffineMap results = index.affine_map().replaceDimsAndSymbols(
      {}, symbols, num_dims, static_cast<unsigned>(runtime.size()));
  result.index =
      IndexingMap(results, std::vector<Variable>(index.dimensions()), {}, std::move(runtime), {});
  return result;
}

// What all coefficients of the terms are factors times those of `unit`, if they are: numerator and
// denominator. Terms must be the same digits.
std::optional<std::pair<int64_t, int64_t>> Ratio(llvm::ArrayRef<Term> terms,
                                                 llvm::ArrayRef<Term> unit) {
  if (terms.size() != unit.size() || terms.empty()) return std::nullopt;
  const int64_t divisor = std::gcd(terms[0].coefficient, unit[0].coefficient);
  const std::pair<int64_t, int64_t> ratio = {terms[0].coefficient / divisor,
                                             unit[0].coefficient / divisor};
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i].SameDigit(unit[i])) return std::nullopt;
    const auto left = support::CheckedMul(terms[i].coefficient, ratio.second);
    const auto right = support::CheckedMul(unit[i].coefficient, ratio.first);
    if (!left || !right || *left != *right) return std::nullopt;
  }
  return ratio;
}

// `count` numbers as `period` progressions.
std::vector<Progression> Residues(int64_t count, int64_t period) {
  std::vector<Progression> residues;
  for (int64_t first = 0; first < std::min(period, count); ++first) {
    const int64_t size = (count - first + period - 1) / period;
    residues.push_back({first, size, size == 1 ? 1 : period});
  }
  return residues;
}

}  // namespace

TileSeparation::TileSeparation(const IndexingMap& map, llvm::ArrayRef<int64_t> counts)
    : map_(map), counts_(counts), is_used_by_tile_(map.num_runtime()) {
  for (const RuntimeVariable& value : map.runtime()) {
    is_same_in_tile_.push_back(IsSameInTile(value));
  }
  f_ = ReadMap(context_, map, RuntimeVariablesAs::kFunctions);
  if (!f_.empty) simplifier::Simplify(context_, f_);
  if (f_.empty) return;
  RemovePlacesOfOneConstraint();
  OpenEndsWithoutEffect();
  llvm::SmallPtrSet<const Atom*, 16> seen;
  const auto look_at = [&](const Atom& atom) {
    if (!atom.IsFunction()) return;
    if (IsTile(atom)) {
      is_used_by_tile_[atom.variable - f_.boxes.size()] = true;
    } else {
      places_depend_on_runtime_ = true;
    }
  };
  for (const Sum& result : f_.results) {
    results_.push_back(Separate(result));
    is_separated_ &= results_.back().mixed.empty();
    simplifier::ForEachAtom(result, seen, look_at);
  }
  for (const Constraint& constraint : f_.constraints) {
    simplifier::ForEachAtom(constraint.expression, seen, look_at);
    const Side side = SideOf(constraint.expression);
    if (side == Side::kPlace) {
      of_place_.push_back(constraint);
    } else if (side != Side::kBoth) {
      of_tile_.push_back(constraint);
    } else {
      Parts parts = Separate(constraint.expression);
      if (auto bound = AsBound(constraint, parts)) {
        bounds_.push_back(*std::move(bound));
        continue;
      }
      mixed_.push_back({constraint, std::move(parts)});
      is_separated_ = false;
    }
  }
}

// A place that only one constraint mentions is there or not: some value of it in [0, size) puts
// rest + c * place into [lower, upper] just if rest is in [lower, upper] - c * [0, size), as long
// as steps of c do not jump over the bounds.
void TileSeparation::RemovePlacesOfOneConstraint() {
  llvm::SmallVector<size_t, 8> uses(f_.boxes.size());
  const auto count_uses = [&](const Sum& sum) {
    llvm::SmallPtrSet<const Atom*, 16> seen;
    simplifier::ForEachAtom(sum, seen, [&](const Atom& atom) {
      if (atom.kind == AtomKind::kVariable) ++uses[atom.variable];
    });
  };
  for (const Sum& result : f_.results) count_uses(result);
  for (const Constraint& constraint : f_.constraints) count_uses(constraint.expression);
  for (Constraint& constraint : f_.constraints) {
    TermVector terms(constraint.expression.terms);
    llvm::erase_if(terms, [&](const Term& term) {
      const Atom& atom = *term.atom;
      const bool is_alone = atom.kind == AtomKind::kVariable && !IsTile(atom) && term.IsWhole() &&
                            uses[atom.variable] == 1;
      if (!is_alone) return false;
      const Interval bounds = constraint.bounds;
      const auto width = support::CheckedSub(bounds.upper, bounds.lower);
      const bool jumps = width.has_value() && std::abs(term.coefficient) - 1 > *width;
      const Interval rest = bounds + term.DigitRange() * -term.coefficient;
      const bool overflows =
          (rest.lower == Interval::kMinusInfinity) != (bounds.lower == Interval::kMinusInfinity) ||
          (rest.upper == Interval::kPlusInfinity) != (bounds.upper == Interval::kPlusInfinity);
      if (jumps || overflows) return false;
      constraint.bounds = rest;
      return true;
    });
    constraint.expression = context_.Store(terms, constraint.expression.constant);
  }
}

// Ends of bounds that no value of an expression can pass.
void TileSeparation::OpenEndsWithoutEffect() {
  for (Constraint& constraint : f_.constraints) {
    const Interval values = simplifier::NaturalRange(constraint.expression);
    Interval open = constraint.bounds;
    if (values.lower >= open.lower) open.lower = Interval::kMinusInfinity;
    if (values.upper <= open.upper) open.upper = Interval::kPlusInfinity;
    // Conditions of tiles, or of places, are written down, with ends that are numbers.
    const bool is_bound = SideOf(constraint.expression) == Side::kBoth;
    if (is_bound || open == Interval::All()) constraint.bounds = open;
  }
  llvm::erase_if(f_.constraints,
                 [](const Constraint& constraint) { return constraint.bounds == Interval::All(); });
}

bool TileSeparation::IsTile(const Atom& leaf) const {
  if (leaf.kind == AtomKind::kVariable) return leaf.variable < map_.num_dimensions();
  return is_same_in_tile_[leaf.variable - f_.boxes.size()];
}

TileSeparation::Side TileSeparation::SideOfAtom(const Atom& atom) const {
  if (atom.IsLeaf()) return IsTile(atom) ? Side::kTile : Side::kPlace;
  Side side = Side::kNeither;
  for (const Sum& argument : atom.arguments) {
    const Side of_argument = SideOf(argument);
    side = static_cast<Side>(static_cast<int>(side) | static_cast<int>(of_argument));
  }
  return side;
}

TileSeparation::Side TileSeparation::SideOf(const Term& term) const {
  return SideOfAtom(*term.atom);
}

TileSeparation::Side TileSeparation::SideOf(const Sum& sum) const {
  auto side = Side::kNeither;
  for (const Term& term : sum.terms) {
    side = static_cast<Side>(static_cast<int>(side) | static_cast<int>(SideOf(term)));
  }
  return side;
}

TileSeparation::Parts TileSeparation::Separate(const Sum& sum) {
  Parts parts;
  TermVector tile;
  TermVector place;
  for (const Term& term : sum.terms) {
    switch (SideOf(term)) {
      case Side::kNeither:
      case Side::kTile:
        tile.push_back(term);
        break;
      case Side::kPlace:
        place.push_back(term);
        break;
      case Side::kBoth:
        parts.mixed.push_back(term);
    }
  }
  parts.tile = context_.Store(tile, sum.constant);
  parts.place = context_.Store(place, 0);
  return parts;
}

// The constraint is tile + p in [lower, upper] with p = n / d * place of a result, which itself is
// tile' + place: place = d / n * p, so the result is in tile' + d / n * ([lower, upper] - tile).
// One of n and d must be 1, or the shift would be a fraction.
std::optional<TileSeparation::Bound> TileSeparation::AsBound(const Constraint& constraint,
                                                             const Parts& parts) {
  const auto is_small = [](int64_t end, int64_t infinity) {
    return end == infinity || (-kLargest <= end && end <= kLargest);
  };
  const Interval in = constraint.bounds;
  const bool has_small_bounds =
      is_small(in.lower, Interval::kMinusInfinity) && is_small(in.upper, Interval::kPlusInfinity);
  if (!parts.mixed.empty() || !has_small_bounds) return std::nullopt;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].mixed.empty()) continue;
    const auto ratio = Ratio(parts.place.terms, results_[i].place.terms);
    if (!ratio.has_value()) continue;
    const auto [numerator, denominator] = *ratio;
    Bound bound;
    bound.result = i;
    if (numerator == 1 || numerator == -1) {
      const int64_t factor = denominator * numerator;
      bound.shift = simplifier::Linear(context_, {{results_[i].tile, 1}, {parts.tile, -factor}});
      bound.bounds = in * factor;
    } else if (denominator == 1 || denominator == -1) {
      // n * result in n * tile' + [lower, upper] - tile: the tile's part by n, if that goes.
      const int64_t factor = numerator * denominator;
      const int64_t size = factor < 0 ? -factor : factor;
      const simplifier::Division division = simplifier::DivMod(context_, parts.tile, size);
      if (!division.remainder.IsConstant()) continue;
      const int64_t sign = factor < 0 ? -1 : 1;
      bound.shift =
          simplifier::Linear(context_, {{results_[i].tile, 1}, {division.quotient, -sign}});
      const Interval rest = in + Interval::Point(-division.remainder.constant);
      // size * x in rest, where x is `sign` times what is bounded.
      const Interval quotient = {
          rest.lower == Interval::kMinusInfinity ? rest.lower : support::CeilDiv(rest.lower, size),
          rest.upper == Interval::kPlusInfinity ? rest.upper : support::FloorDiv(rest.upper, size)};
      bound.bounds = quotient * sign;
    } else {
      continue;
    }
    const auto end = SubtractExactly(bound.bounds, -bound.shift.constant);
    if (end.has_value()) {
      bound.bounds = *end;
      bound.shift.constant = 0;
    }
    return bound;
  }
  return std::nullopt;
}

// A quotient of c * tile + ... by n is the same for tiles that are n / gcd(c, n) apart, but for a
// multiple of what it is a quotient of.
std::optional<TileSeparation::Kinds> TileSeparation::KindsByPeriod(const Term& term,
                                                                   size_t max_kinds) const {
  const Atom& atom = *term.atom;
  if (atom.kind != AtomKind::kQuotientVariable) {
    return OneByOne({term, 0}, max_kinds);
  }
  const Sum& sum = atom.arguments.front();
  for (const Term& inner : sum.terms) {
    if (SideOf(inner) == Side::kBoth) return KindsByPeriod(inner, max_kinds);
  }
  const int64_t divisor = term.lo > 1 ? term.lo : term.extent;
  std::optional<Kinds> best;
  for (const Term& inner : sum.terms) {
    if (inner.atom->kind != AtomKind::kVariable || !IsTile(*inner.atom) || !inner.IsWhole()) {
      continue;
    }
    const size_t dimension = inner.atom->variable;
    const int64_t count = counts_[dimension];
    const int64_t period = divisor / std::gcd(inner.coefficient, divisor);
    const auto kinds = static_cast<uint64_t>(std::min(period, count));
    if (period < 2 || count < 2 || kinds > max_kinds) continue;
    if (best.has_value() && best->tiles.size() <= kinds) continue;
    best = Kinds{dimension, Residues(count, period)};
  }
  return best.has_value() ? best : OneByOne(sum, max_kinds);
}

// Where tile + place is in [lower, upper] whatever the place is, a constraint says nothing.
std::optional<TileSeparation::Kinds> TileSeparation::KindsByConstraint(const Constraint& constraint,
                                                                       const Parts& parts,
                                                                       size_t max_kinds) const {
  if (!parts.mixed.empty()) return KindsByPeriod(parts.mixed.front(), max_kinds);
  const Interval place = simplifier::NaturalRange(parts.place);
  for (const Term& term : parts.tile.terms) {
    if (term.atom->kind != AtomKind::kVariable || !term.IsWhole()) continue;
    const size_t dimension = term.atom->variable;
    const int64_t count = counts_[dimension];
    Interval others = place + Interval::Point(parts.tile.constant);
    for (const Term& other : parts.tile.terms) {
      if (&other != &term) others = others + other.DigitRange() * other.coefficient;
    }
    // An atom starts at 0.
    const Interval in = constraint.bounds;
    if (count < 2 || !others.IsFinite()) continue;
    const bool is_positive = term.coefficient > 0;
    const int64_t size = is_positive ? term.coefficient : -term.coefficient;
    Interval always = Interval::All();
    if (in.lower != Interval::kMinusInfinity) {
      const auto least = support::CheckedSub(in.lower, others.lower);
      if (!least) continue;
      (is_positive ? always.lower : always.upper) =
          is_positive ? support::CeilDiv(*least, size) : support::FloorDiv(-*least, size);
    }
    if (in.upper != Interval::kPlusInfinity) {
      const auto most = support::CheckedSub(in.upper, others.upper);
      if (!most) continue;
      (is_positive ? always.upper : always.lower) =
          is_positive ? support::FloorDiv(*most, size) : support::CeilDiv(-*most, size);
    }
    // The box may have been narrowed.
    always = {support::CheckedAdd(always.lower, term.atom->lower).value_or(always.lower),
              support::CheckedAdd(always.upper, term.atom->lower).value_or(always.upper)};
    always = always.Intersect({0, count - 1});
    if (always.IsEmpty() || always == Interval{0, count - 1}) continue;
    Kinds kinds{dimension, {}};
    const auto add = [&](int64_t first, int64_t size_of_part) {
      if (size_of_part > 0) kinds.tiles.push_back({first, size_of_part, 1});
    };
    add(0, always.lower);
    add(always.lower, always.upper - always.lower + 1);
    add(always.upper + 1, count - 1 - always.upper);
    if (kinds.tiles.size() <= max_kinds) return kinds;
  }
  return OneByOne(constraint.expression, max_kinds);
}

// In the dimension with the fewest tiles of those that the sum depends on.
std::optional<TileSeparation::Kinds> TileSeparation::OneByOne(const Sum& sum,
                                                              size_t max_kinds) const {
  std::optional<size_t> best;
  llvm::SmallPtrSet<const Atom*, 16> seen;
  simplifier::ForEachAtom(sum, seen, [&](const Atom& atom) {
    if (atom.kind != AtomKind::kVariable || !IsTile(atom)) return;
    const size_t dimension = atom.variable;
    const int64_t count = counts_[dimension];
    if (count < 2 || static_cast<uint64_t>(count) > max_kinds) return;
    if (!best.has_value() || count < counts_[*best]) best = dimension;
  });
  if (!best.has_value()) return std::nullopt;
  return Kinds{*best, Residues(counts_[*best], counts_[*best])};
}

std::optional<TileSeparation::Kinds> TileSeparation::FindKinds(size_t max_kinds) {
  for (const Parts& parts : results_) {
    if (parts.mixed.empty()) continue;
    if (auto kinds = KindsByPeriod(parts.mixed.front(), max_kinds)) return kinds;
  }
  for (const MixedConstraint& mixed : mixed_) {
    if (auto kinds = KindsByConstraint(mixed.constraint, mixed.parts, max_kinds)) return kinds;
  }
  return std::nullopt;
}

std::string TileSeparation::MixedText() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  const auto name = [&](const Atom& leaf, llvm::raw_ostream& stream) {
    const size_t dimensions = map_.num_dimensions();
    if (leaf.variable < dimensions) {
      stream << map_.DimensionName(leaf.variable);
    } else {
      stream << map_.SymbolName(leaf.variable - dimensions);
    }
  };
  for (const Parts& parts : results_) {
    if (parts.mixed.empty()) continue;
    parts.mixed.front().Print(out, name);
    return text;
  }
  if (!mixed_.empty()) mixed_.front().constraint.Print(out, name);
  return text;
}

std::optional<IndexingMap> TileSeparation::PlaceMap() {
  const size_t num_tiles = map_.num_dimensions();
  MapVariables variables;
  for (size_t i = num_tiles; i < f_.boxes.size(); ++i) {
    variables.dimensions.push_back({f_.boxes[i], ""});
  }
  // A value known at run time is as good as a place: each is possible.
  std::vector<size_t> numbers(map_.num_runtime());
  for (size_t i = 0; i < map_.num_runtime(); ++i) {
    if (is_same_in_tile_[i]) continue;
    numbers[i] = variables.dimensions.size();
    variables.dimensions.push_back({map_.runtime()[i].bounds, ""});
  }
  llvm::SmallVector<Sum, 4> results;
  for (const Parts& parts : results_) results.push_back(parts.place);
  return WriteMap(
      context_, results, of_place_, std::move(variables),
      [&](const Atom& leaf) {
        if (leaf.kind == AtomKind::kVariable) return leaf.variable - num_tiles;
        return numbers[leaf.variable - f_.boxes.size()];
      },
      map_.context());
}

std::optional<IndexingMap> TileSeparation::TileMap(llvm::ArrayRef<Sum> sums,
                                                   bool ignore_conditions) {
  MapVariables variables;
  const size_t num_tiles = map_.num_dimensions();
  for (size_t i = 0; i < num_tiles; ++i) {
    const Interval bounds = ignore_conditions ? map_.dimensions()[i].bounds : f_.boxes[i];
    variables.dimensions.push_back({bounds, map_.dimensions()[i].name});
  }
  std::vector<size_t> numbers(map_.num_runtime());
  for (size_t i = 0; i < map_.num_runtime(); ++i) {
    if (!is_used_by_tile_[i]) continue;
    numbers[i] = num_tiles + variables.runtime.size();
    variables.runtime.push_back(WithoutRanges(map_.runtime()[i]));
  }
  llvm::ArrayRef<Constraint> conditions = of_tile_;
  if (ignore_conditions) conditions = {};
  return WriteMap(
      context_, sums, conditions, std::move(variables),
      [&](const Atom& leaf) -> size_t {
        if (leaf.kind == AtomKind::kVariable) return leaf.variable;
        return numbers[leaf.variable - f_.boxes.size()];
      },
      map_.context());
}

TileSeparation::Hull TileSeparation::HullOf(size_t result) {
  const Parts& parts = results_[result];
  Hull hull;
  hull.tile = parts.tile;
  hull.place = simplifier::NaturalRange(parts.place);
  hull.stride = 0;
  for (const Term& term : parts.place.terms) {
    hull.stride = std::gcd(hull.stride, term.coefficient);
  }
  for (const Term& term : parts.mixed) {
    hull.stride = std::gcd(hull.stride, term.coefficient);
    Interval values = term.DigitRange();
    const Atom& atom = *term.atom;
    if (term.IsTop() && atom.kind == AtomKind::kQuotientVariable) {
      const Parts inner = Separate(atom.arguments.front());
      const Interval place = simplifier::NaturalRange(inner.place);
      if (inner.mixed.empty() && place.IsFinite()) {
        // floor((tile + place) / lo), from its least value on, rises by at most the ceiling of what
        // place rises by.
        const Sum least = simplifier::Linear(context_, {{inner.tile, 1}}, place.lower);
        const Sum quotient = simplifier::DivMod(context_, least, term.lo).quotient;
        hull.tile = simplifier::Linear(context_, {{hull.tile, 1}, {quotient, term.coefficient}});
        values = {0, support::CeilDiv(place.upper - place.lower, term.lo)};
      }
    }
    hull.place = hull.place + values * term.coefficient;
  }
  if (hull.stride == 0) hull.stride = 1;
  return hull;
}

}  // namespace hlo_indexing::indexing_analysis
