// The maps of random fusions, in both directions, equal what the interpreter reads.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_opcode.h"
#include "tests/property/relation_check.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;
using indexing_analysis::AnalysisOptions;
using indexing_analysis::IndexingAnalysis;

struct Checked {
  RecordCount records;
  std::set<Opcode> opcodes;
};

// Compares random modules of these opcodes.
Checked CheckFusions(const std::vector<Opcode>& opcodes, int modules,
                     const AnalysisOptions& options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Checked checked;
  for (int seed = 0; seed < modules && !::testing::Test::HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomFusion(random, opcodes);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    if (!module.ok()) break;
    const absl::Status verified = hlo::Verify(**module);
    EXPECT_TRUE(verified.ok()) << verified.message();
    if (!verified.ok()) break;
    const hlo::Instruction& root = (*module)->entry().root();
    IndexingAnalysis analysis(&context, options);
    RunValues values(**module, random, DevicesOf(**module));
    const auto run = TracedRun::Make(root, values);
    EXPECT_TRUE(run.ok()) << run.status().message();
    if (!run.ok()) break;
    EXPECT_EQ(CheckRelation(root, analysis, *run, values, checked.records), "");
    for (const hlo::Computation* computation : (*module)->computations()) {
      for (const hlo::Instruction* instruction : computation->instructions()) {
        checked.opcodes.insert(instruction->opcode());
      }
    }
  }
  return checked;
}

TEST(FusionMaps, OfOpcodesWithExactMapsAreExact) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 2000);
  // No limits: they would make records inexact.
  AnalysisOptions options;
  options.max_accesses = options.max_accesses_with_values = SIZE_MAX;
  const auto [records, opcodes] = CheckFusions({Opcode::kAdd,
                                                Opcode::kBitcast,
                                                Opcode::kBitcast,
                                                Opcode::kBroadcast,
                                                Opcode::kCholesky,
                                                Opcode::kClamp,
                                                Opcode::kConcatenate,
                                                Opcode::kDot,
                                                Opcode::kDynamicSlice,
                                                Opcode::kDynamicSlice,
                                                Opcode::kDynamicUpdateSlice,
                                                Opcode::kExponential,
                                                Opcode::kGather,
                                                Opcode::kPad,
                                                Opcode::kPad,
                                                Opcode::kReduce,
                                                Opcode::kReduceWindow,
                                                Opcode::kReshape,
                                                Opcode::kReshape,
                                                Opcode::kReverse,
                                                Opcode::kSlice,
                                                Opcode::kSort,
                                                Opcode::kTranspose},
                                               modules, options);
  // The generator must not have withered: most modules read something in several ways.
  EXPECT_GT(records.exact, modules * 3);
  EXPECT_EQ(records.superset + records.unknown, 0);
}

// Indices that are looked up, computed and passed on, in slices of slices: each value is bound to
// its own operand, at its own place.
TEST(FusionMaps, OfSlicesAtRunTime) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 2000);
  const auto [records, opcodes] =
      CheckFusions({Opcode::kDynamicSlice, Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                    Opcode::kGather, Opcode::kScatter, Opcode::kTranspose},
                   modules, {});
  EXPECT_GT(records.exact, modules * 2);
  EXPECT_EQ(records.unknown, 0);
}

TEST(FusionMaps, OfAllOpcodes) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 2000);
  const auto [records, opcodes] = CheckFusions(FusibleOpcodes(), modules, {});
  for (const Opcode opcode : FusibleOpcodes()) {
    EXPECT_TRUE(opcodes.contains(opcode)) << "no module has " << hlo::OpcodeName(opcode).str();
  }
  EXPECT_GT(records.exact, modules * 3);
  EXPECT_EQ(records.unknown, 0);
  RecordProperty("exact", static_cast<int>(records.exact));
  RecordProperty("superset", static_cast<int>(records.superset));
}

// The maps of an operand are what a trace shows at its parameter.
TEST(FusionMaps, TracesEndAtTheMaps) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 500);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int num_maps = 0;
  for (int seed = 0; seed < modules && !::testing::Test::HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomFusion(random, FusibleOpcodes());
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok() && hlo::Verify(**module).ok());
    const hlo::Instruction& root = (*module)->entry().root();
    IndexingAnalysis analysis(&context);
    for (int64_t output = 0; output < root.shape().num_array_leaves(); ++output) {
      // By operand and array.
      std::map<std::pair<int64_t, int64_t>, std::set<std::string>> traced;
      for (const auto& step : analysis.TracePropagation(root, output)) {
        if (step.depth != 1 || step.instruction->opcode() != Opcode::kParameter) continue;
        for (const auto& access : step.accesses) {
          traced[{step.instruction->parameter_number(), step.leaf}].insert(access.map.ToString());
        }
      }
      for (const auto& operand : analysis.OutputToInput(root, output).operands()) {
        for (const auto& map : operand.maps()) {
          ++num_maps;
          const std::pair array(static_cast<int64_t>(operand.operand()), operand.leaf());
          EXPECT_TRUE(traced[array].contains(map.ToString())) << map.ToString();
        }
      }
    }
  }
  EXPECT_GT(num_maps, modules);
}

}  // namespace
}  // namespace hlo_indexing::testing
