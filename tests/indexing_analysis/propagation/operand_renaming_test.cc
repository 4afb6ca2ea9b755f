#include "indexing_analysis/propagation/operand_renaming.h"

#include <string>

#include "indexing_analysis/analysis.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

class OperandRenamingTest : public PropagationTest {
 protected:
  void SetUp() override {
    Parse(R"(ENTRY e { x = f32[8,8] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  k = s32[] parameter(3)
  first = f32[4,4] dynamic-slice(x, i, j), dynamic_slice_sizes={4,4}
  second = f32[4,4] dynamic-slice(x, j, k), dynamic_slice_sizes={4,4}
  ROOT other = f32[8,8] negate(x) })");
  }

  IndexingMap MapOf(const hlo::Instruction& instruction) {
    return IndexingAnalysis(&context_).OutputToInput(instruction, 0).operands()[0].maps()[0].map;
  }
};

TEST_F(OperandRenamingTest, ExampleOfTheHeader) {
  const IndexingMap map = MapOf(Named("first"));
  const IndexingMap renamed = RenameOperands(map, Named("first"), Named("second"));
  ASSERT_EQ(renamed.runtime().size(), 2);
  EXPECT_EQ(renamed.runtime()[0].instruction, &Named("j"));
  EXPECT_EQ(renamed.runtime()[1].instruction, &Named("k"));
  EXPECT_EQ(renamed, MapOf(Named("second")));
  EXPECT_EQ(map.runtime()[0].instruction, &Named("i"));
}

// The element at which a value is read may depend on values itself.
TEST_F(OperandRenamingTest, IndicesOfValuesAreRenamedToo) {
  IndexingMap map = MapOf(Named("first"));
  std::vector<RuntimeVariable> runtime(map.runtime());
  runtime[0].index = map;
  map = IndexingMap(map.affine_map(), map.dimensions(), map.ranges(), std::move(runtime),
                    map.constraints());
  const IndexingMap renamed = RenameOperands(map, Named("first"), Named("second"));
  EXPECT_EQ(renamed.runtime()[0].index.runtime()[0].instruction, &Named("j"));
}

TEST_F(OperandRenamingTest, WithoutValuesNothingChanges) {
  const IndexingMap map = MapOf(root());
  EXPECT_FALSE(HasRuntimeValues(map));
  EXPECT_TRUE(HasRuntimeValues(MapOf(Named("first"))));
  EXPECT_EQ(RenameOperands(map, root(), root()), map);
  EXPECT_TRUE(RenameOperands(IndexingMap(), root(), root()).IsUnknown());
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
