// The maps of random instances of every opcode, in both directions, equal the relation found by
// enumeration.
#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random_opcode.h"
#include "tests/property/relation_check.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

// Opcodes that values decide about: what they read is not one relation.
bool DependsOnValues(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kRaggedDot:
    case Opcode::kScatter:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Random values for the integer parameters: indices in and out of bounds, small sizes.
IntegerValues RandomIntegers(const hlo::Computation& entry, Random& random) {
  IntegerValues integers;
  for (const Instruction* parameter : entry.parameters()) {
    const hlo::Shape& shape = parameter->shape();
    const bool is_predicate = shape.IsArray() && shape.element_type() == hlo::ElementType::kPred;
    const bool is_integer = shape.IsArray() && shape.element_type() == hlo::ElementType::kS32;
    if (!is_predicate && !is_integer) continue;
    const bool is_size = entry.root().opcode() == Opcode::kRaggedDot;
    std::vector<int64_t> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      values.push_back(is_predicate ? random.Between(0, 1)
                       : is_size    ? random.Between(0, 3)
                                    : random.Between(-3, 8));
    }
    integers.Set(*parameter, std::move(values));
  }
  return integers;
}

class OpcodeMaps : public ::testing::TestWithParam<int> {};

TEST_P(OpcodeMaps, EqualEnumeration) {
  const Opcode opcode = static_cast<Opcode>(GetParam());
  // Custom calls are unknown without registered maps; these have tests of their own. The two others
  // are asynchronous forms whose operands and results stand side by side, and a collective whose
  // rows are sent as values say; tests/indexing_analysis has them by hand.
  if (opcode == Opcode::kCustomCall || opcode == Opcode::kAllGatherStart ||
      opcode == Opcode::kCollectivePermuteStart || opcode == Opcode::kRaggedAllToAll) {
    return;
  }
  constexpr int kInstances = 200;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RecordCount records;
  for (uint64_t seed = 0; seed < kInstances && !HasFailure(); ++seed) {
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
    const IntegerValues integers = RandomIntegers((*module)->entry(), random);
    Outcome outcome;
    outcome.integers = &integers;
    Circumstances circumstances;
    circumstances.num_devices = IsCollective(opcode) ? kNumDevices : 1;
    circumstances.iterations = random.Between(0, 3);
    for (int64_t device = 0; device < circumstances.num_devices; ++device) {
      circumstances.device = device;
      outcome.reads.push_back(Provenance(root, integers, circumstances));
    }
    indexing_analysis::IndexingAnalysis analysis(&context);
    ASSERT_EQ(CheckRelation(root, analysis, outcome, records), "");
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
