#include "indexing_analysis/maps/union.h"

#include <algorithm>

#include "indexing_analysis/maps/evaluator.h"
#include "indexing_analysis/maps/read_map.h"
#include "simplifier/arithmetic.h"
#include "simplifier/integer_system.h"
#include "simplifier/inverse.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::DigitContext;
using simplifier::IntegerSystem;
using simplifier::InverseMap;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::VariableId;
using support::Answer;
using support::ReasonedAnswer;

// Dimensions, then runtime variables, then ranges as variables, and the dimensions and runtime
// variables as results in front of the results. So a pair is a point of the image.
QuasiAffineMap PairsOf(DigitContext& context, const IndexingMap& map) {
  QuasiAffineMap pairs = ReadMap(context, map, RuntimeVariablesAs::kVariables);
  if (pairs.empty) return pairs;
  llvm::SmallVector<Sum, 6> results;
  const size_t num_ranges = map.num_ranges();
  for (size_t i = 0; i < pairs.boxes.size(); ++i) {
    const bool is_range = i >= map.num_dimensions() && i < map.num_dimensions() + num_ranges;
    if (!is_range) results.push_back(pairs.Variable(context, static_cast<VariableId>(i)));
  }
  results.append(pairs.results.begin(), pairs.results.end());
  pairs.results = std::move(results);
  simplifier::Simplify(context, pairs);
  return pairs;
}

// Whether the domain of a simplified map has a point.
Answer HasPoints(const QuasiAffineMap& map) {
  if (map.empty) return Answer::kNo;
  if (map.constraints.empty()) return Answer::kYes;
  IntegerSystem system(map.boxes, IntegerSystem::Effort::kQuick);
  for (const auto& constraint : map.constraints) {
    system.Add(constraint.expression, constraint.bounds);
  }
  return system.Solve().answer;
}

// Whether some point of the map's domain has a value of `sum` outside `bounds`.
class OutsideSearch {
 public:
  OutsideSearch(DigitContext& context, const QuasiAffineMap& map) : context_(context), map_(map) {}

  Answer Search(const Sum& sum, Interval bounds) {
    if (bounds.Contains(simplifier::NaturalRange(sum))) return Answer::kNo;
    Answer answer = Answer::kNo;
    if (bounds.lower != Interval::kMinusInfinity) {
      answer = SearchSide(sum, {Interval::kMinusInfinity, bounds.lower - 1});
    }
    if (answer == Answer::kYes || bounds.upper == Interval::kPlusInfinity) return answer;
    const Answer above = SearchSide(sum, {bounds.upper + 1, Interval::kPlusInfinity});
    return above == Answer::kNo ? answer : above;
  }

 private:
  Answer SearchSide(const Sum& sum, Interval side) {
    QuasiAffineMap outside = map_;
    outside.results.clear();
    outside.constraints.push_back({sum, side});
    simplifier::Simplify(context_, outside);
    return HasPoints(outside);
  }

  DigitContext& context_;
  const QuasiAffineMap& map_;
};

// Every point of `image` (a map to pairs) is in the image of `larger`. The inverse of the latter
// says which pairs those are; its free variables could be chosen for each pair, so with them only a
// yes for all their values is an answer.
Answer ImageContains(DigitContext& context, const QuasiAffineMap& larger,
                     const QuasiAffineMap& image) {
  if (simplifier::HasManyDivisions(larger)) return Answer::kUnknown;
  const InverseMap inverse = simplifier::Invert(context, larger, 0);
  if (inverse.map.empty) return Answer::kNo;
  // The free variables become variables of the image's map.
  QuasiAffineMap domain = image;
  const size_t num_pairs = image.results.size();
  const auto first_free = static_cast<VariableId>(domain.boxes.size());
  for (size_t i = num_pairs; i < inverse.map.boxes.size(); ++i) {
    domain.boxes.push_back(inverse.map.boxes[i]);
  }
  const auto value = [&](const Atom& atom) -> std::optional<Sum> {
    if (atom.kind != AtomKind::kVariable) return std::nullopt;
    if (atom.variable < num_pairs) return image.results[atom.variable];
    const auto number = atom.variable - static_cast<VariableId>(num_pairs) + first_free;
    return context.Variable(number, atom.ValueRange());
  };
  const bool has_free = domain.boxes.size() > image.boxes.size();
  OutsideSearch search(context, domain);
  Answer contained = Answer::kYes;
  const auto add = [&](const Sum& sum, Interval bounds) {
    const Answer outside = search.Search(sum, bounds);
    if (outside == Answer::kNo) return;
    const bool is_certain = outside == Answer::kYes && !has_free;
    if (is_certain) contained = Answer::kNo;
    if (contained == Answer::kYes) contained = Answer::kUnknown;
  };
  for (size_t i = 0; i < num_pairs; ++i) add(image.results[i], inverse.map.boxes[i]);
  for (const auto& constraint : inverse.map.constraints) {
    simplifier::Substitution substitution(context, value);
    add(substitution.Apply(constraint.expression), constraint.bounds);
  }
  return contained;
}

// Trying a point of either map costs less than a microsecond.
constexpr int64_t kMaxPoints = int64_t{1} << 14;

using Tuple = std::vector<int64_t>;

// The image of a map, sorted; nullopt if its box has too many points, or a value overflows.
std::optional<std::vector<Tuple>> AllResults(DigitContext& context, const QuasiAffineMap& map) {
  MapEvaluator evaluator(context, map);
  const auto points = simplifier::CountPoints(evaluator.leaves(), kMaxPoints);
  if (!points) return std::nullopt;
  llvm::SmallVector<int64_t, 4> point = simplifier::FirstPoint(evaluator.leaves());
  std::vector<Tuple> results;
  for (int64_t i = 0; i < *points; ++i) {
    const std::optional<bool> inside = evaluator.Contains(point);
    if (!inside) return std::nullopt;
    if (*inside) results.emplace_back(evaluator.results().begin(), evaluator.results().end());
    simplifier::MoveToNext(evaluator.leaves(), point);
  }
  llvm::sort(results);
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

Answer ContainsByTrying(DigitContext& context, const QuasiAffineMap& larger,
                        const QuasiAffineMap& smaller) {
  const auto inner = AllResults(context, smaller);
  const auto outer = inner ? AllResults(context, larger) : std::nullopt;
  if (!outer) return Answer::kUnknown;
  const bool contained = std::includes(outer->begin(), outer->end(), inner->begin(), inner->end());
  return contained ? Answer::kYes : Answer::kNo;
}

// The bounds of all variables, dimensions first.
llvm::SmallVector<Interval, 6> BoxesOf(const IndexingMap& map) {
  llvm::SmallVector<Interval, 6> boxes;
  for (const Variable& dimension : map.dimensions()) boxes.push_back(dimension.bounds);
  for (const Variable& range : map.ranges()) boxes.push_back(range.bounds);
  return boxes;
}

// Whether no number lies between them. Neither is empty.
bool Touch(const Interval& a, const Interval& b) {
  const auto reaches = [](int64_t upper, int64_t lower) {
    return upper == Interval::kPlusInfinity || lower <= upper + 1;
  };
  return reaches(a.upper, b.lower) && reaches(b.upper, a.lower);
}

// One map for both, if they differ in the bounds of one variable only.
std::optional<IndexingMap> Merge(const IndexingMap& a, const IndexingMap& b) {
  if (a.affine_map() != b.affine_map() || a.num_ranges() != b.num_ranges()) return std::nullopt;
  if (a.runtime() != b.runtime()) return std::nullopt;
  const auto boxes_a = BoxesOf(a);
  const auto boxes_b = BoxesOf(b);
  if (boxes_a.size() != boxes_b.size()) return std::nullopt;
  std::optional<size_t> different;
  for (size_t i = 0; i < boxes_a.size(); ++i) {
    if (boxes_a[i] == boxes_b[i]) continue;
    if (different || !Touch(boxes_a[i], boxes_b[i])) return std::nullopt;
    different = i;
  }
  const bool same_constraints = a.constraints().size() == b.constraints().size() &&
                                llvm::all_of(a.constraints(), [&](const MapConstraint& constraint) {
                                  return llvm::is_contained(b.constraints(), constraint);
                                });
  if (!different || !same_constraints) return std::nullopt;
  const Interval both = {std::min(boxes_a[*different].lower, boxes_b[*different].lower),
                         std::max(boxes_a[*different].upper, boxes_b[*different].upper)};
  std::vector<Variable> dimensions(a.dimensions());
  std::vector<Variable> ranges(a.ranges());
  if (*different < dimensions.size()) {
    dimensions[*different].bounds = both;
  } else {
    ranges[*different - dimensions.size()].bounds = both;
  }
  return IndexingMap(a.affine_map(), dimensions, ranges, std::vector<RuntimeVariable>(a.runtime()),
                     a.constraints());
}

}  // namespace

ReasonedAnswer Subsumes(const IndexingMap& larger, const IndexingMap& smaller) {
  if (larger.IsUnknown() || smaller.IsUnknown()) return {Answer::kUnknown, "a map is unknown"};
  if (larger.num_dimensions() != smaller.num_dimensions()) {
    return {Answer::kNo, "the maps have different numbers of dimensions"};
  }
  if (larger.num_runtime() != smaller.num_runtime()) {
    return {Answer::kNo, "the maps have different numbers of runtime variables"};
  }
  if (larger.affine_map().getNumResults() != smaller.affine_map().getNumResults()) {
    return {Answer::kNo, "the maps have different numbers of results"};
  }
  DigitContext context;
  const QuasiAffineMap inner = PairsOf(context, smaller);
  if (inner.empty) return {Answer::kYes, "the smaller one relates nothing"};
  const QuasiAffineMap outer = PairsOf(context, larger);
  if (outer.empty) {
    switch (HasPoints(inner)) {
      case Answer::kYes:
        return {Answer::kNo, "the larger one relates nothing"};
      case Answer::kNo:
        return {Answer::kYes, "the smaller one relates nothing"};
      case Answer::kUnknown:
        return {Answer::kUnknown, "whether the smaller one relates anything is too hard"};
    }
  }
  switch (ImageContains(context, outer, inner)) {
    case Answer::kYes:
      return {Answer::kYes, "its pairs are in the domain of the inverse of the larger one"};
    case Answer::kNo:
      return {Answer::kNo, "a pair is outside the domain of the inverse of the larger one"};
    case Answer::kUnknown:
      break;
  }
  switch (ContainsByTrying(context, outer, inner)) {
    case Answer::kYes:
      return {Answer::kYes, "all points have been tried"};
    case Answer::kNo:
      return {Answer::kNo, "a pair has been found that the larger one does not relate"};
    case Answer::kUnknown:
      break;
  }
  return {Answer::kUnknown,
          "the inverse of the larger one decides nothing, and there are too many points to try"};
}

std::vector<IndexingMap> Union(llvm::ArrayRef<IndexingMap> maps) {
  std::vector<IndexingMap> kept;
  for (const IndexingMap& map : maps) {
    IndexingMap next = Simplify(map);
    if (next.IsKnownEmpty()) continue;
    // What it swallows may lie before and behind.
    for (size_t i = 0; i < kept.size();) {
      const std::optional<IndexingMap> merged = Merge(kept[i], next);
      const bool swallows = !merged && next.runtime() == kept[i].runtime() &&
                            Subsumes(next, kept[i]).answer == Answer::kYes;
      if (!merged && !swallows) {
        ++i;
        continue;
      }
      if (merged) next = *merged;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    const bool is_subsumed = llvm::any_of(kept, [&](const IndexingMap& other) {
      return other.runtime() == next.runtime() && Subsumes(other, next).answer == Answer::kYes;
    });
    if (!is_subsumed) kept.push_back(std::move(next));
  }
  return kept;
}

}  // namespace hlo_indexing::indexing_analysis
