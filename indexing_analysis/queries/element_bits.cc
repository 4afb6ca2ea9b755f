#include "indexing_analysis/queries/element_bits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/queries/position_sums.h"
#include "layout/row_major.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quasi_affine_map.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;

constexpr int64_t kBitsOfWord = 64;
// What trying a point costs, in words moved.
constexpr int64_t kWorkOfPoint = 16;
// Of the parts of an array that are looked at to tell which boxes are not reached.
constexpr int64_t kMaxParts = int64_t{1} << 20;

QuasiAffineMap ReadSimplified(DigitContext& context, const IndexingMap& map) {
  QuasiAffineMap f = ReadMap(context, map, RuntimeVariablesAs::kVariables);
  if (!f.empty) simplifier::Simplify(context, f);
  return f;
}

// Tells which boxes are not reached, from the outermost dimension: parts of the array with the same
// elements are the same node.
class UnreachedBoxes {
 public:
  UnreachedBoxes(const llvm::BitVector& bits, llvm::ArrayRef<int64_t> sizes) : bits_(bits) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 1) continue;
      dimensions_.push_back(i);
      sizes_.push_back(sizes[i]);
    }
    whole_ = WholeArray(sizes);
  }

  std::optional<std::vector<StridedBox>> Find(size_t max_boxes) {
    const std::optional<size_t> root = NodeOf(0, 0, static_cast<int64_t>(bits_.size()));
    if (!root.has_value() || !Expand(*root, 0, whole_, max_boxes)) return std::nullopt;
    Join(boxes_);
    return std::move(boxes_);
  }

 private:
  static constexpr size_t kReached = 0;
  static constexpr size_t kUnreached = 1;
  // Indices in a dimension, and the node that each of them has.
  struct Part {
    Progression indices;
    size_t node = 0;
  };
  using Node = std::vector<Part>;

  // Of `size` elements from `first`, which have the dimensions from `dimension`; nullopt if there
  // are too many parts. As deep as there are dimensions of two elements or more.
  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<size_t> NodeOf(size_t dimension, int64_t first, int64_t size) {
    if (++num_parts_ > kMaxParts) return std::nullopt;
    const auto begin = static_cast<unsigned>(first);
    const auto end = static_cast<unsigned>(first + size);
    if (bits_.find_first_unset_in(begin, end) < 0) return kReached;
    if (bits_.find_first_in(begin, end) < 0) return kUnreached;
    std::map<size_t, std::vector<int64_t>> indices_of_node;
    const int64_t size_of_part = size / sizes_[dimension];
    for (int64_t i = 0; i < sizes_[dimension]; ++i) {
      const std::optional<size_t> node =
          NodeOf(dimension + 1, first + i * size_of_part, size_of_part);
      if (!node.has_value()) return std::nullopt;
      if (*node != kReached) indices_of_node[*node].push_back(i);
    }
    std::vector<int64_t> key;
    Node parts;
    for (const auto& [node, indices] : indices_of_node) {
      for (const Progression& progression : ProgressionsOf(indices)) {
        parts.push_back({progression, node});
        key.insert(key.end(), {progression.offset, progression.size, progression.stride,
                               static_cast<int64_t>(node)});
      }
    }
    const auto [found, is_new] = known_.try_emplace(std::move(key), nodes_.size());
    if (is_new) nodes_.push_back(std::move(parts));
    return found->second;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  bool Expand(size_t node, size_t dimension, StridedBox box, size_t max_boxes) {
    if (node == kReached) return true;
    if (node == kUnreached) {
      boxes_.push_back(std::move(box));
      return boxes_.size() <= max_boxes;
    }
    return llvm::all_of(nodes_[node], [&](const Part& part) {
      box.sides[dimensions_[dimension]] = part.indices;
      return Expand(part.node, dimension + 1, box, max_boxes);
    });
  }

  const llvm::BitVector& bits_;
  // Those of more than one element.
  llvm::SmallVector<size_t, 8> dimensions_;
  llvm::SmallVector<int64_t, 8> sizes_;
  StridedBox whole_;
  int64_t num_parts_ = 0;
  std::map<std::vector<int64_t>, size_t> known_;
  // The first two have no parts.
  std::vector<Node> nodes_ = {{}, {}};
  std::vector<StridedBox> boxes_;
};

}  // namespace

ElementBits::ElementBits(llvm::ArrayRef<int64_t> sizes, int64_t max_work)
    : sizes_(sizes), remaining_work_(max_work) {
  int64_t size = 1;
  for (const int64_t extent : sizes) size *= extent;
  bits_.resize(static_cast<unsigned>(size));
}

bool ElementBits::Spend(int64_t work) {
  remaining_work_ -= std::min(work, remaining_work_);
  return remaining_work_ > 0;
}

bool ElementBits::Shift(int64_t distance, const llvm::BitVector& bits, llvm::BitVector& sum) {
  if (!Spend(bits.size() / kBitsOfWord + 1)) return false;
  llvm::BitVector shifted = bits;
  shifted <<= static_cast<unsigned>(distance);
  sum |= shifted;
  return true;
}

// Adds 0, step, ..., step * (count - 1), doubling what has been added.
bool ElementBits::AddSteps(int64_t step, int64_t count, llvm::BitVector& bits) {
  int64_t added = 1;
  while (added < count) {
    const int64_t next = std::min(added, count - added);
    if (!Shift(step * next, bits, bits)) return false;
    added += next;
  }
  return true;
}

// Adds the numbers of each of these.
bool ElementBits::AddNumbers(llvm::ArrayRef<Progression> numbers, llvm::BitVector& bits) {
  llvm::BitVector sum(bits.size());
  for (const Progression& progression : numbers) {
    llvm::BitVector part(bits.size());
    if (!Shift(progression.offset, bits, part)) return false;
    if (!AddSteps(progression.stride, progression.size, part)) return false;
    sum |= part;
  }
  bits = std::move(sum);
  return true;
}

// Sets the bits of these numbers.
bool ElementBits::SetNumbers(int64_t first, llvm::ArrayRef<Progression> numbers,
                             llvm::BitVector& bits) {
  for (const Progression& progression : numbers) {
    const int64_t begin = first + progression.offset;
    if (progression.stride == 1) {
      if (!Spend(1 + progression.size / kBitsOfWord)) return false;
      bits.set(static_cast<unsigned>(begin), static_cast<unsigned>(begin + progression.size));
      continue;
    }
    if (!Spend(progression.size)) return false;
    for (int64_t i = 0; i < progression.size; ++i) {
      bits.set(static_cast<unsigned>(begin + i * progression.stride));
    }
  }
  return true;
}

bool ElementBits::AddImage(const IndexingMap& map) {
  DigitContext context;
  const QuasiAffineMap f = ReadSimplified(context, map);
  if (f.empty) return true;
  const std::optional<Sum> position = layout::Linearize(context, f.results, sizes_);
  if (!position.has_value()) return false;
  std::optional<PositionSums> sums = PositionsOf(f, *position, remaining_work_ / kWorkOfPoint);
  if (!sums.has_value()) return false;
  if (sums->num_points == 0) return true;
  // Everything is counted from the smallest position.
  int64_t first = sums->constant;
  int64_t span = 0;
  const auto add_range = [&](int64_t lower, int64_t upper) {
    const auto start = support::CheckedAdd(first, lower);
    const auto width = support::CheckedSub(upper, lower);
    const auto whole = width.has_value() ? support::CheckedAdd(span, *width) : std::nullopt;
    if (!start.has_value() || !whole.has_value()) return false;
    first = *start;
    span = *whole;
    return true;
  };
  for (simplifier::Steps& steps : sums->steps) {
    const auto reach = support::CheckedMul(steps.step, steps.count - 1);
    const bool fits =
        reach.has_value() && add_range(std::min<int64_t>(*reach, 0), std::max<int64_t>(*reach, 0));
    if (!fits) return false;
    steps.step = std::max(steps.step, -steps.step);
  }
  for (std::vector<Progression>& group : sums->groups) {
    const int64_t lower = group.front().offset;
    int64_t upper = lower;
    for (Progression& progression : group) {
      upper = std::max(upper, progression.offset + progression.stride * (progression.size - 1));
      progression.offset -= lower;
    }
    if (!Spend(static_cast<int64_t>(group.size())) || !add_range(lower, upper)) return false;
    if (group.size() == 1) sums->steps.push_back({group.front().stride, group.front().size});
  }
  llvm::erase_if(sums->groups, [](const auto& group) { return group.size() == 1; });
  const auto end = support::CheckedAdd(first, span);
  if (first < 0 || !end.has_value() || *end >= static_cast<int64_t>(bits_.size())) return false;
  // The largest group only sets bits.
  llvm::sort(sums->groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  if (sums->groups.empty()) sums->groups.push_back({Progression{}});
  llvm::BitVector reached(bits_.size());
  if (!SetNumbers(first, sums->groups.front(), reached)) return false;
  for (const std::vector<Progression>& group : llvm::ArrayRef(sums->groups).drop_front()) {
    if (!AddNumbers(group, reached)) return false;
  }
  for (const simplifier::Steps& steps : sums->steps) {
    if (!AddSteps(steps.step, steps.count, reached)) return false;
  }
  bits_ |= reached;
  return true;
}

std::optional<DynamicAPInt> NumPointsOf(const IndexingMap& map, int64_t max_work) {
  DigitContext context;
  const QuasiAffineMap f = ReadSimplified(context, map);
  if (f.empty) return DynamicAPInt(0);
  const std::optional<PositionSums> sums =
      PositionsOf(f, simplifier::Constant(0), max_work / kWorkOfPoint);
  if (!sums.has_value()) return std::nullopt;
  return sums->num_points;
}

std::optional<std::vector<StridedBox>> ElementBits::Unreached(size_t max_boxes) const {
  if (bits_.empty()) return std::vector<StridedBox>();
  return UnreachedBoxes(bits_, sizes_).Find(max_boxes);
}

}  // namespace hlo_indexing::indexing_analysis
