// One mode of the right layout after another, composed with the left one: where it is split, and
// whether the composed modes add up. composition.h has the reason why.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODE_COMPOSER_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODE_COMPOSER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/piecewise_linear.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// A part of a mode of B on which A is linear.
struct Piece {
  int64_t extent;
  int64_t step;
};

/// Where a mode of B is split: as in CuTe, at the modes of A and by static numbers; or only at
/// breakpoints of A, where the function is not linear.
enum class Splitting : uint8_t { kAtModes, kAtBreakpoints };

/// The composition of one layout A with some modes of B. Errors are those of Compose; their texts
/// continue the caller's sentence about the two layouts.
class ModeComposer {
 public:
  /// `points`: how many coordinates are tried at most if carries may cancel. `left` must outlive
  /// this.
  ModeComposer(const PiecewiseLinearLayout& left, Splitting splitting, int64_t points)
      : left_(left), splitting_(splitting), points_(points) {}

  /// The modes that the mode becomes.
  /// Example: with A = (10,2):(16,4), 5:1 -> 5:16; with A = (6,2):(1,10), 4:3 -> (2,2):(3,10)
  absl::StatusOr<CuteModes> ComposeMode(const CuteMode& mode);
  /// An error unless all modes that ComposeMode has given add up.
  absl::Status CheckSum();

 private:
  std::optional<CuteModes> SplitAtModes(const CuteMode& mode);
  absl::StatusOr<CuteModes> SplitAtBreakpoints(const CuteMode& mode);
  absl::StatusOr<int64_t> LinearExtent(int64_t step, int64_t extent);
  absl::StatusOr<int64_t> FirstDeviation(llvm::SmallVector<FloorTerm, 4> terms, int64_t extent);
  absl::StatusOr<TupleInteger> StrideOf(int64_t step, const CuteMode& mode) const;
  TupleInteger ExtentOf(const Piece& piece, const CuteMode& mode) const;
  absl::Status CheckAlong(size_t axis);
  absl::Status TrySamples(size_t axis, llvm::ArrayRef<size_t> part);
  absl::Status TryAllPoints(size_t axis, llvm::ArrayRef<Breakpoints> carrying);
  absl::Status NotLinearError(const CuteMode& mode, const Piece& piece, int64_t extent) const;
  absl::Status CarryError(llvm::ArrayRef<int64_t> digits) const;
  bool SpendPoint() { return points_-- > 0; }

  const PiecewiseLinearLayout& left_;
  Splitting splitting_;
  int64_t points_;
  std::vector<Piece> pieces_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_MODE_COMPOSER_H_
