// Where the parts of a picture are drawn, in pixels: what its SVG and TikZ forms share.
#ifndef HLO_INDEXING_LAYOUT_PICTURE_DRAWING_H_
#define HLO_INDEXING_LAYOUT_PICTURE_DRAWING_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "layout/picture/picture.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::layout {

/// The fill of cells by colour class modulo their number, as RRGGBB: light, so that black text on
/// them is readable, and different in lightness if they are alike in hue.
inline constexpr std::array<llvm::StringLiteral, 8> kCellColours = {
    "BCD9F5", "FFD9A8", "C5E8B7", "F6C1C7", "D9C8F0", "FFF0A3", "B5E5E2", "E0D2BF"};

/// The rectangle of a cell; x to the right, y downwards.
struct DrawnCell {
  int64_t x = 0;
  int64_t y = 0;
  int64_t width = 0;
  int64_t height = 0;
  const PictureCell* cell = nullptr;
};

/// A border between blocks of that level, 0 the outermost. Horizontal or vertical.
struct DrawnBorder {
  int64_t x = 0;
  int64_t y = 0;
  int64_t to_x = 0;
  int64_t to_y = 0;
  size_t level = 0;
};

enum class TextRole : uint8_t { kTitle, kGridTitle, kColumnHeader, kRowHeader, kLabel, kCaption };

/// A line of text: (x, y) is its middle, or its left or right end, by role; y is half way up its
/// letters.
struct DrawnText {
  int64_t x = 0;
  int64_t y = 0;
  TextRole role = TextRole::kLabel;
  std::string text;
};

/// A picture with the positions of its parts.
struct Drawing {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<DrawnCell> cells;
  /// Inner levels first, so that what is drawn later lies above.
  std::vector<DrawnBorder> borders;
  std::vector<DrawnText> texts;
};

/// The level of the border between two neighbouring cells, the outermost one where they differ;
/// the number of levels if they are in the same blocks. The border of the grid, if one of
/// them is absent, is of level 0.
size_t BorderLevel(const PictureCell& a, const PictureCell& b);

/// The most blocks that a cell of the grid is in.
size_t NumBlockLevels(const Grid& grid);

/// Computes all positions. The drawing refers to cells of the picture.
Drawing Draw(const Picture& picture);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_PICTURE_DRAWING_H_
