// The maps of random fusions equal the relation found by enumeration.
#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/provenance.h"
#include "tests/property/random_hlo.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;

// Calls `visit` for every point of the map's domain with these dimension values. Runtime variables
// have the value that `scalars` gives, clamped.
template <typename Visit>
void ForEachPoint(const IndexingMap& map, const Instruction& root,
                  llvm::ArrayRef<int64_t> dimensions, const ScalarValues& scalars, Visit visit) {
  std::vector<int64_t> symbols(map.num_ranges() + map.num_runtime());
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    const RuntimeVariable& variable = map.runtime()[i];
    // Values inside the root's computation are reached through the root.
    std::vector<const Instruction*> calls(variable.calls.begin(), variable.calls.end());
    if (&variable.instruction->parent() != &root.parent()) calls.insert(calls.begin(), &root);
    const auto value = scalars.Get(*variable.instruction, calls);
    ASSERT_TRUE(value.has_value()) << "runtime value of " << variable.instruction->name().str();
    symbols[map.num_ranges() + i] =
        std::clamp(*value, variable.bounds.lower, variable.bounds.upper);
  }
  for (size_t i = 0; i < map.num_ranges(); ++i) symbols[i] = map.ranges()[i].bounds.lower;
  while (true) {
    if (map.DomainContains(dimensions, symbols)) visit(symbols);
    size_t i = 0;
    while (i < map.num_ranges() && symbols[i] == map.ranges()[i].bounds.upper) {
      symbols[i] = map.ranges()[i].bounds.lower;
      ++i;
    }
    if (i == map.num_ranges()) return;
    ++symbols[i];
  }
}

// What the maps say that the element at `index` of the output reads of one operand array.
Sources FromMaps(const OperandIndexing& operand, const Instruction& root,
                 const std::vector<int64_t>& index, const ScalarValues& scalars) {
  Sources sources;
  const Shape& shape = root.operand(operand.operand).shape().ArrayLeaf(operand.leaf);
  for (const IndexingMap& map : *operand.maps) {
    ForEachPoint(map, root, index, scalars, [&](llvm::ArrayRef<int64_t> symbols) {
      const auto result = map.Evaluate(index, symbols);
      ASSERT_TRUE(result.has_value());
      const auto element = Flatten(*result, shape.sizes());
      ASSERT_TRUE(element.has_value()) << "outside the operand: " << map.ToString();
      sources.insert({operand.operand, operand.leaf, *element});
    });
  }
  return sources;
}

// Compares all maps of an instruction with its provenance; counts the records.
void CheckInstruction(const Instruction& instruction, IndexingAnalysis& analysis,
                      const ScalarValues& scalars, int64_t& records) {
  const auto expected = Provenance(instruction, scalars);
  for (size_t output = 0; output < expected.size(); ++output) {
    const OutputIndexing indexing =
        analysis.OutputToInput(instruction, static_cast<int64_t>(output));
    ASSERT_EQ(indexing.unknown_reason, "");
    const Shape& shape = instruction.shape().ArrayLeaf(static_cast<int64_t>(output));
    for (const OperandIndexing& operand : indexing.operands) {
      ASSERT_EQ(operand.exactness, Exactness::kExact) << operand.reason;
      ++records;
    }
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const std::vector<int64_t> index = Unflatten(i, shape.sizes());
      Sources actual;
      for (const OperandIndexing& operand : indexing.operands) {
        const Sources sources = FromMaps(operand, instruction, index, scalars);
        actual.insert(sources.begin(), sources.end());
      }
      ASSERT_EQ(actual == expected[output][static_cast<size_t>(i)], true)
          << "instruction " << instruction.name().str() << ", output " << output << ", element "
          << i << ": maps give " << actual.size() << " elements, enumeration "
          << expected[output][static_cast<size_t>(i)].size();
    }
  }
}

TEST(FusionMaps, EqualEnumeration) {
  constexpr int kModules = 3000;
  constexpr int kRuntimeDraws = 2;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int64_t records = 0;
  for (uint64_t seed = 0; seed < kModules && !HasFailure(); ++seed) {
    Random random(seed);
    const std::string text = RandomModule(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const absl::Status verified = hlo::Verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.message();
    for (int draw = 0; draw < kRuntimeDraws && !HasFailure(); ++draw) {
      ScalarValues scalars;
      for (const Instruction* parameter : (*module)->entry().parameters()) {
        if (parameter->shape().element_type() == hlo::ElementType::kS32) {
          scalars.Set(*parameter, random.Between(-3, 8));
        }
      }
      IndexingAnalysis analysis(&context);
      CheckInstruction((*module)->entry().root(), analysis, scalars, records);
    }
  }
  // The generator must not have withered: most modules read something in several ways.
  EXPECT_GT(records, kModules * 2);
}

}  // namespace
}  // namespace hlo_indexing::testing
