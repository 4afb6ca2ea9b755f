#include "layout/tiled_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/layout/memory_by_definition.h"

namespace hlo_indexing::layout {
namespace {

using ::testing::HasSubstr;
using testing::kHole;
using testing::MemoryByDefinition;
using testing::RandomCase;
using testing::Sizes;

TEST(TiledPicture, Figure1OfTheTiledLayoutDocument) {
  const auto layout = TiledLayout::Create({3, 5}, 32, ParseLayout("{1,0:T(2,2)}").value());
  const auto picture = PictureOf(*layout, {"f32[3,5]{1,0:T(2,2)}"});
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(ToText(*picture),
            "f32[3,5]{1,0:T(2,2)}\n"
            "position of each element\n"
            "       0    1    2    3    4\n"
            "    +----+----+----+----+----+----+\n"
            " 0  |  0    1 |  4    5 |  8    . |\n"
            " 1  |  2    3 |  6    7 | 10    . |\n"
            "    +----+----+----+----+----+----+\n"
            " 2  | 12   13 | 16   17 | 20    . |\n"
            "    |  .    . |  .    . |  .    . |\n"
            "    +----+----+----+----+----+----+\n"
            "\n"
            "memory: element at each position\n"
            "       +0    +1    +2    +3\n"
            "    +-----+-----+-----+-----+\n"
            " 0  | 0,0   0,1   1,0   1,1 |\n"
            "    +-----+-----+-----+-----+\n"
            " 4  | 0,2   0,3   1,2   1,3 |\n"
            "    +-----+-----+-----+-----+\n"
            " 8  | 0,4     .   1,4     . |\n"
            "    +-----+-----+-----+-----+\n"
            "12  | 2,0   2,1     .     . |\n"
            "    +-----+-----+-----+-----+\n"
            "16  | 2,2   2,3     .     . |\n"
            "    +-----+-----+-----+-----+\n"
            "20  | 2,4     .     .     . |\n"
            "    +-----+-----+-----+-----+\n"
            "\n"
            "15 elements in 24 positions, 9 of padding\n");
}

TEST(TiledPicture, ScalarsAndArraysWithoutElementsHavePictures) {
  const auto scalar = TiledLayout::Create({}, 32, Layout());
  EXPECT_THAT(ToText(*PictureOf(*scalar, {})), HasSubstr("1 element in 1 position, 0 of"));
  const auto empty = TiledLayout::Create({0, 4}, 32, ParseLayout("{1,0:T(2,2)}").value());
  EXPECT_TRUE(PictureOf(*empty, {})->grids.empty());
}

TEST(TiledPicture, RefusesWhatIsTooLarge) {
  const auto layout = TiledLayout::Create({1000}, 32, ParseLayout("{0}").value());
  const auto picture = PictureOf(*layout, {"", 1999});
  EXPECT_THAT(std::string(picture.status().message()),
              HasSubstr("would have 2000 cells, more than the limit of 1999"));
  EXPECT_TRUE(PictureOf(*layout, {"", 2000}).ok());
  const int64_t large = int64_t{1} << 30;
  const auto huge = TiledLayout::Create({large, large}, 1, DefaultLayout(2));
  EXPECT_FALSE(PictureOf(*huge, {}).ok());
}

// Every element's position is in the grids of the array, every position in that of the memory; and
// what has the same colour in one has it in the other.
TEST(TiledPicture, ShowsEveryElementAndPosition) {
  std::mt19937 random(22);
  for (int i = 0; i < 500; ++i) {
    RandomCase random_case = testing::RandomShape(random, 4);
    testing::AddRandomTiles(random, random_case);
    SCOPED_TRACE(random_case.ToString());
    const std::vector<int64_t> memory =
        MemoryByDefinition(random_case.dimensions, random_case.layout);
    if (memory.empty() || memory.size() > 2000) continue;
    const auto layout = TiledLayout::Create(random_case.dimensions, 32, random_case.layout);
    const auto picture = PictureOf(*layout, {});
    ASSERT_TRUE(picture.ok());
    std::multiset<int64_t> shown;
    std::vector<int64_t> colours(memory.size(), kUncoloured);
    for (size_t g = 0; g + 1 < picture->grids.size(); ++g) {
      for (const PictureCell& cell : picture->grids[g].cells) {
        if (cell.kind == CellKind::kPadding) continue;
        const int64_t position = std::stoll(cell.label);
        shown.insert(position);
        colours[static_cast<size_t>(position)] = cell.colour_class;
      }
    }
    std::multiset<int64_t> expected;
    const Grid& grid = picture->grids.back();
    ASSERT_EQ(grid.cells.size(), memory.size());
    for (size_t p = 0; p < memory.size(); ++p) {
      ASSERT_EQ(grid.cells[p].kind == CellKind::kPadding, memory[p] == kHole) << p;
      ASSERT_EQ(grid.cells[p].colour_class, colours[p]) << p;
      if (memory[p] != kHole) expected.insert(static_cast<int64_t>(p));
    }
    ASSERT_EQ(shown, expected);
  }
}

}  // namespace
}  // namespace hlo_indexing::layout
