// Modules with mistakes in their attributes: the verifier refuses what the analysis and the
// interpreter rely on, so that nothing crashes, and the answers about what it accepts are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "hlo/opcode.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/any_module.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_mutation.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;

class MutatedModules : public ::testing::TestWithParam<int> {};

TEST_P(MutatedModules, AreRefusedOrMapped) {
  // Custom calls take any attributes, and have no generator.
  if (static_cast<Opcode>(GetParam()) == Opcode::kCustomCall) return;
  const int instances = NumCases("HLO_INDEXING_RANDOM_MUTATIONS", 120);
  AnyModuleCount count;
  for (int seed = 0; seed < instances && !HasFailure(); ++seed) {
    // Expressions are never freed: not all modules in one context.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Random random(static_cast<uint64_t>(seed) * hlo::kNumOpcodes +
                  static_cast<uint64_t>(GetParam()));
    const std::string valid = RandomInstance(random, static_cast<Opcode>(GetParam()));
    const std::string text = WithMutatedAttributes(random, valid);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    ASSERT_EQ(CheckAnyModule(text, random, &context, count), "");
  }
  // Opcodes without attributes keep most of their modules; those with many, some.
  EXPECT_GT(count.accepted, 0);
}

std::string TestName(const ::testing::TestParamInfo<int>& test) {
  std::string name = hlo::OpcodeName(static_cast<Opcode>(test.param)).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, MutatedModules, ::testing::Range(0, hlo::kNumOpcodes), TestName);

}  // namespace
}  // namespace hlo_indexing::testing
