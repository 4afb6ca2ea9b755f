#include "simplifier/domain/feasibility.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "simplifier/integer_system.h"
#include "simplifier/point_evaluator.h"

namespace hlo_indexing::simplifier {
namespace {

constexpr int kSamples = 64;
// How often a point is moved so that it meets more constraints.
constexpr int kRepairs = 3;

// A generator of numbers that are the same everywhere (Knuth's MMIX constants).
class PointSource {
 public:
  int64_t Next(Interval box) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto width = static_cast<uint64_t>(box.upper) - static_cast<uint64_t>(box.lower) + 1;
    const uint64_t offset = width == 0 ? state_ : (state_ >> 16) % width;
    return static_cast<int64_t>(static_cast<uint64_t>(box.lower) + offset);
  }

 private:
  uint64_t state_ = 1;
};

// Looks for a point that meets all constraints: most domains that constraints leave are wide.
class PointSearch {
 public:
  explicit PointSearch(const QuasiAffineMap& map)
      : map_(map), evaluator_(FindLeaves(), FindSums()), values_(map.constraints.size()) {}

  bool FindsPoint() {
    for (int i = 0; i < kSamples; ++i) {
      point_.clear();
      for (const Atom* leaf : leaves_) point_.push_back(source_.Next(RangeOf(*leaf)));
      for (int repair = 0; evaluator_.Evaluate(point_, values_); ++repair) {
        if (IsInside()) return true;
        if (repair == kRepairs || !Repair()) break;
      }
    }
    return false;
  }

 private:
  llvm::ArrayRef<const Atom*> FindLeaves() {
    llvm::SmallPtrSet<const Atom*, 16> seen;
    for (const Constraint& constraint : map_.constraints) {
      ForEachAtom(constraint.expression, seen, [&](const Atom& atom) {
        if (atom.IsLeaf()) leaves_.push_back(&atom);
      });
    }
    return leaves_;
  }

  llvm::SmallVector<Sum, 4> FindSums() const {
    llvm::SmallVector<Sum, 4> sums;
    for (const Constraint& constraint : map_.constraints) sums.push_back(constraint.expression);
    return sums;
  }

  Interval RangeOf(const Atom& leaf) const {
    return leaf.kind == AtomKind::kVariable ? map_.boxes[leaf.variable] : leaf.ValueRange();
  }

  bool IsInside() const {
    for (size_t k = 0; k < values_.size(); ++k) {
      if (!map_.constraints[k].bounds.Contains(values_[k])) return false;
    }
    return true;
  }

  // Moves a leaf of each constraint that fails so far that it holds. Whether the point has moved.
  bool Repair() {
    bool moved = false;
    for (size_t k = 0; k < values_.size(); ++k) {
      const Interval bounds = map_.constraints[k].bounds;
      if (bounds.Contains(values_[k])) continue;
      const int64_t nearest = values_[k] < bounds.lower ? bounds.lower : bounds.upper;
      const std::optional<int64_t> step = support::CheckedSub(nearest, values_[k]);
      for (const Term& term : map_.constraints[k].expression.terms) {
        if (step && MoveBy(*step, term)) {
          moved = true;
          break;
        }
      }
    }
    return moved;
  }

  // Changes the leaf of a term so that the term changes by `step`, if that is possible.
  bool MoveBy(int64_t step, const Term& term) {
    if (!term.atom->IsLeaf() || !term.IsWhole() || term.coefficient == support::kInt64Min ||
        step == support::kInt64Min || step % term.coefficient != 0) {
      return false;
    }
    const auto leaf = static_cast<size_t>(llvm::find(leaves_, term.atom) - leaves_.begin());
    const auto value = support::CheckedAdd(point_[leaf], step / term.coefficient);
    if (!value || !RangeOf(*term.atom).Contains(*value)) return false;
    point_[leaf] = *value;
    return true;
  }

  const QuasiAffineMap& map_;
  llvm::SmallVector<const Atom*, 8> leaves_;
  PointEvaluator evaluator_;
  PointSource source_;
  llvm::SmallVector<int64_t, 8> point_;
  llvm::SmallVector<int64_t, 4> values_;
};

}  // namespace

bool HasNoPoint(const QuasiAffineMap& map) {
  if (map.empty || map.constraints.size() < 2 || PointSearch(map).FindsPoint()) return false;
  IntegerSystem system(map.boxes, IntegerSystem::Effort::kQuick);
  for (const Constraint& constraint : map.constraints) {
    system.Add(constraint.expression, constraint.bounds);
  }
  return system.Solve().answer == Answer::kNo;
}

}  // namespace hlo_indexing::simplifier
