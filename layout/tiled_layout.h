// An array in memory: its dimensions, the size of an element, and an XLA layout.
//
// Elements lie at positions, counted in elements from the start of the array. Positions of tiles
// that overrun the array, and of its tail, hold no element: they are padding.
#ifndef HLO_INDEXING_LAYOUT_TILED_LAYOUT_H_
#define HLO_INDEXING_LAYOUT_TILED_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layout/bounded_affine_map.h"
#include "layout/tiling.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"
#include "simplifier/quotient_program.h"

namespace hlo_indexing::layout {

/// A step of the way from an array to its memory, with the shape that it leaves.
struct LayoutStep {
  enum class Kind : uint8_t { kArray, kTranspose, kCombine, kPad, kReshape, kPadTail };
  Kind kind = Kind::kArray;
  /// kTranspose: the dimension of the shape before that comes first, second, ...
  llvm::SmallVector<int64_t, 8> permutation;
  Bounds shape;
  /// The tile that the step belongs to, by number; nullopt before and behind all tilings.
  std::optional<size_t> tile;
};

/// Where the elements of an array lie. Every position, offset and size fits in 64 bits, in bits.
class TiledLayout {
 public:
  /// An error if the layout is not valid for the dimensions, `element_bits` is below 1, or a size
  /// in bits does not fit in 64 bits. If the layout has E(bits), these count.
  static absl::StatusOr<TiledLayout> Create(llvm::ArrayRef<int64_t> dimensions,
                                            int64_t element_bits, Layout layout);

  llvm::ArrayRef<int64_t> dimensions() const { return dimensions_; }
  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  const Layout& layout() const { return layout_; }
  /// Bits from one element to the next.
  int64_t element_bits() const { return element_bits_; }
  /// What each tile does, outermost first.
  llvm::ArrayRef<TilingLevel> levels() const { return levels_; }

  /// The number of elements.
  /// Example: f32[3,5]{1,0:T(2,2)} -> 15
  int64_t num_elements() const { return num_elements_; }
  /// The number of positions, padding of the tiles and of the tail included.
  /// Example: 24
  int64_t num_positions() const { return num_positions_; }
  /// Bytes that the array takes, that its elements take, and the difference; whole bytes, the last
  /// of which may be used in part.
  /// Example: 96, 60, 36
  int64_t bytes() const { return (num_positions_ * element_bits_ + 7) / 8; }
  int64_t used_bytes() const { return (num_elements_ * element_bits_ + 7) / 8; }
  int64_t wasted_bytes() const { return bytes() - used_bytes(); }

  /// Whether there is an element of that index.
  bool ContainsIndex(llvm::ArrayRef<int64_t> index) const;
  /// The position of the element at an index, which must be one of the array's. Some nanoseconds;
  /// no allocation for layouts of usual size.
  /// Example: F32[3,5]{1,0:T(2,2)}, (2, 3) -> 17
  int64_t Position(llvm::ArrayRef<int64_t> index) const { return position_.Evaluate(index); }
  /// The index of the element at a position; nullopt for padding, and outside of the array.
  /// Example: F32[3,5]{1,0:T(2,2)}, 17 -> (2, 3); 9 -> nullopt
  std::optional<llvm::SmallVector<int64_t, 6>> IndexAt(int64_t position) const;
  /// Whether the position belongs to the array's memory, but to no element.
  bool IsPadding(int64_t position) const;

  /// Where a position begins, in bits and in whole bytes from the start, and at which bit of its
  /// byte. Bits are counted from the least significant one of each byte, so the first of several
  /// elements in a byte has its lowest bits, as in the code that XLA emits.
  /// Example: s4[8]{0:E(4)}, 3 -> 12, 1, 4
  int64_t BitOffset(int64_t position) const { return position * element_bits_; }
  int64_t ByteOffset(int64_t position) const { return BitOffset(position) / 8; }
  int64_t BitInByte(int64_t position) const { return BitOffset(position) % 8; }

  /// The way from the array to its memory as transposes, reshapes and pads, each with the shape
  /// that it leaves; row-major from the second step on. Steps that change nothing are left out.
  /// Example: F32[3,5]{1,0:T(2,2)} -> [3,5], pad [4,6], reshape [2,2,3,2], transpose [2,3,2,2]
  std::vector<LayoutStep> Steps() const;

  /// The position as a sum of digits of variables 0, 1, ..., the index. An array without elements
  /// has none.
  std::optional<simplifier::Sum> PositionSum(simplifier::DigitContext& context) const;
  /// The index as sums of digits of variable 0, the position, on the positions that are not
  /// padding.
  simplifier::QuasiAffineMap IndexSums(simplifier::DigitContext& context) const;

  /// From the index to the position; nullopt if constants of an expression would overflow.
  /// Example: f32[3,5]{1,0:T(2,2)} -> (d0, d1) -> ((d0 floordiv 2) * 8 + d0 * 2 + (d1 floordiv 2) *
  /// 2 + d1)
  std::optional<BoundedAffineMap> PositionMap(mlir::MLIRContext* context) const;
  /// From the position to the index, padding excluded by constraints.
  std::optional<BoundedAffineMap> IndexMap(mlir::MLIRContext* context) const;

 private:
  TiledLayout() = default;

  llvm::SmallVector<int64_t, 6> dimensions_;
  int64_t element_bits_ = 0;
  Layout layout_;
  llvm::SmallVector<TilingLevel, 2> levels_;
  int64_t num_elements_ = 0;
  int64_t num_positions_ = 0;
  // Without the tail.
  int64_t num_tiled_positions_ = 0;
  // From the index to the position; and from the position to the index, followed by what
  // constraints speak of. Without meaning for an array without elements.
  simplifier::QuotientProgram position_;
  simplifier::QuotientProgram index_;
  llvm::SmallVector<simplifier::Interval, 2> constraint_bounds_;
};

/// Example: kPadTail -> "pad_tail"
llvm::StringRef LayoutStepName(LayoutStep::Kind kind);

/// What the steps of a layout do, one a line.
/// Example: "pad       [4,6]"
std::string StepsToString(llvm::ArrayRef<LayoutStep> steps);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_TILED_LAYOUT_H_
