// The maps of random instances of every opcode, in both directions, equal the relation found by
// enumeration.
#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_opcode.h"
#include "tests/property/relation_check.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Opcodes that values decide about: what they read is not one relation.
bool DependsOnValues(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRaggedDot:
    case Opcode::kScatter:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

class OpcodeMaps : public ::testing::TestWithParam<int> {};

TEST_P(OpcodeMaps, EqualEnumeration) {
  const Opcode opcode = static_cast<Opcode>(GetParam());
  // Custom calls are unknown without registered maps; these have tests of their own.
  if (opcode == Opcode::kCustomCall) return;
  auto instances = static_cast<uint64_t>(NumCases("HLO_INDEXING_RANDOM_INSTANCES", 200));
  // Loops differ in more than other opcodes.
  if (opcode == Opcode::kWhile) instances *= 5;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RecordCount records;
  for (uint64_t seed = 0; seed < instances && !HasFailure(); ++seed) {
    Random random(seed * hlo::kNumOpcodes + static_cast<uint64_t>(GetParam()));
    const std::string text = RandomInstance(random, opcode);
    ASSERT_NE(text, "") << "no generator for this opcode";
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const absl::Status verified = hlo::Verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.message();
    const Instruction& root = (*module)->entry().root();
    ASSERT_EQ(root.opcode(), opcode);
    RunValues values(**module, random, DevicesOf(**module));
    const auto run = TracedRun::Make(root, values);
    ASSERT_TRUE(run.ok()) << run.status().message();
    indexing_analysis::IndexingAnalysis analysis(&context);
    ASSERT_EQ(CheckRelation(root, analysis, *run, values, records), "");
  }
  EXPECT_EQ(records.unknown, 0);
  if (!DependsOnValues(opcode)) {
    EXPECT_EQ(records.superset, 0);
  }
}

std::string TestName(const ::testing::TestParamInfo<int>& test) {
  std::string name = hlo::OpcodeName(static_cast<Opcode>(test.param)).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, OpcodeMaps, ::testing::Range(0, hlo::kNumOpcodes), TestName);

}  // namespace
}  // namespace hlo_indexing::testing
