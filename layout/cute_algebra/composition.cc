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
  // Split at the modes of A, the parts are those of CuTe. If these do not add up others may, and
  // their errors say most.
  if (ComposeModes(left, modes, chosen, Splitting::kAtModes, limits, results).ok()) {
    return absl::OkStatus();
  }
  return ComposeModes(left, modes, chosen, Splitting::kAtBreakpoints, limits, results);
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
