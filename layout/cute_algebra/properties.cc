#include "layout/cute_algebra/properties.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "absl/status/status.h"
#include "layout/cute_algebra/modes.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/sum_set.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using support::Answer;

constexpr int64_t kMostCompared = int64_t{1} << 20;

// The values that the modes of one axis reach; nullopt if that is too hard.
std::optional<simplifier::SumSet> ValuesAlong(const CuteLayout& layout, AxisPath axis) {
  llvm::SmallVector<simplifier::Steps, 6> steps;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (mode.stride.axes == axis) steps.push_back({mode.stride.value, mode.extent.value});
  }
  return simplifier::SumsOf({0}, steps);
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// Whether two modes have an offset in common other than 0: they meet first at the least common
// multiple of their strides.
bool Meet(const CuteMode& a, const CuteMode& b) {
  const uint64_t step_a = Magnitude(a.stride.value);
  const uint64_t step_b = Magnitude(b.stride.value);
  const uint64_t common = std::gcd(step_a, step_b);
  return step_b / common < static_cast<uint64_t>(a.extent.value) &&
         step_a / common < static_cast<uint64_t>(b.extent.value);
}

// Of modes with more than one element, along one axis. No if an element of one meets that of
// another, or there are more elements than offsets; yes if each stride exceeds what the smaller
// ones reach, and for two modes that do not meet.
Answer EasilyInjective(CuteModes& modes) {
  const auto step = [](const CuteMode& mode) { return Magnitude(mode.stride.value); };
  llvm::stable_sort(modes, [&](const CuteMode& a, const CuteMode& b) { return step(a) < step(b); });
  if (step(modes.front()) == 0) return Answer::kNo;
  // Offsets fit in 64 bits, and so does their span in 65.
  unsigned __int128 reach = 0;
  unsigned __int128 elements = 1;
  bool nests = true;
  for (const CuteMode& mode : modes) {
    nests = nests && step(mode) > reach;
    reach +=
        static_cast<unsigned __int128>(step(mode)) * static_cast<uint64_t>(mode.extent.value - 1);
    elements *= static_cast<uint64_t>(mode.extent.value);
  }
  if (nests) return Answer::kYes;
  if (elements > reach + 1) return Answer::kNo;
  // Sizes fit in 64 bits, so that there are fewer than 64 modes of two elements or more.
  for (size_t i = 0; i < modes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Meet(modes[i], modes[j])) return Answer::kNo;
    }
  }
  return modes.size() == 2 ? Answer::kYes : Answer::kUnknown;
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
  int64_t index_stride = 1;
  for (size_t i = 0;; ++i) {
    if (index_stride >= shorter) return end;
    const CuteMode& x = modes_a[i];
    const CuteMode& y = modes_b[i];
    if (x.stride.value != y.stride.value || x.stride.axes != y.stride.axes) return index_stride;
    // Where one mode ends before the other, the next stride does not continue it.
    index_stride *= std::min(x.extent.value, y.extent.value);
    if (x.extent.value != y.extent.value) return index_stride >= shorter ? end : index_stride;
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
  if (layout.size() < 2) return Answer::kYes;
  // A coordinate is told from others by its numbers along each axis.
  bool is_decided = true;
  std::map<std::string, CuteModes> modes_of_axis;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (mode.extent.value > 1) modes_of_axis[mode.stride.axes.ToString()].push_back(mode);
  }
  for (auto& [axis, modes] : modes_of_axis) {
    const Answer answer = EasilyInjective(modes);
    if (answer == Answer::kNo) return answer;
    is_decided = is_decided && answer == Answer::kYes;
  }
  if (is_decided) return Answer::kYes;
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
