#include "indexing_analysis/propagation/call_frame.h"

#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallFrameTest : public PropagationTest {};

TEST_F(CallFrameTest, Nesting) {
  Parse(R"(ENTRY e { x = f32[] parameter(0)
  a = f32[] negate(x)
  b = f32[] negate(a)
  ROOT c = f32[] negate(b) })");
  EXPECT_EQ(DepthOf(nullptr), 0);
  EXPECT_FALSE(IsInLoop(nullptr));
  const CallFrame query = CallFrame::Inside(Named("a"), nullptr);
  const CallFrame loop = CallFrame::Inside(Named("b"), &query, 0, CallFrame::Kind::kLoop);
  const CallFrame branch = CallFrame::Inside(Named("c"), &loop, /*operand_of_first_parameter=*/2);
  EXPECT_EQ(DepthOf(&query), 1);
  EXPECT_EQ(DepthOf(&branch), 3);
  EXPECT_FALSE(IsInLoop(&query));
  EXPECT_TRUE(loop.is_loop);
  EXPECT_TRUE(IsInLoop(&branch));
  EXPECT_FALSE(branch.is_loop);
  EXPECT_EQ(branch.first_operand, 2);
  EXPECT_THAT(CallsTo(&query), IsEmpty());
  EXPECT_THAT(CallsTo(&branch), ElementsAre(&Named("b"), &Named("c")));
}

TEST(DependencesTest, ExampleOfTheHeader) {
  const Dependences dependences = {.outermost_call_depth = 2};
  EXPECT_TRUE(dependences.OnValuesGivenTo(2));
  EXPECT_TRUE(dependences.OnValuesGivenTo(3));
  EXPECT_FALSE(dependences.OnValuesGivenTo(1));
  EXPECT_FALSE(Dependences().OnValuesGivenTo(1000));
}

TEST(DependencesTest, Union) {
  Dependences dependences = {.outermost_call_depth = 3, .nesting = 1};
  dependences |= {.outermost_call_depth = 2, .nesting = 4, .on_query = true};
  dependences |= {};
  EXPECT_EQ(dependences.outermost_call_depth, 2);
  EXPECT_EQ(dependences.nesting, 4);
  EXPECT_TRUE(dependences.on_query);
}

// What a call at depth 2 is given, or one outside it, counts outside; what is given inside does
// not.
TEST(DependencesTest, OfCall) {
  const Dependences given = Dependences{.outermost_call_depth = 2, .nesting = 3}.OfCall(2);
  EXPECT_EQ(given.outermost_call_depth, 2);
  EXPECT_EQ(given.nesting, 4);
  const Dependences inside = Dependences{.outermost_call_depth = 3, .on_query = true}.OfCall(2);
  EXPECT_EQ(inside.outermost_call_depth, Dependences::kNoCall);
  EXPECT_TRUE(inside.on_query);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
