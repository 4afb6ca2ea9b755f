// The layouts that XLA uses on TPUs. Source: XLA's documents "Tiled layout" and "Tiled formats".
//
// A vector register of a TPU holds 8 x 128 words of 32 bits. Arrays are tiled so that a tile fills
// it: elements of less than 32 bits are packed, those of one word from rows next to each other.
#ifndef HLO_INDEXING_LAYOUT_TPU_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_TPU_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::layout {

/// Whether elements are booleans, of which only one bit is needed.
enum class ElementContent : uint8_t { kNumber, kBoolean };

/// One of the formats for an array.
struct TpuFormat {
  /// Example: "8x128", "2x128 compact second minor", "8x128 packed by 2", "untiled"
  std::string name;
  TiledLayout layout;
  /// Whether it is the one that the documents name for the array's dimensions and element size.
  bool is_usual = false;
};

/// The formats of an array whose elements take `element_bits` in memory, or what `E(bits)` of the
/// layout says: untiled, and for elements of 32, 16 and 8 bits tiles of 8 x 128, 4 x 128 and 2 x
/// 128 elements, packed by (2,1) or (4,1) below 32 bits, in tiles no smaller than a word is high;
/// for booleans also (32,128)(32,1) at one bit. The usual one has 2 rows if the second minor
/// dimension has a size of 1 or 2, 4 if it has 3 or 4, and 8 otherwise; an array of fewer than
/// two dimensions has one row. Elements of 4, 2 and 1 bits are packed by (8,1), (16,1) and (32,1)
/// in tiles of 8, 16 and 32 rows: the documents' rule carried on, so that none is usual. Elements
/// of other sizes have no tiled format. All of the layout but its tiles is kept: its order, E and
/// S.
/// Example: f32[3,200] -> untiled, 8x128, 4x128 (usual), 2x128
absl::StatusOr<std::vector<TpuFormat>> TpuFormats(llvm::ArrayRef<int64_t> dimensions,
                                                  int64_t element_bits, ElementContent content,
                                                  const Layout& layout);

/// The usual format; an error if the element size has none.
/// Example: bf16[100,200]{1,0} -> {1,0:T(8,128)(2,1)}
absl::StatusOr<TiledLayout> TpuLayout(llvm::ArrayRef<int64_t> dimensions, int64_t element_bits,
                                      llvm::ArrayRef<int64_t> minor_to_major);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_TPU_LAYOUT_H_
