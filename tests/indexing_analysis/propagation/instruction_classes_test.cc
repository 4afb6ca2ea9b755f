// Which instructions are equivalent, by their fingerprints and as classes.
#include "indexing_analysis/propagation/instruction_classes.h"

#include <string>

#include "indexing_analysis/rules/custom_calls.h"
#include "tests/indexing_analysis/propagation/propagation_testing.h"

namespace hlo_indexing::indexing_analysis {
namespace {

class InstructionClassesTest : public PropagationTest {
 protected:
  InstructionFingerprint FingerprintOf(llvm::StringRef name, int64_t leaf = 0) {
    InstructionFingerprint fingerprint;
    FingerprintInstruction(Named(name), leaf, options_.custom_calls, fingerprint);
    return fingerprint;
  }
  Shareable ShareableOf(llvm::StringRef name) {
    InstructionFingerprint fingerprint;
    return FingerprintInstruction(Named(name), 0, options_.custom_calls, fingerprint);
  }
  InstructionClass* ClassOf(llvm::StringRef name, int64_t leaf = 0) {
    return memory_->classes.Of(Named(name), leaf);
  }
};

TEST_F(InstructionClassesTest, ExampleOfTheHeader) {
  Parse(R"(ENTRY e { x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  z = s8[8] parameter(2)
  w = s8[7] parameter(3)
  a = f32[8] add(x, y)
  m = s8[8] multiply(z, z)
  ROOT n = s8[7] multiply(w, w) })");
  EXPECT_EQ(FingerprintOf("a"), FingerprintOf("m"));
  EXPECT_NE(FingerprintOf("a"), FingerprintOf("n"));
  EXPECT_EQ(ShareableOf("a"), Shareable::kMaps);
  EXPECT_EQ(ClassOf("a"), ClassOf("m"));
  EXPECT_NE(ClassOf("a"), ClassOf("n"));
  EXPECT_EQ(ClassOf("a")->representative, nullptr);
}

// Only what the rule looks at counts.
TEST_F(InstructionClassesTest, Attributes) {
  Parse(R"(ENTRY e { x = f32[8,8] parameter(0)
  a = f32[8,8] transpose(x), dimensions={1,0}
  noted = f32[8,8] transpose(x), dimensions={1,0}, metadata={op_name="t"}
  as_it_is = f32[8,8] transpose(x), dimensions={0,1}
  b = f32[8,8] reverse(x), dimensions={1,0}
  ROOT t = (f32[8,8], f32[8,8]) tuple(a, b) })");
  EXPECT_EQ(ClassOf("a"), ClassOf("noted"));
  EXPECT_NE(ClassOf("a"), ClassOf("as_it_is"));
  EXPECT_NE(ClassOf("a"), ClassOf("b"));
}

TEST_F(InstructionClassesTest, EveryOutputArrayHasAClass) {
  Parse(R"(both { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] add(b, d)
  ROOT r = (f32[], f32[]) tuple(e, f) }
ENTRY e { x = f32[8] parameter(0)
  z = f32[] parameter(1)
  a = (f32[], f32[]) reduce(x, x, z, z), dimensions={0}, to_apply=both
  ROOT b = (f32[], f32[]) reduce(x, x, z, z), dimensions={0}, to_apply=both })");
  EXPECT_EQ(ClassOf("a", 1), ClassOf("b", 1));
  EXPECT_NE(ClassOf("a", 0), ClassOf("a", 1));
}

// The start that comes first represents the others; which operand gives it is no matter, what is
// known of it is.
TEST_F(InstructionClassesTest, Values) {
  Parse(R"(ENTRY e { x = f32[8] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  three = s32[] constant(3)
  indices = s32[4] iota(), iota_dimension=0
  a = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  b = f32[4] dynamic-slice(x, j), dynamic_slice_sizes={4}
  c = f32[4] dynamic-slice(x, three), dynamic_slice_sizes={4}
  ROOT g = f32[4] gather(x, indices), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1} })");
  EXPECT_EQ(ShareableOf("a"), Shareable::kMapsButValues);
  const InstructionClass* slices = ClassOf("a");
  EXPECT_EQ(ClassOf("b"), slices);
  EXPECT_EQ(slices->representative, &Named("a"));
  EXPECT_NE(ClassOf("c"), slices);
  // Every index is another number.
  EXPECT_EQ(ShareableOf("g"), Shareable::kNothing);
  EXPECT_EQ(ClassOf("g"), nullptr);
}

TEST_F(InstructionClassesTest, RulesOfUsersMayLookAtAnything) {
  CustomCallRegistry registry;
  registry.Register("mine", ReadSameIndex);
  options_.custom_calls = &registry;
  Parse(R"(ENTRY e { x = f32[8] parameter(0)
  a = f32[8] custom-call(x), custom_call_target="mine"
  ROOT b = f32[8] custom-call(x), custom_call_target="other" })");
  EXPECT_EQ(ClassOf("a"), nullptr);
  EXPECT_NE(ClassOf("b"), nullptr);
}

// A class that is not remembered of an instruction is found again by the fingerprint.
TEST_F(InstructionClassesTest, TheTableChangesNothing) {
  options_.disabled_memo_tables.Disable(MemoTable::kClassOfInstruction);
  Parse(R"(ENTRY e { x = f32[8] parameter(0)
  a = f32[8] negate(x)
  ROOT b = f32[8] negate(a) })");
  EXPECT_EQ(ClassOf("a"), ClassOf("a"));
  EXPECT_EQ(ClassOf("a"), ClassOf("b"));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
