#include "layout/tiled_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"
#include "support/checked_math.h"
#include "tests/layout/memory_by_definition.h"

namespace hlo_indexing::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kHole;
using testing::MemoryByDefinition;
using testing::PlainArray;
using testing::RandomCase;
using testing::Sizes;

TiledLayout Make(const Sizes& dimensions, llvm::StringRef layout, int64_t bits = 32) {
  return TiledLayout::Create(dimensions, bits, ParseLayout(layout).value()).value();
}

Sizes IndexOf(int64_t flat, const Sizes& sizes) {
  Sizes index(sizes.size(), 0);
  for (size_t i = sizes.size(); i-- > 0; flat /= sizes[i]) index[i] = flat % sizes[i];
  return index;
}

// The memory that the steps make of an array.
std::vector<int64_t> MemoryBySteps(const TiledLayout& layout) {
  PlainArray array;
  for (const LayoutStep& step : layout.Steps()) {
    const Sizes shape(step.shape.begin(), step.shape.end());
    switch (step.kind) {
      case LayoutStep::Kind::kArray:
        array = PlainArray::Counting(shape);
        break;
      case LayoutStep::Kind::kTranspose:
        array = array.Transposed({step.permutation.begin(), step.permutation.end()});
        break;
      case LayoutStep::Kind::kCombine:
      case LayoutStep::Kind::kReshape:
        array = array.Reshaped(shape);
        break;
      case LayoutStep::Kind::kPad:
        array = array.PaddedTo(shape);
        break;
      case LayoutStep::Kind::kPadTail:
        array = array.Reshaped({static_cast<int64_t>(array.values.size())}).PaddedTo(shape);
        break;
    }
    EXPECT_EQ(array.shape, shape);
  }
  return array.values;
}

int64_t ValueOf(mlir::AffineExpr expression, const Sizes& point) {
  if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return constant.getValue();
  }
  if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return point[dimension.getPosition()];
  }
  const auto operation = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  const int64_t lhs = ValueOf(operation.getLHS(), point);
  const int64_t rhs = ValueOf(operation.getRHS(), point);
  switch (expression.getKind()) {
    case mlir::AffineExprKind::Add:
      return lhs + rhs;
    case mlir::AffineExprKind::Mul:
      return lhs * rhs;
    case mlir::AffineExprKind::Mod:
      return support::FloorMod(lhs, rhs);
    case mlir::AffineExprKind::FloorDiv:
      return support::FloorDiv(lhs, rhs);
    default:
      ADD_FAILURE() << "unexpected operation";
      return 0;
  }
}

void Check(const Sizes& dimensions, const Layout& xla_layout) {
  const std::vector<int64_t> memory = MemoryByDefinition(dimensions, xla_layout);
  const auto layout = TiledLayout::Create(dimensions, 32, xla_layout);
  ASSERT_TRUE(layout.ok()) << layout.status().message();
  ASSERT_EQ(layout->num_positions(), static_cast<int64_t>(memory.size()));
  ASSERT_EQ(layout->bytes(), static_cast<int64_t>(memory.size()) * 4);
  int64_t num_elements = 0;
  for (size_t i = 0; i < memory.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    const auto index = layout->IndexAt(position);
    ASSERT_EQ(layout->IsPadding(position), memory[i] == kHole) << position;
    ASSERT_EQ(index.has_value(), memory[i] != kHole) << position;
    if (!index) continue;
    ++num_elements;
    const Sizes expected = IndexOf(memory[i], dimensions);
    ASSERT_EQ(Sizes(index->begin(), index->end()), expected) << position;
    ASSERT_TRUE(layout->ContainsIndex(expected));
    ASSERT_EQ(layout->Position(expected), position);
  }
  ASSERT_EQ(layout->num_elements(), num_elements);
  ASSERT_EQ(layout->wasted_bytes(), 4 * (layout->num_positions() - num_elements));
  ASSERT_EQ(layout->IndexAt(-1), std::nullopt);
  ASSERT_EQ(layout->IndexAt(layout->num_positions()), std::nullopt);
  ASSERT_EQ(MemoryBySteps(*layout), memory);
}

TEST(TiledLayout, Figure1OfTheTiledLayoutDocument) {
  const TiledLayout layout = Make({3, 5}, "{1,0:T(2,2)}");
  EXPECT_EQ(layout.Position({2, 3}), 17);
  EXPECT_THAT(*layout.IndexAt(17), ElementsAre(2, 3));
  EXPECT_TRUE(layout.IsPadding(9));
  EXPECT_FALSE(layout.IsPadding(8));
  EXPECT_FALSE(layout.IsPadding(24));
  EXPECT_EQ(layout.num_elements(), 15);
  EXPECT_EQ(layout.num_positions(), 24);
  EXPECT_EQ(layout.bytes(), 96);
  EXPECT_EQ(layout.used_bytes(), 60);
  EXPECT_EQ(layout.wasted_bytes(), 36);
  EXPECT_EQ(layout.ByteOffset(17), 68);
  EXPECT_EQ(StepsToString(layout.Steps()),
            "array     [3,5]\n"
            "pad       [4,6]\n"
            "reshape   [2,2,3,2]\n"
            "transpose [2,3,2,2]  dimensions={0,2,1,3}\n");
}

TEST(TiledLayout, Figure2OfTheTiledLayoutDocument) {
  // The numbers printed in the figure, row by row.
  const std::vector<Sizes> figure = {{0, 2, 4, 6, 8, 10, 12, 14},
                                     {1, 3, 5, 7, 9, 11, 13, 15},
                                     {16, 18, 20, 22, 24, 26, 28, 30},
                                     {17, 19, 21, 23, 25, 27, 29, 31}};
  const TiledLayout layout = Make({4, 8}, "{1,0:T(2,4)(2,1)}", 16);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 8; ++column) {
      EXPECT_EQ(layout.Position({row, column}),
                figure[static_cast<size_t>(row)][static_cast<size_t>(column)]);
    }
  }
  EXPECT_EQ(layout.wasted_bytes(), 0);
}

TEST(TiledLayout, CombinedDimensionsAreAnArrayOfFewer) {
  const TiledLayout five = Make({2, 7, 8, 11, 10}, "{4,3,2,1,0:T(*,*,2,*,3)}");
  const TiledLayout two = Make({112, 110}, "{1,0:T(2,3)}");
  ASSERT_EQ(five.num_positions(), two.num_positions());
  for (int64_t flat = 0; flat < five.num_elements(); ++flat) {
    ASSERT_EQ(five.Position(IndexOf(flat, {2, 7, 8, 11, 10})),
              two.Position({flat / 110, flat % 110}));
  }
  EXPECT_THAT(StepsToString(five.Steps()), HasSubstr("combine   [112,110]\n"
                                                     "pad       [112,111]\n"
                                                     "reshape   [56,2,37,3]\n"));
}

TEST(TiledLayout, StepsNameTransposesTailsAndMissingDimensions) {
  EXPECT_EQ(StepsToString(Make({3, 4}, "{0,1:L(5)}").Steps()),
            "array     [3,4]\n"
            "transpose [4,3]  dimensions={1,0}\n"
            "pad_tail  [15]\n");
  EXPECT_EQ(StepsToString(Make({5}, "{0:T(2,4)}").Steps()),
            "array     [5]\n"
            "reshape   [1,5]\n"
            "pad       [2,8]\n"
            "reshape   [1,2,2,4]\n"
            "transpose [1,2,2,4]  dimensions={0,2,1,3}\n");
}

TEST(TiledLayout, ElementsBelowAByteArePackedFromTheHighBits) {
  const TiledLayout packed = Make({3}, "{0:E(4)}", 8);
  EXPECT_EQ(packed.element_bits(), 4);
  EXPECT_EQ(packed.bytes(), 2);
  EXPECT_EQ(packed.wasted_bytes(), 0);
  EXPECT_EQ(packed.BitOffset(1), 4);
  EXPECT_EQ(packed.ByteOffset(1), 0);
  EXPECT_EQ(packed.ByteOffset(2), 1);
  EXPECT_EQ(packed.ShiftInByte(0), 4);
  EXPECT_EQ(packed.ShiftInByte(1), 0);
  EXPECT_EQ(packed.ShiftInByte(2), 4);
  EXPECT_EQ(Make({3}, "{0}", 8).ShiftInByte(0), std::nullopt);
  const TiledLayout bits = Make({64, 256}, "{1,0:T(32,128)(32,1)E(1)}", 8);
  EXPECT_EQ(bits.bytes(), 64 * 256 / 8);
  // 32 rows of a column are the bits of a word.
  EXPECT_EQ(bits.BitOffset(bits.Position({31, 1})), 63);
}

TEST(TiledLayout, RandomLayoutsEqualTheDefinition) {
  std::mt19937 random(20);
  int64_t positions = 0;
  for (int checked = 0; checked < 10000;) {
    RandomCase random_case = testing::RandomShape(random, 6);
    testing::AddRandomTiles(random, random_case);
    const auto layout = TiledLayout::Create(random_case.dimensions, 32, random_case.layout);
    ASSERT_TRUE(layout.ok()) << random_case.ToString();
    // Some tiles pad so much that trying all positions takes too long.
    if (layout->num_positions() > 5000) continue;
    ++checked;
    positions += layout->num_positions();
    SCOPED_TRACE(random_case.ToString());
    ASSERT_NO_FATAL_FAILURE(Check(random_case.dimensions, random_case.layout));
  }
  EXPECT_GT(positions, 1000000);
}

TEST(TiledLayout, AffineMapsHaveTheSameValues) {
  std::mt19937 random(21);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (int i = 0; i < 300; ++i) {
    RandomCase random_case = testing::RandomShape(random, 4);
    testing::AddRandomTiles(random, random_case);
    SCOPED_TRACE(random_case.ToString());
    const auto layout = TiledLayout::Create(random_case.dimensions, 32, random_case.layout);
    if (layout->num_positions() > 1000) continue;
    const auto to_position = layout->PositionMap(&context);
    const auto to_index = layout->IndexMap(&context);
    ASSERT_TRUE(to_position && to_index);
    for (int64_t flat = 0; flat < layout->num_elements(); ++flat) {
      const Sizes index = IndexOf(flat, random_case.dimensions);
      ASSERT_EQ(ValueOf(to_position->map.getResult(0), index), layout->Position(index));
    }
    for (int64_t position = 0; position < layout->num_positions(); ++position) {
      const auto index = layout->IndexAt(position);
      bool inside = to_index->dimension_bounds[0].Contains(position);
      for (const auto& [expression, bounds] : to_index->constraints) {
        inside = inside && bounds.Contains(ValueOf(expression, {position}));
      }
      ASSERT_EQ(inside, index.has_value()) << position;
      if (!index) continue;
      for (size_t d = 0; d < index->size(); ++d) {
        ASSERT_EQ(ValueOf(to_index->map.getResult(static_cast<unsigned>(d)), {position}),
                  (*index)[d]);
      }
    }
  }
}

TEST(TiledLayout, LargeSizesAreExact) {
  // Too large for reciprocals: the quotients are divisions.
  const int64_t rows = (int64_t{1} << 40) + 1;
  const TiledLayout layout = Make({rows, 3 * 7 * 128}, "{0,1:T(3,7)}", 8);
  const Sizes index = {rows - 1, 3 * 7 * 128 - 1};
  const int64_t row_tiles = (rows + 6) / 7;
  const int64_t expected =
      ((index[1] / 3) * row_tiles + index[0] / 7) * 21 + index[1] % 3 * 7 + index[0] % 7;
  EXPECT_EQ(layout.Position(index), expected);
  EXPECT_THAT(*layout.IndexAt(expected), ElementsAre(index[0], index[1]));
}

TEST(TiledLayout, ErrorsNameTheRule) {
  const auto error = [](const Sizes& dimensions, int64_t bits, llvm::StringRef layout) {
    const auto result = TiledLayout::Create(dimensions, bits, ParseLayout(layout).value());
    return std::string(result.status().message());
  };
  EXPECT_THAT(error({2, 3}, 32, "{1,1}"),
              HasSubstr("must name each of the dimensions 0 to 1 once"));
  EXPECT_THAT(error({2}, 32, "{1,0}"), HasSubstr("orders 2 dimensions, the shape has 1"));
  EXPECT_THAT(error({2}, 0, "{0}"), HasSubstr("at least one bit"));
  EXPECT_THAT(error({-2}, 8, "{0}"), HasSubstr("negative"));
  const int64_t large = int64_t{1} << 31;
  EXPECT_EQ(error({large, large}, 1, "{1,0}"), "");
  EXPECT_THAT(error({large, large}, 2, "{1,0}"), HasSubstr("does not fit in 64 bits"));
  // The largest square below 2^63, and the next even one.
  EXPECT_EQ(error({3037000499, 3037000498}, 1, "{1,0}"), "");
  EXPECT_THAT(error({3037000499, 3037000499}, 1, "{1,0:T(2,2)}"),
              HasSubstr("does not fit in 64 bits"));
}

}  // namespace
}  // namespace hlo_indexing::layout
