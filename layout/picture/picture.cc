#include "layout/picture/picture.h"

#include <algorithm>

#include "layout/picture/drawing.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::layout {
namespace {

std::vector<std::string> Lines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 2> parts;
  text.split(parts, '\n');
  std::vector<std::string> lines;
  for (const llvm::StringRef part : parts) lines.push_back(part.str());
  return lines;
}

// What stands in a cell, line by line.
std::vector<std::string> CellLines(const PictureCell& cell) {
  if (cell.kind == CellKind::kAbsent) return {""};
  if (cell.kind == CellKind::kPadding && cell.label.empty()) return {"."};
  return Lines(cell.label);
}

std::string RightAligned(llvm::StringRef text, size_t width) {
  const size_t missing = width > text.size() ? width - text.size() : 0;
  return std::string(missing, ' ') + text.str();
}

// One grid as lines of characters.
class GridWriter {
 public:
  GridWriter(const Grid& grid, std::string& out) : grid_(grid), out_(out) {
    label_width_ = static_cast<size_t>(std::max<int64_t>(grid.minimum_label_width, 1));
    for (const PictureCell& cell : grid.cells) {
      for (const std::string& line : CellLines(cell)) {
        label_width_ = std::max(label_width_, line.size());
      }
    }
    for (const std::string& header : grid.column_headers) {
      label_width_ = std::max(label_width_, header.size());
    }
    for (const std::string& header : grid.row_headers) {
      header_width_ = std::max(header_width_, header.size());
    }
    num_levels_ = NumBlockLevels(grid);
  }

  void Write() {
    if (!grid_.title.empty()) out_ += grid_.title + "\n";
    WriteColumnHeaders();
    for (int64_t row = 0; row < grid_.rows; ++row) {
      WriteRule(row);
      WriteCells(row);
    }
    WriteRule(grid_.rows);
  }

 private:
  enum class Line : uint8_t { kNone, kLight, kHeavy };

  const PictureCell& At(int64_t row, int64_t column) const { return grid_.At(row, column); }

  Line Between(const PictureCell& a, const PictureCell& b) const {
    if (a.kind == CellKind::kAbsent && b.kind == CellKind::kAbsent) return Line::kNone;
    if (grid_.text_rules == TextRules::kBetweenCells) return Line::kLight;
    const size_t level = BorderLevel(a, b);
    if (level == 0) return num_levels_ > 1 ? Line::kHeavy : Line::kLight;
    return level < num_levels_ ? Line::kLight : Line::kNone;
  }
  // The line above a cell, and the one at its left.
  Line Above(int64_t row, int64_t column) const {
    return Between(At(row - 1, column), At(row, column));
  }
  Line LeftOf(int64_t row, int64_t column) const {
    return Between(At(row, column - 1), At(row, column));
  }

  void Append(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + "\n";
  }

  void WriteColumnHeaders() {
    if (grid_.column_headers.empty()) return;
    std::string line(header_width_ + 2, ' ');
    for (const std::string& header : grid_.column_headers) {
      line += "  " + RightAligned(header, label_width_) + " ";
    }
    Append(line);
  }

  // Writes the lines above a row, if there are any.
  void WriteRule(int64_t row) {
    std::string line(header_width_ + 2, ' ');
    bool has_line = false;
    for (int64_t column = 0; column <= grid_.columns; ++column) {
      const Line above = Above(row, column);
      const bool meets = above != Line::kNone || Above(row, column - 1) != Line::kNone;
      has_line |= above != Line::kNone;
      const Line passes = std::max(LeftOf(row, column), LeftOf(row - 1, column));
      line += meets ? '+' : Vertical(passes);
      if (column < grid_.columns) {
        const char horizontal = above == Line::kNone ? ' ' : above == Line::kLight ? '-' : '=';
        line.append(label_width_ + 2, horizontal);
      }
    }
    if (has_line) Append(line);
  }

  static char Vertical(Line line) {
    return line == Line::kNone ? ' ' : line == Line::kLight ? '|' : '#';
  }

  void WriteCells(int64_t row) {
    size_t height = 1;
    for (int64_t column = 0; column < grid_.columns; ++column) {
      height = std::max(height, CellLines(At(row, column)).size());
    }
    for (size_t i = 0; i < height; ++i) {
      const bool has_header = i == 0 && static_cast<size_t>(row) < grid_.row_headers.size();
      std::string line = RightAligned(
          has_header ? grid_.row_headers[static_cast<size_t>(row)] : std::string(), header_width_);
      line += "  ";
      for (int64_t column = 0; column < grid_.columns; ++column) {
        const std::vector<std::string> lines = CellLines(At(row, column));
        line += Vertical(LeftOf(row, column));
        line += ' ' + RightAligned(i < lines.size() ? lines[i] : "", label_width_) + ' ';
      }
      line += Vertical(LeftOf(row, grid_.columns));
      Append(line);
    }
  }

  const Grid& grid_;
  std::string& out_;
  size_t label_width_ = 1;
  size_t header_width_ = 2;
  size_t num_levels_ = 0;
};

}  // namespace

const PictureCell& Grid::At(int64_t row, int64_t column) const {
  static const PictureCell absent = {"", kUncoloured, CellKind::kAbsent, {}};
  if (row < 0 || row >= rows || column < 0 || column >= columns) return absent;
  const auto at = static_cast<size_t>(row * columns + column);
  return at < cells.size() ? cells[at] : absent;
}

std::string ToText(const Picture& picture) {
  std::string text;
  if (!picture.title.empty()) text += picture.title + "\n";
  for (const Grid& grid : picture.grids) {
    if (!text.empty() && text.back() == '\n' && &grid != &picture.grids.front()) text += "\n";
    GridWriter(grid, text).Write();
  }
  if (!picture.caption.empty()) text += "\n" + picture.caption + "\n";
  return text;
}

std::string Render(const Picture& picture, PictureFormat format) {
  switch (format) {
    case PictureFormat::kText:
      return ToText(picture);
    case PictureFormat::kSvg:
      return ToSvg(picture);
    case PictureFormat::kTikz:
      return ToTikz(picture);
  }
  return "";
}

}  // namespace hlo_indexing::layout
