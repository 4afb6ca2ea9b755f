#include "simplifier/counting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "simplifier/digit_variables.h"
#include "simplifier/image.h"
#include "simplifier/variable_bounds.h"

namespace hlo_indexing::simplifier {
namespace {

// Remainders by which a variable is split.
constexpr int64_t kMaxPeriod = 64;
// Domains that are looked at, and parts of an answer.
constexpr int kMaxSteps = 4000;
constexpr size_t kMaxParts = 512;
// Variables that may be counted next times the terms of a domain, in sum: what looking takes.
constexpr int64_t kMaxWork = int64_t{1} << 25;
constexpr char kTooManyCases[] = "the count has too many cases";

// Points to be counted, each with the value of the polynomial.
struct Weighted {
  QuasiAffineMap map;
  std::vector<Monomial> terms;
  llvm::SmallVector<VariableId, 4> counted;

  Polynomial Weight() const { return Expand(terms, map.results); }
};

// How a variable would be counted next.
struct Choice {
  VariableId variable = 0;
  int64_t period = 1;
  // Cases, roughly.
  int64_t cost = 0;
};

class Counter {
 public:
  explicit Counter(DigitContext& context) : context_(context) {}

  ParametricCount Run(const QuasiAffineMap& domain, llvm::ArrayRef<VariableId> counted) {
    if (domain.empty) return {};
    Weighted all;
    all.map = domain;
    all.map.results.clear();
    all.counted.assign(counted.begin(), counted.end());
    const Fraction constant = CountIndependent(all);
    const bool is_zero = constant == Fraction(0);
    if (is_zero) return {};
    MakeDigitsVariables(context_, all.map, all.counted);
    const llvm::SmallVector<VariableId, 4> gone = all.counted;
    Push(std::move(all), Polynomial(constant));
    while (!stack_.empty() || work_ > kMaxWork) {
      if (work_ > kMaxWork) return Fail(kTooManyCases);
      Weighted next = std::move(stack_.back());
      stack_.pop_back();
      work_ += WorkOf(next);
      if (++steps_ > kMaxSteps || work_ > kMaxWork || answer_.parts.size() > kMaxParts) {
        return Fail(kTooManyCases);
      }
      if (next.counted.empty()) {
        Keep(std::move(next));
      } else if (!CountOneVariable(next)) {
        return Fail(
            "a variable that is counted stands in a product, has no bounds, or stands in "
            "divisions by more than " +
            std::to_string(kMaxPeriod));
      }
    }
    for (const PartialCount& part : answer_.parts) {
      if (MentionsAny(part.map, counted) || MentionsAny(part.map, gone)) {
        return Fail("a bound is too large for 64 bits");
      }
    }
    return std::move(answer_);
  }

 private:
  static ParametricCount Fail(std::string reason) { return {{}, std::move(reason)}; }

  static int64_t WorkOf(const Weighted& domain) {
    int64_t size = std::ssize(domain.map.boxes) + std::ssize(domain.terms);
    for (const Constraint& constraint : domain.map.constraints) {
      size += 1 + std::ssize(constraint.expression.terms);
    }
    return size * (1 + std::ssize(domain.counted));
  }

  // Each power is a polynomial in the bounds, whose coefficients are fractions of many digits.
  static int64_t WorkOfSum(llvm::ArrayRef<Polynomial> weight) {
    constexpr int64_t kWorkOfFraction = 64;
    const auto powers = std::min(std::ssize(weight), std::ptrdiff_t{1} << 16);
    return kWorkOfFraction * powers * powers * powers;
  }

  static bool MentionsAny(const QuasiAffineMap& map, llvm::ArrayRef<VariableId> variables) {
    return llvm::any_of(variables, [&](VariableId variable) { return Mentions(map, variable); });
  }

  static bool Mentions(const QuasiAffineMap& map, VariableId variable) {
    const auto mentions = [&](const Sum& sum) { return simplifier::Mentions(sum, variable); };
    return llvm::any_of(map.results, mentions) ||
           llvm::any_of(map.constraints,
                        [&](const Constraint& c) { return mentions(c.expression); });
  }

  // The number of points of the counted variables that hang together with no other variable, which
  // then are counted no more.
  Fraction CountIndependent(Weighted& all) {
    // Constraints, then variables; functions are the last.
    QuasiAffineMap& map = all.map;
    const size_t first_variable = map.constraints.size();
    const size_t functions = first_variable + map.boxes.size();
    llvm::EquivalenceClasses<size_t> classes;
    for (size_t i = 0; i <= functions; ++i) classes.insert(i);
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      llvm::SmallPtrSet<const Atom*, 8> seen;
      ForEachAtom(map.constraints[i].expression, seen, [&](const Atom& atom) {
        if (!atom.IsLeaf()) return;
        classes.unionSets(
            i, atom.kind == AtomKind::kVariable ? first_variable + atom.variable : functions);
      });
    }
    for (VariableId i = 0; i < map.boxes.size(); ++i) {
      if (!llvm::is_contained(all.counted, i)) classes.unionSets(first_variable + i, functions);
    }
    // Each group by itself.
    std::map<size_t, QuasiAffineMap> groups;
    for (const VariableId i : all.counted) {
      if (classes.isEquivalent(first_variable + i, functions)) continue;
      QuasiAffineMap& group = groups[classes.getLeaderValue(first_variable + i)];
      if (group.boxes.empty()) group.boxes.assign(map.boxes.size(), Interval::Point(0));
      group.boxes[i] = map.boxes[i];
    }
    Fraction points(1);
    std::vector<bool> is_counted(map.constraints.size());
    for (auto& [leader, group] : groups) {
      const auto is_of_group = [&](size_t i) { return classes.isEquivalent(i, leader); };
      for (size_t i = 0; i < map.constraints.size(); ++i) {
        if (is_of_group(i)) group.constraints.push_back(map.constraints[i]);
      }
      if (!llvm::all_of(group.boxes, [](const Interval& box) { return box.IsFinite(); })) continue;
      const Image image = ImageOf(context_, group);
      if (!image.points.IsExact()) continue;
      points *= Fraction(image.points.lower);
      for (VariableId i = 0; i < map.boxes.size(); ++i) {
        if (!is_of_group(first_variable + i)) continue;
        map.boxes[i] = Interval::Point(map.boxes[i].lower);
        llvm::erase(all.counted, i);
      }
      for (size_t i = 0; i < is_counted.size(); ++i) {
        if (is_of_group(i)) is_counted[i] = true;
      }
    }
    llvm::SmallVector<Constraint, 2> others;
    for (size_t i = 0; i < is_counted.size(); ++i) {
      if (!is_counted[i]) others.push_back(map.constraints[i]);
    }
    map.constraints = std::move(others);
    return points;
  }

  bool CountOneVariable(Weighted& domain) {
    // A variable that nothing mentions has all its values.
    for (const VariableId variable : domain.counted) {
      if (Mentions(domain.map, variable)) continue;
      const Interval box = domain.map.boxes[variable];
      if (!box.IsFinite()) return false;
      const llvm::DynamicAPInt values =
          llvm::DynamicAPInt(box.upper) - llvm::DynamicAPInt(box.lower) + llvm::DynamicAPInt(1);
      for (Monomial& term : domain.terms) term.coefficient *= Fraction(values);
      Remove(variable, domain);
      stack_.push_back(std::move(domain));
      return true;
    }
    const std::optional<Choice> choice = Choose(domain);
    if (!choice) return false;
    if (choice->period == 1) return CountLinear(domain, choice->variable);
    const auto pieces = SplitByRemainder(context_, domain.map, choice->variable, choice->period);
    if (!pieces) return false;
    for (const QuasiAffineMap& piece : *pieces) {
      stack_.push_back({piece, domain.terms, domain.counted});
    }
    return true;
  }

  // The variable that makes the fewest cases.
  std::optional<Choice> Choose(const Weighted& domain) {
    std::optional<Choice> best;
    for (const VariableId variable : domain.counted) {
      const auto period = PeriodOf(domain.map, variable, kMaxPeriod);
      if (!period) continue;
      Choice choice = {variable, *period, *period * 64};
      if (*period == 1) {
        QuasiAffineMap rest = domain.map;
        const auto bounds = TakeBounds(context_, rest, variable);
        if (!bounds) continue;
        const std::optional<Bound> value = ValueOf(*bounds);
        choice.cost = 1;
        if (!value) {
          choice.cost = static_cast<int64_t>(bounds->lower.size() * bounds->upper.size());
          const auto is_multiple = [](const Bound& bound) { return bound.factor != 1; };
          choice.cost += 16 * llvm::count_if(bounds->lower, is_multiple);
          choice.cost += 16 * llvm::count_if(bounds->upper, is_multiple);
        } else if (value->factor != 1) {
          choice.cost = 16;
        }
      }
      if (!best || choice.cost < best->cost) best = choice;
    }
    return best;
  }

  // An equation that the bounds make, for the variable's value; one with the smallest factor.
  static std::optional<Bound> ValueOf(const VariableBounds& bounds) {
    std::optional<Bound> value;
    for (const Bound& bound : bounds.lower) {
      if (!llvm::is_contained(bounds.upper, bound)) continue;
      if (!value || bound.factor < value->factor) value = bound;
    }
    return value;
  }

  bool CountLinear(const Weighted& domain, VariableId variable) {
    Weighted rest = domain;
    std::optional<VariableBounds> bounds = TakeBounds(context_, rest.map, variable);
    if (!bounds || bounds->lower.empty() || bounds->upper.empty()) return false;
    const std::vector<Polynomial> weight = domain.Weight().CoefficientsOf(variable);
    Remove(variable, rest);
    if (const std::optional<Bound> value = ValueOf(*bounds)) {
      CountOneValue(*value, *bounds, weight, std::move(rest));
      return true;
    }
    const std::vector<Sum> first = Floors(bounds->lower, rest.map, /*are_lower=*/true);
    const std::vector<Sum> last = Floors(bounds->upper, rest.map, /*are_lower=*/false);
    for (size_t i = 0; i < first.size(); ++i) {
      for (size_t j = 0; j < last.size(); ++j) {
        Weighted piece = rest;
        // Of equal bounds, the first one counts.
        for (size_t k = 0; k < first.size(); ++k) {
          if (k != i) RequireAtMost(first[k], first[i], k < i ? 1 : 0, piece.map);
        }
        for (size_t k = 0; k < last.size(); ++k) {
          if (k != j) RequireAtMost(last[j], last[k], k < j ? 1 : 0, piece.map);
        }
        RequireAtMost(first[i], last[j], 0, piece.map);
        work_ += WorkOfSum(weight) + WorkOf(piece);
        if (work_ > kMaxWork) return true;
        Push(std::move(piece), SumOver(weight, Polynomial(first[i]), Polynomial(last[j])));
      }
    }
    return true;
  }

  // Of a variable that is `value.sum / value.factor`, where that is an integer.
  void CountOneValue(const Bound& value, const VariableBounds& bounds,
                     llvm::ArrayRef<Polynomial> weight, Weighted rest) {
    Sum at = value.sum;
    if (value.factor != 1) {
      const Sum factor = Constant(value.factor);
      rest.map.constraints.push_back({Mod(context_, value.sum, factor), Interval::Point(0)});
      at = FloorDiv(context_, value.sum, factor);
    }
    for (const Bound& bound : bounds.lower) {
      RequireAtMost(bound.sum, Scale(context_, at, bound.factor), 0, rest.map);
    }
    for (const Bound& bound : bounds.upper) {
      RequireAtMost(Scale(context_, at, bound.factor), bound.sum, 0, rest.map);
    }
    Push(std::move(rest), ValueAt(weight, Polynomial(at)));
  }

  // The bounds as integers, without those that another one makes needless.
  std::vector<Sum> Floors(llvm::ArrayRef<Bound> bounds, const QuasiAffineMap& map,
                          bool are_lower) const {
    std::vector<Sum> floors;
    for (const Bound& bound : bounds) {
      const Sum factor = Constant(bound.factor);
      floors.push_back(are_lower ? CeilDiv(context_, bound.sum, factor)
                                 : FloorDiv(context_, bound.sum, factor));
    }
    const FactScope facts(context_, map.constraints);
    for (size_t i = 0; i < floors.size();) {
      const auto is_needless_beside = [&](const Sum& other) {
        if (&other == &floors[i]) return false;
        const Interval less = Range(context_, Subtract(context_, other, floors[i]));
        return are_lower ? less.lower >= 0 : less.upper <= 0;
      };
      if (llvm::any_of(floors, is_needless_beside)) {
        floors.erase(floors.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    return floors;
  }

  // a + room <= b.
  void RequireAtMost(const Sum& a, const Sum& b, int64_t room, QuasiAffineMap& map) const {
    map.constraints.push_back({Subtract(context_, b, a), {room, Interval::kPlusInfinity}});
  }

  static void Remove(VariableId variable, Weighted& domain) {
    domain.map.boxes[variable] = Interval::Point(0);
    llvm::erase(domain.counted, variable);
  }

  // Simplifies the domain, and with it the digits of the polynomial.
  void Push(Weighted domain, const Polynomial& weight) {
    Polynomial::Numbered numbered = weight.Number(context_);
    domain.map.results.assign(numbered.digits.begin(), numbered.digits.end());
    domain.terms = std::move(numbered.terms);
    if (domain.terms.empty()) return;
    Simplify(context_, domain.map);
    if (!domain.map.empty) stack_.push_back(std::move(domain));
  }

  // Adds to the part with the same domain, if there is one.
  void Keep(Weighted part) {
    for (PartialCount& known : answer_.parts) {
      if (known.map.boxes != part.map.boxes || known.map.constraints != part.map.constraints) {
        continue;
      }
      Polynomial sum = Expand(known.terms, known.map.results);
      sum += part.Weight();
      Polynomial::Numbered numbered = sum.Number(context_);
      known.map.results.assign(numbered.digits.begin(), numbered.digits.end());
      known.terms = std::move(numbered.terms);
      return;
    }
    answer_.parts.push_back({std::move(part.map), std::move(part.terms)});
  }

  DigitContext& context_;
  std::vector<Weighted> stack_;
  ParametricCount answer_;
  int steps_ = 0;
  int64_t work_ = 0;
};

}  // namespace

ParametricCount CountPoints(DigitContext& context, const QuasiAffineMap& domain,
                            llvm::ArrayRef<VariableId> counted) {
  return Counter(context).Run(domain, counted);
}

}  // namespace hlo_indexing::simplifier
