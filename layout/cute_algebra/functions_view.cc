// Functions of the calculator that show layouts, decide their properties and convert them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/conversion.h"
#include "layout/cute_algebra/functions.h"
#include "layout/cute_algebra/inverse.h"
#include "layout/cute_algebra/linear_layout.h"
#include "layout/cute_algebra/print.h"
#include "layout/cute_algebra/properties.h"
#include "layout/cute_algebra/tiling.h"
#include "layout/cute_algebra/tuple.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "support/answer.h"
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
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout inverse, RightInverse(tile));
  if (inverse.size() != tile.size()) {
    // Dynamic numbers may hide that the tile is compact.
    HLO_INDEXING_ASSIGN_OR_RETURN(inverse, RightInverse(AsDynamic(tile)));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger num_threads, SizeOf(threads.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger num_values, SizeOf(values.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(
      CuteLayout thread_values,
      WithShape(inverse,
                IntTuple::Tuple({IntTuple::Integer(num_threads), IntTuple::Integer(num_values)})));
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

// ---- Properties.

CuteOutcome Equal(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor a, arguments.Tensor(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor b, arguments.Tensor(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<int64_t> difference, FirstDifference(a, b));
  if (!difference) return ResultOf(absl::StatusOr<std::string>("yes"));
  return ResultOf(
      absl::StatusOr<std::string>("no: they differ at index " + std::to_string(*difference)));
}

CuteOutcome Injective(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  return ResultOf(absl::StatusOr<std::string>(support::AnswerName(IsInjective(layout)).str()));
}

CuteOutcome Onto(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t extent, arguments.Number(1));
  return ResultOf(absl::StatusOr<std::string>(support::AnswerName(IsOnto(layout, extent)).str()));
}

// ---- Other forms.

CuteOutcome BasesOf(const Arguments& arguments) {
  CuteTensor tensor{CuteLayout(*LayoutOf({}))};
  if (arguments.size() == 1) {
    HLO_INDEXING_ASSIGN_OR_RETURN(tensor, arguments.Tensor(0));
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteResult composed, ComposeValues(arguments));
    tensor = std::get<CuteTensor>(composed.value);
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto bases, LinearBases(tensor));
  std::vector<IntTuple> members;
  for (const int64_t basis : bases) members.push_back(IntTuple::Dynamic(basis));
  return ResultOf(absl::StatusOr<IntTuple>(IntTuple::Tuple(std::move(members))));
}

CuteOutcome OfBases(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple tuple, arguments.Tuple(0));
  llvm::SmallVector<int64_t, 8> bases;
  const llvm::SmallVector<TupleInteger, 4> leaves = tuple.Leaves();
  for (const TupleInteger& leaf : leaves) bases.push_back(leaf.value);
  return ResultOf(LayoutOfBases(bases));
}

template <LayoutDomain domain>
CuteOutcome AffineText(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const BoundedAffineMap map = ToAffineMap(layout, domain, &context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  map.map.print(stream);
  for (size_t i = 0; i < map.dimension_bounds.size(); ++i) {
    stream << (i == 0 ? ", domain: d" : ", d") << i << " in [" << map.dimension_bounds[i].lower
           << ", " << map.dimension_bounds[i].upper << "]";
  }
  return ResultOf(absl::StatusOr<std::string>(std::move(text)));
}

// `f32[3,5]{1,0:T(2,2)}`: the element type does not matter.
CuteOutcome OfXla(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::string text, arguments.Text(0));
  llvm::StringRef rest = text;
  const auto [type, after] = rest.split('[');
  const auto [list, layout_text] = after.split(']');
  llvm::SmallVector<int64_t, 6> dimensions;
  llvm::SmallVector<llvm::StringRef, 6> numbers;
  if (!list.trim().empty()) list.split(numbers, ',');
  bool is_good = rest.contains('[') && after.contains(']') &&
                 llvm::all_of(type.trim(), [](char c) { return llvm::isAlnum(c); });
  for (const llvm::StringRef number : numbers) {
    dimensions.emplace_back();
    is_good &= !number.trim().getAsInteger(10, dimensions.back());
  }
  if (!is_good) {
    return absl::InvalidArgumentError(
        "expected a quoted shape with an XLA layout, 'f32[3,5]{1,0:T(2,2)}'");
  }
  absl::StatusOr<Layout> layout = layout_text.trim().empty()
                                      ? DefaultLayout(static_cast<int64_t>(dimensions.size()))
                                      : ParseLayout(layout_text.trim());
  if (!layout.ok()) {
    // The lines that show the place are left out: the error of the expression has such lines
    // itself.
    return absl::InvalidArgumentError(
        layout.status().message().substr(0, layout.status().message().find('\n')));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteOfXla of, CuteLayoutOfXla(dimensions, *layout));
  CuteResult result{CuteTensor{of.layout}, {}};
  if (!of.is_padded) return result;
  std::vector<IntTuple> extents;
  for (const int64_t extent : of.dimensions) extents.push_back(IntTuple::Static(extent));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple padded, ProductEach(of.layout.shape()));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout identity, IdentityLayout(padded));
  result.bound = TensorBound{CuteTensor{std::move(identity)}, IntTuple::Tuple(std::move(extents))};
  return result;
}

CuteOutcome ToXla(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Layout xla, XlaLayoutOfCute(layout));
  std::string text = "[";
  for (const IntTuple& mode : Modes(layout.shape())) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(mode));
    text += (text.size() > 1 ? "," : "") + std::to_string(size.value);
  }
  return ResultOf(absl::StatusOr<std::string>(text + "]" + xla.ToString()));
}

constexpr CuteFunction kFunctions[] = {
    {"equal", 2, 2, "a, b", Equal},
    {"injective", 1, 1, "layout", Injective},
    {"onto", 2, 2, "layout, extent", Onto},
    {"f2_bases", 1, 2, "layout | swizzle, layout", BasesOf},
    {"from_f2_bases", 1, 1, "(basis,...)", OfBases},
    {"affine", 1, 1, "layout", AffineText<LayoutDomain::kIndex>},
    {"affine_by_mode", 1, 1, "layout", AffineText<LayoutDomain::kFlatModes>},
    {"from_xla", 1, 1, "'f32[3,5]{1,0:T(2,2)}'", OfXla},
    {"to_xla", 1, 1, "layout", ToXla},
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
