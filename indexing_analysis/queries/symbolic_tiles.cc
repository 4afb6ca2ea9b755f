#include "indexing_analysis/queries/symbolic_tiles.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/maps/write_map.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quasi_affine_map.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineExpr;
using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::Sum;
using simplifier::Term;
using Kind = TileSizeCondition::Kind;

// Combinations of alternatives that are tried.
constexpr size_t kMaxCombinations = 4096;

// What the tile size of a dimension may be: a number, or the multiples of `lower` that divide
// `upper`, which is 0 if they need not divide any.
struct Alternative {
  bool is_number = false;
  int64_t lower = 1;
  int64_t upper = 0;

  // Whether all sizes that `other` allows are allowed here.
  bool Covers(const Alternative& other) const {
    if (!other.is_number) return !is_number && lower == other.lower && upper == other.upper;
    if (is_number) return lower == other.lower;
    return other.lower % lower == 0 && (upper == 0 || upper % other.lower == 0);
  }
};

// factor * (t floordiv divisor) elements, or just `factor` if there is no t.
struct Size {
  int64_t factor = 1;
  std::optional<size_t> dimension;
  int64_t divisor = 1;

  bool IsOne() const { return !dimension.has_value() && factor == 1; }
};

// A digit of a dimension, from `lo` to `end`; `end` is 0 for one without.
struct Digit {
  size_t result = 0;
  Term term;
  int64_t lo = 1;
  int64_t end = 0;
};

// A uniform value in a map of other variables: its index mentions none.
RuntimeVariable InVariables(const RuntimeVariable& value, const std::vector<Variable>& dimensions,
                            const std::vector<Variable>& ranges) {
  RuntimeVariable result = value;
  const IndexingMap& index = value.index;
  if (index.IsUnknown()) return result;
  const AffineExpr zero = mlir::getAffineConstantExpr(0, index.context());
  const llvm::SmallVector<AffineExpr, 4> no_dimensions(index.num_dimensions(), zero);
  llvm::SmallVector<AffineExpr, 8> symbols(index.num_ranges(), zero);
  std::vector<RuntimeVariable> runtime;
  for (const RuntimeVariable& nested : index.runtime()) {
    symbols.push_back(mlir::getAffineSymbolExpr(
        static_cast<unsigned>(ranges.size() + runtime.size()), index.context()));
    runtime.push_back(InVariables(nested, dimensions, ranges));
  }
  const mlir::AffineMap results = index.affine_map().replaceDimsAndSymbols(
      no_dimensions, symbols, static_cast<unsigned>(dimensions.size()),
      static_cast<unsigned>(ranges.size() + runtime.size()));
  result.index = IndexingMap(results, dimensions, ranges, std::move(runtime), {});
  return result;
}

class CaseFinder {
 public:
  CaseFinder(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) : map_(map), sizes_(sizes) {}

  SymbolicTiles Find() {
    SymbolicTiles tiles;
    tiles.reason = Read();
    if (!tiles.reason.empty()) return tiles;
    tiles.reason = FindAlternatives();
    if (!tiles.reason.empty()) return tiles;
    TryAll(tiles);
    if (tiles.cases.empty()) tiles.reason = "no tile sizes make it one box";
    return tiles;
  }

 private:
  size_t rank() const { return sizes_.size(); }

  std::string Read() {
    if (map_.IsUnknown()) return "the map is unknown";
    for (const RuntimeVariable& value : map_.runtime()) {
      if (!UniformValue(value).has_value()) {
        return "elements depend on different values known at run time";
      }
    }
    f_ = ReadMap(context_, map_, RuntimeVariablesAs::kFunctions);
    if (!f_.empty) simplifier::Simplify(context_, f_);
    if (f_.empty) return "nothing is read";
    bounds_.assign(f_.results.size(), Interval::All());
    for (const Constraint& constraint : f_.constraints) {
      if (!AddBound(constraint.expression, constraint.bounds)) {
        return "a constraint is no bound of an index: " + Text(constraint.expression);
      }
    }
    for (size_t i = 0; i < rank(); ++i) {
      if (f_.boxes[i] == Interval{0, sizes_[i] - 1}) continue;
      if (!AddBound(f_.Variable(context_, static_cast<simplifier::VariableId>(i)), f_.boxes[i])) {
        return absl::StrCat("only a part of d", i, " is used, and not as an index alone");
      }
    }
    return ReadDigits();
  }

  std::string ReadDigits() {
    for (size_t i = 0; i < f_.results.size(); ++i) {
      for (const Term& term : f_.results[i].terms) {
        const Atom& atom = *term.atom;
        if (atom.IsFunction() && term.IsWhole()) continue;
        if (atom.kind != AtomKind::kVariable) {
          return "an index is a quotient of several variables: " + Text({term, 0});
        }
        if (atom.lower != 0 && !term.IsWhole()) {
          return absl::StrCat("a part of d", atom.variable, " that does not begin at 0 is divided");
        }
        const int64_t end = term.IsTop() ? 0 : term.lo * term.extent;
        digits_.push_back({i, term, term.lo, end});
      }
    }
    return "";
  }

  std::string Text(const Sum& sum) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    sum.Print(out, [&](const Atom& leaf, llvm::raw_ostream& stream) {
      const size_t number = leaf.variable;
      stream << (number < rank() ? map_.DimensionName(number) : map_.SymbolName(number - rank()));
    });
    return text;
  }

  // Bounds of an expression that is a result, but for a factor and a constant, are bounds of that.
  bool AddBound(const Sum& expression, const Interval& bounds) {
    // A point: whether a tile has it is no matter of an index.
    if (expression.terms.empty()) return false;
    for (size_t i = 0; i < f_.results.size(); ++i) {
      const Sum& result = f_.results[i];
      if (result.terms.size() != expression.terms.size()) continue;
      const int64_t factor =
          result.terms.front().coefficient / expression.terms.front().coefficient;
      const Sum rest = simplifier::Linear(context_, {{result, 1}, {expression, -factor}});
      if (factor == 0 || !rest.IsConstant()) continue;
      bounds_[i] = bounds_[i].Intersect(bounds * factor + Interval::Point(rest.constant));
      return true;
    }
    return false;
  }

  std::string FindAlternatives() {
    size_t combinations = 1;
    for (size_t i = 0; i < rank(); ++i) {
      std::vector<int64_t> cuts = {1};
      bool is_used = false;
      for (const Digit& digit : digits_) {
        if (digit.term.atom->variable != i) continue;
        is_used = true;
        cuts.push_back(digit.lo);
        if (digit.end != 0) cuts.push_back(digit.end);
      }
      llvm::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t k = 1; k < cuts.size(); ++k) {
        if (cuts[k] % cuts[k - 1] != 0) {
          return absl::StrCat("d", i, " is cut at ", cuts[k - 1], " and ", cuts[k],
                              ", which do not divide each other");
        }
      }
      std::vector<Alternative> alternatives;
      for (size_t k = 0; k < cuts.size(); ++k) {
        alternatives.push_back({false, cuts[k], k + 1 < cuts.size() ? cuts[k + 1] : 0});
      }
      if (is_used) {
        for (const int64_t cut : cuts) {
          if (sizes_[i] % cut == 0) alternatives.push_back({true, cut, 0});
        }
        // A last value of the topmost digit that is cut is no full one.
        if (sizes_[i] != cuts.back() && sizes_[i] % cuts.back() == 0) {
          alternatives.push_back({true, sizes_[i], 0});
        }
      }
      combinations = std::min(combinations * alternatives.size(), kMaxCombinations + 1);
      alternatives_.push_back(std::move(alternatives));
    }
    if (combinations > kMaxCombinations) return "there are too many cases";
    return "";
  }

  // Those with the fewest numbers first, so that what is more general comes first.
  void TryAll(SymbolicTiles& tiles) {
    std::vector<std::vector<Alternative>> combinations = {{}};
    for (const auto& alternatives : alternatives_) {
      std::vector<std::vector<Alternative>> longer;
      for (const auto& combination : combinations) {
        for (const Alternative& alternative : alternatives) {
          longer.push_back(combination);
          longer.back().push_back(alternative);
        }
      }
      combinations = std::move(longer);
    }
    llvm::stable_sort(combinations, [](const auto& a, const auto& b) {
      const auto numbers = [](const std::vector<Alternative>& all) {
        return llvm::count_if(all, [](const Alternative& one) { return one.is_number; });
      };
      return numbers(a) < numbers(b);
    });
    std::vector<std::vector<Alternative>> found;
    for (const auto& combination : combinations) {
      const bool is_covered = llvm::any_of(found, [&](const auto& general) {
        for (size_t i = 0; i < rank(); ++i) {
          if (!general[i].Covers(combination[i])) return false;
        }
        return true;
      });
      if (is_covered) continue;
      std::optional<SymbolicTile> tile = TileOf(combination);
      if (!tile.has_value()) continue;
      tiles.cases.push_back(*std::move(tile));
      found.push_back(combination);
    }
  }

  // What the digit takes in a tile.
  Size SizeOf(const Digit& digit, llvm::ArrayRef<Alternative> combination) const {
    const size_t variable = digit.term.atom->variable;
    // A range takes all its values.
    if (variable >= rank()) return {digit.term.extent, std::nullopt, 1};
    const Alternative& alternative = combination[variable];
    if (alternative.is_number) {
      const int64_t taken = support::CeilDiv(alternative.lower, digit.lo);
      // Bounds say it if only a part of the dimension is used.
      return {digit.end == 0 ? taken : std::min(taken, digit.term.extent), std::nullopt, 1};
    }
    if (digit.end != 0 && digit.end <= alternative.lower) {
      return {digit.term.extent, std::nullopt, 1};
    }
    if (digit.lo > alternative.lower) return {1, std::nullopt, 1};
    return {1, variable, digit.lo};
  }

  std::optional<SymbolicTile> TileOf(llvm::ArrayRef<Alternative> combination) {
    SymbolicTile tile;
    tile.bounds = bounds_;
    if (!AreIndependent(combination)) return std::nullopt;
    llvm::SmallVector<Size, 4> box;
    // What the least element is less than the first.
    llvm::SmallVector<std::vector<std::pair<int64_t, Size>>, 4> below(f_.results.size());
    for (size_t i = 0; i < f_.results.size(); ++i) {
      std::vector<std::pair<int64_t, Size>> parts;
      for (const Digit& digit : digits_) {
        if (digit.result != i) continue;
        const Size size = SizeOf(digit, combination);
        if (size.IsOne()) continue;
        parts.emplace_back(digit.term.coefficient, size);
        if (digit.term.coefficient < 0) below[i].emplace_back(digit.term.coefficient, size);
      }
      llvm::sort(parts, [](const auto& a, const auto& b) {
        return std::abs(a.first) < std::abs(b.first);
      });
      Size together;
      int64_t stride = 1;
      for (const auto& [coefficient, size] : parts) {
        if (together.IsOne()) {
          stride = std::abs(coefficient);
          together = size;
          continue;
        }
        const auto next = support::CheckedMul(stride, together.factor);
        if (together.dimension.has_value() || !next || *next != std::abs(coefficient)) {
          return std::nullopt;
        }
        const auto factor = support::CheckedMul(together.factor, size.factor);
        if (!factor) return std::nullopt;
        together = {*factor, size.dimension, size.divisor};
      }
      box.push_back(together);
      tile.strides.push_back(stride);
    }
    AddConditions(combination, tile);
    const bool is_written = WriteOffsetAndSize(box, below, tile);
    if (!is_written) return std::nullopt;
    return tile;
  }

  // Whether no two digits that take several values are the same part of a dimension.
  bool AreIndependent(llvm::ArrayRef<Alternative> combination) const {
    for (size_t i = 0; i < digits_.size(); ++i) {
      for (size_t k = i + 1; k < digits_.size(); ++k) {
        const Digit& a = digits_[i];
        const Digit& b = digits_[k];
        if (a.term.atom != b.term.atom) continue;
        const bool is_apart = (a.end != 0 && a.end <= b.lo) || (b.end != 0 && b.end <= a.lo);
        if (is_apart || SizeOf(a, combination).IsOne() || SizeOf(b, combination).IsOne()) continue;
        return false;
      }
    }
    return true;
  }

  // Conditions on sizes; and what holds for tiles that the end of the array cuts.
  void AddConditions(llvm::ArrayRef<Alternative> combination, SymbolicTile& tile) {
    for (size_t i = 0; i < rank(); ++i) {
      const Alternative& alternative = combination[i];
      if (alternative.is_number) {
        tile.conditions.push_back({i, Kind::kEquals, alternative.lower});
        continue;
      }
      if (alternative.lower > 1) {
        tile.conditions.push_back({i, Kind::kMultipleOf, alternative.lower});
      }
      if (alternative.upper > 0) tile.conditions.push_back({i, Kind::kDivides, alternative.upper});
      const bool is_used =
          llvm::any_of(digits_, [&](const Digit& digit) { return digit.term.atom->variable == i; });
      if (!is_used || BoundsCutTiles(i, alternative, tile)) continue;
      tile.conditions.push_back({i, Kind::kDivides, sizes_[i]});
    }
  }

  // A cut tile has fewer values of the topmost digit, and an index is bounded by the last of these,
  // if what else is added to it is less than the digit's stride.
  bool BoundsCutTiles(size_t dimension, const Alternative& alternative, SymbolicTile& tile) const {
    // Sizes that divide what divides the array cut no tile; else a cut goes through lower digits.
    if (alternative.upper != 0) return sizes_[dimension] % alternative.upper == 0;
    if (sizes_[dimension] % alternative.lower != 0) return false;
    for (const Digit& digit : digits_) {
      if (digit.term.atom->variable != dimension || digit.end != 0) continue;
      const Sum& result = f_.results[digit.result];
      Interval rest = Interval::Point(0);
      for (const Term& term : result.terms) {
        if (!(term == digit.term)) rest = rest + term.DigitRange() * term.coefficient;
      }
      const auto width = support::CheckedSub(rest.upper, rest.lower);
      if (!rest.IsFinite() || !width || *width >= std::abs(digit.term.coefficient)) return false;
      const Interval values = simplifier::NaturalRange(result);
      Interval& bounds = tile.bounds[digit.result];
      if (digit.term.coefficient > 0) {
        bounds.upper = std::min(bounds.upper, values.upper);
      } else {
        bounds.lower = std::max(bounds.lower, values.lower);
      }
      return true;
    }
    // Nothing reads the part that is cut.
    return false;
  }

  AffineExpr ExpressionOf(const Size& size) const {
    AffineExpr expression = mlir::getAffineConstantExpr(size.factor, map_.context());
    if (!size.dimension.has_value()) return expression;
    const AffineExpr t =
        mlir::getAffineSymbolExpr(static_cast<unsigned>(*size.dimension), map_.context());
    return t.floorDiv(size.divisor) * size.factor;
  }

  bool WriteOffsetAndSize(llvm::ArrayRef<Size> box,
                          llvm::ArrayRef<std::vector<std::pair<int64_t, Size>>> below,
                          SymbolicTile& tile) {
    // The first element of a tile, with the first value of each range.
    llvm::SmallVector<Sum, 4> first;
    for (const Sum& result : f_.results) {
      simplifier::TermVector terms;
      for (const Term& term : result.terms) {
        const bool is_range =
            term.atom->kind == AtomKind::kVariable && term.atom->variable >= rank();
        if (!is_range) terms.push_back(term);
      }
      first.push_back(context_.Store(terms, result.constant));
    }
    MapVariables variables;
    for (size_t i = 0; i < rank(); ++i) {
      variables.dimensions.push_back({{0, sizes_[i] - 1}, map_.dimensions()[i].name});
      variables.ranges.push_back({{1, sizes_[i]}, absl::StrCat("t", i)});
    }
    variables.runtime.assign(map_.runtime().begin(), map_.runtime().end());
    for (RuntimeVariable& value : variables.runtime) {
      value = InVariables(value, variables.dimensions, variables.ranges);
    }
    const size_t num_variables = rank() + rank();
    const std::optional<IndexingMap> map = WriteMap(
        context_, first, {}, std::move(variables),
        [&](const Atom& leaf) -> size_t {
          if (leaf.kind == AtomKind::kVariable) return leaf.variable;
          return num_variables + leaf.variable - f_.boxes.size();
        },
        map_.context());
    if (!map.has_value()) return false;
    llvm::SmallVector<AffineExpr, 8> results;
    for (size_t i = 0; i < box.size(); ++i) {
      AffineExpr offset = map->affine_map().getResult(static_cast<unsigned>(i));
      for (const auto& [coefficient, size] : below[i]) {
        offset = offset - coefficient + ExpressionOf(size) * coefficient;
      }
      results.push_back(offset);
    }
    for (const Size& size : box) results.push_back(ExpressionOf(size));
    tile.offset_and_size = map->WithResults(mlir::AffineMap::get(map->affine_map().getNumDims(),
                                                                 map->affine_map().getNumSymbols(),
                                                                 results, map_.context()));
    return true;
  }

  const IndexingMap& map_;
  llvm::ArrayRef<int64_t> sizes_;
  simplifier::DigitContext context_;
  simplifier::QuasiAffineMap f_;
  llvm::SmallVector<Interval, 4> bounds_;
  std::vector<Digit> digits_;
  std::vector<std::vector<Alternative>> alternatives_;
};

}  // namespace

bool TileSizeCondition::Holds(llvm::ArrayRef<int64_t> tile_sizes) const {
  const int64_t size = tile_sizes[dimension];
  if (kind == Kind::kEquals) return size == number;
  return kind == Kind::kDivides ? number % size == 0 : size % number == 0;
}

bool SymbolicTile::Holds(llvm::ArrayRef<int64_t> tile_sizes) const {
  return llvm::all_of(conditions,
                      [&](const TileSizeCondition& one) { return one.Holds(tile_sizes); });
}

void TileSizeCondition::Print(llvm::raw_ostream& out) const {
  if (kind == Kind::kEquals) {
    out << 't' << dimension << " = " << number;
  } else if (kind == Kind::kDivides) {
    out << 't' << dimension << " divides " << number;
  } else {
    out << number << " divides t" << dimension;
  }
}

void SymbolicTile::Print(llvm::raw_ostream& out) const {
  llvm::interleave(conditions, out, [&](const TileSizeCondition& one) { out << one; }, ", ");
  if (conditions.empty()) out << "any sizes";
  out << ": ";
  const auto results = offset_and_size.affine_map().getResults();
  const auto write = [&](AffineExpr size) {
    const std::string text = offset_and_size.ToString(size);
    const bool is_long = text.find(' ') != std::string::npos;
    out << (is_long ? "(" : "") << text << (is_long ? ")" : "");
  };
  if (rank() == 0) {
    out << "the element";
    return;
  }
  llvm::interleave(results.drop_front(rank()), out, write, "x");
  if (llvm::any_of(strides, [](int64_t stride) { return stride != 1; })) {
    out << " with strides ";
    llvm::interleave(strides, out, "x");
  }
  out << " at (";
  llvm::interleaveComma(results.take_front(rank()), out,
                        [&](AffineExpr offset) { out << offset_and_size.ToString(offset); });
  out << ')';
  for (size_t i = 0; i < rank(); ++i) {
    if (bounds[i] == Interval::All()) continue;
    out << ", dimension " << i;
    if (bounds[i].IsFinite()) {
      out << " in " << bounds[i];
    } else if (bounds[i].lower != Interval::kMinusInfinity) {
      out << " from " << bounds[i].lower;
    } else {
      out << " up to " << bounds[i].upper;
    }
  }
}

void SymbolicTiles::Print(llvm::raw_ostream& out) const {
  if (!reason.empty()) out << "no case: " << reason;
  llvm::interleave(cases, out, [&](const SymbolicTile& one) { out << one; }, "\n");
}

SymbolicTiles SymbolicTilesOfMap(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) {
  return CaseFinder(map, sizes).Find();
}

SymbolicTiles SymbolicTilesOfOperand(const OperandIndexing& indexing,
                                     llvm::ArrayRef<int64_t> sizes) {
  SymbolicTiles tiles;
  if (indexing.exactness() != Exactness::kExact) {
    tiles.reason = indexing.reason();
  } else if (indexing.maps().size() != 1) {
    tiles.reason = absl::StrCat("it is read by ", indexing.maps().size(), " maps");
  } else {
    return SymbolicTilesOfMap((*indexing.maps().begin()).map, sizes);
  }
  return tiles;
}

}  // namespace hlo_indexing::indexing_analysis
