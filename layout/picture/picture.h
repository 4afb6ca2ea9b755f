// Pictures of layouts: grids of cells, written as text, SVG or TikZ.
//
// The makers of pictures (of tiled arrays, of CuTe layouts, of thread-value partitions) say what is
// in the cells; nothing here knows what the labels mean.
#ifndef HLO_INDEXING_LAYOUT_PICTURE_PICTURE_H_
#define HLO_INDEXING_LAYOUT_PICTURE_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

enum class CellKind : uint8_t {
  kElement,
  /// Memory that no element uses: hatched; in text a dot if the cell has no label.
  kPadding,
  /// No cell at all: a hole in the grid.
  kAbsent,
};

/// The colour class of cells without colour.
inline constexpr int64_t kUncoloured = -1;

struct PictureCell {
  /// May have several lines, separated by `\n`.
  /// Example: "T3\nV1"
  std::string label;
  /// Cells of equal classes look the same; there are 8 colours, so classes 0 and 8 do too.
  int64_t colour_class = kUncoloured;
  CellKind kind = CellKind::kElement;
  /// The blocks (tiles) that the cell is in, from the outermost level to the innermost: a border is
  /// drawn between neighbours that differ, heavier for the outermost level.
  llvm::SmallVector<int64_t, 2> blocks;
};

/// Where text has lines between cells.
enum class TextRules : uint8_t {
  /// Between all of them, the form of CuTe's print_layout.
  kBetweenCells,
  /// Where blocks end, and around the grid.
  kBetweenBlocks,
};

/// A table of cells with headers.
struct Grid {
  std::string title;
  int64_t rows = 0;
  int64_t columns = 0;
  /// Row by row; what is missing at the end is absent.
  std::vector<PictureCell> cells;
  /// Empty, or one text for each row and each column.
  std::vector<std::string> row_headers;
  std::vector<std::string> column_headers;
  TextRules text_rules = TextRules::kBetweenCells;
  /// In text, cells are as wide as the longest label of the grid, and no narrower than this.
  int64_t minimum_label_width = 1;

  /// The cell, or an absent one if there is none.
  const PictureCell& At(int64_t row, int64_t column) const;
};

enum class Arrangement : uint8_t { kSideBySide, kStacked };

struct Picture {
  std::string title;
  std::vector<Grid> grids;
  /// How drawings place the grids; in text they stand one below the other.
  Arrangement arrangement = Arrangement::kStacked;
  /// Said below the grids; may have several lines.
  std::string caption;
};

/// The picture as a table of ASCII characters, in the form of CuTe's print_layout:
///
///            0    1
///        +----+----+
///     0  |  0 |  2 |
///        +----+----+
///
/// Where cells have blocks of several levels and lines stand between blocks only, the outermost
/// ones are drawn with `=` and `#`.
std::string ToText(const Picture& picture);

/// The picture as a file of scalable vector graphics, on white. Coordinates are whole pixels.
std::string ToSvg(const Picture& picture);

/// The picture as a LaTeX document with one tikzpicture, which a larger document may take over.
std::string ToTikz(const Picture& picture);

enum class PictureFormat : uint8_t { kText, kSvg, kTikz };
/// What the function of the format gives.
std::string Render(const Picture& picture, PictureFormat format);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_PICTURE_PICTURE_H_
