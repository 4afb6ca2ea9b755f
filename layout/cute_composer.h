// One mode of the right layout after another, composed with the left one: where it is cut, and
// whether the modes add up. The header of cute_composition.h has the reason why.
#ifndef HLO_INDEXING_LAYOUT_CUTE_COMPOSER_H_
#define HLO_INDEXING_LAYOUT_CUTE_COMPOSER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "layout/cute_bends.h"
#include "layout/cute_modes.h"
#include "layout/int_tuple.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// A part of a mode of B on which A is linear.
struct Piece {
  int64_t extent;
  int64_t step;
};

/// Where a mode of B is cut: as CuTe does it, by the modes of A and by what is static; or only
/// where the function is not linear.
enum class Cutting : uint8_t { kByModes, kWhereNeeded };

/// The composition of one left side with some modes of B. Errors are those of Compose; their texts
/// begin where the caller's sentence about the two layouts ends.
class Composer {
 public:
  /// `points`: how many coordinates are tried at most where carries may cancel. `left` must outlive
  /// this.
  Composer(const LeftSide& left, Cutting cutting, int64_t points)
      : left_(left), cutting_(cutting), points_(points) {}

  /// The modes that the mode becomes.
  /// *A = (10,2):(16,4), 5:1 -> 5:16; A = (6,2):(1,10), 4:3 -> (2,2):(3,10)*
  absl::StatusOr<CuteModes> ComposeMode(const CuteMode& mode);
  /// Whether all that went through ComposeMode adds up.
  absl::Status CheckSum();

 private:
  std::optional<CuteModes> CutByModes(const CuteMode& mode);
  absl::StatusOr<CuteModes> CutWhereNeeded(const CuteMode& mode);
  absl::StatusOr<int64_t> LinearRun(int64_t step, int64_t extent);
  absl::StatusOr<int64_t> FirstStep(llvm::SmallVector<Rate, 4> rates, int64_t extent);
  absl::StatusOr<TupleInteger> StrideOf(int64_t step, const CuteMode& mode) const;
  TupleInteger ExtentOf(const Piece& piece, const CuteMode& mode) const;
  absl::Status CheckAlong(size_t axis);
  absl::Status TryScattered(size_t axis, llvm::ArrayRef<size_t> part);
  absl::Status TryPoints(size_t axis, llvm::ArrayRef<Place> places);
  absl::Status Refuse(const CuteMode& mode, const Piece& piece, int64_t run) const;
  absl::Status RefuseSum(llvm::ArrayRef<int64_t> digits) const;
  bool SpendPoint() { return points_-- > 0; }

  const LeftSide& left_;
  Cutting cutting_;
  int64_t points_;
  std::vector<Piece> pieces_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_COMPOSER_H_
