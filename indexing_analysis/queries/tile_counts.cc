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
#include "indexing_analysis/queries/tile_needs.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineMap.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;

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

DynamicAPInt TileOfArray::MostElements() const {
  constexpr int64_t kBitsOfByte = 8;
  int64_t work = int64_t{1} << 16;
  TileNeeds needs;
  for (const TileRegion& region : regions) needs.Add(region, kBitsOfByte);
  return needs.MostOfOneTile(work);
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

namespace {

// Whether the same tiles may be in both.
bool Overlap(const StridedBox& a, const StridedBox& b) {
  for (size_t i = 0; i < a.sides.size(); ++i) {
    if (!Intersect(a.sides[i], b.sides[i]).has_value()) return false;
  }
  return true;
}

// The devices whose tiles are in the domain.
Progression DevicesOf(const IndexingMap& offset) {
  Interval devices = {0, int64_t{1} << 40};
  for (size_t i = 0; i < offset.num_runtime(); ++i) {
    const RuntimeVariable& variable = offset.runtime()[i];
    if (variable.instruction != nullptr || variable.name != "replica") continue;
    devices = devices.Intersect(variable.bounds);
    const mlir::AffineExpr device =
        mlir::getAffineSymbolExpr(static_cast<unsigned>(offset.num_ranges() + i), offset.context());
    for (const MapConstraint& constraint : offset.constraints()) {
      if (constraint.expression == device) devices = devices.Intersect(constraint.bounds);
    }
  }
  if (devices.IsEmpty()) return {.offset = 0, .size = 1, .stride = 1};
  return {.offset = devices.lower, .size = devices.upper - devices.lower + 1, .stride = 1};
}

DynamicAPInt BytesOf(const DynamicAPInt& elements, int64_t bits) {
  return (elements * DynamicAPInt(bits) + DynamicAPInt(7)) / DynamicAPInt(8);
}

// The elements of a tile of the region that its bounds leave.
DynamicAPInt ElementsOfTile(const TileRegion& region, llvm::ArrayRef<std::optional<Cut>> cuts,
                            llvm::ArrayRef<int64_t> tile) {
  DynamicAPInt count(0);
  for (const StridedBox& box : region.boxes) {
    DynamicAPInt product(1);
    for (size_t i = 0; i < box.sides.size(); ++i) {
      const std::optional<Cut>& cut = cuts[i];
      product *=
          cut.has_value()
              ? cut->Count({.offset = tile[cut->start.of], .size = 1, .stride = 1}, box.sides[i])
              : DynamicAPInt(box.sides[i].size);
    }
    count += product;
  }
  return count;
}

// Calls `visit` with each point of the box.
void ForEachPoint(const StridedBox& box, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t, 6> point;
  for (const Progression& side : box.sides) point.push_back(side.offset);
  while (true) {
    visit(point);
    size_t i = box.sides.size();
    while (i > 0) {
      const Progression& side = box.sides[--i];
      point[i] += side.stride;
      if (point[i] < side.offset + side.size * side.stride) break;
      point[i] = side.offset;
      if (i == 0) return;
    }
    if (box.sides.empty()) return;
  }
}

}  // namespace

void TileNeeds::Add(const TileRegion& region, int64_t element_bits) {
  std::optional<StridedBox> tiles = region.TilesInDomain();
  if (!tiles.has_value()) return;
  tiles->sides.push_back(region.offset.IsUnknown() ? Progression{0, int64_t{1} << 40, 1}
                                                   : DevicesOf(region.offset));
  needs_.push_back({&region, *std::move(tiles), element_bits});
}

std::optional<DynamicAPInt> TileNeeds::CountTileByTile(int64_t& work) const {
  constexpr int64_t kMostTiles = int64_t{1} << 16;
  // One device stands for all that the regions do not tell apart.
  int64_t devices = 1;
  std::optional<int64_t> all = 1;
  llvm::SmallVector<int64_t, 6> counts;
  for (const Need& need : needs_) {
    counts.resize(std::max(counts.size(), need.tiles.sides.size()), 1);
    for (size_t i = 0; i < need.tiles.sides.size(); ++i) {
      const Progression& side = need.tiles.sides[i];
      const int64_t end = side.offset + (side.size - 1) * side.stride + 1;
      if (i + 1 == need.tiles.sides.size() && end > kMostTiles) continue;
      counts[i] = std::max(counts[i], end);
    }
  }
  if (!counts.empty()) devices = counts.back();
  for (const int64_t count : counts) {
    all = all.has_value() ? support::CheckedMul(*all, count) : std::nullopt;
  }
  if (!all.has_value() || *all > kMostTiles) return std::nullopt;
  std::vector<StridedBox> boxes;
  for (const Need& need : needs_) {
    StridedBox& box = boxes.emplace_back(need.tiles);
    Progression& of_devices = box.sides.back();
    of_devices.size = std::min(of_devices.size, devices - of_devices.offset);
    int64_t points = 1;
    for (const Progression& side : box.sides) points *= side.size;
    work -= points;
    if (work < 0) return std::nullopt;
  }
  std::vector<DynamicAPInt> bytes(static_cast<size_t>(*all), DynamicAPInt(0));
  for (size_t i = 0; i < needs_.size(); ++i) {
    const TileRegion& region = *needs_[i].region;
    const auto cuts = region.bounds.empty() ? std::nullopt : CutsOf(region);
    const DynamicAPInt most = BytesOf(region.MostElements(), needs_[i].element_bits);
    ForEachPoint(boxes[i], [&](llvm::ArrayRef<int64_t> tile) {
      size_t number = 0;
      for (size_t k = 0; k < tile.size(); ++k) {
        number = number * static_cast<size_t>(counts[k]) + static_cast<size_t>(tile[k]);
      }
      bytes[number] += cuts.has_value()
                           ? BytesOf(ElementsOfTile(region, *cuts, tile), needs_[i].element_bits)
                           : most;
    });
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

DynamicAPInt TileNeeds::MostOfPairs(llvm::ArrayRef<DynamicAPInt> bytes) const {
  DynamicAPInt most(0);
  for (const Need& need : needs_) {
    DynamicAPInt count(0);
    for (size_t i = 0; i < needs_.size(); ++i) {
      if (Overlap(need.tiles, needs_[i].tiles)) count += bytes[i];
    }
    most = std::max(most, count);
  }
  return most;
}

// The most where regions share a number along one side, whether or not they share tiles.
DynamicAPInt TileNeeds::MostAlong(size_t side, llvm::ArrayRef<DynamicAPInt> bytes) const {
  // What begins and what ends at a number; of one number, ends come after it.
  std::vector<std::pair<int64_t, DynamicAPInt>> changes;
  for (size_t i = 0; i < needs_.size(); ++i) {
    const Progression& numbers = needs_[i].tiles.sides[side];
    changes.emplace_back(numbers.offset, bytes[i]);
    changes.emplace_back(numbers.offset + (numbers.size - 1) * numbers.stride + 1, -bytes[i]);
  }
  llvm::sort(changes);
  DynamicAPInt most(0);
  DynamicAPInt here(0);
  for (size_t i = 0; i < changes.size(); ++i) {
    here += changes[i].second;
    const bool is_last = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
    if (is_last) most = std::max(most, here);
  }
  return most;
}

DynamicAPInt TileNeeds::MostOfOneTile(int64_t& work) const {
  constexpr size_t kMostPairs = 64;
  if (needs_.empty()) return DynamicAPInt(0);
  if (std::optional<DynamicAPInt> counted = CountTileByTile(work)) return *counted;
  std::vector<DynamicAPInt> bytes;
  for (const Need& need : needs_) {
    bytes.push_back(BytesOf(need.region->MostElements(), need.element_bits));
  }
  if (needs_.size() <= kMostPairs) return MostOfPairs(bytes);
  DynamicAPInt most = MostAlong(0, bytes);
  for (size_t side = 1; side < needs_.front().tiles.sides.size(); ++side) {
    most = std::min(most, MostAlong(side, bytes));
  }
  return most;
}

DynamicAPInt TileNeeds::OfAllTiles() const {
  if (needs_.empty()) return DynamicAPInt(0);
  std::vector<DynamicAPInt> bytes;
  for (const Need& need : needs_) {
    bytes.push_back(BytesOf(need.region->ElementsOfAllTiles(), need.element_bits));
  }
  return MostAlong(needs_.front().tiles.sides.size() - 1, bytes);
}

}  // namespace hlo_indexing::indexing_analysis
