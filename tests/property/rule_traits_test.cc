// What the table of rules says of each opcode is true: of what its rule does on random instances,
// and of the values that the interpreter computes for them. A trait that is not stated is not
// checked, as it may hold all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/propagation/rule_results.h"
#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_opcode.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::Access;
using indexing_analysis::ControlFlow;
using indexing_analysis::DeviceCounts;
using indexing_analysis::DigitContext;
using indexing_analysis::ForwardedOperand;
using indexing_analysis::Forwarding;
using indexing_analysis::IndexOperands;
using indexing_analysis::OperandArray;
using indexing_analysis::ReadContext;
using indexing_analysis::ReadRuleOf;
using indexing_analysis::ReadSink;
using indexing_analysis::RuleTraits;
using indexing_analysis::TraitsOf;

// An array of an operand.
using Array = std::pair<size_t, int64_t>;

// What a rule did when it was given the identity access to an array of the output.
struct RuleLog {
  std::set<Array> read_at_same_index;
  // Arrays that are read elsewhere, by the number of their indices.
  std::set<std::pair<Array, size_t>> read_elsewhere;
  // The same with the accesses as text, where they read anything.
  std::set<std::pair<Array, std::string>> accesses;
  std::set<const Instruction*> values_of;
  bool is_unknown = false;
  bool asked_for_devices = false;
  bool asked_for_registered_maps = false;

  std::set<Array> Arrays() const {
    std::set<Array> arrays = read_at_same_index;
    for (const auto& [array, rank] : read_elsewhere) arrays.insert(array);
    return arrays;
  }
};

class LoggingSink : public ReadSink {
 public:
  LoggingSink(DigitContext& digits, RuleLog& log) : digits_(digits), log_(log) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    log_.asked_for_devices |= access.has_device;
    log_.read_elsewhere.insert({{operand, leaf}, access.Index().size()});
    const std::string reason = Canonicalize(digits_, {}, access);
    if (!access.map.empty) log_.accesses.insert({{operand, leaf}, access.ToString() + reason});
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    log_.read_at_same_index.insert({operand, leaf});
  }
  void ReadUnknown(std::string) override { log_.is_unknown = true; }
  simplifier::Sum RuntimeValue(const Instruction& operand, llvm::ArrayRef<simplifier::Sum> index,
                               simplifier::Interval bounds, Access&) override {
    log_.values_of.insert(&operand);
    return digits_.Function(UINT32_MAX, index, bounds);
  }
  simplifier::Sum ExecutingDevice(Access&) override {
    log_.asked_for_devices = true;
    return digits_.Function(UINT32_MAX, {}, {0, devices_.Count() - 1});
  }
  const DeviceCounts& devices() override {
    log_.asked_for_devices = true;
    return devices_;
  }
  void Compose(const indexing_analysis::IndexingMap&, Access&) override {
    ADD_FAILURE() << "no maps are registered";
  }
  const indexing_analysis::CustomCallRegistry* custom_calls() override {
    log_.asked_for_registered_maps = true;
    return nullptr;
  }
  mlir::MLIRContext* mlir_context() override { return nullptr; }

 private:
  DigitContext& digits_;
  RuleLog& log_;
  DeviceCounts devices_ = {kNumDevices, 1};
};

// Applies the rule to the element itself. Not for arrays without elements.
RuleLog Apply(const Instruction& instruction, int64_t leaf) {
  DigitContext digits;
  Access identity;
  const llvm::ArrayRef<int64_t> sizes = instruction.shape().ArrayLeaf(leaf).sizes();
  identity.num_dimensions = sizes.size();
  for (const int64_t size : sizes) {
    const simplifier::VariableId variable = identity.AddRange({0, size - 1});
    identity.map.results.push_back(identity.map.Variable(digits, variable));
  }
  RuleLog log;
  LoggingSink sink(digits, log);
  ReadContext context(instruction, leaf, identity, digits, sink);
  ReadRuleOf(instruction.opcode())(context);
  return log;
}

// Every array of the operands that has elements; of those that are tuples, the one of this number.
std::set<Array> ArraysOfEveryOperand(const Instruction& instruction, int64_t leaf) {
  std::set<Array> arrays;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const hlo::Shape& shape = instruction.operand(i).shape();
    const int64_t array = shape.IsArray() ? 0 : leaf;
    if (shape.ArrayLeaf(array).num_elements() != 0) arrays.insert({i, array});
  }
  return arrays;
}

// Arrays of the output that are said to read alike do.
void CheckAlike(const Instruction& instruction, const RuleTraits& traits) {
  if (traits.first_alike == nullptr || instruction.shape().IsArray()) return;
  const std::vector<size_t> first_alike = traits.first_alike(instruction);
  for (size_t leaf = 0; leaf < first_alike.size(); ++leaf) {
    ASSERT_EQ(first_alike.size(), static_cast<size_t>(instruction.shape().num_array_leaves()));
    ASSERT_LE(first_alike[leaf], leaf);
    if (instruction.shape().ArrayLeaf(static_cast<int64_t>(leaf)).num_elements() == 0) continue;
    EXPECT_EQ(Apply(instruction, static_cast<int64_t>(leaf)).accesses,
              Apply(instruction, static_cast<int64_t>(first_alike[leaf])).accesses)
        << leaf << " and " << first_alike[leaf];
  }
}

void CheckInputs(const Instruction& instruction, const RuleTraits& traits, const RuleLog& log) {
  if (!traits.reads_other_devices) {
    EXPECT_FALSE(log.asked_for_devices);
  }
  if (!traits.inputs.registered_maps) {
    EXPECT_FALSE(log.asked_for_registered_maps);
  }
  if (!traits.inputs.index_values) {
    EXPECT_TRUE(log.values_of.empty());
  }
  if (traits.index_operands == nullptr) return;
  const IndexOperands indices = traits.index_operands(instruction);
  const auto operands = instruction.operands().slice(indices.first, indices.count);
  for (const Instruction* operand : log.values_of) {
    EXPECT_TRUE(llvm::is_contained(operands, operand)) << operand->name().str();
  }
}

void CheckReads(const Instruction& instruction, int64_t leaf, const RuleTraits& traits,
                const RuleLog& log) {
  if (traits.reads_every_operand) {
    EXPECT_EQ(log.Arrays(), ArraysOfEveryOperand(instruction, leaf));
    EXPECT_FALSE(log.is_unknown);
  }
  if (traits.is_elementwise) {
    for (const auto& [array, rank] : log.read_elsewhere) EXPECT_EQ(rank, 0u);
  }
  if (traits.is_identity) {
    EXPECT_EQ(log.read_at_same_index, (std::set<Array>{{0, leaf}}));
  }
  if (traits.forwarding == Forwarding::kNone) return;
  EXPECT_TRUE(log.read_elsewhere.empty());
  EXPECT_FALSE(log.is_unknown);
  const std::optional<OperandArray> from = ForwardedOperand(instruction, leaf);
  EXPECT_EQ(from.has_value(), traits.forwarding != Forwarding::kNoOperand);
  std::set<Array> expected;
  if (from) expected.insert({from->operand, from->leaf});
  EXPECT_EQ(log.read_at_same_index, expected);
}

// What the interpreter computes is operand 0.
void CheckIdentity(const hlo::Module& module, Random& random) {
  RunValues values(module, random, DevicesOf(module));
  const Instruction& root = module.entry().root();
  const auto results = values.ValuesOf(root, {});
  const auto operands = values.OperandsOf(root, {});
  ASSERT_TRUE(results.ok() && operands.ok());
  for (size_t device = 0; device < results->size(); ++device) {
    const auto result = (*results)[device].ArrayLeaves();
    const auto operand = (*operands)[device][0].ArrayLeaves();
    ASSERT_EQ(result.size(), operand.size());
    for (size_t leaf = 0; leaf < result.size(); ++leaf) {
      EXPECT_EQ(result[leaf]->bytes(), operand[leaf]->bytes());
    }
  }
}

std::string TestName(const ::testing::TestParamInfo<int>& test) {
  std::string name = hlo::OpcodeName(static_cast<Opcode>(test.param)).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Custom calls have no generator.
std::string Instance(Random& random, Opcode opcode) {
  if (opcode != Opcode::kCustomCall) return RandomInstance(random, opcode);
  return "HloModule m\nENTRY e {\n p = f32[3] parameter(0)\n"
         " ROOT r = f32[3] custom-call(p), custom_call_target=\"unknown\"\n}";
}

class RuleTraitsOf : public ::testing::TestWithParam<int> {
 protected:
  Opcode opcode() const { return static_cast<Opcode>(GetParam()); }
};

TEST_P(RuleTraitsOf, AreTrueOfItsRule) {
  const RuleTraits& traits = TraitsOf(opcode());
  ASSERT_EQ(ReadRuleOf(opcode()) == nullptr, traits.control_flow != ControlFlow::kNone);
  if (traits.control_flow != ControlFlow::kNone) return;
  const int instances = NumCases("HLO_INDEXING_RANDOM_TRAITS", 60);
  for (int seed = 0; seed < instances && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + GetParam()));
    const std::string text = Instance(random, opcode());
    SCOPED_TRACE(text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const Instruction& root = (*module)->entry().root();
    for (int64_t leaf = 0; leaf < root.shape().num_array_leaves(); ++leaf) {
      if (root.shape().ArrayLeaf(leaf).num_elements() == 0) continue;
      const RuleLog log = Apply(root, leaf);
      CheckInputs(root, traits, log);
      CheckReads(root, leaf, traits, log);
    }
    CheckAlike(root, traits);
    if (traits.is_identity) CheckIdentity(**module, random);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, RuleTraitsOf, ::testing::Range(0, hlo::kNumOpcodes), TestName);

}  // namespace
}  // namespace hlo_indexing::testing
