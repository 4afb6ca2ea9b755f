#include "indexing_analysis/propagation/propagation.h"
#include "indexing_analysis/propagation/calls.h"

#include <string>

#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using PropagatorTest = PropagationTest;

TEST_F(PropagatorTest, ExampleOfTheHeader) {
  Parse(R"(fused { p = f32[6,4] parameter(0)
  r = f32[6,4] reverse(p), dimensions={1}
  a = f32[6,4] add(p, r)
  ROOT t = f32[4,6] transpose(a), dimensions={1,0} }
ENTRY e { x = f32[6,4] parameter(0)
  ROOT f = f32[4,6] fusion(x), kind=kLoop, calls=fused })");
  EXPECT_THAT(OperandLines(0),
              UnorderedElementsAre(
                  "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5] for {0}",
                  "(d0, d1) -> (d1, -d0 + 3), domain: d0 in [0, 3], d1 in [0, 5] for {0}"));
}

// There are 2^40 paths, but 80 edges.
TEST_F(PropagatorTest, EqualAccessesAreOne) {
  std::string text = "f { p0 = f32[4] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "p" + std::to_string(i - 1);
    text += std::string(i == 40 ? "ROOT " : "") + "p" + std::to_string(i) + " = f32[4] add(" +
            before + ", " + before + ")\n";
  }
  options_.max_steps = kStepsOfCall + 100;
  Parse(text + "}\nENTRY e { x = f32[4] parameter(0)\n ROOT c = f32[4] call(x), to_apply=f }");
  EXPECT_THAT(OperandLines(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
}

// Every element of the sum is one of x, at an even place in `even`, at an odd one in `odd`.
TEST_F(PropagatorTest, AccessesThatDifferInResiduesAreOne) {
  Parse(R"(add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
fused { x = f32[4] parameter(0)
  z = f32[] constant(0)
  even = f32[8] pad(x, z), padding=0_1_1
  odd = f32[8] pad(x, z), padding=1_0_1
  s = f32[8] add(even, odd)
  ROOT r = f32[] reduce(s, z), dimensions={0}, to_apply=add }
ENTRY e { x = f32[4] parameter(0)
  ROOT f = f32[] fusion(x), kind=kLoop, calls=fused })");
  EXPECT_THAT(OperandLines(0), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 3] for {0}"));
}

constexpr char kNested[] = R"(f1 { p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p) }
f2 { p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=f1 }
f3 { p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=f2 }
ENTRY e { x = f32[4] parameter(0)
  shallow = f32[4] call(x), to_apply=f2
  ROOT deep = f32[4] call(x), to_apply=f3 })";

// What is memoized of f2, which may be called here, is not recalled where it nests too deep.
TEST_F(PropagatorTest, CallsNestAsDeepAsTheLimit) {
  options_.max_call_depth = 2;
  Parse(kNested);
  const Propagation shallow = Propagate(Named("shallow"));
  EXPECT_THAT(LinesOf(shallow.accesses().sets, shallow.accesses().operands[0][0]),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
  EXPECT_THAT(OperandLines(0), ElementsAre("unknown for {0}: calls nest deeper than 2 levels"));
  options_.max_call_depth = 3;
  Parse(kNested);
  EXPECT_THAT(OperandLines(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
}

// What is cut in the deep call is not what the shallow one reads.
TEST_F(PropagatorTest, WhatIsCutIsNotRecalledElsewhere) {
  options_.max_call_depth = 2;
  Parse(kNested);
  EXPECT_THAT(OperandLines(0), ElementsAre("unknown for {0}: calls nest deeper than 2 levels"));
  const Propagation shallow = Propagate(Named("shallow"));
  EXPECT_THAT(LinesOf(shallow.accesses().sets, shallow.accesses().operands[0][0]),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
}

// A loop counts as nested although no computation is propagated through for what it forwards.
TEST_F(PropagatorTest, LoopsThatForwardNestToo) {
  options_.max_call_depth = 2;
  Parse(R"(same { p = (s32[], f32[4]) parameter(0)
  ROOT c = (s32[], f32[4]) copy(p) }
never { p = (s32[], f32[4]) parameter(0)
  ROOT r = pred[] constant(false) }
f { x = f32[4] parameter(0)
  i = s32[] constant(0)
  t = (s32[], f32[4]) tuple(i, x)
  w = (s32[], f32[4]) while(t), condition=never, body=same
  ROOT r = f32[4] get-tuple-element(w), index=1 }
g { x = f32[4] parameter(0)
  ROOT r = f32[4] call(x), to_apply=f }
ENTRY e { x = f32[4] parameter(0)
  shallow = f32[4] call(x), to_apply=f
  ROOT deep = f32[4] call(x), to_apply=g })");
  const Propagation shallow = Propagate(Named("shallow"));
  EXPECT_THAT(LinesOf(shallow.accesses().sets, shallow.accesses().operands[0][0]),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {0}"));
  EXPECT_THAT(OperandLines(0), ElementsAre("unknown for {0}: calls nest deeper than 2 levels"));
}

// Nothing is known of what a custom call reads, nor of what that is computed from; the other
// output does not depend on it.
TEST_F(PropagatorTest, WhatLiesBehindUnknownIsUnknown) {
  Parse(R"(f { p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  n = f32[4] negate(p)
  c = f32[4] custom-call(n), custom_call_target="t"
  ROOT r = (f32[4], f32[4]) tuple(c, q) }
ENTRY e { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT c = (f32[4], f32[4]) call(x, y), to_apply=f })");
  const Propagation propagation = Propagate(root(), {0, 1});
  const llvm::ArrayRef<AccessSets> operands = propagation.accesses().operands;
  const Lines first = LinesOf(propagation.accesses().sets, operands[0][0]);
  ASSERT_EQ(first.size(), 1);
  EXPECT_EQ(first[0].substr(0, 16), "unknown for {0}:");
  EXPECT_THAT(LinesOf(propagation.accesses().sets, operands[1][0]),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] for {1}"));
}

TEST_F(PropagatorTest, WhatIsSubsumedIsRemovedFromOperands) {
  Parse(R"(sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
f { p = f32[4] parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(p, zero), dimensions={0}, to_apply=sum
  b = f32[4] broadcast(s), dimensions={}
  ROOT r = f32[4] add(p, b) }
ENTRY e { x = f32[4] parameter(0)
  ROOT c = f32[4] call(x), to_apply=f })");
  EXPECT_THAT(OperandLines(0),
              ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3] for {0}"));
}

TEST_F(PropagatorTest, NothingIsReadForNoElements) {
  Parse(R"(ENTRY e { x = f32[0] parameter(0)
  ROOT n = f32[0] negate(x) })");
  EXPECT_THAT(OperandLines(0), IsEmpty());
}

// The maps of `slice` depend on who gives its start; those of the others hold for equal ones.
TEST_F(PropagatorTest, DependenceOnValues) {
  Parse(R"(f { p = f32[16] parameter(0)
  q = s32[] parameter(1)
  ROOT s = f32[4] dynamic-slice(p, q), dynamic_slice_sizes={4} }
inside { p = f32[16] parameter(0)
  q = s32[] constant(1)
  ROOT s = f32[4] call(p, q), to_apply=f }
ENTRY e { x = f32[16] parameter(0)
  i = s32[] parameter(1)
  direct = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  given = f32[4] call(x, i), to_apply=f
  independent = f32[4] call(x), to_apply=inside
  ROOT n = f32[4] negate(given) })");
  EXPECT_TRUE(Propagate(Named("direct")).depends_on_values());
  EXPECT_TRUE(Propagate(Named("given")).depends_on_values());
  EXPECT_FALSE(Propagate(Named("independent")).depends_on_values());
  EXPECT_FALSE(Propagate(root()).depends_on_values());
}

TEST_F(PropagatorTest, ScalarAccessesHaveTheVariablesOfTheAccesses) {
  Parse("HloModule m, replica_count=2\nENTRY e { ROOT p = f32[4] parameter(0) }");
  Query query = MakeQuery({4});
  Propagator propagator(query);
  AccessSet accesses = IdentityOf(query);
  AccessSet scalar;
  propagator.AddScalarAccesses(accesses, scalar);
  EXPECT_THAT(LinesOf(query.outputs, scalar),
              ElementsAre("(d0) -> (), domain: d0 in [0, 3] for {0}"));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
