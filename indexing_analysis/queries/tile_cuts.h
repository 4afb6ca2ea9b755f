// Which elements of a dimension of an array the bounds of a region leave in each tile. Private to
// the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_CUTS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_CUTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "indexing_analysis/queries/strided_boxes.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// Of a dimension of the array, which of its elements in a tile are within bounds. The first of a
/// tile has the place step * (number of the tile in dimension `of`) + start.
struct Cut {
  struct Start {
    size_t of = 0;
    int64_t step = 0;
    int64_t start = 0;
  };
  Start start;
  Interval inside = Interval::All();

  bool IsOfAllTiles() const { return start.step == 0; }
  /// How many elements of a side are within bounds, for all tiles of a progression together.
  llvm::DynamicAPInt Count(const Progression& tiles, const Progression& side) const;
};

/// The cuts of each dimension of the array; nullopt where they depend on more than one dimension of
/// the tiles, or two on the same one.
std::optional<llvm::SmallVector<std::optional<Cut>, 4>> CutsOf(const TileRegion& region);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_CUTS_H_
