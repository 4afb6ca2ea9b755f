// What an analysis memoizes changes no answer: without each of its tables, and without all of them,
// it says the same, whatever has been queried before.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/worst_inputs.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/answers.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_calls.h"
#include "tests/property/random_opcode.h"
#include "tests/property/random_variants.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;
using indexing_analysis::AnalysisOptions;
using indexing_analysis::DisabledMemoTables;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::kNumMemoTables;
using indexing_analysis::MemoTable;

struct Tables {
  std::string name;
  DisabledMemoTables disabled;
};

// Each table alone, and all of them.
std::vector<Tables> TablesToDisable() {
  std::vector<Tables> result;
  Tables all = {"every table", {}};
  for (size_t i = 0; i < kNumMemoTables; ++i) {
    const auto table = static_cast<MemoTable>(i);
    result.push_back({MemoTableName(table).str(), {}});
    result.back().disabled.Disable(table);
    all.disabled.Disable(table);
  }
  result.push_back(all);
  return result;
}

// Of each output, by one analysis.
std::vector<std::string> AllAnswers(const std::vector<Output>& outputs,
                                    const AnalysisOptions& options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context, options);
  std::vector<std::string> answers;
  for (const auto& [instruction, leaf] : outputs) {
    answers.push_back(Answers(analysis, *instruction, leaf));
  }
  return answers;
}

// Compares the answers for the outputs with those without tables. How many of them are exact.
int64_t CompareInOrder(const std::vector<Output>& outputs, const AnalysisOptions& options) {
  const std::vector<std::string> expected = AllAnswers(outputs, options);
  for (const Tables& tables : TablesToDisable()) {
    AnalysisOptions without = options;
    without.disabled_memo_tables = tables.disabled;
    const std::vector<std::string> answers = AllAnswers(outputs, without);
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(answers[i], expected[i])
          << "without " << tables.name << ": " << outputs[i].first->parent().name().str() << " "
          << outputs[i].first->name().str() << " " << outputs[i].second;
      if (::testing::Test::HasFailure()) return 0;
    }
  }
  return llvm::count_if(expected, [](const std::string& answer) {
    return answer.find(" exact ") != std::string::npos;
  });
}

// The same from the first instruction to the last and from the last to the first.
int64_t Compare(const std::string& text, const AnalysisOptions& options = {}) {
  SCOPED_TRACE(text);
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return 0;
  const absl::Status verified = hlo::Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.message();
  if (!verified.ok()) return 0;
  std::vector<Output> outputs = OutputsOf(**module);
  const int64_t exact = CompareInOrder(outputs, options);
  std::reverse(outputs.begin(), outputs.end());
  CompareInOrder(outputs, options);
  return exact;
}

TEST(Memoization, OfSingleInstructionsChangesNoAnswer) {
  const int instances = NumCases("HLO_INDEXING_RANDOM_MEMOIZED_INSTANCES", 3);
  int64_t exact = 0;
  for (int opcode = 0; opcode < hlo::kNumOpcodes; ++opcode) {
    for (int seed = 0; seed < instances && !HasFailure(); ++seed) {
      Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + opcode));
      const std::string text = RandomInstance(random, static_cast<Opcode>(opcode));
      // The variants make classes of instructions, and of such that differ in little.
      if (!text.empty()) exact += Compare(RandomVariants(random, text).module_text());
    }
  }
  EXPECT_GT(exact, 100 * instances);
}

TEST(Memoization, OfFusionsChangesNoAnswer) {
  const int fusions = NumCases("HLO_INDEXING_RANDOM_MEMOIZED_FUSIONS", 150);
  int64_t exact = 0;
  for (int seed = 0; seed < fusions && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    exact += Compare(RandomFusion(random, FusibleOpcodes()));
  }
  EXPECT_GT(exact, fusions);
}

TEST(Memoization, OfCallsBranchesAndLoopsChangesNoAnswer) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_MEMOIZED_CALLS", 25);
  int64_t exact = 0;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    // Limits differ: what is cut off is memoized too.
    AnalysisOptions options;
    if (seed % 3 == 1) options.max_accesses_with_values = 1;
    if (seed % 3 == 2) options.max_accesses = 2;
    exact += Compare(RandomCalls(random), options);
  }
  EXPECT_GT(exact, 10 * modules);
}

TEST(Memoization, OfWorstInputsChangesNoAnswer) {
  for (const bench::WorstInput& input : bench::WorstInputs()) {
    EXPECT_GT(Compare(input.text(input.small_size)), 0) << input.name.str();
  }
}

// With every table, exponential numbers of paths are found again and not followed: this ends.
TEST(Memoization, FollowsComputationsOnce) {
  std::set<std::string> tried;
  for (const bench::WorstInput& input : bench::WorstInputs()) {
    if (!input.has_exponential_paths) continue;
    const auto module = hlo::ParseModule(input.text(/*size=*/100));
    ASSERT_TRUE(module.ok()) << module.status().message();
    const auto small = hlo::ParseModule(input.text(/*size=*/2));
    ASSERT_TRUE(small.ok()) << small.status().message();
    const std::vector<Output> root = {{&(*module)->entry().root(), 0}};
    EXPECT_EQ(AllAnswers(root, {}), AllAnswers({{&(*small)->entry().root(), 0}}, {}))
        << input.name.str();
    tried.insert(input.name.str());
  }
  EXPECT_EQ(tried.size(), 4U);
}

TEST(Memoization, TablesHaveNames) {
  std::set<std::string> names;
  for (size_t i = 0; i < kNumMemoTables; ++i) {
    names.insert(MemoTableName(static_cast<MemoTable>(i)).str());
  }
  EXPECT_EQ(names.size(), kNumMemoTables);
  EXPECT_EQ(names.count(""), 0U);
}

}  // namespace
}  // namespace hlo_indexing::testing
