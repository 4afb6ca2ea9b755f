#include "layout/cute_algebra/evenly_divides.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

TupleInteger Truth(bool value, bool is_static) {
  return {value ? 1 : 0, is_static ? IntegerKind::kStatic : IntegerKind::kDynamic, 1, {}};
}

// Whether copies of a layout cover a size exactly: each mode begins at a multiple of what the
// smaller strides span, and the size is a multiple of what all span.
bool CoversEvenly(const CuteLayout& tile, int64_t size) {
  CuteModes modes = FlatModes(tile);
  llvm::erase_if(modes, [](const CuteMode& mode) { return mode.extent.value == 1; });
  llvm::stable_sort(
      modes, [](const CuteMode& a, const CuteMode& b) { return a.stride.value < b.stride.value; });
  int64_t covered = 1;
  for (const CuteMode& mode : modes) {
    if (mode.extent.value <= 0 || mode.stride.value <= 0 || !mode.stride.axes.empty()) return false;
    if (mode.stride.value % covered != 0) return false;
    const std::optional<int64_t> next = support::CheckedMul(mode.extent.value, mode.stride.value);
    if (!next) return false;
    covered = *next;
  }
  return size % covered == 0;
}

bool IsStatic(const CuteLayout& layout) {
  return llvm::all_of(FlatModes(layout), [](const CuteMode& mode) {
    return mode.extent.is_static() && mode.stride.is_static();
  });
}

absl::StatusOr<TupleInteger> ModeDividesEvenly(const IntTuple& shape, const CuteTree& tiler) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(shape));
  if (tiler.kind() == CuteTree::Kind::kLayout) {
    const bool is_static = size.is_static() && IsStatic(tiler.layout());
    return Truth(CoversEvenly(tiler.layout(), size.value), is_static);
  }
  const TupleInteger divisor = tiler.integer();
  if (divisor.value == 0) return absl::InvalidArgumentError("a shape is divided by 0");
  return Truth(size.value % divisor.value == 0, size.is_static() && divisor.is_static());
}

}  // namespace

absl::StatusOr<TupleInteger> EvenlyDivides(const IntTuple& shape, const CuteTree& tiler) {
  if (tiler.is_underscore()) return StaticInteger(1);
  if (!tiler.is_tuple()) return ModeDividesEvenly(shape, tiler);
  const llvm::ArrayRef<IntTuple> modes = Modes(shape);
  if (tiler.members().size() > modes.size()) return StaticInteger(0);
  TupleInteger all = StaticInteger(1);
  for (size_t i = 0; i < tiler.members().size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger condition,
                                  EvenlyDivides(modes[i], tiler.members()[i]));
    // A static false decides, static trues do not matter.
    if (condition.is_static(0)) return condition;
    if (!condition.is_static()) all = Truth(all.value != 0 && condition.value != 0, false);
  }
  return all;
}

}  // namespace hlo_indexing::layout
