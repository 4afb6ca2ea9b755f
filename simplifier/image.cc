#include "simplifier/image.h"

#include <algorithm>
#include <map>
#include <vector>

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/arithmetic.h"
#include "simplifier/inverse.h"
#include "simplifier/point_evaluator.h"

namespace hlo_indexing::simplifier {
namespace {

using llvm::DynamicAPInt;
using support::CheckedAdd;
using support::CheckedMul;
using support::CheckedSub;

// That are computed at the points together: of expressions with more than 64, fewer are tried.
constexpr int64_t kMaxDigits = int64_t{1} << 26;
// Of results at the points that are tried: 64 MiB.
constexpr int64_t kMaxValues = int64_t{1} << 23;
constexpr char kTooManyValues[] = "there are too many values to count";
constexpr char kNoValue[] =
    "at some point an expression has no value: it divides by zero or leaves 64 bits";

// A digit of a variable that takes its values whatever the others are.
struct Coordinate {
  const Atom* atom = nullptr;
  int64_t lo = 1;
  int64_t extent = 1;
  // Whether the variable appears otherwise than by whole digits of this kind, or in a constraint:
  // its values are tried.
  bool is_tried = false;
};

// A result: constant + sum of coefficient * coordinate + terms that are not of this kind.
struct Result {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<size_t, int64_t>, 4> linear;
  TermVector other;
};

// Results that share coordinates, with the constraints on these.
struct Group {
  llvm::SmallVector<size_t, 2> results;
  llvm::SmallVector<size_t, 4> coordinates;
  llvm::SmallVector<size_t, 2> constraints;
};

class Counter {
 public:
  Counter(DigitContext& context, const QuasiAffineMap& f, int64_t max_points)
      : context_(context), f_(f), max_points_(max_points) {}

  Image Run() {
    image_.size = image_.points = {DynamicAPInt(1), DynamicAPInt(1)};
    image_.bounds.assign(f_.results.size(), Interval::Empty());
    if (f_.empty) return Empty();
    FindCoordinates();
    for (const Sum& result : f_.results) SplitResult(result);
    llvm::SmallVector<Progression, 4> box(f_.results.size());
    is_box_ = true;
    for (const Group& group : FindGroups()) CountGroup(group, box);
    if (is_empty_) return Empty();
    CountUnconstrainedVariables();
    if (is_box_) image_.box = box;
    DecideInjectivity();
    return image_;
  }

 private:
  Image Empty() {
    image_.bounds.assign(f_.results.size(), Interval::Empty());
    image_.reason.clear();
    image_.size = image_.points = {DynamicAPInt(0), DynamicAPInt(0)};
    image_.injective = Answer::kYes;
    return image_;
  }

  // Cuts each variable where the results cut it, if they are content with independent digits; the
  // others are coordinates as a whole, and tried.
  void FindCoordinates() {
    llvm::MapVector<const Atom*, std::vector<Term>> digits;
    llvm::SmallPtrSet<const Atom*, 16> tried;
    llvm::SmallPtrSet<const Atom*, 16> seen;
    const auto try_leaf = [&](const Atom& atom) {
      if (!atom.IsLeaf()) return;
      digits[&atom];
      tried.insert(&atom);
    };
    for (const Constraint& constraint : f_.constraints) {
      ForEachAtom(constraint.expression, seen, try_leaf);
    }
    for (const Sum& result : f_.results) {
      for (const Term& term : result.terms) {
        if (term.atom->IsLeaf() && term.atom->arguments.empty()) {
          digits[term.atom].push_back(term);
        } else {
          ForEachAtom(context_.Store(term, 0), seen, try_leaf);
        }
      }
    }
    for (auto& [atom, terms] : digits) {
      if (!tried.contains(atom) && AddDigits(terms)) continue;
      by_atom_[atom].push_back(coordinates_.size());
      coordinates_.push_back({atom, 1, atom->extent, true});
    }
  }

  // Makes coordinates of the digits of one atom. False if they are not independent: they overlap,
  // or the highest one has not all its values with all values of the others.
  bool AddDigits(std::vector<Term>& terms) {
    llvm::sort(terms, [](const Term& a, const Term& b) { return a.lo < b.lo; });
    terms.erase(std::unique(terms.begin(), terms.end(),
                            [](const Term& a, const Term& b) { return a.SameDigit(b); }),
                terms.end());
    const Atom& atom = *terms.front().atom;
    for (size_t i = 0; i + 1 < terms.size(); ++i) {
      const auto end = CheckedMul(terms[i].lo, terms[i].extent);
      if (!end || terms[i].IsTop() || terms[i + 1].lo % *end != 0) return false;
    }
    const Term& top = terms.back();
    if (atom.extent == kUnbounded) return false;
    if (terms.size() > 1 && top.IsTop() && atom.extent % top.lo != 0) return false;
    for (const Term& term : terms) {
      by_atom_[&atom].push_back(coordinates_.size());
      coordinates_.push_back({&atom, term.lo, term.extent, false});
    }
    return true;
  }

  void SplitResult(const Sum& sum) {
    Result& result = results_.emplace_back();
    result.constant = sum.constant;
    for (const Term& term : sum.terms) {
      const auto found = by_atom_.find(term.atom);
      const size_t* coordinate = nullptr;
      if (found != by_atom_.end()) {
        const auto* same = llvm::find_if(found->second, [&](size_t i) {
          return coordinates_[i].lo == term.lo && coordinates_[i].extent == term.extent;
        });
        if (same != found->second.end()) coordinate = same;
      }
      if (coordinate != nullptr) {
        result.linear.push_back({*coordinate, term.coefficient});
      } else {
        result.other.push_back(term);
      }
    }
  }

  // The coordinates that an expression depends on.
  llvm::SmallVector<size_t, 4> CoordinatesOf(const Sum& sum) const {
    llvm::SmallVector<size_t, 4> found;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    ForEachAtom(sum, seen, [&](const Atom& atom) {
      const auto coordinates = by_atom_.find(&atom);
      if (coordinates == by_atom_.end()) return;
      found.append(coordinates->second.begin(), coordinates->second.end());
    });
    return found;
  }

  llvm::SmallVector<size_t, 4> CoordinatesOf(const Result& result) {
    llvm::SmallVector<size_t, 4> found = CoordinatesOf(context_.Store(result.other, 0));
    for (const auto& part : result.linear) found.push_back(part.first);
    return found;
  }

  std::vector<Group> FindGroups() {
    // Results, then constraints, then coordinates.
    const size_t num_results = results_.size();
    const size_t first_coordinate = num_results + f_.constraints.size();
    llvm::EquivalenceClasses<size_t> classes;
    for (size_t i = 0; i < first_coordinate + coordinates_.size(); ++i) classes.insert(i);
    for (size_t i = 0; i < num_results; ++i) {
      for (const size_t c : CoordinatesOf(results_[i])) classes.unionSets(i, first_coordinate + c);
    }
    for (size_t i = 0; i < f_.constraints.size(); ++i) {
      for (const size_t c : CoordinatesOf(f_.constraints[i].expression)) {
        classes.unionSets(num_results + i, first_coordinate + c);
      }
    }
    std::vector<Group> groups;
    std::map<size_t, size_t> number;
    for (size_t i = 0; i < first_coordinate + coordinates_.size(); ++i) {
      const auto [found, is_new] = number.try_emplace(classes.getLeaderValue(i), groups.size());
      if (is_new) groups.emplace_back();
      Group& group = groups[found->second];
      if (i < num_results) {
        group.results.push_back(i);
      } else if (i < first_coordinate) {
        group.constraints.push_back(i - num_results);
      } else {
        group.coordinates.push_back(i - first_coordinate);
      }
    }
    return groups;
  }

  // The points of the coordinates that are tried.
  struct Tried {
    int64_t points = 0;
    // Whether an expression has no value at one of them; the rest then says nothing.
    bool is_undefined = false;
    // The values of the group's results there, without their linear parts in other coordinates: a
    // row for each point.
    std::vector<int64_t> values;
  };

  // Nullopt if there are too many points: more than `max_points`, which it sets.
  std::optional<Tried> TryPoints(const Group& group, int64_t& max_points) {
    llvm::SmallVector<const Atom*, 4> leaves;
    for (const size_t c : group.coordinates) {
      if (coordinates_[c].is_tried) leaves.push_back(coordinates_[c].atom);
    }
    const auto num_results = static_cast<int64_t>(group.results.size());
    max_points = std::min(max_points_, kMaxValues / std::max<int64_t>(num_results, 1));
    const std::optional<int64_t> count = CountPoints(leaves, max_points);
    if (!count) return std::nullopt;
    llvm::SmallVector<int64_t, 4> point = FirstPoint(leaves);
    // The constraints, then the results.
    llvm::SmallVector<Sum, 4> sums;
    for (const size_t k : group.constraints) sums.push_back(f_.constraints[k].expression);
    for (const size_t r : group.results) sums.push_back(TriedPart(results_[r]));
    PointEvaluator evaluator(leaves, sums);
    max_points = std::min(max_points, kMaxDigits / std::max<int64_t>(evaluator.num_digits(), 1));
    if (*count > max_points) return std::nullopt;
    std::vector<int64_t> values(sums.size());
    Tried tried;
    for (int64_t i = 0; i < *count; ++i) {
      if (!evaluator.Evaluate(point, values)) {
        tried.is_undefined = true;
        return tried;
      }
      bool inside = true;
      for (size_t k = 0; k < group.constraints.size(); ++k) {
        inside &= f_.constraints[group.constraints[k]].bounds.Contains(values[k]);
      }
      if (inside) {
        ++tried.points;
        const auto first = static_cast<std::ptrdiff_t>(group.constraints.size());
        tried.values.insert(tried.values.end(), values.begin() + first, values.end());
      }
      MoveToNext(leaves, point);
    }
    return tried;
  }

  Sum TriedPart(const Result& result) {
    TermVector terms = result.other;
    for (const auto& [c, coefficient] : result.linear) {
      if (!coordinates_[c].is_tried) continue;
      terms.push_back({coefficient, coordinates_[c].atom, 1, coordinates_[c].extent});
    }
    return context_.Store(terms, result.constant);
  }

  // The values of some of the group's results, as one sum with these factors.
  std::optional<SumSet> ValuesOf(const Group& group, const Tried& tried,
                                 llvm::ArrayRef<std::pair<size_t, int64_t>> factors) const {
    std::vector<int64_t> bases;
    const size_t width = group.results.size();
    for (size_t row = 0; row < tried.values.size(); row += width) {
      int64_t base = 0;
      for (const auto& [k, factor] : factors) {
        const auto product = CheckedMul(tried.values[row + k], factor);
        const auto sum = product ? CheckedAdd(base, *product) : std::nullopt;
        if (!sum) return std::nullopt;
        base = *sum;
      }
      bases.push_back(base);
    }
    llvm::sort(bases);
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    std::map<size_t, int64_t> steps;
    for (const auto& [k, factor] : factors) {
      for (const auto& [c, coefficient] : results_[group.results[k]].linear) {
        if (coordinates_[c].is_tried) continue;
        const auto product = CheckedMul(coefficient, factor);
        const auto sum = product ? CheckedAdd(steps[c], *product) : std::nullopt;
        if (!sum) return std::nullopt;
        steps[c] = *sum;
      }
    }
    llvm::SmallVector<Steps, 8> list;
    for (const auto& [c, step] : steps) list.push_back({step, coordinates_[c].extent});
    return SumsOf(bases, list);
  }

  void CountGroup(const Group& group, llvm::MutableArrayRef<Progression> box) {
    int64_t max_points = 0;
    const std::optional<Tried> tried = TryPoints(group, max_points);
    if (!tried) return CountByInverse(group, max_points, box);
    if (tried->is_undefined) return GiveUp(group, DynamicAPInt(0), BoxOf(group), kNoValue);
    is_empty_ |= tried->points == 0;
    if (is_empty_) return;
    const DynamicAPInt points(tried->points);
    if (group.results.empty()) return Multiply(image_.points, points, points);
    // One result after the other, then together, by strides that keep them apart.
    llvm::SmallVector<std::pair<size_t, int64_t>, 4> strides;
    std::optional<int64_t> stride = 1;
    DynamicAPInt volume(1);
    for (size_t k = 0; k < group.results.size(); ++k) {
      const auto values = ValuesOf(group, *tried, {{k, 1}});
      if (!values || !stride) return GiveUp(group, points, points, kTooManyValues);
      image_.bounds[group.results[k]] = values->bounds;
      is_box_ &= values->progression.has_value();
      if (values->progression) box[group.results[k]] = *values->progression;
      if (f_.results.size() == 1) image_.largest_gap = values->largest_gap;
      volume *= values->size;
      strides.push_back({k, *stride});
      const auto width = CheckedSub(values->bounds.upper, values->bounds.lower);
      const auto size = width ? CheckedAdd(*width, 1) : std::nullopt;
      stride = size ? CheckedMul(*stride, *size) : std::nullopt;
    }
    if (group.results.size() > 1) {
      const auto together = ValuesOf(group, *tried, strides);
      if (!together) return GiveUp(group, points, points, kTooManyValues);
      is_box_ &= together->size == volume;
      volume = together->size;
    }
    Multiply(image_.size, volume, volume);
    Multiply(image_.points, points, points);
  }

  static void Multiply(Image::Count& count, const DynamicAPInt& lower, const DynamicAPInt& upper) {
    count.lower *= lower;
    count.upper *= upper;
  }

  // The group as a map of its own, whose variables are its coordinates.
  QuasiAffineMap MapOf(const Group& group) const {
    QuasiAffineMap map;
    map.boxes = f_.boxes;
    for (size_t i = 0; i < map.boxes.size(); ++i) {
      const bool inside = llvm::any_of(group.coordinates, [&](size_t c) {
        const Atom& atom = *coordinates_[c].atom;
        return atom.kind == AtomKind::kVariable && atom.variable == i;
      });
      if (!inside) map.boxes[i] = Interval::Point(0);
    }
    for (const size_t k : group.constraints) map.constraints.push_back(f_.constraints[k]);
    for (const size_t r : group.results) map.results.push_back(f_.results[r]);
    return map;
  }

  // If there are too many points to try: a map whose inverse has no free variable takes as many
  // values as there are points.
  void CountByInverse(const Group& group, int64_t max_points,
                      llvm::MutableArrayRef<Progression> box_sides) {
    const std::optional<DynamicAPInt> points = CountTriedPoints(group);
    const bool has_functions = llvm::any_of(group.coordinates, [this](size_t c) {
      return coordinates_[c].atom->kind != AtomKind::kVariable;
    });
    if (points && !has_functions && !group.results.empty()) {
      const QuasiAffineMap map = MapOf(group);
      if (IsInjectiveByInverse(map)) {
        FindBounds(group);
        const DynamicAPInt size = *points * UntriedPoints(group);
        FillBox(group, size, box_sides);
        Multiply(image_.size, size, size);
        Multiply(image_.points, *points, *points);
        return;
      }
    }
    GiveUp(group, points.value_or(DynamicAPInt(0)), points.value_or(BoxOf(group)),
           "there are more than " + std::to_string(max_points) + " points to try");
  }

  // How many points the coordinates to be tried have without constraints.
  DynamicAPInt BoxOf(const Group& group) const {
    DynamicAPInt box(1);
    for (const size_t c : group.coordinates) {
      if (coordinates_[c].is_tried) box *= PointsOf(*coordinates_[c].atom);
    }
    return box;
  }

  // As many values as fit between the bounds of the one result are all of these.
  void FillBox(const Group& group, const DynamicAPInt& size,
               llvm::MutableArrayRef<Progression> box_sides) {
    const size_t first = group.results.front();
    const Interval& bounds = image_.bounds[first];
    const auto width = CheckedSub(bounds.upper, bounds.lower);
    is_box_ &= group.results.size() == 1 && width && DynamicAPInt(*width) + DynamicAPInt(1) == size;
    if (is_box_) box_sides[first] = {bounds.lower, *width + 1, 1};
  }

  DynamicAPInt UntriedPoints(const Group& group) const {
    DynamicAPInt points(1);
    for (const size_t c : group.coordinates) {
      if (!coordinates_[c].is_tried) points *= DynamicAPInt(coordinates_[c].extent);
    }
    return points;
  }

  // The number of points of the coordinates to be tried, if there is one constraint at most, on a
  // sum whose digits nest: every value of the sum has one point.
  std::optional<DynamicAPInt> CountTriedPoints(const Group& group) const {
    if (group.constraints.size() > 1) return std::nullopt;
    DynamicAPInt count(1);
    llvm::SmallPtrSet<const Atom*, 8> constrained;
    for (const size_t k : group.constraints) {
      const Constraint& constraint = f_.constraints[k];
      llvm::SmallVector<Steps, 8> steps;
      DynamicAPInt product(1);
      for (const Term& term : constraint.expression.terms) {
        if (!term.IsWhole() || !term.atom->IsLeaf()) return std::nullopt;
        if (term.extent == kUnbounded) return std::nullopt;
        steps.push_back({term.coefficient, term.extent});
        product *= DynamicAPInt(term.extent);
        constrained.insert(term.atom);
      }
      const auto values = SumsOf({constraint.expression.constant}, steps);
      if (!values || !values->progression || values->size != product) return std::nullopt;
      const Progression& all = *values->progression;
      const Interval bounds = constraint.bounds.Intersect(values->bounds);
      const int64_t first = support::CeilDiv(bounds.lower - all.offset, all.stride);
      const int64_t last = support::FloorDiv(bounds.upper - all.offset, all.stride);
      count = DynamicAPInt(std::max<int64_t>(last - first + 1, 0));
    }
    for (const size_t c : group.coordinates) {
      if (!coordinates_[c].is_tried || constrained.contains(coordinates_[c].atom)) continue;
      count *= PointsOf(*coordinates_[c].atom);
    }
    return count;
  }

  // The number of values of a variable or function, whose extent need not fit 64 bits.
  DynamicAPInt PointsOf(const Atom& atom) const {
    const Interval values =
        atom.kind == AtomKind::kVariable ? f_.boxes[atom.variable] : atom.ValueRange();
    return DynamicAPInt(values.upper) - DynamicAPInt(values.lower) + DynamicAPInt(1);
  }

  void FindBounds(const Group& group) {
    const FactScope facts(context_, f_.constraints);
    for (const size_t r : group.results) image_.bounds[r] = Range(context_, f_.results[r]);
  }

  // What is known without counting, of a group with so many points to be tried.
  void GiveUp(const Group& group, const DynamicAPInt& fewest_points,
              const DynamicAPInt& most_points, llvm::StringRef reason) {
    FindBounds(group);
    is_box_ = false;
    const DynamicAPInt all_points = most_points * UntriedPoints(group);
    DynamicAPInt between_bounds(1);
    for (const size_t r : group.results) {
      const Interval& bounds = image_.bounds[r];
      // An infinite end stands for all that 64 bits do not hold.
      between_bounds *= bounds.IsFinite() ? DynamicAPInt(bounds.upper) -
                                                DynamicAPInt(bounds.lower) + DynamicAPInt(1)
                                          : all_points;
    }
    const DynamicAPInt one(fewest_points > 0 ? 1 : 0);
    Multiply(image_.size, one, between_bounds < all_points ? between_bounds : all_points);
    Multiply(image_.points, fewest_points, most_points);
    image_.reason = reason.str();
  }

  // What is not tried has all its points.
  void CountUnconstrainedVariables() {
    std::vector<bool> is_tried(f_.boxes.size(), false);
    for (const Coordinate& coordinate : coordinates_) {
      if (!coordinate.is_tried) continue;
      if (coordinate.atom->kind == AtomKind::kVariable) is_tried[coordinate.atom->variable] = true;
    }
    for (size_t i = 0; i < f_.boxes.size(); ++i) {
      if (is_tried[i]) continue;
      const DynamicAPInt points =
          DynamicAPInt(f_.boxes[i].upper) - DynamicAPInt(f_.boxes[i].lower) + DynamicAPInt(1);
      Multiply(image_.points, points, points);
    }
  }

  // Whether each value has one point. False if that is not known.
  bool IsInjectiveByInverse(const QuasiAffineMap& map) {
    return !HasManyDivisions(map) && Invert(context_, map, map.boxes.size()).num_free == 0;
  }

  void DecideInjectivity() {
    const bool has_one_point_each = image_.size.lower == image_.points.upper ||
                                    (!image_.size.IsExact() && IsInjectiveByInverse(f_));
    if (has_one_point_each) {
      image_.injective = Answer::kYes;
    } else if (image_.size.upper < image_.points.lower) {
      image_.injective = Answer::kNo;
    }
  }

  DigitContext& context_;
  const QuasiAffineMap& f_;
  int64_t max_points_;
  std::vector<Coordinate> coordinates_;
  llvm::MapVector<const Atom*, llvm::SmallVector<size_t, 4>> by_atom_;
  std::vector<Result> results_;
  bool is_box_ = false;
  bool is_empty_ = false;
  Image image_;
};

std::string CountText(const Image::Count& count) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << count.lower;
  if (!count.IsExact()) out << " to " << count.upper;
  return text;
}

// The values themselves: "1, 3, ..., 19".
std::string ValuesText(const Progression& side) {
  const auto at = [&](int64_t i) { return std::to_string(side.offset + side.stride * i); };
  std::string text = at(0);
  if (side.size > 1) text += side.size > 2 ? ", " + at(1) : "";
  if (side.size > 3) text += ", ...";
  return side.size > 1 ? text + ", " + at(side.size - 1) : text;
}

}  // namespace

Image ImageOf(DigitContext& context, const QuasiAffineMap& f, int64_t max_points) {
  return Counter(context, f, max_points).Run();
}

Answer IsOnto(const Image& image, llvm::ArrayRef<Interval> bounds) {
  DynamicAPInt volume(1);
  bool inside = true;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].IsEmpty()) volume = DynamicAPInt(0);
    volume *= DynamicAPInt(bounds[i].upper) - DynamicAPInt(bounds[i].lower) + DynamicAPInt(1);
    inside &= bounds[i].Contains(image.bounds[i]);
  }
  if (image.size.upper < volume) return Answer::kNo;
  if (!image.size.IsExact()) return Answer::kUnknown;
  return inside && image.size.lower == volume ? Answer::kYes : Answer::kNo;
}

void Image::Print(llvm::raw_ostream& out) const {
  out << "values: " << CountText(size) << ", points: " << CountText(points)
      << ", injective: " << support::AnswerName(injective);
  if (box) {
    out << ", box: (";
    for (size_t i = 0; i < box->size(); ++i) out << (i ? ", " : "") << ValuesText((*box)[i]);
    out << ')';
  } else if (size.upper > 0) {
    out << ", inside: (";
    for (size_t i = 0; i < bounds.size(); ++i) {
      out << (i ? ", " : "") << bounds[i];
    }
    out << ')';
  }
  if (!reason.empty()) out << "; not exact: " << reason;
}

}  // namespace hlo_indexing::simplifier
