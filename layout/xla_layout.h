// XLA layouts: how an array's elements are ordered in memory, as `{1,0:T(8,128)(2,1)S(1)}` says it.
#ifndef HLO_INDEXING_LAYOUT_XLA_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_XLA_LAYOUT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "support/diagnostics.h"

namespace hlo_indexing::layout {

/// A tile dimension that combines its dimension with the next more minor one; written `*`.
inline constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

/// The most that the number of tiles, times the dimensions of the array and all tiles together, may
/// be: every tile sees the dimensions that those before it leave.
inline constexpr size_t kMaxTiledDimensions = size_t{1} << 14;

/// The sizes of one level of tiling, major to minor; it covers the most minor physical dimensions.
struct Tile {
  llvm::SmallVector<int64_t, 2> dimensions;

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// `SC(dimension:index,...)`: a dimension is split between memories at the indices.
struct SplitConfig {
  int64_t dimension = 0;
  llvm::SmallVector<int64_t, 2> indices;

  friend bool operator==(const SplitConfig&, const SplitConfig&) = default;
};

/// A layout as XLA's `Layout` has it. A default-constructed value is the layout of a scalar.
struct Layout {
  /// The logical dimensions from fastest to slowest varying.
  llvm::SmallVector<int64_t, 6> minor_to_major;
  /// Tilings, applied one after the other.
  llvm::SmallVector<Tile, 0> tiles;
  /// `D(...)`: level types of sparse arrays, kept as text.
  std::string dimension_level_types;
  /// `L(n)`: the number of elements is padded to a multiple of n.
  int64_t tail_padding_alignment = 1;
  /// `#(type)` and `*(type)`: unsigned element types of the index and pointer arrays of sparse
  /// arrays.
  std::string index_type;
  std::string pointer_type;
  /// `E(bits)`: the size of an element in memory; 0 stands for that of its type.
  int64_t element_size_in_bits = 0;
  /// `S(n)`: the memory space.
  int64_t memory_space = 0;
  llvm::SmallVector<SplitConfig, 0> split_configs;
  /// `P(shape)`: the physical shape of sparse arrays, kept as text.
  std::string physical_shape;
  /// `M(bytes)`: the size of the prefix that holds dynamic dimension sizes.
  int64_t dynamic_shape_metadata_prefix_bytes = 0;

  /// Whether nothing but minor_to_major is set.
  bool HasOnlyOrder() const;
  /// Whether this is the order `{rank-1,...,1,0}` and nothing else.
  bool IsDefault() const;
  /// `{1,0:T(8,128)(2,1)E(4)S(1)}`; parses back to an equal layout.
  std::string ToString() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The row-major layout of an array: `{rank-1,...,1,0}`.
Layout DefaultLayout(int64_t rank);

/// Parses a layout with its braces from the start of `text`, blanks allowed between tokens. Returns
/// its length in bytes, or fills `error`.
/// Example: "{1,0:T(2,2)} x" -> 12
std::optional<size_t> ParseLayoutPrefix(llvm::StringRef text, Layout& layout,
                                        support::TextError& error);

/// The same for an array of that rank; a layout that is not valid for it (FindLayoutError) is an
/// error at the part that is wrong.
/// Example: "{1,1}", 2 -> error at offset 3
std::optional<size_t> ParseLayoutPrefix(llvm::StringRef text, int64_t rank, Layout& layout,
                                        support::TextError& error);

/// Parses a text that is one layout, braces included.
/// Example: "{0,1}"
absl::StatusOr<Layout> ParseLayout(llvm::StringRef text);

/// What is wrong with the layout for an array of that rank: minor_to_major is not a permutation, a
/// tile is empty or has a size below 1, `*` stands at a tile's end, there are too many tiles, a
/// number has no meaning, or a dense array has a physical shape. Nullopt if the layout is valid.
std::optional<std::string> FindLayoutError(const Layout& layout, int64_t rank);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_XLA_LAYOUT_H_
