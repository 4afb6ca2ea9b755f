#include "layout/cute_algebra/composition.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/mode_composer.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/piecewise_linear.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/ArrayRef.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

// The text of a layout in a message: of one with thousands of modes, the beginning.
std::string Shortened(const CuteLayout& layout) {
  constexpr size_t kMostLetters = 400;
  std::string text = layout.ToString();
  if (text.size() <= kMostLetters) return text;
  return text.substr(0, kMostLetters) + "...";
}

absl::Status WithLayouts(const CuteLayout& a, const CuteLayout& b, const absl::Status& status) {
  return absl::Status(status.code(), "composition(A = " + Shortened(a) + ", B = " + Shortened(b) +
                                         ")" + std::string(status.message()));
}

// The modes of A that a stride of B with that path counts along; the integer that is its only mode
// stands for a tuple of one.
absl::StatusOr<CuteModes> ModesAt(const CuteLayout& a, AxisPath path) {
  const IntTuple* shape = &a.shape();
  const IntTuple* stride = &a.stride();
  for (AxisPath rest = path; !rest.empty(); rest = rest.rest()) {
    if (shape->is_integer() && rest.first() == 0) continue;
    if (rest.first() >= shape->rank()) {
      return absl::InvalidArgumentError(": B counts along the axis " + path.ToString() +
                                        ", which A does not have");
    }
    stride = &stride->members()[rest.first()];
    shape = &shape->members()[rest.first()];
  }
  return CoalescedModes(FlatModes(*shape, *stride), LastMode::kKept);
}

// The shape and the stride of B with the modes that its leaves have become.
IntTuple Rebuild(const IntTuple& profile, llvm::ArrayRef<CuteModes> modes,
                 TupleInteger CuteMode::* number, size_t& at) {
  if (!profile.is_integer()) {
    std::vector<IntTuple> members;
    members.reserve(profile.members().size());
    for (const IntTuple& member : profile.members()) {
      members.push_back(Rebuild(member, modes, number, at));
    }
    return IntTuple::Tuple(std::move(members));
  }
  const CuteModes& leaf = modes[at++];
  if (leaf.size() == 1) return IntTuple::Integer(leaf[0].*number);
  std::vector<IntTuple> members;
  members.reserve(leaf.size());
  for (const CuteMode& mode : leaf) members.push_back(IntTuple::Integer(mode.*number));
  return IntTuple::Tuple(std::move(members));
}

// Composes the chosen modes of B.
absl::Status ComposeModes(const PiecewiseLinearLayout& left, llvm::ArrayRef<CuteMode> modes,
                          llvm::ArrayRef<size_t> chosen, Splitting splitting,
                          const CompositionLimits& limits, std::vector<CuteModes>& results) {
  ModeComposer composer(left, splitting, limits.points);
  ModeCount count(limits.modes);
  for (const size_t i : chosen) {
    HLO_INDEXING_ASSIGN_OR_RETURN(results[i], composer.ComposeMode(modes[i]));
    const absl::Status few = count.Add(static_cast<int64_t>(results[i].size()));
    if (!few.ok()) return absl::Status(few.code(), ": " + std::string(few.message()));
  }
  return composer.CheckSum();
}

// Whether a mode of B runs backwards; one that does not move does neither.
bool RunsBackwards(const CuteMode& mode) { return mode.extent.value > 1 && mode.stride.value < 0; }
bool RunsForwards(const CuteMode& mode) { return mode.extent.value > 1 && mode.stride.value > 0; }

absl::Status NegateStrides(llvm::ArrayRef<size_t> chosen, llvm::MutableArrayRef<CuteModes> modes) {
  for (const size_t i : chosen) {
    for (CuteMode& mode : modes[i]) {
      const std::optional<TupleInteger> opposite = Times(StaticInteger(-1), mode.stride);
      if (!opposite) return absl::OutOfRangeError(": an offset does not fit in 64 bits");
      mode.stride = *opposite;
    }
  }
  return absl::OkStatus();
}

// Split at the modes of A, the parts are those of CuTe. If these do not add up others may, and
// their errors say most.
absl::Status ComposeForwards(const PiecewiseLinearLayout& left, llvm::ArrayRef<CuteMode> modes,
                             llvm::ArrayRef<size_t> chosen, const CompositionLimits& limits,
                             std::vector<CuteModes>& results) {
  if (ComposeModes(left, modes, chosen, Splitting::kAtModes, limits, results).ok()) {
    return absl::OkStatus();
  }
  return ComposeModes(left, modes, chosen, Splitting::kAtBreakpoints, limits, results);
}

// Modes of B none of which runs forwards. Division rounds towards 0, so A(-x) = -A(x).
absl::Status ComposeBackwards(const PiecewiseLinearLayout& left, llvm::ArrayRef<CuteMode> modes,
                              llvm::ArrayRef<size_t> chosen, const CompositionLimits& limits,
                              std::vector<CuteModes>& results) {
  std::vector<CuteModes> opposite;
  opposite.reserve(modes.size());
  for (const CuteMode& mode : modes) opposite.push_back({mode});
  HLO_INDEXING_RETURN_IF_ERROR(NegateStrides(chosen, opposite));
  CuteModes forwards;
  for (const CuteModes& mode : opposite) forwards.push_back(mode.front());
  HLO_INDEXING_RETURN_IF_ERROR(ComposeForwards(left, forwards, chosen, limits, results));
  return NegateStrides(chosen, results);
}

// The sum of coordinates times strides of each axis, at a coordinate of the modes given as an
// index.
Wide SumOf(llvm::ArrayRef<CuteMode> modes, int64_t index, AxisPath axis) {
  Wide sum = 0;
  for (const CuteMode& mode : modes) {
    const int64_t coordinate = index % mode.extent.value;
    index /= mode.extent.value;
    if (mode.stride.axes == axis) sum += static_cast<Wide>(coordinate) * mode.stride.value;
  }
  return sum;
}

// Modes of B of which some run forwards and some backwards: each by itself, and then all points are
// tried.
absl::Status ComposeBothWays(const PiecewiseLinearLayout& left, llvm::ArrayRef<CuteMode> modes,
                             llvm::ArrayRef<size_t> chosen, const CompositionLimits& limits,
                             std::vector<CuteModes>& results) {
  CuteModes right;
  CuteModes composed;
  int64_t num_points = 1;
  for (const size_t i : chosen) {
    const auto compose = RunsBackwards(modes[i]) ? ComposeBackwards : ComposeForwards;
    HLO_INDEXING_RETURN_IF_ERROR(compose(left, modes, i, limits, results));
    right.push_back(modes[i]);
    right.back().stride.axes = {};
    composed.append(results[i]);
    const std::optional<int64_t> points = support::CheckedMul(num_points, modes[i].extent.value);
    if (!points || *points > limits.points) {
      return absl::ResourceExhaustedError(
          ": it is not decided whether there is such a layout, for strides of B have both signs "
          "and it has too many elements to try; the composed map is exact");
    }
    num_points = *points;
  }
  for (int64_t i = 0; i < num_points; ++i) {
    const auto index = static_cast<int64_t>(SumOf(right, i, {}));
    for (const AxisPath& axis : left.axes()) {
      if (left.Evaluate(index, axis) == SumOf(composed, i, axis)) continue;
      return absl::FailedPreconditionError(
          ": there is no such layout. Strides of B have both signs, and at index " +
          std::to_string(index) + " its modes do not add up");
    }
  }
  return absl::OkStatus();
}

// Composes the modes of B whose strides have the path.
absl::Status ComposeAlong(const CuteLayout& a, AxisPath path, llvm::ArrayRef<CuteMode> modes,
                          llvm::ArrayRef<size_t> chosen, const CompositionLimits& limits,
                          std::vector<CuteModes>& results) {
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteModes left_modes, ModesAt(a, path));
  const PiecewiseLinearLayout left(std::move(left_modes));
  if (left.IsEmpty()) return absl::InvalidArgumentError(": A has no elements");
  const std::optional<int64_t> pairs = support::CheckedMul(
      static_cast<int64_t>(left.modes().size()), static_cast<int64_t>(chosen.size()));
  if (!pairs || *pairs > limits.pairs) {
    return absl::ResourceExhaustedError(": the layouts have too many modes, " +
                                        std::to_string(left.modes().size()) + " and " +
                                        std::to_string(chosen.size()));
  }
  const auto any = [&](bool (*runs)(const CuteMode&)) {
    return llvm::any_of(chosen, [&](size_t i) { return runs(modes[i]); });
  };
  const bool backwards = any(RunsBackwards) && !left.IsLinear();
  if (!backwards) return ComposeForwards(left, modes, chosen, limits, results);
  if (any(RunsForwards)) return ComposeBothWays(left, modes, chosen, limits, results);
  return ComposeBackwards(left, modes, chosen, limits, results);
}

absl::StatusOr<CuteLayout> ComposeOrExplain(const CuteLayout& a, const CuteLayout& b,
                                            const CompositionLimits& limits) {
  const CuteModes modes = FlatModes(b);
  std::vector<CuteModes> results(modes.size());
  if (b.size() == 0) {
    for (size_t i = 0; i < modes.size(); ++i) {
      results[i] = {{modes[i].extent, StaticInteger(0)}};
    }
  } else {
    std::map<AxisPath, std::vector<size_t>> modes_along;
    for (size_t i = 0; i < modes.size(); ++i) modes_along[modes[i].stride.axes].push_back(i);
    for (size_t i = 0; i < modes.size(); ++i) {
      const std::vector<size_t>& chosen = modes_along[modes[i].stride.axes];
      if (chosen.front() != i) continue;
      HLO_INDEXING_RETURN_IF_ERROR(
          ComposeAlong(a, modes[i].stride.axes, modes, chosen, limits, results));
    }
  }
  size_t at = 0;
  IntTuple shape = Rebuild(b.shape(), results, &CuteMode::extent, at);
  at = 0;
  IntTuple stride = Rebuild(b.shape(), results, &CuteMode::stride, at);
  absl::StatusOr<CuteLayout> result = CuteLayout::Create(std::move(shape), std::move(stride));
  if (result.ok()) return result;
  return absl::Status(result.status().code(), ": " + std::string(result.status().message()));
}

int64_t NumLeaves(const IntTuple& tuple) {
  if (tuple.is_integer()) return 1;
  int64_t count = 0;
  for (const IntTuple& member : tuple.members()) count += NumLeaves(member);
  return count;
}

}  // namespace

absl::Status ModeCount::Add(const IntTuple& shape) { return Add(NumLeaves(shape)); }

absl::Status ModeCount::Add(int64_t modes) {
  count_ += modes;
  if (count_ <= limit_) return absl::OkStatus();
  return absl::ResourceExhaustedError("the result has more than " + std::to_string(limit_) +
                                      " modes");
}

absl::StatusOr<CuteLayout> Compose(const CuteLayout& a, const CuteLayout& b,
                                   const CompositionLimits& limits) {
  absl::StatusOr<CuteLayout> result = ComposeOrExplain(a, b, limits);
  if (!result.ok()) return WithLayouts(a, b, result.status());
  return result;
}

absl::StatusOr<CuteLayout> Compose(const CuteLayout& layout, const CuteTree& tiler,
                                   const CompositionLimits& limits) {
  switch (tiler.kind()) {
    case CuteTree::Kind::kUnderscore:
      return layout;
    case CuteTree::Kind::kLayout:
      return Compose(layout, tiler.layout(), limits);
    case CuteTree::Kind::kInteger: {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          const CuteLayout tile,
          CuteLayout::Create(IntTuple::Integer(tiler.integer()), IntTuple::Static(1)));
      return Compose(layout, tile, limits);
    }
    case CuteTree::Kind::kTuple:
      break;
  }
  if (tiler.rank() > layout.rank()) {
    return absl::InvalidArgumentError("the tiler " + tiler.ToString() + " has more modes than " +
                                      layout.ToString());
  }
  std::vector<CuteLayout> modes;
  ModeCount count(limits.modes);
  for (int64_t i = 0; i < tiler.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout mode, ModeOf(layout, i));
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout part, Compose(mode, tiler.members()[i], limits));
    HLO_INDEXING_RETURN_IF_ERROR(count.Add(part.shape()));
    modes.push_back(std::move(part));
  }
  return Concatenate(modes);
}

absl::StatusOr<CuteLayout> WithShape(const CuteLayout& layout, const IntTuple& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout compact, ColumnMajor(shape));
  return Compose(layout, compact);
}

}  // namespace hlo_indexing::layout
