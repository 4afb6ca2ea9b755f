// How many elements tiles need: of one tile at most, and of all together.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/linear_function.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineMap.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;

// Whether the same tiles may be in both.
bool Overlap(const StridedBox& a, const StridedBox& b) {
  for (size_t i = 0; i < a.sides.size(); ++i) {
    if (!Intersect(a.sides[i], b.sides[i]).has_value()) return false;
  }
  return true;
}

// The sum of (a * i + b) floordiv m for i in [0, n); a, b >= 0, m >= 1. As the lattice points below
// a line are counted: quotients of a and b apart, then the line seen from the other axis.
DynamicAPInt FloorSum(DynamicAPInt n, DynamicAPInt m, DynamicAPInt a, DynamicAPInt b) {
  const DynamicAPInt zero(0);
  DynamicAPInt sum(0);
  while (n > zero) {
    sum += n * (n - DynamicAPInt(1)) / DynamicAPInt(2) * (a / m) + n * (b / m);
    a = a % m;
    b = b % m;
    const DynamicAPInt top = a * n + b;
    n = top / m;
    b = top % m;
    std::swap(m, a);
  }
  return sum;
}

// How many pairs of x in [0, n) and y in [0, m) have a * x + b * y <= most; n, m, b >= 1.
DynamicAPInt PairsUpTo(const DynamicAPInt& most, const DynamicAPInt& n, const DynamicAPInt& m,
                       DynamicAPInt a, const DynamicAPInt& b) {
  const DynamicAPInt zero(0);
  const DynamicAPInt one(1);
  DynamicAPInt limit = most;
  if (a < zero) {
    // From the last x backwards.
    limit -= a * (n - one);
    a = -a;
  }
  if (limit < zero) return zero;
  // How many x have some y, and all of them.
  const auto number_of_x = [&](const DynamicAPInt& rest) {
    if (rest < zero) return zero;
    return a == zero ? n : std::min(n, rest / a + one);
  };
  const DynamicAPInt all = number_of_x(limit - b * (m - one));
  const DynamicAPInt some = number_of_x(limit);
  return all * m + some - all + FloorSum(some - all, b, a, limit - a * (some - one));
}

// step * (number of the tile in dimension `of`) + start
struct Start {
  size_t of = 0;
  int64_t step = 0;
  int64_t start = 0;
};

// The result of a map as such a start, if it is linear and depends on one dimension only.
std::optional<Start> StartOf(const IndexingMap& map) {
  LinearFunction function;
  const size_t num_dimensions = map.num_dimensions();
  function.coefficients.resize(num_dimensions + map.affine_map().getNumSymbols());
  if (!function.Add(map.affine_map().getResult(0), 1, num_dimensions)) return std::nullopt;
  Start result = {.of = 0, .step = 0, .start = function.constant};
  for (size_t i = 0; i < function.coefficients.size(); ++i) {
    if (function.coefficients[i] == 0) continue;
    if (result.step != 0 || i >= num_dimensions) return std::nullopt;
    result.of = i;
    result.step = function.coefficients[i];
  }
  return result;
}

// Of a dimension of the array, which of its elements in a tile are within bounds.
struct Cut {
  Start start;
  Interval inside = Interval::All();

  bool IsOfAllTiles() const { return start.step == 0; }
  // For all tiles of a progression together.
  DynamicAPInt Count(const Progression& tiles, const Progression& side) const {
    const DynamicAPInt step(start.step);
    const DynamicAPInt first =
        DynamicAPInt(start.start) + step * DynamicAPInt(tiles.offset) + DynamicAPInt(side.offset);
    const auto up_to = [&](const DynamicAPInt& most) {
      return PairsUpTo(most - first, DynamicAPInt(tiles.size), DynamicAPInt(side.size),
                       step * DynamicAPInt(tiles.stride), DynamicAPInt(side.stride));
    };
    DynamicAPInt count = inside.upper == Interval::kPlusInfinity
                             ? DynamicAPInt(tiles.size) * DynamicAPInt(side.size)
                             : up_to(DynamicAPInt(inside.upper));
    if (inside.lower != Interval::kMinusInfinity) count -= up_to(DynamicAPInt(inside.lower) - 1);
    return count;
  }
};

// The cuts of each dimension of the array; nullopt where they depend on more than one dimension of
// the tiles, or two on the same one.
std::optional<llvm::SmallVector<std::optional<Cut>, 4>> CutsOf(const TileRegion& region) {
  const mlir::AffineMap offset = region.offset.affine_map();
  llvm::SmallVector<std::optional<Cut>, 4> cuts(offset.getNumResults());
  for (const TileBound& bound : region.bounds) {
    const IndexingMap distance = Simplify(region.offset.WithResults(
        mlir::AffineMap::get(offset.getNumDims(), offset.getNumSymbols(),
                             offset.getResult(static_cast<unsigned>(bound.dimension)) -
                                 bound.shift.affine_map().getResult(0))));
    if (distance.IsKnownEmpty() || distance.IsUnknown()) return std::nullopt;
    const std::optional<Start> start = StartOf(distance);
    if (!start.has_value()) return std::nullopt;
    std::optional<Cut>& cut = cuts[bound.dimension];
    if (!cut.has_value()) {
      cut = Cut{.start = *start, .inside = bound.bounds};
    } else if (cut->start.of == start->of && cut->start.step == start->step) {
      const auto shift = support::CheckedSub(cut->start.start, start->start);
      if (!shift.has_value()) return std::nullopt;
      cut->inside = cut->inside.Intersect(bound.bounds + Interval::Point(*shift));
    } else {
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!cuts[i] || !cuts[j] || cuts[i]->IsOfAllTiles() || cuts[j]->IsOfAllTiles()) continue;
      if (cuts[i]->start.of == cuts[j]->start.of) return std::nullopt;
    }
  }
  return cuts;
}

}  // namespace

std::optional<StridedBox> TileRegion::TilesInDomain() const {
  if (offset.IsUnknown()) return tiles;
  if (offset.IsKnownEmpty()) return std::nullopt;
  StridedBox inside = tiles;
  for (size_t i = 0; i < tiles.sides.size() && i < offset.num_dimensions(); ++i) {
    const Interval domain = offset.dimensions()[i].bounds;
    Progression& side = inside.sides[i];
    const int64_t end = side.offset + (side.size - 1) * side.stride;
    if (domain.lower > end || domain.upper < side.offset) return std::nullopt;
    const int64_t first =
        support::CeilDiv(std::max(domain.lower, side.offset) - side.offset, side.stride);
    const int64_t last = (std::min(domain.upper, end) - side.offset) / side.stride;
    if (first > last) return std::nullopt;
    side.offset += first * side.stride;
    side.size = last - first + 1;
  }
  return inside;
}

DynamicAPInt MostOfOneTile(llvm::ArrayRef<std::pair<StridedBox, DynamicAPInt>> regions) {
  DynamicAPInt most(0);
  for (const auto& region : regions) {
    DynamicAPInt count(0);
    for (const auto& other : regions) {
      if (Overlap(region.first, other.first)) count += other.second;
    }
    most = std::max(most, count);
  }
  return most;
}

DynamicAPInt TileOfArray::MostElements() const {
  llvm::SmallVector<std::pair<StridedBox, DynamicAPInt>, 4> counts;
  for (const TileRegion& region : regions) {
    if (auto tiles = region.TilesInDomain()) counts.emplace_back(*tiles, region.MostElements());
  }
  return MostOfOneTile(counts);
}

DynamicAPInt TileRegion::ElementsOfAllTiles() const {
  const std::optional<StridedBox> all = TilesInDomain();
  if (!all.has_value()) return DynamicAPInt(0);
  const auto cuts = CutsOf(*this);
  if (!cuts.has_value()) return all->NumElements() * MostElements();
  DynamicAPInt count(0);
  for (const StridedBox& box : boxes) {
    // Each dimension of the tiles cuts one of the array, or none.
    StridedBox uncut = *all;
    DynamicAPInt product(1);
    for (size_t i = 0; i < box.sides.size(); ++i) {
      const std::optional<Cut>& cut = (*cuts)[i];
      const Progression one_tile = {.offset = 0, .size = 1, .stride = 1};
      if (!cut.has_value()) {
        product *= DynamicAPInt(box.sides[i].size);
      } else if (cut->IsOfAllTiles()) {
        product *= cut->Count(one_tile, box.sides[i]);
      } else {
        product *= cut->Count(std::exchange(uncut.sides[cut->start.of], one_tile), box.sides[i]);
      }
    }
    count += product * uncut.NumElements();
  }
  return count;
}

DynamicAPInt TileOfArray::ElementsOfAllTiles() const {
  DynamicAPInt count(0);
  for (const TileRegion& region : regions) count += region.ElementsOfAllTiles();
  return count;
}

}  // namespace hlo_indexing::indexing_analysis
