#include "layout/cute_properties.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "layout/cute_modes.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/sum_set.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using support::Answer;

constexpr int64_t kMostCompared = int64_t{1} << 20;

// The values that the modes of one axis reach; nothing where that is too hard.
std::optional<simplifier::SumSet> ValuesAlong(const CuteLayout& layout, AxisPath axis) {
  llvm::SmallVector<simplifier::Steps, 6> steps;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (mode.stride.axes == axis) steps.push_back({mode.stride.value, mode.extent.value});
  }
  return simplifier::SumsOf({0}, steps);
}

}  // namespace

std::optional<int64_t> FirstDifference(const CuteLayout& a, const CuteLayout& b) {
  const int64_t shorter = std::min(a.size(), b.size());
  const std::optional<int64_t> end =
      a.size() == b.size() ? std::nullopt : std::optional<int64_t>(shorter);
  if (shorter == 0) return end;
  // Sizes fit in 64 bits, and so do those of their parts.
  const CuteModes modes_a = *CoalescedByValue(FlatModes(a));
  const CuteModes modes_b = *CoalescedByValue(FlatModes(b));
  int64_t place = 1;
  for (size_t i = 0;; ++i) {
    if (place >= shorter) return end;
    const CuteMode& x = modes_a[i];
    const CuteMode& y = modes_b[i];
    if (x.stride.value != y.stride.value || x.stride.axes != y.stride.axes) return place;
    // Where one mode ends before the other, the next stride does not continue it.
    place *= std::min(x.extent.value, y.extent.value);
    if (x.extent.value != y.extent.value) return place >= shorter ? end : place;
  }
}

absl::StatusOr<std::optional<int64_t>> FirstDifference(const CuteTensor& a, const CuteTensor& b) {
  if (a.plain() != nullptr && b.plain() != nullptr) {
    const bool same_start =
        a.offset.ToString() == b.offset.ToString() || (a.begins_at_zero() && b.begins_at_zero());
    if (same_start) return FirstDifference(*a.plain(), *b.plain());
  }
  const int64_t shorter = std::min(a.size(), b.size());
  if (shorter > kMostCompared) {
    return absl::ResourceExhaustedError("composed layouts of so many elements are not compared");
  }
  for (int64_t i = 0; i < shorter; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple x, a.At(i));
    HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple y, b.At(i));
    const llvm::SmallVector<TupleInteger, 4> of_x = x.Leaves();
    const llvm::SmallVector<TupleInteger, 4> of_y = y.Leaves();
    const bool same = llvm::equal(of_x, of_y, [](const TupleInteger& p, const TupleInteger& q) {
      return p.value == q.value;
    });
    if (!same) return std::optional<int64_t>(i);
  }
  if (a.size() == b.size()) return std::optional<int64_t>();
  return std::optional<int64_t>(shorter);
}

std::optional<int64_t> NumberOfOffsets(const CuteLayout& layout) {
  if (layout.size() == 0) return 0;
  llvm::SmallVector<AxisPath, 2> axes;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (!llvm::is_contained(axes, mode.stride.axes)) axes.push_back(mode.stride.axes);
  }
  int64_t number = 1;
  for (const AxisPath& axis : axes) {
    const std::optional<simplifier::SumSet> values = ValuesAlong(layout, axis);
    if (!values) return std::nullopt;
    // No more than there are indices.
    number *= static_cast<int64_t>(values->size);
  }
  return number;
}

Answer IsInjective(const CuteLayout& layout) {
  const std::optional<int64_t> number = NumberOfOffsets(layout);
  if (!number) return Answer::kUnknown;
  return *number == layout.size() ? Answer::kYes : Answer::kNo;
}

Answer IsOnto(const CuteLayout& layout, int64_t extent) {
  if (layout.has_axes()) return Answer::kNo;
  if (layout.size() == 0) return extent == 0 ? Answer::kYes : Answer::kNo;
  if (layout.offsets().lower != 0 || layout.offsets().upper != extent - 1) return Answer::kNo;
  const std::optional<int64_t> number = NumberOfOffsets(layout);
  if (!number) return Answer::kUnknown;
  return *number == extent ? Answer::kYes : Answer::kNo;
}

}  // namespace hlo_indexing::layout
