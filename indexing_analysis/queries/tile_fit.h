// Which tile sizes of an output fit a memory, such as the shared memory of a block, and move least.
//
// Example: r = f32[4096,4096] dot(a, b) of two square arrays. In tiles of 64 x 64 each block needs
// 64 rows of a and 64 columns of b: 2 MiB, which no shared memory holds; 1 x 1 needs 32 KiB, and
// each row of a 4,096 times.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

struct TileFitOptions {
  /// Of hundreds of tile sizes, those that are hard to say are of no use.
  TileOptions tiles = {
      .max_regions = 16, .max_boxes = 16, .max_work = int64_t{1} << 14, .needs_exact = true};
  /// The most tile sizes that are tried: powers of two and the whole dimension, coarser powers if
  /// there are more. Fewer for arrays of more than 8 dimensions, by the cube of their number, and
  /// for more than 16 maps: so long it takes to say what a tile of them needs.
  size_t max_candidates = 1024;
};

/// Tile sizes for which everything that a tile needs is known exactly and fits.
struct TileFit {
  llvm::SmallVector<int64_t, 4> tile_sizes;
  llvm::DynamicAPInt num_tiles;
  /// Of the output's tile and all that it needs of operands, at most, in bytes as in memory: what
  /// several regions of an array have counts in each, but an operand that comes twice, with the
  /// same maps, counts once.
  llvm::DynamicAPInt bytes_per_tile;
  /// All tiles together: what two tiles need counts twice.
  llvm::DynamicAPInt bytes_of_all_tiles;
  /// Whether every row of every tile, along the dimension that is minor-most in memory, begins at a
  /// multiple of 32 bytes, one sector, and is whole sectors or the whole dimension. Regions
  /// of a single element are aligned. Not known, so false, of arrays in tiled layouts.
  bool is_aligned = false;

  /// Writes `8x32: 64 tiles of 3072 bytes, 196608 bytes in all, aligned`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

struct TileFits {
  /// Aligned ones first, then those that move fewer bytes, then those of fewer tiles.
  std::vector<TileFit> fits;
  /// Tile sizes that were tried.
  size_t num_candidates = 0;
  /// Those of which it is not known whether they fit, and why it is not of the first.
  size_t num_unknown = 0;
  std::string unknown_reason;
  /// Why there is none that is known to fit; empty if there are some.
  std::string reason;
};

/// The tile sizes that fit `capacity` bytes, for an output array of an instruction and its maps
/// from output to input.
TileFits FitTiles(const OutputIndexing& indexing, const hlo::Instruction& instruction,
                  int64_t output_leaf, int64_t capacity, const TileFitOptions& options = {});

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_H_
