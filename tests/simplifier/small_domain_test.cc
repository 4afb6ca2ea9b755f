#include "simplifier/domain/small_domain.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "simplifier/arithmetic.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::simplifier {
namespace {

using Point = std::array<int64_t, 3>;

// Constraints on a variable and two functions.
class Case {
 public:
  explicit Case(std::mt19937& random) : random_(random) {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      boxes_[i].lower = Number(-3, 3);
      boxes_[i].upper = boxes_[i].lower + Number(1, 5);
      leaves_[i] = i == 0 ? context_.Variable(0, boxes_[i])
                          : context_.Function(static_cast<uint32_t>(i), {}, boxes_[i]);
    }
    AddSum();
    for (size_t i = 1; i < leaves_.size(); ++i) {
      if (Number(0, 2) > 0) AddConstraint(Scale(context_, leaves_[i], Number(0, 1) == 0 ? 1 : -1));
    }
    // Beyond what intervals decide.
    if (Number(0, 3) == 0) AddSum();
    domain_ = DecideSmallDomain(context_, constraints_);
  }

  // The promise of SmallDomain, by trying all points.
  void Check() {
    std::vector<Point> given;
    for (const Point& point : AllPoints()) {
      if (Meets(point, constraints_)) given.push_back(point);
    }
    ASSERT_EQ(domain_.empty, given.empty()) << text_;
    if (domain_.empty) return;
    EXPECT_EQ(Kept(domain_.constraints), given) << text_;
    // Intervals decide what is one constraint alone, and that stays as it is.
    if (constraints_.size() < 2) return;
    Interval hull = {INT64_MAX, INT64_MIN};
    for (const Point& point : given) {
      hull = {std::min(hull.lower, point[0]), std::max(hull.upper, point[0])};
    }
    EXPECT_EQ(NarrowedBounds(), hull) << text_;
    for (size_t i = 0; i < domain_.constraints.size(); ++i) {
      llvm::SmallVector<Constraint, 2> others = domain_.constraints;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(Kept(others), given) << text_ << " implies constraint " << i;
    }
  }

 private:
  int64_t Number(int64_t lower, int64_t upper) {
    return lower + static_cast<int64_t>(random_() % static_cast<uint64_t>(upper - lower + 1));
  }

  // Of all leaves or of both functions, so that the constraints hang together.
  void AddSum() {
    Sum sum = Number(0, 2) == 0 ? Constant(0) : leaves_[0];
    for (size_t i = 1; i < leaves_.size(); ++i) {
      sum = Add(context_, sum, Scale(context_, leaves_[i], Number(0, 1) == 0 ? 1 : -1));
    }
    AddConstraint(sum);
  }

  // As the simplifier has them: no constant, and some value is outside the bounds.
  void AddConstraint(const Sum& sum) {
    const Interval range = NaturalRange(sum.terms, 0);
    const int64_t lower = Number(range.lower, range.upper);
    Interval bounds = {lower, Number(lower, range.upper)};
    if (bounds.Contains(range)) ++bounds.lower;
    constraints_.push_back({{sum.terms, 0}, bounds});
    text_ += "{";
    for (const Term& term : sum.terms) {
      text_ += std::to_string(term.coefficient) + "*" + Name(*term.atom) + " ";
    }
    text_ += "in " + std::to_string(bounds.lower) + ".." + std::to_string(bounds.upper) + "} ";
  }

  std::string Name(const Atom& atom) const {
    const size_t i = IndexOf(atom);
    return "x" + std::to_string(i) + "[0.." + std::to_string(boxes_[i].upper - boxes_[i].lower) +
           "]";
  }

  static size_t IndexOf(const Atom& atom) {
    return atom.kind == AtomKind::kVariable ? 0 : atom.variable;
  }

  std::vector<Point> AllPoints() const {
    std::vector<Point> points;
    for (int64_t x = boxes_[0].lower; x <= boxes_[0].upper; ++x) {
      for (int64_t y = boxes_[1].lower; y <= boxes_[1].upper; ++y) {
        for (int64_t z = boxes_[2].lower; z <= boxes_[2].upper; ++z) points.push_back({x, y, z});
      }
    }
    return points;
  }

  static bool Meets(const Point& point, llvm::ArrayRef<Constraint> constraints) {
    return llvm::all_of(constraints, [&](const Constraint& constraint) {
      const auto value = Evaluate(constraint.expression, [&](const Atom& atom) {
        return std::optional<int64_t>(point[IndexOf(atom)]);
      });
      return constraint.bounds.Contains(*value);
    });
  }

  Interval NarrowedBounds() const {
    return domain_.narrowed.empty() ? boxes_[0] : domain_.narrowed.front().second;
  }

  // The points within the narrowed bounds that meet the constraints.
  std::vector<Point> Kept(llvm::ArrayRef<Constraint> constraints) const {
    std::vector<Point> kept;
    for (const Point& point : AllPoints()) {
      if (NarrowedBounds().Contains(point[0]) && Meets(point, constraints)) kept.push_back(point);
    }
    return kept;
  }

  std::mt19937& random_;
  DigitContext context_;
  std::array<Interval, 3> boxes_;
  std::array<Sum, 3> leaves_;
  std::vector<Constraint> constraints_;
  std::string text_;
  SmallDomain domain_;
};

TEST(SmallDomain, SamePointsTightBoundsAndNothingImplied) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Case(random).Check();
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace hlo_indexing::simplifier
