// The maps of random fusions equal the relation found by enumeration.
#include <gtest/gtest.h>

#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/provenance.h"
#include "tests/property/random_hlo.h"
#include "tests/property/relation_check.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using indexing_analysis::IndexingAnalysis;

TEST(FusionMaps, EqualEnumeration) {
  constexpr int kModules = 3000;
  constexpr int kRuntimeDraws = 2;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RecordCount records;
  for (uint64_t seed = 0; seed < kModules && !HasFailure(); ++seed) {
    Random random(seed);
    const std::string text = RandomModule(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const absl::Status verified = hlo::Verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.message();
    for (int draw = 0; draw < kRuntimeDraws && !HasFailure(); ++draw) {
      IntegerValues integers;
      for (const Instruction* parameter : (*module)->entry().parameters()) {
        if (parameter->shape().element_type() == hlo::ElementType::kS32) {
          std::vector<int64_t> values;
          for (int64_t i = 0; i < parameter->shape().num_elements(); ++i) {
            values.push_back(random.Between(-3, 8));
          }
          integers.Set(*parameter, std::move(values));
        }
      }
      // No limits: they would make records inexact.
      indexing_analysis::AnalysisOptions options;
      options.max_accesses = options.max_accesses_with_values = SIZE_MAX;
      IndexingAnalysis analysis(&context, options);
      const Instruction& root = (*module)->entry().root();
      const Outcome outcome = {{Provenance(root, integers)}, &integers};
      ASSERT_EQ(CheckRelation(root, analysis, outcome, records), "");
    }
  }
  // The generator must not have withered: most modules read something in several ways.
  EXPECT_GT(records.exact, kModules * 4);
  EXPECT_EQ(records.superset + records.unknown, 0);
}

}  // namespace
}  // namespace hlo_indexing::testing
