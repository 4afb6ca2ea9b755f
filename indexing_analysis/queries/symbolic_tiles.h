// Tiles whose sizes are parameters: what a tile needs, for which sizes that is one box.
//
// Example: r = f32[1024] reshape(p) of p = f32[32,32], r[d0] = p[d0 floordiv 32, d0 mod 32]. A tile
// of t0 elements that begins at d0, a multiple of t0, needs one box of p in two cases:
//
//   t0 divides 32: 1 x t0 at (d0 floordiv 32, d0 mod 32)
//   32 divides t0: (t0 floordiv 32) x 32 at (d0 floordiv 32, d0 mod 32)
//
// How: the digits of a dimension cut its tiles at their boundaries. A tile size between two of
// these, a multiple of the lower and a divisor of the upper one, makes the digits below full, those
// above constant, and the one between partial; so what a result takes is a sum of progressions,
// and that is one if their strides nest.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SYMBOLIC_TILES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SYMBOLIC_TILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

/// What the size of the tile in a dimension must meet.
struct TileSizeCondition {
  enum class Kind : uint8_t { kMultipleOf, kDivides, kEquals };
  size_t dimension = 0;
  Kind kind = Kind::kEquals;
  int64_t number = 1;

  bool Holds(llvm::ArrayRef<int64_t> tile_sizes) const;
  /// Writes `32 divides t0`, `t0 divides 32` or `t0 = 32`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const TileSizeCondition&, const TileSizeCondition&) = default;
};

/// Sizes of tiles for which each tile needs one box.
struct SymbolicTile {
  /// All must hold. Sizes are at least 1 and at most those of the array.
  std::vector<TileSizeCondition> conditions;
  /// (first element of the tile)[tile sizes t0, t1, ...]{runtime values} -> where the box begins,
  /// then, of each dimension, its size.
  IndexingMap offset_and_size;
  /// Of each dimension.
  llvm::SmallVector<int64_t, 4> strides;
  /// Elements with indices outside of these do not count: those of tiles that the end of the array
  /// cuts.
  llvm::SmallVector<Interval, 4> bounds;

  bool Holds(llvm::ArrayRef<int64_t> tile_sizes) const;
  size_t rank() const { return strides.size(); }

  /// Writes `32 divides t0: (t0 floordiv 32)x32 at (d0 floordiv 32, d0 mod 32)`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// The cases that were found, the most general first. Each is right; sizes of no case may need one
/// box all the same.
struct SymbolicTiles {
  std::vector<SymbolicTile> cases;
  /// Why there is none; empty if there are some.
  std::string reason;

  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// What tiles of an array of sizes `sizes`, whatever their own sizes are, need by a map.
SymbolicTiles SymbolicTilesOfMap(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes);

/// The same for an operand, if it is read by one exact map.
SymbolicTiles SymbolicTilesOfOperand(const OperandIndexing& indexing,
                                     llvm::ArrayRef<int64_t> sizes);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_SYMBOLIC_TILES_H_
