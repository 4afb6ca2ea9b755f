#include "indexing_analysis/propagation/called_computations.h"

#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

class CalledComputationsTest : public PropagationTest {
 protected:
  const hlo::Computation* Computation(llvm::StringRef name) const {
    return module_->FindComputation(name);
  }
};

TEST_F(CalledComputationsTest, ExampleOfTheHeader) {
  Parse(R"(ENTRY e { x = f32[] parameter(0)
  y = f32[] parameter(1)
  s = f32[] add(x, y)
  ROOT t = (f32[], f32[]) tuple(y, s) })");
  // Of two parameters, each of one array.
  EXPECT_EQ(ForwardedParameter(module_->entry(), 1), std::nullopt);
  Parse(R"(ENTRY e { p = (f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1
  s = f32[] add(x, y)
  c = f32[] copy(y)
  ROOT t = (f32[], f32[]) tuple(c, s) })");
  EXPECT_THAT(ForwardedParameter(module_->entry(), 0), Optional(1));
  EXPECT_EQ(ForwardedParameter(module_->entry(), 1), std::nullopt);
}

TEST_F(CalledComputationsTest, Callees) {
  Parse(R"(f { p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p) }
g { p = f32[4] parameter(0)
  ROOT r = f32[4] copy(p) }
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
condition { p = f32[4] parameter(0)
  ROOT r = pred[] constant(false) }
ENTRY e { x = f32[4] parameter(0)
  choice = pred[] parameter(1)
  number = s32[] parameter(2)
  zero = f32[] constant(0)
  call = f32[4] call(x), to_apply=f
  fusion = f32[4] fusion(x), kind=kLoop, calls=f
  start = ((f32[4]), f32[4], s32[]) async-start(x), calls=f
  if = f32[4] conditional(choice, x, x), true_computation=f, false_computation=g
  switch = f32[4] conditional(number, x, x, x), branch_computations={g, f, g}
  loop = f32[4] while(x), condition=condition, body=f
  reduce = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  ROOT negate = f32[4] negate(x) })");
  for (const char* name : {"call", "fusion", "start"}) {
    EXPECT_EQ(CalleeOf(Named(name)), Computation("f")) << name;
    EXPECT_TRUE(HasControlFlow(Named(name))) << name;
  }
  for (const char* name : {"if", "switch", "loop"}) {
    EXPECT_EQ(CalleeOf(Named(name)), nullptr) << name;
    EXPECT_TRUE(HasControlFlow(Named(name))) << name;
  }
  // What a reduction calls has no accesses to arrays: its rule says what is read.
  for (const char* name : {"reduce", "negate"}) {
    EXPECT_EQ(CalleeOf(Named(name)), nullptr) << name;
    EXPECT_FALSE(HasControlFlow(Named(name))) << name;
  }
  EXPECT_THAT(Named("if").Branches(), ElementsAre(Computation("f"), Computation("g")));
  EXPECT_THAT(Named("switch").Branches(),
              ElementsAre(Computation("g"), Computation("f"), Computation("g")));
}

TEST_F(CalledComputationsTest, Unbounded) {
  Parse(R"(ENTRY e { x = f32[?] parameter(0)
  y = f32[4] parameter(1)
  z = f32[<=4] parameter(2)
  n = f32[?] negate(x)
  m = f32[<=4] negate(z)
  zero = f32[] constant(0)
  r = f32[] reduce(x, zero), dimensions={0}, to_apply={ a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] add(a, b) }
  ROOT t = (f32[?], f32[4]) tuple(x, y) })");
  EXPECT_EQ(FindUnbounded(Named("n"), 0), nullptr);
  EXPECT_EQ(FindUnbounded(Named("r"), 0), &Named("x").shape());
  EXPECT_EQ(FindUnbounded(Named("m"), 0), nullptr);
  EXPECT_EQ(FindUnbounded(root(), 0), nullptr);
  EXPECT_EQ(FindUnbounded(root(), 1), nullptr);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
