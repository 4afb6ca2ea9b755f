#include "layout/tiling.h"

#include "layout/row_major.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

// Puts ones before the bounds until the tile has no more dimensions, then joins dimensions under an
// asterisk. False if a joined size does not fit.
bool Combine(llvm::ArrayRef<int64_t> bounds, const Tile& tile, TilingLevel& level) {
  const size_t tile_rank = tile.dimensions.size();
  level.num_leading_ones = tile_rank > bounds.size() ? tile_rank - bounds.size() : 0;
  level.before.assign(level.num_leading_ones, 1);
  level.before.append(bounds.begin(), bounds.end());
  const size_t start = level.before.size() - tile_rank;
  level.combined.assign(level.before.begin(), level.before.begin() + start);
  level.group_sizes.assign(start, 1);
  int64_t size = 1;
  size_t group_size = 0;
  for (size_t i = 0; i < tile_rank; ++i) {
    const std::optional<int64_t> joined = support::CheckedMul(size, level.before[start + i]);
    if (!joined) return false;
    size = *joined;
    ++group_size;
    if (tile.dimensions[i] == kCombineDimension) continue;
    level.combined.push_back(size);
    level.group_sizes.push_back(group_size);
    level.tile.push_back(tile.dimensions[i]);
    size = 1;
    group_size = 0;
  }
  return true;
}

// Pads, reshapes and transposes the combined bounds. False if a size does not fit.
bool Cut(TilingLevel& level) {
  const size_t untiled = level.num_untiled();
  level.padded.assign(level.combined.begin(), level.combined.begin() + untiled);
  level.reshaped = level.padded;
  level.after = level.padded;
  for (size_t i = 0; i < untiled; ++i) level.permutation.push_back(i);
  for (size_t i = 0; i < level.tile.size(); ++i) {
    const int64_t num_tiles = support::CeilDiv(level.combined[untiled + i], level.tile[i]);
    const std::optional<int64_t> padded = support::CheckedMul(num_tiles, level.tile[i]);
    if (!padded) return false;
    level.padded.push_back(*padded);
    level.reshaped.push_back(num_tiles);
    level.reshaped.push_back(level.tile[i]);
    level.after.push_back(num_tiles);
    level.permutation.push_back(untiled + 2 * i);
  }
  for (size_t i = 0; i < level.tile.size(); ++i) level.permutation.push_back(untiled + 2 * i + 1);
  level.after.append(level.tile.begin(), level.tile.end());
  return Product(level.after).has_value();
}

}  // namespace

Bounds PhysicalOrder(llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  Bounds bounds;
  for (const int64_t dimension : llvm::reverse(layout.minor_to_major)) {
    bounds.push_back(dimensions[static_cast<size_t>(dimension)]);
  }
  return bounds;
}

std::optional<llvm::SmallVector<TilingLevel, 2>> TilingLevels(llvm::ArrayRef<int64_t> dimensions,
                                                              const Layout& layout) {
  llvm::SmallVector<TilingLevel, 2> levels;
  Bounds bounds = PhysicalOrder(dimensions, layout);
  if (!Product(bounds)) return std::nullopt;
  for (const Tile& tile : layout.tiles) {
    TilingLevel& level = levels.emplace_back();
    if (!Combine(bounds, tile, level) || !Cut(level)) return std::nullopt;
    bounds = level.after;
  }
  return levels;
}

}  // namespace hlo_indexing::layout
