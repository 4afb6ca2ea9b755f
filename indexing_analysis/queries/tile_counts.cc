// How many elements tiles need: of one tile at most, and of all together.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "indexing_analysis/queries/strided_boxes.h"
#include "indexing_analysis/queries/tile_cuts.h"
#include "indexing_analysis/queries/tile_needs.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using llvm::DynamicAPInt;

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
  for (const TileRegion& region : regions) needs.Add(region, kBitsOfByte, /*array=*/0);
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

}  // namespace hlo_indexing::indexing_analysis
