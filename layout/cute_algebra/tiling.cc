#include "layout/cute_algebra/tiling.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/inverse.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/properties.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

// The shape and the stride of a part of a layout.
struct Part {
  IntTuple shape;
  IntTuple stride;
};

Part PartOf(const CuteLayout& layout) { return {layout.shape(), layout.stride()}; }

Part Joined(std::vector<Part> parts) {
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  shape.reserve(parts.size());
  stride.reserve(parts.size());
  for (Part& part : parts) {
    shape.push_back(std::move(part.shape));
    stride.push_back(std::move(part.stride));
  }
  return {IntTuple::Tuple(std::move(shape)), IntTuple::Tuple(std::move(stride))};
}

// Joined, of two; moves what an initializer list would copy.
Part Pair(Part first, Part second) {
  std::vector<Part> parts;
  parts.reserve(2);
  parts.push_back(std::move(first));
  parts.push_back(std::move(second));
  return Joined(std::move(parts));
}

absl::StatusOr<CuteLayout> LayoutOfPart(Part part) {
  return CuteLayout::Create(std::move(part.shape), std::move(part.stride));
}

// A mode taken apart.
struct TileAndRest {
  Part tile;
  Part rest;
};

// Takes a mode apart with a tiler that is one layout: (tile, rest).
using SplitByLayout = absl::StatusOr<CuteLayout> (*)(const CuteLayout&, const CuteLayout&);

absl::StatusOr<CuteLayout> DivideByLayout(const CuteLayout& layout, const CuteLayout& tiler) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes domain,
                                CoalescedModes(FlatModes(layout), LastMode::kLikeOthers));
  std::vector<IntTuple> extents;
  extents.reserve(domain.size());
  for (const CuteMode& mode : domain) extents.push_back(IntTuple::Integer(mode.extent));
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const CuteLayout rest,
      Complement(tiler, IntTuple::Tuple(std::move(extents)), Gaps::kRefused));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout both,
                                LayoutOfPart(Pair(PartOf(tiler), PartOf(rest))));
  return Compose(layout, both);
}

// Whether a tiler runs both forwards and backwards.
bool HasStridesOfBothSigns(const CuteLayout& tiler) {
  const CuteModes modes = FlatModes(tiler);
  const auto runs = [&](auto is_wanted) {
    return llvm::any_of(modes, [&](const CuteMode& mode) {
      return mode.extent.value > 1 && is_wanted(mode.stride.value);
    });
  };
  return runs([](int64_t stride) { return stride < 0; }) &&
         runs([](int64_t stride) { return stride > 0; });
}

absl::StatusOr<CuteLayout> MultiplyByLayout(const CuteLayout& layout, const CuteLayout& tiler) {
  if (tiler.has_axes()) {
    return absl::InvalidArgumentError("product: " + tiler.ToString() +
                                      " maps to coordinates, not to copies");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger num_copies, CosizeWithKind(tiler));
  if (!Times(*ProductWithKind(layout.shape()), num_copies)) {
    return absl::OutOfRangeError("product: its size does not fit in 64 bits");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout places, PlacesOfCopies(layout, num_copies));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout copies, Compose(places, tiler));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout both,
                                LayoutOfPart(Pair(PartOf(layout), PartOf(copies))));
  // Backwards, copies are where those of the other direction are mirrored: both ways they may meet.
  const bool overlaps = HasStridesOfBothSigns(tiler) && IsInjective(both) == support::Answer::kNo &&
                        IsInjective(layout) == support::Answer::kYes &&
                        IsInjective(tiler) == support::Answer::kYes;
  if (overlaps) {
    return absl::FailedPreconditionError("product: copies of " + layout.ToString() +
                                         " overlap, as strides of " + tiler.ToString() +
                                         " have both signs");
  }
  return both;
}

// The two modes of what a SplitByLayout gives.
TileAndRest Halves(const CuteLayout& both) {
  const llvm::ArrayRef<IntTuple> shapes = both.shape().members();
  const llvm::ArrayRef<IntTuple> strides = both.stride().members();
  return {{shapes[0], strides[0]}, {shapes[1], strides[1]}};
}

// A tiler of one layout or integer, taken as a layout.
absl::StatusOr<CuteLayout> SplitOnce(const CuteLayout& layout, const CuteTree& tiler,
                                     SplitByLayout split) {
  if (tiler.kind() == CuteTree::Kind::kLayout) return split(layout, tiler.layout());
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout tile,
                                ColumnMajor(IntTuple::Integer(tiler.integer())));
  return split(layout, tile);
}

absl::Status TooManyModes(const CuteTree& tiler, const CuteLayout& layout) {
  return absl::InvalidArgumentError("the tiler " + tiler.ToString() + " has more modes than " +
                                    layout.ToString());
}

// By modes; those beyond the tiler stay in the rest.
absl::StatusOr<TileAndRest> Split(const CuteLayout& layout, const CuteTree& tiler,
                                  SplitByLayout split) {
  if (tiler.is_underscore()) {
    return TileAndRest{PartOf(layout), {IntTuple::Static(1), IntTuple::Static(0)}};
  }
  if (!tiler.is_tuple()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout both, SplitOnce(layout, tiler, split));
    return Halves(both);
  }
  if (tiler.rank() > layout.rank()) return TooManyModes(tiler, layout);
  std::vector<Part> tiles;
  std::vector<Part> rests;
  ModeCount count;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout mode, ModeOf(layout, i));
    if (i >= tiler.rank()) {
      rests.push_back(PartOf(mode));
      continue;
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(TileAndRest parts, Split(mode, tiler.members()[i], split));
    HLO_INDEXING_RETURN_IF_ERROR(count.Add(parts.tile.shape));
    HLO_INDEXING_RETURN_IF_ERROR(count.Add(parts.rest.shape));
    tiles.push_back(std::move(parts.tile));
    rests.push_back(std::move(parts.rest));
  }
  return TileAndRest{Joined(std::move(tiles)), Joined(std::move(rests))};
}

absl::StatusOr<Part> LogicalSplit(const CuteLayout& layout, const CuteTree& tiler,
                                  SplitByLayout split) {
  if (tiler.is_underscore()) return PartOf(layout);
  if (!tiler.is_tuple()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout both, SplitOnce(layout, tiler, split));
    return PartOf(both);
  }
  if (tiler.rank() > layout.rank()) return TooManyModes(tiler, layout);
  std::vector<Part> modes;
  ModeCount count;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout mode, ModeOf(layout, i));
    Part part = PartOf(mode);
    if (i < tiler.rank()) {
      HLO_INDEXING_ASSIGN_OR_RETURN(part, LogicalSplit(mode, tiler.members()[i], split));
      HLO_INDEXING_RETURN_IF_ERROR(count.Add(part.shape));
    }
    modes.push_back(std::move(part));
  }
  return Joined(std::move(modes));
}

// Adds the modes of a part as modes of their own; a single one stays as it is, nested or not, as
// CuTe has it.
void AppendUnzipped(const Part& part, std::vector<Part>& modes) {
  if (part.shape.rank() == 1) {
    modes.push_back(part);
    return;
  }
  for (size_t i = 0; i < part.shape.members().size(); ++i) {
    modes.push_back({part.shape.members()[i], part.stride.members()[i]});
  }
}

absl::StatusOr<CuteLayout> Arrange(const CuteLayout& layout, const CuteTree& tiler,
                                   TileArrangement arrangement, SplitByLayout split) {
  const bool is_whole =
      arrangement == TileArrangement::kLogical || arrangement == TileArrangement::kZipped;
  if (is_whole && !tiler.is_tuple() && !tiler.is_underscore()) {
    return SplitOnce(layout, tiler, split);
  }
  if (arrangement == TileArrangement::kLogical) {
    HLO_INDEXING_ASSIGN_OR_RETURN(Part part, LogicalSplit(layout, tiler, split));
    return LayoutOfPart(std::move(part));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(TileAndRest parts, Split(layout, tiler, split));
  std::vector<Part> modes;
  if (arrangement == TileArrangement::kFlat) {
    AppendUnzipped(parts.tile, modes);
  } else {
    modes.push_back(std::move(parts.tile));
  }
  if (arrangement == TileArrangement::kZipped) {
    modes.push_back(std::move(parts.rest));
  } else {
    AppendUnzipped(parts.rest, modes);
  }
  return LayoutOfPart(Joined(std::move(modes)));
}

// The identity in as many axes as a tiler tells apart: an integer for each mode that it takes as
// one.
absl::StatusOr<IntTuple> SpaceOf(const CuteLayout& layout, const CuteTree& tiler) {
  if (!tiler.is_tuple()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(layout.shape()));
    return IntTuple::Integer(size);
  }
  if (tiler.rank() > layout.rank()) return TooManyModes(tiler, layout);
  std::vector<IntTuple> members;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout mode, ModeOf(layout, i));
    HLO_INDEXING_ASSIGN_OR_RETURN(
        IntTuple space,
        SpaceOf(mode, i < tiler.rank() ? tiler.members()[i] : CuteTree::Underscore()));
    members.push_back(std::move(space));
  }
  return IntTuple::Tuple(std::move(members));
}

}  // namespace

absl::StatusOr<CuteLayout> Divide(const CuteLayout& layout, const CuteTree& tiler,
                                  TileArrangement arrangement) {
  return Arrange(layout, tiler, arrangement, DivideByLayout);
}

absl::StatusOr<DivideBound> BoundOfDivide(const CuteLayout& layout, const CuteTree& tiler,
                                          TileArrangement arrangement) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple space, SpaceOf(layout, tiler));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout identity, IdentityLayout(space));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout coordinates, Divide(identity, tiler, arrangement));
  DivideBound bound{std::move(coordinates), std::move(space), true};
  if (bound.coordinates.size() == 0) return bound;
  // Strides are not negative: the last element has the largest coordinates.
  HLO_INDEXING_ASSIGN_OR_RETURN(bound.always_inside, bound.Contains(bound.coordinates.size() - 1));
  return bound;
}

absl::StatusOr<bool> DivideBound::Contains(int64_t index) const {
  if (index < 0 || index >= coordinates.size()) {
    return absl::OutOfRangeError("the index " + std::to_string(index) + " is outside of " +
                                 coordinates.ToString());
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const IntTuple coordinate,
      CoordinateToIndex(IntTuple::Dynamic(index), coordinates.shape(), coordinates.stride()));
  return IsBelow(coordinate, extents);
}

absl::StatusOr<CuteLayout> Multiply(const CuteLayout& layout, const CuteTree& tiler,
                                    TileArrangement arrangement) {
  return Arrange(layout, tiler, arrangement, MultiplyByLayout);
}

namespace {

enum class BlockOrder : uint8_t { kBlocked, kRaked };

// What has become of a mode of a layout; an integer is the only mode of its layout, and may have
// become several.
Part ModeOfPart(const Part& part, size_t mode, const CuteLayout& layout) {
  if (layout.shape().is_integer()) return part;
  return {part.shape.members()[mode], part.stride.members()[mode]};
}

absl::StatusOr<CuteLayout> ProductByMode(const CuteLayout& a, const CuteLayout& b,
                                         BlockOrder order) {
  const int64_t rank = std::max(a.rank(), b.rank());
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout padded_a, PaddedTo(a, rank));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout padded_b, PaddedTo(b, rank));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout both, MultiplyByLayout(padded_a, padded_b));
  const TileAndRest product = Halves(both);
  std::vector<Part> modes;
  for (int64_t i = 0; i < rank; ++i) {
    const auto mode = static_cast<size_t>(i);
    Part block = ModeOfPart(product.tile, mode, padded_a);
    Part copies = ModeOfPart(product.rest, mode, padded_b);
    if (order == BlockOrder::kRaked) std::swap(block, copies);
    modes.push_back(Pair(std::move(block), std::move(copies)));
  }
  return LayoutOfPart(Joined(std::move(modes)));
}

}  // namespace

absl::StatusOr<CuteLayout> BlockedProduct(const CuteLayout& a, const CuteLayout& b) {
  return ProductByMode(a, b, BlockOrder::kBlocked);
}

absl::StatusOr<CuteLayout> RakedProduct(const CuteLayout& a, const CuteLayout& b) {
  return ProductByMode(a, b, BlockOrder::kRaked);
}

absl::StatusOr<CuteLayout> TileToShape(const CuteLayout& block, const IntTuple& shape,
                                       const std::optional<IntTuple>& order) {
  if (block.rank() > shape.rank()) {
    return absl::InvalidArgumentError("tile_to_shape: the block " + block.ToString() +
                                      " has more modes than the shape " + shape.ToString());
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout padded, PaddedTo(block, shape.rank()));
  std::vector<IntTuple> copies;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger extent, SizeOf(Modes(shape)[i]));
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(Modes(padded.shape())[i]));
    if (size.value <= 0 || extent.value < 0 || extent.value % size.value != 0) {
      return absl::InvalidArgumentError("tile_to_shape: the block " + block.ToString() +
                                        " does not divide the shape " + shape.ToString() +
                                        " in mode " + std::to_string(i));
    }
    copies.push_back(IntTuple::Integer(DividedRoundingUp(extent, size)));
  }
  const IntTuple counts = IntTuple::Tuple(std::move(copies));
  absl::StatusOr<IntTuple> strides =
      order ? OrderedStrides(counts, *order) : CompactColumnMajor(counts);
  if (!strides.ok()) return strides.status();
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout grid,
                                CuteLayout::Create(counts, *std::move(strides)));
  return BlockedProduct(padded, grid);
}

absl::StatusOr<CuteLayout> FragmentLike(const CuteLayout& layout) {
  const llvm::SmallVector<TupleInteger, 4> extents = layout.shape().Leaves();
  const bool is_static =
      llvm::all_of(extents, [](const TupleInteger& extent) { return extent.is_static(); });
  if (layout.rank() < 2 || !is_static) return ColumnMajor(layout.shape());
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout first, ModeOf(layout, 0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout filtered, FilterZeros(first));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, CompactColumnMajor(filtered.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout head,
                                CuteLayout::Create(first.shape(), std::move(stride)));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout others, TakeModes(layout, {1, layout.rank()}));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple order, OrderedStrides(others.shape(), others.stride()));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout tail,
                                CuteLayout::Create(others.shape(), std::move(order)));
  return Multiply(head, CuteTree::Layout(tail), TileArrangement::kTiled);
}

}  // namespace hlo_indexing::layout
