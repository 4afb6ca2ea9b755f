// What the tests of propagation share: a module from text, a query of one of its instructions, and
// accesses and access sets as text.
#ifndef HLO_INDEXING_TESTS_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_TESTING_H_
#define HLO_INDEXING_TESTS_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/propagation.h"
#include "indexing_analysis/propagation/query.h"
#include "indexing_analysis/rules/device_groups.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {

using Lines = std::vector<std::string>;

/// The text by lines; none if it is empty.
inline Lines LinesOf(llvm::StringRef text) {
  Lines lines;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    lines.push_back(line.str());
    text = rest;
  }
  return lines;
}

inline Lines LinesOf(const OutputSets& sets, const AccessSet& accesses) {
  return LinesOf(WithOutputs(sets, accesses).ToString());
}

/// A module and what the queries of an analysis share. Options are to be set before the module is
/// parsed.
class PropagationTest : public ::testing::Test {
 protected:
  void Parse(const std::string& text) {
    auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    ASSERT_EQ(hlo::Verify(**module).message(), "");
    module_ = std::move(*module);
    memory_.emplace(&context_, options_);
    array_reads_.emplace(&context_, options_, CountDevices(*module_));
  }

  const hlo::Instruction& root() const { return module_->entry().root(); }

  /// The first instruction of that name.
  const hlo::Instruction& Named(llvm::StringRef name) const {
    for (const hlo::Computation* computation : module_->computations()) {
      for (const hlo::Instruction* instruction : computation->instructions()) {
        if (instruction->name() == name) return *instruction;
      }
    }
    ADD_FAILURE() << "there is no " << name.str();
    return root();
  }

  /// A query of so many outputs of these sizes.
  Query MakeQuery(llvm::ArrayRef<int64_t> sizes, size_t num_outputs = 1) {
    const DeviceCounts devices = CountDevices(*module_);
    return {.mlir_context = &context_,
            .options = options_,
            .memory = *memory_,
            .array_reads = *array_reads_,
            .devices = devices,
            .outputs = OutputSets(num_outputs),
            .values = RuntimeValues(devices.Count()),
            .identity = memory_->accesses.Identity(sizes)};
  }

  /// What all outputs of a query read if they are the array.
  static AccessSet IdentityOf(Query& query) {
    AccessSet accesses;
    accesses.Add(query.outputs,
                 {query.accesses.Bind(*query.identity, {}), "", query.outputs.All()});
    return accesses;
  }

  /// Propagates from output arrays of an instruction, which have the same sizes.
  Propagation Propagate(const hlo::Instruction& instruction,
                        llvm::ArrayRef<int64_t> output_leaves = {0}, Trace* trace = nullptr) {
    return Propagation(&context_, options_, *memory_, *array_reads_, CountDevices(*module_),
                       instruction, output_leaves, trace);
  }

  /// What has reached an operand array of the entry's root from its first array.
  Lines OperandLines(size_t operand, int64_t leaf = 0) {
    const Propagation propagation = Propagate(root());
    const AccessSets& arrays = propagation.accesses().operands[operand];
    if (arrays.empty()) return {};
    return LinesOf(propagation.accesses().sets, arrays[static_cast<size_t>(leaf)]);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  AnalysisOptions options_;
  std::unique_ptr<hlo::Module> module_;
  std::optional<PropagationMemory> memory_;
  std::optional<ArrayReadsFinder> array_reads_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_TESTS_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_TESTING_H_
