#include "layout/cute_algebra/picture.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_algebra/tuple.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

constexpr int64_t kMostCells = 65536;
constexpr int64_t kNumColours = 8;

absl::Status CheckCells(int64_t cells) {
  if (cells <= kMostCells) return absl::OkStatus();
  return absl::ResourceExhaustedError("a picture of " + std::to_string(cells) +
                                      " elements is too large: the limit is " +
                                      std::to_string(kMostCells));
}

void NumberHeaders(Grid& grid) {
  for (int64_t i = 0; i < grid.rows; ++i) grid.row_headers.push_back(std::to_string(i));
  for (int64_t i = 0; i < grid.columns; ++i) grid.column_headers.push_back(std::to_string(i));
}

// After how many coordinates of a mode its first member begins again; 0 if it is not nested.
int64_t InnerSize(const IntTuple& shape) {
  if (shape.is_integer() || shape.rank() < 2) return 0;
  return Product(shape.members().front()).value_or(0);
}

// The block that a row or a column lies in.
int64_t BlockOf(int64_t coordinate, int64_t inner_size) {
  return inner_size > 0 ? coordinate / inner_size : 0;
}

}  // namespace

absl::StatusOr<Picture> PictureOf(const CuteTensor& tensor) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckCells(tensor.size()));
  const IntTuple& shape = tensor.modes().shape();
  const bool has_modes = !shape.is_integer() && shape.rank() > 0;
  const IntTuple first = has_modes ? shape.members().front() : shape;
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger rows, SizeOf(first));
  Grid grid;
  grid.title = CuteValueText(CuteValue(tensor));
  grid.rows = rows.value;
  grid.columns = rows.value == 0 ? 0 : tensor.size() / rows.value;
  NumberHeaders(grid);
  const int64_t inner_rows = InnerSize(first);
  const int64_t inner_columns = shape.rank() > 1 ? InnerSize(shape.members()[1]) : 0;
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple element, tensor.At(column * grid.rows + row));
      PictureCell cell;
      if (element.is_integer()) {
        const int64_t offset = element.integer().value;
        cell.label = std::to_string(offset);
        cell.colour_class = support::FloorMod(offset, kNumColours);
      } else {
        cell.label = TransformLeaves(element, [](const TupleInteger& leaf) {
                       return TupleInteger{leaf.value, IntegerKind::kDynamic, 1, {}};
                     }).ToString();
      }
      cell.blocks = {BlockOf(row, inner_rows) * (grid.columns + 1) +
                     BlockOf(column, inner_columns)};
      grid.cells.push_back(std::move(cell));
    }
  }
  Picture picture;
  picture.grids.push_back(std::move(grid));
  return picture;
}

absl::StatusOr<Picture> PictureOf(const ThreadValueTile& tile) {
  const CuteLayout& layout = tile.thread_values;
  HLO_INDEXING_RETURN_IF_ERROR(CheckCells(layout.size()));
  if (layout.rank() != 2 || layout.has_axes()) {
    return absl::InvalidArgumentError("the thread-value layout " + layout.ToString() +
                                      " does not have the modes (thread,value)");
  }
  const std::optional<int64_t> cells = support::CheckedMul(tile.rows, tile.columns);
  HLO_INDEXING_RETURN_IF_ERROR(CheckCells(cells.value_or(support::kInt64Max)));
  Grid grid;
  grid.title = layout.ToString();
  grid.rows = tile.rows;
  grid.columns = tile.columns;
  NumberHeaders(grid);
  PictureCell nobody;
  nobody.kind = CellKind::kPadding;
  grid.cells.assign(static_cast<size_t>(*cells), nobody);
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger threads, SizeOf(layout.shape().members()[0]));
  for (int64_t i = 0; i < layout.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t element, layout.Offset(i));
    if (element < 0 || element >= *cells) {
      return absl::InvalidArgumentError("the value " + std::to_string(i / threads.value) +
                                        " of thread " + std::to_string(i % threads.value) +
                                        " is element " + std::to_string(element) +
                                        ", outside of the tile of " + std::to_string(*cells));
    }
    const int64_t at = element % tile.rows * tile.columns + element / tile.rows;
    PictureCell& cell = grid.cells[static_cast<size_t>(at)];
    const int64_t thread = i % threads.value;
    if (cell.kind == CellKind::kPadding) cell.colour_class = thread % kNumColours;
    cell.kind = CellKind::kElement;
    if (!cell.label.empty()) cell.label += '\n';
    cell.label += "T" + std::to_string(thread) + "V" + std::to_string(i / threads.value);
  }
  Picture picture;
  picture.grids.push_back(std::move(grid));
  return picture;
}

absl::StatusOr<Picture> PictureOf(const CuteValue& value) {
  if (const auto* tensor = std::get_if<CuteTensor>(&value)) return PictureOf(*tensor);
  if (const auto* tile = std::get_if<ThreadValueTile>(&value)) return PictureOf(*tile);
  return absl::InvalidArgumentError("a picture needs a layout, or thread_values(layout, tile)");
}

}  // namespace hlo_indexing::layout
