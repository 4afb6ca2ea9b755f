#include "indexing_analysis/queries/strided_boxes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "simplifier/domain/congruence.h"
#include "simplifier/interval.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using simplifier::Congruence;
using simplifier::Interval;

constexpr size_t kMaxJoined = 1000;

int64_t Last(const Progression& side) { return side.offset + side.stride * (side.size - 1); }

// The numbers of a progression from number `begin` to before number `end`.
std::optional<Progression> Part(const Progression& whole, int64_t begin, int64_t end) {
  if (begin >= end) return std::nullopt;
  const int64_t size = end - begin;
  return Progression{whole.offset + whole.stride * begin, size, size == 1 ? 1 : whole.stride};
}

// What is left of `whole` without `part`, which lies in it; false if that is too much.
bool Remove(const Progression& whole, const Progression& part, size_t max_pieces,
            llvm::SmallVectorImpl<Progression>& pieces) {
  const int64_t first = (part.offset - whole.offset) / whole.stride;
  const int64_t last = (Last(part) - whole.offset) / whole.stride;
  const int64_t step = part.size == 1 ? 1 : part.stride / whole.stride;
  if (step > static_cast<int64_t>(max_pieces)) return false;
  const auto add = [&](std::optional<Progression> piece) {
    if (piece.has_value()) pieces.push_back(*piece);
  };
  add(Part(whole, 0, first));
  // The residues in between.
  for (int64_t i = 1; i < step; ++i) {
    const int64_t size = part.size - 1;
    pieces.push_back(
        {whole.offset + whole.stride * (first + i), size, size == 1 ? 1 : part.stride});
  }
  add(Part(whole, last + 1, whole.size));
  return true;
}

// One progression with the numbers of two that share none.
std::optional<Progression> Together(const Progression& a, const Progression& b) {
  if (a.offset > b.offset) return Together(b, a);
  const int64_t size = a.size + b.size;
  if (size == 2) return Progression{a.offset, 2, b.offset - a.offset};
  // Behind each other.
  const int64_t stride = a.size > 1 ? a.stride : b.stride;
  if ((a.size == 1 || b.size == 1 || a.stride == b.stride) && b.offset == Last(a) + stride) {
    return Progression{a.offset, size, stride};
  }
  // Of two with the same stride, each in the gaps of the other.
  const bool interleave =
      a.size > 1 && b.offset - a.offset < a.stride && 2 * (b.offset - a.offset) == a.stride &&
      (b.size == 1 || a.stride == b.stride) && (a.size == b.size || a.size == b.size + 1);
  if (!interleave) return std::nullopt;
  return Progression{a.offset, size, b.offset - a.offset};
}

std::optional<StridedBox> Together(const StridedBox& a, const StridedBox& b) {
  std::optional<size_t> different;
  for (size_t i = 0; i < a.sides.size(); ++i) {
    if (a.sides[i] == b.sides[i]) continue;
    if (different.has_value()) return std::nullopt;
    different = i;
  }
  if (!different.has_value()) return std::nullopt;
  const std::optional<Progression> side = Together(a.sides[*different], b.sides[*different]);
  if (!side.has_value()) return std::nullopt;
  StridedBox joined = a;
  joined.sides[*different] = *side;
  return joined;
}

bool ComesBefore(const StridedBox& a, const StridedBox& b) {
  const auto key = [](const Progression& side) {
    return std::tuple(side.offset, side.stride, side.size);
  };
  return std::lexicographical_compare(
      a.sides.begin(), a.sides.end(), b.sides.begin(), b.sides.end(),
      [&](const Progression& x, const Progression& y) { return key(x) < key(y); });
}

// Puts what is left of `whole` behind `rest`. False if that is too much.
bool SubtractFrom(const StridedBox& whole, const StridedBox& box, size_t max_boxes,
                  std::vector<StridedBox>& rest) {
  StridedBox common = whole;
  for (size_t i = 0; i < whole.sides.size(); ++i) {
    const std::optional<Progression> side = Intersect(whole.sides[i], box.sides[i]);
    if (!side.has_value()) {
      rest.push_back(whole);
      return rest.size() <= max_boxes;
    }
    common.sides[i] = *side;
  }
  StridedBox left = whole;
  for (size_t i = 0; i < whole.sides.size(); ++i) {
    llvm::SmallVector<Progression, 8> pieces;
    if (!Remove(whole.sides[i], common.sides[i], max_boxes, pieces)) return false;
    for (const Progression& piece : pieces) {
      if (rest.size() == max_boxes) return false;
      left.sides[i] = piece;
      rest.push_back(left);
    }
    left.sides[i] = common.sides[i];
  }
  return true;
}

}  // namespace

std::optional<Progression> Intersect(const Progression& a, const Progression& b) {
  const Interval values = Interval{a.offset, Last(a)}.Intersect(Interval{b.offset, Last(b)});
  // Which numbers of `a` these are, by their places in it.
  const std::optional<Congruence> places = simplifier::SolveCongruence(
      a.stride, a.offset, b.stride, support::FloorMod(b.offset, b.stride));
  if (values.IsEmpty() || !places.has_value()) return std::nullopt;
  const Interval inside =
      simplifier::RoundInward({support::CeilDiv(values.lower - a.offset, a.stride),
                               support::FloorDiv(values.upper - a.offset, a.stride)},
                              *places);
  if (inside.IsEmpty()) return std::nullopt;
  const int64_t size = (inside.upper - inside.lower) / places->modulus + 1;
  return Progression{a.offset + a.stride * inside.lower, size,
                     size == 1 ? 1 : a.stride * places->modulus};
}

DynamicAPInt StridedBox::NumElements() const {
  DynamicAPInt count(1);
  for (const Progression& side : sides) count *= DynamicAPInt(side.size);
  return count;
}

void StridedBox::Print(llvm::raw_ostream& out) const {
  out << '[';
  for (size_t i = 0; i < sides.size(); ++i) {
    if (i != 0) out << ", ";
    out << sides[i].offset << ':' << Last(sides[i]) + 1;
    if (sides[i].stride != 1) out << ':' << sides[i].stride;
  }
  out << ']';
}

StridedBox WholeArray(llvm::ArrayRef<int64_t> sizes) {
  StridedBox box;
  for (const int64_t size : sizes) box.sides.push_back({0, size, 1});
  return box;
}

bool Subtract(const StridedBox& box, size_t max_boxes, std::vector<StridedBox>& boxes) {
  std::vector<StridedBox> rest;
  for (const StridedBox& whole : boxes) {
    if (!SubtractFrom(whole, box, max_boxes, rest)) return false;
  }
  boxes = std::move(rest);
  return true;
}

void Join(std::vector<StridedBox>& boxes) {
  bool has_changed = boxes.size() <= kMaxJoined;
  while (has_changed) {
    has_changed = false;
    for (size_t i = 0; i < boxes.size(); ++i) {
      for (size_t k = i + 1; k < boxes.size();) {
        std::optional<StridedBox> joined = Together(boxes[i], boxes[k]);
        if (!joined.has_value()) {
          ++k;
          continue;
        }
        boxes[i] = *std::move(joined);
        boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(k));
        has_changed = true;
      }
    }
  }
  llvm::sort(boxes, ComesBefore);
}

DynamicAPInt NumElements(llvm::ArrayRef<StridedBox> boxes) {
  DynamicAPInt count(0);
  for (const StridedBox& box : boxes) count += box.NumElements();
  return count;
}

}  // namespace hlo_indexing::indexing_analysis
