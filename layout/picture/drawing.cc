#include "layout/picture/drawing.h"

#include <algorithm>

namespace hlo_indexing::layout {
namespace {

// Letters of the label font are so wide and lines so high; the smallest cell.
constexpr int64_t kLetterWidth = 8;
constexpr int64_t kLineHeight = 16;
constexpr int64_t kCellPadding = 12;
constexpr int64_t kMinCellWidth = 36;
constexpr int64_t kMinCellHeight = 30;
constexpr int64_t kMargin = 16;
constexpr int64_t kGap = 32;

llvm::SmallVector<llvm::StringRef, 2> Lines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 2> lines;
  text.split(lines, '\n');
  return lines;
}

int64_t TextWidth(llvm::StringRef text) { return static_cast<int64_t>(text.size()) * kLetterWidth; }

// Adds one grid to a drawing, its top left corner at (x, y).
class GridDrawer {
 public:
  GridDrawer(const Grid& grid, int64_t x, int64_t y, Drawing& drawing)
      : grid_(grid), drawing_(drawing) {
    int64_t header_width = 0;
    for (const std::string& header : grid.row_headers) {
      header_width = std::max(header_width, TextWidth(header));
    }
    if (header_width > 0) header_width += kLetterWidth;
    for (const PictureCell& cell : grid.cells) {
      const auto lines = Lines(cell.label);
      for (const llvm::StringRef line : lines) GrowCells(line);
      cell_height_ =
          std::max(cell_height_, static_cast<int64_t>(lines.size()) * kLineHeight + kCellPadding);
    }
    for (const std::string& header : grid.column_headers) GrowCells(header);
    const int64_t title_height = grid.title.empty() ? 0 : kLineHeight + 8;
    left_ = x + header_width;
    top_ = y + title_height + (grid.column_headers.empty() ? 0 : kLineHeight + 4);
    if (!grid.title.empty()) {
      drawing.texts.push_back({x, y + kLineHeight / 2, TextRole::kGridTitle, grid.title});
    }
    right_ = std::max(left_ + grid.columns * cell_width_, x + TextWidth(grid.title));
    bottom_ = top_ + grid.rows * cell_height_;
  }

  int64_t right() const { return right_; }
  int64_t bottom() const { return bottom_; }

  void Draw() {
    DrawHeaders();
    for (int64_t row = 0; row < grid_.rows; ++row) {
      for (int64_t column = 0; column < grid_.columns; ++column) DrawCell(row, column);
    }
    // The outermost level last.
    for (size_t level = NumBlockLevels(grid_) + 1; level-- > 0;) DrawBorders(level);
  }

 private:
  void GrowCells(llvm::StringRef text) {
    cell_width_ = std::max(cell_width_, TextWidth(text) + kCellPadding);
  }

  int64_t X(int64_t column) const { return left_ + column * cell_width_; }
  int64_t Y(int64_t row) const { return top_ + row * cell_height_; }

  void DrawHeaders() {
    for (size_t i = 0; i < grid_.column_headers.size(); ++i) {
      drawing_.texts.push_back({X(static_cast<int64_t>(i)) + cell_width_ / 2,
                                top_ - kLineHeight / 2 - 2, TextRole::kColumnHeader,
                                grid_.column_headers[i]});
    }
    for (size_t i = 0; i < grid_.row_headers.size(); ++i) {
      drawing_.texts.push_back({left_ - kLetterWidth, Y(static_cast<int64_t>(i)) + cell_height_ / 2,
                                TextRole::kRowHeader, grid_.row_headers[i]});
    }
  }

  void DrawCell(int64_t row, int64_t column) {
    const PictureCell& cell = grid_.At(row, column);
    if (cell.kind == CellKind::kAbsent) return;
    drawing_.cells.push_back({X(column), Y(row), cell_width_, cell_height_, &cell});
    if (cell.label.empty()) return;
    const auto lines = Lines(cell.label);
    int64_t y =
        Y(row) + (cell_height_ - (static_cast<int64_t>(lines.size()) - 1) * kLineHeight) / 2;
    for (const llvm::StringRef line : lines) {
      drawing_.texts.push_back({X(column) + cell_width_ / 2, y, TextRole::kLabel, line.str()});
      y += kLineHeight;
    }
  }

  // All borders of one level; those that continue each other are one line.
  void DrawBorders(size_t level) {
    for (int64_t row = 0; row <= grid_.rows; ++row) {
      ForEachRun(
          grid_.columns,
          [&](int64_t column) {
            return IsBorder(grid_.At(row - 1, column), grid_.At(row, column), level);
          },
          [&](int64_t from, int64_t to) {
            drawing_.borders.push_back({X(from), Y(row), X(to), Y(row), level});
          });
    }
    for (int64_t column = 0; column <= grid_.columns; ++column) {
      ForEachRun(
          grid_.rows,
          [&](int64_t row) {
            return IsBorder(grid_.At(row, column - 1), grid_.At(row, column), level);
          },
          [&](int64_t from, int64_t to) {
            drawing_.borders.push_back({X(column), Y(from), X(column), Y(to), level});
          });
    }
  }

  static bool IsBorder(const PictureCell& a, const PictureCell& b, size_t level) {
    const bool a_absent = a.kind == CellKind::kAbsent;
    const bool b_absent = b.kind == CellKind::kAbsent;
    if (a_absent || b_absent) return a_absent != b_absent && level == 0;
    return level < std::max(a.blocks.size(), b.blocks.size()) && BorderLevel(a, b) == level;
  }

  // Calls `draw(from, to)` for the longest ranges [from, to) inside [0, size) that are borders.
  template <typename IsBorderAt, typename DrawRun>
  static void ForEachRun(int64_t size, IsBorderAt is_border, DrawRun draw) {
    for (int64_t from = 0; from < size; ++from) {
      if (!is_border(from)) continue;
      int64_t to = from + 1;
      while (to < size && is_border(to)) ++to;
      draw(from, to);
      from = to;
    }
  }

  const Grid& grid_;
  Drawing& drawing_;
  int64_t cell_width_ = kMinCellWidth;
  int64_t cell_height_ = kMinCellHeight;
  int64_t left_ = 0;
  int64_t top_ = 0;
  int64_t right_ = 0;
  int64_t bottom_ = 0;
};

}  // namespace

size_t BorderLevel(const PictureCell& a, const PictureCell& b) {
  if (a.kind == CellKind::kAbsent || b.kind == CellKind::kAbsent) return 0;
  const size_t levels = std::max(a.blocks.size(), b.blocks.size());
  for (size_t level = 0; level < levels; ++level) {
    const bool in_both = level < a.blocks.size() && level < b.blocks.size();
    if (!in_both || a.blocks[level] != b.blocks[level]) return level;
  }
  return levels;
}

size_t NumBlockLevels(const Grid& grid) {
  size_t levels = 0;
  for (const PictureCell& cell : grid.cells) levels = std::max(levels, cell.blocks.size());
  return levels;
}

Drawing Draw(const Picture& picture) {
  Drawing drawing;
  int64_t x = kMargin;
  int64_t y = kMargin;
  int64_t right = kMargin;
  if (!picture.title.empty()) {
    drawing.texts.push_back({x, y + kLineHeight / 2, TextRole::kTitle, picture.title});
    // Titles are set in a larger font.
    right = std::max(right, x + TextWidth(picture.title) * 5 / 4);
    y += kLineHeight + kMargin;
  }
  int64_t bottom = y;
  for (const Grid& grid : picture.grids) {
    GridDrawer drawer(grid, x, y, drawing);
    drawer.Draw();
    right = std::max(right, drawer.right());
    bottom = std::max(bottom, drawer.bottom());
    if (picture.arrangement == Arrangement::kSideBySide) {
      x = drawer.right() + kGap;
    } else {
      y = drawer.bottom() + kGap;
    }
  }
  if (!picture.caption.empty()) {
    bottom += kMargin;
    for (const llvm::StringRef line : Lines(picture.caption)) {
      drawing.texts.push_back({kMargin, bottom + kLineHeight / 2, TextRole::kCaption, line.str()});
      right = std::max(right, kMargin + TextWidth(line));
      bottom += kLineHeight + 2;
    }
  }
  drawing.width = right + kMargin;
  drawing.height = bottom + kMargin;
  return drawing;
}

}  // namespace hlo_indexing::layout
