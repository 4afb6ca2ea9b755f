#include "layout/tiled_picture.h"

#include <algorithm>

#include "layout/row_major.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using Coordinates = llvm::SmallVector<int64_t, 8>;
using BlockIds = llvm::SmallVector<int64_t, 2>;

// The longest row of memory.
constexpr int64_t kMaxMemoryColumns = 32;
// Grids stand side by side if they have no more columns in all.
constexpr int64_t kMaxColumnsSideBySide = 40;

int64_t RowMajor(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> bounds) {
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) position = position * bounds[i] + index[i];
  return position;
}

Coordinates IndexOf(int64_t position, llvm::ArrayRef<int64_t> bounds) {
  Coordinates index(bounds.size(), 0);
  for (size_t i = bounds.size(); i-- > 0; position /= bounds[i]) index[i] = position % bounds[i];
  return index;
}

// The coordinates behind a tiling; the index may lie in the padding.
Coordinates Tiled(llvm::ArrayRef<int64_t> index, const TilingLevel& level) {
  Coordinates before(level.num_leading_ones, 0);
  before.append(index.begin(), index.end());
  Coordinates outer;
  Coordinates inner;
  size_t next = 0;
  for (size_t i = 0; i < level.combined.size(); ++i) {
    const size_t size = level.group_sizes[i];
    const int64_t combined = RowMajor(llvm::ArrayRef<int64_t>(before).slice(next, size),
                                      llvm::ArrayRef<int64_t>(level.before).slice(next, size));
    next += size;
    if (i < level.num_untiled()) {
      outer.push_back(combined);
      continue;
    }
    const int64_t tile = level.tile[i - level.num_untiled()];
    outer.push_back(combined / tile);
    inner.push_back(combined % tile);
  }
  outer.append(inner);
  return outer;
}

// An index as a label; "()" for that of a scalar.
std::string Joined(llvm::ArrayRef<int64_t> values) {
  if (values.empty()) return "()";
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

// "1 element", "2 elements"
std::string Counted(int64_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

// Makes the grids of one layout.
class TiledPainter {
 public:
  explicit TiledPainter(const TiledLayout& layout) : layout_(layout) {
    shown_.assign(layout.dimensions().begin(), layout.dimensions().end());
    if (PadsDimensions()) {
      const llvm::ArrayRef<int64_t> order = layout.layout().minor_to_major;
      const Bounds& padded = layout.levels().front().padded;
      for (size_t i = 0; i < padded.size(); ++i) {
        shown_[static_cast<size_t>(order[padded.size() - 1 - i])] = padded[i];
      }
    }
    columns_ = shown_.empty() ? 1 : shown_.back();
    rows_ = shown_.size() < 2 ? 1 : shown_[shown_.size() - 2];
    num_grids_ = 1;
    for (size_t i = 0; i + 2 < shown_.size(); ++i) {
      num_grids_ = support::CheckedMul(num_grids_, shown_[i]).value_or(support::kInt64Max);
    }
  }

  int64_t NumCells() const {
    const auto plane = support::CheckedMul(rows_, columns_);
    const auto array = plane ? support::CheckedMul(*plane, num_grids_) : std::nullopt;
    const auto all = array ? support::CheckedAdd(*array, layout_.num_positions()) : std::nullopt;
    return all.value_or(support::kInt64Max);
  }

  Picture Paint(std::string title) {
    Picture picture;
    picture.title = std::move(title);
    for (int64_t i = 0; i < num_grids_ && rows_ * columns_ > 0; ++i) {
      picture.grids.push_back(ArrayGrid(i));
    }
    if (layout_.num_positions() > 0) picture.grids.push_back(MemoryGrid());
    int64_t columns = 0;
    for (const Grid& grid : picture.grids) columns += grid.columns;
    const bool narrow = picture.grids.size() <= 2 && columns <= kMaxColumnsSideBySide;
    picture.arrangement = narrow ? Arrangement::kSideBySide : Arrangement::kStacked;
    const int64_t padding = layout_.num_positions() - layout_.num_elements();
    picture.caption = Counted(layout_.num_elements(), "element") + " in " +
                      Counted(layout_.num_positions(), "position") + ", " +
                      std::to_string(padding) + " of padding";
    return picture;
  }

 private:
  // Whether the padding of the first tile is that of dimensions of the array.
  bool PadsDimensions() const {
    if (layout_.levels().empty() || layout_.num_elements() == 0) return false;
    const TilingLevel& level = layout_.levels().front();
    return level.num_leading_ones == 0 && level.combined.size() == level.before.size();
  }

  // The blocks that an index, perhaps in the padding, is in: a number for each level of tiling.
  BlockIds BlocksOf(llvm::ArrayRef<int64_t> index) const {
    Coordinates coordinates;
    for (const int64_t dimension : llvm::reverse(layout_.layout().minor_to_major)) {
      coordinates.push_back(index[static_cast<size_t>(dimension)]);
    }
    BlockIds blocks;
    if (layout_.levels().empty()) {
      const Bounds bounds = PhysicalOrder(layout_.dimensions(), layout_.layout());
      if (bounds.size() < 2) return blocks;
      return {RowMajor(coordinates, bounds) / bounds.back()};
    }
    for (const TilingLevel& level : layout_.levels()) {
      coordinates = Tiled(coordinates, level);
      const size_t outer = level.combined.size();
      blocks.push_back(RowMajor(llvm::ArrayRef<int64_t>(coordinates).take_front(outer),
                                llvm::ArrayRef<int64_t>(level.after).take_front(outer)));
    }
    return blocks;
  }

  PictureCell ElementCell(std::string label, const BlockIds& blocks) const {
    const int64_t colour = blocks.empty() ? kUncoloured : blocks.front();
    return {std::move(label), colour, CellKind::kElement, blocks};
  }

  Grid ArrayGrid(int64_t number) const {
    Grid grid;
    grid.rows = rows_;
    grid.columns = columns_;
    grid.text_rules = TextRules::kBetweenBlocks;
    const llvm::ArrayRef<int64_t> sizes = layout_.dimensions();
    Coordinates index;
    if (sizes.size() > 2) {
      index = IndexOf(number, llvm::ArrayRef<int64_t>(shown_).drop_back(2));
      grid.title = "position of element [" + Joined(index) + ",*,*]";
    } else {
      grid.title = "position of each element";
    }
    index.resize(sizes.size());
    for (int64_t row = 0; row < rows_; ++row) {
      if (sizes.size() > 1) grid.row_headers.push_back(Header(row, sizes[sizes.size() - 2]));
      for (int64_t column = 0; column < columns_; ++column) {
        if (sizes.size() > 1) index[index.size() - 2] = row;
        if (!sizes.empty()) index.back() = column;
        const BlockIds blocks = BlocksOf(index);
        if (layout_.ContainsIndex(index)) {
          grid.cells.push_back(ElementCell(std::to_string(layout_.Position(index)), blocks));
        } else {
          grid.cells.push_back({"", kUncoloured, CellKind::kPadding, blocks});
        }
      }
    }
    for (int64_t column = 0; column < columns_ && !sizes.empty(); ++column) {
      grid.column_headers.push_back(Header(column, sizes.back()));
    }
    return grid;
  }

  // Padding has no index.
  static std::string Header(int64_t i, int64_t size) {
    return i < size ? std::to_string(i) : std::string();
  }

  // How many positions a block of each level takes, if they lie together; 0 if they do not.
  llvm::SmallVector<int64_t, 2> PositionsPerBlock() const {
    llvm::SmallVector<int64_t, 2> sizes;
    for (const TilingLevel& level : layout_.levels()) {
      const int64_t blocks =
          Product(llvm::ArrayRef<int64_t>(level.after).take_front(level.combined.size()))
              .value_or(0);
      const int64_t positions = *Product(layout_.levels().back().after);
      sizes.push_back(blocks > 0 && positions % blocks == 0 ? positions / blocks : 0);
    }
    for (int64_t p = 0; p < layout_.num_positions(); ++p) {
      const auto index = layout_.IndexAt(p);
      if (!index) continue;
      const BlockIds blocks = BlocksOf(*index);
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] > 0 && p / sizes[i] != blocks[i]) sizes[i] = 0;
      }
    }
    return sizes;
  }

  // How many positions a row of memory shows: one of the outermost blocks, or of the lines along
  // the fastest dimension; a part of it if it is long, several if they are many and short.
  int64_t MemoryColumns(llvm::ArrayRef<int64_t> positions_per_block) const {
    int64_t block = positions_per_block.empty() ? 0 : positions_per_block.front();
    if (layout_.levels().empty() && layout_.rank() > 0) {
      block = layout_.dimensions()[static_cast<size_t>(layout_.layout().minor_to_major.front())];
    }
    constexpr int64_t kFewColumns = 8;
    constexpr int64_t kFewRows = 16;
    const int64_t positions = layout_.num_positions();
    if (block < 1) return std::min(positions, kMaxMemoryColumns / 2);
    if (block < kFewColumns && positions > kFewRows * block) {
      return kMaxMemoryColumns / 2 / block * block;
    }
    for (int64_t columns = std::min(block, kMaxMemoryColumns); columns >= kFewColumns; --columns) {
      if (block % columns == 0) return columns;
    }
    return std::min(block, kMaxMemoryColumns / 2);
  }

  Grid MemoryGrid() const {
    const llvm::SmallVector<int64_t, 2> sizes = PositionsPerBlock();
    Grid grid;
    grid.title = "memory: element at each position";
    grid.text_rules = TextRules::kBetweenBlocks;
    grid.columns = MemoryColumns(sizes);
    grid.rows = support::CeilDiv(layout_.num_positions(), grid.columns);
    for (int64_t p = 0; p < layout_.num_positions(); ++p) {
      const auto index = layout_.IndexAt(p);
      BlockIds blocks;
      if (index) {
        blocks = BlocksOf(*index);
      } else {
        // Padding that lies together with a block is drawn as a part of it.
        for (const int64_t size : sizes) blocks.push_back(size > 0 ? p / size : -1);
      }
      grid.cells.push_back(index ? ElementCell(Joined(*index), blocks)
                                 : PictureCell{"", kUncoloured, CellKind::kPadding, blocks});
      if (p % grid.columns == 0) grid.row_headers.push_back(std::to_string(p));
    }
    for (int64_t i = 0; i < grid.columns; ++i) {
      grid.column_headers.push_back("+" + std::to_string(i));
    }
    return grid;
  }

  const TiledLayout& layout_;
  // The sizes of the array as shown, with the padding of the first tile.
  Coordinates shown_;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  int64_t num_grids_ = 1;
};

}  // namespace

absl::StatusOr<Picture> PictureOf(const TiledLayout& layout, const TiledPictureOptions& options) {
  TiledPainter painter(layout);
  if (painter.NumCells() > options.max_cells) {
    return absl::ResourceExhaustedError(
        "the picture would have " + std::to_string(painter.NumCells()) +
        " cells, more than the limit of " + std::to_string(options.max_cells));
  }
  return painter.Paint(options.title);
}

}  // namespace hlo_indexing::layout
