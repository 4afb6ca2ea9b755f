#include "indexing_analysis/queries/moving_boxes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/quasi_affine_map.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::Term;

// All ends of the bounds of so many values are tried.
constexpr size_t kMaxValues = 10;
constexpr size_t kMaxBoxes = 256;
// Numbers in boxes: sums of a few of them fit 64 bits.
constexpr int64_t kLargest = int64_t{1} << 60;

// A value known at run time, or that there is none.
using ValueNumber = std::optional<size_t>;

// index + sign * value lies in the bounds.
struct Relation {
  ValueNumber value;
  int64_t sign = 0;
  Interval bounds;
};

// A side of a box, by what its index meets.
using Side = llvm::SmallVector<Relation, 3>;

struct MovingBox {
  // Those of the array, then those of variables that only say how often an element is read.
  llvm::SmallVector<Side, 4> sides;
  size_t rank = 0;
  // Points for each element.
  DynamicAPInt points_per_element = DynamicAPInt(1);
  // How often the map came.
  int64_t count = 1;
};

// factor * variable + sign * value + constant, factor and sign 1, -1 or 0.
struct Linear {
  const Atom* variable = nullptr;
  int64_t factor = 0;
  ValueNumber value;
  int64_t sign = 0;
  int64_t constant = 0;
};

bool IsSmall(const Interval& bounds) {
  return bounds.lower >= -kLargest && bounds.upper <= kLargest;
}

// The length of a side at both ends of the bounds of its value, between which it is affine.
struct Length {
  ValueNumber value;
  int64_t at_lower = 0;
  int64_t at_upper = 0;
};

class BoxReader {
 public:
  // Which value each runtime variable of the map is.
  BoxReader(const IndexingMap& map, llvm::ArrayRef<size_t> values) : map_(map), values_(values) {}

  std::optional<MovingBox> Read() {
    f_ = ReadMap(context_, map_, RuntimeVariablesAs::kFunctions);
    if (!f_.empty) simplifier::Simplify(context_, f_);
    if (f_.empty) return std::nullopt;
    MovingBox box;
    for (const Sum& result : f_.results) {
      const std::optional<Linear> linear = ReadSum(result);
      if (!linear.has_value() || !AddSide(*linear, box)) return std::nullopt;
    }
    box.rank = box.sides.size();
    for (const simplifier::Constraint& constraint : f_.constraints) {
      const std::optional<Linear> linear = ReadSum(constraint.expression);
      if (!linear.has_value() || !AddConstraint(*linear, constraint.bounds, box)) {
        return std::nullopt;
      }
    }
    for (size_t i = 0; i < f_.boxes.size(); ++i) {
      if (side_of_.contains(i)) continue;
      box.points_per_element *=
          DynamicAPInt(f_.boxes[i].upper) - DynamicAPInt(f_.boxes[i].lower) + DynamicAPInt(1);
    }
    return box;
  }

 private:
  std::optional<Linear> ReadSum(const Sum& sum) const {
    Linear linear;
    linear.constant = sum.constant;
    if (!IsSmall(Interval::Point(sum.constant))) return std::nullopt;
    for (const Term& term : sum.terms) {
      const bool is_unit = term.IsWhole() && (term.coefficient == 1 || term.coefficient == -1);
      if (!is_unit || !term.atom->IsLeaf() || !IsSmall(term.atom->ValueRange())) {
        return std::nullopt;
      }
      // An atom starts at 0.
      linear.constant -= term.coefficient * term.atom->lower;
      if (term.atom->kind == AtomKind::kVariable) {
        if (linear.variable != nullptr) return std::nullopt;
        linear.variable = term.atom;
        linear.factor = term.coefficient;
      } else {
        if (linear.value.has_value()) return std::nullopt;
        linear.value = values_[term.atom->variable - f_.boxes.size()];
        linear.sign = term.coefficient;
      }
    }
    return linear;
  }

  // A side whose index is `index`, by the bounds of its variable.
  bool AddSide(const Linear& index, MovingBox& box) {
    Side& side = box.sides.emplace_back();
    if (index.variable == nullptr) {
      side.push_back({index.value, -index.sign, Interval::Point(index.constant)});
      return true;
    }
    const Interval bounds = f_.boxes[index.variable->variable];
    if (!IsSmall(bounds)) return false;
    const bool is_new =
        side_of_.try_emplace(index.variable->variable, std::pair(box.sides.size() - 1, index))
            .second;
    // index - sign * value - constant = factor * variable.
    side.push_back(
        {index.value, -index.sign, bounds * index.factor + Interval::Point(index.constant)});
    return is_new;
  }

  bool AddConstraint(const Linear& sum, const Interval& bounds, MovingBox& box) {
    if (sum.variable == nullptr || !IsSmall(bounds)) return false;
    auto found = side_of_.find(sum.variable->variable);
    if (found == side_of_.end()) {
      if (!AddSide({.variable = sum.variable, .factor = 1, .value = {}}, box)) return false;
      found = side_of_.find(sum.variable->variable);
    }
    const auto& [side, index] = found->second;
    // variable = factor * (index - sign * value - constant), put into the sum and made one of
    // index + ... by the factor of that.
    const int64_t factor = sum.factor * index.factor;
    Relation relation;
    relation.bounds =
        (bounds + Interval::Point(-sum.constant)) * factor + Interval::Point(index.constant);
    const int64_t of_sum = factor * sum.sign;
    if (!sum.value.has_value() || sum.value == index.value || !index.value.has_value()) {
      relation.value = sum.value.has_value() ? sum.value : index.value;
      relation.sign =
          (sum.value.has_value() ? of_sum : 0) - (index.value.has_value() ? index.sign : 0);
    } else {
      return false;
    }
    if (relation.sign == 0) relation.value = std::nullopt;
    if (relation.sign > 1 || relation.sign < -1) return false;
    box.sides[side].push_back(relation);
    return true;
  }

  const IndexingMap& map_;
  llvm::ArrayRef<size_t> values_;
  DigitContext context_;
  QuasiAffineMap f_;
  // Of each variable of a result: the side, and the result.
  std::map<size_t, std::pair<size_t, Linear>> side_of_;
};

// Whether two sides never share an index.
bool AreApart(const Side& a, const Side& b) {
  return llvm::any_of(a, [&](const Relation& one) {
    return llvm::any_of(b, [&](const Relation& other) {
      return one.value == other.value && one.sign == other.sign &&
             one.bounds.Intersect(other.bounds).IsEmpty();
    });
  });
}

bool AreApart(const MovingBox& a, const MovingBox& b) {
  for (size_t i = 0; i < a.rank; ++i) {
    if (AreApart(a.sides[i], b.sides[i])) return true;
  }
  return false;
}

// The index's bounds that a relation gives where the value is one of its ends.
Interval At(const Relation& relation, const Interval& value, bool is_upper) {
  return relation.bounds + Interval::Point(-relation.sign * (is_upper ? value.upper : value.lower));
}

// Nullopt unless the length is affine between the ends.
std::optional<Length> LengthOf(const Side& side, llvm::ArrayRef<Interval> values) {
  Length length;
  for (const Relation& relation : side) {
    if (!relation.value.has_value()) continue;
    if (length.value.has_value() && length.value != relation.value) return std::nullopt;
    length.value = relation.value;
  }
  const Interval value = length.value.has_value() ? values[*length.value] : Interval::Point(0);
  Interval ends[2];
  for (const bool is_upper : {false, true}) {
    for (const Relation& relation : side) {
      ends[is_upper ? 1 : 0] = ends[is_upper ? 1 : 0].Intersect(At(relation, value, is_upper));
    }
  }
  // The largest lower bound is convex in the value, so what is the largest at both ends is that in
  // between, too.
  const auto is_one = [&](auto bound) {
    return llvm::any_of(side, [&](const Relation& relation) {
      return bound(At(relation, value, false)) == bound(ends[0]) &&
             bound(At(relation, value, true)) == bound(ends[1]);
    });
  };
  const bool is_affine = is_one([](const Interval& bounds) { return bounds.lower; }) &&
                         is_one([](const Interval& bounds) { return bounds.upper; });
  length.at_lower = ends[0].upper - ends[0].lower + 1;
  length.at_upper = ends[1].upper - ends[1].lower + 1;
  if (!is_affine || length.at_lower < 0 || length.at_upper < 0) return std::nullopt;
  if (length.at_lower == length.at_upper) length.value = std::nullopt;
  return length;
}

// The lengths of a box, if no two change with one value.
std::optional<std::vector<Length>> LengthsOf(const MovingBox& box,
                                             llvm::ArrayRef<Interval> values) {
  std::vector<Length> lengths;
  for (const Side& side : box.sides) {
    const std::optional<Length> length = LengthOf(side, values);
    if (!length.has_value()) return std::nullopt;
    const bool is_shared = llvm::any_of(lengths, [&](const Length& other) {
      return length->value.has_value() && other.value == length->value;
    });
    if (is_shared) return std::nullopt;
    // Some element is read, however often.
    const bool is_of_array = lengths.size() < box.rank;
    if (!is_of_array && std::min(length->at_lower, length->at_upper) == 0) return std::nullopt;
    lengths.push_back(*length);
  }
  return lengths;
}

void Extend(Image::Count& range, const DynamicAPInt& number, bool is_first) {
  range.lower = is_first ? number : std::min(range.lower, number);
  range.upper = is_first ? number : std::max(range.upper, number);
}

}  // namespace

std::optional<ReachPerChoice> ReachOfMovingBoxes(llvm::ArrayRef<IndexingMap> maps) {
  std::map<std::string, size_t> numbers;
  std::vector<Interval> values;
  std::vector<std::pair<IndexingMap, MovingBox>> boxes;
  for (const IndexingMap& map : maps) {
    const auto known = llvm::find_if(boxes, [&](const auto& box) { return box.first == map; });
    if (known != boxes.end()) {
      ++known->second.count;
      continue;
    }
    llvm::SmallVector<size_t, 4> values_of_map;
    for (const RuntimeVariable& variable : map.runtime()) {
      const std::optional<std::string> value = UniformValue(variable);
      if (!value.has_value() || variable.bounds.IsEmpty()) return std::nullopt;
      const auto [number, is_new] = numbers.try_emplace(*value, values.size());
      if (is_new) values.push_back(variable.bounds);
      values_of_map.push_back(number->second);
    }
    std::optional<MovingBox> box = BoxReader(map, values_of_map).Read();
    if (!box.has_value() || values.size() > kMaxValues || boxes.size() == kMaxBoxes) {
      return std::nullopt;
    }
    boxes.emplace_back(map, *std::move(box));
  }
  std::vector<std::vector<Length>> lengths;
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!AreApart(boxes[i].second, boxes[k].second)) return std::nullopt;
    }
    std::optional<std::vector<Length>> of_box = LengthsOf(boxes[i].second, values);
    if (!of_box.has_value()) return std::nullopt;
    lengths.push_back(*std::move(of_box));
  }
  ReachPerChoice reach;
  for (size_t ends = 0; ends < size_t{1} << values.size(); ++ends) {
    DynamicAPInt elements(0);
    DynamicAPInt points(0);
    for (size_t i = 0; i < boxes.size(); ++i) {
      const MovingBox& box = boxes[i].second;
      DynamicAPInt size(1);
      DynamicAPInt times = box.points_per_element * DynamicAPInt(box.count);
      for (size_t k = 0; k < lengths[i].size(); ++k) {
        const Length& length = lengths[i][k];
        const bool is_upper = length.value.has_value() && ((ends >> *length.value) & 1) != 0;
        (k < box.rank ? size : times) *= DynamicAPInt(is_upper ? length.at_upper : length.at_lower);
      }
      elements += size;
      points += size * times;
    }
    Extend(reach.elements, elements, ends == 0);
    Extend(reach.points, points, ends == 0);
  }
  return reach;
}

}  // namespace hlo_indexing::indexing_analysis
