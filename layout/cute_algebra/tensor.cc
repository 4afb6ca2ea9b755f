#include "layout/cute_algebra/tensor.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

// Sums of offsets, and of coordinates member by member; a number 0 is the coordinate of zeros.
absl::StatusOr<IntTuple> Sum(const IntTuple& a, const IntTuple& b) {
  if (a.is_integer() && b.is_integer()) {
    const std::optional<TupleInteger> sum = Plus(a.integer(), b.integer());
    if (!sum) return absl::OutOfRangeError("an offset does not fit in 64 bits");
    return IntTuple::Integer(*sum);
  }
  if (a.is_integer()) return Sum(b, a);
  if (b.is_integer()) {
    if (b.integer().value == 0) return a;
    return absl::InvalidArgumentError("an offset is added to a coordinate");
  }
  std::vector<IntTuple> members;
  for (size_t i = 0; i < std::max(a.members().size(), b.members().size()); ++i) {
    const IntTuple zero = IntTuple::Static(0);
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple member,
                                  Sum(i < a.members().size() ? a.members()[i] : zero,
                                      i < b.members().size() ? b.members()[i] : zero));
    members.push_back(std::move(member));
  }
  return IntTuple::Tuple(std::move(members));
}

// `_` for each of so many modes. A single mode is kept as it is, nested or not, as CuTe does.
CuteTree Underscores(int64_t count) {
  if (count == 1) return CuteTree::Underscore();
  return CuteTree::Tuple(std::vector<CuteTree>(count, CuteTree::Underscore()));
}

// A tuple with `_` for the modes that are missing; other coordinates as they are.
absl::StatusOr<CuteTree> PaddedCoordinate(const CuteTree& coordinate, int64_t rank) {
  if (!coordinate.is_tuple()) return coordinate;
  if (coordinate.rank() > rank) {
    return absl::InvalidArgumentError("the coordinate " + coordinate.ToString() +
                                      " has more than " + std::to_string(rank) + " modes");
  }
  std::vector<CuteTree> members(coordinate.members().begin(), coordinate.members().end());
  members.resize(rank, CuteTree::Underscore());
  return CuteTree::Tuple(std::move(members));
}

absl::StatusOr<CuteTensor> Zipped(const CuteTensor& tensor, const CuteTree& tiler) {
  return TransformLayout(tensor, [&](const CuteLayout& layout) {
    return Divide(layout, tiler, TileArrangement::kZipped);
  });
}

absl::StatusOr<IntTuple> OriginOf(const CuteTree& coordinate) {
  std::optional<IntTuple> origin = coordinate.ToIntTuple(/*underscore=*/0);
  if (origin) return *std::move(origin);
  return absl::InvalidArgumentError("a coordinate has integers and `_`, not layouts: " +
                                    coordinate.ToString());
}

absl::StatusOr<CuteTensor> SliceComposed(const CuteTensor& tensor, const ComposedLayout& composed,
                                         const CuteTree& coordinate) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple origin, OriginOf(coordinate));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout kept, SliceModes(composed.inner, coordinate));
  if (kept == composed.inner) return tensor;
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const IntTuple inside,
      CoordinateToIndex(origin, composed.inner.shape(), composed.inner.stride()));
  if (!inside.is_integer()) {
    return absl::InvalidArgumentError(composed.ToString() + " maps to coordinates");
  }
  const std::optional<TupleInteger> offset = Plus(composed.offset, inside.integer());
  if (!offset) return absl::OutOfRangeError("an offset does not fit in 64 bits");
  const auto* swizzle = std::get_if<CuteSwizzle>(&composed.outer);
  if (swizzle == nullptr) {
    return CuteTensor{ComposedLayout{composed.outer, *offset, std::move(kept)}, tensor.offset};
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(SwizzledModes modes, SwizzleModes(*swizzle, *offset, kept));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple base, Sum(tensor.offset, IntTuple::Integer(modes.base)));
  return CuteTensor{std::move(modes.layout), std::move(base)};
}

absl::Status CheckThread(const CuteLayout& threads, const TupleInteger& index) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate,
                                FlatCoordinate(threads, IntTuple::Integer(index)));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple offset,
                                CoordinateToIndex(coordinate, threads.shape(), threads.stride()));
  if (offset.is_integer() && offset.integer().value == index.value) return absl::OkStatus();
  return absl::InvalidArgumentError("local_partition: " + std::to_string(index.value) +
                                    " is not the index of a thread of " + threads.ToString() +
                                    ", or that layout is not compact");
}

// The integers of a coordinate, which may be coarser than the shape, are those of elements.
absl::Status CheckIsIn(const CuteTree& coordinate, const IntTuple& shape) {
  if (coordinate.kind() == CuteTree::Kind::kInteger) {
    const std::optional<int64_t> size = Product(shape);
    const int64_t index = coordinate.integer().value;
    if (index >= 0 && (!size || index < *size)) return absl::OkStatus();
    return absl::OutOfRangeError("the index " + std::to_string(index) + " is outside of " +
                                 shape.ToString());
  }
  // Slice says what is wrong with other nestings.
  if (!coordinate.is_tuple() || coordinate.rank() != shape.rank()) return absl::OkStatus();
  for (int64_t i = 0; i < coordinate.rank(); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(CheckIsIn(coordinate.members()[i], Modes(shape)[i]));
  }
  return absl::OkStatus();
}

// Which mode of a divided tensor (tile, grid) a coordinate names.
enum class FixedMode : uint8_t { kTile, kGrid };

absl::StatusOr<CuteTensor> PartAt(const CuteTensor& tiled, const CuteTree& coordinate,
                                  FixedMode fixed) {
  const llvm::ArrayRef<IntTuple> shapes = tiled.modes().shape().members();
  const size_t named = fixed == FixedMode::kTile ? 0 : 1;
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteTree at, PaddedCoordinate(coordinate, shapes[named].rank()));
  HLO_INDEXING_RETURN_IF_ERROR(CheckIsIn(at, shapes[named]));
  CuteTree kept = Underscores(shapes[1 - named].rank());
  if (fixed == FixedMode::kTile) std::swap(at, kept);
  return Slice(tiled, CuteTree::Tuple({kept, at}));
}

// The bound of a part of a divided tensor; nullopt if all of it is inside.
absl::StatusOr<std::optional<TensorBound>> BoundOfPart(const CuteTensor& tensor,
                                                       const CuteTensor& tiled,
                                                       const CuteTree& tiler,
                                                       const CuteTree& coordinate,
                                                       FixedMode fixed) {
  HLO_INDEXING_ASSIGN_OR_RETURN(DivideBound whole,
                                BoundOfDivide(tensor.modes(), tiler, TileArrangement::kZipped));
  if (whole.always_inside) return std::optional<TensorBound>();
  CuteLayout coordinates = std::move(whole.coordinates);
  const IntTuple& shape = tiled.modes().shape();
  if (!AreCongruent(coordinates.shape(), shape)) {
    // The tensor's modes were split where those of the identity need no split.
    HLO_INDEXING_ASSIGN_OR_RETURN(coordinates, WithShape(coordinates, shape));
  }
  CuteTensor identity{
      std::move(coordinates),
      TransformLeaves(whole.extents, [](const TupleInteger&) { return StaticInteger(0); })};
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteTensor part, PartAt(identity, coordinate, fixed));
  TensorBound bound{std::move(part), std::move(whole.extents)};
  if (bound.coordinates.size() == 0) return std::optional<TensorBound>();
  // Strides are not negative: the last element has the largest coordinates.
  HLO_INDEXING_ASSIGN_OR_RETURN(const bool is_inside, bound.Contains(bound.coordinates.size() - 1));
  if (is_inside) return std::optional<TensorBound>();
  return std::optional<TensorBound>(std::move(bound));
}

absl::StatusOr<PartOfTensor> Partition(const CuteTensor& tensor, const CuteTree& tiler,
                                       const CuteTree& coordinate, FixedMode fixed) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tiled, Zipped(tensor, tiler));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteTensor part, PartAt(tiled, coordinate, fixed));
  HLO_INDEXING_ASSIGN_OR_RETURN(std::optional<TensorBound> bound,
                                BoundOfPart(tensor, tiled, tiler, coordinate, fixed));
  return PartOfTensor{std::move(part), std::move(bound)};
}

}  // namespace

const CuteLayout& CuteTensor::modes() const {
  return plain() != nullptr ? *plain() : composed()->inner;
}

bool CuteTensor::begins_at_zero() const {
  const llvm::SmallVector<TupleInteger, 4> leaves = offset.Leaves();
  return llvm::all_of(leaves, [](const TupleInteger& leaf) { return leaf.value == 0; });
}

absl::StatusOr<IntTuple> CuteTensor::At(int64_t index) const {
  if (index < 0 || index >= size()) {
    return absl::OutOfRangeError("the index " + std::to_string(index) + " is outside of " +
                                 modes().shape().ToString());
  }
  return At(IntTuple::Dynamic(index));
}

absl::StatusOr<IntTuple> CuteTensor::At(const IntTuple& coordinate) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple inside,
                                CoordinateToIndex(coordinate, modes().shape(), modes().stride()));
  if (plain() != nullptr) return Sum(offset, inside);
  if (!inside.is_integer()) {
    return absl::InvalidArgumentError(LayoutText() + " maps to coordinates");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t value, composed()->Apply(inside.integer().value));
  return Sum(offset, IntTuple::Dynamic(value));
}

std::string CuteTensor::LayoutText() const {
  return std::visit([](const auto& l) { return l.ToString(); }, layout);
}

absl::StatusOr<CuteTensor> TransformLayout(
    const CuteTensor& tensor, llvm::function_ref<absl::StatusOr<CuteLayout>(const CuteLayout&)> f) {
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout modes, f(tensor.modes()));
  if (tensor.plain() != nullptr) return CuteTensor{std::move(modes), tensor.offset};
  return CuteTensor{
      ComposedLayout{tensor.composed()->outer, tensor.composed()->offset, std::move(modes)},
      tensor.offset};
}

absl::StatusOr<CuteTensor> Slice(const CuteTensor& tensor, const CuteTree& coordinate) {
  if (tensor.plain() == nullptr) return SliceComposed(tensor, *tensor.composed(), coordinate);
  const CuteLayout& layout = *tensor.plain();
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple origin, OriginOf(coordinate));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout kept, SliceModes(layout, coordinate));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple inside,
                                CoordinateToIndex(origin, layout.shape(), layout.stride()));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple offset, Sum(tensor.offset, inside));
  return CuteTensor{std::move(kept), std::move(offset)};
}

absl::StatusOr<CuteTensor> DomainOffset(const CuteTensor& tensor, const IntTuple& coordinate) {
  const CuteLayout& modes = tensor.modes();
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple inside,
                                CoordinateToIndex(coordinate, modes.shape(), modes.stride()));
  if (const ComposedLayout* composed = tensor.composed()) {
    const std::optional<TupleInteger> offset =
        inside.is_integer() ? Plus(composed->offset, inside.integer()) : std::nullopt;
    if (!offset) return absl::OutOfRangeError("an offset does not fit in 64 bits");
    return CuteTensor{ComposedLayout{composed->outer, *offset, composed->inner}, tensor.offset};
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple offset, Sum(tensor.offset, inside));
  return CuteTensor{tensor.layout, std::move(offset)};
}

absl::StatusOr<bool> TensorBound::Contains(int64_t index) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate, coordinates.At(index));
  return IsBelow(coordinate, extents);
}

absl::StatusOr<PartOfTensor> InnerPartition(const CuteTensor& tensor, const CuteTree& tiler,
                                            const CuteTree& coordinate) {
  return Partition(tensor, tiler, coordinate, FixedMode::kGrid);
}

absl::StatusOr<PartOfTensor> OuterPartition(const CuteTensor& tensor, const CuteTree& tiler,
                                            const CuteTree& coordinate) {
  return Partition(tensor, tiler, coordinate, FixedMode::kTile);
}

absl::StatusOr<PartOfTensor> LocalTile(const CuteTensor& tensor, const CuteTree& tiler,
                                       const CuteTree& coordinate,
                                       const std::optional<CuteTree>& projection) {
  if (!projection) return InnerPartition(tensor, tiler, coordinate);
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tile, DiceTree(tiler, *projection));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree at, DiceTree(coordinate, *projection));
  return InnerPartition(tensor, tile, at);
}

absl::StatusOr<PartOfTensor> LocalPartition(const CuteTensor& tensor, const CuteLayout& threads,
                                            const TupleInteger& index,
                                            const std::optional<CuteTree>& projection) {
  // The index counts all threads, those of the modes that are left out as well.
  HLO_INDEXING_RETURN_IF_ERROR(CheckThread(threads, index));
  absl::StatusOr<CuteLayout> used =
      projection ? DiceModes(threads, *projection) : absl::StatusOr<CuteLayout>(threads);
  if (!used.ok()) return used.status();
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple tile, ProductEach(used->shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate,
                                FlatCoordinate(*used, IntTuple::Integer(index)));
  return OuterPartition(tensor, CuteTree::Of(tile), CuteTree::Of(coordinate));
}

absl::StatusOr<CuteTensor> ThreadValuePartition(const CuteTensor& tensor,
                                                const CuteLayout& thread_values,
                                                const CuteTree& thread) {
  if (thread_values.rank() != 2) {
    return absl::InvalidArgumentError("the thread-value layout " + thread_values.ToString() +
                                      " does not have the modes (thread,value)");
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckIsIn(thread, thread_values.shape().members()[0]));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor composed,
                                TransformLayout(tensor, [&](const CuteLayout& layout) {
                                  return Compose(layout, thread_values);
                                }));
  return Slice(composed, CuteTree::Tuple({thread, CuteTree::Underscore()}));
}

absl::StatusOr<IntTuple> HierarchicalCoordinate(const CuteLayout& layout, const IntTuple& offset) {
  return OffsetToCoordinate(offset, layout.shape(), layout.stride());
}

absl::StatusOr<IntTuple> FlatCoordinate(const CuteLayout& layout, const IntTuple& offset) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple nested, HierarchicalCoordinate(layout, offset));
  if (layout.shape().is_integer()) return nested;
  std::vector<IntTuple> members;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple strides,
                                  CompactColumnMajor(layout.shape().members()[i]));
    HLO_INDEXING_ASSIGN_OR_RETURN(
        IntTuple member,
        CoordinateToIndex(nested.members()[i], layout.shape().members()[i], strides));
    members.push_back(std::move(member));
  }
  return IntTuple::Tuple(std::move(members));
}

}  // namespace hlo_indexing::layout
