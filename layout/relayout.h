// Between two layouts of one array: what a copy moves, and when it has nothing to do.
//
// A side of a relayout is the position of each element as a sum of digits of its index, so the two
// sides may come from XLA layouts, from CuTe layouts or from anywhere else.
#ifndef HLO_INDEXING_LAYOUT_RELAYOUT_H_
#define HLO_INDEXING_LAYOUT_RELAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_context.h"
#include "simplifier/quasi_affine_map.h"
#include "support/answer.h"

namespace hlo_indexing::layout {

using support::Answer;

/// Where the elements of an array lie.
struct ElementPositions {
  /// The position of an element; variables 0, 1, ... are its index, each from 0.
  simplifier::Sum position;
  /// The index at a position, which is variable 0, where there is an element. Other variables are
  /// free: they give all the elements of a position that several share.
  simplifier::QuasiAffineMap index;
  /// Positions in all, padding included.
  int64_t num_positions = 0;
  int64_t element_bits = 0;
};

/// The positions by an XLA layout.
ElementPositions PositionsOf(simplifier::DigitContext& context, const TiledLayout& layout);

/// The positions that `position` gives, of an array of these sizes, none of them 0.
ElementPositions PositionsOf(simplifier::DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                             const simplifier::Sum& position, int64_t num_positions,
                             int64_t element_bits);

/// From positions of `to` to the positions of the same elements in `from`: what an element of the
/// copy reads. Variable 0 is the position in `to`, other variables are those of `to.index`.
/// Simplified.
/// Example: f32[3,5]{1,0} to f32[3,5]{0,1}: (d0) -> ((d0 mod 3) * 5 + d0 floordiv 3)
simplifier::QuasiAffineMap RelayoutMap(simplifier::DigitContext& context,
                                       const ElementPositions& from, const ElementPositions& to);

/// Whether a relayout has nothing to do.
struct BitcastAnswer {
  /// kYes: every element has the same width and position on both sides.
  Answer answer = Answer::kUnknown;
  /// Whether both memories take as many bits, whatever the answer. kYes and not so: one of them has
  /// more padding behind all elements.
  bool same_size = false;
  std::string reason;
  /// kNo: an element that moves, if the widths are equal.
  llvm::SmallVector<int64_t, 6> moved_index;
};

/// How far the functions below go.
struct RelayoutBudget {
  /// All elements are tried if there are no more.
  int64_t max_elements = int64_t{1} << 22;
  /// Random elements that are tried elsewhere.
  int samples = 4096;
};

/// Decides by equal sums, then by trying all elements; beyond the budget by random elements and
/// integer programming.
BitcastAnswer IsBitcast(simplifier::DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                        const ElementPositions& from, const ElementPositions& to,
                        const RelayoutBudget& budget = {});

/// How much moves at a time. A `run` is a longest sequence of elements that follow each other
/// without a gap in both memories, in the same order. If elements have different widths on the
/// two sides, each one is a run.
struct ContiguousMoves {
  /// The largest number of elements such that every run begins at a multiple of it, on both sides,
  /// and is a multiple long: the widest aligned vector that the whole copy can use.
  int64_t chunk_elements = 1;
  /// Whether there is no larger chunk. If not, `reason` says why it is not known.
  bool chunk_is_exact = true;
  /// Known if the array was small enough to try everything.
  struct Runs {
    int64_t count = 0;
    int64_t shortest = 0;
    int64_t longest = 0;
  };
  std::optional<Runs> runs;
  std::string reason;
};

/// Whether different elements of an array of these sizes, none of them 0, have different positions:
/// by the inverse, by common divisors of the strides of digits, by counting positions
/// (simplifier/image.h), and by integer programming.
/// Example: [3,5] by (3,5):(1,2) -> kNo
Answer IsInjective(simplifier::DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                   const ElementPositions& positions);

/// The runs of a copy. An error if two elements have the same position in `to`; if that could
/// not be decided, `reason` says so.
/// Example: f32[16,128]{1,0} to {1,0:T(8,128)}: chunks of 2,048 elements; to {0,1}: of 1
absl::StatusOr<ContiguousMoves> FindContiguousMoves(simplifier::DigitContext& context,
                                                    llvm::ArrayRef<int64_t> sizes,
                                                    const ElementPositions& from,
                                                    const ElementPositions& to,
                                                    const RelayoutBudget& budget = {});

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_RELAYOUT_H_
