#include "indexing_analysis/maps/layout_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/equality.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/layout/memory_by_definition.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using layout::ParseLayout;
using layout::TiledLayout;
using Sizes = std::vector<int64_t>;

class LayoutMaps : public ::testing::Test {
 protected:
  static TiledLayout Make(const Sizes& sizes, llvm::StringRef layout) {
    return TiledLayout::Create(sizes, 32, ParseLayout(layout).value()).value();
  }

  // The one map of the root of a module's entry to operand 0.
  IndexingMap MapOfRoot(const std::string& instruction, const std::string& operand_shape) {
    const std::string text = "HloModule m\nENTRY e {\n  p = " + operand_shape +
                             " parameter(0)\n  ROOT r = " + instruction + "\n}\n";
    const auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    EXPECT_TRUE(hlo::Verify(**module).ok());
    IndexingAnalysis analysis(&context_);
    const auto indexing = analysis.OutputToInput((*module)->entry().root(), 0);
    EXPECT_EQ(indexing.operands().size(), 1u);
    EXPECT_EQ(indexing.operands()[0].maps().size(), 1u);
    return indexing.operands()[0].maps().front().map;
  }

  static llvm::SmallVector<int64_t> IndexOf(int64_t element, const Sizes& sizes) {
    llvm::SmallVector<int64_t> index(sizes.size(), 0);
    for (size_t d = index.size(); d-- > 0; element /= sizes[d]) index[d] = element % sizes[d];
    return index;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(LayoutMaps, TextsOfUntiledLayouts) {
  const TiledLayout columns = Make({3, 5}, "{0,1}");
  EXPECT_EQ(PositionMap(columns, &context_).ToString(),
            "(d0, d1) -> (d0 + d1 * 3), domain: d0 in [0, 2], d1 in [0, 4]");
  EXPECT_EQ(ElementMap(columns, &context_).ToString(),
            "(d0) -> (d0 mod 3, d0 floordiv 3), domain: d0 in [0, 14]");
  EXPECT_EQ(RelayoutMap(Make({3, 5}, "{1,0}"), columns, &context_).ToString(),
            "(d0) -> (d0 * 5 - (d0 floordiv 3) * 14), domain: d0 in [0, 14]");
}

TEST_F(LayoutMaps, PaddingIsNotInTheDomain) {
  const TiledLayout tiled = Make({3, 5}, "{1,0:T(2,2)}");
  const IndexingMap position = PositionMap(tiled, &context_);
  const IndexingMap element = ElementMap(tiled, &context_);
  const TiledLayout rows = Make({3, 5}, "{1,0}");
  const IndexingMap relayout = RelayoutMap(rows, tiled, &context_);
  EXPECT_EQ(position.Evaluate({2, 3}, {})->front(), 17);
  for (int64_t p = 0; p < tiled.num_positions(); ++p) {
    const auto index = tiled.IndexAt(p);
    ASSERT_EQ(element.DomainContains({p}, {}), index.has_value()) << p;
    ASSERT_EQ(relayout.DomainContains({p}, {}), index.has_value()) << p;
    if (!index) continue;
    EXPECT_EQ(element.Evaluate({p}, {}), llvm::SmallVector<int64_t>(index->begin(), index->end()));
    EXPECT_EQ(relayout.Evaluate({p}, {})->front(), rows.Position(*index));
  }
  const IndexingMap round_trip = Compose(position, element);
  EXPECT_EQ(
      Equal(round_trip, *ParseIndexingMap(
                            "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 4]", &context_))
          .answer,
      Answer::kYes);
}

TEST_F(LayoutMaps, ArraysWithoutElementsHaveEmptyMaps) {
  const TiledLayout empty = Make({0, 5}, "{1,0:T(2,2)}");
  EXPECT_TRUE(PositionMap(empty, &context_).IsKnownEmpty());
  EXPECT_TRUE(ElementMap(empty, &context_).IsKnownEmpty());
  EXPECT_TRUE(RelayoutMap(empty, empty, &context_).IsKnownEmpty());
}

// A bitcast reads the element that lies where the output's element does.
TEST_F(LayoutMaps, BitcastsAreOneLayoutAfterTheOther) {
  struct Case {
    Sizes output;
    const char* output_layout;
    Sizes operand;
    const char* operand_layout;
  };
  for (const Case& c : {Case{{16, 256}, "{1,0:T(8,128)}", {2, 2, 8, 128}, "{3,2,1,0}"},
                        Case{{16, 256}, "{1,0:T(8,128)(2,1)}", {2, 2, 4, 128, 2}, "{4,3,2,1,0}"},
                        Case{{30, 250}, "{1,0:T(8,128)}", {30, 250}, "{1,0:T(16,128)}"},
                        Case{{4, 6}, "{0,1:T(2,2)}", {6, 4}, "{1,0:T(2,2)}"},
                        Case{{3, 5}, "{1,0:T(2,2)}", {24}, "{0}"}}) {
    const auto shape = [](const Sizes& sizes, const char* layout) {
      std::string text = "f32[";
      for (size_t i = 0; i < sizes.size(); ++i) text += (i ? "," : "") + std::to_string(sizes[i]);
      return text + "]" + layout;
    };
    const std::string output = shape(c.output, c.output_layout);
    const std::string operand = shape(c.operand, c.operand_layout);
    SCOPED_TRACE(output + " of " + operand);
    const IndexingMap bitcast = MapOfRoot(output + " bitcast(p)", operand);
    const IndexingMap composed = Compose(PositionMap(Make(c.output, c.output_layout), &context_),
                                         ElementMap(Make(c.operand, c.operand_layout), &context_));
    EXPECT_EQ(Equal(bitcast, composed).answer, Answer::kYes) << bitcast.ToString() << "\n"
                                                             << composed.ToString();
  }
}

// Random tiled arrays, bitcast from the flat array of all their positions and to it: what the
// analysis of the instruction says is what lies there by the definition of tiles.
TEST_F(LayoutMaps, RandomBitcastsReadWhatLiesThere) {
  std::mt19937 random(31);
  for (int checked = 0; checked < 300;) {
    testing::RandomCase tiled = testing::RandomShape(random, 4);
    testing::AddRandomTiles(random, tiled);
    const std::vector<int64_t> memory = testing::MemoryByDefinition(tiled.dimensions, tiled.layout);
    if (memory.empty() || memory.size() > 500) continue;
    ++checked;
    const std::string shape = "f32" + tiled.ToString();
    const std::string flat = "f32[" + std::to_string(memory.size()) + "]{0}";
    SCOPED_TRACE(shape);
    const IndexingMap from_flat = MapOfRoot(shape + " bitcast(p)", flat);
    const IndexingMap to_flat = MapOfRoot(flat + " bitcast(p)", shape);
    for (size_t p = 0; p < memory.size(); ++p) {
      const auto position = static_cast<int64_t>(p);
      ASSERT_EQ(to_flat.DomainContains({position}, {}), memory[p] != testing::kHole) << p;
      if (memory[p] == testing::kHole) continue;
      const auto index = IndexOf(memory[p], tiled.dimensions);
      ASSERT_EQ(to_flat.Evaluate({position}, {}), index);
      ASSERT_EQ(from_flat.Evaluate(index, {})->front(), position);
    }
  }
}

// The same between two tiled arrays; where one has padding, the other's elements are not read.
TEST_F(LayoutMaps, RandomBitcastsBetweenTiledArrays) {
  std::mt19937 random(32);
  for (int checked = 0; checked < 300;) {
    testing::RandomCase output = testing::RandomShape(random, 3);
    testing::RandomCase operand = testing::RandomShape(random, 3);
    testing::AddRandomTiles(random, output);
    testing::AddRandomTiles(random, operand);
    const auto to = testing::MemoryByDefinition(output.dimensions, output.layout);
    const auto from = testing::MemoryByDefinition(operand.dimensions, operand.layout);
    if (to.empty() || from.empty() || to.size() > 500 || from.size() > 500) continue;
    if (output.layout.tiles.empty() || operand.layout.tiles.empty()) continue;
    ++checked;
    SCOPED_TRACE("f32" + output.ToString() + " of f32" + operand.ToString());
    const IndexingMap map =
        MapOfRoot("f32" + output.ToString() + " bitcast(p)", "f32" + operand.ToString());
    for (size_t p = 0; p < to.size(); ++p) {
      if (to[p] == testing::kHole) continue;
      const auto index = IndexOf(to[p], output.dimensions);
      const bool is_read = p < from.size() && from[p] != testing::kHole;
      ASSERT_EQ(map.DomainContains(index, {}), is_read) << p;
      if (!is_read) continue;
      ASSERT_EQ(map.Evaluate(index, {}), IndexOf(from[p], operand.dimensions)) << p;
    }
  }
}

// What a transpose reads, as positions in buffers.
TEST_F(LayoutMaps, ComposeWithTheMapsOfInstructions) {
  const IndexingMap transpose =
      MapOfRoot("f32[5,3]{1,0:T(2,2)} transpose(p), dimensions={1,0}", "f32[3,5]{1,0:T(2,4)(2,1)}");
  const TiledLayout output = Make({5, 3}, "{1,0:T(2,2)}");
  const TiledLayout operand = Make({3, 5}, "{1,0:T(2,4)(2,1)}");
  const IndexingMap buffers =
      Compose(Compose(ElementMap(output, &context_), transpose), PositionMap(operand, &context_));
  for (int64_t p = 0; p < output.num_positions(); ++p) {
    const auto index = output.IndexAt(p);
    ASSERT_EQ(buffers.DomainContains({p}, {}), index.has_value()) << p;
    if (!index) continue;
    EXPECT_EQ(buffers.Evaluate({p}, {})->front(), operand.Position({(*index)[1], (*index)[0]}));
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
