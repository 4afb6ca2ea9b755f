// Functions of the calculator on tuples and coordinates.
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/evenly_divides.h"
#include "layout/cute_algebra/functions.h"
#include "layout/cute_algebra/tuple.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Arguments = CuteArguments;

template <auto f>
CuteOutcome OfTwoShapes(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple a, arguments.Shape(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple b, arguments.Shape(1));
  return ResultOf(f(a, b));
}

absl::StatusOr<TupleInteger> Congruent(const IntTuple& a, const IntTuple& b) {
  return StaticInteger(AreCongruent(a, b) ? 1 : 0);
}

absl::StatusOr<TupleInteger> WeaklyCongruent(const IntTuple& a, const IntTuple& b) {
  return StaticInteger(IsWeaklyCongruent(a, b) ? 1 : 0);
}

// The part of a tuple that the further arguments name, each a mode of the one before.
absl::StatusOr<IntTuple> PartOf(IntTuple tuple, const Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t index, arguments.Number(i));
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple mode, ModeAt(tuple, index));
    tuple = std::move(mode);
  }
  return tuple;
}

CuteOutcome Size(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, arguments.Shape(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple part, PartOf(std::move(shape), arguments));
  return ResultOf(SizeOf(part));
}

CuteOutcome Rank(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
  return ResultOf(absl::StatusOr<TupleInteger>(StaticInteger(shape.rank())));
}

CuteOutcome Depth(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
  return ResultOf(absl::StatusOr<TupleInteger>(StaticInteger(shape.depth())));
}

CuteOutcome ShapeOf(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, arguments.Shape(0));
  return ResultOf(PartOf(std::move(shape), arguments));
}

CuteOutcome StrideOf(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  if (tensor.plain() == nullptr) {
    return absl::InvalidArgumentError("the composed layout " + tensor.LayoutText() +
                                      " has no strides");
  }
  return ResultOf(PartOf(tensor.plain()->stride(), arguments));
}

CuteOutcome CoordinateIndex(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate, arguments.Tuple(0));
  if (arguments.size() == 2 && arguments.Is<CuteTensor>(1)) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(1));
    return ResultOf(CoordinateToIndex(coordinate, layout.shape(), layout.stride()));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Tuple(1));
  absl::StatusOr<IntTuple> stride =
      arguments.size() > 2 ? arguments.Tuple(2) : CompactColumnMajor(shape);
  if (!stride.ok()) return stride.status();
  return ResultOf(CoordinateToIndex(coordinate, shape, *stride));
}

CuteOutcome IndexCoordinate(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple index, arguments.Tuple(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(1));
  if (arguments.size() == 2) return ResultOf(IndexToCoordinate(index, shape));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple stride, arguments.Tuple(2));
  return ResultOf(OffsetToCoordinate(index, shape, stride));
}

CuteOutcome CoordinateCoordinate(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate, arguments.Tuple(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple from, arguments.Tuple(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple to, arguments.Tuple(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple stride, CompactColumnMajor(from));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple index, CoordinateToIndex(coordinate, from, stride));
  return ResultOf(IndexToCoordinate(index, to));
}

CuteOutcome ExtentOfTile(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple tiler, arguments.Tuple(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple coordinate, arguments.Tuple(2));
  return ResultOf(TileExtent(shape, tiler, coordinate));
}

constexpr CuteFunction kFunctions[] = {
    {"size", 1, 16, "shape or layout[, mode, ...]", Size},
    {"rank", 1, 1, "shape or layout", Rank},
    {"depth", 1, 1, "shape or layout", Depth},
    {"shape", 1, 16, "layout[, mode, ...]", ShapeOf},
    {"stride", 1, 16, "layout[, mode, ...]", StrideOf},
    {"product_each", 1, 1, "shape",
     [](const Arguments& arguments) -> CuteOutcome {
       HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
       return ResultOf(ProductEach(shape));
     }},
    {"ceil_div", 2, 2, "shape, tiler", OfTwoShapes<CeilDivide>},
    {"shape_div", 2, 2, "shape, tiler", OfTwoShapes<ShapeDivide>},
    {"congruent", 2, 2, "a, b", OfTwoShapes<Congruent>},
    {"weakly_congruent", 2, 2, "a, b", OfTwoShapes<WeaklyCongruent>},
    {"compatible", 2, 2, "a, b", OfTwoShapes<IsCompatible>},
    {"evenly_divides", 2, 2, "shape, tiler",
     [](const Arguments& arguments) -> CuteOutcome {
       HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
       HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
       return ResultOf(EvenlyDivides(shape, tiler));
     }},
    {"crd2idx", 2, 3, "coordinate, layout | coordinate, shape[, stride]", CoordinateIndex},
    {"idx2crd", 2, 3, "index, shape or layout[, stride]", IndexCoordinate},
    {"crd2crd", 3, 3, "coordinate, from, to", CoordinateCoordinate},
    {"tile_extent", 3, 3, "shape, tiler, coordinate", ExtentOfTile},
};

}  // namespace

llvm::ArrayRef<CuteFunction> CuteTupleFunctions() { return kFunctions; }

}  // namespace hlo_indexing::layout
