// What a tile needs of several arrays together, at most. Private to the folder.
//
// Example: concatenate(p, q, s) of 3, 3 and 2 elements, in tiles of 4: the first needs 3 of p and 1
// of q, the second 2 of q and 2 of s. No tile needs more than 4, though q alone has 3 and no tile
// needs p and s.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_NEEDS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_NEEDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "indexing_analysis/queries/strided_boxes.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace hlo_indexing::indexing_analysis {

class TileNeeds {
 public:
  /// What its tiles need of an array, which has a number and elements of so many bits. The region
  /// stays the caller's. Elements that two regions of an array share count twice, but in
  /// `Least...`.
  void Add(const TileRegion& region, int64_t element_bits, size_t array);

  /// Bytes. Each element is counted in its tile, and regions of other devices (`replica`) apart,
  /// if that costs at most `work` elements, which is taken off; else regions that share tiles are
  /// added up, whatever their bounds cut.
  llvm::DynamicAPInt MostOfOneTile(int64_t& work) const;
  /// Bytes that some tile does need: the most of a few tiles that are tried, of each array that of
  /// the largest region.
  llvm::DynamicAPInt LeastOfLargestTile() const;
  /// Bytes of all tiles of the device that needs most, where elements that two tiles need count
  /// twice.
  llvm::DynamicAPInt OfAllTiles() const;

 private:
  struct Need {
    const TileRegion* region = nullptr;
    // Its tiles, then its devices.
    StridedBox tiles;
    int64_t element_bits = 0;
    size_t array = 0;
  };

  std::optional<llvm::DynamicAPInt> CountTileByTile(int64_t& work) const;
  llvm::DynamicAPInt LeastOfTile(llvm::ArrayRef<int64_t> tile) const;
  llvm::DynamicAPInt MostOfPairs(llvm::ArrayRef<llvm::DynamicAPInt> bytes) const;
  llvm::DynamicAPInt MostAlong(size_t side, llvm::ArrayRef<llvm::DynamicAPInt> bytes) const;

  std::vector<Need> needs_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_NEEDS_H_
