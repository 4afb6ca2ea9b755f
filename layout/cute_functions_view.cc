// Functions of the calculator that show layouts.
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_composition.h"
#include "layout/cute_functions.h"
#include "layout/cute_inverse.h"
#include "layout/cute_print.h"
#include "layout/cute_tiling.h"
#include "layout/cute_tuple.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Arguments = CuteArguments;

template <absl::StatusOr<std::string> (*print)(const CuteTensor&)>
CuteOutcome Print(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  return ResultOf(print(tensor));
}

// (thread,value) -> index of a tile, from the layouts of threads and of the values of each over the
// tile; and the tile's extents: what the Python DSL calls make_layout_tv.
CuteOutcome MakeThreadValueLayout(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout threads, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout values, arguments.Layout(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout tile, RakedProduct(threads, values));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout inverse, RightInverse(tile));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger num_threads, SizeOf(threads.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger num_values, SizeOf(values.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(
      CuteLayout thread_values,
      WithShape(inverse, IntTuple::Tuple({IntTuple::Integer(num_threads),
                                          IntTuple::Integer(num_values)})));
  if (inverse.size() != tile.size()) {
    return absl::FailedPreconditionError(
        "make_layout_tv: the layouts of threads and values are not compact");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple extents, ProductEach(tile.shape()));
  return ResultOf(absl::StatusOr<CuteTree>(
      CuteTree::Tuple({CuteTree::Of(extents), CuteTree::Layout(std::move(thread_values))})));
}

absl::StatusOr<ThreadValueTile> TileOf(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple tile, arguments.Shape(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple extents, ProductEach(tile));
  const llvm::SmallVector<TupleInteger, 4> leaves = extents.Leaves();
  if (leaves.size() != 2 || leaves[0].value <= 0 || leaves[1].value <= 0) {
    return absl::InvalidArgumentError("the tile has two extents above 0");
  }
  return ThreadValueTile{std::move(layout), leaves[0].value, leaves[1].value};
}

CuteOutcome ThreadValues(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(ThreadValueTile tile, TileOf(arguments));
  return CuteResult{std::move(tile), {}};
}

CuteOutcome PrintThreadValues(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const ThreadValueTile tile, TileOf(arguments));
  return ResultOf(PrintLatexThreadValues(tile));
}

constexpr CuteFunction kFunctions[] = {
    {"make_layout_tv", 2, 2, "thread layout, value layout", MakeThreadValueLayout},
    {"thread_values", 2, 2, "thread-value layout, tile", ThreadValues},
    {"print_layout", 1, 1, "layout", Print<PrintLayout>},
    {"print_tensor", 1, 1, "tensor", Print<PrintTensor>},
    {"ostream_tensor", 1, 1, "tensor", Print<StreamTensor>},
    {"print_latex", 1, 1, "layout", Print<PrintLatex>},
    {"print_latex_tv", 2, 2, "thread-value layout, tile", PrintThreadValues},
};

}  // namespace

llvm::ArrayRef<CuteFunction> CuteViewFunctions() { return kFunctions; }

}  // namespace hlo_indexing::layout
