// An opcode that has been added as docs/design.md says, and with no traits, is parsed, checked,
// evaluated and mapped like any other, by itself and in fusions.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hlo/opcode.h"
#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random.h"
#include "tests/property/relation_check.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using indexing_analysis::IndexingAnalysis;

std::unique_ptr<hlo::Module> Parse(const std::string& text) {
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : nullptr;
}

class NewOpcode : public ::testing::Test {
 protected:
  // The maps of every instruction of the entry are what the interpreter reads.
  void Check(hlo::Module& module) {
    const absl::Status verified = hlo::Verify(module);
    ASSERT_TRUE(verified.ok()) << verified.message();
    Random random(1);
    RunValues values(module, random, /*num_devices=*/1);
    for (const Instruction* instruction : module.entry().instructions()) {
      const auto run = TracedRun::Make(*instruction, values);
      ASSERT_TRUE(run.ok()) << run.status().message();
      EXPECT_EQ(CheckRelation(*instruction, analysis_, *run, values, records_), "")
          << instruction->name().str();
    }
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  IndexingAnalysis analysis_{&context_};
  RecordCount records_;
};

TEST_F(NewOpcode, IsChecked) {
  const auto wrong = Parse(R"(HloModule wrong
ENTRY main {
  a = f32[4] parameter(0)
  ROOT r = f32[7] zebra(a, a), dimensions={0}
})");
  const absl::Status status = hlo::Verify(*wrong);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("its operands and attributes give f32[4]"), std::string::npos)
      << status.message();
}

TEST_F(NewOpcode, HasMaps) {
  const auto module = Parse(R"(HloModule one
ENTRY main {
  a = f32[4,3] parameter(0)
  b = f32[4,3] parameter(1)
  ROOT r = f32[4,3] zebra(a, b), dimensions={0}
})");
  Check(*module);
  const auto indexing = analysis_.OutputToInput(module->entry().root(), 0);
  ASSERT_EQ(indexing.operands().size(), 2u);
  ASSERT_EQ(indexing.operands()[1].maps().size(), 1u);
  EXPECT_EQ(indexing.operands()[1].maps().front().ToString(),
            "(d0, d1) -> (d0, d1), domain: d0 in [1, 3], d1 in [0, 2], d0 mod 2 in [1, 1]");
}

// The same dimensions and other attributes: alike for whoever forgets to look at attributes.
TEST_F(NewOpcode, SharesNothingUnlessTheTableSaysSo) {
  const auto module = Parse(R"(HloModule alike
ENTRY main {
  a = f32[2,2,4] parameter(0)
  b = f32[2,2,4] parameter(1)
  x = f32[2,2,4] zebra(a, b), dimensions={0}
  y = f32[2,2,4] zebra(a, b), dimensions={1}
  z = f32[2,2,4] zebra(b, a), dimensions={2}
  u = f32[2,2,4] zebra(x, y), dimensions={1}
  e = f32[0,4] parameter(2)
  ROOT v = f32[0,4] zebra(e, e), dimensions={0}
})");
  Check(*module);
}

TEST_F(NewOpcode, ComposesInFusions) {
  const auto module = Parse(R"(HloModule fused
fused {
  a = f32[4,6] parameter(0)
  b = f32[4,6] parameter(1)
  r = f32[4,6] reverse(a), dimensions={1}
  z = f32[4,6] zebra(r, b), dimensions={1}
  s = f32[4,3] slice(z), slice={[0:4], [0:6:2]}
  t = f32[12] reshape(s)
  ROOT w = f32[12] zebra(t, t), dimensions={0}
}
ENTRY main {
  a = f32[4,6] parameter(0)
  b = f32[4,6] parameter(1)
  ROOT r = f32[12] fusion(a, b), kind=kLoop, calls=fused
})");
  Check(*module);
  // Two operands, both directions.
  EXPECT_EQ(records_.exact, 4);
  EXPECT_EQ(records_.superset, 0);
  EXPECT_EQ(records_.unknown, 0);
}

}  // namespace
}  // namespace hlo_indexing::testing
