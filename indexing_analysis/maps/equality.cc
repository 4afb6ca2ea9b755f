#include "indexing_analysis/maps/equality.h"

#include <random>
#include <vector>

#include "indexing_analysis/maps/evaluator.h"
#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/arithmetic.h"
#include "simplifier/integer_system.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::IntegerSystem;
using simplifier::QuasiAffineMap;
using simplifier::Solution;
using simplifier::Sum;
using simplifier::VariableId;

QuasiAffineMap Import(DigitContext& context, const IndexingMap& map) {
  QuasiAffineMap imported = ReadMap(context, map, RuntimeVariablesAs::kVariables);
  if (!imported.empty) Simplify(context, imported);
  return imported;
}

bool SameDomain(const QuasiAffineMap& a, const QuasiAffineMap& b) {
  if (a.boxes != b.boxes || a.constraints.size() != b.constraints.size()) return false;
  return llvm::all_of(a.constraints, [&](const Constraint& constraint) {
    return llvm::is_contained(b.constraints, constraint);
  });
}

class Comparison {
 public:
  Comparison(const IndexingMap& a, const IndexingMap& b, EqualityBudget budget)
      : budget_(budget), maps_{&a, &b}, sums_{Import(context_, a), Import(context_, b)} {}

  Equality Run() {
    const auto& [a, b] = sums_;
    if (a.empty && b.empty) return Yes("both domains are empty");
    same_domain_ = !a.empty && !b.empty && SameDomain(a, b);
    for (size_t k = 0; !a.empty && !b.empty && k < a.results.size(); ++k) {
      if (!(a.results[k] == b.results[k])) unequal_results_.push_back(k);
    }
    if (same_domain_ && unequal_results_.empty()) return Yes("the normal forms are equal");
    FindBoxes();
    if (TryRandomPoints() || TryPointsOfOneBox()) return result_;
    MapEvaluator a_at(context_, a);
    MapEvaluator b_at(context_, b);
    const int64_t points = CountRelevantPoints();
    const int64_t digits = a_at.num_digits() + b_at.num_digits() + 1;
    if (points != 0 && points <= budget_.max_digits / digits) {
      if (TryAllPoints(a_at, b_at)) return result_;
      if (without_value_.has_value()) return *without_value_;
      return Yes("the maps agree on all " + std::to_string(points) +
                 " points of the variables that matter");
    }
    return Program();
  }

 private:
  static Equality Yes(std::string reason) { return {Answer::kYes, std::move(reason), {}, {}}; }

  // Outside the boxes of both domains there is nothing to compare.
  void FindBoxes() {
    const auto& [a, b] = sums_;
    boxes_ = a.empty ? b.boxes : a.boxes;
    if (a.empty || b.empty) return;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      boxes_[i] = {std::min(a.boxes[i].lower, b.boxes[i].lower),
                   std::max(a.boxes[i].upper, b.boxes[i].upper)};
    }
  }

  // Whether the maps differ at the point; then it becomes the result. Where that cannot be said, as
  // a value is none of 64 bits or a divisor is 0, `without_value_` says so.
  bool Differ(llvm::ArrayRef<int64_t> point) {
    const llvm::ArrayRef<int64_t> dimensions = point.take_front(maps_[0]->num_dimensions());
    const llvm::ArrayRef<int64_t> symbols = point.drop_front(maps_[0]->num_dimensions());
    const auto at_point = [&](Answer answer, std::string reason) -> Equality {
      return {answer, std::move(reason), llvm::SmallVector<int64_t>(dimensions),
              llvm::SmallVector<int64_t>(symbols)};
    };
    const std::optional<bool> in_a = IsInDomain(0, point);
    const std::optional<bool> in_b = IsInDomain(1, point);
    if (in_a == false && in_b == false) return false;
    if (in_a && in_b && *in_a != *in_b) {
      result_ = at_point(Answer::kNo, std::string("only the ") + (*in_a ? "first" : "second") +
                                          " domain has the point");
      return true;
    }
    bool have_values = in_a.has_value() && in_b.has_value();
    const unsigned num_results = have_values ? maps_[0]->affine_map().getNumResults() : 0;
    for (unsigned k = 0; k < num_results; ++k) {
      const auto a = EvaluateExpression(maps_[0]->affine_map().getResult(k), dimensions, symbols);
      const auto b = EvaluateExpression(maps_[1]->affine_map().getResult(k), dimensions, symbols);
      if (a && b && *a != *b) {
        result_ = at_point(Answer::kNo, dimensions.empty() && symbols.empty()
                                            ? "the results differ"
                                            : "the results differ at the point");
        return true;
      }
      have_values &= a && b;
    }
    if (!have_values) {
      without_value_ = at_point(Answer::kUnknown, "a map has no value of 64 bits at the point");
    }
    return false;
  }

  // Nullopt if a constraint has no value, and the others are met.
  std::optional<bool> IsInDomain(size_t i, llvm::ArrayRef<int64_t> point) const {
    if (sums_[i].empty) return false;
    for (size_t k = 0; k < point.size(); ++k) {
      if (!sums_[i].boxes[k].Contains(point[k])) return false;
    }
    const llvm::ArrayRef<int64_t> dimensions = point.take_front(maps_[i]->num_dimensions());
    const llvm::ArrayRef<int64_t> symbols = point.drop_front(maps_[i]->num_dimensions());
    bool have_values = true;
    for (const MapConstraint& constraint : maps_[i]->constraints()) {
      const auto value = EvaluateExpression(constraint.expression, dimensions, symbols);
      if (value && !constraint.bounds.Contains(*value)) return false;
      have_values &= value.has_value();
    }
    return have_values ? std::optional(true) : std::nullopt;
  }

  bool TryRandomPoints() { return TryRandomPointsOf(boxes_); }

  bool TryRandomPointsOf(llvm::ArrayRef<Interval> boxes) {
    // The engine, not a distribution: the latter differ between libraries.
    std::mt19937_64 random(1);
    llvm::SmallVector<int64_t, 8> point(boxes.size());
    for (int i = 0; i < budget_.samples; ++i) {
      for (size_t k = 0; k < point.size(); ++k) {
        const uint64_t size =
            static_cast<uint64_t>(boxes[k].upper) - static_cast<uint64_t>(boxes[k].lower) + 1;
        const uint64_t value = random();
        // Corners are worth a try of their own.
        const uint64_t offset = i % 4 == 0  ? (value % 2 == 0 ? 0 : size - 1)
                                : size == 0 ? value
                                            : value % size;
        point[k] = static_cast<int64_t>(static_cast<uint64_t>(boxes[k].lower) + offset);
      }
      if (Differ(point)) return true;
    }
    return false;
  }

  // Where a variable has values in one of the domains only.
  bool TryPointsOfOneBox() {
    if (sums_[0].empty || sums_[1].empty) return false;
    for (size_t k = 0; k < boxes_.size(); ++k) {
      const Interval of_both = sums_[0].boxes[k].Intersect(sums_[1].boxes[k]);
      llvm::SmallVector<Interval, 6> boxes = boxes_;
      if (boxes_[k].lower < of_both.lower) {
        boxes[k] = {boxes_[k].lower, of_both.lower - 1};
        if (TryRandomPointsOf(boxes)) return true;
      }
      if (boxes_[k].upper > of_both.upper) {
        boxes[k] = {of_both.upper + 1, boxes_[k].upper};
        if (TryRandomPointsOf(boxes)) return true;
      }
    }
    return false;
  }

  // The number of points of the variables on which a difference can depend; 0 if there are too
  // many.
  int64_t CountRelevantPoints() {
    const auto& [a, b] = sums_;
    relevant_.assign(boxes_.size(), false);
    llvm::SmallPtrSet<const Atom*, 16> seen;
    const auto mark = [this](const Atom& atom) {
      if (atom.kind == AtomKind::kVariable) relevant_[atom.variable] = true;
    };
    for (const QuasiAffineMap* map : {&a, &b}) {
      if (map->empty) continue;
      for (const Constraint& constraint : map->constraints) {
        ForEachAtom(constraint.expression, seen, mark);
      }
      for (const size_t k : unequal_results_) ForEachAtom(map->results[k], seen, mark);
    }
    int64_t points = 1;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      relevant_[i] = relevant_[i] || a.empty || b.empty || a.boxes[i] != b.boxes[i];
      if (!relevant_[i]) continue;
      const auto size = support::CheckedSub(boxes_[i].upper, boxes_[i].lower);
      if (!size || *size >= budget_.max_points) return 0;
      points *= *size + 1;
      if (points > budget_.max_points) return 0;
    }
    return points;
  }

  static std::optional<bool> IsInDomain(const QuasiAffineMap& map, MapEvaluator& evaluator,
                                        llvm::ArrayRef<int64_t> point) {
    if (map.empty) return false;
    for (size_t i = 0; i < point.size(); ++i) {
      if (!map.boxes[i].Contains(point[i])) return false;
    }
    llvm::SmallVector<int64_t, 8> leaves;
    for (const size_t i : evaluator.variables()) leaves.push_back(point[i]);
    return evaluator.Contains(leaves);
  }

  // Whether the simplified maps are the same at the point. False if that is not known.
  bool Agree(MapEvaluator& a, MapEvaluator& b, llvm::ArrayRef<int64_t> point) const {
    const std::optional<bool> in_a = IsInDomain(sums_[0], a, point);
    const std::optional<bool> in_b = IsInDomain(sums_[1], b, point);
    return in_a && in_a == in_b && (!*in_a || a.results() == b.results());
  }

  bool TryAllPoints(MapEvaluator& a, MapEvaluator& b) {
    llvm::SmallVector<int64_t, 8> point;
    for (const Interval& box : boxes_) point.push_back(box.lower);
    while (true) {
      if (!Agree(a, b, point) && Differ(point)) return true;
      size_t i = 0;
      while (i < boxes_.size() && (!relevant_[i] || point[i] == boxes_[i].upper)) {
        point[i] = boxes_[i].lower;
        ++i;
      }
      if (i == boxes_.size()) return false;
      ++point[i];
    }
  }

  // Asks for a point of each way in which the maps can differ.
  Equality Program() {
    const bool one_is_empty = sums_[0].empty || sums_[1].empty;
    for (const int first : {0, 1}) {
      if (!same_domain_ && !sums_[first].empty && SearchDomain(first)) return result_;
    }
    for (const size_t k : unequal_results_) {
      if (!one_is_empty && SearchResult(k)) return result_;
    }
    if (too_hard_) {
      return {
          Answer::kUnknown, "too many points to try, and too hard for integer programming", {}, {}};
    }
    return Yes("integer programming finds no difference");
  }

  // Looks for a point of one domain that is not in the other. A sum is what it stands for inside
  // the box that it was simplified for, so the other domain's constraints are only looked at there.
  bool SearchDomain(int first) {
    const QuasiAffineMap& other = sums_[1 - first];
    const IntegerSystem inside = SystemOf(sums_[first], sums_[first].boxes);
    if (other.empty) return Search(inside);
    for (size_t i = 0; i < other.boxes.size(); ++i) {
      const Sum variable = sums_[first].Variable(context_, static_cast<VariableId>(i));
      if (SearchOutside(inside, variable, other.boxes[i])) return true;
    }
    IntegerSystem both = inside;
    for (size_t i = 0; i < other.boxes.size(); ++i) {
      both.Add(sums_[first].Variable(context_, static_cast<VariableId>(i)), other.boxes[i]);
    }
    return llvm::any_of(other.constraints, [&](const Constraint& constraint) {
      return SearchOutside(both, constraint.expression, constraint.bounds);
    });
  }

  bool SearchResult(size_t k) {
    const auto& [a, b] = sums_;
    llvm::SmallVector<Interval, 6> boxes;
    for (size_t i = 0; i < a.boxes.size(); ++i) boxes.push_back(a.boxes[i].Intersect(b.boxes[i]));
    IntegerSystem both = SystemOf(a, boxes);
    for (const Constraint& constraint : b.constraints) {
      both.Add(constraint.expression, constraint.bounds);
    }
    return SearchOutside(both, Subtract(context_, a.results[k], b.results[k]), Interval::Point(0));
  }

  static IntegerSystem SystemOf(const QuasiAffineMap& map, llvm::ArrayRef<Interval> boxes) {
    IntegerSystem system(boxes, IntegerSystem::Effort::kThorough);
    for (const Constraint& constraint : map.constraints) {
      system.Add(constraint.expression, constraint.bounds);
    }
    return system;
  }

  bool SearchOutside(const IntegerSystem& system, const Sum& sum, Interval bounds) {
    llvm::SmallVector<Interval, 2> sides;
    if (bounds.lower != Interval::kMinusInfinity) {
      sides.push_back({Interval::kMinusInfinity, bounds.lower - 1});
    }
    if (bounds.upper != Interval::kPlusInfinity) {
      sides.push_back({bounds.upper + 1, Interval::kPlusInfinity});
    }
    for (const Interval side : sides) {
      IntegerSystem outside = system;
      outside.Add(sum, side);
      if (Search(outside)) return true;
    }
    return false;
  }

  bool Search(const IntegerSystem& system) {
    const Solution solution = system.Solve();
    if (solution.answer == support::Answer::kNo) return false;
    if (solution.answer == support::Answer::kYes && Differ(solution.point)) return true;
    too_hard_ = true;
    return false;
  }

  EqualityBudget budget_;
  DigitContext context_;
  const IndexingMap* maps_[2];
  // Simplified; empty if the domain is.
  QuasiAffineMap sums_[2];
  bool same_domain_ = false;
  llvm::SmallVector<size_t, 4> unequal_results_;
  llvm::SmallVector<Interval, 6> boxes_;
  std::vector<bool> relevant_;
  bool too_hard_ = false;
  // The answer at a point where the maps cannot be compared.
  std::optional<Equality> without_value_;
  Equality result_;
};

}  // namespace

void Equality::Print(llvm::raw_ostream& out) const {
  out << support::AnswerName(answer) << ": " << reason;
  if (dimensions.empty() && symbols.empty()) return;
  out << ", at (";
  llvm::interleaveComma(dimensions, out);
  out << ')';
  if (symbols.empty()) return;
  out << '[';
  llvm::interleaveComma(symbols, out);
  out << ']';
}

Equality Equal(const IndexingMap& a, const IndexingMap& b, EqualityBudget budget) {
  if (a.IsUnknown() || b.IsUnknown()) return {Answer::kUnknown, "a map is unknown", {}, {}};
  if (a.num_dimensions() != b.num_dimensions() || a.num_ranges() != b.num_ranges() ||
      a.num_runtime() != b.num_runtime()) {
    return {Answer::kNo, "the maps have different numbers of variables", {}, {}};
  }
  if (a.affine_map().getNumResults() != b.affine_map().getNumResults()) {
    return {Answer::kNo, "the maps have different numbers of results", {}, {}};
  }
  return Comparison(a, b, budget).Run();
}

}  // namespace hlo_indexing::indexing_analysis
