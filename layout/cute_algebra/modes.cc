#include "layout/cute_algebra/modes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_algebra/tuple.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

bool IsStaticMode(const CuteMode& mode) {
  return mode.extent.is_static() && mode.stride.is_static();
}

// Whether b is known to continue where a ends.
bool Continues(const CuteMode& a, const CuteMode& b) {
  return IsStaticMode(a) && IsStaticMode(b) && a.stride.axes == b.stride.axes &&
         support::CheckedMul(a.extent.value, a.stride.value) == b.stride.value;
}

using LayoutOperation = absl::StatusOr<CuteLayout> (*)(const CuteLayout&);

absl::StatusOr<CuteLayout> ByMode(const CuteLayout& layout, const IntTuple& profile,
                                  LayoutOperation operation) {
  if (profile.is_integer()) return operation(layout);
  if (profile.rank() > layout.rank()) {
    return absl::InvalidArgumentError("the profile " + profile.ToString() +
                                      " has more modes than " + layout.ToString());
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  for (int64_t i = 0; i < profile.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(modes[i], ByMode(modes[i], profile.members()[i], operation));
  }
  return Concatenate(modes);
}

absl::StatusOr<IntTuple> IdentityStrides(const IntTuple& shape, AxisPath axes) {
  if (shape.is_integer()) {
    TupleInteger stride = StaticInteger(1);
    stride.axes = axes;
    return IntTuple::Integer(stride);
  }
  std::vector<IntTuple> strides;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    // The path of the mode is known from the outside in, and paths grow at the outside.
    std::vector<int64_t> outer;
    for (AxisPath rest = axes; !rest.empty(); rest = rest.rest()) outer.push_back(rest.first());
    std::optional<AxisPath> path = AxisPath().Inside(i);
    for (size_t k = outer.size(); path && k > 0; --k) path = path->Inside(outer[k - 1]);
    if (!path) return absl::OutOfRangeError("coordinates may nest 8 deep and have 255 axes");
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, IdentityStrides(shape.members()[i], *path));
    strides.push_back(std::move(stride));
  }
  return IntTuple::Tuple(std::move(strides));
}

// The parts of a shape or a stride that a coordinate pairs with `_`, or with integers.
enum class Pairing : uint8_t { kUnderscore, kInteger };

absl::Status AppendPaired(const CuteTree& coordinate, const IntTuple& tuple, Pairing pairing,
                          std::vector<IntTuple>& result) {
  if (coordinate.kind() == CuteTree::Kind::kLayout) {
    return absl::InvalidArgumentError("a coordinate has integers and `_`, not layouts: " +
                                      coordinate.ToString());
  }
  if (!coordinate.is_tuple()) {
    if (coordinate.is_underscore() == (pairing == Pairing::kUnderscore)) result.push_back(tuple);
    return absl::OkStatus();
  }
  if (tuple.is_integer() || coordinate.rank() != tuple.rank()) {
    return absl::InvalidArgumentError("the coordinate " + coordinate.ToString() +
                                      " does not have the nesting of " + tuple.ToString());
  }
  for (int64_t i = 0; i < tuple.rank(); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(
        AppendPaired(coordinate.members()[i], tuple.members()[i], pairing, result));
  }
  return absl::OkStatus();
}

absl::StatusOr<IntTuple> Paired(const CuteTree& coordinate, const IntTuple& tuple,
                                Pairing pairing) {
  std::vector<IntTuple> result;
  HLO_INDEXING_RETURN_IF_ERROR(AppendPaired(coordinate, tuple, pairing, result));
  // A coordinate that is one leaf keeps all or nothing.
  if (!coordinate.is_tuple() && result.size() == 1) return std::move(result.front());
  return IntTuple::Tuple(std::move(result));
}

absl::StatusOr<CuteLayout> PairedModes(const CuteLayout& layout, const CuteTree& coordinate,
                                       Pairing pairing) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, Paired(coordinate, layout.shape(), pairing));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, Paired(coordinate, layout.stride(), pairing));
  return CuteLayout::Create(std::move(shape), std::move(stride));
}

absl::Status CheckRange(const CuteLayout& layout, ModeRange range) {
  if (0 <= range.begin && range.begin <= range.end && range.end <= layout.rank()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(layout.ToString() + " has no modes " +
                                    std::to_string(range.begin) + " to " +
                                    std::to_string(range.end) + " (the end is exclusive)");
}

void AppendModes(const IntTuple& shape, const IntTuple& stride, CuteModes& modes) {
  if (shape.is_integer()) {
    modes.push_back({shape.integer(), stride.integer()});
    return;
  }
  for (size_t i = 0; i < shape.members().size(); ++i) {
    AppendModes(shape.members()[i], stride.members()[i], modes);
  }
}

}  // namespace

std::string CuteMode::ToString() const {
  return IntTuple::Integer(extent).ToString() + ":" + IntTuple::Integer(stride).ToString();
}

CuteModes FlatModes(const IntTuple& shape, const IntTuple& stride) {
  CuteModes modes;
  AppendModes(shape, stride, modes);
  return modes;
}

CuteModes FlatModes(const CuteLayout& layout) { return FlatModes(layout.shape(), layout.stride()); }

absl::StatusOr<CuteLayout> LayoutOf(llvm::ArrayRef<CuteMode> modes) {
  if (modes.empty()) return CuteLayout::Create(IntTuple::Static(1), IntTuple::Static(0));
  if (modes.size() == 1) {
    return CuteLayout::Create(IntTuple::Integer(modes[0].extent),
                              IntTuple::Integer(modes[0].stride));
  }
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  shape.reserve(modes.size());
  stride.reserve(modes.size());
  for (const CuteMode& mode : modes) {
    shape.push_back(IntTuple::Integer(mode.extent));
    stride.push_back(IntTuple::Integer(mode.stride));
  }
  return CuteLayout::Create(IntTuple::Tuple(std::move(shape)), IntTuple::Tuple(std::move(stride)));
}

absl::StatusOr<CuteModes> CoalescedByValue(llvm::ArrayRef<CuteMode> modes) {
  CuteModes result;
  for (const CuteMode& mode : modes) {
    if (mode.extent.value == 1) continue;
    CuteMode* last = result.empty() ? nullptr : &result.back();
    const bool continues =
        last != nullptr && last->stride.axes == mode.stride.axes &&
        support::CheckedMul(last->extent.value, last->stride.value) == mode.stride.value;
    if (!continues) {
      result.push_back(mode);
      continue;
    }
    const std::optional<TupleInteger> extent = Times(last->extent, mode.extent);
    if (!extent) return absl::OutOfRangeError("the size of a layout does not fit in 64 bits");
    last->extent = *extent;
  }
  if (result.empty()) result.push_back({StaticInteger(1), StaticInteger(0)});
  return result;
}

absl::StatusOr<CuteModes> CoalescedModes(llvm::ArrayRef<CuteMode> modes, LastMode last) {
  CuteModes result;
  for (size_t i = 0; i < modes.size(); ++i) {
    const CuteMode& mode = modes[i];
    const bool kept = last == LastMode::kKept && i + 1 == modes.size();
    if (mode.extent.is_static() && mode.extent.value == 1 && !kept) continue;
    if (!result.empty() && Continues(result.back(), mode)) {
      const std::optional<TupleInteger> extent = Times(result.back().extent, mode.extent);
      if (!extent) return absl::OutOfRangeError("the size of a layout does not fit in 64 bits");
      result.back().extent = *extent;
    } else {
      result.push_back(mode);
    }
  }
  if (result.empty()) result.push_back({StaticInteger(1), StaticInteger(0)});
  return result;
}

namespace {

CuteLayout WithKind(const CuteLayout& layout, IntegerKind kind) {
  const auto with_kind = [kind](const TupleInteger& leaf) {
    return TupleInteger{leaf.value, kind, 1, leaf.axes};
  };
  // The values are those of a layout.
  return *CuteLayout::Create(TransformLeaves(layout.shape(), with_kind),
                             TransformLeaves(layout.stride(), with_kind));
}

}  // namespace

CuteLayout AsStatic(const CuteLayout& layout) { return WithKind(layout, IntegerKind::kStatic); }

CuteLayout AsDynamic(const CuteLayout& layout) { return WithKind(layout, IntegerKind::kDynamic); }

absl::StatusOr<CuteLayout> Coalesce(const CuteLayout& layout) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes modes,
                                CoalescedModes(FlatModes(layout), LastMode::kLikeOthers));
  return LayoutOf(modes);
}

absl::StatusOr<CuteLayout> Coalesce(const CuteLayout& layout, const IntTuple& profile) {
  return ByMode(layout, profile, Coalesce);
}

absl::StatusOr<CuteLayout> Filter(const CuteLayout& layout) {
  CuteModes modes = FlatModes(layout);
  llvm::erase_if(modes, [](const CuteMode& mode) { return mode.IsStaticallyConstant(); });
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes result,
                                CoalescedModes(modes, LastMode::kLikeOthers));
  return LayoutOf(result);
}

absl::StatusOr<CuteLayout> Filter(const CuteLayout& layout, const IntTuple& profile) {
  return ByMode(layout, profile, Filter);
}

absl::StatusOr<CuteLayout> FilterZeros(const CuteLayout& layout) {
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  size_t at = 0;
  return CuteLayout::Create(TransformLeaves(layout.shape(),
                                            [&](const TupleInteger& extent) {
                                              const TupleInteger& stride = strides[at++];
                                              const bool zero =
                                                  stride.is_static() && stride.value == 0;
                                              return zero ? StaticInteger(1) : extent;
                                            }),
                            layout.stride());
}

absl::StatusOr<CuteLayout> ColumnMajor(const IntTuple& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, CompactColumnMajor(shape));
  return CuteLayout::Create(shape, std::move(stride));
}

absl::StatusOr<CuteLayout> RowMajor(const IntTuple& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, CompactRowMajor(shape));
  return CuteLayout::Create(shape, std::move(stride));
}

absl::StatusOr<CuteLayout> IdentityLayout(const IntTuple& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, IdentityStrides(shape, AxisPath()));
  return CuteLayout::Create(shape, std::move(stride));
}

absl::StatusOr<CuteLayout> CompactLike(const CuteLayout& layout) {
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  size_t at = 0;
  const IntTuple filtered = TransformLeaves(layout.shape(), [&](const TupleInteger& extent) {
    const TupleInteger& stride = strides[at++];
    return stride.is_static() && stride.value == 0 ? StaticInteger(1) : extent;
  });
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, OrderedStrides(filtered, layout.stride()));
  return CuteLayout::Create(layout.shape(), std::move(stride));
}

absl::StatusOr<TupleInteger> CosizeWithKind(const CuteLayout& layout) {
  const std::optional<int64_t> cosize = layout.cosize();
  if (!cosize) {
    return absl::OutOfRangeError("the cosize of " + layout.ToString() + " does not fit in 64 bits");
  }
  TupleInteger size = StaticInteger(*cosize);
  for (const CuteMode& mode : FlatModes(layout)) {
    if (!IsStaticMode(mode) && !mode.IsStaticallyConstant()) size.kind = IntegerKind::kDynamic;
  }
  return size;
}

absl::StatusOr<CuteLayout> ModeOf(const CuteLayout& layout, int64_t index) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, ModeAt(layout.shape(), index));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, ModeAt(layout.stride(), index));
  return CuteLayout::Create(std::move(shape), std::move(stride));
}

absl::StatusOr<std::vector<CuteLayout>> ModesOf(const CuteLayout& layout) {
  std::vector<CuteLayout> modes;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, ModeOf(layout, i));
    modes.push_back(std::move(mode));
  }
  return modes;
}

absl::StatusOr<CuteLayout> Concatenate(llvm::ArrayRef<CuteLayout> modes) {
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  for (const CuteLayout& mode : modes) {
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return CuteLayout::Create(IntTuple::Tuple(std::move(shape)), IntTuple::Tuple(std::move(stride)));
}

absl::StatusOr<CuteLayout> PaddedTo(const CuteLayout& layout, int64_t rank) {
  if (layout.rank() >= rank) return layout;
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout one, LayoutOf({}));
  modes.resize(rank, one);
  return Concatenate(modes);
}

absl::StatusOr<CuteLayout> Flattened(const CuteLayout& layout) {
  return CuteLayout::Create(Flattened(layout.shape()), Flattened(layout.stride()));
}

absl::StatusOr<CuteLayout> TakeModes(const CuteLayout& layout, ModeRange range) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckRange(layout, range));
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::vector<CuteLayout> modes, ModesOf(layout));
  return Concatenate(llvm::ArrayRef(modes).slice(range.begin, range.end - range.begin));
}

absl::StatusOr<CuteLayout> GroupModes(const CuteLayout& layout, ModeRange range) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckRange(layout, range));
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout group, Concatenate(llvm::ArrayRef(modes).slice(
                                                      range.begin, range.end - range.begin)));
  modes.erase(modes.begin() + range.begin, modes.begin() + range.end);
  modes.insert(modes.begin() + range.begin, std::move(group));
  return Concatenate(modes);
}

absl::StatusOr<CuteLayout> SliceModes(const CuteLayout& layout, const CuteTree& coordinate) {
  return PairedModes(layout, coordinate, Pairing::kUnderscore);
}

absl::StatusOr<CuteLayout> DiceModes(const CuteLayout& layout, const CuteTree& coordinate) {
  return PairedModes(layout, coordinate, Pairing::kInteger);
}

absl::StatusOr<CuteTree> DiceTree(const CuteTree& tree, const CuteTree& coordinate) {
  if (coordinate.is_underscore()) return CuteTree();
  if (!coordinate.is_tuple()) return tree;
  if (!tree.is_tuple() || tree.rank() != coordinate.rank()) {
    return absl::InvalidArgumentError("the projection " + coordinate.ToString() +
                                      " does not have the nesting of " + tree.ToString());
  }
  std::vector<CuteTree> members;
  for (int64_t i = 0; i < tree.rank(); ++i) {
    const CuteTree& paired = coordinate.members()[i];
    if (paired.is_underscore()) continue;
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteTree member, DiceTree(tree.members()[i], paired));
    if (!paired.is_tuple()) {
      members.push_back(std::move(member));
      continue;
    }
    members.insert(members.end(), member.members().begin(), member.members().end());
  }
  return CuteTree::Tuple(std::move(members));
}

}  // namespace hlo_indexing::layout
