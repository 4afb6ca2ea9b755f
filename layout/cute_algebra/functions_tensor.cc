// Functions of the calculator that tile layouts and take tensors apart.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/functions.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tensor.h"
#include "layout/cute_algebra/tiling.h"
#include "layout/cute_algebra/tuple.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Arguments = CuteArguments;

template <TileArrangement arrangement>
CuteOutcome DivideBy(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteTensor tiled,
                                TransformLayout(tensor, [&](const CuteLayout& layout) {
                                  return Divide(layout, tiler, arrangement);
                                }));
  CuteResult result{std::move(tiled), {}};
  HLO_INDEXING_ASSIGN_OR_RETURN(DivideBound bound,
                                BoundOfDivide(tensor.modes(), tiler, arrangement));
  if (!bound.always_inside) {
    result.bound = TensorBound{CuteTensor{std::move(bound.coordinates)}, std::move(bound.extents)};
  }
  return result;
}

template <TileArrangement arrangement>
CuteOutcome MultiplyBy(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  if (!tensor.begins_at_zero()) {
    return absl::InvalidArgumentError(
        "products of tensors do not exist, for they would reach elements outside of the data; "
        "multiply the layout instead");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
  return OnLayout(arguments,
                  [&](const CuteLayout& layout) { return Multiply(layout, tiler, arrangement); });
}

CuteOutcome FillShape(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(1));
  std::optional<IntTuple> order;
  if (arguments.size() > 2) {
    HLO_INDEXING_ASSIGN_OR_RETURN(order, arguments.Tuple(2));
  }
  return OnLayout(arguments,
                  [&](const CuteLayout& block) { return TileToShape(block, shape, order); });
}

// ---- Tensors.

CuteOutcome ResultOfPart(absl::StatusOr<PartOfTensor> part) {
  if (!part.ok()) return part.status();
  std::optional<TensorBound> bound = std::move(part->bound);
  return CuteResult{CuteTensor(*std::move(part)), std::move(bound)};
}

absl::StatusOr<CuteTensor> IdentityTensor(const IntTuple& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout layout, IdentityLayout(shape));
  return CuteTensor{std::move(layout),
                    TransformLeaves(shape, [](const TupleInteger&) { return StaticInteger(0); })};
}

CuteOutcome SliceAt(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree coordinate, arguments.Tree(1));
  return ResultOf(Slice(tensor, coordinate));
}

// A coordinate without `_` gives the element, others a slice.
CuteOutcome AtCoordinate(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree coordinate, arguments.Tree(1));
  if (const std::optional<IntTuple> point = coordinate.ToIntTuple()) {
    return ResultOf(tensor.At(*point));
  }
  return ResultOf(Slice(tensor, coordinate));
}

CuteOutcome DiceAt(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree coordinate, arguments.Tree(1));
  return ResultOf(DiceModes(layout, coordinate));
}

CuteOutcome MoveOrigin(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate, arguments.Tuple(1));
  return ResultOf(DomainOffset(tensor, coordinate));
}

template <absl::StatusOr<PartOfTensor> (*partition)(const CuteTensor&, const CuteTree&,
                                                    const CuteTree&)>
CuteOutcome PartitionBy(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree coordinate, arguments.Tree(2));
  return ResultOfPart(partition(tensor, tiler, coordinate));
}

absl::StatusOr<std::optional<CuteTree>> Projection(const Arguments& arguments) {
  if (arguments.size() < 4) return std::optional<CuteTree>();
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteTree projection, arguments.Tree(3));
  return std::optional<CuteTree>(std::move(projection));
}

CuteOutcome TileAt(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree coordinate, arguments.Tree(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<CuteTree> projection, Projection(arguments));
  return ResultOfPart(LocalTile(tensor, tiler, coordinate, projection));
}

CuteOutcome PartOfThread(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout threads, arguments.Layout(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger index, arguments.Integer(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<CuteTree> projection, Projection(arguments));
  return ResultOfPart(LocalPartition(tensor, threads, index, projection));
}

CuteOutcome ValuesOfThread(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout thread_values, arguments.Layout(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree thread, arguments.Tree(2));
  return ResultOf(ThreadValuePartition(tensor, thread_values, thread));
}

template <absl::StatusOr<IntTuple> (*coordinate)(const CuteLayout&, const IntTuple&)>
CuteOutcome CoordinateOf(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple offset, arguments.Tuple(1));
  // Mode by mode, as CuTe divides: of strides that are not those of a compact layout, what comes
  // out may have another offset.
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple nested, HierarchicalCoordinate(layout, offset));
  const absl::StatusOr<IntTuple> reached =
      CoordinateToIndex(nested, layout.shape(), layout.stride());
  const bool is_other = reached.ok() && reached->is_integer() && offset.is_integer() &&
                        reached->integer().value != offset.integer().value;
  if (is_other) {
    return absl::InvalidArgumentError(
        absl::StrCat("the coordinate ", nested.ToString(), " of ", layout.ToString(),
                     " has offset ", reached->ToString(), ", not ", offset.ToString()));
  }
  return ResultOf(coordinate(layout, offset));
}

absl::StatusOr<IntTuple> LinearCoordinate(const CuteLayout& layout, const IntTuple& offset) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple nested, HierarchicalCoordinate(layout, offset));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple strides, CompactColumnMajor(layout.shape()));
  return CoordinateToIndex(nested, layout.shape(), strides);
}

CuteOutcome ApplySwizzle(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteSwizzle swizzle, arguments.Swizzle(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple offsets, arguments.Tuple(1));
  return ResultOf(
      absl::StatusOr<IntTuple>(TransformLeaves(offsets, [&](const TupleInteger& offset) {
        TupleInteger result = offset;
        result.value = swizzle.Apply(offset.value);
        result.divisor = 1;
        return result;
      })));
}

constexpr CuteFunction kTilingFunctions[] = {
    {"logical_divide", 2, 2, "layout, tiler", DivideBy<TileArrangement::kLogical>},
    {"zipped_divide", 2, 2, "layout, tiler", DivideBy<TileArrangement::kZipped>},
    {"tiled_divide", 2, 2, "layout, tiler", DivideBy<TileArrangement::kTiled>},
    {"flat_divide", 2, 2, "layout, tiler", DivideBy<TileArrangement::kFlat>},
    {"logical_product", 2, 2, "layout, tiler", MultiplyBy<TileArrangement::kLogical>},
    {"zipped_product", 2, 2, "layout, tiler", MultiplyBy<TileArrangement::kZipped>},
    {"tiled_product", 2, 2, "layout, tiler", MultiplyBy<TileArrangement::kTiled>},
    {"flat_product", 2, 2, "layout, tiler", MultiplyBy<TileArrangement::kFlat>},
    {"blocked_product", 2, 2, "block, grid", OfTwoLayouts<BlockedProduct>},
    {"raked_product", 2, 2, "block, grid", OfTwoLayouts<RakedProduct>},
    {"tile_to_shape", 2, 3, "block, shape[, order]", FillShape},
    {"make_fragment_like", 1, 1, "layout", OfLayout<FragmentLike>},
};

constexpr CuteFunction kTensorFunctions[] = {
    {"make_identity_tensor", 1, 1, "shape",
     [](const Arguments& arguments) -> CuteOutcome {
       HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
       return ResultOf(IdentityTensor(shape));
     }},
    {"at", 2, 2, "tensor, coordinate", AtCoordinate},
    {"slice", 2, 2, "tensor, coordinate", SliceAt},
    {"dice", 2, 2, "layout, coordinate", DiceAt},
    {"domain_offset", 2, 2, "tensor, coordinate", MoveOrigin},
    {"inner_partition", 3, 3, "tensor, tiler, coordinate", PartitionBy<InnerPartition>},
    {"outer_partition", 3, 3, "tensor, tiler, coordinate", PartitionBy<OuterPartition>},
    {"local_tile", 3, 4, "tensor, tiler, coordinate[, projection]", TileAt},
    {"local_partition", 3, 4, "tensor, threads, index[, projection]", PartOfThread},
    {"tv_partition", 3, 3, "tensor, thread-value layout, thread", ValuesOfThread},
    {"get_hier_coord", 2, 2, "layout, offset", CoordinateOf<HierarchicalCoordinate>},
    {"get_flat_coord", 2, 2, "layout, offset", CoordinateOf<FlatCoordinate>},
    {"get_1d_coord", 2, 2, "layout, offset", CoordinateOf<LinearCoordinate>},
    {"swizzle_apply", 2, 2, "swizzle, offsets", ApplySwizzle},
};

}  // namespace

llvm::ArrayRef<CuteFunction> CuteTilingFunctions() { return kTilingFunctions; }

llvm::ArrayRef<CuteFunction> CuteTensorFunctions() { return kTensorFunctions; }

}  // namespace hlo_indexing::layout
