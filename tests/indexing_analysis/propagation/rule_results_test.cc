#include "indexing_analysis/propagation/rule_results.h"

#include <string>

#include "simplifier/arithmetic.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::SizeIs;

class RuleResultsTest : public PropagationTest {
 protected:
  // What the rule of an instruction, as one of the class, reads for the identity of f32[8,64].
  const RuleReads* Find(const InstructionClass& instruction_class,
                        const hlo::Instruction& instruction) {
    const InternedAccess* identity = memory_->accesses.Identity({8, 64});
    return memory_->rules.Find(instruction_class, instruction, 0, CountDevices(*module_),
                               *identity);
  }
};

// The instruction that comes second is not looked at: that it is of the class says everything.
TEST_F(RuleResultsTest, ExampleOfTheHeader) {
  Parse(R"(ENTRY e { x = f32[64,8] parameter(0)
  y = f32[8,64] parameter(1)
  first = f32[8,64] transpose(x), dimensions={1,0}
  ROOT other = f32[8,64] reverse(y), dimensions={1} })");
  const InstructionClass& transposes = *memory_->classes.Of(Named("first"), 0);
  for (const hlo::Instruction* instruction : {&Named("first"), &root()}) {
    const RuleReads* reads = Find(transposes, *instruction);
    ASSERT_NE(reads, nullptr);
    ASSERT_THAT(*reads, SizeIs(1));
    EXPECT_EQ(reads->front().operand, 0);
    EXPECT_EQ(reads->front().access.ToString(),
              "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 63]");
  }
  const RuleReads* of_reverse = Find(*memory_->classes.Of(root(), 0), root());
  ASSERT_NE(of_reverse, nullptr);
  EXPECT_EQ(of_reverse->front().access.ToString(),
            "(d0, d1) -> (d0, -d1 + 63), domain: d0 in [0, 7], d1 in [0, 63]");
}

TEST_F(RuleResultsTest, OperandsThatAreReadAtTheIndexOfTheOutputHaveNoAccess) {
  Parse(R"(ENTRY e { c = pred[] parameter(0)
  x = f32[8,64] parameter(1)
  y = f32[8,64] parameter(2)
  ROOT r = f32[8,64] select(c, x, y) })");
  const RuleReads* reads = Find(*memory_->classes.Of(root(), 0), root());
  ASSERT_NE(reads, nullptr);
  ASSERT_THAT(*reads, SizeIs(3));
  for (const RuleRead& read : *reads) {
    EXPECT_EQ(read.access.interned == nullptr, read.operand != 0) << read.operand;
  }
}

// What depends on a value, on the executing device or on a custom call belongs to a query.
TEST_F(RuleResultsTest, WhatDependsOnTheQueryHasNoResult) {
  Parse(R"(HloModule m, replica_count=2
ENTRY e { x = f32[9,64] parameter(0)
  i = s32[] parameter(1)
  y = f32[8,64] parameter(2)
  slice = f32[8,64] dynamic-slice(x, i, i), dynamic_slice_sizes={8,64}
  permute = f32[8,64] collective-permute(y), source_target_pairs={{0,1},{1,0}}
  ROOT custom = f32[8,64] custom-call(y), custom_call_target="t" })");
  for (const char* name : {"slice", "permute", "custom"}) {
    EXPECT_EQ(Find(*memory_->classes.Of(Named(name), 0), Named(name)), nullptr) << name;
  }
}

TEST_F(RuleResultsTest, Scalar) {
  Parse("ENTRY e { ROOT x = f32[8,64] parameter(0) }");
  const InternedAccess& identity = *memory_->accesses.Identity({8, 64});
  EXPECT_EQ(memory_->rules.Scalar(identity).ToString(),
            "(d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 63]");
  const InternedAccess& anywhere = *memory_->accesses.WholeArray(identity, {4}, /*devices=*/2);
  EXPECT_EQ(memory_->rules.Scalar(anywhere).ToString(),
            "(d0, d1)[s0] -> () on device s0, domain: d0 in [0, 7], d1 in [0, 63], s0 in [0, 1]");
}

TEST(CanonicalizeTest, VariablesAreRenumberedAndTheReasonIsTaken) {
  DigitContext digits;
  Access access;
  access.num_dimensions = 1;
  access.map.boxes = {{0, 3}, {0, 9}, {0, 5}, {0, 6}};
  access.ranges = {1, 2, 3};
  access.map.results = {access.map.Variable(digits, 3), access.map.Variable(digits, 1)};
  access.superset_reason = "a loop";
  EXPECT_EQ(Canonicalize(digits, {}, access), "a loop");
  EXPECT_EQ(access.ToString(),
            "(d0)[s1, s0] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 6], s1 in [0, 9]");
}

TEST(CanonicalizeTest, DomainsAreTightenedUnlessNothingIsSimplified) {
  for (const bool is_full : {true, false}) {
    AnalysisOptions options;
    if (!is_full) options.simplification = AnalysisOptions::Simplification::kNone;
    DigitContext digits;
    Access access;
    access.num_dimensions = 1;
    access.map.boxes = {{0, 9}};
    const Sum d0 = access.map.Variable(digits, 0);
    access.map.results = {d0};
    access.map.constraints = {{d0, {2, 5}}};
    EXPECT_EQ(Canonicalize(digits, options, access), "");
    EXPECT_EQ(access.ToString(), is_full ? "(d0) -> (d0), domain: d0 in [2, 5]"
                                         : "(d0) -> (d0), domain: d0 in [0, 9], d0 in [2, 5]");
  }
}

// Sixty-five constraints, each on two of the variables.
TEST(CanonicalizeTest, VeryManyConstraintsAreCut) {
  DigitContext digits;
  Access access;
  access.num_dimensions = 66;
  for (VariableId i = 0; i < 66; ++i) access.map.boxes.push_back({0, 9});
  for (VariableId i = 0; i < 65; ++i) {
    const Sum sum = Add(digits, access.map.Variable(digits, i), access.map.Variable(digits, i + 1));
    access.map.constraints.push_back({sum, {1, 12}});
  }
  AnalysisOptions options;
  options.simplification = AnalysisOptions::Simplification::kNone;
  EXPECT_EQ(Canonicalize(digits, options, access), "some of very many constraints are left out");
  EXPECT_THAT(access.map.constraints, SizeIs(64));
  EXPECT_EQ(Canonicalize(digits, options, access), "");
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
