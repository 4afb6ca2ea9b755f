#include "indexing_analysis/queries/tile_needs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/tile_cuts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using llvm::DynamicAPInt;

namespace {

// Whether the same tiles may be in both.
bool Overlap(const StridedBox& a, const StridedBox& b) {
  for (size_t i = 0; i < a.sides.size(); ++i) {
    if (!Intersect(a.sides[i], b.sides[i]).has_value()) return false;
  }
  return true;
}

// As many as no module has: for those that a region does not tell apart.
constexpr int64_t kAllDevices = int64_t{1} << 40;

// The devices whose tiles are in the domain.
Progression DevicesOf(const IndexingMap& offset) {
  Interval devices = {0, kAllDevices};
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

void TileNeeds::Add(const TileRegion& region, int64_t element_bits, size_t array) {
  std::optional<StridedBox> tiles = region.TilesInDomain();
  if (!tiles.has_value()) return;
  tiles->sides.push_back(region.offset.IsUnknown() ? Progression{0, kAllDevices, 1}
                                                   : DevicesOf(region.offset));
  needs_.push_back({&region, *std::move(tiles), element_bits, array});
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
      int64_t end = side.offset + (side.size - 1) * side.stride + 1;
      const bool are_devices = i + 1 == need.tiles.sides.size();
      if (are_devices && end > kMostTiles) end = side.offset + 1;
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

// What may be cut off in a way that is not known does not count.
DynamicAPInt TileNeeds::LeastOfTile(llvm::ArrayRef<int64_t> tile) const {
  std::map<size_t, DynamicAPInt> of_arrays;
  for (const Need& need : needs_) {
    const TileRegion& region = *need.region;
    const bool has_it = llvm::all_of(llvm::zip_equal(tile, need.tiles.sides), [](const auto& pair) {
      const auto& [number, side] = pair;
      return Intersect({.offset = number, .size = 1, .stride = 1}, side).has_value();
    });
    if (!has_it || region.offset.IsUnknown() || !region.offset.constraints().empty()) continue;
    DynamicAPInt& of_array = of_arrays[need.array];
    if (region.bounds.empty()) {
      of_array = std::max(of_array, BytesOf(region.MostElements(), need.element_bits));
    } else if (const auto cuts = CutsOf(region)) {
      of_array =
          std::max(of_array, BytesOf(ElementsOfTile(region, *cuts, tile), need.element_bits));
    }
  }
  DynamicAPInt bytes(0);
  for (const auto& [array, of_array] : of_arrays) bytes += of_array;
  return bytes;
}

DynamicAPInt TileNeeds::LeastOfLargestTile() const {
  // The first and the middle tile of each of the first regions.
  constexpr size_t kMostTried = 8;
  DynamicAPInt least(0);
  for (const Need& need : llvm::ArrayRef(needs_).take_front(kMostTried)) {
    llvm::SmallVector<int64_t, 6> first;
    llvm::SmallVector<int64_t, 6> middle;
    for (const Progression& side : need.tiles.sides) {
      first.push_back(side.offset);
      middle.push_back(side.offset + side.size / 2 * side.stride);
    }
    least = std::max({least, LeastOfTile(first), LeastOfTile(middle)});
  }
  return least;
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
