#include "layout/picture/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::layout {
namespace {

using ::testing::HasSubstr;

int64_t Count(llvm::StringRef text, llvm::StringRef part) {
  return static_cast<int64_t>(text.count(part));
}

// The layout (2,3):(1,2) as CuTe prints it.
Grid ColumnMajor() {
  Grid grid;
  grid.title = "(2,3):(1,2)";
  grid.rows = 2;
  grid.columns = 3;
  grid.row_headers = {"0", "1"};
  grid.column_headers = {"0", "1", "2"};
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      const int64_t offset = row + 2 * column;
      grid.cells.push_back({std::to_string(offset), offset, CellKind::kElement, {}});
    }
  }
  return grid;
}

// Figure 2 of the tiled layout document in small: two tiles of 2x2, cut into 2x1.
Grid TwoLevels() {
  Grid grid;
  grid.rows = 2;
  grid.columns = 4;
  grid.text_rules = TextRules::kBetweenBlocks;
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 4; ++column) {
      const int64_t offset = 2 * column + row;
      grid.cells.push_back(
          {std::to_string(offset), column / 2, CellKind::kElement, {column / 2, column}});
    }
  }
  return grid;
}

TEST(Picture, TextHasTheFormOfPrintLayout) {
  EXPECT_EQ(ToText({"", {ColumnMajor()}, Arrangement::kStacked, ""}),
            "(2,3):(1,2)\n"
            "      0   1   2\n"
            "    +---+---+---+\n"
            " 0  | 0 | 2 | 4 |\n"
            "    +---+---+---+\n"
            " 1  | 1 | 3 | 5 |\n"
            "    +---+---+---+\n");
  Grid wide = ColumnMajor();
  wide.minimum_label_width = 2;
  EXPECT_THAT(ToText({"", {wide}, Arrangement::kStacked, ""}), HasSubstr(" 1  |  1 |  3 |  5 |\n"));
}

TEST(Picture, TextHasLinesBetweenBlocks) {
  Grid grid = TwoLevels();
  EXPECT_EQ(ToText({"", {grid}, Arrangement::kStacked, ""}),
            "    +===+===+===+===+\n"
            "    # 0 | 2 # 4 | 6 #\n"
            "    # 1 | 3 # 5 | 7 #\n"
            "    +===+===+===+===+\n");
  // With one level there is no need to tell levels apart.
  for (PictureCell& cell : grid.cells) cell.blocks.pop_back();
  EXPECT_EQ(ToText({"", {grid}, Arrangement::kStacked, ""}),
            "    +---+---+---+---+\n"
            "    | 0   2 | 4   6 |\n"
            "    | 1   3 | 5   7 |\n"
            "    +---+---+---+---+\n");
}

TEST(Picture, TextShowsPaddingHolesAndLabelsOfSeveralLines) {
  Grid grid;
  grid.rows = 2;
  grid.columns = 2;
  grid.cells = {{"T0\nV1", 0, CellKind::kElement, {}},
                {"", kUncoloured, CellKind::kPadding, {}},
                {"T12", 1, CellKind::kElement, {}}};
  EXPECT_EQ(ToText({"title", {grid}, Arrangement::kStacked, "caption"}),
            "title\n"
            "    +-----+-----+\n"
            "    |  T0 |   . |\n"
            "    |  V1 |     |\n"
            "    +-----+-----+\n"
            "    | T12 |\n"
            "    +-----+\n"
            "\n"
            "caption\n");
}

TEST(Picture, SvgHasEveryCellBorderAndLabel) {
  const std::string svg = ToSvg({"a < b & c", {TwoLevels()}, Arrangement::kStacked, ""});
  EXPECT_EQ(Count(svg, "<rect"), 8);
  // Round the grid, and between the tiles.
  EXPECT_EQ(Count(svg, "<line class=\"outer\""), 5);
  EXPECT_EQ(Count(svg, "<line class=\"inner\""), 2);
  EXPECT_THAT(svg, HasSubstr("<title>a &lt; b &amp; c</title>"));
  EXPECT_THAT(svg, HasSubstr(">7</text>"));
  EXPECT_EQ(svg.find("a < b"), std::string::npos);
}

TEST(Picture, SvgPlacesGridsBesideOrBelowEachOther) {
  const Picture beside = {"", {ColumnMajor(), ColumnMajor()}, Arrangement::kSideBySide, ""};
  const Picture below = {"", {ColumnMajor(), ColumnMajor()}, Arrangement::kStacked, ""};
  EXPECT_THAT(ToSvg(beside), HasSubstr("viewBox=\"0 0 312 136\""));
  EXPECT_THAT(ToSvg(below), HasSubstr("viewBox=\"0 0 156 272\""));
}

TEST(Picture, TikzIsADocumentWithEscapedLabels) {
  Picture picture = {"f32[8]{0} 50%_$", {TwoLevels()}, Arrangement::kStacked, ""};
  picture.grids[0].cells[0].kind = CellKind::kPadding;
  const std::string tikz = ToTikz(picture);
  EXPECT_EQ(Count(tikz, "\\path[cell,fill=cell"), 7);
  EXPECT_EQ(Count(tikz, "\\path[padding]"), 1);
  EXPECT_EQ(Count(tikz, "\\draw[inner]"), 2);
  EXPECT_THAT(tikz, HasSubstr("{f32[8]\\{0\\} 50\\%\\_\\$};"));
  EXPECT_THAT(tikz, HasSubstr("\\end{document}\n"));
}

TEST(Picture, EmptyPicturesAreFine) {
  const Picture picture = {"", {Grid()}, Arrangement::kStacked, ""};
  EXPECT_EQ(ToText(picture), "");
  EXPECT_THAT(ToSvg(picture), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace hlo_indexing::layout
