#include "layout/cute_tiling.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_composition.h"
#include "layout/cute_inverse.h"
#include "layout/cute_modes.h"
#include "layout/cute_tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

// A mode taken apart.
struct TileAndRest {
  CuteLayout tile;
  CuteLayout rest;
};

// Takes a mode apart with a tiler that is one layout.
using SplitByLayout = absl::StatusOr<TileAndRest> (*)(const CuteLayout&, const CuteLayout&);

absl::StatusOr<TileAndRest> DivideByLayout(const CuteLayout& layout, const CuteLayout& tiler) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout domain, Coalesce(layout));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout rest,
                                Complement(tiler, domain.shape(), Gaps::kRefused));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout both, Concatenate({tiler, rest}));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout divided, Compose(layout, both));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout first, ModeOf(divided, 0));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout second, ModeOf(divided, 1));
  return TileAndRest{std::move(first), std::move(second)};
}

absl::StatusOr<TileAndRest> MultiplyByLayout(const CuteLayout& layout, const CuteLayout& tiler) {
  if (tiler.has_axes()) {
    return absl::InvalidArgumentError("product: " + tiler.ToString() +
                                      " maps to coordinates, not to copies");
  }
  const std::optional<TupleInteger> size =
      Times(*MarkedProduct(layout.shape()), MarkedCosize(tiler));
  if (!size) return absl::OutOfRangeError("product: its size does not fit in 64 bits");
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout free,
                                Complement(layout, IntTuple::Integer(*size), Gaps::kRefused));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout copies, Compose(free, tiler));
  return TileAndRest{layout, std::move(copies)};
}

absl::StatusOr<CuteLayout> OneElement() { return LayoutOf({}); }

absl::Status TooManyModes(const CuteTree& tiler, const CuteLayout& layout) {
  return absl::InvalidArgumentError("the tiler " + tiler.ToString() + " has more modes than " +
                                    layout.ToString());
}

// By modes; those beyond the tiler stay in the rest.
absl::StatusOr<TileAndRest> Split(const CuteLayout& layout, const CuteTree& tiler,
                                  SplitByLayout split) {
  switch (tiler.kind()) {
    case CuteTree::Kind::kUnderscore: {
      HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout one, OneElement());
      return TileAndRest{layout, std::move(one)};
    }
    case CuteTree::Kind::kLayout:
      return split(layout, tiler.layout());
    case CuteTree::Kind::kInteger: {
      HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout tile,
                                    ColumnMajor(IntTuple::Integer(tiler.integer())));
      return split(layout, tile);
    }
    case CuteTree::Kind::kTuple:
      break;
  }
  if (tiler.rank() > layout.rank()) return TooManyModes(tiler, layout);
  std::vector<CuteLayout> tiles;
  std::vector<CuteLayout> rests;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, ModeOf(layout, i));
    if (i >= tiler.rank()) {
      rests.push_back(std::move(mode));
      continue;
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(TileAndRest parts, Split(mode, tiler.members()[i], split));
    tiles.push_back(std::move(parts.tile));
    rests.push_back(std::move(parts.rest));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout tile, Concatenate(tiles));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout rest, Concatenate(rests));
  return TileAndRest{std::move(tile), std::move(rest)};
}

absl::StatusOr<CuteLayout> LogicalSplit(const CuteLayout& layout, const CuteTree& tiler,
                                        SplitByLayout split) {
  if (tiler.is_underscore()) return layout;
  if (!tiler.is_tuple()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TileAndRest parts, Split(layout, tiler, split));
    return Concatenate({parts.tile, parts.rest});
  }
  if (tiler.rank() > layout.rank()) return TooManyModes(tiler, layout);
  std::vector<CuteLayout> modes;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, ModeOf(layout, i));
    if (i < tiler.rank()) {
      HLO_INDEXING_ASSIGN_OR_RETURN(mode, LogicalSplit(mode, tiler.members()[i], split));
    }
    modes.push_back(std::move(mode));
  }
  return Concatenate(modes);
}

// The modes of a part that become modes of the result; a single one stays as it is, nested or not,
// as CuTe has it.
absl::StatusOr<std::vector<CuteLayout>> Unzipped(const CuteLayout& part) {
  if (part.rank() == 1) return std::vector<CuteLayout>{part};
  return ModesOf(part);
}

absl::StatusOr<CuteLayout> Arrange(const CuteLayout& layout, const CuteTree& tiler,
                                   TileArrangement arrangement, SplitByLayout split) {
  if (arrangement == TileArrangement::kLogical) return LogicalSplit(layout, tiler, split);
  HLO_INDEXING_ASSIGN_OR_RETURN(const TileAndRest parts, Split(layout, tiler, split));
  if (arrangement == TileArrangement::kZipped) return Concatenate({parts.tile, parts.rest});
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::vector<CuteLayout> rests, Unzipped(parts.rest));
  std::vector<CuteLayout> modes = {parts.tile};
  if (arrangement == TileArrangement::kFlat) {
    HLO_INDEXING_ASSIGN_OR_RETURN(modes, Unzipped(parts.tile));
  }
  modes.insert(modes.end(), rests.begin(), rests.end());
  return Concatenate(modes);
}

// Whether all numbers of a coordinate are less than the extents.
bool IsInside(const IntTuple& coordinate, const IntTuple& extents) {
  if (coordinate.is_integer()) {
    const std::optional<int64_t> size = Product(extents);
    return !size || coordinate.integer().value < *size;
  }
  for (int64_t i = 0; i < coordinate.rank(); ++i) {
    if (!IsInside(coordinate.members()[i], extents.members()[i])) return false;
  }
  return true;
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
  return IsInside(coordinate, extents);
}

absl::StatusOr<CuteLayout> Multiply(const CuteLayout& layout, const CuteTree& tiler,
                                    TileArrangement arrangement) {
  return Arrange(layout, tiler, arrangement, MultiplyByLayout);
}

namespace {

enum class BlockOrder { kBlocked, kRaked };

absl::StatusOr<CuteLayout> ProductByMode(const CuteLayout& a, const CuteLayout& b,
                                         BlockOrder order) {
  const int64_t rank = std::max(a.rank(), b.rank());
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout padded_a, PaddedTo(a, rank));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout padded_b, PaddedTo(b, rank));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TileAndRest product, MultiplyByLayout(padded_a, padded_b));
  std::vector<CuteLayout> modes;
  for (int64_t i = 0; i < rank; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout block, ModeOf(product.tile, i));
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout copies, ModeOf(product.rest, i));
    if (order == BlockOrder::kRaked) std::swap(block, copies);
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, Concatenate({block, copies}));
    modes.push_back(std::move(mode));
  }
  return Concatenate(modes);
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
