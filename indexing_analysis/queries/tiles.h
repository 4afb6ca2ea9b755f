// Tiles: which part of the operands a tile of the output needs, for all tiles at once.
//
// Example: r = f32[64,32] reshape(p) of p = f32[2048], in tiles of 8 x 32. Tile (d0, 0) of r needs
// the 256 elements of p that begin at d0 * 256:
//
//   OperandTile tile = TileOfOperand(indexing, {64, 32}, {8, 32}, {2048});
//   tile.ToString()
//
// gives `exact: 256 at (d0 * 256), domain: d0 in [0, 7], d1 in [0, 0]`. In tiles of 8 x 24, the
// second of a row is cut at its end, and no box holds eight ends of rows: the 24 or 8 elements of
// each row are boxes of their own.
//
// How: the map from elements is composed with (tile, place in the tile) -> element. Where each
// result is a sum of what depends on the tile and what depends on the place in it, the first is the
// offset, and the image of the second, counted by reached_elements.h, the form of the tile. Where a
// division mixes both, as (d0 * 6 + i) floordiv 4 does, tiles repeat with a period, 2 there, and
// tiles are told apart by their residue.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/operand_array.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

struct TileOptions {
  /// How many kinds of tiles a map may have, of which each has a region of its own; beyond that the
  /// tile is a superset.
  size_t max_regions = 64;
  /// How many boxes a region may have; beyond that it is one box around them.
  size_t max_boxes = 64;
  /// What finding out which elements are reached may cost, as UtilizationOptions::max_work.
  int64_t max_work = int64_t{1} << 22;
  /// Whether a superset is of no use: then it may come without its regions.
  bool needs_exact = false;
};

/// Elements of a tile outside of bounds do not count:
/// bounds.lower <= index in `dimension` - shift(tile) <= bounds.upper.
struct TileBound {
  size_t dimension = 0;
  /// (tile index){runtime values} -> one result; the same variables as those of the offset.
  IndexingMap shift;
  Interval bounds;

  /// Writes `dimension 0 in [0, 99]`, or `dimension 0 in [d1 * 12, d1 * 12 + 11]`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// What some tiles need of an array.
struct TileRegion {
  /// Which tiles: in each dimension of the array that is tiled, a progression of numbers of tiles.
  StridedBox tiles;
  /// (tile index){runtime values} -> index of the array: what `boxes` are relative to. Tiles that
  /// are not in the domain need nothing.
  IndexingMap offset;
  /// The elements, relative to the offset. They share none; the least index in each dimension is 0.
  std::vector<StridedBox> boxes;
  /// All must be met.
  std::vector<TileBound> bounds;

  /// Elements of a tile that no bound cuts.
  llvm::DynamicAPInt MostElements() const { return NumElements(boxes); }
  /// Those of `tiles` that are within the bounds of the offset's dimensions, which may be more than
  /// are in its domain; nullopt if there are none.
  std::optional<StridedBox> TilesInDomain() const;
  /// At most so many in all tiles, where elements that two tiles need count twice. Bounds that cut
  /// a dimension of the array by one dimension of the tiles count exactly; constraints of the
  /// domain of `offset`, and other bounds, cut nothing.
  llvm::DynamicAPInt ElementsOfAllTiles() const;
  /// The indices that a tile needs, which must be one of `tiles`, for these values of the runtime
  /// variables of `offset`; nothing if it is not in the domain. nullopt if a number overflows.
  std::optional<std::vector<llvm::SmallVector<int64_t, 4>>> Elements(
      llvm::ArrayRef<int64_t> tile, llvm::ArrayRef<int64_t> runtime) const;

  /// Writes `8x32 at (d0 * 8, d1 * 32), domain: ...`; with several boxes, these as slices.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// What a tile needs of an array: the union of its regions.
struct TileOfArray {
  std::vector<TileRegion> regions;
  /// kSuperset: nothing else is needed, but perhaps less. kUnknown: nothing is known.
  Exactness exactness = Exactness::kExact;
  /// Why it is not exact; empty if it is.
  std::string reason;

  /// At most so many elements for one tile: those that regions share count in each.
  llvm::DynamicAPInt MostElements() const;
  /// At most so many in all tiles, where elements that two tiles need count twice.
  llvm::DynamicAPInt ElementsOfAllTiles() const;

  /// Writes `exact: ` and the region, or a line for each.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// The sizes of tiles for an array: the last of `tile_sizes` are those of its last dimensions, none
/// larger than the dimension; dimensions before have tiles of 1.
/// Example: {8, 32} for f32[4,100,20] -> {1, 8, 20}
llvm::SmallVector<int64_t, 4> TileSizesFor(llvm::ArrayRef<int64_t> tile_sizes,
                                           llvm::ArrayRef<int64_t> sizes);

/// How many tiles there are in each dimension; the last ones may be cut.
llvm::SmallVector<int64_t, 4> NumTiles(llvm::ArrayRef<int64_t> tile_sizes,
                                       llvm::ArrayRef<int64_t> sizes);

/// What tiles of an array of sizes `sizes` need by a map from its elements to those of an array of
/// sizes `result_sizes`. `tile_sizes` has a number of at least 1 for each dimension.
TileOfArray TileOfMap(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                      const TileOptions& options = {});

/// The same by several maps: the union. Exact unless one of them is a superset.
TileOfArray TileOfMaps(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                       const TileOptions& options = {});

/// The same for what an analysis says of an operand: from output to input, `sizes` are those of the
/// output; from input to output, those of the operand.
TileOfArray TileOfOperand(const OperandIndexing& indexing, llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                          const TileOptions& options = {});

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILES_H_
